//! A role with what else is asked of the element: name, description, states.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{Role, TextMatch};

/// A state that is on, off, or neither.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Toggle {
    /// Checked or pressed.
    On,
    /// Not checked or not pressed.
    Off,
    /// Partly, as the box above a half-checked list.
    Mixed,
}

impl From<bool> for Toggle {
    fn from(on: bool) -> Toggle {
        if on { Toggle::On } else { Toggle::Off }
    }
}

impl Serialize for Toggle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Toggle::On => serializer.serialize_bool(true),
            Toggle::Off => serializer.serialize_bool(false),
            Toggle::Mixed => serializer.serialize_str("mixed"),
        }
    }
}

/// Written as the argument that makes it.
impl fmt::Display for Toggle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Toggle::On => "true",
            Toggle::Off => "false",
            Toggle::Mixed => "Toggle::Mixed",
        })
    }
}

/// A role and what else is asked of the element; made by the methods of [`Role`].
///
/// A state that the role cannot have is an error of the first use, which lists the roles that can.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoleQuery {
    #[serde(serialize_with = "role_name")]
    role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<TextMatch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<TextMatch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checked: Option<Toggle>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pressed: Option<Toggle>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selected: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expanded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled: Option<bool>,
    #[serde(skip_serializing_if = "is_false")]
    include_hidden: bool,
}

impl RoleQuery {
    /// Any element with the role.
    #[must_use]
    pub const fn new(role: Role) -> RoleQuery {
        RoleQuery {
            role,
            name: None,
            description: None,
            checked: None,
            pressed: None,
            selected: None,
            expanded: None,
            level: None,
            disabled: None,
            include_hidden: false,
        }
    }

    /// With this accessible name: what a screen reader would say. White space is collapsed.
    #[must_use]
    pub fn named(mut self, name: impl Into<TextMatch>) -> RoleQuery {
        self.name = Some(name.into());
        self
    }

    /// With this accessible description.
    #[must_use]
    pub fn described(mut self, description: impl Into<TextMatch>) -> RoleQuery {
        self.description = Some(description.into());
        self
    }

    /// Checked (`true`), not checked (`false`) or [`Toggle::Mixed`]: check boxes, radio buttons, switches, options,
    /// tree items, checkable menu items.
    #[must_use]
    pub fn checked(mut self, checked: impl Into<Toggle>) -> RoleQuery {
        self.checked = Some(checked.into());
        self
    }

    /// Pressed (`true`), not pressed (`false`) or [`Toggle::Mixed`]: buttons.
    #[must_use]
    pub fn pressed(mut self, pressed: impl Into<Toggle>) -> RoleQuery {
        self.pressed = Some(pressed.into());
        self
    }

    /// Selected or not: options, tabs, rows, cells of a grid, headers of rows and columns, tree items.
    #[must_use]
    pub const fn selected(mut self, selected: bool) -> RoleQuery {
        self.selected = Some(selected);
        self
    }

    /// Expanded or collapsed. A control that says neither matches neither.
    #[must_use]
    pub const fn expanded(mut self, expanded: bool) -> RoleQuery {
        self.expanded = Some(expanded);
        self
    }

    /// Of this level, from 1: headings, list items, rows, tree items.
    #[must_use]
    pub const fn level(mut self, level: u32) -> RoleQuery {
        self.level = Some(level);
        self
    }

    /// Disabled or enabled, natively or by ARIA.
    #[must_use]
    pub const fn disabled(mut self, disabled: bool) -> RoleQuery {
        self.disabled = Some(disabled);
        self
    }

    /// Also elements that are hidden from the accessibility tree.
    #[must_use]
    pub const fn include_hidden(mut self) -> RoleQuery {
        self.include_hidden = true;
        self
    }

    /// The role.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.role
    }
}

impl From<Role> for RoleQuery {
    fn from(role: Role) -> RoleQuery {
        RoleQuery::new(role)
    }
}

