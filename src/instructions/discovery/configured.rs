//! What the configuration names: paths, patterns and URLs.

use super::{Finder, Origin, Source, Verdict};
use crate::instructions::config::{Author, Config};
use crate::instructions::file_system::{FileSystem, PathKind};
use crate::instructions::lookups::Lookups;
use crate::instructions::paths::{absolute, after_home};
use crate::instructions::pattern::{NO_NEGATION, PathPattern, is_pattern};
use crate::instructions::preset::Relative;
use crate::instructions::rule::{RuleKind, RulePlace};
use crate::instructions::trust::{FilePath, NOT_FETCHED};
use crate::instructions::url::{Address, classify};
use std::path::{Path, PathBuf};

impl<F: FileSystem> Finder<'_, F> {
    /// Everything that configurations name.
    pub(super) fn configured(&mut self, configs: &[Config]) {
        let entries = || configs.iter().flat_map(|config| &config.instructions);
        let all = configs
            .iter()
            .flat_map(|config| config.instructions.iter().map(move |entry| (config, entry)));
        for (index, (config, entry)) in all.enumerate() {
            if !self.lookups.take() {
                let more = entries().count() - index - 1;
                let also = format!("; {more} more entries were not examined either");
                let why = Lookups::exhausted() + if more == 0 { "" } else { &also };
                self.add_unknown(entry, Verdict::Fail(why));
                break;
            }
            self.entry(config, entry);
        }
    }

    fn entry(&mut self, config: &Config, entry: &str) {
        let is_refused = config.author == Author::Project && !self.project.boundary.is_open();
        let verdict = match classify(entry) {
            Address::Web if is_refused => Verdict::Skip(NOT_FETCHED.to_owned()),
            Address::Web => Verdict::Read,
            Address::OtherScheme => Verdict::Skip("only http and https URLs are read".to_owned()),
            Address::Path if entry.is_empty() => Verdict::Skip("is an empty entry".to_owned()),
            Address::Path if entry.starts_with('!') => Verdict::Fail(NO_NEGATION.to_owned()),
            Address::Path => return self.path(config, entry),
        };
        match classify(entry) {
            Address::Web => self.add(Source::Url(entry.to_owned()), Origin::Config, verdict),
            _ => self.add_unknown(entry, verdict),
        }
    }

    /// A path or a pattern.
    fn path(&mut self, config: &Config, entry: &str) {
        let options = self.options;
        let (bases, rest): (Vec<&Path>, &str) = match (after_home(entry), &options.process.home) {
            (Some(rest), Some(home)) => (vec![home], rest),
            (Some(_), None) => {
                let why = "the home directory is not known".to_owned();
                return self.add_unknown(entry, Verdict::Fail(why));
            }
            (None, _) if options.preset.relative == Relative::EveryDirectory => {
                return self.in_every_directory(config, entry);
            }
            // Paths are relative to the working directory. If nothing is there, they are relative
            // to the directory of the configuration file.
            (None, _) => {
                let of_file = config.directory.as_deref().filter(|of| *of != options.directory);
                let bases = [Some(options.directory.as_path()), of_file];
                (bases.into_iter().flatten().collect(), entry)
            }
        };
        for base in &bases {
            match self.in_directory(config, base, rest) {
                Ok(false) => {}
                Ok(true) => return,
                Err(verdict) => return self.add_unknown(entry, verdict),
            }
        }
        self.add_missing(bases[0], entry, rest);
    }

    /// A relative path or a pattern, in each directory of the project.
    fn in_every_directory(&mut self, config: &Config, entry: &str) {
        let mut is_any = false;
        for directory in self.directories() {
            match self.in_directory(config, directory, entry) {
                Ok(found) => is_any |= found,
                Err(verdict) => return self.add_unknown(entry, verdict),
            }
        }
        if !is_any {
            self.add_missing(&self.options.directory, entry, entry);
        }
    }

    /// Adds what a path or a pattern leads to from a directory. Returns false if there is nothing,
    /// and an error if there is more to say about the pattern.
    fn in_directory(&mut self, config: &Config, base: &Path, rest: &str) -> Result<bool, Verdict> {
        // A path that exists is not a pattern, even if it contains special characters.
        if self.add_configured(config, absolute(base, rest)) != PathKind::Missing {
            return Ok(true);
        }
        if is_pattern(rest) { self.pattern(config, base, rest) } else { Ok(false) }
    }

    fn add_missing(&mut self, base: &Path, entry: &str, rest: &str) {
        if is_pattern(rest) {
            let why = "no file matches the pattern".to_owned();
            return self.add_unknown(entry, Verdict::Skip(why));
        }
        let missing = Source::File(FilePath::trusted(absolute(base, rest)));
        self.add(missing, Origin::Config, Verdict::of(PathKind::Missing));
    }

    /// Adds the files that match a pattern. Returns false if there is none, and an error if there
    /// is more to say about the pattern.
    fn pattern(&mut self, config: &Config, base: &Path, rest: &str) -> Result<bool, Verdict> {
        let before = self.candidates.len();
        let pattern = PathPattern::new(base, rest).map_err(Verdict::Fail)?;
        let start = match self.is_trusted(config, &pattern.start) {
            true => FilePath::trusted(pattern.start.clone()),
            false => self
                .project
                .boundary
                .locate(self.fs, pattern.start.clone())
                .map_err(Verdict::Skip)?,
        };
        let found = pattern.expand(self.fs, &start, &mut self.lookups);
        for relative in found.files {
            self.add_configured(config, pattern.start.join(relative));
        }
        match found.cut_short {
            Some(why) => Err(Verdict::Fail(format!("{why}: make the pattern narrower"))),
            None => Ok(self.candidates.len() > before),
        }
    }

    /// Adds an entry that is neither a file nor a URL.
    fn add_unknown(&mut self, entry: &str, verdict: Verdict) {
        self.add(Source::Unknown(entry.to_owned()), Origin::Config, verdict);
    }

    /// Whether a path that a configuration names is read wherever it leads.
    fn is_trusted(&self, config: &Config, path: &Path) -> bool {
        let boundary = &self.project.boundary;
        match config.author {
            Author::Caller => true,
            Author::User => boundary.is_open() || !boundary.contains(path),
            Author::Project => boundary.is_open(),
        }
    }

    fn add_configured(&mut self, config: &Config, path: PathBuf) -> PathKind {
        let kind = RuleKind::of_name(&path);
        let rule = kind.map(|kind| RulePlace { kind, base: self.project.root.clone() });
        let is_trusted = self.is_trusted(config, &path);
        self.add_file(path, Origin::Config, is_trusted, rule)
    }
}
