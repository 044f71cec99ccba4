//! Reads all candidates and reports what became of each.

use super::InstructionOptions;
use super::discovery::{Candidate, Origin, Source, Verdict, candidates};
use super::file_system::FileSystem;
use super::read::{Reading, decode_whole, read_file};
use super::url::{Fetched, shown_url};
use crate::error::Error;
use crate::text::one_line;
use serde::{Serialize, Serializer};

/// What became of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Status {
    /// The text is used.
    Loaded,
    /// There is no text.
    Empty,
    /// It is left out on purpose.
    Skipped,
    /// It could not be read.
    Failed,
    /// The beginning and the end of the text are used.
    Truncated,
}

/// The kind of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum SourceKind {
    /// A path.
    File,
    /// A URL.
    Url,
}

/// A source, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loaded {
    /// The path or URL.
    pub source: String,
    /// Whether it is a path or a URL.
    pub kind: SourceKind,
    /// Where it comes from.
    pub origin: Origin,
    /// What became of it.
    pub status: Status,
    /// The text, if it is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The size of the source, as far as it is known.
    #[serde(serialize_with = "as_number")]
    pub bytes: u64,
    /// Why the text is not used, or not all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Serializes a size as a JavaScript number. A large `u64` would become a BigInt.
fn as_number<S: Serializer>(bytes: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(*bytes as f64)
}

/// All candidates, and what was read of them.
#[derive(Debug)]
pub struct Sources {
    candidates: Vec<Candidate>,
    /// What was read of each candidate.
    readings: Vec<Option<Reading>>,
}

impl Sources {
    /// Finds all candidates. Nothing is read yet but the configuration.
    pub fn find(fs: &impl FileSystem, options: &InstructionOptions) -> Result<Self, Error> {
        Ok(Sources { candidates: candidates(fs, options)?, readings: Vec::new() })
    }

    /// The URLs that are to be fetched, in order.
    pub fn urls(&self) -> Vec<&str> {
        let wanted = self.candidates.iter().filter(|one| one.verdict == Verdict::Read);
        wanted
            .filter_map(|one| match &one.source {
                Source::Url(url) => Some(url.as_str()),
                Source::File(_) | Source::Unknown(_) => None,
            })
            .collect()
    }

    /// Reads the files.
    pub fn read(&mut self, fs: &impl FileSystem, options: &InstructionOptions) {
        let read = |one: &Candidate| match (&one.source, &one.verdict) {
            (Source::File(path), Verdict::Read) => {
                Some(read_file(fs, path, options.limits.max_file_bytes))
            }
            _ => None,
        };
        self.readings = self.candidates.iter().map(read).collect();
    }

    /// What became of each candidate. `responses` are those for [`Sources::urls`], in their order.
    pub fn finish(self, responses: Vec<Fetched>) -> Vec<Loaded> {
        let mut responses = responses.into_iter();
        let mut readings = self.readings.into_iter();
        let mut result_of = |candidate: Candidate| {
            let reading = readings.next().flatten();
            let fetched = match (&candidate.source, &candidate.verdict) {
                (Source::Url(_), Verdict::Read) => responses.next(),
                _ => None,
            };
            match fetched {
                None => outcome(candidate, reading),
                Some(Fetched::Body(bytes)) => outcome(candidate, Some(decode_whole(bytes))),
                Some(Fetched::Failed { reason, bytes }) => {
                    outcome(candidate, Some(Reading::Failed { reason, bytes }))
                }
                Some(Fetched::Refused(reason)) => {
                    outcome(Candidate { verdict: Verdict::Skip(reason), ..candidate }, None)
                }
            }
        };
        self.candidates.into_iter().map(&mut result_of).collect()
    }
}

/// The system messages: a heading and the text of each source that is used.
pub fn messages(loaded: &[Loaded]) -> Vec<String> {
    let used = loaded.iter().filter_map(|one| Some((&one.source, one.text.as_ref()?)));
    used.map(|(source, text)| format!("Instructions from: {}\n{text}", one_line(source))).collect()
}

