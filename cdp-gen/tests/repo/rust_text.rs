//! Cuts Rust source into words and signs, without comments, strings and characters. Enough to find paths and
//! keywords; not a parser.

/// A word or a sign with the line it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// The tokens of `source`. `::` is one token, any other sign is one a character.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let mut scanner = Scanner { chars: source.chars().collect(), pos: 0, line: 1, tokens: Vec::new() };
    scanner.run();
    scanner.tokens
}

struct Scanner {
    chars: Vec<char>,
    pos: usize,
    line: usize,
    tokens: Vec<Token>,
}

impl Scanner {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.pos + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.pos += 1;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn push(&mut self, text: String, line: usize) {
        self.tokens.push(Token { text, line });
    }

    fn run(&mut self) {
        while let Some(c) = self.peek(0) {
            let line = self.line;
            match c {
                '/' if self.peek(1) == Some('/') => while self.next().is_some_and(|c| c != '\n') {},
                '/' if self.peek(1) == Some('*') => self.block_comment(),
                '"' => self.string(),
                '\'' => self.character_or_lifetime(),
                ':' if self.peek(1) == Some(':') => {
                    self.pos += 2;
                    self.push("::".to_owned(), line);
                }
                c if c.is_alphabetic() || c == '_' => self.word(),
                c if c.is_ascii_digit() => {
                    while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_') {
                        self.pos += 1;
                    }
                }
                c => {
                    self.next();
                    if !c.is_whitespace() {
                        self.push(c.to_string(), line);
                    }
                }
            }
        }
    }

    fn word(&mut self) {
        let (start, line) = (self.pos, self.line);
        while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_') {
            self.pos += 1;
        }
        let word: String = self.chars[start..self.pos].iter().collect();
        let hashes = (0..).take_while(|&i| self.peek(i) == Some('#')).count();
        match word.as_str() {
            // `r#type` is a word, `r#"…"#` a string.
            "r" | "br" | "cr" if self.peek(hashes) == Some('"') => self.raw_string(hashes),
            "r" if hashes == 1 => {
                self.pos += 1;
                self.word();
            }
            "b" | "c" if self.peek(0) == Some('"') => self.string(),
            "b" if self.peek(0) == Some('\'') => self.character_or_lifetime(),
            _ => self.push(word, line),
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while let Some(c) = self.next() {
            match (c, self.peek(0)) {
                ('/', Some('*')) => depth += 1,
                ('*', Some('/')) => depth -= 1,
                _ => continue,
            }
            self.next();
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.next();
        while let Some(c) = self.next() {
            match c {
                '\\' => drop(self.next()),
                '"' => return,
                _ => {}
            }
        }
    }

    fn raw_string(&mut self, hashes: usize) {
        self.pos += hashes + 1;
        while let Some(c) = self.next() {
            if c == '"' && (0..hashes).all(|i| self.peek(i) == Some('#')) {
                self.pos += hashes;
                return;
            }
        }
    }

    fn character_or_lifetime(&mut self) {
        self.next();
        if self.peek(0) == Some('\\') {
            self.pos += 2;
            while self.next().is_some_and(|c| c != '\'') {}
        } else if self.peek(1) == Some('\'') {
            self.next();
            self.next();
        }
        // Otherwise a lifetime, whose name reads as a word and does no harm.
    }
}

#[test]
fn comments_strings_and_characters_are_no_words() {
    let source = r##"a /* unsafe /* x */ y */ "un\"safe" r#"x" unsafe"# b'\'' '"' 'c' b"q" // unsafe
        &'static c::r#type 1_000u8 '\u{41}'"##;
    let words: Vec<String> = tokens(source).into_iter().map(|token| token.text).collect();
    assert_eq!(words, ["a", "&", "static", "c", "::", "type"]);
    assert_eq!(tokens("a\n\"\n\"\nb")[1].line, 4);
}
