//! Gives every item of a domain its Rust name, so that references to it can be printed before it is.

use std::collections::{HashMap, VecDeque};

use crate::model::{Domain, Field, Inline, Shape};
use crate::names::{Scope, camel};

/// The Rust names of one domain's items, in the order of declaration.
#[derive(Debug)]
pub(super) struct ItemNames {
    /// Declared types.
    pub(super) types: Vec<String>,
    /// Commands.
    pub(super) commands: Vec<CommandNames>,
    /// Events.
    pub(super) events: Vec<String>,
    /// What is declared in place, by the struct they belong to and the field's name on the wire.
    inline: HashMap<(String, String), String>,
}

/// The Rust names of a command.
#[derive(Debug)]
pub(super) struct CommandNames {
    /// The struct of its parameters.
    pub(super) params: String,
    /// The struct of its return values, if it has any.
    pub(super) result: Option<String>,
}

impl ItemNames {
    /// Types keep the plain name; a command, a result or an event that would share it gets a suffix.
    pub(super) fn new(domain: &Domain) -> ItemNames {
        let mut scope = Scope::items();
        let types: Vec<String> =
            domain.types.iter().map(|def| scope.claim(camel(&def.name), "Type")).collect();
        let params: Vec<String> =
            domain.commands.iter().map(|command| scope.claim(camel(&command.name), "Command")).collect();
        let commands: Vec<CommandNames> = domain
            .commands
            .iter()
            .zip(params)
            .map(|(command, params)| {
                let has_result = !command.returns.is_empty();
                let result = has_result.then(|| scope.claim(format!("{params}Result"), "Values"));
                CommandNames { params, result }
            })
            .collect();
        let events = domain.events.iter().map(|event| scope.claim(camel(&event.name), "Event")).collect();
        let mut names = ItemNames { types, commands, events, inline: HashMap::new() };
        names.claim_inline(domain, &mut scope);
        names
    }

    /// The name of what is declared in place in `field` of the struct `owner`.
    pub(super) fn inline(&self, owner: &str, field: &Field) -> &str {
        self.inline.get(&(owner.to_owned(), field.name.clone())).map_or("String", String::as_str)
    }

    fn claim_inline(&mut self, domain: &Domain, scope: &mut Scope) {
        let mut owners: VecDeque<(String, &[Field])> = VecDeque::new();
        for (def, name) in domain.types.iter().zip(&self.types) {
            if let Shape::Object(fields) = &def.shape {
                owners.push_back((name.clone(), fields));
            }
        }
        for (command, names) in domain.commands.iter().zip(&self.commands) {
            owners.push_back((names.params.clone(), &command.parameters));
            owners.extend(names.result.clone().map(|result| (result, command.returns.as_slice())));
        }
        for (event, name) in domain.events.iter().zip(&self.events) {
            owners.push_back((name.clone(), &event.parameters));
        }
        while let Some((owner, fields)) = owners.pop_front() {
            for field in fields {
                let Some(inline) = field.ty.inline() else { continue };
                let name = format!("{owner}{}", camel(&field.name));
                let name = match inline {
                    Inline::Enum(_) => scope.claim(name, "Enum"),
                    Inline::Struct(_) => scope.claim(name, "Object"),
                };
                if let Inline::Struct(fields) = inline {
                    owners.push_back((name.clone(), fields));
                }
                self.inline.insert((owner.clone(), field.name.clone()), name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::pdl;

    #[test]
    fn no_names_of_the_pinned_protocol_meet_so_that_all_can_be_guessed_from_the_rule() {
        let pinned = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pdl");
        let (mut met, mut all) = (Vec::new(), 0);
        for domain in &pdl::load_dir(&pinned).unwrap().protocol.domains {
            let names = ItemNames::new(domain);
            let mut add = |kind: &str, name: &str, rust: &str| {
                all += 1;
                if camel(name) != rust {
                    met.push(format!("{kind} {}.{name} = {rust}", domain.name));
                }
            };
            domain.types.iter().zip(&names.types).for_each(|(def, rust)| add("type", &def.name, rust));
            for (command, rust) in domain.commands.iter().zip(&names.commands) {
                add("command", &command.name, &rust.params);
                if let Some(result) = &rust.result {
                    add("result", &format!("{}Result", rust.params), result);
                }
            }
            domain.events.iter().zip(&names.events).for_each(|(event, rust)| add("event", &event.name, rust));
            for ((owner, field), rust) in &names.inline {
                all += 1;
                if *rust != format!("{owner}{}", camel(field)) {
                    met.push(format!("in place {}.{owner}.{field} = {rust}", domain.name));
                }
            }
        }
        assert!(met.is_empty(), "named beside the rule: {met:?}");
        assert!(all > 1_500, "{all}");
    }
}
