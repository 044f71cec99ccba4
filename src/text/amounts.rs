//! Numbers and sizes for people.

/// A number with its noun.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A size: exact below a kilobyte, else to a tenth of its unit.
pub fn size(bytes: usize) -> String {
    const UNITS: [(usize, &str); 2] = [(1 << 20, "MB"), (1 << 10, "KB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        None => counted(bytes, "byte", "bytes"),
        Some((unit, name)) => {
            let tenths = bytes * 10 / unit;
            match tenths % 10 {
                0 => format!("{} {name}", tenths / 10),
                tenth => format!("{}.{tenth} {name}", tenths / 10),
            }
        }
    }
}
