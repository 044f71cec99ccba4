//! The lines of a conversation in one buffer, so that a window of them is one slice.
//!
//! 1. Each line is followed by a line break. A message without a line has no bytes at all.
//! 2. A change near the end is made in place. Anywhere else it would move too much: the new line is
//!    kept *apart*, and what the buffer has in its place is stale. A removed line is stale, too; the
//!    one before it is kept apart, so that no slice contains both.
//! 3. Once there are many such changes for its size, the buffer is written anew. So a change takes
//!    the same time in a longer conversation, and a window has few lines apart.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

/// How much is moved at most to change a line in place, in bytes and lines.
const MAX_MOVED_BYTES: usize = 256 * 1024;
const MAX_MOVED_LINES: usize = 256;

/// The lines of a conversation.
#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: String,
    /// Where each line begins.
    starts: Vec<usize>,
    /// Lines outside the buffer, with their line breaks. One that is not set yet is laid out when it
    /// is first read.
    apart: BTreeMap<u32, OnceCell<String>>,
    /// How many lines became stale since the buffer was written, and their bytes.
    stale_lines: usize,
    stale_bytes: usize,
    /// How many bytes were written or moved.
    #[cfg(test)]
    pub written_bytes: std::cell::Cell<usize>,
}

impl Lines {
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Appends a line.
    pub fn push(&mut self, opening: &str, content: &str) {
        self.starts.push(self.buffer.len());
        self.buffer.reserve(opening.len() + content.len() + 1);
        self.buffer.push_str(opening);
        self.buffer.push_str(content);
        self.buffer.push('\n');
    }

    /// A line with its line break. `lay_out` is called if it is not laid out yet.
    pub fn line(&self, index: usize, lay_out: impl FnOnce() -> String) -> &str {
        match self.apart.get(&(index as u32)) {
            Some(line) => line.get_or_init(|| {
                let line = lay_out();
                self.count_written(line.len());
                line
            }),
            None => &self.buffer[self.place(index..index + 1)],
        }
    }

    /// How many of the last of these lines are adjacent in the buffer; at least one.
    pub fn last_together(&self, lines: Range<usize>) -> usize {
        let range = lines.start as u32..lines.end as u32;
        let apart = self.apart.range(range).next_back().map(|(index, _)| *index as usize);
        apart.map_or(lines.len(), |apart| (lines.end - apart - 1).max(1))
    }

    /// Lines that are adjacent in the buffer, each with its line break.
    pub fn together(&self, lines: Range<usize>) -> &str {
        &self.buffer[self.place(lines)]
    }

    /// The bytes of [`Self::together`].
    pub fn bytes_together(&self, lines: Range<usize>) -> usize {
        self.place(lines).len()
    }

    fn place(&self, lines: Range<usize>) -> Range<usize> {
        self.starts[lines.start]..self.end(lines.end - 1)
    }

    /// Where a line ends in the buffer.
    fn end(&self, index: usize) -> usize {
        self.starts.get(index + 1).copied().unwrap_or(self.buffer.len())
    }

    /// Whether a line is changed in place.
    pub fn is_near_the_end(&self, index: usize) -> bool {
        self.buffer.len() - self.end(index) <= MAX_MOVED_BYTES
            && self.len() - index <= MAX_MOVED_LINES
    }

    /// Replaces a line, including its line break.
    pub fn replace(&mut self, index: usize, line: String) {
        if self.is_near_the_end(index) {
            self.apart.remove(&(index as u32));
            return self.splice(index, &line);
        }
        self.count_written(line.len());
        self.keep_apart(index, line.into());
    }

    /// Has a line laid out when it is read again.
    pub fn replace_when_read(&mut self, index: usize) {
        self.keep_apart(index, OnceCell::new());
    }

    fn keep_apart(&mut self, index: usize, line: OnceCell<String>) {
        if self.apart.insert(index as u32, line).is_none() {
            self.count_stale(index);
            self.write_anew_if_it_pays();
        }
    }

    fn count_stale(&mut self, index: usize) {
        self.stale_lines += 1;
        self.stale_bytes += self.place(index..index + 1).len();
    }

    /// Replaces a line in the buffer.
    fn splice(&mut self, index: usize, line: &str) {
        let Range { start, end } = self.place(index..index + 1);
        self.buffer.replace_range(start..end, line);
        self.count_written(self.buffer.len() - start);
        for later in &mut self.starts[index + 1..] {
            *later = *later - end + start + line.len();
        }
    }

