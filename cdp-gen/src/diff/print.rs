//! The text of a difference: a line a change, grouped by domain, and a line with the counts.

use std::collections::BTreeSet;
use std::fmt;

use super::compare::{Change, ChangeKind, Diff};
use super::rules::Effect;

impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut last = None;
        for change in &self.changes {
            if last != Some(&change.domain) {
                let heading = if change.domain.is_empty() { "protocol" } else { &change.domain };
                writeln!(f, "{heading}")?;
                last = Some(&change.domain);
            }
            writeln!(f, "  {change}")?;
        }
        f.write_str(&self.summary())
    }
}

impl Diff {
    /// The line with the counts, for example `3 domains, 41 changes, 7 break callers, 2 need other source`.
    pub fn summary(&self) -> String {
        if self.changes.is_empty() {
            return "no difference".to_owned();
        }
        let domains: BTreeSet<&str> = self.changes.iter().map(|change| change.domain.as_str()).collect();
        let mut text = format!(
            "{}, {}, {}",
            count(domains.iter().filter(|name| !name.is_empty()).count(), "domain", "domains"),
            count(self.changes.len(), "change", "changes"),
            count(self.count(Effect::Breaks), "breaks callers", "break callers"),
        );
        let source = self.count(Effect::Source);
        if source > 0 {
            text += &format!(", {}", count(source, "needs other source", "need other source"));
        }
        text
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let item = &self.item;
        match &self.what {
            ChangeKind::Added(text) => detail(f, '+', item, text.trim_end())?,
            ChangeKind::Removed(text) => detail(f, '-', item, text.trim_end())?,
            ChangeKind::Changed { from, to } => write!(f, "~ {item}: {from} -> {to}")?,
            ChangeKind::Became(text) => write!(f, "~ {item}: {text}")?,
        }
        match self.rule.effect() {
            Effect::Fine => Ok(()),
            effect => write!(f, "  [{}: {}]", effect.word(), self.rule.reason()),
        }
    }
}

fn detail(f: &mut fmt::Formatter<'_>, sign: char, item: &str, text: &str) -> fmt::Result {
    if text.is_empty() { write!(f, "{sign} {item}") } else { write!(f, "{sign} {item} ({text})") }
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
