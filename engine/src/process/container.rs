//! The memory that this process may use, as its control groups limit it, and how many browsers fit into it. Reads files
//! below `/proc` and `/sys`; changes nothing.

use std::fs;
use std::path::{Path, PathBuf};

const MIB: u64 = 1024 * 1024;

/// Version 1 writes the largest multiple of a page that its counter holds for "no limit"; nothing near it limits anything.
const NO_LIMIT: u64 = 1 << 60;

/// How much memory the container of this process has; on a machine without one, what the machine has.
///
/// ```
/// use engine::process::Container;
///
/// let container = Container::look();
/// let size = container.browsers(Container::MEMORY_OF_A_BROWSER);
/// assert!(size >= 1);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Container {
    /// The smallest memory limit in bytes of the control groups this process is in, all levels that can be seen from
    /// here included. `None`: there is no limit, or the system has no control groups.
    pub memory_limit: Option<u64>,
    /// The memory of the machine in bytes, used or not. `None` where the system does not tell.
    pub machine_memory: Option<u64>,
}

impl Container {
    /// What to reckon with for one browser where nothing is known of its pages: 1 GiB. Chromium 156 without a page takes
    /// about 375 MiB, the headless shell 182 MiB, and each small page in a context of its own some 39 MiB or 10 MiB more:
    /// the figure has room for fifteen small pages or a few heavy ones.
    pub const MEMORY_OF_A_BROWSER: u64 = 1024 * MIB;

    /// Looks at the files of the system. Takes well under a millisecond.
    pub fn look() -> Container {
        let read = |path: &Path| fs::read_to_string(path).ok();
        Container {
            memory_limit: memory_limit(read),
            machine_memory: read(Path::new("/proc/meminfo")).and_then(|text| machine_memory(&text)),
        }
    }

    /// How many browsers fit, each with this much memory in bytes: three quarters of what there is, since the host and the
    /// system's caches need some too, divided by `memory_each` and rounded down. At least 1, also where nothing is known.
    pub fn browsers(&self, memory_each: u64) -> usize {
        let there = [self.memory_limit, self.machine_memory].into_iter().flatten().min().unwrap_or(0);
        let fit = (there - there / 4).checked_div(memory_each).unwrap_or(1);
        usize::try_from(fit).unwrap_or(usize::MAX).max(1)
    }
}

/// Of both versions, which may be mounted side by side, the smallest limit counts.
fn memory_limit(read: impl Fn(&Path) -> Option<String>) -> Option<u64> {
    let groups = read(Path::new("/proc/self/cgroup"))?;
    let mounts = read(Path::new("/proc/self/mountinfo"))?;
    let limits_of = |version: Version| {
        let levels = levels(version, &groups, &mounts);
        levels.into_iter().filter_map(|folder| limit(&read(&folder.join(version.file()))?)).min()
    };
    [limits_of(Version::One), limits_of(Version::Two)].into_iter().flatten().min()
}

/// The versions of control groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Version {
    /// The file with the limit.
    fn file(self) -> &'static str {
        match self {
            Version::One => "memory.limit_in_bytes",
            Version::Two => "memory.max",
        }
    }

    /// The path of this process's group from a line of `/proc/self/cgroup`, `hierarchy:controllers:path`; see cgroups(7).
    fn group(self, line: &str) -> Option<&str> {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let fits = match self {
            Version::One => controllers.split(',').any(|it| it == "memory"),
            Version::Two => controllers.is_empty(),
        };
        fits.then_some(path)
    }

    /// The root within the hierarchy and the mount point, from a line of `/proc/self/mountinfo`; see proc(5).
    fn mount(self, line: &str) -> Option<(PathBuf, PathBuf)> {
        let (front, back) = line.split_once(" - ")?;
        let mut front = front.split(' ').skip(3);
        let (root, point) = (unescaped(front.next()?), unescaped(front.next()?));
        let mut back = back.split(' ');
        let (kind, options) = (back.next()?, back.nth(1)?);
        let fits = match self {
            Version::One => kind == "cgroup" && options.split(',').any(|it| it == "memory"),
            Version::Two => kind == "cgroup2",
        };
        fits.then_some((root, point))
    }
}

/// The folders of this process's group and of all above it, as far as they are mounted; the mount point comes last.
fn levels(version: Version, groups: &str, mounts: &str) -> Vec<PathBuf> {
    let Some(group) = groups.lines().find_map(|line| version.group(line)) else { return Vec::new() };
    let Some((root, point)) = mounts.lines().find_map(|line| version.mount(line)) else { return Vec::new() };
    // What is mounted may begin below the top. A group outside of it, or one that is written as seen from elsewhere, has
    // no folder here; then the mount point is all that can be seen.
    let below = Path::new(group).strip_prefix(&root).unwrap_or(Path::new(""));
    let below = if below.iter().any(|part| part == "..") { Path::new("") } else { below };
    below.ancestors().map(|level| point.join(level)).collect()
}

/// Blanks and backslashes in a path stand there as `\040` and the like.
fn unescaped(path: &str) -> PathBuf {
    let mut parts = path.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code.filter(u8::is_ascii) {
            Some(byte) => {
                text.push(char::from(byte));
                text.push_str(part.get(3..).unwrap_or_default());
            }
            None => {
                text.push('\\');
                text.push_str(part);
            }
        }
    }
    PathBuf::from(text)
}

/// `max`, and anything that is no number, limits nothing.
fn limit(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|limit| *limit < NO_LIMIT)
}

