//! Reads a caller's messages as far as needed: the core asks for one after another. The caller passes
//! messages together (`passed`), and is told which ones are needed next (`wanted`). Nothing here calls
//! out.
//!
//! 1. With a recipient: senders and addressees, newest first, until enough messages are found that
//!    the recipient may see (`choosing`).
//! 2. The pinned messages.
//! 3. The window, newest first, until the budget is full. The room that other sections leave is
//!    planned beforehand; once everything is read, the final plan is made.
//! 4. Messages with tool calls that belong to results of these, or the other way round, for their
//!    parts.
//! 5. For a report, the dropped messages (`unkept`): the newest ones are listed, the others
//!    measured.
//!
//! For a prompt whose messages were read with an ample budget, `budgets` and `budget_table` say
//! what other budgets would keep.

mod budget_table;
mod budgets;
mod choosing;
mod passed;
mod unkept;
mod wanted;

pub use crate::conversation::GivenMessage;
pub use budget_table::{BudgetTable, TextBytes};
pub use budgets::{BudgetRow, CutRow};
pub use passed::{COLUMNS, Extras, Memory, NAME_COLUMNS, Passed};
pub use wanted::{LineUnits, Need, Wanted};

use crate::assemble::{Assembly, assemble};
use crate::budget::Request;
use crate::budget::{self, Policy};
use crate::conversation::pins::Pins;
use crate::conversation::{GivenLines, GivenParts, LineMeter, Lines, Room, WindowRoom};
use crate::error::Error;
use crate::model::{Assembler, Materials};
use choosing::Choosing;
use std::rc::Rc;
use unkept::Unkept;
use wanted::Taken;

/// What to assemble from messages that the caller has.
pub struct GivenRequest {
    /// Layout and options.
    pub assembler: Rc<Assembler>,
    /// Everything but the conversation.
    pub materials: Materials<'static>,
    /// The order in which bytes are saved.
    pub policy: Policy,
    /// How many messages the caller has.
    pub count: usize,
    /// Which of them are pinned, ascending.
    pub pinned: Vec<usize>,
    /// Before which of them messages are missing, ascending. Not used with a selection.
    pub gaps_before: Vec<usize>,
    /// Which messages are shown, if not all.
    pub selection: Option<Selection>,
    /// Whether secrets in messages with parts are replaced.
    pub redacts: bool,
    /// Whether there will be a report: what it needs is read, too.
    pub report: bool,
    /// Whether the prompt becomes a string of the caller's engine, for which UTF-16 is not converted.
    pub is_string: bool,
    /// The buffer that messages are read into; its contents are discarded.
    pub buffer: Vec<u8>,
}

/// The newest messages among those that one member may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// How many at most.
    pub limit: usize,
    /// The member; without one, everything is visible.
    pub recipient: Option<String>,
    /// Whether the others are left out because a summary covers them.
    pub rest_is_covered: bool,
}

/// A prompt whose messages are being read.
pub struct Reading {
    inputs: Inputs,
    pinned: Vec<usize>,
    count: usize,
    is_string: bool,
    lines: Lines<'static>,
    phase: Phase,
    /// The index of the message needed next; `None` if nothing more is. A message may be needed
    /// again.
    pub wanted: Option<usize>,
    /// The room that was taken.
    taken: Taken,
    /// How many messages were read for their parts only.
    paired: usize,
    /// The wanted message, if others were passed.
    missed: Option<usize>,
    /// Why there will be no prompt, if that is already known.
    failed: Option<Error>,
}

/// What does not change while messages are read.
struct Inputs {
    assembler: Rc<Assembler>,
    materials: Materials<'static>,
    policy: Policy,
    report: bool,
}

impl Inputs {
    fn request(&self) -> Request<'_> {
        Request::new(&self.assembler, &self.materials, self.policy, self.report)
    }
}

/// What messages are being read for.
enum Phase {
    Choosing(Choosing),
    Pinned(Room),
    Window(WindowRoom),
    /// Parts that belong to those of messages that were read.
    Pairs,
    Unkept(Box<Unkept>),
    Done,
}

impl Reading {
    /// Starts reading.
    pub fn begin(request: GivenRequest) -> Result<Self, Error> {
        let GivenRequest { assembler, materials, policy, count, pinned, report, .. } = request;
        let is_chosen = request.selection.is_some();
        let pins = match is_chosen {
            true => Pins::none(0),
            false => Pins::new(pinned.clone(), 0..count, request.gaps_before),
        };
        let mut parts = GivenParts::new(&assembler);
        parts.redacts = request.redacts;
        let style = assembler.message_line().clone();
        let given = GivenLines::new(style, parts, count, pins, request.buffer);
        let mut reading = Reading {
            lines: Lines::given(&assembler, given, report),
            inputs: Inputs { assembler, materials, policy, report },
            count,
            is_string: request.is_string,
            phase: Phase::Done,
            wanted: None,
            taken: Taken::default(),
            paired: 0,
            missed: None,
            failed: None,
            pinned,
        };
        match request.selection {
            Some(selection) => {
                let choosing = Choosing::new(selection, count, &reading.pinned);
                reading.phase = Phase::Choosing(choosing);
            }
            None => reading.begin_lines(),
        }
        reading.advance();
        Ok(reading)
    }

