//! The messages of a session after each line of its file.

use super::super::assemble::Role;
use super::super::lines::{Span, read_span};
use super::super::message::Piece;
use super::{MOST_SUMMARY_BYTES, entry};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

/// The messages after each line.
#[derive(Default)]
pub struct State {
    /// Ids in the order of their messages. One that was removed leaves a hole.
    pub order: Vec<Option<String>>,
    places: HashMap<String, usize>,
    /// The newest form of every message so far, and when it first appeared.
    pub said: HashMap<String, (usize, Span)>,
    /// The original messages of each copy.
    originals: HashMap<String, Vec<String>>,
    /// What a later state no longer has, although nothing was compacted.
    pub taken_back: HashSet<String>,
    /// Digests of messages, as far as they were needed.
    digests: HashMap<String, Vec<Digest>>,
}

impl State {
    /// Adds a message, or replaces one with another form of it.
    pub fn put(&mut self, id: &str, span: Span) {
        // A copy contains less than the original.
        if let Some(originals) = self.originals.get(id).cloned() {
            originals.into_iter().for_each(|original| self.place(original));
            return;
        }
        let came = self.said.len();
        self.said.entry(id.to_owned()).or_insert((came, span)).1 = span;
        self.place(id.to_owned());
    }

    /// Adds a message that is not part of the conversation, because `$rewindTo` may name it.
    pub fn put_other(&mut self, id: &str) {
        self.place(id.to_owned());
    }

    fn place(&mut self, id: String) {
        self.taken_back.remove(&id);
        if !self.places.contains_key(&id) {
            self.places.insert(id.clone(), self.order.len());
            self.order.push(Some(id));
        }
    }

    /// Removes all messages.
    pub fn clear(&mut self, is_compaction: bool) {
        // Emptied tables stay large, and there may be many `$set`.
        self.places = HashMap::new();
        let gone = std::mem::take(&mut self.order).into_iter().flatten();
        if is_compaction {
            gone.for_each(drop);
        } else {
            self.taken_back.extend(gone);
        }
    }

    /// Removes a message, and all after it.
    pub fn rewind(&mut self, id: &str) {
        let Some(from) = self.places.get(id).copied() else { return self.clear(false) };
        for removed in self.order.drain(from..).flatten() {
            self.places.remove(&removed);
            self.taken_back.insert(removed);
        }
    }

    /// Finds which of the new messages are copies of the newest ones so far. A copy may join
    /// several messages of one person into one.
    pub fn find_copies(&mut self, listed: &[(String, Span)], file: &mut File) -> io::Result<()> {
        let mut copies: Vec<(&String, usize)> = Vec::new();
        let mut copied: Vec<Digest> = Vec::new();
        for (id, span) in listed.iter().filter(|(id, _)| !self.said.contains_key(id)) {
            let own = digests(file, *span)?;
            copies.push((id, own.len()));
            copied.extend(own);
        }
        // The newest first. The first digest of a message is known by its id.
        let mut newest: Vec<(Digest, Option<String>)> = Vec::new();
        for id in self.order.iter().rev().flatten() {
            if newest.len() >= copied.len() + MOST_LATER {
                break;
            }
            let Some((_, span)) = self.said.get(id) else { continue };
            if !self.digests.contains_key(id) {
                self.digests.insert(id.clone(), digests(file, *span)?);
            }
            let own = self.digests.get(id).map_or(&[][..], Vec::as_slice).iter().enumerate().rev();
            newest.extend(own.map(|(at, digest)| (*digest, (at == 0).then(|| id.clone()))));
        }
        newest.reverse();
        let is_copied = |originals: &&[(Digest, Option<String>)]| {
            originals.first().is_some_and(|(_, id)| id.is_some())
                && originals.iter().map(|(digest, _)| digest).eq(&copied)
        };
        let mut originals = newest.windows(copied.len().max(1)).rev().take(MOST_LATER);
        let Some(originals) = originals.find(is_copied) else { return Ok(()) };
        let mut originals = originals.iter();
        for (copy, count) in copies {
            let its = originals.by_ref().take(count).filter_map(|(_, id)| id.clone()).collect();
            if count > 0 {
                self.originals.insert(copy.clone(), its);
            }
        }
        Ok(())
    }
}

/// A text or a call, in short.
type Digest = u64;

/// How many texts and calls may follow those that were copied.
const MOST_LATER: usize = 8;

/// The digests of a message. Empty if it is too long to be compared.
fn digests(file: &mut File, span: Span) -> io::Result<Vec<Digest>> {
    if span.len > MOST_SUMMARY_BYTES {
        return Ok(Vec::new());
    }
    let Some(entry) = entry(&read_span(file, span)?) else { return Ok(Vec::new()) };
    let digest = |part: &Piece| {
        let said = match part {
            Piece::Text { text } => (true, text),
            Piece::ToolCall { name, .. } => (false, name),
            _ => return None,
        };
        let mut hasher = DefaultHasher::new();
        (entry.role == Role::User, said).hash(&mut hasher);
        Some(hasher.finish())
    };
    Ok(entry.parts.iter().filter_map(digest).collect())
}
