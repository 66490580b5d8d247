//! The table of changes: which ones break a caller, and why.

/// What a change does to a caller; later ones are worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing.
    Fine,
    /// A program that is running does not notice, but its source may no longer compile against the second protocol.
    Source,
    /// What the program did before now fails or goes missing, and perhaps no compiler says so.
    Breaks,
}

impl Effect {
    /// The word for it in tables and in front of a reason.
    pub fn word(self) -> &'static str {
        match self {
            Effect::Fine => "fine",
            Effect::Source => "source",
            Effect::Breaks => "BREAKS",
        }
    }
}

/// Makes [`Rule`] with its table, in the documentation and for programs, out of one list.
macro_rules! rules {
    ($($name:ident: $change:literal, $effect:ident, $reason:literal;)*) => {
        /// A kind of change, with what it does to a caller.
        ///
        /// *Sent* is a parameter, or a property or value of a type that is part of parameters; *received* is a return
        /// value, a member of an event, or part of a type of these. What travels both ways is judged by the worse of
        /// the two.
        ///
        /// | change | effect | reason |
        /// |---|---|---|
        $(#[doc = concat!("| ", $change, " | ", stringify!($effect), " | ", $reason, " |")])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Rule {
            $(#[doc = concat!($change, ": ", $reason, ".")] $name,)*
        }

        impl Rule {
            /// All rules, in the order of the table.
            pub const ALL: &[Rule] = &[$(Rule::$name),*];

            /// The change, the effect and the reason.
            pub fn row(self) -> (&'static str, Effect, &'static str) {
                match self {
                    $(Rule::$name => ($change, Effect::$effect, $reason),)*
                }
            }
        }
    };
}

rules! {
    DomainRemoved: "domain removed", Breaks, "its commands are refused and its events never come";
    DomainAdded: "domain added", Fine, "nothing of it was used";
    VersionChanged: "version changed", Fine, "the changes themselves are told one by one";
    DependsChanged: "dependency added or removed", Fine, "it only says what a domain refers to";
    FlagChanged: "flag experimental or deprecated changed", Fine, "the browser does the same as before; the compiler may warn";
    CommandRemoved: "command removed", Breaks, "the browser refuses it";
    CommandAdded: "command added", Fine, "nobody sends it";
    RedirectChanged: "redirect of a command changed", Fine, "the command is still there";
    EventRemoved: "event removed", Breaks, "it never comes";
    EventAdded: "event added", Fine, "nobody waits for it";
    TypeRemoved: "type removed", Source, "its name is gone; what was of this type is told apart";
    BoxChanged: "type grew over or shrank to five members", Source, "where it may be absent it lies in a box now, or no longer does";
    TypeAdded: "type added", Fine, "nobody names it";
    SentRequiredAdded: "required part of what is sent added", Breaks, "what is sent without it is refused";
    SentOptionalAdded: "optional part of what is sent added", Fine, "it is left out";
    FirstParameterAdded: "first parameter of a command added", Source, "its struct had no members, so its bare name was a value";
    SentRemoved: "part of what is sent removed", Breaks, "the browser silently ignores it";
    SentBecameRequired: "sent: optional became required", Breaks, "what is sent without it is refused";
    SentBecameOptional: "sent: required became optional", Source, "`new` no longer takes it, a setter does";
    ReceivedAdded: "part of what is received added", Fine, "unknown members are passed over";
    FirstReturnAdded: "first return value of a command added", Source, "its result was `()` and is a struct now";
    ReceivedRequiredRemoved: "required part of what is received removed", Breaks, "without it a message does not decode";
    ReceivedOptionalRemoved: "optional or deprecated part of what is received removed", Source, "it stays absent, which callers allow for, and its name is gone";
    ReceivedBecameOptional: "received: required became optional", Breaks, "a message that leaves it out does not decode";
    ReceivedBecameRequired: "received: optional or deprecated became required", Source, "it always comes, and is no longer an `Option`";
    ReceivedBecameDeprecated: "received: required became deprecated", Source, "it still comes, but is an `Option` now, since it may soon be missing";
    ReceivedStaysOption: "received: deprecated, and optional or no longer so", Fine, "it is an `Option` either way";
    SentValueRemoved: "enumeration value that is sent removed", Breaks, "the browser refuses it";
    ReceivedValueRemoved: "enumeration value that is only received removed", Source, "it never comes, and its name is gone";
    ValueAdded: "enumeration value added", Fine, "enumerations are open";
    SentKindChanged: "sent: other kind", Breaks, "what is sent is refused or misread";
    ReceivedKindChanged: "received: other kind", Breaks, "what is received does not decode, or means something else";
    KindFits: "other kind that fits on the wire", Source, "what was valid stays valid, but the Rust type is another";
}

impl Rule {
    /// What a change of this kind does to a caller.
    pub fn effect(self) -> Effect {
        self.row().1
    }

    /// Why.
    pub fn reason(self) -> &'static str {
        self.row().2
    }

    /// The one of two that is worse for a caller; the first where they are equal.
    pub(super) fn or_worse(self, other: Rule) -> Rule {
        if other.effect() > self.effect() { other } else { self }
    }
}
