use super::{Layout, LayoutSection, LineStyle};
use crate::model::{Part, SystemPlacement};

const LINE: LineStyle = LineStyle { open: "", arrow: None, colon: ": " };

/// Any other agent: no titles, no marks, no routing data.
pub static PLAIN: Layout = Layout {
    agent_type: "unknown",
    aliases: &[],
    system_placement: SystemPlacement::Inline,
    sections: &[
        untitled(Part::System),
        untitled(Part::TeamTask),
        untitled(Part::Context),
        untitled(Part::Parent),
        untitled(Part::Siblings),
        untitled(Part::Message),
    ],
    message_line: LINE,
    quote_line: LINE,
    parent_id_label: "",
    intent_label: "",
};

const fn untitled(part: Part) -> LayoutSection {
    LayoutSection { part, title: "", note: "" }
}
