//! The account in words: a sentence for each cause but white space. [`crate::report`] describes
//! section by section what was dropped for lack of room.

use super::{Cause, Ledger, LeftOut, Loss, Reason, Step, add_up};
use crate::layout::Part;
use crate::text::{counted, size};

impl Ledger {
    /// A sentence for each cause, in prompt order, and the part it is about.
    pub fn sentences(&self) -> Vec<(Part, String)> {
        let mut totals: Vec<LeftOut> = Vec::new();
        for entry in self.entries() {
            add_up(&mut totals, entry.cause, entry.count, entry.bytes);
        }
        totals.sort_by_key(|total| total.cause.part as usize);
        let sentence = |total: &LeftOut| Some((total.cause.part, self.sentence(total)?));
        totals.iter().filter_map(sentence).collect()
    }

    fn sentence(&self, total: &LeftOut) -> Option<String> {
        let Cause { part, action, reason, .. } = total.cause;
        let (one, many) = match part {
            Part::Siblings => ("reply", "replies"),
            _ => ("message", "messages"),
        };
        let texts = counted(total.count, one, many);
        let are = if total.count == 1 { "is" } else { "are" };
        let bytes = size(total.bytes);
        if let Some(sentence) = self.sentence_of_results(total, &texts) {
            return Some(sentence);
        }
        Some(match (reason, action) {
            (Reason::Space | Reason::Budget, _) => return None,
            (Reason::Step, _) => {
                format!("{texts} {are} also dropped, to reach a multiple of the eviction step")
            }
            (Reason::Window, _) if part == Part::Routing => {
                "left out: the message to answer is missing".to_owned()
            }
            (Reason::Window, _) => {
                let older = if self.has_newer_outside { "" } else { "older " };
                let texts =
                    counted(total.count, &format!("{older}{one}"), &format!("{older}{many}"));
                let window = self.window_name.as_deref().unwrap_or("the window");
                format!("{texts} {are} outside {window}")
            }
            (Reason::Recipient, _) => {
                let recipient = self.recipient.as_deref().unwrap_or("the recipient");
                format!("{texts} {are} not for {recipient}")
            }
            (Reason::Own, _) => format!("{texts} from the member itself {are} left out"),
            (Reason::Duplicate, _) => {
                format!("{texts} {are} left out: same text as the current one")
            }
            (Reason::Marker, _) => format!("routing markers are stripped from {texts}: {bytes}"),
            (Reason::Limit, Loss::Dropped) => {
                format!("{texts} over the maximum number {are} left out")
            }
            // The section reports that the instruction file was cut.
            (Reason::Limit, _) if part == Part::System => match self.role_cut_bytes {
                0 => return None,
                cut => format!("the role summary is cut to its limit: {} left out", size(cut)),
            },
            (Reason::Limit, _) => format!("cut to the maximum length: {bytes} left out"),
            (Reason::Code, _) => format!("code blocks are left out of {texts}: {bytes}"),
            (Reason::Summary, _) => format!("{texts} {are} covered by the summary"),
            (Reason::Seen, _) => match part {
                Part::Context | Part::Siblings => format!("{texts} {are} already in the session"),
                _ => "left out: already in the session".to_owned(),
            },
            (Reason::Same, _) => "left out: same as the current message".to_owned(),
            (Reason::Reasoning, _) => format!("reasoning is left out of {texts}: {bytes}"),
            (Reason::Redacted, _) => {
                format!("what looks like keys or tokens is replaced in {texts}: {bytes}")
            }
            (Reason::Layout, Loss::Cut) => format!("only the names of files in {texts} are shown"),
            (Reason::Layout, _) => "left out: the layout has no such part".to_owned(),
        })
    }

    /// The sentence for what is cut from messages of the conversation: tool results.
    fn sentence_of_results(&self, total: &LeftOut, texts: &str) -> Option<String> {
        let Cause { part: Part::Context, action: Loss::Cut, reason, step } = total.cause else {
            return None;
        };
        let bytes = size(total.bytes);
        Some(match (reason, step) {
            (Reason::Budget, Some(Step::ShortenResults)) => {
                format!("tool results in {texts} are shortened: {bytes} left out")
            }
            (Reason::Budget, None) => {
                format!("there is no room for some tool calls and their results: {bytes} left out")
            }
            (Reason::Window, _) => {
                let window = self.window_name.as_deref().unwrap_or("the window");
                format!(
                    "tool results in {texts} have their calls outside {window}: {bytes} left out"
                )
            }
            (Reason::Summary, _) => {
                format!("the summary covers the calls of tool results in {texts}: {bytes} left out")
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_except_space_and_budget_has_a_sentence() {
        let mut ledger = Ledger::default();
        ledger.set_recipient("sarah");
        for (cause, count, bytes) in [
            (Cause::stripped(Part::Message), 1, 8),
            (Cause::trimmed(Part::Message), 1, 2),
            (Cause::dropped(Part::Context, Reason::Window), 2, 20),
            (Cause::dropped(Part::Context, Reason::Recipient), 1, 5),
            (Cause::dropped(Part::Context, Reason::Budget), 1, 5),
            (Cause::SHORTENED_RESULTS, 2, 700),
            (Cause::cut(Part::Context, Reason::Budget), 1, 30),
            (Cause::cut(Part::Siblings, Reason::Code), 3, 2048),
            (Cause::dropped(Part::Siblings, Reason::Limit), 1, 1),
        ] {
            ledger.leave_out_messages(cause, count, bytes);
        }
        let sentences = ledger.sentences().into_iter();
        assert_eq!(
            sentences.map(|(part, text)| format!("{} {text}", part.tag())).collect::<Vec<_>>(),
            [
                "[CONTEXT] 2 older messages are outside the window",
                "[CONTEXT] 1 message is not for sarah",
                "[CONTEXT] tool results in 2 messages are shortened: 700 bytes left out",
                "[CONTEXT] there is no room for some tool calls and their results: 30 bytes left out",
                "[RELATED_CONTEXT] code blocks are left out of 3 replies: 2 KB",
                "[RELATED_CONTEXT] 1 reply over the maximum number is left out",
                "[MESSAGE] routing markers are stripped from 1 message: 8 bytes",
            ]
        );
    }
}
