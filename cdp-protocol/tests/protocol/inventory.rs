//! The table of what was generated, against the PDL files in the repository.

use std::collections::BTreeSet;
use std::path::Path;

use cdp_protocol::domains::INVENTORY;

#[test]
fn the_inventory_lists_every_declared_item_once() {
    let mut listed = BTreeSet::new();
    let mut count = 0;
    for domain in INVENTORY {
        for (kind, items) in [("command", domain.commands), ("event", domain.events), ("type", domain.types)]
        {
            listed.extend(items.iter().map(|item| format!("{kind} {item}")));
            count += items.len();
        }
    }
    assert_eq!(listed.len(), count, "an item is listed twice");
    // Read by the first words of lines alone, so that a fault of the parser can't hide itself.
    let mut declared = BTreeSet::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pdl/domains");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let domain = path.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for line in text.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
            let words: Vec<&str> =
                line.split_whitespace().skip_while(|w| matches!(*w, "experimental" | "deprecated")).collect();
            if let [kind @ ("command" | "event" | "type"), name, ..] = words.as_slice() {
                declared.insert(format!("{kind} {domain}.{name}"));
            }
        }
    }
    assert_eq!(listed, declared);
    assert!(count > 1_000, "{count} items are too few for the whole protocol");
}
