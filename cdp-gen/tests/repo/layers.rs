//! Imports against layers: which `crate::…` and `super::…` paths a file uses, where they lead, and whether that
//! is allowed.

use std::collections::BTreeMap;

use crate::rust_text::{Token, tokens};

/// A source file of a crate: its path below `src` and its text.
pub(crate) type Sources = BTreeMap<String, String>;

/// The layer list of a crate: the block of text below the line "Layers, lowest first" in the docs of its root.
pub(crate) fn layer_list(root: &str) -> Option<Vec<String>> {
    let docs = root.lines().filter_map(|line| line.trim().strip_prefix("//!")).map(str::trim);
    let block = docs.skip_while(|line| !line.contains("Layers, lowest first")).skip(1);
    let block =
        block.skip_while(|line| !line.starts_with("```text")).skip(1).take_while(|line| *line != "```");
    let layers: Vec<String> = block
        .filter_map(|line| line.split_whitespace().next())
        .map(|name| name.trim_end_matches('/').to_owned())
        .collect();
    if layers.is_empty() { None } else { Some(layers) }
}

/// What is wrong with the imports of one crate; `sources` holds its `src` folder.
pub(crate) fn check(sources: &Sources) -> Vec<String> {
    let mut faults = Vec::new();
    let others = || sources.keys().filter(|path| !matches!(path.as_str(), "lib.rs" | "main.rs"));
    let Some(layers) = sources.get("lib.rs").and_then(|root| layer_list(root)) else {
        if others().next().is_some() {
            faults.push("lib.rs: expected a list headed \"Layers, lowest first\"".to_owned());
        }
        return faults;
    };
    let files: Vec<Vec<String>> = sources.keys().map(|path| module(path)).collect();
    for layer in &layers {
        let path: Vec<String> = layer.split('/').map(str::to_owned).collect();
        if !files.iter().any(|file| file.starts_with(&path)) && !sources.contains_key(&format!("{layer}.rs"))
        {
            faults.push(format!("lib.rs: the layer `{layer}` has no file"));
        }
    }
    for path in others() {
        if layer_of(&layers, &module(path)).is_none() {
            faults.push(format!("{path}: stands in no layer"));
        }
    }
    let names = Names::new(sources);
    let mut edges: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for path in others() {
        let from = module(path);
        for import in imports(&sources[path], &from) {
            let target = names.resolve(&import.path);
            let Some(here) = layer_of(&layers, &from) else { continue };
            match layer_of(&layers, &target) {
                Some(there) if there > here => faults.push(format!(
                    "{path}:{}: `{}` is above `{}` and must not be imported",
                    import.line, layers[there], layers[here]
                )),
                Some(_) => {
                    if let Some(file) = names.file(&target).filter(|file| file != path) {
                        edges.entry(path).or_default().push(file);
                    }
                }
                None => faults.push(format!(
                    "{path}:{}: `crate::{}` leads to no layer",
                    import.line,
                    import.path.join("::")
                )),
            }
        }
    }
    faults.extend(cycles(&edges));
    faults
}

/// The module of the file at `path` below `src`.
fn module(path: &str) -> Vec<String> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
}

/// The number of the layer with the longest name that `path` starts with.
fn layer_of(layers: &[String], path: &[String]) -> Option<usize> {
    let matching = layers.iter().enumerate().filter(|(_, layer)| {
        let parts: Vec<&str> = layer.split('/').collect();
        path.len() >= parts.len() && parts.iter().zip(path).all(|(a, b)| a == b)
    });
    matching.max_by_key(|(_, layer)| layer.len()).map(|(i, _)| i)
}

/// One path inside the crate, from its root.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) path: Vec<String>,
    pub(crate) line: usize,
}

/// All paths that begin with `crate`, `self` or `super`, in imports with or without braces and anywhere else.
pub(crate) fn imports(source: &str, module: &[String]) -> Vec<Import> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    // Inline modules around the current token, with the depth of braces at which they end.
    let mut inline: Vec<(String, usize)> = Vec::new();
    let mut depth = 0;
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        let at = |n: usize| tokens.get(i + n).map(|t| t.text.as_str());
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inline.retain(|(_, end)| *end <= depth);
            }
            "mod" if at(2) == Some("{") => inline.push((tokens[i + 1].text.clone(), depth + 1)),
            // `$crate` in a macro and `self.field` are no such path.
            "crate" | "super" | "self" if at(1) == Some("::") && (i == 0 || tokens[i - 1].text != "::") => {
                let mut base = module.to_vec();
                base.extend(inline.iter().map(|(name, _)| name.clone()));
                i = path(&tokens, i, &base, &mut found);
                continue;
            }
            _ => {}
        }
        i += 1;
    }
    found
}

