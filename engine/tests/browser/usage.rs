//! What a browser takes of the machine, against a reading of the process table that shares no code with the engine's.

use std::collections::HashSet;
use std::fs;

use cdp_protocol::domains::page::Crash;

use crate::harness::{Env, Outcome, tests};

tests![
    memory_agrees_with_the_process_table_with_a_large_page_open,
    open_pages_are_counted_and_crashed_or_closed_ones_are_not,
    a_closed_browser_takes_nothing,
];

const MIB: u64 = 1024 * 1024;

/// A browser's first process and all that descend from it, found by the line `PPid:` of each process.
fn descendants(first: u32) -> HashSet<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    let parent = |pid: u32| -> Option<u32> {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
    };
    let parents: Vec<(u32, u32)> = pids.into_iter().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut found = HashSet::from([first]);
    // A chain of parents is shorter than the table.
    for _ in 0..parents.len() {
        found.extend(
            parents
                .iter()
                .filter(|(_, parent)| found.contains(parent))
                .map(|(pid, _)| *pid)
                .collect::<Vec<_>>(),
        );
    }
    found
}

/// The sum of the lines `Pss:` of every mapping of every one of these, in bytes.
fn proportional(pids: &HashSet<u32>) -> u64 {
    let of = |pid: &u32| -> u64 {
        // What has ended meanwhile has nothing to read.
        let smaps = fs::read_to_string(format!("/proc/{pid}/smaps")).unwrap_or_default();
        let lines = smaps.lines().filter_map(|line| line.strip_prefix("Pss:"));
        lines.filter_map(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()).sum()
    };
    pids.iter().map(of).sum::<u64>() * 1024
}

async fn memory_agrees_with_the_process_table_with_a_large_page_open(env: &Env) -> Outcome {
    let browser = env.launcher().launch().await?;
    let page = browser.new_context().await?.new_page().await?;
    let first = browser.process().expect("it was launched").pid();
    let before = browser.usage().await;
    // Random, since pages of equal contents might be shared or compressed.
    let fill = "(() => { window.kept = new Uint8Array(100 * 1024 * 1024); \
                for (let at = 0; at < kept.length; at += 65536) crypto.getRandomValues(kept.subarray(at, at + 65536)); \
                return kept.length; })()";
    assert_eq!(page.evaluate::<u64>(fill).await?, 100 * MIB);

    // A browser is never quite still: one of several readings has to agree within 5 %, with the table read before
    // and after.
    let mut readings = Vec::new();
    let agreed = loop {
        let earlier = proportional(&descendants(first));
        let usage = browser.usage().await;
        let pids = descendants(first);
        let later = proportional(&pids);
        assert!(
            usage.is_proportional && usage.processes >= pids.len(),
            "{usage:?}, {} in the tree",
            pids.len()
        );
        let (low, high) = (earlier.min(later), earlier.max(later));
        if usage.memory >= low - low / 20 && usage.memory <= high + high / 20 {
            break usage;
        }
        readings.push((earlier, usage.memory, later));
        assert!(readings.len() < 5, "(earlier, usage, later): {readings:?}");
    };
    assert!(agreed.memory > before.memory + 95 * MIB, "{before:?}, then {agreed:?}");
    browser.close().await;
    Ok(())
}

async fn open_pages_are_counted_and_crashed_or_closed_ones_are_not(env: &Env) -> Outcome {
    let browser = env.launcher().launch().await?;
    assert_eq!(browser.usage().await.pages, 0);
    let (first, second) = (browser.new_context().await?, browser.new_context().await?);
    let (page, _other, crashing) =
        (first.new_page().await?, first.new_page().await?, second.new_page().await?);
    assert_eq!(browser.usage().await.pages, 3);
    page.close().await?;
    assert_eq!(browser.usage().await.pages, 2);
    assert!(crashing.session().call(&Crash).await.is_err(), "a crashed page answers nothing");
    assert_eq!(browser.usage().await.pages, 1);
    first.close().await?;
    assert_eq!(browser.usage().await.pages, 0);
    browser.close().await;
    Ok(())
}

async fn a_closed_browser_takes_nothing(env: &Env) -> Outcome {
    let browser = env.launcher().launch().await?;
    browser.new_context().await?.new_page().await?;
    let usage = browser.usage().await;
    assert!(usage.processes > 2 && usage.memory > 50 * MIB && usage.pages == 1, "{usage:?}");
    browser.close().await;
    let usage = browser.usage().await;
    assert_eq!((usage.processes, usage.memory, usage.pages), (0, 0, 0), "{usage:?}");
    Ok(())
}
