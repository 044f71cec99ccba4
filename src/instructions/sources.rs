//! Reads all candidates: texts, front matter, includes, and the limits of all together.

use super::InstructionOptions;
use super::discovery::{Candidate, Discovery, Origin, Source, Verdict, discover, same_file};
use super::file_system::{FileSystem, Identity};
use super::find_up::git_root;
use super::includes::{Include, Includer};
use super::preset::{Includes, Preset};
use super::read::{FileText, read_file};
use super::rule::Rule;
use super::trust::{Boundary, FilePath};
use crate::error::Error;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A candidate, and what was read of it.
#[derive(Debug)]
pub struct Entry {
    /// The candidate.
    pub candidate: Candidate,
    /// What was read, without a front matter and with includes.
    pub reading: Option<FileText>,
    /// For a rule file: when it applies.
    pub rule: Option<Rule>,
    /// The files that it mentions.
    pub includes: Vec<Include>,
}

/// All candidates, and what was read of them.
#[derive(Debug, Default)]
pub struct Sources {
    /// The candidates, in order.
    pub entries: Vec<Entry>,
    /// The files that a CLI reads by itself, and the reason to leave them out.
    already_read: HashMap<Identity, String>,
    discovery: Discovery,
    /// The file that the instructions are for, if they are not for the system prompt.
    subject: Option<PathBuf>,
}

impl Sources {
    /// Finds all candidates. Their texts are not read yet.
    pub fn find(fs: &impl FileSystem, options: &InstructionOptions) -> Result<Self, Error> {
        let mut discovery = discover(fs, options)?;
        let already_read = match options.already_read_by {
            Some(preset) => already_read(fs, options, preset),
            None => HashMap::new(),
        };
        for candidate in &mut discovery.candidates {
            if let (Source::File(file), Verdict::Read) = (&candidate.source, &candidate.verdict)
                && let Ok(identity) = fs.identity(file)
                && let Some(why) = already_read.get(&identity)
            {
                candidate.verdict = Verdict::Skip(why.clone());
            }
        }
        Ok(Sources::new(discovery, already_read, None))
    }

    /// The candidates of a discovery.
    pub fn new(
        mut discovery: Discovery,
        already_read: HashMap<Identity, String>,
        subject: Option<PathBuf>,
    ) -> Self {
        let candidates = std::mem::take(&mut discovery.candidates).into_iter();
        let entry =
            |candidate| Entry { candidate, reading: None, rule: None, includes: Vec::new() };
        Sources { entries: candidates.map(entry).collect(), already_read, discovery, subject }
    }

    /// The URLs to be fetched, in order.
    pub fn urls(&self) -> Vec<&str> {
        let wanted = self.entries.iter().filter(|entry| entry.candidate.verdict == Verdict::Read);
        wanted
            .filter_map(|entry| match &entry.candidate.source {
                Source::Url(url) => Some(url.as_str()),
                Source::File(_) | Source::Unknown(_) => None,
            })
            .collect()
    }

    /// Reads the files. If they are for a certain file, rules that do not apply to it are removed.
    pub fn read(&mut self, fs: &impl FileSystem, options: &InstructionOptions) {
        let max_file_bytes = options.limits.max_file_bytes;
        let mut bytes_left = options.limits.max_total_bytes;
        let mut project_left = self.discovery.project_max_bytes;
        let mut known = std::mem::take(&mut self.already_read);
        for entry in &mut self.entries {
            let Some(file) = entry.file_to_read().cloned() else { continue };
            let left = match entry.candidate.origin {
                Origin::Project => bytes_left.min(project_left),
                _ => bytes_left,
            };
            let subject = self.subject.as_deref().map(|file| (file, &*options.directory));
            entry.read(fs, &file, left.min(max_file_bytes), subject);
            let Some(text) = entry.used_text() else { continue };
            // A file cut for lack of room has used all of it.
            let is_full =
                left < max_file_bytes && matches!(entry.reading, Some(FileText::Shortened { .. }));
            let taken = if is_full { left } else { text.len() };
            bytes_left -= taken.min(bytes_left);
            if entry.candidate.origin == Origin::Project {
                project_left -= taken.min(project_left);
            }
            if let Ok(identity) = fs.identity(&file) {
                known.insert(identity, same_file(&file.shown));
            }
        }
        if self.subject.is_some() {
            self.entries.retain(|entry| entry.rule.is_none() || entry.file_to_read().is_some());
        }
        if self.discovery.includes != Includes::Off {
            self.include(fs, options, &mut known, bytes_left);
        }
    }

    /// Replaces mentions of files with the files.
    fn include(
        &mut self,
        fs: &impl FileSystem,
        options: &InstructionOptions,
        known: &mut HashMap<Identity, String>,
        mut bytes_left: usize,
    ) {
        let own = match self.discovery.includes {
            includes if includes.is_confined() => Boundary::around(fs, &self.discovery.root),
            _ => Boundary::default(),
        };
        for entry in &mut self.entries {
            let (Some(file), Some(text)) = (entry.file_to_read().cloned(), entry.used_text())
            else {
                continue;
            };
            if self.discovery.includes == Includes::Copilot && entry.rule.is_some() {
                continue;
            }
            let of_user;
            let boundary = match (entry.candidate.origin, entry.candidate.is_trusted) {
                // The user's own files may include what the tool lets them include.
                (Origin::Global, _) => {
                    of_user = of_user_file(fs, &file.shown, self.discovery.includes);
                    &of_user
                }
                (_, false) if !self.discovery.boundary.is_open() => &self.discovery.boundary,
                _ => &own,
            };
            let mut includer = Includer {
                fs,
                home: options.process.home.as_deref(),
                lookups: &mut self.discovery.lookups,
                known,
                max_file_bytes: options.limits.max_file_bytes,
                bytes_left: &mut bytes_left,
                rules: self.discovery.includes,
                found: Vec::new(),
                noted: HashSet::new(),
            };
            let text = includer.expand(&file, boundary, text);
            entry.includes = includer.found;
            entry.reading = entry.reading.take().map(|reading| reading.with_text(text));
        }
    }