/// Written as the Rust expression that makes it: `Role::Button.named("Pay")`.
impl fmt::Display for RoleQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.role)?;
        let states: [(&str, Option<&dyn fmt::Display>); 8] = [
            ("named", self.name.as_ref().map(|value| value as _)),
            ("described", self.description.as_ref().map(|value| value as _)),
            ("checked", self.checked.as_ref().map(|value| value as _)),
            ("pressed", self.pressed.as_ref().map(|value| value as _)),
            ("selected", self.selected.as_ref().map(|value| value as _)),
            ("expanded", self.expanded.as_ref().map(|value| value as _)),
            ("level", self.level.as_ref().map(|value| value as _)),
            ("disabled", self.disabled.as_ref().map(|value| value as _)),
        ];
        for (method, value) in states {
            if let Some(value) = value {
                write!(f, ".{method}({value})")?;
            }
        }
        if self.include_hidden { f.write_str(".include_hidden()") } else { Ok(()) }
    }
}

fn role_name<S: Serializer>(role: &Role, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(role.as_str())
}

// The signature is serde's.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !value
}

impl Role {
    /// With this accessible name.
    #[must_use]
    pub fn named(self, name: impl Into<TextMatch>) -> RoleQuery {
        RoleQuery::new(self).named(name)
    }

    /// With this accessible description.
    #[must_use]
    pub fn described(self, description: impl Into<TextMatch>) -> RoleQuery {
        RoleQuery::new(self).described(description)
    }

    /// Checked, not checked, or neither; see [`RoleQuery::checked`].
    #[must_use]
    pub fn checked(self, checked: impl Into<Toggle>) -> RoleQuery {
        RoleQuery::new(self).checked(checked)
    }

    /// Pressed or not; see [`RoleQuery::pressed`].
    #[must_use]
    pub fn pressed(self, pressed: impl Into<Toggle>) -> RoleQuery {
        RoleQuery::new(self).pressed(pressed)
    }

    /// Selected or not; see [`RoleQuery::selected`].
    #[must_use]
    pub const fn selected(self, selected: bool) -> RoleQuery {
        RoleQuery::new(self).selected(selected)
    }

    /// Expanded or collapsed; see [`RoleQuery::expanded`].
    #[must_use]
    pub const fn expanded(self, expanded: bool) -> RoleQuery {
        RoleQuery::new(self).expanded(expanded)
    }

    /// Of this level; see [`RoleQuery::level`].
    #[must_use]
    pub const fn level(self, level: u32) -> RoleQuery {
        RoleQuery::new(self).level(level)
    }

    /// Disabled or enabled.
    #[must_use]
    pub const fn disabled(self, disabled: bool) -> RoleQuery {
        RoleQuery::new(self).disabled(disabled)
    }

    /// Also where people with a screen reader would not meet it.
    #[must_use]
    pub const fn include_hidden(self) -> RoleQuery {
        RoleQuery::new(self).include_hidden()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_queries_are_written_for_people_and_for_the_page() {
        const TITLE: RoleQuery = Role::Heading.level(1).include_hidden();
        let cases = [
            (RoleQuery::from(Role::Link), "Role::Link", r#"{"role":"link"}"#),
            (
                TITLE,
                "Role::Heading.level(1).include_hidden()",
                r#"{"role":"heading","level":1,"includeHidden":true}"#,
            ),
            (
                Role::Button.named(TextMatch::exact("Pay")).pressed(true).disabled(false),
                r#"Role::Button.named(TextMatch::exact("Pay")).pressed(true).disabled(false)"#,
                r#"{"role":"button","name":{"text":"Pay","exact":true},"pressed":true,"disabled":false}"#,
            ),
            (
                Role::Checkbox.checked(Toggle::Mixed).described("all"),
                r#"Role::Checkbox.described("all").checked(Toggle::Mixed)"#,
                r#"{"role":"checkbox","description":{"text":"all","exact":false},"checked":"mixed"}"#,
            ),
            (
                Role::Tab.selected(true).expanded(false),
                "Role::Tab.selected(true).expanded(false)",
                r#"{"role":"tab","selected":true,"expanded":false}"#,
            ),
        ];
        for (query, shown, json) in cases {
            assert_eq!(query.to_string(), shown);
            assert_eq!(serde_json::to_string(&query).expect("serialises"), json);
        }
    }
}
