//! The generated protocol against what the running browser says of itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cdp_gen::diff::{Effect, compare};
use cdp_gen::{json, pdl};
use cdp_protocol::domains::INVENTORY;
use engine::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::harness::{Env, Outcome, tests};

tests![
    everything_the_browser_declares_is_generated_and_nothing_else,
    nothing_that_the_browser_declares_breaks_what_is_generated,
    the_generator_reads_which_browser_it_is
];

/// Names by what they are names of: domains, commands, events, types.
type Names = BTreeMap<&'static str, BTreeSet<String>>;

async fn everything_the_browser_declares_is_generated_and_nothing_else(env: &Env) -> Outcome {
    let (version, description) = asked(env, "/json/protocol").await?;
    let declared = declared(&description)?;
    let of = |list: fn(&cdp_protocol::domains::DomainInventory) -> &'static [&'static str]| {
        INVENTORY.iter().flat_map(list).map(|name| name.to_string()).collect()
    };
    let generated = Names::from([
        ("domains", INVENTORY.iter().map(|domain| domain.name.to_owned()).collect()),
        ("commands", of(|domain| domain.commands)),
        ("events", of(|domain| domain.events)),
        ("types", of(|domain| domain.types)),
    ]);
    assert!(declared.values().all(|names| !names.is_empty()), "{declared:?}");
    assert!(
        declared == generated,
        "pdl/ is not what {version} says of itself; `cargo run -p cdp-gen -- import <source>` brings it up to date\n{}",
        differences(&declared, &generated)
    );
    Ok(())
}

/// Beyond names: kinds, what is optional, values of enumerations.
async fn nothing_that_the_browser_declares_breaks_what_is_generated(env: &Env) -> Outcome {
    let (version, description) = asked(env, "/json/protocol").await?;
    let pinned = pdl::load_dir(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../pdl"))?.protocol;
    let declared = json::parse(&description, Path::new("/json/protocol"))?;
    let diff = compare(&pinned, &declared).map_err(|errors| format!("{errors:?}"))?;
    assert_eq!(diff.count(Effect::Breaks), 0, "programs built from pdl/ break on {version}\n{diff}");
    Ok(())
}

/// An import writes this beside the protocol.
async fn the_generator_reads_which_browser_it_is(env: &Env) -> Outcome {
    let (version, text) = asked(env, "/json/version").await?;
    let revision = json::revision(&text, Path::new("/json/version"))?;
    assert_eq!(revision.browser, version, "{text}");
    let hash = revision.revision.strip_prefix('@').unwrap_or_default();
    assert!(hash.len() >= 8 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{text}");
    Ok(())
}

/// A line a kind and domain where the two differ, with the counts and the names.
fn differences(declared: &Names, generated: &Names) -> String {
    let mut lines = String::new();
    for (what, declared) in declared {
        let generated = &generated[what];
        let domain = |name: &String| name.split('.').next().unwrap_or_default().to_owned();
        let domains: BTreeSet<String> = declared.symmetric_difference(generated).map(domain).collect();
        for of in &domains {
            let count = |names: &BTreeSet<String>| names.iter().filter(|name| domain(name) == *of).count();
            let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| -> Vec<String> {
                a.difference(b).filter(|name| domain(name) == *of).cloned().collect()
            };
            lines += &format!(
                "{of}: {} {what} declared, {} generated; missing {:?}, not declared {:?}\n",
                count(declared),
                count(generated),
                only(declared, generated),
                only(generated, declared)
            );
        }
    }
    lines
}

/// The version of the browser under test, and what it answers at `path`.
async fn asked(env: &Env, path: &str) -> Result<(String, String), Box<dyn std::error::Error + Send + Sync>> {
    let browser = env.launcher().transport(Transport::Port).launch().await?;
    let endpoint = browser
        .process()
        .expect("it was launched")
        .endpoint()
        .ok_or("a browser with a port has an endpoint")?;
    let answer = fetch(&endpoint, path).await;
    let version = browser.version().to_owned();
    browser.close().await;
    Ok((version, answer?))
}

async fn fetch(endpoint: &str, path: &str) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let address =
        endpoint.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).ok_or("a ws:// endpoint")?;
    let mut socket = BufReader::new(TcpStream::connect(address).await?);
    socket.write_all(format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n").as_bytes()).await?;
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
    Ok(String::from_utf8(body)?)
}

/// The names in a browser's own description, read without the generator's reader.
fn declared(description: &str) -> Result<Names, Box<dyn std::error::Error + Send + Sync>> {
    let description: Value = serde_json::from_str(description)?;
    let mut names = Names::new();
    for domain in description["domains"].as_array().ok_or("a list of domains")? {
        let name = domain["domain"].as_str().ok_or("a domain's name")?;
        names.entry("domains").or_default().insert(name.to_owned());
        for (list, key) in [("commands", "name"), ("events", "name"), ("types", "id")] {
            let items = domain[list].as_array().into_iter().flatten();
            let full = items.filter_map(|item| Some(format!("{name}.{}", item[key].as_str()?)));
            names.entry(list).or_default().extend(full);
        }
    }
    Ok(names)
}
