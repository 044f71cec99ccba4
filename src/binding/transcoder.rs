//! What tests and benchmarks call, to run everything without vector instructions.

use crate::text::use_only_portable;
use napi_derive::napi;

/// Whether text is converted without the vector instructions of this processor, in the whole
/// process. Slower, with the same results.
#[napi(catch_unwind)]
pub fn use_only_portable_transcoder(only_portable: bool) {
    use_only_portable(only_portable);
}
