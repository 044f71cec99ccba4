//! Repeats steps of a conversion until the text ends.

use std::mem::MaybeUninit;

/// Output capacity is reserved for this many input elements at a time. A UTF-16 unit takes one to
/// three bytes, so reserving three for every unit of a large text would waste memory.
pub const RESERVE_CHUNK: usize = 1024;

/// The number of output elements that one conversion step may overwrite. It may write beyond
/// the part that it reports as written.
pub const OUTPUT_WINDOW: usize = 64;

/// How much of a text was read, and how much was written for it.
pub struct Progress {
    /// The number of input elements that were read.
    pub read: usize,
    /// The number of output elements that were written.
    pub written: usize,
}

/// Converts `text` and appends the result to `out`.
///
/// - `max_per_element`: the most output elements for one input element;
/// - `convert`: converts as much as it can while there are [`OUTPUT_WINDOW`] elements of output
///   left, and initializes what it reports as written.
#[inline(always)]
pub fn push<From, To: Copy>(
    text: &[From],
    max_per_element: usize,
    out: &mut Vec<To>,
    convert: impl Fn(&[From], &mut [MaybeUninit<To>]) -> Progress,
) {
    let mut rest = text;
    while !rest.is_empty() {
        out.reserve(rest.len().min(RESERVE_CHUNK) * max_per_element + OUTPUT_WINDOW);
        let progress = convert(rest, out.spare_capacity_mut());
        rest = &rest[progress.read..];
        let length = out.len() + progress.written;
        debug_assert!(length <= out.capacity());
        #[expect(
            unsafe_code,
            reason = "there is no safe way to keep elements written to spare capacity"
        )]
        // SAFETY: `convert` has initialized these elements, one after the other.
        unsafe {
            out.set_len(length);
        }
    }
}

/// Converts a text in steps.
///
/// - `vector`: converts up to `N` elements, or returns `None` if it cannot convert them;
/// - `scalar`: converts at least one element of any input.
#[inline(always)]
pub fn convert_in_steps<const N: usize, From: Copy + Default, To: Copy>(
    text: &[From],
    out: &mut [MaybeUninit<To>],
    vector: impl Fn(&[From; N], &mut [MaybeUninit<To>; OUTPUT_WINDOW]) -> Option<Progress>,
    scalar: impl Fn(&[From], &mut [MaybeUninit<To>; OUTPUT_WINDOW]) -> Progress,
) -> Progress {
    let mut rest = text;
    let mut written = 0;
    while let Some(next) = rest.first_chunk()
        && let Some(window) = out[written..].first_chunk_mut()
    {
        let progress = vector(next, window).unwrap_or_else(|| scalar(rest, window));
        rest = &rest[progress.read..];
        written += progress.written;
    }
    while !rest.is_empty()
        && rest.len() < N
        && let Some(window) = out[written..].first_chunk_mut()
    {
        // The last elements are padded with zeros. Each zero becomes one output element.
        let mut padded = [From::default(); N];
        padded[..rest.len()].copy_from_slice(rest);
        let progress = vector(&padded, window).unwrap_or_else(|| scalar(rest, window));
        let padding = progress.read.saturating_sub(rest.len());
        rest = &rest[progress.read - padding..];
        written += progress.written - padding;
    }
    Progress { read: text.len() - rest.len(), written }
}
