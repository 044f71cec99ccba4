//! A plan as a request to an API.

use crate::arrays::apis::Rules;
use crate::arrays::blocks::{Block, separate};
use crate::arrays::cache::{Ends, Marks, key, marks};
use crate::arrays::write::{Contents, write};
use crate::arrays::{Api, ArrayForm};
use crate::conversation::Lines;
use crate::error::Error;
use crate::layout::Part;
use crate::plan::{Body, Plan, PlannedSection};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

/// A planned prompt as a request to an API, as JSON.
pub fn request(form: &ArrayForm, plan: &Plan, lines: &Lines) -> Result<String, Error> {
    let (mut blocks, ends) = blocks_of(plan, lines);
    separate(&mut blocks, form.api);
    give_ids(&mut blocks, Rules::of(form.api).max_id);
    let system = plan.system_flag();
    let wanted = (form.api, form.caching, form.model.as_deref());
    let marks = marks(wanted, system, &blocks, ends);
    let task = plan.section(Part::TeamTask).map(text_of).unwrap_or_default();
    let member = form.member.as_deref().unwrap_or_default();
    let conversation = form.conversation.as_deref().unwrap_or_default();
    let key = key(wanted, &[member, conversation, system.unwrap_or_default(), &task]);
    written(form.api, &Contents { system, blocks: &blocks, marks, key })
}

/// The request without marks, which move between requests although what they mark is the same.
pub fn unmarked(form: &ArrayForm, plan: &Plan, lines: &Lines) -> Result<String, Error> {
    let (mut blocks, _) = blocks_of(plan, lines);
    separate(&mut blocks, form.api);
    give_ids(&mut blocks, Rules::of(form.api).max_id);
    let system = plan.system_flag();
    written(form.api, &Contents { system, blocks: &blocks, marks: Marks::default(), key: None })
}

fn written(api: Api, contents: &Contents) -> Result<String, Error> {
    let not_json = |error| Error::Internal(format!("the request is not JSON: {error}"));
    write(api, contents).map_err(not_json)
}

/// Everything but the system text, in order, and where its parts end.
fn blocks_of<'p>(plan: &'p Plan, lines: &'p Lines) -> (Vec<Block<'p>>, Ends) {
    let mut blocks = Vec::new();
    let mut ends = Ends::default();
    if !plan.top.is_empty() {
        blocks.push(Block::User(plan.top.into()));
    }
    // Where the conversation ends, if the next request begins with it as well.
    let mut steady_end = None;
    for section in plan.written() {
        match section.body {
            Body::Context { first, is_steady, .. } if section.part == Part::Context => {
                let heading: Vec<&str> = section.heading.lines().collect();
                let has_text_before = !blocks.is_empty();
                blocks.push(Block::User(heading.join("\n").into()));
                let titled = blocks.len();
                ends.fixed = lines.push_blocks(first, &mut blocks);
                ends.has_fixed_text = has_text_before || ends.fixed > titled;
                steady_end = is_steady.then_some(blocks.len());
                ends.stable = steady_end.unwrap_or_default();
                if !section.ending.is_empty() {
                    blocks.push(Block::User(section.ending.into()));
                }
            }
            _ => {
                let is_next = steady_end == Some(blocks.len());
                blocks.push(Block::User(text_of(section).into()));
                if matches!(section.part, Part::TeamTask | Part::Summary) {
                    ends = Ends { fixed: blocks.len(), has_fixed_text: true, stable: 0 };
                } else if is_next && reads_the_same_later(section) {
                    ends.stable = blocks.len();
                }
            }
        }
    }
    (blocks, ends)
}

/// Whether this is the current message and reads the same in the next request, as part of the
/// conversation.
fn reads_the_same_later(section: &PlannedSection) -> bool {
    let PlannedSection { part, heading, ending, body, .. } = section;
    *part == Part::Message
        && heading.title.is_empty()
        && heading.note.is_empty()
        && !heading.opening.is_empty()
        && ending.is_empty()
        && matches!(body, Body::Text(_))
}

/// A section as one text.
fn text_of(section: &PlannedSection) -> String {
    let mut text: String = section.heading.lines().flat_map(|line| [line, "\n"]).collect();
    match &section.body {
        Body::Text(body) => text.push_str(body),
        Body::Cut(cut) => cut.parts().iter().for_each(|part| text.push_str(part)),
        Body::Items(items) => text.push_str(&items.join("\n")),
        // The first exceeds any budget, and the second is written line by line.
        Body::Ends(_) | Body::Context { .. } => {}
    }
    if !section.ending.is_empty() {
        text.push('\n');
        text.push_str(section.ending);
    }
    text
}

/// Gives every call a unique id that the API accepts. Ids only link results to calls, and different
/// agents may use the same ones.
fn give_ids(blocks: &mut [Block], max_id: usize) {
    let mut ids = Ids { max_chars: max_id, ..Ids::default() };
    let mut given: VecDeque<String> = VecDeque::new();
    for block in blocks {
        match block {
            Block::Call { id, .. } => {
                let free = ids.free(id);
                given.push_back(free.clone());
                *id = Cow::Owned(free);
            }
            // Results are in the order of their calls.
            Block::Result { id, .. } => {
                if let Some(free) = given.pop_front() {
                    *id = Cow::Owned(free);
                }
            }
            Block::User(_) | Block::Assistant(_) => {}
        }
    }
}

/// Ids in use.
#[derive(Default)]
struct Ids {
    max_chars: usize,
    taken: HashSet<String>,
    /// The last number after each stem: smaller ones are in use as well.
    numbers: HashMap<String, usize>,
}

/// How many characters are reserved for a number and the hyphen before it.
const NUMBER_CHARS: usize = 10;

impl Ids {
    /// A free id like this one.
    fn free(&mut self, id: &str) -> String {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let allowed = id.chars().map(|c| if is_allowed(c) { c } else { '_' });
        let mut free: String = allowed.take(self.max_chars).collect();
        if self.taken.insert(free.clone()) {
            return free;
        }
        free.truncate(self.max_chars - NUMBER_CHARS);
        let number = self.numbers.entry(free.clone()).or_insert(1);
        loop {
            *number += 1;
            let numbered = format!("{free}-{number}");
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_well_formed_and_unique() {
        let call = |id: &'static str| Block::Call {
            id: id.into(),
            name: "read".into(),
            input: "{}".into(),
        };
        let result = |id: &'static str| Block::Result {
            id: id.into(),
            name: "read".into(),
            output: "".into(),
            is_error: false,
        };
        let mut blocks = vec![call("a"), call("a"), result("a"), result("a"), call("b/c:é 1")];
        blocks.extend([result("b/c:é 1"), call("0123456789abc"), result("0123456789abc")]);
        blocks.extend([call("0123456789abd"), result("0123456789abd")]);
        give_ids(&mut blocks, 12);
        let ids: Vec<&str> = blocks
            .iter()
            .filter_map(|block| match block {
                Block::Call { id, .. } | Block::Result { id, .. } => Some(&**id),
                _ => None,
            })
            .collect();
        assert_eq!(
            ids,
            [
                "a",
                "a-2",
                "a",
                "a-2",
                "b_c___1",
                "b_c___1",
                "0123456789ab",
                "0123456789ab",
                "01-2",
                "01-2"
            ]
        );
    }
}
