//! Which messages one member may see: reads senders and addressees, newest first.
//!
//! A sender with a comma in its name may be the addressee of a newer message that was taken to be
//! for several. When such a sender is met, the messages are examined again, after learning as many
//! older senders as were examined. That keeps the rounds few, whoever the senders are.

use super::Selection;
use super::wanted::{Need, Wanted};
use crate::conversation::{Chosen, GivenMessage, sender};
use crate::error::Error;
use crate::visibility::Recipient;
use std::ops::Range;

/// Up to this many examined messages, as many again are asked for.
const FEW: usize = 16;

/// Then this many times as many.
const GROWTH: usize = 3;

/// A choice in progress.
pub(super) struct Choosing {
    selection: Selection,
    count: usize,
    reader: Option<Recipient>,
    step: ChoosingStep,
    /// What was chosen so far, newest first.
    newest: Vec<usize>,
    /// How many messages were not examined in this round.
    older: usize,
    /// Whether an examined message may now be read differently.
    has_learned: bool,
    /// Older pinned messages not yet examined, newest first.
    unseen_pins: Vec<usize>,
    older_pins: Vec<usize>,
    pinned: Vec<usize>,
    detached: Vec<usize>,
    /// How many messages of the current gap were passed.
    passed_of_gap: usize,
}

enum ChoosingStep {
    /// Choosing messages.
    Round,
    /// Learning the senders of these messages, newest first.
    Ahead(Range<usize>),
    /// Choosing older messages that are pinned.
    OlderPins,
    /// Finding out whether visible messages are missing in these gaps. Hidden ones are not
    /// announced.
    Gaps(Vec<Gap>),
}

/// The messages between two chosen ones.
struct Gap {
    /// The position of the second one.
    before: usize,
    /// Those that were not examined.
    messages: Range<usize>,
}

impl Choosing {
    pub fn new(selection: Selection, count: usize, pinned: &[usize]) -> Self {
        let reader = selection.recipient.as_deref().map(Recipient::new);
        let mut choosing = Choosing {
            count,
            reader,
            step: ChoosingStep::Round,
            newest: Vec::new(),
            older: count,
            has_learned: false,
            unseen_pins: Vec::new(),
            older_pins: Vec::new(),
            pinned: pinned.to_vec(),
            detached: Vec::new(),
            passed_of_gap: 0,
            selection,
        };
        if choosing.reader.is_none() {
            choosing.older = count.saturating_sub(choosing.selection.limit);
            choosing.newest = (choosing.older..count).rev().collect();
        }
        choosing
    }

    /// The index of the message that is needed next.
    pub fn wanted(&mut self) -> Option<usize> {
        loop {
            match &self.step {
                ChoosingStep::Round => {
                    let is_enough = self.newest.len() >= self.selection.limit;
                    if let Some(next) = self.older.checked_sub(1)
                        && self.reader.is_some()
                        && !is_enough
                    {
                        return Some(next);
                    }
                    let looked_at = self.count - self.older;
                    self.step = match self.has_learned {
                        true => {
                            ChoosingStep::Ahead(self.older.saturating_sub(looked_at)..self.older)
                        }
                        false => self.begin_older_pins(),
                    };
                }
                ChoosingStep::Ahead(ahead) => {
                    if let Some(next) = ahead.clone().next_back() {
                        return Some(next);
                    }
                    self.newest.clear();
                    (self.older, self.has_learned) = (self.count, false);
                    self.step = ChoosingStep::Round;
                }
                ChoosingStep::OlderPins => match self.unseen_pins.last() {
                    Some(next) => return Some(*next),
                    None => self.step = self.begin_gaps(),
                },
                ChoosingStep::Gaps(gaps) => return gaps.last()?.messages.clone().next_back(),
            }
        }
    }

    fn begin_older_pins(&mut self) -> ChoosingStep {
        let older = self.pinned.partition_point(|index| *index < self.older);
        let older = self.pinned[..older].to_vec();
        match &self.reader {
            None => self.older_pins = older,
            Some(_) => self.unseen_pins = older.into_iter().rev().collect(),
        }
        ChoosingStep::OlderPins
    }