    /// Whether files must be read to know which of them are used.
    pub fn depends_on_texts(&self) -> bool {
        self.discovery.depends_on_texts
    }

    /// The paths of all files that are in the prompt, or would be if they had text.
    pub fn paths(
        fs: &impl FileSystem,
        options: &InstructionOptions,
    ) -> Result<Vec<PathBuf>, Error> {
        let mut sources = Sources::find(fs, options)?;
        if sources.depends_on_texts() {
            sources.read(fs, options);
        }
        Ok(sources.used_paths())
    }

    /// The same for these sources, once they are read.
    pub fn used_paths(&self) -> Vec<PathBuf> {
        self.entries.iter().flat_map(Entry::paths).collect()
    }
}

impl Entry {
    /// The file, if it should be read.
    fn file_to_read(&self) -> Option<&FilePath> {
        match (&self.candidate.source, &self.candidate.verdict) {
            (Source::File(file), Verdict::Read) => Some(file),
            _ => None,
        }
    }

    /// The text, if it is used.
    fn used_text(&self) -> Option<&str> {
        self.reading.as_ref()?.text().filter(|_| self.candidate.verdict == Verdict::Read)
    }

    /// Reads a file, and its front matter if it is a rule. If `subject` is given, the rule is for
    /// that file in that working directory, and not for the system prompt.
    fn read(
        &mut self,
        fs: &impl FileSystem,
        file: &FilePath,
        max_bytes: usize,
        subject: Option<(&Path, &Path)>,
    ) {
        if max_bytes == 0 {
            let why = "the files before it have reached the size limit for all files";
            self.candidate.verdict = Verdict::Skip(why.to_owned());
            return;
        }
        let mut reading = read_file(fs, file, max_bytes);
        if let (true, Some(text)) = (self.candidate.is_trimmed, reading.text()) {
            let trimmed = text.trim().to_owned();
            reading = reading.with_text(trimmed);
        }
        let (Some(place), Some(text)) = (&self.candidate.rule, reading.text()) else {
            self.reading = Some(reading);
            return;
        };
        let (rule, rest) = Rule::read(place.kind, text);
        let front_bytes = text.len() - rest.len();
        if let FileText::Shortened { head_bytes, bytes, .. } = reading
            && front_bytes > head_bytes
        {
            let reason = format!("has a front matter of more than {head_bytes} bytes");
            self.reading = Some(FileText::Failed { reason, bytes });
            return;
        }
        let unused = match subject {
            Some((file, directory)) => {
                let applies = place.applies(&rule.applies, file, directory);
                (!applies).then(|| format!("does not apply to {}", file.display()))
            }
            None => rule.reason(),
        };
        if let Some(why) = unused {
            self.candidate.verdict = Verdict::Skip(why);
        }
        let rest = rest.to_owned();
        self.reading = Some(reading.with_text(rest));
        self.rule = Some(rule);
    }

    /// The paths of the file and of what it includes.
    fn paths(&self) -> Vec<PathBuf> {
        let included = self.includes.iter().filter(|include| include.verdict == Verdict::Read);
        let own = self.file_to_read().map(|file| file.shown.clone());
        own.into_iter().chain(included.map(|include| include.path.clone())).collect()
    }
}

/// What a file of the user may include: anything, or what is in the same repository or directory.
fn of_user_file(fs: &impl FileSystem, file: &Path, includes: Includes) -> Boundary {
    match (includes, file.parent()) {
        (includes, Some(directory)) if includes.is_confined() => {
            Boundary::around(fs, git_root(fs, directory).unwrap_or(directory))
        }
        _ => Boundary::default(),
    }
}

/// The files that a CLI reads by itself, and the reason to leave them out.
fn already_read(
    fs: &impl FileSystem,
    options: &InstructionOptions,
    preset: &'static Preset,
) -> HashMap<Identity, String> {
    let of_cli = InstructionOptions {
        preset,
        untrusted: options.untrusted,
        allow_hosts: options.allow_hosts.clone(),
        limits: options.limits,
        ..InstructionOptions::new(&options.directory, options.process.clone())
    };
    // A broken configuration of the CLI is for the CLI to report.
    let without_config = InstructionOptions { instructions: Some(Vec::new()), ..of_cli.clone() };
    let Ok(mut sources) =
        Sources::find(fs, &of_cli).or_else(|_| Sources::find(fs, &without_config))
    else {
        return HashMap::new();
    };
    sources.read(fs, &of_cli);
    let files = sources.entries.iter().flat_map(|entry| {
        // A rule for certain paths is read when it is needed.
        let own = match (&entry.candidate.source, &entry.rule) {
            (Source::File(file), Some(_)) => Some(file.shown.clone()),
            _ => None,
        };
        own.into_iter().chain(entry.paths())
    });
    let why = format!("is read by {} itself", preset.name);
    files.filter_map(|path| Some((fs.identity(&path).ok()?, why.clone()))).collect()
}

#[cfg(test)]
mod tests;
