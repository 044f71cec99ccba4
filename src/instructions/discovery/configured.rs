//! What the configuration names: paths, patterns and URLs.

use super::{Finder, Origin, Source, Verdict};
use crate::instructions::config::Config;
use crate::instructions::file_system::{FileSystem, PathKind};
use crate::instructions::lookups::Lookups;
use crate::instructions::paths::{absolute, after_home};
use crate::instructions::pattern::{NO_NEGATION, PathPattern, is_pattern};
use crate::instructions::rule::{RuleKind, RulePlace};
use crate::instructions::trust::{FilePath, NOT_FETCHED};
use crate::instructions::url::{Address, classify};
use std::path::{Path, PathBuf};

impl<F: FileSystem> Finder<'_, F> {
    /// Everything that a configuration names.
    pub(super) fn configured(&mut self, config: &Config) {
        for (index, entry) in config.instructions.iter().enumerate() {
            if !self.lookups.take() {
                let more = config.instructions.len() - index - 1;
                let also = format!("; {more} more entries were not looked at either");
                let why = Lookups::exhausted() + if more == 0 { "" } else { &also };
                self.add(Source::Unknown(entry.clone()), Origin::Config, Verdict::Fail(why));
                break;
            }
            self.entry(config, entry);
        }
    }

    fn entry(&mut self, config: &Config, entry: &str) {
        let unknown = || Source::Unknown(entry.to_owned());
        let is_refused = !config.is_trusted && !self.boundary.is_open();
        let verdict = match classify(entry) {
            Address::Web if is_refused => Verdict::Skip(NOT_FETCHED.to_owned()),
            Address::Web => Verdict::Read,
            Address::OtherScheme => Verdict::Skip("only http and https URLs are read".to_owned()),
            Address::Path if entry.is_empty() => Verdict::Skip("is an empty entry".to_owned()),
            Address::Path if entry.starts_with('!') => Verdict::Fail(NO_NEGATION.to_owned()),
            Address::Path => return self.path(config, entry),
        };
        let source = match classify(entry) {
            Address::Web => Source::Url(entry.to_owned()),
            _ => unknown(),
        };
        self.add(source, Origin::Config, verdict);
    }

    /// A path or a pattern.
    fn path(&mut self, config: &Config, entry: &str) {
        let options = self.options;
        let (bases, rest): (Vec<&Path>, &str) = match (after_home(entry), &options.process.home) {
            (Some(rest), Some(home)) => (vec![home], rest),
            (Some(_), None) => {
                let why = "the home directory is not known".to_owned();
                let source = Source::Unknown(entry.to_owned());
                return self.add(source, Origin::Config, Verdict::Fail(why));
            }
            // Paths are relative to the working directory. If nothing is there, they are relative
            // to the directory of the configuration file.
            (None, _) => {
                let of_file = config.directory.as_deref().filter(|of| *of != options.directory);
                let bases = [Some(options.directory.as_path()), of_file];
                (bases.into_iter().flatten().collect(), entry)
            }
        };
        // A path that exists is not a pattern, even if it contains special characters.
        for base in &bases {
            if self.add_configured(config, absolute(base, rest)) != PathKind::Missing {
                return;
            }
        }
        if !is_pattern(rest) {
            let missing = Source::File(FilePath::trusted(absolute(bases[0], rest)));
            return self.add(missing, Origin::Config, Verdict::of(PathKind::Missing));
        }
        for base in bases {
            if self.pattern(config, entry, base, rest) {
                return;
            }
        }
        let why = "no file matches the pattern".to_owned();
        self.add(Source::Unknown(entry.to_owned()), Origin::Config, Verdict::Skip(why));
    }

    /// Adds the files that match a pattern. Returns false if there is nothing to say of it.
    fn pattern(&mut self, config: &Config, entry: &str, base: &Path, rest: &str) -> bool {
        let before = self.candidates.len();
        let unknown = || Source::Unknown(entry.to_owned());
        let pattern = match PathPattern::new(base, rest) {
            Ok(pattern) => pattern,
            Err(why) => {
                self.add(unknown(), Origin::Config, Verdict::Fail(why));
                return true;
            }
        };
        let start = match config.is_trusted {
            true => Ok(FilePath::trusted(pattern.start.clone())),
            false => self.boundary.locate(self.fs, pattern.start.clone()),
        };
        let start = match start {
            Ok(start) => start.real,
            Err(why) => {
                self.add(unknown(), Origin::Config, Verdict::Skip(why));
                return true;
            }
        };
        let found = pattern.expand(self.fs, &start, &mut self.lookups);
        for relative in found.files {
            self.add_configured(config, pattern.start.join(relative));
        }
        if let Some(why) = found.cut_short {
            let why = format!("{why}: make the pattern narrower");
            self.add(unknown(), Origin::Config, Verdict::Fail(why));
        }
        self.candidates.len() > before
    }

    fn add_configured(&mut self, config: &Config, path: PathBuf) -> PathKind {
        let kind = RuleKind::of_name(&path);
        let rule = kind.map(|kind| RulePlace { kind, base: self.root.to_owned() });
        let is_trusted = config.is_trusted || self.boundary.is_open();
        self.add_file(path, Origin::Config, is_trusted, rule)
    }
}
