//! The prompt as a string that JavaScript joins of its own strings and of ours.
//!
//! 1. Contents that stayed with the caller are strings already: the engine copies them as they
//!    are. Here they would be converted to UTF-8 and back.
//! 2. What stands between them, such as the beginnings of lines, repeats: each different text
//!    becomes a string once.
//! 3. A large text that is not ASCII becomes several strings, one after the other, so that there
//!    is never a second copy of it in another encoding.

use crate::binding::failure::Failure;
use crate::binding::node_api::{Scope, Value};
use crate::binding::scratch;
use crate::render::{ContentSink, Sink};
use std::collections::HashMap;

/// The most bytes that become one string, if they are not ASCII.
const MAX_PIECE_BYTES: usize = 64 * 1024;

/// Larger texts are likely to be the only one of their kind.
const MAX_REPEATED_BYTES: usize = 1024;

/// Collects the prompt as texts and contents.
pub struct JoinedSink<'s> {
    scope: Scope<'s>,
    texts: Vec<Value<'s>>,
    known: HashMap<Box<[u8]>, u32>,
    /// Text that is not yet a string.
    pending: Vec<u8>,
    /// Whether that is ASCII, of which a string is made without another copy, however long.
    is_ascii: bool,
    /// What the prompt consists of, two units each: the number of a text, counted from 1, or 0
    /// for the next content.
    pieces: Vec<u16>,
    result: Result<(), Failure>,
}

impl<'s> JoinedSink<'s> {
    pub fn new(scope: Scope<'s>) -> Self {
        JoinedSink {
            scope,
            texts: Vec::new(),
            known: HashMap::new(),
            pending: scratch::bytes(),
            is_ascii: true,
            pieces: scratch::units(),
            result: Ok(()),
        }
    }

    /// The prompt as a string if it is one text, or an array of the pieces and the texts.
    pub fn finish(mut self) -> Result<Value<'s>, Failure> {
        let prompt = self.prompt();
        scratch::keep_bytes(self.pending);
        scratch::keep_units(self.pieces);
        prompt
    }

    fn prompt(&mut self) -> Result<Value<'s>, Failure> {
        if self.pieces.is_empty() {
            return self.scope.string_from_utf8(&self.pending);
        }
        self.flush();
        std::mem::replace(&mut self.result, Ok(()))?;
        let pieces = self.scope.string_from_utf16(&self.pieces)?;
        self.texts.insert(0, pieces);
        self.scope.array_of(&self.texts)
    }

    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.pending);
        self.add(&text);
        self.pending = text;
        self.pending.clear();
        self.is_ascii = true;
    }

    fn add(&mut self, text: &[u8]) {
        // To look a text up means to hash it, which takes longer than to convert it.
        let may_repeat = text.len() <= MAX_REPEATED_BYTES;
        let known = if may_repeat { self.known.get(text).copied() } else { None };
        let number = known.unwrap_or_else(|| {
            match self.scope.string_from_utf8(text) {
                Ok(made) => self.texts.push(made),
                Err(failure) => self.result = Err(failure),
            }
            let number = self.texts.len() as u32;
            if may_repeat {
                self.known.insert(text.into(), number);
            }
            number
        });
        self.push_piece(number);
    }

    fn push_piece(&mut self, number: u32) {
        self.pieces.extend([number as u16, (number >> 16) as u16]);
    }
}

impl Sink for JoinedSink<'_> {
    fn push(&mut self, bytes: &[u8]) {
        let is_ascii = self.is_ascii && bytes.is_ascii();
        if is_ascii || self.pending.len() + bytes.len() <= MAX_PIECE_BYTES {
            self.pending.extend_from_slice(bytes);
            self.is_ascii = is_ascii;
            return;
        }
        self.flush();
        let mut rest = bytes;
        while rest.len() > MAX_PIECE_BYTES {
            let (piece, after) = rest.split_at(character_boundary(rest, MAX_PIECE_BYTES));
            self.add(piece);
            rest = after;
        }
        self.pending.extend_from_slice(rest);
        self.is_ascii = rest.is_ascii();
    }
}

impl ContentSink for JoinedSink<'_> {
    fn push_content(&mut self, _newest: usize) {
        self.flush();
        // Contents come oldest first, so the number of those that follow says which one it is.
        self.push_piece(0);
    }
}

/// The last place up to `end` where a character of well-formed UTF-8 begins.
fn character_boundary(text: &[u8], end: usize) -> usize {
    let continues = |byte: &u8| byte & 0xC0 == 0x80;
    end - text[..=end].iter().rev().take(3).take_while(|byte| continues(byte)).count()
}
