//! Reads a root PDL file with everything it includes, or a folder of root files, into one protocol.

use std::path::{Component, Path, PathBuf};

use super::parse::{Unit, parse};
use crate::error::Error;
use crate::model::{Domain, Protocol, Revision, Version};

/// A protocol together with the files it was read from.
#[derive(Debug)]
pub struct Loaded {
    /// The protocol.
    pub protocol: Protocol,
    /// Every file read, the root first.
    pub files: Vec<PathBuf>,
    /// What the file `REVISION` beside them says, if there is one.
    pub revision: Option<Revision>,
}

/// Reads `root` and what it includes.
///
/// # Errors
///
/// Files that can't be read, broken PDL, a file that includes itself, a missing `version`.
pub fn load(root: &Path) -> Result<Loaded, Error> {
    let mut loader = Loader::default();
    loader.file(root, &mut Vec::new())?;
    loader.finish()
}

/// Reads the folder `dir`: its `protocol.pdl` where there is one, otherwise every `*.pdl` that lies
/// directly in it (the public protocol repository publishes two root files side by side).
///
/// # Errors
///
/// As [`load`], a folder without any `.pdl` file, and a `REVISION` that lacks a line.
pub fn load_dir(dir: &Path) -> Result<Loaded, Error> {
    let mut loaded = load_roots(dir)?;
    let file = dir.join("REVISION");
    if file.is_file() {
        let text = std::fs::read_to_string(&file).map_err(|error| Error::io(&file, error))?;
        let behind = |key: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
            value.filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let (Some(browser), Some(revision)) = (behind("browser "), behind("revision ")) else {
            return Err(Error::Source(format!(
                "{}: expected a line `browser <version>` and a line `revision <id>`",
                file.display()
            )));
        };
        loaded.revision = Some(Revision { browser, revision });
        loaded.files.push(file);
    }
    Ok(loaded)
}

fn load_roots(dir: &Path) -> Result<Loaded, Error> {
    let root = dir.join("protocol.pdl");
    if root.is_file() {
        return load(&root);
    }
    let mut roots = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(|error| Error::io(dir, error))? {
        let path = entry.map_err(|error| Error::io(dir, error))?.path();
        if path.extension().is_some_and(|e| e == "pdl") && path.is_file() {
            roots.push(path);
        }
    }
    if roots.is_empty() {
        return Err(Error::Source(format!(
            "{}: expected `protocol.pdl` or other `.pdl` files in this folder, found none",
            dir.display()
        )));
    }
    roots.sort();
    let mut loader = Loader::default();
    for root in &roots {
        loader.file(root, &mut Vec::new())?;
    }
    loader.finish()
}

/// Joins the domains of several protocols, which must agree on the version.
///
/// # Errors
///
/// Different versions, or none at all.
pub fn merge(parts: Vec<Protocol>) -> Result<Protocol, Error> {
    let mut parts = parts.into_iter();
    let Some(mut whole) = parts.next() else {
        return Err(Error::Source("expected at least one protocol, found none".to_owned()));
    };
    for part in parts {
        if part.version != whole.version {
            return Err(Error::Source(format!(
                "expected one protocol version, found {}.{} and {}.{}",
                whole.version.major, whole.version.minor, part.version.major, part.version.minor
            )));
        }
        whole.domains.extend(part.domains);
    }
    Ok(whole)
}

#[derive(Default)]
struct Loader {
    version: Option<Version>,
    domains: Vec<Domain>,
    files: Vec<PathBuf>,
}

impl Loader {
    fn file(&mut self, path: &Path, above: &mut Vec<PathBuf>) -> Result<(), Error> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
        let unit = parse(&text, path)?;
        self.files.push(path.to_owned());
        above.push(path.to_owned());
        let result = self.unit(unit, path, above);
        above.pop();
        result
    }

    fn unit(&mut self, unit: Unit, path: &Path, above: &mut Vec<PathBuf>) -> Result<(), Error> {
        if let Some((version, place)) = unit.version {
            match &self.version {
                Some(other) if *other != version => {
                    return Err(Error::at(
                        &place,
                        format!("expected version {}.{} as in the files before", other.major, other.minor),
                    ));
                }
                _ => self.version = Some(version),
            }
        }
        self.domains.extend(unit.domains);
        let folder = path.parent().unwrap_or(Path::new(""));
        for include in &unit.includes {
            let relative = Path::new(&include.path);
            // A description from elsewhere must not read files outside its own folder.
            if relative.components().any(|part| !matches!(part, Component::Normal(_))) {
                let message =
                    format!("expected a path below the including file's folder, found `{}`", include.path);
                return Err(Error::at(&include.place, message));
            }
            let target = folder.join(relative);
            if above.contains(&target) {
                let message = format!("expected no file to include itself, but `{}` does", include.path);
                return Err(Error::at(&include.place, message));
            }
            self.file(&target, above).map_err(|error| match error {
                Error::Io { path, source, included_at: None } => {
                    Error::Io { path, source, included_at: Some(include.place.clone()) }
                }
                other => other,
            })?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Loaded, Error> {
        let Some(version) = self.version else {
            let root = self.files.first().map(|f| f.display().to_string()).unwrap_or_default();
            return Err(Error::Source(format!(
                "{root}: expected `version` with `major` and `minor`, found none"
            )));
        };
        let protocol = Protocol { version, domains: self.domains };
        Ok(Loaded { protocol, files: self.files, revision: None })
    }
}