/// Reads the path or tree of paths at `i`, relative to `base`; gives back the index behind it.
fn path(tokens: &[Token], mut i: usize, base: &[String], found: &mut Vec<Import>) -> usize {
    let line = tokens.get(i).map_or(0, |token| token.line);
    let mut path = base.to_vec();
    loop {
        match tokens.get(i).map(|t| t.text.as_str()) {
            Some("crate") => path.clear(),
            Some("super") => drop(path.pop()),
            Some("self") => {}
            Some("*") => {
                found.push(Import { path, line });
                return i + 1;
            }
            Some("{") => {
                i += 1;
                while let Some(token) = tokens.get(i) {
                    match token.text.as_str() {
                        "}" => return i + 1,
                        "," => i += 1,
                        _ => i = self::path(tokens, i, &path, found),
                    }
                }
                return i;
            }
            Some(word) if is_word(word) => path.push(word.to_owned()),
            _ => return i + 1,
        }
        if tokens.get(i + 1).is_some_and(|t| t.text == "::") {
            i += 2;
            continue;
        }
        found.push(Import { path, line });
        i += 1;
        // `as name` belongs to the path.
        return if tokens.get(i).is_some_and(|t| t.text == "as") { i + 2 } else { i };
    }
}

fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// What names re-exported by the crate's root or by a folder's `mod.rs` stand for, and where macros are.
struct Names<'a> {
    sources: &'a Sources,
    reexports: BTreeMap<Vec<String>, Vec<String>>,
}

impl<'a> Names<'a> {
    fn new(sources: &'a Sources) -> Names<'a> {
        let mut reexports = BTreeMap::new();
        for (path, source) in sources {
            let from = module(path);
            if path == "lib.rs" || path.ends_with("/mod.rs") {
                let text =
                    source.replace("pub use ", "pub use self::").replace("pub(crate) use ", "pub use self::");
                for import in imports(&text.replace("self::self::", "self::"), &from) {
                    if let Some(name) = import.path.last() {
                        let mut name_here = from.clone();
                        name_here.push(name.clone());
                        reexports.insert(name_here, import.path);
                    }
                }
            }
            let tokens = tokens(source);
            for pair in tokens.windows(3).filter(|w| w[0].text == "macro_rules" && w[1].text == "!") {
                reexports.insert(vec![pair[2].text.clone()], from.clone());
            }
        }
        Names { sources, reexports }
    }

    /// Follows re-exports from the front of the path on.
    fn resolve(&self, path: &[String]) -> Vec<String> {
        let mut path = path.to_vec();
        for _ in 0..8 {
            let Some((n, target)) = (1..=path.len()).find_map(|n| Some((n, self.reexports.get(&path[..n])?)))
            else {
                break;
            };
            let next: Vec<String> = target.iter().chain(&path[n..]).cloned().collect();
            if next == path {
                break;
            }
            path = next;
        }
        path
    }

    /// The file that holds the module or item at `path`, unless it is a `mod.rs`, which only re-exports.
    fn file(&self, path: &[String]) -> Option<String> {
        let candidates = (1..=path.len()).rev().map(|n| path[..n].join("/"));
        candidates.map(|name| format!("{name}.rs")).find(|name| self.sources.contains_key(name))
    }
}

/// One message for each file that imports itself through others.
fn cycles(edges: &BTreeMap<&str, Vec<String>>) -> Vec<String> {
    let mut faults = Vec::new();
    for start in edges.keys() {
        let mut open: Vec<Vec<&str>> = vec![vec![start]];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(way) = open.pop() {
            for next in edges.get(way[way.len() - 1]).into_iter().flatten() {
                // Each cycle once: by the first of its files.
                if next == start && way.iter().all(|file| file >= start) {
                    faults.push(format!("{}: imports go in a circle: {} → {start}", start, way.join(" → ")));
                    seen.extend(edges.keys().copied());
                } else if seen.insert(next.as_str()) {
                    open.push(way.iter().copied().chain([next.as_str()]).collect());
                }
            }
        }
    }
    faults
}
