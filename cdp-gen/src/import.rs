//! Writes a protocol as a folder of PDL files: a root, one file per domain, and `REVISION`. Keeps
//! comments of our own, and touches no file that it would not have written itself.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::comments::{self, Comments};
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

impl Report {
    /// Comments on `items` that found no place.
    fn lost(&mut self, domain: &str, items: impl IntoIterator<Item = String>) {
        let warn = |item| format!("domain {domain}: the comment on `{item}` is gone with its item");
        let mut items = Vec::from_iter(items);
        items.sort();
        self.warnings.extend(items.into_iter().map(warn));
    }
}

/// Writes `protocol` into the folder `out`.
///
/// # Errors
///
/// Double declarations and unknown references in the protocol; a file in the way that is not PDL of ours; a revision
/// that is not two words; failed reads and writes. Nothing is written before everything is known to fit.
pub fn write(mut protocol: Protocol, revision: Option<&Revision>, out: &Path) -> Result<Report, Vec<Error>> {
    let mut report = Report::default();
    Index::new(&protocol)?;
    let revision = revision.map(revision_text).transpose().map_err(|error| vec![error])?;
    let mut existing = Existing::read(out)?;
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let mut includes = Vec::new();
    let mut kept = existing.files;
    for domain in &mut protocol.domains {
        // Upstream's words go before our own come back.
        comments::take(domain);
        let path = out.join("domains").join(format!("{}.pdl", domain.name));
        let mut header = Vec::new();
        if let Some(unit) = kept.remove(&path) {
            header = unit.header;
        } else if path.exists() {
            let message = "is in the way: it is not among the files that protocol.pdl includes".to_owned();
            return Err(vec![Error::Source(format!("{}: {message}", path.display()))]);
        }
        let lost = comments::put(domain, existing.comments.remove(&domain.name).unwrap_or_default());
        report.lost(&domain.name, lost);
        files.push((path, pdl::print_domain(&header, domain)));
        includes.push(format!("domains/{}.pdl", domain.name));
    }
    for (domain, comments) in existing.comments {
        report.lost(&domain, comments.into_keys());
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
        Some(text) => files.push((out.join("REVISION"), text)),
        None => {
            let path = out.join("REVISION");
            // What an earlier import wrote there would name the wrong browser.
            let done = match fs::remove_file(&path) {
                Ok(()) => "removed",
                Err(error) if error.kind() == ErrorKind::NotFound => "not written",
                Err(error) => return Err(vec![Error::io(&path, error)]),
            };
            report.warnings.push(format!(
                "{}: {done}, since the source does not name its browser (--browser and --revision do)",
                path.display()
            ));
        }
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

/// The text of the file `REVISION`.
fn revision_text(Revision { browser, revision }: &Revision) -> Result<String, Error> {
    for word in [browser, revision] {
        if word.trim().is_empty() || word.contains(['\r', '\n']) {
            let message = format!("expected a browser and its revision, found `{browser}` and `{revision}`");
            return Err(Error::Source(message));
        }
    }
    Ok(format!("browser {browser}\nrevision {revision}\n"))
}

/// What already lies in the output folder.
#[derive(Default)]
struct Existing {
    root: Unit,
    /// The files of the `domains` folder that the root includes: what an import wrote, and so may replace.
    files: BTreeMap<PathBuf, Unit>,
    /// Comments by the name of the domain, wherever that stands.
    comments: BTreeMap<String, Comments>,
}

impl Existing {
    /// Reads the root and what it includes. A file of the `domains` folder that it does not include stops the import
    /// if a domain's file would have to replace it.
    fn read(out: &Path) -> Result<Existing, Vec<Error>> {
        let mut existing = Existing::default();
        if let Some(root) = existing.unit(&out.join("protocol.pdl"), out, &mut Vec::new())? {
            existing.root = root;
        }
        Ok(existing)
    }

    /// Reads a file, and what it includes; nothing where there is none. `above` are the files that led here.
    fn unit(
        &mut self,
        path: &Path,
        out: &Path,
        above: &mut Vec<PathBuf>,
    ) -> Result<Option<Unit>, Vec<Error>> {
        let Some(text) = read_optional(path)? else { return Ok(None) };
        let unit = pdl::parse(&text, path).map_err(|error| vec![error])?;
        for domain in &unit.domains {
            let comments = comments::take(&mut domain.clone());
            self.comments.entry(domain.name.clone()).or_default().extend(comments);
        }
        above.push(path.to_owned());
        for include in &unit.includes {
            let relative = Path::new(&include.path);
            let target = path.parent().unwrap_or(out).join(relative);
            let below = relative.components().all(|part| matches!(part, Component::Normal(_)));
            if !below || above.contains(&target) {
                continue;
            }
            let Some(included) = self.unit(&target, out, above)? else { continue };
            let name = include.path.strip_prefix("domains/").and_then(|name| name.strip_suffix(".pdl"));
            if above.len() == 1 && name.is_some_and(pdl::is_name) {
                self.files.insert(target, included);
            }
        }
        above.pop();
        Ok(Some(unit))
    }
}

fn read_optional(path: &Path) -> Result<Option<String>, Vec<Error>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(vec![Error::io(path, error)]),
    }
}
