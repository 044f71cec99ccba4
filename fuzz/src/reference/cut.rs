//! Cuts once more, over all graphemes.

use unicode_segmentation::UnicodeSegmentation;

const LEAST_AROUND_OMISSION_LINE: usize = 32;

fn omission_line(bytes: usize) -> String {
    format!("\n[… {bytes} bytes omitted …]\n")
}

/// As many pieces as fit, in the order in which they come.
fn fitting<'t>(pieces: impl Iterator<Item = &'t str>, max_bytes: usize) -> usize {
    let mut used = 0;
    for piece in pieces {
        if used + piece.len() > max_bytes {
            break;
        }
        used += piece.len();
    }
    used
}

pub fn head(text: &str, max_bytes: usize) -> &str {
    &text[..fitting(text.graphemes(true), max_bytes)]
}

pub fn tail(text: &str, max_bytes: usize) -> &str {
    &text[text.len() - fitting(text.graphemes(true).rev(), max_bytes)..]
}

/// Head, omission line and tail; `None` when there is no room for these.
pub fn shorten(text: &str, max_bytes: usize) -> Option<String> {
    if text.len() <= max_bytes {
        return Some(text.to_owned());
    }
    let around = max_bytes.checked_sub(omission_line(text.len()).len())?;
    let start = head(text, around.div_ceil(2));
    if around < LEAST_AROUND_OMISSION_LINE || start.is_empty() || tail(text, around / 2).is_empty()
    {
        return None;
    }
    let end = tail(text, around - start.len());
    Some([start, &omission_line(text.len() - start.len() - end.len()), end].concat())
}

/// The least size to which a text can be cut, at least so many bytes.
pub fn least_cut(text: &str, least: usize) -> usize {
    let sizes: Vec<usize> = (least..=text.len()).collect();
    least + sizes.partition_point(|size| shorten(text, *size).is_none())
}

/// Whether a text is another with its middle left out.
pub fn is_shortened(short: &str, whole: &str) -> bool {
    short.match_indices("\n[… ").any(|(at, opening)| {
        let number = short[at + opening.len()..].split(' ').next().unwrap_or_default();
        let omitted = number.parse().unwrap_or(usize::MAX);
        let (start, Some(end)) = (&short[..at], short[at..].strip_prefix(&omission_line(omitted)))
        else {
            return false;
        };
        whole.starts_with(start)
            && whole.ends_with(end)
            && (start.len() + end.len()).checked_add(omitted) == Some(whole.len())
    })
}
