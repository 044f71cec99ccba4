//! The account of everything but the conversation.

use crate::account::{Cause, Ledger, MessageName, Reason};
use crate::budget::Request;
use crate::layout::Part;
use crate::model::GivenText;
use crate::model::Quote;
use crate::plan::{Body, Plan};
use crate::text::{EndBytes, Text, trim_js, without_line_breaks};

/// Enters every text that is not a message of the conversation.
pub fn enter_fixed_parts(ledger: &mut Ledger, request: Request, plan: &Plan) {
    let mut fixed = FixedParts { ledger, request, plan };
    fixed.enter_outside();
    fixed.enter_redacted();
    fixed.enter_system();
    fixed.enter_team_task();
    fixed.enter_summary();
    fixed.enter_parent();
    fixed.enter_siblings();
    fixed.enter_message();
    fixed.enter_routing();
}

struct FixedParts<'l, 'r> {
    ledger: &'l mut Ledger,
    request: Request<'r>,
    plan: &'l Plan<'r>,
}

impl FixedParts<'_, '_> {
    /// Enters texts of a part that the layout lacks or that the agent has already been shown.
    /// Returns false in any other case.
    fn enter_without_section(&mut self, part: Part, texts: &[usize]) -> bool {
        let reason = if self.request.materials.seen.has(part) {
            Reason::Seen
        } else if !self.request.assembler.layout.has(part) {
            Reason::Layout
        } else {
            return false;
        };
        for bytes in texts {
            self.ledger.leave_out(Cause::dropped(part, reason), *bytes);
        }
        true
    }

    /// Enters a text that was trimmed from `given` to `trimmed` bytes.
    fn enter_trimmed(&mut self, part: Part, given: usize, trimmed: usize) {
        self.ledger.leave_out(Cause::trimmed(part), given - trimmed);
        self.ledger.send(trimmed);
    }

    fn enter_outside(&mut self) {
        let Some((count, bytes)) = self.request.materials.outside else { return };
        self.ledger.window_name = Some("what the prompt is made of".to_owned());
        self.ledger.has_newer_outside = true;
        let cause = Cause::dropped(Part::Context, Reason::Window);
        self.ledger.leave_out_messages(cause, count, bytes);
    }

    fn enter_redacted(&mut self) {
        let materials = self.request.materials;
        for redacted in &materials.redacted {
            let cause = Cause::cut(redacted.part, Reason::Redacted);
            self.ledger.leave_out_messages(cause, redacted.count, redacted.secret_bytes);
            self.ledger.insert_marks(redacted.part, redacted.mark_bytes);
        }
        let over_limit = Cause::cut(Part::Parent, Reason::Limit);
        self.ledger.leave_out(over_limit, materials.parent_cut_bytes);
    }

    fn enter_system(&mut self) {
        let materials = self.request.materials;
        let file = &*materials.instruction_file;
        let role = &materials.role;
        let keys = &materials.keys;
        // Hyphens inserted into keys are not given text.
        let hyphens = |index| keys.bytes(GivenText::Instruction(index));
        let elements = materials.system_instruction.iter().enumerate();
        let file_bytes = file.len() - keys.bytes(GivenText::File);
        let mut given: Vec<usize> =
            elements.clone().map(|(index, element)| element.len() - hyphens(index)).collect();
        given.extend([role.given_bytes, file_bytes]);
        if self.enter_without_section(Part::System, &given) {
            return;
        }
        let over_limit = Cause::cut(Part::System, Reason::Limit);
        self.ledger.leave_out(over_limit, role.cut_bytes);
        self.ledger.role_cut_bytes = role.cut_bytes;
        let role_bytes = role.given_bytes - role.cut_bytes;
        self.enter_trimmed(Part::System, role_bytes, role.kept_bytes);
        for (index, element) in elements {
            let hyphens = hyphens(index);
            let trimmed = trim_js(element).len() - hyphens;
            self.enter_trimmed(Part::System, element.len() - hyphens, trimmed);
        }

        let trimmed = trim_js(file).len() - keys.bytes(GivenText::File);
        let given_of = |kept: EndBytes| kept.sum() - keys.bytes_in(GivenText::File, file, kept);
        let kept = self.plan.kept.file.map_or(trimmed, given_of);
        let in_share = self.plan.kept.file_in_share.map_or(trimmed, given_of).max(kept);
        self.ledger.leave_out(over_limit, trimmed - in_share);
        self.ledger.leave_out(Cause::cut(Part::System, Reason::Budget), in_share - kept);
        self.enter_trimmed(Part::System, file_bytes - (trimmed - kept), kept);
    }

    fn enter_team_task(&mut self) {
        let materials = self.request.materials;
        let (task, cut) = (&*materials.team_task, materials.team_task_cut_bytes);
        let hyphens = materials.keys.bytes(GivenText::TeamTask);
        if self.enter_without_section(Part::TeamTask, &[task.len() - hyphens + cut]) {
            return;
        }
        self.ledger.leave_out(Cause::cut(Part::TeamTask, Reason::Limit), cut);
        let trimmed = trim_js(task).len() - hyphens;
        self.enter_trimmed(Part::TeamTask, task.len() - hyphens, trimmed);
    }

