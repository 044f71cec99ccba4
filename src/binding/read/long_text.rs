//! Texts of megabytes, of which a prompt can take only the ends.

use crate::binding::failure::Failure;
use crate::binding::node_api::{ReadString, Scope, Value};
use crate::text::{Ends, Text, needed_of_each_end, utf8_bytes};

/// Below this, reading a text whole is no slower than reading its ends.
const MIN_UNITS: usize = 256 * 1024;

/// How many units are read at a time to be counted.
const CHUNK_UNITS: usize = 64 * 1024;

/// Reads a string that has to fit into `max_bytes`: whole, or if it certainly does not fit
/// and is long, its ends.
pub fn read<'s>(
    scope: Scope<'s>,
    string: Value<'s>,
    max_bytes: usize,
) -> Result<Text<'static>, Failure> {
    // A unit takes at least one byte.
    let units = scope.utf16_length(string)?;
    let needed = needed_of_each_end(max_bytes);
    if units >= MIN_UNITS && units / 4 > needed {
        let beginning = scope.string_beginning(string, needed)?;
        let end = end(scope, string, units, needed)?;
        let bytes = total_bytes(scope, string, units)?;
        if let Some(ends) = Ends::new(beginning, end, bytes, max_bytes) {
            return Ok(Text::Ends(ends));
        }
    }
    Ok(scope.string(string)?.into())
}

/// At least so many bytes of the end.
fn end<'s>(
    scope: Scope<'s>,
    string: Value<'s>,
    units: usize,
    bytes: usize,
) -> Result<String, Failure> {
    // Most text is of characters of either three bytes or one.
    for per_unit in [3, 1] {
        let slice = scope.slice(string, units - bytes / per_unit, units)?;
        let mut text = scope.string(slice)?;
        if text.starts_with(char::REPLACEMENT_CHARACTER) {
            // The second half of a character.
            text.drain(..char::REPLACEMENT_CHARACTER.len_utf8());
        }
        if text.len() >= bytes || per_unit == 1 {
            return Ok(text);
        }
    }
    Ok(String::new())
}

/// The size of the string in UTF-8, counted a piece at a time so as not to copy it whole.
fn total_bytes<'s>(scope: Scope<'s>, string: Value<'s>, units: usize) -> Result<usize, Failure> {
    let (mut bytes, mut start) = (0, 0);
    let (mut narrow, mut wide) = (Vec::new(), Vec::new());
    while start < units {
        let end = units.min(start + CHUNK_UNITS);
        let counted = scope.nested(|scope| {
            let chunk = scope.slice(string, start, end)?;
            // To have the engine write ASCII is faster than to have it count.
            narrow.clear();
            if scope.append_utf8(chunk, &mut narrow, end - start)? == ReadString::Whole {
                return Ok((end - start, narrow.len()));
            }
            scope.read_utf16(chunk, usize::MAX, &mut wide)?;
            // A pair must not be counted as two halves.
            if end < units && wide.last().is_some_and(|unit| unit & 0xFC00 == 0xD800) {
                wide.pop();
            }
            Ok((wide.len().max(1), utf8_bytes(&wide)))
        })?;
        start += counted.0;
        bytes += counted.1;
    }
    Ok(bytes)
}