    /// Removes a line.
    pub fn remove(&mut self, index: usize) {
        if self.is_near_the_end(index) {
            self.splice(index, "");
        } else {
            if !self.apart.contains_key(&(index as u32)) {
                self.count_stale(index);
            }
            if let Some(before) = index.checked_sub(1)
                && !self.apart.contains_key(&(before as u32))
            {
                self.count_stale(before);
                let line = self.together(before..index).to_owned();
                self.apart.insert(before as u32, line.into());
            }
        }
        self.starts.remove(index);
        let mut later = self.apart.split_off(&(index as u32));
        later.remove(&(index as u32));
        self.apart.extend(later.into_iter().map(|(at, line)| (at - 1, line)));
        self.write_anew_if_it_pays();
    }

    fn write_anew_if_it_pays(&mut self) {
        let is_small = self.stale_lines <= MAX_MOVED_LINES + self.len() / 8
            && self.stale_bytes <= MAX_MOVED_BYTES + self.buffer.len() / 4;
        if !is_small {
            self.write_anew();
        }
    }

    /// Writes the lines that are laid out into a new buffer.
    fn write_anew(&mut self) {
        let old = std::mem::take(&mut self.buffer);
        let ends = self.starts.iter().copied().skip(1).chain([old.len()]);
        let ends: Vec<usize> = ends.collect();
        self.buffer.reserve(old.len());
        for (index, end) in ends.into_iter().enumerate() {
            let start = std::mem::replace(&mut self.starts[index], self.buffer.len());
            match self.apart.get(&(index as u32)) {
                Some(line) => self.buffer.push_str(line.get().map_or("", String::as_str)),
                None => self.buffer.push_str(&old[start..end]),
            }
        }
        self.count_written(self.buffer.len());
        self.apart.retain(|_, line| line.get().is_none());
        (self.stale_lines, self.stale_bytes) = (0, 0);
    }

    fn count_written(&self, _bytes: usize) {
        #[cfg(test)]
        self.written_bytes.update(|written| written + _bytes);
    }

    /// Approximate memory use in bytes: lines apart are about as long as the others.
    pub fn memory_bytes(&self) -> usize {
        let apart = self.apart.len() * (self.buffer.len() / self.len().max(1));
        self.buffer.capacity() + self.starts.capacity() * size_of::<usize>() + apart
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::tests::random::Numbers;

    fn line_of(lines: &Lines, index: usize) -> &str {
        lines.line(index, || "laid out\n".to_owned())
    }

    fn many(count: usize) -> Lines {
        let mut lines = Lines::default();
        (0..count).for_each(|number| lines.push(&format!("{number}: "), &"x".repeat(200)));
        lines
    }

    #[test]
    fn changed_lines_are_found_and_the_others_stay_together() {
        let mut numbers = Numbers(7);
        let mut lines = many(3000);
        let mut told: Vec<String> = (0..3000).map(|at| line_of(&lines, at).to_owned()).collect();
        for step in 0..6000 {
            let at = numbers.below(told.len());
            let line = format!("changed {step} {}\n", "y".repeat(numbers.below(400)));
            match numbers.below(8) {
                0 => {
                    lines.remove(at);
                    told.remove(at);
                }
                1 => {
                    lines.replace(at, String::new());
                    told[at] = String::new();
                }
                2 => {
                    lines.replace_when_read(at);
                    told[at] = "laid out\n".to_owned();
                }
                3 | 4 => {
                    lines.push("", line.trim_end());
                    told.push([line.trim_end(), "\n"].concat());
                }
                _ => {
                    lines.replace(at, line.clone());
                    told[at] = line;
                }
            }
            if step % 500 > 0 {
                continue;
            }
            let mut end = told.len();
            while end > 0 {
                let start = end - lines.last_together(0..end);
                let expected = told[start..end].concat();
                match end - start {
                    1 => assert_eq!(line_of(&lines, start), expected, "step {step}"),
                    _ => assert_eq!(lines.together(start..end), expected, "step {step}"),
                }
                end = start;
            }
        }
    }

    #[test]
    fn a_change_costs_the_same_in_a_longer_conversation() {
        let cost = |count: usize| {
            let mut lines = many(count);
            for step in 0..4 * count {
                lines.replace(step * 7919 % count, "changed\n".repeat(20));
            }
            lines.written_bytes.get() / (4 * count)
        };
        let [once, twice] = [cost(4_000), cost(8_000)];
        assert!(once > 0 && twice < once + once / 4, "{once} and {twice} bytes");
    }

    #[test]
    fn stale_bytes_are_bounded() {
        let mut lines = many(5000);
        while lines.len() > 300 {
            (0..100).for_each(|_| lines.remove(0));
            let live: usize = (0..lines.len()).map(|at| line_of(&lines, at).len()).sum();
            assert!(lines.buffer.len() <= 2 * live + MAX_MOVED_BYTES, "{} lines", lines.len());
        }
    }
}
