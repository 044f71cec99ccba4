//! Caller-supplied layouts.

use crate::layout::{
    FenceDefinition, LayoutDefinition, LineDefinition, SectionDefinition, ToolDefinition,
};
use napi_derive::napi;

/// A `LayoutDefinition`.
#[napi(object, object_to_js = false)]
pub struct LayoutFields {
    pub agent_type: String,
    pub aliases: Vec<String>,
    pub system_placement: Option<String>,
    pub sections: Vec<SectionFields>,
    pub message_line: LineFields,
    pub quote_line: LineFields,
    pub sender_line: LineFields,
    pub fence: FenceFields,
    pub tools: ToolFields,
    pub labels: LabelFields,
    pub notes: NoteFields,
}

/// A section of a layout.
#[napi(object, object_to_js = false)]
pub struct SectionFields {
    pub part: String,
    pub title: Option<String>,
    pub note: Option<String>,
}

/// A style of lines.
#[napi(object, object_to_js = false)]
pub struct LineFields {
    pub open: Option<String>,
    pub arrow: Option<String>,
    pub colon: Option<String>,
}

/// The texts of fenced prompts.
#[napi(object, object_to_js = false)]
pub struct FenceFields {
    pub note: Option<String>,
    pub open: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub summary: Option<String>,
    pub end: Option<String>,
}

/// The texts of tool calls and results.
#[napi(object, object_to_js = false)]
pub struct ToolFields {
    pub call: Option<String>,
    pub result: Option<String>,
    pub error: Option<String>,
}

/// The labels of routing data.
#[napi(object, object_to_js = false)]
pub struct LabelFields {
    pub parent_message_id: Option<String>,
    pub intent: Option<String>,
}

/// The notes of a session.
#[napi(object, object_to_js = false)]
pub struct NoteFields {
    pub earlier: Option<String>,
    pub new: Option<String>,
}

impl From<LayoutFields> for LayoutDefinition {
    fn from(given: LayoutFields) -> Self {
        let line =
            |LineFields { open, arrow, colon }: LineFields| LineDefinition { open, arrow, colon };
        let section = |SectionFields { part, title, note }| SectionDefinition { part, title, note };
        LayoutDefinition {
            agent_type: given.agent_type,
            aliases: given.aliases,
            system_placement: given.system_placement,
            sections: given.sections.into_iter().map(section).collect(),
            message_line: line(given.message_line),
            quote_line: line(given.quote_line),
            sender_line: line(given.sender_line),
            fence: fence(given.fence),
            tools: tools(given.tools),
            parent_id_label: given.labels.parent_message_id,
            intent_label: given.labels.intent,
            earlier_note: given.notes.earlier,
            new_note: given.notes.new,
        }
    }
}

fn tools(ToolFields { call, result, error }: ToolFields) -> ToolDefinition {
    ToolDefinition { call, result, error }
}

fn fence(FenceFields { note, open, from, to, summary, end }: FenceFields) -> FenceDefinition {
    FenceDefinition { note, open, from, to, summary, end }
}
