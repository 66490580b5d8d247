//! The processes of one browser, from one pass over the system's process table: its group, everything that descends
//! from it, and helpers that left both. Every function here blocks for some milliseconds.

use std::path::Path;

use crate::process::table;

/// A line of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    /// Start time; with the id it names one process for good. 0 where the system does not tell.
    pub(crate) start: u64,
    /// It has ended and was not reaped yet.
    pub(crate) ended: bool,
    /// In bytes.
    #[cfg(not(target_os = "linux"))]
    resident: u64,
}

/// The processes of the browser with this scratch folder, ended ones included. `leader` is its first process, `None`
/// once that has been reaped: its number may be another's by then.
pub(crate) fn of(leader: Option<i32>, scratch: &Path) -> Vec<Entry> {
    let needles = table::needles(scratch);
    let mut reader = system::Reader::default();
    let table = reader.table();
    let first = table.iter().find(|entry| Some(entry.pid) == leader).map_or(0, |entry| entry.start);
    let mut belongs = vec![false; table.len()];
    if let Some(leader) = leader {
        for (belongs, entry) in belongs.iter_mut().zip(&table) {
            *belongs = entry.pid == leader || entry.group == leader;
        }
        add_descendants(&table, &mut belongs);
    }
    let own = std::process::id().cast_signed();
    for (belongs, entry) in belongs.iter_mut().zip(&table) {
        // Everything of a browser is younger than its first process; the texts of older ones need not be read.
        if !*belongs && !entry.ended && entry.start >= first && entry.pid != own {
            *belongs = reader.names(entry.pid, &needles);
        }
    }
    add_descendants(&table, &mut belongs);
    table.into_iter().zip(belongs).filter_map(|(entry, belongs)| belongs.then_some(entry)).collect()
}

/// The memory of some processes in bytes, whether all of it is proportional, and how many there were to be read.
pub(crate) fn memory(entries: &[Entry]) -> (u64, bool, usize) {
    let mut reader = system::Reader::default();
    let (mut sum, mut all_proportional, mut count) = (0_u64, true, 0);
    for entry in entries.iter().filter(|entry| !entry.ended) {
        // One that has ended meanwhile has no memory.
        if let Some((bytes, is_proportional)) = reader.memory(entry) {
            sum = sum.saturating_add(bytes);
            all_proportional &= is_proportional;
            count += 1;
        }
    }
    (sum, all_proportional, count)
}

/// Marks the children of what is marked, and theirs.
fn add_descendants(table: &[Entry], belongs: &mut [bool]) {
    loop {
        let mut parents: Vec<i32> = table
            .iter()
            .zip(&*belongs)
            .filter(|(_, belongs)| **belongs)
            .map(|(entry, _)| entry.pid)
            .collect();
        parents.sort_unstable();
        let mut grown = false;
        for (belongs, entry) in belongs.iter_mut().zip(table) {
            if !*belongs && parents.binary_search(&entry.parent).is_ok() {
                (*belongs, grown) = (true, true);
            }
        }
        if !grown {
            return;
        }
    }
}

fn holds(text: &[u8], needles: &[Vec<u8>]) -> bool {
    needles.iter().any(|needle| text.windows(needle.len()).any(|window| window == needle))
}

/// Linux: /proc.
#[cfg(target_os = "linux")]
mod system {
    use std::fmt::Write as _;
    use std::fs::{self, File};
    use std::io::Read as _;

    use super::{Entry, holds};

    /// Reads files of /proc into the same memory again and again.
    pub(super) struct Reader {
        root: &'static str,
        path: String,
        bytes: Vec<u8>,
    }

    impl Default for Reader {
        fn default() -> Self {
            Reader::at("/proc")
        }
    }

    impl Reader {
        pub(super) fn at(root: &'static str) -> Reader {
            Reader { root, path: String::new(), bytes: Vec::new() }
        }

        pub(super) fn table(&mut self) -> Vec<Entry> {
            let folders = fs::read_dir(self.root).into_iter().flatten().flatten();
            let pids = folders.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
            pids.filter_map(|pid| entry(pid, self.read(pid, "stat")?)).collect()
        }

        pub(super) fn names(&mut self, pid: i32, needles: &[Vec<u8>]) -> bool {
            // What belongs to another user can't be read, and is none of ours.
            ["cmdline", "environ"]
                .into_iter()
                .any(|file| self.read(pid, file).is_some_and(|it| holds(it, needles)))
        }

        /// `None` when the process has ended.
        pub(super) fn memory(&mut self, entry: &Entry) -> Option<(u64, bool)> {
            let pss = self.read(entry.pid, "smaps_rollup").and_then(|text| kilobytes(text, "Pss:"));
            let (kilobytes, is_proportional) = match pss {
                Some(pss) => (pss, true),
                None => (kilobytes(self.read(entry.pid, "status")?, "VmRSS:")?, false),
            };
            Some((kilobytes.saturating_mul(1024), is_proportional))
        }

        fn read(&mut self, pid: i32, file: &str) -> Option<&[u8]> {
            self.path.clear();
            write!(self.path, "{}/{pid}/{file}", self.root).ok()?;
            self.bytes.clear();
            File::open(&self.path).ok()?.read_to_end(&mut self.bytes).ok()?;
            Some(&self.bytes)
        }
    }

