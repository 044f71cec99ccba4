//! A list of messages in steps, each of which is kept or dropped as a whole.
//!
//! 1. A step is a user message, or a message of the model with the results of its calls. Where each
//!    item of a list stands for itself, consecutive items of the model are one step, and so is
//!    everything from a call to its result.
//! 2. A turn begins with a user message, its opening. Every step of a turn needs the opening: a
//!    model that sees tool results must see what they were for, and most APIs want a user message
//!    first. So the opening is counted before the steps of its turn, newest first.
//! 3. A list is read from its end, some turns at a time. No more of it is read than fits, unless the
//!    calls of results are still to be found.
//! 4. A step with a call without a result, or a result without a call, is left out: every API
//!    rejects it. In the last step, a call may still wait for its result.

use super::Api;
use super::apis::{Joining, Rules};
use crate::parts::{OpenCalls, PartKind};
use std::collections::HashMap;

/// Whose a message of a list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user, who begins a turn.
    User,
    /// The model.
    Model,
    /// Tools, whose results these are.
    Tools,
}

/// A tool call or a result.
#[derive(Debug, Clone, Copy, Default)]
pub struct Link {
    /// Calls and results with the same number belong together.
    pub id: u32,
    /// Whether a call needs no result yet.
    pub may_wait: bool,
    /// The place of the other one.
    other: Option<usize>,
}

impl Link {
    /// A call or a result without the other one.
    pub fn new(id: u32, may_wait: bool) -> Self {
        Link { id, may_wait, other: None }
    }
}

/// What ties a message to others.
#[derive(Debug, Clone)]
pub struct LinkedMessage {
    /// Its index in the list.
    pub index: usize,
    /// Whose it is.
    pub speaker: Speaker,
    /// Calls that need a result in another message.
    pub calls: Vec<Link>,
    /// The results in it.
    pub results: Vec<Link>,
}

/// Why a message is left out whatever the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// A call or a result lacks the other one.
    Unpaired,
    /// The model speaks before the user does.
    BeforeFirstTurn,
}

/// What is decided next, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// The message at this index begins the turn whose steps come next.
    Open(usize),
    /// The messages at these indices are a step.
    Step(Vec<usize>),
    /// The opening of the turn is a step itself.
    Close,
    /// The messages at these indices are left out.
    LeaveOut(Vec<usize>, Unfit),
}

/// Why there are no moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoMoves {
    /// Older messages may have the call of a result.
    NeedsOlder,
    /// The last message must stay, but the call of one of its results is not in the list.
    Orphan {
        /// The index of the message.
        index: usize,
        /// The id of the call.
        id: u32,
    },
}

/// Which turns of a list are meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// Whether the list begins with them.
    pub is_start: bool,
    /// Whether the list ends with them.
    pub is_end: bool,
}

/// The moves for some turns of a list. Instructions are not among the messages.
pub fn moves(
    api: Api,
    messages: &mut [LinkedMessage],
    extent: Extent,
) -> Result<Vec<Move>, NoMoves> {
    pair(messages);
    let joining = Rules::of(api).joining;
    let mut results = messages.iter().flat_map(|message| &message.results);
    if joining == Joining::Nothing && !extent.is_start && results.any(|one| one.other.is_none()) {
        return Err(NoMoves::NeedsOlder);
    }
    let openings = openings(messages);
    Steps { messages, openings, joining, extent, moves: Vec::new(), opening: None }.moves()
}

/// Finds the result of each call.
fn pair(messages: &mut [LinkedMessage]) {
    for message in messages.iter_mut() {
        // Older messages may have been missing.
        message.calls.iter_mut().chain(&mut message.results).for_each(|link| link.other = None);
    }
    let mut open: HashMap<u32, OpenCalls> = HashMap::new();
    for place in 0..messages.len() {
        for nth in 0..messages[place].calls.len() {
            let calls = open.entry(messages[place].calls[nth].id).or_default();
            calls.meet(PartKind::Call, (place, nth), |_| true);
        }
        for nth in 0..messages[place].results.len() {
            let calls = open.get_mut(&messages[place].results[nth].id);
            let call = calls.and_then(|calls| calls.meet(PartKind::Result, (place, nth), |_| true));
            if let Some((at, nth_call)) = call {
                messages[place].results[nth].other = Some(at);
                messages[at].calls[nth_call].other = Some(place);
            }
        }
    }
}

