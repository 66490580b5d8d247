//! What a browser left on the machine, found without asking the engine: the kernel's process table and the file
//! system. Knows Linux only; elsewhere there is no process to be found.

use std::fs;
use std::path::Path;

/// Processes of the group `group`, and those whose environment or command line names `scratch`, zombies included:
/// a line each with id and name.
pub(crate) fn processes(group: u32, scratch: &Path) -> Vec<String> {
    let mark = scratch.as_os_str().as_encoded_bytes();
    let own = std::process::id();
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut found = Vec::new();
    for id in numbers.filter(|id| *id != own) {
        let read = |name: &str| fs::read(format!("/proc/{id}/{name}")).unwrap_or_default();
        let stat = String::from_utf8_lossy(&read("stat")).into_owned();
        // The name stands in parentheses and may hold any character; what follows the last one is fixed.
        let Some((head, tail)) = stat.rsplit_once(')') else { continue };
        let in_group = tail.split_whitespace().nth(2).and_then(|word| word.parse().ok()) == Some(group);
        let names = |bytes: Vec<u8>| !mark.is_empty() && bytes.windows(mark.len()).any(|part| part == mark);
        if in_group || names(read("cmdline")) || names(read("environ")) {
            found.push(format!("{id} {}", head.split_once('(').map_or("?", |(_, name)| name)));
        }
    }
    found
}

/// Temporary paths left of a browser: its scratch folder, if it is still there.
pub(crate) fn paths(scratch: &Path) -> Vec<String> {
    let there = fs::symlink_metadata(scratch).is_ok();
    there.then(|| scratch.display().to_string()).into_iter().collect()
}
