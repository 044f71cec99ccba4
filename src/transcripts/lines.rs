//! The lines of a file, each identified by its place, without ever holding a long one in memory.
//!
//! 1. Only what the file contains when it is opened is read: a growing file is not followed.
//! 2. A line up to [`HELD_BYTES`] is passed as a slice; a longer one as a stream.
//! 3. A last line without a line break is passed as it is: it may be complete.

use super::open::open;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read, Seek, SeekFrom, Take};
use std::path::Path;

/// Lines up to this size are held in memory while they are examined.
const HELD_BYTES: usize = 64 * 1024;

/// Where something is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// Its first byte.
    pub offset: u64,
    /// How many bytes it has.
    pub len: u64,
    /// Its line, counted from 1.
    pub line: usize,
}

/// One line, which can be read once.
pub enum Line<'r> {
    /// All of it.
    Held(&'r [u8]),
    /// A stream of it.
    Long(Box<dyn Read + 'r>),
}

/// Reads the lines of a file in order.
pub struct Lines {
    reader: BufReader<Take<File>>,
    held: Vec<u8>,
    offset: u64,
    number: usize,
}

impl Lines {
    /// The lines that a file has now.
    pub fn open(path: &Path) -> io::Result<Lines> {
        let file = open(path)?;
        let len = file.metadata()?.len();
        let reader = BufReader::with_capacity(HELD_BYTES, file.take(len));
        Ok(Lines { reader, held: Vec::new(), offset: 0, number: 0 })
    }

    /// Calls `examine` with the next line. `None` at the end. Lines with only white space are skipped.
    pub fn next<T>(
        &mut self,
        examine: impl FnOnce(Line<'_>) -> T,
    ) -> io::Result<Option<(Span, T)>> {
        loop {
            self.held.clear();
            let mut whole = (&mut self.reader).take(HELD_BYTES as u64);
            let read = whole.read_until(b'\n', &mut self.held)?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            let offset = self.offset;
            if self.held.last() == Some(&b'\n') || read < HELD_BYTES {
                self.offset += read as u64;
                if self.held.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                let span = Span { offset, len: read as u64, line: self.number };
                return Ok(Some((span, examine(Line::Held(&self.held)))));
            }
            let mut rest = RestOfLine { reader: &mut self.reader, bytes: 0, ended: false };
            let looked = {
                let stream: Chain<Cursor<&[u8]>, &mut RestOfLine<'_>> =
                    Cursor::new(self.held.as_slice()).chain(&mut rest);
                examine(Line::Long(Box::new(BufReader::new(stream))))
            };
            rest.skip()?;
            let len = read as u64 + rest.bytes;
            self.offset += len;
            return Ok(Some((Span { offset, len, line: self.number }, looked)));
        }
    }
}

/// The rest of a line, including its line break.
struct RestOfLine<'r> {
    reader: &'r mut BufReader<Take<File>>,
    bytes: u64,
    ended: bool,
}

impl RestOfLine<'_> {
    fn skip(&mut self) -> io::Result<()> {
        let mut unread = [0; 4096];
        while self.read(&mut unread)? > 0 {}
        Ok(())
    }
}

impl Read for RestOfLine<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.ended || into.is_empty() {
            return Ok(0);
        }
        let there = self.reader.fill_buf()?;
        let some = &there[..there.len().min(into.len())];
        let len = some.iter().position(|byte| *byte == b'\n').map_or(some.len(), |at| at + 1);
        into[..len].copy_from_slice(&some[..len]);
        self.ended = len == 0 || some[len - 1] == b'\n';
        self.reader.consume(len);
        self.bytes += len as u64;
        Ok(len)
    }
}

/// Reads what is at a place. A file that has become shorter yields less.
pub fn read_span(file: &mut File, span: Span) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(span.offset))?;
    let mut bytes = Vec::new();
    file.take(span.len).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn spans_of(content: &[u8]) -> Vec<(Span, Vec<u8>)> {
        let path = std::env::temp_dir().join(format!(
            "promptmason-lines-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        File::create(&path).unwrap().write_all(content).unwrap();
        let mut lines = Lines::open(&path).unwrap();
        let mut spans = Vec::new();
        while let Some(found) = lines
            .next(|line| match line {
                Line::Held(bytes) => bytes.to_vec(),
                Line::Long(mut stream) => {
                    let mut bytes = Vec::new();
                    stream.read_to_end(&mut bytes).unwrap();
                    bytes
                }
            })
            .unwrap()
        {
            spans.push(found);
        }
        let mut file = File::open(&path).unwrap();
        for (span, bytes) in &spans {
            assert_eq!(read_span(&mut file, *span).unwrap(), *bytes);
        }
        std::fs::remove_file(&path).unwrap();
        spans
    }

    #[test]
    fn lines_of_every_length_have_the_right_position() {
        for len in [1, HELD_BYTES - 2, HELD_BYTES - 1, HELD_BYTES, HELD_BYTES + 1, 3 * HELD_BYTES] {
            let mut content = vec![b'a'; len];
            content.extend_from_slice(b"\n\n  \nb\nlast");
            let spans = spans_of(&content);
            let lines: Vec<_> = spans.iter().map(|(span, _)| span.line).collect();
            assert_eq!(lines, [1, 4, 5], "{len}");
            assert_eq!(spans[0].1.len(), len + 1);
            assert_eq!(spans[1].1, b"b\n");
            assert_eq!(spans[2].1, b"last");
        }
    }

    #[test]
    fn a_long_line_that_is_not_read_is_skipped() {
        let path = std::env::temp_dir().join(format!("promptmason-skipped-{}", std::process::id()));
        let mut content = vec![b'a'; 5 * HELD_BYTES];
        content.extend_from_slice(b"\nb");
        std::fs::write(&path, &content).unwrap();
        let mut lines = Lines::open(&path).unwrap();
        assert!(lines.next(|line| matches!(line, Line::Long(_))).unwrap().unwrap().1);
        let (span, held) = lines.next(|line| matches!(line, Line::Held(b"b"))).unwrap().unwrap();
        assert!(held);
        assert_eq!(span, Span { offset: 5 * HELD_BYTES as u64 + 1, len: 1, line: 2 });
        std::fs::remove_file(&path).unwrap();
    }
}