    /// Takes messages as long as those that are needed were passed; [`Self::wanted`] says whether
    /// more are needed.
    pub fn take(&mut self, passed: &Passed) -> Result<(), Error> {
        let counts = self.counts_by_function();
        let mut is_first = true;
        while let Some(index) = self.wanted {
            let is_counted = counts && matches!(self.phase, Phase::Pinned(_) | Phase::Window(_));
            let message = passed.message(index, self.need(), is_counted);
            let Some(message) = message else {
                // A caller that was asked for a message and passes none would be asked forever.
                let is_missed_again = is_first && self.missed == Some(index);
                self.missed = is_first.then_some(index);
                return if is_missed_again { Err(not_needed(index)) } else { Ok(()) };
            };
            is_first = false;
            if matches!(self.phase, Phase::Window(_)) {
                self.taken.units += message.content_units();
            }
            self.pass(&message)?;
        }
        Ok(())
    }

    /// Takes the wanted message.
    pub fn pass(&mut self, message: &dyn GivenMessage) -> Result<(), Error> {
        match &mut self.phase {
            Phase::Choosing(choosing) => choosing.pass(message)?,
            Phase::Pinned(_) => {
                if let Some(given) = self.lines.passed_mut() {
                    given.read_pinned(message)?;
                }
            }
            Phase::Window(room) => {
                if !self.lines.read(message, room)? {
                    self.phase = Phase::Pairs;
                }
            }
            Phase::Pairs => {
                self.paired += 1;
                if let Some(given) = self.lines.passed_mut() {
                    given.read_parts(message)?;
                }
            }
            Phase::Unkept(unkept) => unkept.pass(&mut self.lines, message)?,
            Phase::Done => {}
        }
        self.advance();
        Ok(())
    }

    /// Plans the prompt. Unread messages do not fit.
    pub fn finish(&mut self) -> Result<Assembly<'_>, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        assemble(self.inputs.request(), &mut self.lines)
    }

    /// The buffer into which messages were read, for the next request.
    pub fn into_buffer(mut self) -> Vec<u8> {
        self.lines.passed_mut().map(GivenLines::take_buffer).unwrap_or_default()
    }

    /// Finds out which message is needed next.
    fn advance(&mut self) {
        loop {
            let lines = &mut self.lines;
            self.wanted = match &mut self.phase {
                Phase::Choosing(choosing) => choosing.wanted(),
                Phase::Pinned(_) => {
                    let line = lines.passed_mut().and_then(|given| given.next_pinned());
                    line.map(|line| lines.index(line))
                }
                Phase::Window(room) => {
                    let line = lines.passed_mut().and_then(GivenLines::next_of_window);
                    line.filter(|_| room.bytes > 0).map(|line| lines.index(line))
                }
                Phase::Pairs => lines.passed_mut().and_then(GivenLines::next_to_pair),
                Phase::Unkept(unkept) => unkept.wanted(lines),
                Phase::Done => None,
            };
            if self.wanted.is_some() || matches!(self.phase, Phase::Done) {
                return;
            }
            match std::mem::replace(&mut self.phase, Phase::Done) {
                Phase::Choosing(choosing) => {
                    let (chosen, reader) = choosing.chosen();
                    self.lines.choose(chosen, &self.pinned, reader);
                    self.begin_lines();
                }
                Phase::Pinned(room) => {
                    self.begin_window(room);
                }
                Phase::Window(_) => self.phase = Phase::Pairs,
                Phase::Pairs => {
                    self.lines.end_reading();
                    self.begin_unkept();
                }
                Phase::Unkept(_) | Phase::Done => {}
            }
        }
    }

    /// Starts reading lines, if there is a place for them.
    fn begin_lines(&mut self) {
        let count = self.lines.len();
        if count == 0 {
            return self.begin_unkept();
        }
        let Some(room) = budget::room(self.inputs.request(), count) else {
            return self.begin_unkept();
        };
        if let Some(tokenizer) = room.tokenizer() {
            self.lines.count_with(tokenizer);
        }
        if self.is_string {
            self.lines.keep_units();
        }
        match self.lines.pins().is_plain() {
            true => self.begin_window(room),
            false => self.phase = Phase::Pinned(room),
        }
    }

    /// Starts reading the window. What is kept is decided later, and may have shortened results.
    fn begin_window(&mut self, room: Room) {
        self.lines.shorten_results();
        let window = room.of_window(&mut self.lines);
        self.taken.tokens_before = window.meter.as_ref().map_or(0, LineMeter::room);
        self.phase = Phase::Window(window);
    }

    /// Starts reading dropped messages for a report.
    fn begin_unkept(&mut self) {
        self.phase = Phase::Done;
        if !self.inputs.report {
            return;
        }
        match budget::plan(self.inputs.request(), &mut self.lines) {
            Ok(plan) => {
                let unkept = Unkept::new(&plan, &mut self.lines, self.count);
                self.phase = Phase::Unkept(Box::new(unkept));
            }
            Err(error) => self.failed = Some(error),
        }
    }
}

/// Otherwise, the caller would be asked for the same message again and again.
fn not_needed(index: usize) -> Error {
    Error::Internal(format!("message {index} is needed, but others were passed"))
}

#[cfg(test)]
pub(crate) mod tests;