    /// Reads `/proc/<pid>/stat`, see proc(5). The name, its second field, may hold anything.
    pub(super) fn entry(pid: i32, stat: &[u8]) -> Option<Entry> {
        let end = stat.iter().rposition(|byte| *byte == b')')?;
        let mut fields = std::str::from_utf8(stat.get(end + 1..)?).ok()?.split_ascii_whitespace();
        let ended = matches!(fields.next()?, "Z" | "X");
        let (parent, group) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        // Field 22; three have been taken behind the name.
        let start = fields.nth(16)?.parse().ok()?;
        Some(Entry { pid, parent, group, start, ended })
    }

    /// The number of a line such as `Pss:    1234 kB`.
    pub(super) fn kilobytes(text: &[u8], name: &str) -> Option<u64> {
        let line = std::str::from_utf8(text).ok()?.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim_end().parse().ok()
    }
}

/// Elsewhere: `ps`, which shows the environment of the user's own processes behind the command.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::process::{Command, Stdio};

    use super::{Entry, holds};

    #[derive(Default)]
    pub(super) struct Reader {
        texts: Vec<(i32, Vec<u8>)>,
    }

    impl Reader {
        pub(super) fn table(&mut self) -> Vec<Entry> {
            let columns = ["pid=", "ppid=", "pgid=", "rss=", "state=", "command="];
            let output = Command::new("/bin/ps")
                .args(["-A", "-E", "-ww"])
                .args(columns.iter().flat_map(|column| ["-o", column]))
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .output();
            let Ok(output) = output else { return Vec::new() };
            let mut table = Vec::new();
            for line in output.stdout.split(|byte| *byte == b'\n') {
                if let Some(entry) = entry(&String::from_utf8_lossy(line)) {
                    self.texts.push((entry.pid, line.to_vec()));
                    table.push(entry);
                }
            }
            table
        }

        pub(super) fn names(&mut self, pid: i32, needles: &[Vec<u8>]) -> bool {
            self.texts.iter().any(|(known, text)| *known == pid && holds(text, needles))
        }

        pub(super) fn memory(&mut self, entry: &Entry) -> Option<(u64, bool)> {
            Some((entry.resident, false))
        }
    }

    fn entry(line: &str) -> Option<Entry> {
        let mut fields = line.split_ascii_whitespace();
        let (pid, parent) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let group = fields.next()?.parse().ok()?;
        let resident = fields.next()?.parse::<u64>().ok()?.saturating_mul(1024);
        let ended = fields.next()?.starts_with('Z');
        Some(Entry { pid, parent, group, start: 0, ended, resident })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::system::{Reader, entry, kilobytes};
    use super::*;

    fn line(pid: i32, parent: i32, group: i32) -> Entry {
        Entry { pid, parent, group, start: 0, ended: false }
    }

    #[test]
    fn a_name_with_parentheses_and_blanks_hides_no_field() {
        let stat = b"42 (a) Z 1 (b) S 7 40 39 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 9 0 123456 5 6";
        assert_eq!(entry(42, stat), Some(Entry { start: 123_456, ..line(42, 7, 40) }));
        assert!(entry(1, b"1 (x) Z 7 40 39 0 -1 0 1 0 0 0 1 2 0 0 20 0 9 0 5").unwrap().ended);
        for cut in 0..stat.len() - 5 {
            // Whatever is cut off: no panic, and no line without a start time.
            assert!(entry(42, &stat[..cut]).is_none_or(|entry| entry.start > 0), "cut at {cut}");
        }
    }

    #[test]
    fn a_figure_is_read_from_its_own_line() {
        let text = b"00400000-7ffd rollup\nRss:    999 kB\nPss:    1234 kB\nPss_Anon:   7 kB\n";
        assert_eq!(kilobytes(text, "Pss:"), Some(1234));
        assert_eq!(kilobytes(text, "Swap:"), None);
        assert_eq!(kilobytes(b"Pss: many kB\n", "Pss:"), None);
    }

    #[test]
    fn resident_memory_stands_in_where_the_proportional_figure_is_missing() {
        let root = std::env::temp_dir().join(format!("tree-test-{}", std::process::id()));
        for (pid, file, text) in [
            (1, "smaps_rollup", "Rss:  90 kB\nPss:  30 kB\n"),
            (1, "status", "VmRSS:\t  90 kB\n"),
            (2, "status", "Name:\tb\nVmRSS:\t  70 kB\n"),
            // What has ended but is not reaped has no memory.
            (3, "status", "Name:\tc\nState:\tZ (zombie)\n"),
        ] {
            fs::create_dir_all(root.join(pid.to_string())).unwrap();
            fs::write(root.join(pid.to_string()).join(file), text).unwrap();
        }
        let mut reader = Reader::at(root.to_str().unwrap().to_owned().leak());
        let memory = [1, 2, 3, 4].map(|pid| reader.memory(&line(pid, 0, 0)));
        fs::remove_dir_all(root).unwrap();
        assert_eq!(memory, [Some((30 * 1024, true)), Some((70 * 1024, false)), None, None]);
    }

    #[test]
    fn descendants_are_found_in_whatever_order_the_table_has() {
        let table = [line(5, 4, 5), line(4, 3, 4), line(3, 2, 2), line(9, 1, 9), line(2, 1, 2)];
        let mut belongs = table.map(|entry| entry.pid == 2);
        add_descendants(&table, &mut belongs);
        assert_eq!(belongs, [true, true, true, false, true]);
    }
}
