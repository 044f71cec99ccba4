//! The lines that are kept, and how the gap between them is closed.

use crate::text::trim::trim_js;

/// Collects the lines that are kept, and removes blank lines around those that were dropped.
pub struct RemainingLines {
    text: String,
    /// Whether a line was dropped after the last line that was kept.
    after_gap: bool,
    /// Whether the text is empty or its last line is blank. Kept, so that a long line is not
    /// looked through again for each gap below it.
    ends_blank: bool,
}

impl Default for RemainingLines {
    fn default() -> Self {
        RemainingLines { text: String::new(), after_gap: false, ends_blank: true }
    }
}

impl RemainingLines {
    /// Appends a line, which includes its line break.
    pub fn keep(&mut self, line: &str) {
        let is_blank = is_blank(line);
        if self.after_gap && is_blank && self.ends_blank {
            // At the beginning all blank lines are dropped, elsewhere one of two.
            self.after_gap = self.text.is_empty();
            return;
        }
        self.after_gap = false;
        self.ends_blank = is_blank;
        self.text.push_str(line);
    }

    /// Notes that a line was dropped.
    pub fn drop_line(&mut self) {
        self.after_gap = true;
    }

    /// Returns the text, without blank lines at its end if the last lines were dropped.
    pub fn finish(mut self) -> String {
        if !self.after_gap {
            return self.text;
        }
        let mut kept = self.text.as_str();
        while !kept.is_empty() {
            let before = kept.strip_suffix('\n').unwrap_or(kept);
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            if !is_blank(&before[start..]) {
                kept = before.strip_suffix('\r').unwrap_or(before);
                break;
            }
            kept = &kept[..start];
        }
        self.text.truncate(kept.len());
        self.text
    }
}

/// Whether a line has nothing but white space.
pub fn is_blank(line: &str) -> bool {
    trim_js(line).is_empty()
}
