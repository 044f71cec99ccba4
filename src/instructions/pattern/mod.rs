//! Glob patterns: `*`, `**`, `?`, `[a-z]`, `[!a-z]`, `{a,b}`, and `\` before a character that is
//! meant literally (not on Windows, where it separates directories).
//!
//! 1. Matching takes time in proportion to the length of the name, whatever the pattern: all
//!    alternatives are followed at once, and none is tried again.
//! 2. There is no negation. A leading `!` is an error, because its author expects files to be left
//!    out.
//! 3. globset would add 940 KB to the binary, a sixth of it, and cannot say whether anything below
//!    a directory can still match, so a walk would enter every directory.
//!
//! - [`program`]: a pattern as steps, and matching a name against it, or a part of it;
//! - [`walk`]: the files that match.

pub mod program;
pub mod walk;

pub use program::{NO_NEGATION, Pattern};
pub use walk::PathPattern;

/// Whether a path contains special characters.
pub fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}
