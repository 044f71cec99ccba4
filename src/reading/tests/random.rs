//! Pseudo-random inputs for property tests.

/// A pseudorandom generator with a seed, so that every run sees the same inputs.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }

    /// A text of fragments that are hard to join and to cut.
    pub fn text(&mut self, most: usize) -> String {
        const FRAGMENTS: [&str; 24] = [
            "the",
            " quick",
            "Brown",
            "'s",
            "isn't",
            "\n",
            "\r\n",
            "  ",
            "/",
            "//x",
            "...",
            "!",
            "12",
            "3456",
            "中文字",
            "。",
            "👍🏽",
            "🇨🇳",
            "\u{85}",
            "\t",
            "-",
            ": ",
            "é",
            "cumenta",
        ];
        (0..self.below(most + 1)).map(|_| FRAGMENTS[self.below(FRAGMENTS.len())]).collect()
    }
}
