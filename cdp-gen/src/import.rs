//! Writes a protocol as a folder of PDL files: a root, one file per domain, and `REVISION`. Keeps
//! comments of our own, and touches no file that it would not have written itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::comments;
use crate::error::Error;
use crate::model::{Protocol, Revision};
use crate::pdl::{self, Unit};
use crate::resolve::Index;

/// What an import did, for whoever tells the user.
#[derive(Debug, Default)]
pub struct Report {
    /// Files written or already right.
    pub files: usize,
    /// Files of domains that the new description no longer has.
    pub removed: Vec<PathBuf>,
    /// Things the user should look at.
    pub warnings: Vec<String>,
}

/// Writes `protocol` into the folder `out`.
///
/// # Errors
///
/// Double declarations and unknown references in the protocol; a file in the way that is not PDL of ours;
/// failed reads and writes. Nothing is written before everything is known to fit.
pub fn write(mut protocol: Protocol, revision: Option<&Revision>, out: &Path) -> Result<Report, Vec<Error>> {
    let mut report = Report::default();
    Index::new(&protocol)?;
    let existing = Existing::read(out)?;
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let mut includes = Vec::new();
    let mut kept = existing.domains;
    for domain in &mut protocol.domains {
        // Upstream's words go before our own come back.
        comments::take(domain);
        let path = out.join("domains").join(format!("{}.pdl", domain.name));
        let mut header = Vec::new();
        if let Some(unit) = kept.remove(&path) {
            header = unit.header;
            for mut old in unit.domains {
                if old.name == domain.name {
                    let lost = comments::put(domain, comments::take(&mut old));
                    let warn =
                        |item| format!("{}: the comment on `{item}` is gone with its item", path.display());
                    report.warnings.extend(lost.into_iter().map(warn));
                }
            }
        } else if path.exists() {
            let message = "is in the way: it is not among the files that protocol.pdl includes".to_owned();
            return Err(vec![Error::Source(format!("{}: {message}", path.display()))]);
        }
        files.push((path, pdl::print_domain(&header, domain)));
        includes.push(format!("domains/{}.pdl", domain.name));
    }
    let comment_of = |path: &str| {
        let found = existing.root.includes.iter().find(|include| include.path == path);
        found.map(|include| include.comment.clone()).unwrap_or_default()
    };
    let include_comments: Vec<Vec<String>> = includes.iter().map(|path| comment_of(path)).collect();
    let lines = includes.iter().map(String::as_str).zip(include_comments.iter().map(Vec::as_slice));
    let root = pdl::print_root(&existing.root.header, &protocol.version, lines);
    files.push((out.join("protocol.pdl"), root));
    match revision {
        Some(Revision { browser, revision }) => {
            files.push((out.join("REVISION"), format!("browser {browser}\nrevision {revision}\n")));
        }
        None => report.warnings.push(format!(
            "{}: not written, since the source does not name its browser (--browser and --revision do)",
            out.join("REVISION").display()
        )),
    }
    fs::create_dir_all(out.join("domains")).map_err(|error| vec![Error::io(&out.join("domains"), error)])?;
    report.files = files.len();
    for (path, text) in files {
        write_if_changed(&path, &text).map_err(|error| vec![error])?;
    }
    // What is left over was included by the old root and parsed as PDL of a domain: ours to remove.
    for path in kept.into_keys() {
        fs::remove_file(&path).map_err(|error| vec![Error::io(&path, error)])?;
        report.removed.push(path);
    }
    Ok(report)
}

/// Writes `text` to `path`, by way of a file beside it, so that a crash leaves the old text or the new.
///
/// # Errors
///
/// Failed reads and writes.
pub fn write_if_changed(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    fs::write(&beside, text).map_err(|error| Error::io(&beside, error))?;
    fs::rename(&beside, path).map_err(|error| Error::io(path, error))
}

/// What already lies in the output folder.
#[derive(Default)]
struct Existing {
    root: Unit,
    domains: BTreeMap<PathBuf, Unit>,
}

impl Existing {
    /// Reads the root and the files of the `domains` folder that it includes. Any other file there stops
    /// the import if a domain's file would have to replace it.
    fn read(out: &Path) -> Result<Existing, Vec<Error>> {
        let mut existing = Existing::default();
        let root_path = out.join("protocol.pdl");
        let Some(text) = read_optional(&root_path)? else { return Ok(existing) };
        existing.root = pdl::parse(&text, &root_path).map_err(|error| vec![error])?;
        for include in &existing.root.includes {
            let simple = include.path.strip_prefix("domains/").and_then(|name| name.strip_suffix(".pdl"));
            if !simple.is_some_and(pdl::is_name) {
                continue;
            }
            let path = out.join(&include.path);
            if let Some(text) = read_optional(&path)? {
                let unit = pdl::parse(&text, &path).map_err(|error| vec![error])?;
                existing.domains.insert(path, unit);
            }
        }
        Ok(existing)
    }
}

fn read_optional(path: &Path) -> Result<Option<String>, Vec<Error>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(vec![Error::io(path, error)]),
    }
}
