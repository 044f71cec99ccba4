//! What `js/explain/` calls.

use super::strings::JsText;
use crate::text::grapheme_runs;
use napi_derive::napi;

/// Graphemes of one size, in bytes, that follow each other.
#[napi(object, object_from_js = false)]
pub struct GraphemeRun {
    pub size: u32,
    pub count: u32,
}

/// The sizes of a text's graphemes.
#[napi(catch_unwind)]
pub fn grapheme_sizes(text: JsText) -> Vec<GraphemeRun> {
    let run = |(size, count)| GraphemeRun { size: size as u32, count: count as u32 };
    grapheme_runs(&text).into_iter().map(run).collect()
}
