//! What was said, and what an agent's CLI has read of it.

use std::collections::{BTreeMap, BTreeSet};

/// A message as it is now. Its number is its position among all messages ever added.
#[derive(Debug, Clone)]
pub struct Said {
    pub number: usize,
    /// How often it was changed.
    pub version: usize,
    pub id: String,
    pub by: &'static str,
    /// Whether its speaker introduces itself with it.
    pub introduces: bool,
    /// Who it is for as given; empty for everyone.
    pub addressed: Vec<&'static str>,
    /// Who may see it besides its speaker, as far as known; empty for everyone.
    pub to: Vec<&'static str>,
    pub is_pinned: bool,
    pub content: String,
}

impl Said {
    pub fn may_be_seen_by(&self, agent: &str) -> bool {
        self.to.is_empty() || self.by == agent || self.to.contains(&agent)
    }
}

/// A text in the prompt, reduced to what the model compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Message(usize, usize),
    Gap,
}

/// A parsed prompt.
#[derive(Debug, Default)]
pub struct Read {
    pub earlier: Vec<Piece>,
    pub new: Vec<Piece>,
    pub message: Option<(usize, usize)>,
    pub system: Option<usize>,
    pub task: Option<usize>,
    pub summary: Option<usize>,
}

/// The number after a mark, if the line contains the mark.
fn number_after(line: &str, mark: &str) -> Option<usize> {
    let (_, rest) = line.split_once(mark)?;
    let digits = rest.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

fn message_in(line: &str) -> Option<(usize, usize)> {
    let number = number_after(line, "<m")?;
    Some((number, number_after(line, &format!("<m{number}v"))?))
}

impl Read {
    /// Parses a prompt: every text of the test is on one line.
    pub fn new(prompt: &str) -> Self {
        let mut read = Read::default();
        let mut is_earlier = false;
        let mut is_context = false;
        for line in prompt.lines() {
            match line {
                "[CONTEXT]" | "Conversation so far:" => is_context = true,
                "[MESSAGE]" | "Last message:" => is_context = false,
                "(earlier messages, pinned or changed since)"
                | "Earlier messages (pinned or changed since):" => is_earlier = true,
                "(new messages)" | "New messages:" => is_earlier = false,
                "[… messages omitted …]" => {
                    assert!(is_context);
                    if is_earlier { &mut read.earlier } else { &mut read.new }.push(Piece::Gap);
                }
                line => {
                    read.system = number_after(line, "<sys").or(read.system);
                    read.task = number_after(line, "<task").or(read.task);
                    read.summary = number_after(line, "<sum").or(read.summary);
                    let Some((number, version)) = message_in(line) else { continue };
                    match is_context {
                        false => {
                            // A cut message shows both its ends.
                            assert!(read.message.is_none_or(|one| one == (number, version)));
                            read.message = Some((number, version));
                        }
                        true => {
                            let list = if is_earlier { &mut read.earlier } else { &mut read.new };
                            list.push(Piece::Message(number, version));
                        }
                    }
                }
            }
        }
        read
    }
}

/// The session of a CLI: everything that it was sent and accepted.
#[derive(Debug, Clone, Default)]
pub struct Cli {
    /// Every message it was shown, with the newest version shown.
    pub shown: BTreeMap<usize, usize>,
    /// Messages that were left out.
    pub missed: BTreeSet<usize>,
    /// Every message up to this number is shown, missed, written by the agent, or not visible to it.
    pub end: usize,
    /// Its own messages up to this number belong to an earlier session.
    pub begun: usize,
    pub system: Option<usize>,
    pub task: Option<usize>,
    pub summary: Option<usize>,
}

impl Cli {
    pub fn is_own(&self, said: &Said, agent: &str) -> bool {
        said.by == agent && said.number >= self.begun
    }

    /// What is new to the agent.
    pub fn new_messages<'s>(&self, said: &'s [Said], agent: &str) -> Vec<&'s Said> {
        let is_new = |one: &&Said| {
            one.number >= self.end && one.may_be_seen_by(agent) && !self.is_own(one, agent)
        };
        said.iter().filter(is_new).collect()
    }

    /// Whether the session would be sent a message in this version, although it is not new.
    pub fn lacks(&self, said: &Said) -> bool {
        said.number < self.end
            && !self.missed.contains(&said.number)
            && self.shown.get(&said.number) != Some(&said.version)
    }

    /// What is sent although it is not new: missed messages that are pinned, and messages that the
    /// session does not have in their present version.
    pub fn earlier_messages<'s>(&self, said: &'s [Said], agent: &str) -> Vec<&'s Said> {
        let is_due = |one: &&Said| {
            let is_missed = self.missed.contains(&one.number);
            one.number < self.end
                && one.may_be_seen_by(agent)
                && !self.is_own(one, agent)
                && (is_missed && one.is_pinned || self.lacks(one))
        };
        said.iter().filter(is_due).collect()
    }
}
