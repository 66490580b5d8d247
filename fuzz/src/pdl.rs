//! Any text as PDL, and as the browser's description in JSON: no panic, errors name a place, and what is read comes back the same
//! when it is printed as PDL and read again.

use std::path::Path;

use cdp_gen::model::{Domain, Version};
use cdp_gen::{Error, Index, json, pdl};

/// Runs one input.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match pdl::parse(&text, Path::new("input.pdl")) {
        Ok(unit) => {
            check_root(&unit);
            unit.domains.iter().for_each(check_domain);
        }
        Err(error) => {
            let lines = text.split(['\n', '\r']).count();
            let place = place(&error);
            assert!((1..=lines).contains(&place.0) && place.1 > 0, "{error}");
        }
    }
    match json::parse(&text, Path::new("input.json")) {
        // Names that PDL can't write are refused when references are looked up, and only what passes is ever printed.
        Ok(protocol) if Index::new(&protocol).is_ok() => protocol.domains.iter().for_each(check_domain),
        Ok(_) => {}
        Err(error) => assert!(error.to_string().starts_with("input.json"), "{error}"),
    }
    let _ = json::revision(&text, Path::new("input.json"));
}

/// Line and column.
fn place(error: &Error) -> (usize, usize) {
    match error {
        Error::Invalid { place, .. } => (place.line, place.column),
        other => panic!("text alone can't fail like this: {other}"),
    }
}

fn check_root(unit: &pdl::Unit) {
    let version = match &unit.version {
        Some((version, _)) => version.clone(),
        None => Version { major: "1".into(), minor: "0".into() },
    };
    let includes = unit.includes.iter().map(|include| (&*include.path, &*include.comment));
    let printed = pdl::print_root(&unit.header, &version, includes);
    let again = read(&printed);
    assert_eq!((&again.header, &again.includes), (&unit.header, &unit.includes), "{printed}");
    assert_eq!(again.version.map(|(version, _)| version), Some(version), "{printed}");
}

fn check_domain(domain: &Domain) {
    for header in [&[][..], &["A header.".into()]] {
        let printed = pdl::print_domain(header, domain);
        let again = read(&printed);
        assert_eq!((&*again.header, &*again.domains), (header, &[domain.clone()][..]), "{printed}");
    }
}

fn read(printed: &str) -> pdl::Unit {
    pdl::parse(printed, Path::new("printed.pdl")).unwrap_or_else(|error| panic!("{error}\n{printed}"))
}
