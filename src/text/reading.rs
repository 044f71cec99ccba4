//! Limits of reading a string from the engine.

/// The most room, in bytes or units, that we report to the engine. It takes the room as a signed
/// 32-bit number: given more, it writes nothing and reports success. No string needs more: the
/// longest has less than 2²⁹ units, of at most three bytes.
pub const MAX_READ_ROOM: usize = i32::MAX as usize - 1;

/// Whether less was read, in bytes or units, than a string of this many UTF-16 units has: in UTF-8,
/// a unit takes at least one byte.
pub fn is_short_read(units: usize, read: usize) -> bool {
    read < units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_bytes_than_units_is_a_short_read() {
        for text in ["", "a", "é", "中", "👍", "a👍中é"] {
            let units = text.encode_utf16().count();
            assert!(!is_short_read(units, units) && !is_short_read(units, text.len()), "{text}");
        }
        assert!(is_short_read(1, 0));
        assert!(is_short_read(276_000_000, 0));
        assert!(is_short_read(276_000_000, 275_999_999));
    }

    #[test]
    fn the_read_limit_fits_a_signed_32_bit_number() {
        // With the closing NUL.
        assert!(i32::try_from(MAX_READ_ROOM + 1).is_ok());
        // V8's longest string, with three bytes per unit.
        const { assert!(MAX_READ_ROOM > ((1 << 29) - 24) * 3) };
    }
}
