//! Operations on text that know nothing about prompts.
//!
//! - `trim`: JavaScript's trim;
//! - `amounts`: numbers and sizes for people;
//! - `cut`, `ends`: shortening without splitting a grapheme;
//! - `fnv`: a hash for what is stored;
//! - `one_line`: escaping of line breaks and angle brackets; `line_breaks`: names without them;
//! - `look_alikes`, `escape_sequence`: what a reader takes for the same, or does not see;
//! - `reading`: limits of reading a string from the engine;
//! - `stretches`: shortening without separating what belongs together;
//! - `strip`: removal of routing markers;
//! - `transcode`: conversion between UTF-16 and UTF-8;
//! - `unicode_tables`: sets of characters, made by a script.

mod amounts;
mod cut;
mod ends;
mod escape_sequence;
mod fnv;
mod line_breaks;
mod look_alikes;
mod one_line;
mod reading;
mod stretches;
mod strip;
mod transcode;
mod trim;
#[rustfmt::skip]
mod unicode_tables;

pub use amounts::{counted, size};
pub use cut::{
    EndBytes, HeadTail, head, head_tail, head_tail_of_ends, head_utf16, is_shortened, least_cut,
    shorten, shorten_counting,
};
pub use ends::{Ends, Text, first_landmark, needed_of_each_end};
pub use escape_sequence::{escape_sequence_bytes, is_introducer};
pub use fnv::fnv1a_128;
pub use line_breaks::{replace_line_breaks, without_line_breaks};
pub use look_alikes::{Glyph, glyphs, is_blank};
pub use one_line::{escape_angle_brackets, one_line};
pub use reading::{MAX_READ_ROOM, is_short_read};
pub use stretches::{Stretch, Stretched, move_stretches};
pub use strip::{CodeRanges, strip_markers};
pub use transcode::{
    Measured, measure_utf16, push_utf8, push_utf16, use_only_portable, utf8_bytes,
};
pub use trim::{is_js_whitespace, trim_js};
pub use unicode_tables::{is_cjk, is_han, is_kana, is_latin, is_mandatory_break as is_line_break};