/// For each place, that of the last user message before it.
fn openings(messages: &[LinkedMessage]) -> Vec<Option<usize>> {
    let mut last = None;
    let before = |(place, message): (usize, &LinkedMessage)| {
        let newest = if message.speaker == Speaker::User { Some(place) } else { last };
        std::mem::replace(&mut last, newest)
    };
    messages.iter().enumerate().map(before).collect()
}

struct Steps<'m> {
    /// A place is an index in this list.
    messages: &'m [LinkedMessage],
    openings: Vec<Option<usize>>,
    joining: Joining,
    extent: Extent,
    moves: Vec<Move>,
    /// The place of the message that begins the turn of the steps that come next.
    opening: Option<usize>,
}

impl Steps<'_> {
    fn moves(mut self) -> Result<Vec<Move>, NoMoves> {
        let mut end = self.messages.len();
        while let Some(last) = end.checked_sub(1) {
            let first = self.first_of_step(last);
            self.add(first, last)?;
            end = first;
        }
        if self.opening.is_some() {
            self.moves.push(Move::Close);
        }
        Ok(self.moves)
    }

    /// Where the step that ends at a place begins.
    fn first_of_step(&self, last: usize) -> usize {
        let stands_alone = self.joining == Joining::Nothing;
        // The earliest call of the results so far.
        let mut earliest = last;
        let mut is_paired = true;
        for first in (0..=last).rev() {
            let LinkedMessage { speaker, results, .. } = &self.messages[first];
            for result in results {
                is_paired &= result.other.is_some();
                earliest = earliest.min(result.other.unwrap_or(last));
            }
            let reaches_further = stands_alone && is_paired && earliest < first;
            let follows_model = || first > 0 && self.messages[first - 1].speaker == Speaker::Model;
            match speaker {
                Speaker::User if first == last => return first,
                Speaker::User if !reaches_further => return first + 1,
                Speaker::Model if !(reaches_further || stands_alone && follows_model()) => {
                    return first;
                }
                _ => {}
            }
        }
        0
    }

    fn add(&mut self, first: usize, last: usize) -> Result<(), NoMoves> {
        let is_last = self.extent.is_end && last + 1 == self.messages.len();
        let step = &self.messages[first..=last];
        let is_in_step = |link: &Link| link.other.is_some_and(|at| (first..=last).contains(&at));
        let unanswered = |call: &Link| !call.may_wait && !is_in_step(call);
        let is_open = step.iter().flat_map(|message| &message.calls).any(unanswered);
        let mut results = step.iter().rev().flat_map(|message| &message.results);
        let orphan = results.find(|result| !is_in_step(result)).map(|result| result.id);
        if let Some(id) = orphan.filter(|_| is_last) {
            return Err(NoMoves::Orphan { index: self.messages[last].index, id });
        }
        let ends_turn = self.opening.take_if(|opening| (first..=last).contains(opening));
        if ends_turn.is_some() {
            self.moves.push(Move::Close);
        }
        let places = (first..=last).filter(|place| Some(*place) != ends_turn);
        let indices: Vec<usize> = places.map(|place| self.messages[place].index).collect();
        if indices.is_empty() {
            return Ok(());
        }
        if orphan.is_some() || is_open && !is_last {
            self.moves.push(Move::LeaveOut(indices, Unfit::Unpaired));
            return Ok(());
        }
        if first == last && self.messages[first].speaker == Speaker::User {
            self.moves.extend([Move::Open(self.messages[first].index), Move::Close]);
            return Ok(());
        }
        if self.opening.is_none() {
            self.opening = self.openings[first];
            self.moves.extend(self.opening.map(|place| Move::Open(self.messages[place].index)));
        }
        let starts_with_user = self.joining == Joining::Roles;
        self.moves.push(match self.opening {
            None if starts_with_user && !is_last => Move::LeaveOut(indices, Unfit::BeforeFirstTurn),
            _ => Move::Step(indices),
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Extent = Extent { is_start: true, is_end: true };

    /// A list in which `u` is the user, `m` the model, a capital letter a call, and a small one its
    /// result.
    fn moves_of(api: Api, list: &str) -> Result<Vec<Move>, NoMoves> {
        let message = |(index, c): (usize, char)| {
            let link = || vec![Link::new(u32::from(c.to_ascii_lowercase()), false)];
            let (speaker, calls, results) = match c {
                'u' => (Speaker::User, vec![], vec![]),
                'm' => (Speaker::Model, vec![], vec![]),
                'A'..='Z' => (Speaker::Model, link(), vec![]),
                _ => (Speaker::Tools, vec![], link()),
            };
            LinkedMessage { index, speaker, calls, results }
        };
        let mut list: Vec<LinkedMessage> = list.chars().enumerate().map(message).collect();
        moves(api, &mut list, WHOLE)
    }

    fn step(indices: impl IntoIterator<Item = usize>) -> Move {
        Move::Step(indices.into_iter().collect())
    }

    #[test]
    fn results_belong_to_the_message_before_them() {
        let expected =
            [Move::Open(3), Move::Close, Move::Open(0), step([1, 2]), Move::Close].to_vec();
        assert_eq!(moves_of(Api::OpenAiChat, "uAau"), Ok(expected));
        let unpaired = [
            Move::Open(3),
            Move::Close,
            Move::LeaveOut(vec![1, 2], Unfit::Unpaired),
            Move::Open(0),
            Move::Close,
        ];
        assert_eq!(moves_of(Api::OpenAi, "uAbu"), Ok(unpaired.to_vec()));
        assert_eq!(
            moves_of(Api::OpenAi, "uAb"),
            Err(NoMoves::Orphan { index: 2, id: u32::from('b') })
        );
        assert_eq!(moves_of(Api::OpenAi, "uA"), Ok(vec![Move::Open(0), step([1]), Move::Close]));
    }

    #[test]
    fn items_that_stand_for_themselves_belong_together_from_call_to_result() {
        let expected = vec![Move::Open(0), step(1..6), Move::Close];
        assert_eq!(moves_of(Api::OpenAi, "uAuBba"), Ok(expected));
        let expected = vec![Move::Open(0), step([1, 2, 3]), Move::Close];
        assert_eq!(moves_of(Api::OpenAi, "umAa"), Ok(expected));
    }

    #[test]
    fn the_model_speaks_first_only_where_the_api_allows_it() {
        for (api, before) in [
            (Api::Anthropic, Move::LeaveOut(vec![0], Unfit::BeforeFirstTurn)),
            (Api::OpenAiChat, step([0])),
        ] {
            assert_eq!(moves_of(api, "mu"), Ok(vec![Move::Open(1), Move::Close, before]));
        }
    }

    #[test]
    fn many_results_of_calls_before_many_turns_take_linear_time() {
        for api in [Api::OpenAi, Api::OpenAiChat] {
            let users = (0..60_000).map(|index| (Speaker::User, 60_000 + index, false, false));
            let calls = (0..60_000).map(|index| (Speaker::Model, index, true, false));
            let results = (0..60_000).map(|index| (Speaker::Tools, index, false, true));
            let list = calls.chain(users).chain(results).enumerate();
            let list = list.map(|(index, (speaker, id, is_call, is_result))| {
                let link =
                    |is_there: bool| if is_there { vec![Link::new(id, false)] } else { vec![] };
                LinkedMessage { index, speaker, calls: link(is_call), results: link(is_result) }
            });
            let mut list: Vec<LinkedMessage> = list.collect();
            let found = moves(api, &mut list, WHOLE);
            assert_eq!(found.is_ok(), api == Api::OpenAi);
        }
    }
}
