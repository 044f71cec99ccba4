//! What happened to each source, and the messages made from them.

use super::discovery::{Candidate, Origin, Source, Verdict};
use super::includes::Include;
use super::read::{FileText, decode_whole};
use super::rule::{Applies, Rule};
use super::sources::Entry;
use super::url::{Fetched, shown_url};
use crate::text::one_line;
use serde::Serialize;

/// What happened to a source.
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

/// A source, and what happened to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Loaded {
    /// The path or URL.
    pub source: String,
    /// Whether it is a path or a URL.
    pub kind: SourceKind,
    /// Where it comes from.
    pub origin: Origin,
    /// For an include: the path of the file that mentions it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What happened to it.
    #[serde(flatten)]
    pub result: Outcome,
    /// For a rule: the patterns of the paths that it applies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies_to: Option<Vec<String>>,
    /// For a rule: what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// What happened to a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// In one word.
    pub status: Status,
    /// The text, if it is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The size of the source, as far as it is known.
    pub bytes: u64,
    /// Why the text is not used, or not all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What happened to each source. `responses` are those for the URLs, in the same order.
pub fn finish(entries: Vec<Entry>, responses: Vec<Fetched>) -> Vec<Loaded> {
    let mut responses = responses.into_iter();
    let mut loaded = Vec::new();
    for mut entry in entries {
        if let (Source::Url(_), Verdict::Read) = (&entry.candidate.source, &entry.candidate.verdict)
        {
            match responses.next() {
                None => {}
                Some(Fetched::Body(bytes)) => entry.reading = Some(decode_whole(&bytes)),
                Some(Fetched::Failed { reason, bytes }) => {
                    entry.reading = Some(FileText::Failed { reason, bytes });
                }
                Some(Fetched::Refused(reason)) => entry.candidate.verdict = Verdict::Skip(reason),
            }
        }
        let includes = std::mem::take(&mut entry.includes);
        loaded.push(outcome(entry));
        loaded.extend(includes.into_iter().map(included));
    }
    loaded
}

/// The system messages: a heading and the text of each source that is used.
pub fn messages(loaded: &[Loaded]) -> Vec<String> {
    let used = loaded.iter().filter_map(|one| Some((&one.source, one.result.text.as_ref()?)));
    used.map(|(source, text)| format!("Instructions from: {}\n{text}", one_line(source))).collect()
}

/// What happened to a source.
fn outcome(entry: Entry) -> Loaded {
    let Candidate { source, origin, verdict, .. } = entry.candidate;
    let (source, kind) = match source {
        Source::File(file) => (file.shown.to_string_lossy().into_owned(), SourceKind::File),
        Source::Url(url) => (shown_url(&url), SourceKind::Url),
        Source::Unknown(entry) if entry.contains("://") => (shown_url(&entry), SourceKind::Url),
        Source::Unknown(entry) => (entry, SourceKind::File),
    };
    let result = result(verdict, entry.reading);
    let (applies_to, description) = match entry.rule {
        Some(Rule { applies: Applies::Paths(patterns), description }) => {
            (Some(patterns), description)
        }
        Some(rule) => (None, rule.description),
        None => (None, None),
    };
    Loaded { source, kind, origin, from: None, result, applies_to, description }
}

/// What happened to a file that another one mentions. Its text is part of the other's.
fn included(include: Include) -> Loaded {
    let result = Outcome { text: None, ..result(include.verdict, include.reading) };
    Loaded {
        source: include.path.to_string_lossy().into_owned(),
        kind: SourceKind::File,
        origin: Origin::Include,
        from: Some(include.from.to_string_lossy().into_owned()),
        result,
        applies_to: None,
        description: None,
    }
}

fn result(verdict: Verdict, reading: Option<FileText>) -> Outcome {
    let bytes = reading.as_ref().map_or(0, FileText::bytes);
    let replaced = reading.as_ref().and_then(replaced);
    let (status, text, reason) = match (verdict, reading) {
        (Verdict::Skip(reason), _) => (Status::Skipped, None, Some(reason)),
        (Verdict::Fail(reason), _) => (Status::Failed, None, Some(reason)),
        (Verdict::Read, Some(FileText::Whole { text, .. })) => {
            (Status::Loaded, Some(text), replaced)
        }
        (Verdict::Read, Some(FileText::Shortened { text, kept_bytes, .. })) => {
            let reason = format!("has {bytes} bytes and was shortened to {kept_bytes}");
            let reasons: Vec<String> = [Some(reason), replaced].into_iter().flatten().collect();
            (Status::Truncated, Some(text), Some(reasons.join("; ")))
        }
        (Verdict::Read, Some(FileText::Empty { .. })) => {
            (Status::Empty, None, Some("has no text".to_owned()))
        }
        (Verdict::Read, Some(FileText::Failed { reason, .. })) => {
            (Status::Failed, None, Some(reason))
        }
        (Verdict::Read, None) => (Status::Failed, None, Some("was not read".to_owned())),
    };
    Outcome { status, text, bytes, reason }
}

/// Says that bytes were replaced, if there were any.
fn replaced(reading: &FileText) -> Option<String> {
    match reading.replaced_bytes() {
        0 => None,
        1 => Some("1 byte that is not UTF-8 was replaced".to_owned()),
        many => Some(format!("{many} bytes that are not UTF-8 were replaced")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::in_memory::InMemoryFileSystem;
    use crate::instructions::sources::Sources;
    use crate::instructions::{InstructionOptions, ProcessEnvironment};

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
        finish(sources.entries, responses)
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
                let Outcome { status, bytes, reason, .. } = &one.result;
                (one.source.as_str(), one.kind, *status, *bytes, reason.as_deref())
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
