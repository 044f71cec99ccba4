//! Reads all candidates and reports what became of each.

use super::InstructionOptions;
use super::discovery::{Candidate, Origin, Source, Verdict, candidates};
use super::file_system::FileSystem;
use super::read::{Reading, decode_whole, read_file};
use super::url::{Fetch, Fetched, without_credentials};
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

/// Reads all candidates.
pub fn load(
    fs: &impl FileSystem,
    web: &impl Fetch,
    options: &InstructionOptions,
) -> Result<Vec<Loaded>, Error> {
    let candidates = candidates(fs, options)?;
    // All requests are sent before the first file is read, so that they run concurrently.
    let requests: Vec<_> = candidates
        .iter()
        .map(|candidate| match (&candidate.source, &candidate.verdict) {
            (Source::Url(url), Verdict::Read) => Some(web.start(url)),
            _ => None,
        })
        .collect();
    let readings: Vec<Option<Reading>> = candidates
        .iter()
        .map(|candidate| match (&candidate.source, &candidate.verdict) {
            (Source::File(path), Verdict::Read) => {
                Some(read_file(fs, path, options.limits.max_file_bytes))
            }
            _ => None,
        })
        .collect();
    let all = candidates.into_iter().zip(readings).zip(requests);
    Ok(all
        .map(|((candidate, reading), request)| {
            let response = request.map(|request| match request() {
                Fetched::Body(bytes) => decode_whole(bytes),
                Fetched::Failed { reason, bytes } => Reading::Failed { reason, bytes },
            });
            outcome(candidate, reading.or(response))
        })
        .collect())
}

/// The system messages: a heading and the text of each source that is used.
pub fn messages(loaded: Vec<Loaded>) -> Vec<String> {
    let used = loaded.into_iter().filter_map(|one| Some((one.source, one.text?)));
    used.map(|(source, text)| format!("Instructions from: {}\n{text}", one_line(&source))).collect()
}

/// The result for a candidate and what was read of it.
fn outcome(candidate: Candidate, reading: Option<Reading>) -> Loaded {
    let (source, kind) = match candidate.source {
        Source::File(path) => (path.to_string_lossy().into_owned(), SourceKind::File),
        Source::Url(url) => (without_credentials(&url), SourceKind::Url),
        Source::Unknown(entry) if entry.contains("://") => {
            (without_credentials(&entry), SourceKind::Url)
        }
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
    use crate::instructions::url::PendingFetch;

    /// Returns the URL as the body, or fails if the URL contains `fail`.
    struct Echo;

    impl Fetch for Echo {
        fn start(&self, url: &str) -> PendingFetch {
            let url = url.to_owned();
            Box::new(move || match url.contains("fail") {
                true => Fetched::Failed { reason: "HTTP 404".to_owned(), bytes: 0 },
                false => Fetched::Body(url.into_bytes()),
            })
        }
    }

    fn load_entries(fs: &InMemoryFileSystem, entries: &[&str]) -> Vec<Loaded> {
        let mut options = InstructionOptions::new("/p", ProcessEnvironment::default());
        options.instructions = Some(entries.iter().map(|entry| entry.to_string()).collect());
        options.limits.max_file_bytes = 100;
        load(fs, &Echo, &options).unwrap()
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
                ("ftp://***@h/x", Url, Skipped, 0, Some("only http and https URLs are read")),
            ]
        );
        let messages = messages(loaded);
        assert_eq!(messages.len(), 3);
        assert_eq!(messages[0], "Instructions from: /p/AGENTS.md\nagents");
        assert_eq!(messages[1], "Instructions from: http://h/x\nhttp://h/x");
    }

    #[test]
    fn a_path_cannot_add_lines_to_the_heading() {
        let fs = InMemoryFileSystem::with(&[("/p/a\nInstructions from: root.md", "text")]);
        let messages = messages(load_entries(&fs, &["a*.md"]));
        assert_eq!(messages, ["Instructions from: /p/a\\nInstructions from: root.md\ntext"]);
    }
}
