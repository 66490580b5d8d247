//! The generated protocol against what the running browser says of itself.

use std::collections::BTreeSet;

use cdp_protocol::domains::INVENTORY;
use engine::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::harness::{Env, Outcome, tests};

tests![everything_the_browser_declares_is_generated_and_nothing_else];

async fn everything_the_browser_declares_is_generated_and_nothing_else(env: &Env) -> Outcome {
    let browser = env.launcher().transport(Transport::Port).launch().await?;
    let declared =
        declared(&browser.process().endpoint().ok_or("a browser with a port has an endpoint")?).await;
    let version = browser.version().to_owned();
    browser.close().await;
    let declared = declared?;

    let all =
        |of: fn(&cdp_protocol::domains::DomainInventory) -> &'static [&'static str]| -> BTreeSet<String> {
            INVENTORY.iter().flat_map(of).map(|name| name.to_string()).collect()
        };
    let generated = [
        ("domains", INVENTORY.iter().map(|domain| domain.name.to_owned()).collect()),
        ("commands", all(|domain| domain.commands)),
        ("events", all(|domain| domain.events)),
        ("types", all(|domain| domain.types)),
    ];
    for ((what, generated), declared) in generated.iter().zip(&declared) {
        let missing: Vec<_> = declared.difference(generated).collect();
        let extra: Vec<_> = generated.difference(declared).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "{what} of {version}: {} declared, {} generated; missing {missing:?}, not declared {extra:?}; \
             `cargo run -p cdp-gen -- import <source>` brings pdl/ up to date",
            declared.len(),
            generated.len(),
        );
        assert!(!declared.is_empty(), "{what}");
    }
    Ok(())
}

/// Names of the domains, commands, events and types in the browser's own description.
async fn declared(endpoint: &str) -> Result<[BTreeSet<String>; 4], Box<dyn std::error::Error + Send + Sync>> {
    let address =
        endpoint.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).ok_or("a ws:// endpoint")?;
    let mut socket = BufReader::new(TcpStream::connect(address).await?);
    socket.write_all(format!("GET /json/protocol HTTP/1.1\r\nhost: {address}\r\n\r\n").as_bytes()).await?;
    // The connection stays open, so the length counts.
    let (mut line, mut length) = (String::new(), 0);
    while socket.read_line(&mut line).await? > 2 {
        if let Some(("content-length", value)) = line.to_lowercase().trim_end().split_once(':') {
            length = value.trim().parse()?;
        }
        line.clear();
    }
    let mut body = vec![0; length];
    socket.read_exact(&mut body).await?;
    let description: Value = serde_json::from_slice(&body)?;

    let mut names: [BTreeSet<String>; 4] = Default::default();
    for domain in description["domains"].as_array().ok_or("a list of domains")? {
        let name = domain["domain"].as_str().ok_or("a domain's name")?;
        names[0].insert(name.to_owned());
        for (n, (list, key)) in
            [("commands", "name"), ("events", "name"), ("types", "id")].into_iter().enumerate()
        {
            let items = domain[list].as_array().into_iter().flatten();
            names[n + 1].extend(items.filter_map(|item| Some(format!("{name}.{}", item[key].as_str()?))));
        }
    }
    Ok(names)
}