    /// Starts on the gaps between older pins, and between the last of them and the others.
    fn begin_gaps(&mut self) -> ChoosingStep {
        let window = (!self.newest.is_empty()).then_some(self.older);
        let ends = self.older_pins.iter().copied().skip(1).chain(window);
        let gaps = self
            .older_pins
            .iter()
            .zip(ends)
            .enumerate()
            .map(|(at, (pin, end))| Gap { before: at + 1, messages: pin + 1..end });
        let mut gaps: Vec<Gap> = gaps.filter(|gap| !gap.messages.is_empty()).collect();
        if self.reader.is_none() {
            self.detached = gaps.drain(..).map(|gap| gap.before).collect();
        }
        gaps.reverse();
        ChoosingStep::Gaps(gaps)
    }

    /// What to pass next. Nobody knows how many messages must be examined, so it is more each time.
    pub fn wanted_next(&self) -> Wanted {
        let newest = |messages: &Range<usize>, least: usize, examined: usize| {
            let more = if examined < FEW { examined } else { examined * GROWTH };
            let most = least.max(more).max(1);
            let start = messages.end.saturating_sub(most).max(messages.start);
            Wanted::range(Need::Names, start..messages.end)
        };
        match &self.step {
            ChoosingStep::Round => {
                let missing = self.selection.limit.saturating_sub(self.newest.len());
                newest(&(0..self.older), missing, self.count - self.older)
            }
            ChoosingStep::Ahead(ahead) => Wanted::range(Need::Names, ahead.clone()),
            ChoosingStep::OlderPins => {
                Wanted::indices(Need::Names, self.unseen_pins.iter().rev().copied().collect())
            }
            ChoosingStep::Gaps(gaps) => match gaps.last() {
                Some(gap) => newest(&gap.messages, 1, self.passed_of_gap),
                None => Wanted::range(Need::Names, 0..0),
            },
        }
    }

    /// Takes the wanted message.
    pub fn pass(&mut self, message: &dyn GivenMessage) -> Result<(), Error> {
        let Some(reader) = &mut self.reader else { return Ok(()) };
        let from = sender(message)?;
        match &mut self.step {
            ChoosingStep::Round => {
                self.has_learned |= reader.learn(&from);
                self.older -= 1;
                if reader.may_see(&from, &message.addressed_to()?) {
                    self.newest.push(self.older);
                }
            }
            ChoosingStep::Ahead(ahead) => {
                reader.learn(&from);
                ahead.end -= 1;
            }
            ChoosingStep::OlderPins => {
                let is_visible = reader.may_see(&from, &message.addressed_to()?);
                let index = self.unseen_pins.pop();
                self.older_pins.extend(index.filter(|_| is_visible));
            }
            ChoosingStep::Gaps(gaps) => {
                let Some(gap) = gaps.last_mut() else { return Ok(()) };
                let is_visible = reader.may_see(&from, &message.addressed_to()?);
                gap.messages.end -= 1;
                self.passed_of_gap += 1;
                if is_visible {
                    self.detached.push(gap.before);
                }
                if is_visible || gap.messages.is_empty() {
                    gaps.pop();
                    self.passed_of_gap = 0;
                }
            }
        }
        Ok(())
    }

    /// What was chosen, once nothing more is wanted, and who may see what.
    pub fn chosen(self) -> (Chosen, Option<Recipient>) {
        let older_pins = self.older_pins.len();
        let not_for_recipient = self.count - self.older - self.newest.len();
        let mut indices = self.older_pins;
        indices.extend(self.newest.into_iter().rev());
        let Selection { limit, recipient, rest_is_covered } = self.selection;
        let chosen = Chosen {
            indices,
            older_pins,
            detached: self.detached,
            not_for_recipient,
            older: self.older,
            limit,
            recipient,
            rest_is_covered,
        };
        (chosen, self.reader)
    }
}
