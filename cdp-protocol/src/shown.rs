//! Texts of the peer in errors and logs: on one line and readable from left to right, whatever they hold.

/// How much of one is shown where its beginning is enough, in characters.
const ENOUGH: usize = 200;

/// A text of the peer on one line. Control characters go, as do those that end a line or turn the direction of writing.
pub(crate) fn one_line(text: &str) -> String {
    let is_harmless = |c: &char| {
        !c.is_control()
            && !matches!(c, '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().filter(is_harmless).collect()
}

/// The beginning of a text of the peer, on one line.
pub(crate) fn shown(text: &str) -> String {
    let beginning: String = one_line(text).trim_start().chars().take(ENOUGH).collect();
    beginning.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_shown_text_ends_a_line_or_turns_its_direction() {
        let text = " a\r\n\tb\u{1b}[31m\u{7f}\u{85}\u{2028}\u{2029}\u{202E}\u{2066}\u{200F} größer 😀 \0";
        assert_eq!(one_line(text), " ab[31m größer 😀 ");
        assert_eq!(shown(text), "ab[31m größer 😀");
        assert_eq!(shown(&"é ".repeat(1000)).chars().count(), 199);
    }
}
