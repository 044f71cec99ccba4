//! In layouts without an arrow, a sentence with a colon looks much like a message. This tells them
//! apart: a name may be of any length, but a long one contains no end of a sentence.

use crate::text::Glyph;

/// In layouts without an arrow, whatever stands before a colon reads as a name up to this
/// length. Beyond it, a sentence that has ended before the colon shows that it is prose.
const SURELY_A_NAME: usize = 64;

/// Tells prose from a name, character by character.
#[derive(Debug, Default)]
pub struct Prose {
    /// How many glyphs there are; a gap counts as one.
    seen: usize,
    after_gap: bool,
    after_stop: bool,
    sentence_ended: bool,
}

impl Prose {
    /// Whether what was read so far is longer than a name and has the end of a sentence in it.
    pub fn is_certain_after(&mut self, c: char, seen: &[Glyph]) -> bool {
        match seen.first() {
            Some(Glyph::Visible(_)) => {
                self.seen += 1 + usize::from(self.after_gap);
                self.after_gap = false;
                self.after_stop = matches!(c, '.' | '!' | '?' | ';' | '…');
                self.sentence_ended |= matches!(c, '。' | '！' | '？' | '；' | '｡');
            }
            Some(Glyph::Space) => {
                self.after_gap = true;
                self.sentence_ended |= self.after_stop;
            }
            Some(Glyph::Invisible) | None => {}
        }
        self.sentence_ended && self.seen > SURELY_A_NAME
    }
}
