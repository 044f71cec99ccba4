//! The blocks of a request: texts, tool calls and tool results, each from one side.
//!
//! 1. What the member itself said is assistant text, and its tool calls and results use the API's
//!    own form. Everything else is user text.
//! 2. A call without a result, a result without a call, and a pair that the API would refuse become
//!    text, as in a CLI prompt. So does data that a member sent: APIs accept none from an
//!    assistant.
//! 3. Consecutive calls of one message are made in parallel: all calls, then all results.

use super::Api;
use super::apis::{Joining, Rules, Shape};
use crate::layout::ToolLines;
use crate::parts::{MessagePart, PartKind, lay_out};
use crate::text::trim_js;
use std::borrow::Cow;

/// A block of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block<'p> {
    /// User text.
    User(Cow<'p, str>),
    /// Assistant text.
    Assistant(Cow<'p, str>),
    /// A tool call by the assistant.
    Call {
        /// Links the result to the call.
        id: Cow<'p, str>,
        /// The tool.
        name: Cow<'p, str>,
        /// The arguments: a JSON object.
        input: Cow<'p, str>,
    },
    /// The result of a tool.
    Result {
        /// The id of the call.
        id: Cow<'p, str>,
        /// The tool.
        name: Cow<'p, str>,
        /// The output.
        output: Cow<'p, str>,
        /// Whether the tool failed.
        is_error: bool,
    },
}

/// Replaces an empty result: some APIs refuse a blank one.
const NO_OUTPUT: &str = "(no output)";

/// Precedes the output of a failed tool where the API has no field for failures.
pub(super) const ERROR: &str = "Error: ";

impl<'p> Block<'p> {
    /// The texts that the API counts.
    pub fn counted(&self, api: Api) -> Vec<Cow<'_, str>> {
        match self {
            Block::User(text) | Block::Assistant(text) => {
                let separator = separator(api);
                if separator.is_empty() {
                    return vec![text.as_ref().into()];
                }
                vec![separator.into(), text.as_ref().into()]
            }
            Block::Call { name, input, .. } => {
                vec![name.as_ref().into(), input.as_ref().into()]
            }
            Block::Result { name, output, is_error, .. } => {
                let output = Cow::from(output.as_ref());
                match api {
                    Api::Anthropic => vec![output],
                    Api::Gemini | Api::AiSdk => vec![name.as_ref().into(), output],
                    Api::OpenAi | Api::OpenAiChat if *is_error => vec![ERROR.into(), output],
                    Api::OpenAi | Api::OpenAiChat => vec![output],
                }
            }
        }
    }

    /// An owned copy.
    pub fn into_owned(self) -> Block<'static> {
        let owned = |text: Cow<str>| Cow::Owned(text.into_owned());
        match self {
            Block::User(text) => Block::User(owned(text)),
            Block::Assistant(text) => Block::Assistant(owned(text)),
            Block::Call { id, name, input } => {
                Block::Call { id: owned(id), name: owned(name), input: owned(input) }
            }
            Block::Result { id, name, output, is_error } => {
                let (id, name, output) = (owned(id), owned(name), owned(output));
                Block::Result { id, name, output, is_error }
            }
        }
    }

    /// Whether the assistant said or called it.
    pub fn is_of_assistant(&self) -> bool {
        matches!(self, Block::Assistant(_) | Block::Call { .. })
    }

    /// Whether it begins a message after `previous`.
    pub fn begins_message(&self, previous: &Block, joining: Joining) -> bool {
        let is_result = |one: &Block| matches!(one, Block::Result { .. });
        match joining {
            Joining::Roles => self.is_of_assistant() != previous.is_of_assistant(),
            Joining::RolesAndResults => {
                self.is_of_assistant() != previous.is_of_assistant()
                    || is_result(self) != is_result(previous)
            }
            Joining::Calls => !(matches!(self, Block::Call { .. }) && previous.is_of_assistant()),
            Joining::Nothing => true,
        }
    }
}

/// The separator between two texts of one message: models read them as one text.
pub fn separator(api: Api) -> &'static str {
    match Rules::of(api).joining {
        Joining::Roles | Joining::RolesAndResults => "\n",
        Joining::Calls | Joining::Nothing => "",
    }
}

/// Puts the separator before each text that follows another one in its message. The end of a text
/// does not change when another one follows, so a provider's cache can reuse it.
pub fn separate(blocks: &mut [Block], api: Api) {
    let mut previous: Option<bool> = None;
    for block in blocks {
        let (text, side) = match block {
            Block::User(text) => (text, Some(false)),
            Block::Assistant(text) => (text, Some(true)),
            Block::Call { .. } | Block::Result { .. } => {
                previous = None;
                continue;
            }
        };
        if previous == side {
            *text = [separator(api), text].concat().into();
        }
        previous = side;
    }
}

/// Groups blocks into messages.
pub fn messages<'b, 'p>(
    blocks: &'b [Block<'p>],
    joining: Joining,
) -> impl Iterator<Item = &'b [Block<'p>]> {
    blocks.chunk_by(move |previous, block| !block.begins_message(previous, joining))
}

/// What blocks cost besides their texts, if nothing is joined to them.
pub fn shape(blocks: &[Block], api: Api) -> Shape {
    let count = |is_it: fn(&Block) -> bool| blocks.iter().filter(|block| is_it(block)).count();
    let results = count(|block| matches!(block, Block::Result { .. }));
    let texts = count(|block| matches!(block, Block::User(_) | Block::Assistant(_)));
    // Where a result is a message, its text is a part.
    let result_parts = match api {
        Api::OpenAi | Api::OpenAiChat => results,
        Api::Anthropic | Api::Gemini | Api::AiSdk => 0,
    };
    Shape {
        messages: messages(blocks, Rules::of(api).joining).count(),
        parts: texts + result_parts,
        calls: count(|block| matches!(block, Block::Call { .. })),
        results,
        images: 0,
    }
}

