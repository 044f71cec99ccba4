//! The account: every byte that a caller gave is either sent or listed here as left out.
//!
//! 1. Given text is every text of the caller, counted once: instructions, role summary, file, task,
//!    summary, message contents, routing values. Names, titles, omission lines and escapes are not
//!    given text.
//! 2. What is sent and what is left out are entered separately, each where it is known; tests check
//!    that both add up to what was given.
//! 3. Only unread messages have no known size. A report reads all messages, up to a number that no
//!    conversation reaches, and says how many it did not read.
//! 4. The newest [`MAX_LISTED`] messages are listed one by one. The rest is summed up, and so is
//!    what the recipient may not see: not even its sender is revealed.

mod sentences;

use crate::layout::Part;
use crate::model::Quote;
use crate::text::trim_js;
use serde::Serialize;

/// How many messages are listed one by one at most.
pub const MAX_LISTED: usize = 100;

/// What happened to a text, or to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Loss {
    /// The whole text is left out.
    Dropped,
    /// A piece of it is left out.
    Cut,
    /// Routing markers were removed from it.
    Stripped,
    /// White space was removed from it.
    Trimmed,
}

/// Why something was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// There was no room.
    Budget,
    /// The number of dropped messages was rounded up.
    Step,
    /// It is outside the part of the conversation that the turn shows.
    Window,
    /// It is not for the recipient.
    Recipient,
    /// The member who answers wrote it.
    Own,
    /// It repeats the current message.
    Duplicate,
    /// It is a routing marker.
    Marker,
    /// It is beyond the limit of its kind, such as the length of a sibling reply.
    Limit,
    /// It is a code block of a sibling reply.
    Code,
    /// It is the parent, and the same as the current message.
    Same,
    /// The layout has no such part.
    Layout,
    /// It is white space.
    Space,
    /// A summary covers it.
    Summary,
    /// The agent has it in its session already.
    Seen,
    /// It is reasoning, which is hidden unless the caller says otherwise.
    Reasoning,
    /// It looks like a key or a token.
    Redacted,
}

/// Given text that is not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// What happened to it.
    #[serde(flatten)]
    pub cause: Cause,
    /// Its size.
    pub bytes: usize,
    /// How many texts it stands for.
    pub count: usize,
    /// Which message, if it is a single one.
    #[serde(flatten)]
    pub name: MessageName,
}

/// The sums. `given_bytes` is always `sent_bytes` plus `left_out_bytes`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// Every given text, counted once.
    pub given_bytes: usize,
    /// How much of it is in the prompt or the flag.
    pub sent_bytes: usize,
    /// How much of it is left out.
    pub left_out_bytes: usize,
}

/// Identifies a message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MessageName {
    /// Its id, if a manager keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its index in the caller's list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Who wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

impl MessageName {
    /// A message in the list that a caller passed.
    pub fn given(index: usize) -> Self {
        MessageName { index: Some(index), ..MessageName::default() }
    }
}

/// A trimming step that part and reason do not identify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Tool results are shortened, before messages are dropped.
    ShortenResults,
}

/// What happened to a text: where, what and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Cause {
    /// Where it would have been.
    pub part: Part,
    /// What happened to it.
    pub action: Loss,
    /// Why.
    pub reason: Reason,
    /// By which step, if part and reason do not identify it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
}

impl Cause {
    /// A text that is left out whole.
    pub const fn dropped(part: Part, reason: Reason) -> Self {
        Cause { part, action: Loss::Dropped, reason, step: None }
    }

    /// A piece of a text that is left out.
    pub const fn cut(part: Part, reason: Reason) -> Self {
        Cause { part, action: Loss::Cut, reason, step: None }
    }

    /// What was cut from tool results in the conversation.
    pub const SHORTENED_RESULTS: Cause =
        Cause { step: Some(Step::ShortenResults), ..Cause::cut(Part::Context, Reason::Budget) };

    /// Routing markers.
    pub const fn stripped(part: Part) -> Self {
        Cause { part, action: Loss::Stripped, reason: Reason::Marker, step: None }
    }

    /// White space.
    pub const fn trimmed(part: Part) -> Self {
        Cause { part, action: Loss::Trimmed, reason: Reason::Space, step: None }
    }
}

/// The entries of one assembly.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    given_bytes: usize,
    sent_bytes: usize,
    /// Single messages, newest first.
    listed: Vec<LeftOut>,
    /// Everything else, one entry per cause.
    summed: Vec<LeftOut>,
    /// The recipient that messages were chosen for.
    recipient: Option<String>,
    /// What limited the messages to the newest, if not the window.
    pub window_name: Option<String>,
    /// Whether some messages outside the window are newer than it.
    pub has_newer_outside: bool,
    /// How much of a role summary is over its limit.
    pub role_cut_bytes: usize,
    /// Bytes that replace secrets in the texts of a part.
    marks: Vec<(Part, usize)>,
    /// How many messages were not read.
    pub unread: usize,
    /// Messages of the conversation that are already entered and that other parts only repeat.
    pub repeated: Vec<usize>,
}