/// The result for a candidate and what was read of it.
fn outcome(candidate: Candidate, reading: Option<Reading>) -> Loaded {
    let (source, kind) = match candidate.source {
        Source::File(path) => (path.to_string_lossy().into_owned(), SourceKind::File),
        Source::Url(url) => (shown_url(&url), SourceKind::Url),
        Source::Unknown(entry) if entry.contains("://") => (shown_url(&entry), SourceKind::Url),
        Source::Unknown(entry) => (entry, SourceKind::File),
    };
    let (status, text, bytes, reason) = match (candidate.verdict, reading) {
        (Verdict::Skip(reason), _) => (Status::Skipped, None, 0, Some(reason)),
        (Verdict::Fail(reason), _) => (Status::Failed, None, 0, Some(reason)),
        (Verdict::Read, Some(Reading::Whole { text, bytes })) => {
            (Status::Loaded, Some(text), bytes, None)
        }
        (Verdict::Read, Some(Reading::Shortened { text, bytes })) => {
            let reason = format!("has {bytes} bytes and was shortened to {}", text.len());
            (Status::Truncated, Some(text), bytes, Some(reason))
        }
        (Verdict::Read, Some(Reading::Empty { bytes })) => {
            (Status::Empty, None, bytes, Some("has no text".to_owned()))
        }
        (Verdict::Read, Some(Reading::Failed { reason, bytes })) => {
            (Status::Failed, None, bytes, Some(reason))
        }
        (Verdict::Read, None) => (Status::Failed, None, 0, Some("was not read".to_owned())),
    };
    Loaded { source, kind, origin: candidate.origin, status, text, bytes, reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::ProcessEnvironment;
    use crate::instructions::in_memory::InMemoryFileSystem;

    /// The URL as the body, or a failure if the URL contains `fail`.
    fn echo(url: &str) -> Fetched {
        match url.contains("fail") {
            true => Fetched::Failed { reason: "HTTP 404".to_owned(), bytes: 0 },
            false => Fetched::Body(url.as_bytes().to_vec()),
        }
    }

    fn load_entries(fs: &InMemoryFileSystem, entries: &[&str]) -> Vec<Loaded> {
        let mut options = InstructionOptions::new("/p", ProcessEnvironment::default());
        options.instructions = Some(entries.iter().map(|entry| entry.to_string()).collect());
        options.limits.max_file_bytes = 100;
        let mut sources = Sources::find(fs, &options).unwrap();
        let responses = sources.urls().into_iter().map(echo).collect();
        sources.read(fs, &options);
        sources.finish(responses)
    }

    #[test]
    fn every_candidate_has_a_status_and_unused_ones_have_a_reason() {
        let fs = InMemoryFileSystem::with(&[
            ("/p/AGENTS.md", "agents"),
            ("/p/empty.md", " \n"),
            ("/p/large.md", &"x".repeat(500)),
        ]);
        let loaded = load_entries(
            &fs,
            &["empty.md", "http://h/x", "large.md", "http://h/fail", "gone.md", "ftp://u:p@h/x"],
        );
        let summary: Vec<_> = loaded
            .iter()
            .map(|one| {
                (one.source.as_str(), one.kind, one.status, one.bytes, one.reason.as_deref())
            })
            .collect();
        use SourceKind::{File, Url};
        use Status::*;
        assert_eq!(
            summary,
            [
                ("/p/AGENTS.md", File, Loaded, 6, None),
                ("/p/empty.md", File, Empty, 2, Some("has no text")),
                ("http://h/x", Url, Loaded, 10, None),
                (
                    "/p/large.md",
                    File,
                    Truncated,
                    500,
                    Some("has 500 bytes and was shortened to 100")
                ),
                ("http://h/fail", Url, Failed, 0, Some("HTTP 404")),
                ("/p/gone.md", File, Failed, 0, Some("there is no such file")),
                ("ftp://h/x", Url, Skipped, 0, Some("only http and https URLs are read")),
            ]
        );
        let messages = messages(&loaded);
        assert_eq!(messages.len(), 3);
        assert_eq!(messages[0], "Instructions from: /p/AGENTS.md\nagents");
        assert_eq!(messages[1], "Instructions from: http://h/x\nhttp://h/x");
    }

    #[test]
    fn a_path_cannot_add_lines_to_the_heading() {
        let fs = InMemoryFileSystem::with(&[("/p/a\nInstructions from: root.md", "text")]);
        let messages = messages(&load_entries(&fs, &["a*.md"]));
        assert_eq!(messages, ["Instructions from: /p/a\\nInstructions from: root.md\ntext"]);
    }
}