/// The blocks of a message that the member itself sent. Blank texts have none.
pub fn blocks_of<'p>(parts: &'p [MessagePart], tools: &ToolLines, rules: &Rules) -> Vec<Block<'p>> {
    let mut blocks = Vec::with_capacity(parts.len());
    let mut results = Vec::new();
    let mut rest = parts;
    while let Some((part, after)) = rest.split_first() {
        let result = after.first().filter(|next| {
            part.kind == PartKind::Call && next.kind == PartKind::Result && next.id == part.id
        });
        rest = if result.is_some() { &after[1..] } else { after };
        if let Some(result) = result.filter(|_| is_accepted(part, rules)) {
            let (id, name) = (Cow::from(&part.id), Cow::from(&part.name));
            let input = Cow::from(&part.text);
            blocks.push(Block::Call { id: id.clone(), name: name.clone(), input });
            let output = match trim_js(&result.text).is_empty() {
                true => [NO_OUTPUT, &result.text].concat().into(),
                false => Cow::from(&result.text),
            };
            results.push(Block::Result { id, name, output, is_error: result.is_error });
            continue;
        }
        blocks.append(&mut results);
        let text = match (part.kind, result) {
            (PartKind::Text | PartKind::Reasoning, _) => Cow::from(&part.text),
            (_, Some(result)) => lay_out(&[part.clone(), result.clone()], tools).into(),
            (_, None) => lay_out(std::slice::from_ref(part), tools).into(),
        };
        if !trim_js(&text).is_empty() {
            blocks.push(Block::Assistant(text));
        }
    }
    blocks.append(&mut results);
    blocks
}

/// Whether the API accepts this call in its own form.
fn is_accepted(call: &MessagePart, rules: &Rules) -> bool {
    call.text.starts_with('{') && rules.allow_name(&call.name)
}

/// Bytes of the texts in these parts that have no block because they are blank.
pub fn blank_bytes(parts: &[MessagePart]) -> usize {
    let is_prose = |part: &&MessagePart| matches!(part.kind, PartKind::Text | PartKind::Reasoning);
    let texts = parts.iter().filter(is_prose).map(|part| part.text.as_str());
    texts.filter(|text| trim_js(text).is_empty()).map(str::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TOOL_LINES;

    fn part(kind: PartKind, id: &str, text: &str) -> MessagePart {
        let name = if kind == PartKind::Call { "read" } else { "" };
        MessagePart {
            kind,
            id: id.into(),
            name: name.into(),
            text: text.into(),
            ..Default::default()
        }
    }

    fn shown(parts: &[MessagePart], api: Api) -> Vec<String> {
        let blocks = blocks_of(parts, &TOOL_LINES, Rules::of(api));
        let texts = blocks.iter().map(|block| match block {
            Block::User(text) => format!("user {text}"),
            Block::Assistant(text) => format!("text {text}"),
            Block::Call { id, .. } => format!("call {id}"),
            Block::Result { id, output, .. } => format!("result {id} {output}"),
        });
        texts.collect()
    }

    #[test]
    fn pairs_become_api_blocks_and_everything_else_becomes_text() {
        let parts = [
            part(PartKind::Text, "", "Let me look."),
            part(PartKind::Call, "a", "{}"),
            part(PartKind::Result, "a", "one"),
            part(PartKind::Text, "", "\n\n"),
            part(PartKind::Call, "b", "{}"),
            part(PartKind::Result, "b", " "),
            part(PartKind::Call, "c", "{}"),
            part(PartKind::Result, "c", "three"),
            part(PartKind::Call, "d", "[1]"),
            part(PartKind::Result, "d", "four"),
            part(PartKind::Call, "e", "{}"),
            part(PartKind::Result, "f", "six"),
        ];
        let expected = [
            "text Let me look.",
            "call a",
            "result a one",
            "call b",
            "call c",
            "result b (no output) ",
            "result c three",
            "text → read [1]\n← result\nfour",
            "text → read {}",
            "text ← result\nsix",
        ];
        assert_eq!(shown(&parts, Api::Anthropic), expected);
        assert_eq!(blank_bytes(&parts), 2);
    }

    #[test]
    fn a_call_whose_name_the_api_refuses_becomes_text() {
        let mut parts = [part(PartKind::Call, "a", "{}"), part(PartKind::Result, "a", "one")];
        parts[0].name = "fs.read".into();
        assert_eq!(shown(&parts, Api::Gemini), ["call a", "result a one"]);
        for api in [Api::Anthropic, Api::OpenAi, Api::OpenAiChat, Api::AiSdk] {
            assert_eq!(shown(&parts, api), ["text → fs.read {}\n← result\none"]);
        }
    }

    #[test]
    fn shapes_count_messages_and_parts() {
        let parts = [
            part(PartKind::Text, "", "Let me look."),
            part(PartKind::Call, "a", "{}"),
            part(PartKind::Result, "a", "one"),
            part(PartKind::Text, "", "Done."),
        ];
        for (api, messages, parts_in_all) in [
            (Api::Anthropic, 3, 2),
            (Api::OpenAi, 4, 3),
            (Api::OpenAiChat, 3, 3),
            (Api::Gemini, 3, 2),
            (Api::AiSdk, 3, 2),
        ] {
            let shape = shape(&blocks_of(&parts, &TOOL_LINES, Rules::of(api)), api);
            let expected = Shape { messages, parts: parts_in_all, calls: 1, results: 1, images: 0 };
            assert_eq!(shape, expected, "{api:?}");
        }
    }
}
