//! Plain versions of cuts, which walk over all graphemes.

use unicode_segmentation::UnicodeSegmentation;

const LEAST_AROUND_OMISSION_LINE: usize = 32;

fn omission_line(bytes: usize) -> String {
    format!("\n[… {bytes} bytes omitted …]\n")
}

/// The size of the first pieces that fit.
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

/// Head, omission line and tail; `None` if there is no room for them.
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

/// The size of the first pieces that have at least this many bytes; at least one piece.
fn enough<'t>(pieces: impl Iterator<Item = &'t str>, min_bytes: usize) -> usize {
    let mut used = 0;
    for piece in pieces {
        used += piece.len();
        if used >= min_bytes {
            break;
        }
    }
    used
}

/// The smallest cut with at least this many bytes; the whole text if there is none.
pub fn least_cut(text: &str, min_bytes: usize) -> String {
    let first = min_bytes.saturating_sub(omission_line(text.len()).len());
    for around in first.max(LEAST_AROUND_OMISSION_LINE).. {
        let half = around.div_ceil(2);
        let heads = [head(text, half).len(), enough(text.graphemes(true), half)];
        let cuts = heads.into_iter().filter(|start| *start > 0).filter_map(|start| {
            let end = enough(text.graphemes(true).rev(), around.saturating_sub(start));
            let omitted = text.len().checked_sub(start + end)?;
            let (start, end) = (&text[..start], &text[text.len() - end..]);
            Some([start, &omission_line(omitted), end].concat())
        });
        let least = cuts.filter(|cut| cut.len() < text.len()).min_by_key(String::len);
        match least {
            None => break,
            Some(least) if least.len() >= min_bytes => return least,
            Some(_) => {}
        }
    }
    text.to_owned()
}

/// The text in at most this many bytes, but not below its least cut; `None` if that is too large.
pub fn shortened(text: &str, max_bytes: usize, min_bytes: usize) -> Option<String> {
    let least = least_cut(text, min_bytes);
    if least == text || least.len() > max_bytes {
        return None;
    }
    let short = shorten(text, max_bytes).filter(|short| short.len() >= least.len());
    Some(short.unwrap_or(least))
}

/// Whether a text is another one with its middle left out.
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
