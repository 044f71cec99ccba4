//! Rule files: when a text applies, by its front matter.

use super::front_matter::{self, FrontMatter};
use super::pattern::Pattern;
use std::path::{Path, PathBuf};

/// How a front matter is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleKind {
    /// `paths`; without it, the rule always applies.
    ClaudeCode,
    /// `applyTo`; without it, the rule always applies.
    Copilot,
    /// `alwaysApply` or `globs`; without both, the rule is used on request.
    Cursor,
}

impl RuleKind {
    /// The kind of a file that is a rule file by its name, not by its place.
    pub fn of_name(path: &Path) -> Option<RuleKind> {
        let name = path.file_name()?.to_str()?;
        if name.ends_with(".mdc") {
            return Some(RuleKind::Cursor);
        }
        name.ends_with(".instructions.md").then_some(RuleKind::Copilot)
    }
}

/// When a rule applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applies {
    /// Always.
    Always,
    /// To paths that match one of these patterns.
    Paths(Vec<String>),
    /// If somebody asks for it.
    OnRequest,
}

/// A rule file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// When it applies.
    pub applies: Applies,
    /// What it is about, for those who may ask for it.
    pub description: Option<String>,
}

/// Where a rule file was found, and how it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulePlace {
    /// How the front matter is read.
    pub kind: RuleKind,
    /// The directory that patterns are relative to.
    pub base: PathBuf,
}

impl Rule {
    /// Reads the front matter of a rule file. Returns the rule, and the text without it.
    pub fn read(kind: RuleKind, text: &str) -> (Rule, &str) {
        match front_matter::split(text) {
            Some((fields, text)) => (Rule::new(kind, fields), text),
            None => (Rule::new(kind, FrontMatter::default()), text),
        }
    }

    fn new(kind: RuleKind, fields: FrontMatter) -> Rule {
        let (patterns, otherwise) = match kind {
            RuleKind::ClaudeCode => (fields.paths, Applies::Always),
            RuleKind::Copilot => (fields.apply_to, Applies::Always),
            RuleKind::Cursor => (fields.globs, Applies::OnRequest),
        };
        let is_everything = |pattern: &String| match pattern.as_str() {
            "**" | "**/*" => true,
            "*" => kind == RuleKind::Cursor,
            _ => false,
        };
        let always = kind == RuleKind::Cursor && fields.always_apply == Some(true);
        let applies = match patterns.is_empty() {
            _ if always || patterns.iter().any(is_everything) => Applies::Always,
            true => otherwise,
            false => Applies::Paths(patterns),
        };
        Rule { applies, description: fields.description }
    }

    /// Why the rule is not in every prompt; `None` if it is.
    pub fn reason(&self) -> Option<String> {
        match &self.applies {
            Applies::Always => None,
            Applies::Paths(patterns) => Some(format!("applies to {}", patterns.join(", "))),
            Applies::OnRequest => Some("names no paths: it is used on request".to_owned()),
        }
    }
}

impl RulePlace {
    /// Whether a rule is one of those for a file, which is below the working directory. A rule of
    /// the working directory that always applies is not: it is in the system prompt.
    pub fn applies(&self, applies: &Applies, file: &Path, working_directory: &Path) -> bool {
        match applies {
            Applies::Always => {
                self.base.starts_with(working_directory) && self.base != working_directory
            }
            Applies::Paths(patterns) => self.matches(patterns, file),
            Applies::OnRequest => false,
        }
    }

    /// Whether one of the patterns matches a file. An invalid pattern matches nothing.
    pub fn matches(&self, patterns: &[String], file: &Path) -> bool {
        let Ok(relative) = file.strip_prefix(&self.base) else { return false };
        let name = relative.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        patterns.iter().any(|pattern| {
            let pattern = self.whole(pattern);
            Pattern::new(&pattern).is_ok_and(|pattern| pattern.matches(&name))
        })
    }