    fn enter_summary(&mut self) {
        let summary = &*self.request.materials.summary;
        let keys = &self.request.materials.keys;
        let given = summary.len() - keys.bytes(GivenText::Summary);
        if self.enter_without_section(Part::Summary, &[given]) {
            return;
        }
        let trimmed = trim_js(summary).len() - keys.bytes(GivenText::Summary);
        let given_of =
            |kept: EndBytes| kept.sum() - keys.bytes_in(GivenText::Summary, summary, kept);
        let kept = self.plan.kept.summary.map_or(trimmed, given_of);
        self.ledger.leave_out(cause_of_shortening(Part::Summary, kept), trimmed - kept);
        self.enter_trimmed(Part::Summary, given - (trimmed - kept), kept);
    }

    fn enter_parent(&mut self) {
        let Some(parent) = &self.request.materials.parent else { return };
        if self.enter_without_section(Part::Parent, &[parent.own_bytes]) {
            return;
        }
        let kept = match self.plan.section(Part::Parent) {
            Some(section) if section.body.bytes() > 0 => {
                let keys = &self.request.materials.keys;
                let given_of = |kept: EndBytes| {
                    kept.sum() - keys.bytes_in_untrimmed(GivenText::Parent, &parent.content, kept)
                };
                // Nothing of a parent that repeats the message is its own.
                self.plan.kept.parent.map_or(parent.own_bytes, given_of).min(parent.own_bytes)
            }
            Some(_) => 0,
            None => {
                let is_blank = trim_js(&parent.content).is_empty();
                let cause = match is_blank {
                    true => Cause::trimmed(Part::Parent),
                    false => Cause::dropped(Part::Parent, Reason::Same),
                };
                return self.leave_out_quote(cause, parent.own_bytes, parent, None);
            }
        };
        let cause = cause_of_shortening(Part::Parent, kept);
        self.leave_out_quote(cause, parent.own_bytes - kept, parent, None);
        self.ledger.send(kept);
    }

    fn enter_siblings(&mut self) {
        let siblings = &self.request.materials.siblings;
        let own_bytes = |sibling: &Quote| match self.ledger.is_repeated(sibling) {
            true => 0,
            false => sibling.own_bytes,
        };
        let given: Vec<usize> = siblings.iter().map(own_bytes).collect();
        if self.enter_without_section(Part::Siblings, &given) {
            return;
        }
        let kept = self.plan.section(Part::Siblings).and_then(|section| section.body.items());
        for (index, (sibling, bytes)) in siblings.iter().zip(given).enumerate() {
            match index < kept.unwrap_or(0) {
                true => self.ledger.send(bytes),
                false => {
                    let cause = Cause::dropped(Part::Siblings, Reason::Budget);
                    self.leave_out_quote(cause, bytes, sibling, Some(index));
                }
            }
        }
    }

    fn leave_out_quote(&mut self, cause: Cause, bytes: usize, quote: &Quote, index: Option<usize>) {
        if bytes == 0 {
            return;
        }
        self.ledger.leave_out_message(cause, bytes, || {
            let from = Some(quote.from.clone());
            match &quote.origin {
                Some(origin) => {
                    MessageName { id: Some(origin.id.clone()), index: Some(origin.index), from }
                }
                None => MessageName { id: None, index, from },
            }
        });
    }

    fn enter_message(&mut self) {
        let keys = &self.request.materials.keys;
        let hyphens = keys.bytes(GivenText::Message);
        let (given, trimmed) = match &self.request.materials.message {
            Text::Whole(text) => (text.len() - hyphens, trim_js(text).len() - hyphens),
            Text::Ends(ends) => (ends.given_bytes, ends.bytes()),
        };
        if self.enter_without_section(Part::Message, &[given]) {
            return;
        }
        let kept = match self.plan.section(Part::Message).map(|section| &section.body) {
            Some(Body::Cut(cut)) => {
                let (kept, whole) = (cut.end_bytes(), self.request.materials.message.beginning());
                kept.sum() - keys.bytes_in(GivenText::Message, whole, kept)
            }
            _ => trimmed,
        };
        self.ledger.leave_out(Cause::cut(Part::Message, Reason::Budget), trimmed - kept);
        self.enter_trimmed(Part::Message, given - (trimmed - kept), kept);
    }

    fn enter_routing(&mut self) {
        let materials = self.request.materials;
        let unanswered = Cause::dropped(Part::Routing, Reason::Window);
        self.ledger.leave_out(unanswered, materials.unused_routing_bytes);
        let values = [
            (&*materials.parent_message_id, GivenText::ParentMessageId),
            (&*materials.intent, GivenText::Intent),
        ];
        let hyphens = |text| materials.keys.bytes(text);
        let given = values.map(|(value, text)| value.len() - hyphens(text));
        if self.enter_without_section(Part::Routing, &given) {
            return;
        }
        for ((value, text), given) in values.into_iter().zip(given) {
            let shown = without_line_breaks(trim_js(value)).len() - hyphens(text);
            self.enter_trimmed(Part::Routing, given, shown);
        }
    }
}

/// Why a text is dropped, or cut to `kept` bytes.
fn cause_of_shortening(part: Part, kept: usize) -> Cause {
    match kept {
        0 => Cause::dropped(part, Reason::Budget),
        _ => Cause::cut(part, Reason::Budget),
    }
}