impl Ledger {
    /// Sets the recipient that messages were chosen for.
    pub fn set_recipient(&mut self, recipient: &str) {
        self.recipient = Some(trim_js(recipient).to_owned());
    }

    /// Whether a quoted message is already entered.
    pub fn is_repeated(&self, quote: &Quote) -> bool {
        quote.origin.as_ref().is_some_and(|origin| self.repeated.contains(&origin.index))
    }

    /// Enters a text that is sent.
    pub fn send(&mut self, bytes: usize) {
        self.given_bytes += bytes;
        self.sent_bytes += bytes;
    }

    /// Enters what was cut from the results of a message that is entered as sent.
    pub fn cut_results(&mut self, bytes: usize, name: impl FnOnce() -> MessageName) {
        self.given_bytes -= bytes;
        self.sent_bytes -= bytes;
        self.leave_out_message(Cause::SHORTENED_RESULTS, bytes, name);
    }

    /// Enters a text, or a piece of one, that is not sent. Zero bytes are ignored.
    pub fn leave_out(&mut self, cause: Cause, bytes: usize) {
        if bytes > 0 {
            self.leave_out_messages(cause, 1, bytes);
        }
    }

    /// Enters as left out a piece of a text that was entered as sent.
    pub fn take_back(&mut self, cause: Cause, bytes: usize) {
        self.sent_bytes -= bytes;
        self.given_bytes -= bytes;
        self.leave_out(cause, bytes);
    }

    /// Enters bytes of a part that replace secrets. They are not given text.
    pub fn insert_marks(&mut self, part: Part, bytes: usize) {
        if bytes > 0 {
            self.marks.push((part, bytes));
        }
    }

    /// The bytes that were inserted into a part.
    pub fn mark_bytes(&self, part: Part) -> usize {
        self.marks.iter().filter(|(of, _)| *of == part).map(|(_, bytes)| bytes).sum()
    }

    /// Whether the next message is listed by name. If not, it is summed up.
    pub fn is_listing(&self) -> bool {
        self.listed.len() < MAX_LISTED
    }

    /// Enters a message, or a piece of one, that is not sent, by name while there is room. Messages
    /// must be entered newest first.
    pub fn leave_out_message(
        &mut self,
        cause: Cause,
        bytes: usize,
        name: impl FnOnce() -> MessageName,
    ) {
        if !self.is_listing() {
            return self.leave_out_messages(cause, 1, bytes);
        }
        self.given_bytes += bytes;
        self.listed.push(LeftOut { cause, bytes, count: 1, name: name() });
    }

    /// Enters messages that are reported only as a sum.
    pub fn leave_out_messages(&mut self, cause: Cause, count: usize, bytes: usize) {
        if count == 0 {
            return;
        }
        self.given_bytes += bytes;
        add_up(&mut self.summed, cause, count, bytes);
    }

    /// Enters unread messages, whose size is unknown.
    pub fn leave_out_unread(&mut self, cause: Cause, count: usize) {
        self.unread += count;
        self.leave_out_messages(cause, count, 0);
    }

    /// Bytes removed from inside the texts of a part for reasons other than lack of room.
    pub fn bytes_cut_from(&self, part: Part) -> usize {
        let is_cut = |entry: &&LeftOut| {
            entry.cause.part == part
                && matches!(entry.cause.action, Loss::Cut | Loss::Stripped)
                && entry.cause.reason != Reason::Budget
        };
        self.entries().filter(is_cut).map(|entry| entry.bytes).sum()
    }

    /// What was left out, in prompt order; within a part, single messages first.
    pub fn left_out(&self) -> Vec<LeftOut> {
        let mut entries: Vec<LeftOut> = self.entries().cloned().collect();
        entries.sort_by_key(|entry| entry.cause.part as usize);
        entries
    }

    /// The sums.
    pub fn account(&self) -> Account {
        Account {
            given_bytes: self.given_bytes,
            sent_bytes: self.sent_bytes,
            left_out_bytes: self.entries().map(|entry| entry.bytes).sum(),
        }
    }

    fn entries(&self) -> impl Iterator<Item = &LeftOut> {
        self.listed.iter().chain(&self.summed)
    }
}

/// Adds to the sum of a cause.
fn add_up(sums: &mut Vec<LeftOut>, cause: Cause, count: usize, bytes: usize) {
    match sums.iter_mut().find(|sum| sum.cause == cause) {
        Some(sum) => {
            sum.count += count;
            sum.bytes += bytes;
        }
        None => sums.push(LeftOut { cause, bytes, count, name: MessageName::default() }),
    }
}
