//! The prompt as a string, joined by the engine of its own strings and of ours.
//!
//! 1. Contents that stayed with the caller are strings already: the engine copies them as they
//!    are, while here they would be converted to UTF-8 and back.
//! 2. What stands between them, such as the beginnings of lines, repeats: each different text
//!    becomes a string once.
//! 3. A large text becomes several strings, one after the other, so that there is never a
//!    second copy of it.

use super::border::{Border, Name, Script, Value};
use super::failure::Failure;
use super::scratch;
use crate::render::Sink;
use std::collections::HashMap;

/// Makes `{ prompt, systemFlag }`.
static PROMPT_OUTPUT: Script = Script {
    name: Name::PromptOutput,
    source: "'use strict'; (prompt, systemFlag) => ({ prompt, systemFlag })",
};

/// Makes the same of parts. The tokens, two units each, are the numbers of texts, from 1
/// on; 0 stands for the next content, of which the newest comes first in `contents` and last in
/// the prompt.
static JOINED_OUTPUT: Script = Script {
    name: Name::JoinedOutput,
    source: "'use strict'; (texts, tokens, contents, kept, systemFlag) => {
        const parts = []
        for (let at = 0, next = kept; at < tokens.length; at += 2) {
            const token = tokens.charCodeAt(at) | tokens.charCodeAt(at + 1) << 16
            parts.push(token === 0 ? contents[--next] : texts[token - 1])
        }
        return { prompt: parts.join(''), systemFlag }
    }",
};

/// The most bytes that become one string.
const MOST_PIECE_BYTES: usize = 64 * 1024;

/// Larger texts are likely to be the only one of their kind.
const MOST_REPEATED_BYTES: usize = 1024;

/// Takes the prompt down as texts and contents.
pub struct JoinedSink<'s> {
    border: Border<'s>,
    contents: Option<Value<'s>>,
    /// How many contents there are in the prompt.
    kept: usize,
    texts: Vec<Value<'s>>,
    known: HashMap<Box<[u8]>, u32>,
    /// Text that is not yet a string.
    pending: Vec<u8>,
    tokens: Vec<u16>,
    result: Result<(), Failure>,
}

impl<'s> JoinedSink<'s> {
    /// A sink for contents of this array, if there are any.
    pub fn new(border: Border<'s>, contents: Option<Value<'s>>) -> Self {
        JoinedSink {
            border,
            contents,
            kept: 0,
            texts: Vec::new(),
            known: HashMap::new(),
            pending: scratch::bytes(),
            tokens: scratch::units(),
            result: Ok(()),
        }
    }

    /// `{ prompt, systemFlag }`; the prompt may be answered alone if `bare` is wanted.
    pub fn finish(mut self, flag: Value<'s>, bare: bool) -> Result<Value<'s>, Failure> {
        let output = self.output(flag, bare);
        scratch::keep_bytes(self.pending);
        scratch::keep_units(self.tokens);
        output
    }

    fn output(&mut self, flag: Value<'s>, bare: bool) -> Result<Value<'s>, Failure> {
        let border = self.border;
        if self.tokens.is_empty() {
            let prompt = border.string_from_utf8(&self.pending)?;
            return if bare { Ok(prompt) } else { border.run(&PROMPT_OUTPUT, &[prompt, flag]) };
        }
        self.flush();
        std::mem::replace(&mut self.result, Ok(()))?;
        let contents = match self.contents {
            Some(contents) => contents,
            None => border.undefined()?,
        };
        let tokens = border.string_from_utf16(&self.tokens)?;
        let kept = border.double(self.kept as f64)?;
        let texts = border.array_of(&self.texts)?;
        border.run(&JOINED_OUTPUT, &[texts, tokens, contents, kept, flag])
    }

    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.pending);
        self.add(&text);
        self.pending = text;
        self.pending.clear();
    }

    fn add(&mut self, text: &[u8]) {
        let token = match self.known.get(text) {
            Some(token) => *token,
            None => {
                match self.border.string_from_utf8(text) {
                    Ok(made) => self.texts.push(made),
                    Err(failure) => self.result = Err(failure),
                }
                let token = self.texts.len() as u32;
                if text.len() <= MOST_REPEATED_BYTES {
                    self.known.insert(text.into(), token);
                }
                token
            }
        };
        self.push_token(token);
    }

    fn push_token(&mut self, token: u32) {
        self.tokens.extend([token as u16, (token >> 16) as u16]);
    }
}

impl Sink for JoinedSink<'_> {
    fn push(&mut self, bytes: &[u8]) {
        if self.pending.len() + bytes.len() <= MOST_PIECE_BYTES {
            self.pending.extend_from_slice(bytes);
            return;
        }
        self.flush();
        let mut rest = bytes;
        while rest.len() > MOST_PIECE_BYTES {
            let (piece, after) = rest.split_at(character_boundary(rest, MOST_PIECE_BYTES));
            self.add(piece);
            rest = after;
        }
        self.pending.extend_from_slice(rest);
    }

    fn owned(&mut self, newest: usize) {
        self.flush();
        self.push_token(0);
        self.kept = self.kept.max(newest + 1);
    }
}

/// The last place up to `end` where a character of well-formed UTF-8 begins.
fn character_boundary(text: &[u8], end: usize) -> usize {
    let continues = |byte: &u8| byte & 0xC0 == 0x80;
    end - text[..=end].iter().rev().take(3).take_while(|byte| continues(byte)).count()
}
