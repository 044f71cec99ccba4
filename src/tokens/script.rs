//! What a text is made of, as far as it affects how many bytes a token has.

use crate::text::{is_cjk, is_latin};

/// A group of characters whose tokens are about equally long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Letters of Latin scripts.
    Latin,
    /// White space, digits, punctuation. Code has more of these than prose.
    Symbols,
    /// Chinese, Japanese and Korean, with their punctuation.
    Cjk,
    /// Everything else: other scripts, emoji.
    Other,
}

/// All of them, in the order of their numbers.
pub const SCRIPTS: [Script; 4] = [Script::Latin, Script::Symbols, Script::Cjk, Script::Other];

impl Script {
    /// The script of a character.
    pub fn of(character: char) -> Self {
        match character {
            'a'..='z' | 'A'..='Z' => Script::Latin,
            '\0'..='\u{BF}' | '×' | '÷' | '\u{2000}'..='\u{206F}' => Script::Symbols,
            _ if is_latin(character) => Script::Latin,
            _ if is_cjk(character) => Script::Cjk,
            _ => Script::Other,
        }
    }
}

/// How many bytes of a text are of each script, by the number of the script.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScriptBytes(pub [usize; SCRIPTS.len()]);

impl ScriptBytes {
    /// The bytes of each script in a text.
    pub fn of(text: &str) -> Self {
        let mut bytes = ScriptBytes::default();
        for character in text.chars() {
            bytes.0[Script::of(character) as usize] += character.len_utf8();
        }
        bytes
    }

    /// The sum over all scripts.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }
}