/// The line `MemTotal` of `/proc/meminfo`, which is in units of 1024 bytes.
fn machine_memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    const V2: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
    const V1: &str = "31 24 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
                      36 24 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

    /// The limit as these files tell it.
    fn seen(groups: &str, mounts: &str, limits: &[(&str, &str)]) -> Option<u64> {
        let read = |path: &Path| match path.to_str()? {
            "/proc/self/cgroup" => Some(groups.to_owned()),
            "/proc/self/mountinfo" => Some(mounts.to_owned()),
            path => limits.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned()),
        };
        memory_limit(read)
    }

    #[test]
    fn the_smallest_limit_up_the_hierarchy_counts() {
        let (own, slice, top) =
            ("/sys/fs/cgroup/a/b/memory.max", "/sys/fs/cgroup/a/memory.max", "/sys/fs/cgroup/memory.max");
        for (limits, expected) in [
            (vec![(own, "max\n"), (slice, "4000\n"), (top, "5000\n")], Some(4000)),
            (vec![(own, "3000\n"), (slice, "4000\n")], Some(3000)),
            (vec![(own, "3000\n"), (slice, "max\n"), (top, "2000\n")], Some(2000)),
            (vec![(own, "max\n"), (slice, "max\n")], None),
            (vec![(own, "nonsense"), (slice, ""), (top, "-1")], None),
            (vec![], None),
        ] {
            assert_eq!(seen("0::/a/b\n", V2, &limits), expected, "{limits:?}");
        }
    }

    #[test]
    fn version_one_is_read_where_version_two_has_no_memory() {
        let groups = "8:pids:/\n4:memory:/c\n3:cpuset:/d\n0::/\n";
        let mounts = format!("{V1}40 24 0:40 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
        let (own, top) =
            ("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes");
        let none = "9223372036854771712\n";
        assert_eq!(seen(groups, &mounts, &[(own, "7000\n"), (top, none)]), Some(7000));
        assert_eq!(seen(groups, &mounts, &[(own, none), (top, "6000\n")]), Some(6000));
        assert_eq!(seen(groups, &mounts, &[(own, none), (top, none)]), None);
        // The limit of another controller's folder is none of ours.
        assert_eq!(seen("3:cpu:/c\n", &mounts, &[(own, "7000\n")]), None);
    }

    #[test]
    fn a_mount_that_begins_below_the_top_is_read_from_there() {
        let mounts = "36 24 0:31 /docker/12 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        let limits = [
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9000\n"),
            ("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "8000\n"),
        ];
        assert_eq!(seen("4:memory:/docker/12\n", mounts, &limits), Some(9000));
        assert_eq!(seen("4:memory:/docker/12/x\n", mounts, &limits), Some(8000));
        // Neither a group outside of what is mounted nor one above the namespace leads anywhere else.
        assert_eq!(seen("4:memory:/other\n", mounts, &limits), Some(9000));
        assert_eq!(seen("0::/../../x\n", V2, &[("/sys/fs/cgroup/memory.max", "1000")]), Some(1000));
    }

    #[test]
    fn a_mount_point_with_a_blank_is_understood() {
        let mounts = "30 23 0:26 / /my\\040groups rw - cgroup2 cgroup2 rw\n";
        assert_eq!(seen("0::/a\n", mounts, &[("/my groups/a/memory.max", "1000")]), Some(1000));
        assert_eq!(unescaped("a\\134b\\99"), Path::new("a\\b\\99"));
    }

    #[test]
    fn files_of_any_shape_are_no_fault() {
        for text in
            ["", "\n\n", ":", "::", "0::", "x - y", " - cgroup2", "1 2 3 4 5 - cgroup2 a", "0::a:b:c\\"]
        {
            assert_eq!(seen(text, text, &[]), None, "{text:?}");
        }
    }

    #[test]
    fn browsers_fit_into_three_quarters_of_the_smaller_figure() {
        let of = |memory_limit: Option<u64>, machine_memory: Option<u64>| Container {
            memory_limit,
            machine_memory,
        };
        let gib = 1024 * MIB;
        assert_eq!(of(Some(8 * gib), Some(64 * gib)).browsers(gib), 6);
        assert_eq!(of(None, Some(16 * gib)).browsers(gib), 12);
        assert_eq!(of(Some(64 * gib), Some(4 * gib)).browsers(gib), 3, "a limit above the machine's memory");
        assert_eq!(of(Some(100 * MIB), None).browsers(gib), 1, "one is always tried");
        assert_eq!(of(None, None).browsers(gib), 1);
        assert_eq!(of(Some(gib), None).browsers(0), 1);
    }

    /// A second reading of what this machine says, without the mounts: the usual folders, tried one after the other.
    #[cfg(target_os = "linux")]
    #[test]
    fn this_machines_limit_is_one_of_those_its_folders_hold() {
        let container = Container::look();
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mut limits = Vec::new();
        for line in groups.lines() {
            let path = line.rsplit(':').next().unwrap_or_default().trim_start_matches('/');
            for level in Path::new(path).ancestors() {
                for file in ["memory.max", "unified/memory.max", "memory/memory.limit_in_bytes"] {
                    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
                    let file = Path::new("/sys/fs/cgroup").join(folder).join(level).join(name);
                    let text = fs::read_to_string(file).unwrap_or_default();
                    limits.extend(text.trim().parse::<u64>().ok().filter(|limit| *limit < 1 << 60));
                }
            }
        }
        assert_eq!(container.memory_limit.is_some(), !limits.is_empty(), "{container:?}, {limits:?}");
        assert!(
            container.memory_limit.is_none_or(|limit| limits.contains(&limit)),
            "{container:?}, {limits:?}"
        );
        let kilobytes = container.machine_memory.unwrap() / 1024;
        assert!(
            fs::read_to_string("/proc/meminfo").unwrap().contains(&format!(" {kilobytes} kB")),
            "{container:?}"
        );
    }
}
