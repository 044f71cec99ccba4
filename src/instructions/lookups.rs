//! How many files may still be examined. The author of the repository writes patterns, entries of a
//! configuration and includes; these must not keep a thread busy for long.

/// The most files that one call examines, in addition to those at fixed places.
pub const MAX_LOOKUPS: usize = 10_000;

/// The most work for patterns, in steps: less than a second. Only patterns and names made for that
/// take this many.
const MAX_PATTERN_WORK: usize = 100_000_000;

/// Counts the files that a call examines.
#[derive(Debug, Clone)]
pub struct Lookups {
    /// How many more files may be examined.
    pub left: usize,
    /// How much work for patterns may still be done.
    pub pattern_work: usize,
    /// Whether it was reported that there are none left.
    is_said: bool,
}

impl Default for Lookups {
    fn default() -> Self {
        Lookups { left: MAX_LOOKUPS, pattern_work: MAX_PATTERN_WORK, is_said: false }
    }
}

impl Lookups {
    /// Counts a file. Returns false if it may not be examined any more.
    pub fn take(&mut self) -> bool {
        let may_look = self.left > 0;
        self.left = self.left.saturating_sub(1);
        may_look
    }

    /// Whether it still has to be reported that there are none left.
    pub fn say_exhausted(&mut self) -> bool {
        !std::mem::replace(&mut self.is_said, true)
    }

    /// Says that the limit was reached, as the end of a sentence.
    pub fn most_files() -> String {
        format!("{MAX_LOOKUPS} files were examined, which is the limit")
    }

    /// Why a file was not examined.
    pub fn exhausted() -> String {
        format!("was not examined: {}", Lookups::most_files())
    }
}
