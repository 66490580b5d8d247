//! The roles of ARIA by name: each variant is the name with a capital. Which element has which role is decided in the page.

use std::fmt;

/// Lists every role once: the variant, its name in ARIA, and what HTML has it.
macro_rules! roles {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal,)*) => {
        /// What an element is for a person who cannot see it: its ARIA role, given by the page or implied by HTML.
        ///
        /// Each variant is spelt as in ARIA, with a capital. A role alone is a query; with a name or a state it becomes a [`RoleQuery`](crate::RoleQuery):
        ///
        /// ```
        /// use engine::Role;
        ///
        /// let pay = Role::Button.named("Pay");
        /// let title = Role::Heading.level(1);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Role {
            $($(#[doc = $doc])* $variant,)*
        }

        impl Role {
            /// Every role.
            pub const ALL: &'static [Role] = &[$(Role::$variant,)*];

            /// The role as ARIA writes it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Role::$variant => $name,)*
                }
            }
        }
    };
}

roles! {
    /// An urgent message.
    Alert = "alert",
    /// A dialog that holds an urgent message.
    Alertdialog = "alertdialog",
    /// A region that handles its own keys.
    Application = "application",
    /// `<article>`.
    Article = "article",
    /// The header of the page: `<header>` outside of sections.
    Banner = "banner",
    /// `<blockquote>`.
    Blockquote = "blockquote",
    /// `<button>`, buttons made of `<input>`, and file inputs.
    Button = "button",
    /// `<caption>`.
    Caption = "caption",
    /// `<td>`.
    Cell = "cell",
    /// `<input type=checkbox>`.
    Checkbox = "checkbox",
    /// `<code>`.
    Code = "code",
    /// `<th>` of a column.
    Columnheader = "columnheader",
    /// `<select>` with one visible line, and inputs with a list.
    Combobox = "combobox",
    /// `<aside>`.
    Complementary = "complementary",
    /// The footer of the page: `<footer>` outside of sections.
    Contentinfo = "contentinfo",
    /// `<dd>`.
    Definition = "definition",
    /// `<del>`.
    Deletion = "deletion",
    /// `<dialog>`.
    Dialog = "dialog",
    /// A table of contents (deprecated).
    Directory = "directory",
    /// The document itself: `<html>`.
    Document = "document",
    /// `<em>`.
    Emphasis = "emphasis",
    /// A list of articles that grows.
    Feed = "feed",
    /// `<figure>`.
    Figure = "figure",
    /// `<form>` with a name.
    Form = "form",
    /// An element without a meaning of its own, if it says so.
    Generic = "generic",
    /// A table whose cells take the focus.
    Grid = "grid",
    /// A cell of a grid.
    Gridcell = "gridcell",
    /// `<fieldset>`, `<details>`, `<optgroup>`.
    Group = "group",
    /// `<h1>` to `<h6>`; see [`RoleQuery::level`](super::RoleQuery::level).
    Heading = "heading",
    /// `<img>` and `<svg>`.
    Img = "img",
    /// `<ins>`.
    Insertion = "insertion",
    /// `<a href>`.
    Link = "link",
    /// `<ul>`, `<ol>`, `<menu>`.
    List = "list",
    /// `<select>` with several visible lines, and `<datalist>`.
    Listbox = "listbox",
    /// `<li>`.
    Listitem = "listitem",
    /// Messages in order of arrival.
    Log = "log",
    /// `<main>`.
    Main = "main",
    /// `<mark>`.
    Mark = "mark",
    /// Information that changes often.
    Marquee = "marquee",
    /// `<math>`.
    Math = "math",
    /// A menu of commands.
    Menu = "menu",
    /// A menu that stays visible.
    Menubar = "menubar",
    /// A command of a menu.
    Menuitem = "menuitem",
    /// A command of a menu that is on or off.
    Menuitemcheckbox = "menuitemcheckbox",
    /// A command of a menu, one of several.
    Menuitemradio = "menuitemradio",
    /// `<meter>`.
    Meter = "meter",
    /// `<nav>`.
    Navigation = "navigation",
    /// No meaning at all; the same as `Presentation`.
    None = "none",
    /// A remark.
    Note = "note",
    /// `<option>`.
    Option = "option",
    /// `<p>`.
    Paragraph = "paragraph",
    /// No meaning at all; images with an empty `alt`.
    Presentation = "presentation",
    /// `<progress>`.
    Progressbar = "progressbar",
    /// `<input type=radio>`.
    Radio = "radio",
    /// A group of radio buttons.
    Radiogroup = "radiogroup",
    /// `<section>` with a name.
    Region = "region",
    /// `<tr>`.
    Row = "row",
    /// `<tbody>`, `<thead>`, `<tfoot>`.
    Rowgroup = "rowgroup",
    /// `<th>` of a row.
    Rowheader = "rowheader",
    /// A scroll bar made by the page.
    Scrollbar = "scrollbar",
    /// `<search>`.
    Search = "search",
    /// `<input type=search>`.
    Searchbox = "searchbox",
    /// `<hr>`.
    Separator = "separator",
    /// `<input type=range>`.
    Slider = "slider",
    /// `<input type=number>`.
    Spinbutton = "spinbutton",
    /// `<output>`, and messages that are not urgent.
    Status = "status",
    /// `<strong>`.
    Strong = "strong",
    /// `<sub>`.
    Subscript = "subscript",
    /// `<sup>`.
    Superscript = "superscript",
    /// A control that is on or off.
    Switch = "switch",
    /// A tab of a tab list.
    Tab = "tab",
    /// `<table>`.
    Table = "table",
    /// A list of tabs.
    Tablist = "tablist",
    /// What a tab shows.
    Tabpanel = "tabpanel",
    /// `<dfn>`, `<dt>`.
    Term = "term",
    /// `<input>` of text kinds, `<textarea>`.
    Textbox = "textbox",
    /// `<time>`.
    Time = "time",
    /// A clock or countdown.
    Timer = "timer",
    /// A group of controls.
    Toolbar = "toolbar",
    /// A tooltip.
    Tooltip = "tooltip",
    /// A list whose items open.
    Tree = "tree",
    /// A grid whose rows open.
    Treegrid = "treegrid",
    /// An item of a tree.
    Treeitem = "treeitem",
}

/// Written as in Rust: `Role::Button`.
impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Role::{self:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_its_own_aria_name() {
        let mut names: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase())));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Role::ALL.len());
        assert_eq!(names.len(), 83);
    }

    #[test]
    fn the_page_knows_the_same_roles() {
        let script = crate::js::source();
        let list = script.split_once("const ROLES = setOf(").and_then(|(_, rest)| rest.split_once(");"));
        let (list, _) = list.expect("the list of roles in roles.js");
        let known: Vec<&str> =
            list.split(|c: char| !c.is_ascii_lowercase()).filter(|word| !word.is_empty()).collect();
        let ours: Vec<&str> = Role::ALL.iter().map(|role| role.as_str()).collect();
        assert_eq!(known, ours);
    }
}