    /// A pattern for the whole path from the base on.
    fn whole(&self, pattern: &str) -> String {
        let pattern = pattern.strip_prefix("./").or(pattern.strip_prefix('/')).unwrap_or(pattern);
        let below = if pattern.ends_with('/') { "**" } else { "" };
        // Cursor takes a name without a directory as a name in any directory.
        let anywhere = self.kind == RuleKind::Cursor && !pattern.contains('/');
        format!("{}{pattern}{below}", if anywhere { "**/" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applies(kind: RuleKind, matter: &str) -> Applies {
        Rule::read(kind, &format!("---\n{matter}\n---\ntext")).0.applies
    }

    fn paths(patterns: &[&str]) -> Applies {
        Applies::Paths(patterns.iter().map(|pattern| pattern.to_string()).collect())
    }

    #[test]
    fn each_tool_has_its_own_fields() {
        use RuleKind::*;
        for (kind, matter, expected) in [
            (ClaudeCode, "paths: a/**", paths(&["a/**"])),
            (ClaudeCode, "globs: a/**", Applies::Always),
            (ClaudeCode, "alwaysApply: false", Applies::Always),
            (ClaudeCode, "", Applies::Always),
            (Copilot, "applyTo: '**/*.ts'", paths(&["**/*.ts"])),
            (Copilot, "applyTo: '**'", Applies::Always),
            (Copilot, "description: x", Applies::Always),
            (Cursor, "globs: *.ts, *.tsx\nalwaysApply: false", paths(&["*.ts", "*.tsx"])),
            (Cursor, "globs: *.ts\nalwaysApply: true", Applies::Always),
            (Cursor, "globs: *", Applies::Always),
            (Cursor, "alwaysApply: \"true\"", Applies::Always),
            (Cursor, "description: x\nglobs:\nalwaysApply: false", Applies::OnRequest),
        ] {
            assert_eq!(applies(kind, matter), expected, "{kind:?} {matter}");
        }
        let (rule, text) = Rule::read(Cursor, "no front matter");
        assert_eq!((rule.applies, text), (Applies::OnRequest, "no front matter"));
    }

    #[test]
    fn the_reason_says_when_a_rule_applies() {
        let rule = |matter| Rule::read(RuleKind::Cursor, matter).0;
        assert_eq!(rule("---\nglobs: a, b\n---").reason().unwrap(), "applies to a, b");
        assert_eq!(rule("---\nalwaysApply: true\n---").reason(), None);
        let manual = rule("---\ndescription: About x\n---");
        assert_eq!(manual.description.as_deref(), Some("About x"));
        assert!(manual.reason().unwrap().contains("on request"));
    }

    #[test]
    fn patterns_are_relative_to_the_directory_of_the_rule() {
        let place = |kind| RulePlace { kind, base: "/p".into() };
        let matches = |kind, pattern: &str, file: &str| {
            place(kind).matches(&[pattern.to_owned()], Path::new(file))
        };
        use RuleKind::{ClaudeCode, Cursor};
        for (kind, pattern, file, expected) in [
            (ClaudeCode, "src/**/*.ts", "/p/src/a/b.ts", true),
            (ClaudeCode, "./src/*.ts", "/p/src/b.ts", true),
            (ClaudeCode, "/src/*.ts", "/p/src/b.ts", true),
            (ClaudeCode, "src/", "/p/src/a/b.ts", true),
            (ClaudeCode, "*.ts", "/p/b.ts", true),
            (ClaudeCode, "*.ts", "/p/src/b.ts", false),
            (Cursor, "*.ts", "/p/src/b.ts", true),
            (Cursor, "src/*.ts", "/p/x/src/b.ts", false),
            (ClaudeCode, "**", "/q/b.ts", false),
            (ClaudeCode, "!*.ts", "/p/b.ts", false),
            (ClaudeCode, "[", "/p/[", false),
        ] {
            assert_eq!(matches(kind, pattern, file), expected, "{kind:?} {pattern} {file}");
        }
    }

    #[test]
    fn rule_files_are_identified_by_name() {
        let kind = |name| RuleKind::of_name(Path::new(name));
        assert_eq!(kind("/p/a.mdc"), Some(RuleKind::Cursor));
        assert_eq!(kind("/p/a.instructions.md"), Some(RuleKind::Copilot));
        assert_eq!(kind("/p/instructions.md"), None);
        assert_eq!(kind("/p/AGENTS.md"), None);
    }
}
