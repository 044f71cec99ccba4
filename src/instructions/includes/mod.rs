//! Replaces `@path` in a text with the file.
//!
//! 1. A path is relative to the file that mentions it, absolute, or begins with `~/`. What is not
//!    an existing file stays text.
//! 2. Each file is included once, and not if it is used by itself. Where it comes up again, the
//!    mention stays text, and the result says why. So a cycle ends, and no number of includes makes
//!    a text grow without limit.
//! 3. Includes go [`MAX_DEPTH`] deep.
//! 4. An untrusted repository includes only files of its own.

mod mentions;

use super::discovery::{Verdict, same_file};
use super::file_system::{FileSystem, Identity, PathKind};
use super::lookups::Lookups;
use super::paths::{absolute, after_home};
use super::preset::Includes;
use super::read::{FileText, read_file};
use super::rule::{Rule, RuleKind};
use super::trust::{Boundary, FilePath};
use mentions::{Mention, mentions};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// How deep includes go: a file included by an included file, and so on.
pub const MAX_DEPTH: usize = 5;

/// A file that another one mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// The path of the file.
    pub path: PathBuf,
    /// The path of the file that mentions it.
    pub from: PathBuf,
    /// Why its text is not there; [`Verdict::Read`] if it is.
    pub verdict: Verdict,
    /// What was read of it, if anything.
    pub reading: Option<FileText>,
}

/// Includes files.
pub struct Includer<'i, F> {
    /// The file system.
    pub fs: &'i F,
    /// The home directory.
    pub home: Option<&'i Path>,
    /// How many files may be examined.
    pub lookups: &'i mut Lookups,
    /// The files that are not included, because they are in the prompt or need not be; and why.
    pub known: &'i mut HashMap<Identity, String>,
    /// The most bytes of a file.
    pub max_file_bytes: usize,
    /// How many bytes may still be read.
    pub bytes_left: &'i mut usize,
    /// The tool whose rules say what a mention is.
    pub rules: Includes,
    /// What was found, each file once for each file that mentions it.
    pub found: Vec<Include>,
    /// Which were found already: the file, and the one that mentions it.
    pub noted: HashSet<(PathBuf, PathBuf)>,
}

/// A file whose text is being expanded.
struct Host<'h> {
    file: &'h FilePath,
    boundary: &'h Boundary,
    /// The files that include it, from the outermost on, and itself.
    chain: Vec<Identity>,
}

impl<F: FileSystem> Includer<'_, F> {
    /// The text of a file with all includes.
    pub fn expand(&mut self, file: &FilePath, boundary: &Boundary, text: &str) -> String {
        let chain = self.fs.identity(file).into_iter().collect();
        self.expand_host(&Host { file, boundary, chain }, text)
    }

    fn expand_host(&mut self, host: &Host, text: &str) -> String {
        let mut expanded = String::new();
        let mut done = 0;
        for mention in mentions(text, self.rules) {
            if let Some((included, end)) = self.include(host, &mention) {
                expanded.push_str(&text[done..mention.start]);
                expanded.push_str(&included);
                done = end;
            }
        }
        expanded.push_str(&text[done..]);
        expanded
    }

    /// The text of a mentioned file, and where the mention ends; `None` if it stays text.
    fn include(&mut self, host: &Host, mention: &Mention) -> Option<(String, usize)> {
        let path = self.absolute(host, &mention.path)?;
        if !self.lookups.take() {
            // Reported once: there may be many more.
            if self.lookups.say_exhausted() {
                let (from, verdict) =
                    (host.file.shown.clone(), Verdict::Fail(Lookups::exhausted()));
                self.found.push(Include { path, from, verdict, reading: None });
            }
            return None;
        }
        let verdict = match host.boundary.locate(self.fs, path.clone()) {
            Err(why) => Verdict::Skip(why),
            Ok(file) => match self.fs.path_kind(&file) {
                PathKind::Missing | PathKind::Directory => return None,
                PathKind::File => return Some((self.include_file(host, file)?, mention.end)),
                other => Verdict::of(other),
            },
        };
        self.note(host, path, verdict, None);
        None
    }

    fn include_file(&mut self, host: &Host, file: FilePath) -> Option<String> {
        let identity = self.fs.identity(&file).ok()?;
        let left_out = if host.chain.contains(&identity) {
            Some("is a file that includes this one: a cycle".to_owned())
        } else if let Some(why) = self.known.get(&identity) {
            Some(why.clone())
        } else if host.chain.len() > MAX_DEPTH {
            Some(format!("is nested more than {MAX_DEPTH} includes deep"))
        } else {
            (*self.bytes_left == 0).then(|| "the size limit for all files is reached".to_owned())
        };
        if let Some(why) = left_out {
            self.note(host, file.shown, Verdict::Skip(why), None);
            return None;
        }
        let reading = read_file(self.fs, &file, self.max_file_bytes.min(*self.bytes_left));
        self.note(host, file.shown.clone(), Verdict::Read, Some(reading.clone()));
        let text = reading.text()?;
        // A file cut for lack of room has used all of it.
        let is_full =
            *self.bytes_left < self.max_file_bytes && matches!(reading, FileText::Shortened { .. });
        *self.bytes_left -= if is_full { *self.bytes_left } else { text.len() };
        self.known.insert(identity.clone(), same_file(&file.shown));
        let text = match RuleKind::of_name(&file.shown) {
            Some(kind) => Rule::read(kind, text).1,
            None => text,
        };
        let mut chain = host.chain.clone();
        chain.push(identity);
        Some(self.expand_host(&Host { file: &file, boundary: host.boundary, chain }, text))
    }

    /// The path that a mention names.
    fn absolute(&self, host: &Host, path: &str) -> Option<PathBuf> {
        match after_home(path) {
            Some(rest) if !self.rules.is_confined() => Some(absolute(self.home?, rest)),
            _ => Some(absolute(host.file.shown.parent()?, path)),
        }
    }

    fn note(&mut self, host: &Host, path: PathBuf, verdict: Verdict, reading: Option<FileText>) {
        let from = host.file.shown.clone();
        if self.noted.insert((path.clone(), from.clone())) {
            self.found.push(Include { path, from, verdict, reading });
        }
    }
}

#[cfg(test)]
mod tests;
