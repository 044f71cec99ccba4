//! Layouts: the built-in ones, and any that a caller could write.

use crate::text::text;
use arbitrary::{Result, Unstructured};
use promptmason::layout::Part;
use promptmason::layout::{
    BUILT_IN, FenceDefinition, LayoutDefinition, LayoutRef, LineDefinition, SectionDefinition,
};

/// A layout; `None` if it is refused.
pub fn layout(u: &mut Unstructured) -> Result<Option<LayoutRef>> {
    if u.arbitrary()? {
        return Ok(Some(BUILT_IN[u.choose_index(BUILT_IN.len())?].into()));
    }
    Ok(definition(u)?.check("layout").ok().map(LayoutRef::from))
}

/// A caller's layout: parts in any order, some of them left out.
pub fn definition(u: &mut Unstructured) -> Result<LayoutDefinition> {
    let mut parts = Part::ALL.to_vec();
    parts.rotate_left(u.int_in_range(0..=7)?);
    let left_out = if u.arbitrary()? { u.arbitrary::<u8>()? } else { 0 };
    let mut sections = Vec::new();
    for (place, part) in parts.into_iter().enumerate() {
        if left_out & (1 << place) == 0 {
            sections.push(SectionDefinition {
                part: part.name().to_owned(),
                title: line(u)?,
                note: line(u)?,
            });
        }
    }
    Ok(LayoutDefinition {
        agent_type: "own".into(),
        aliases: if u.ratio(1, 4)? { vec![text(u, 2)?] } else { Vec::new() },
        system_placement: u.arbitrary::<bool>()?.then(|| "flag".to_owned()),
        sections,
        message_line: LineDefinition { open: line(u)?, arrow: line(u)?, colon: line(u)? },
        quote_line: LineDefinition { open: line(u)?, arrow: None, colon: line(u)? },
        sender_line: LineDefinition { open: line(u)?, arrow: line(u)?, colon: line(u)? },
        fence: FenceDefinition::default(),
        parent_id_label: line(u)?,
        intent_label: line(u)?,
        earlier_note: line(u)?,
        new_note: line(u)?,
        tools: Default::default(),
    })
}

/// Mostly a single line; anything else is refused.
fn line(u: &mut Unstructured) -> Result<Option<String>> {
    const LINES: [&str; 10] = ["", "* ", "  ", "/", "\u{a0}- ", "\"", "# T", "T:", "→", "[T]"];
    Ok(match u.int_in_range(0..=3)? {
        0 => None,
        1 => Some(few_backslashes(text(u, 3)?)),
        _ => Some((*u.choose(&LINES)?).to_owned()),
    })
}

/// The search for imitations of a title takes time in proportion to the backslashes before it.
pub fn few_backslashes(title: String) -> String {
    if title.matches('\\').count() > 8 { title.replace('\\', "") } else { title }
}
