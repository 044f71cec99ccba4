//! `LayoutDefinition`. Only what an object has itself is read, so nothing that is added to
//! `Object.prototype` becomes part of a layout.

use super::fields::{Field, Object};
use crate::binding::failure::Failure;
use crate::layout::{
    BUILT_IN, Layout, LayoutDefinition, LayoutRef, Layouts, LineDefinition, SectionDefinition,
    built_in, layout_of,
};
use crate::model::Part;

/// A layout of the caller's.
pub fn own(field: Field) -> Result<Layout, Failure> {
    let given = field.object()?;
    given.check_keys(&[
        "agentType",
        "aliases",
        "systemPlacement",
        "sections",
        "messageLine",
        "quoteLine",
        "labels",
    ])?;
    let labels = given.own_field("labels")?.object_or_empty()?;
    labels.check_keys(&["parentMessageId", "intent"])?;
    let definition = LayoutDefinition {
        agent_type: given.own_field("agentType")?.string()?,
        aliases: aliases(given.own_field("aliases")?)?,
        system_placement: given.own_field("systemPlacement")?.optional_string()?,
        sections: sections(given.own_field("sections")?)?,
        message_line: line(given.own_field("messageLine")?.object()?, &["open", "arrow", "colon"])?,
        quote_line: line(given.own_field("quoteLine")?.object_or_empty()?, &["open", "colon"])?,
        parent_id_label: labels.own_field("parentMessageId")?.optional_string()?,
        intent_label: labels.own_field("intent")?.optional_string()?,
    };
    Ok(definition.check(&field.path())?)
}

fn aliases(field: Field) -> Result<Vec<String>, Failure> {
    match field.given()? {
        Some(given) => given.string_array("an array of strings"),
        None => Ok(Vec::new()),
    }
}

fn sections(field: Field) -> Result<Vec<SectionDefinition>, Failure> {
    // Among more sections than there are parts, there is one that is wrong.
    let enough = Part::ALL.len() + 1;
    let sections = field.elements("an array")?.take(enough).map(|element| {
        let element = element?;
        let section = element.field().object()?;
        section.check_keys(&["part", "title", "note"])?;
        Ok(SectionDefinition {
            part: section.own_field("part")?.string()?,
            title: section.own_field("title")?.optional_string()?,
            note: section.own_field("note")?.optional_string()?,
        })
    });
    sections.collect()
}

fn line(given: Object, keys: &[&str]) -> Result<LineDefinition, Failure> {
    given.check_keys(keys)?;
    let text = |name| match keys.contains(&name) {
        true => given.own_field(name)?.optional_string(),
        false => Ok(None),
    };
    Ok(LineDefinition { open: text("open")?, arrow: text("arrow")?, colon: text("colon")? })
}

/// Layouts of the caller's, or none.
pub fn own_list(field: Field) -> Result<Layouts, Failure> {
    let Some(given) = field.given()? else { return Ok(Layouts::default()) };
    let layouts = given.elements("an array")?.map(|element| own(element?.field()));
    Ok(Layouts::new(layouts.collect::<Result<_, _>>()?, &field.path())?)
}

/// The layout of a known agent type.
pub fn known(agent_type: Field) -> Result<LayoutRef, Failure> {
    let name = agent_type.string()?;
    let layout = built_in(&name).ok_or_else(|| {
        let types = BUILT_IN.map(|layout| &*layout.agent_type).join(", ");
        agent_type.unknown(&format!("one of {types}"), &name)
    })?;
    Ok(layout.into())
}

/// A layout of the caller's, or if there is none, that of an agent type.
pub fn own_or_of_type(layout: Field, agent_type: Field) -> Result<LayoutRef, Failure> {
    if layout.given()?.is_none() {
        return Ok(layout_of(&agent_type.string()?).into());
    }
    let layout = own(layout)?;
    match agent_type.optional_string()? {
        Some(name) if !layout.is_named(&name) => {
            Err(agent_type.unknown("left out, or a name of the layout that is given", &name))
        }
        _ => Ok(layout.into()),
    }
}
