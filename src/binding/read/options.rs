//! `AssemblerOptions`.

use super::fields::{Field, Object};
use super::tokenizer::GivenTokenizer;
use crate::binding::failure::Failure;
use crate::layout::{Layout, LayoutRef};
use crate::model::{Assembler, AssemblerOptions, Markers, Part, SystemPlacement};
use crate::text::is_line_break;

/// An assembler of the given layout with a caller's options; undefined and null are none. Returns
/// the tokenizer of the options besides: of a function, the assembler has only the number.
pub fn assembler<'s>(
    layout: LayoutRef,
    options: Field<'s, '_>,
    function: usize,
) -> Result<(Assembler, Option<GivenTokenizer<'s>>), Failure> {
    let given = options.object_or_empty()?;
    let tokenizer = GivenTokenizer::read(given.field("tokenizer")?)?;
    let options = AssemblerOptions {
        system_placement: system_placement(&given, &layout)?,
        headings: headings(&given)?,
        eviction_step: given.field("evictionStep")?.optional_integer(0)?,
        markers: markers(&given)?,
        message_min_bytes: given.field("messageMinBytes")?.optional_integer(0)?,
        tokenizer: tokenizer.map(|given| given.tokenizer(options.scope, function)).transpose()?,
    };
    Ok((Assembler { layout, options }, tokenizer))
}

fn markers(options: &Object) -> Result<Markers, Failure> {
    let field = options.field("markers")?;
    match field.optional_string()? {
        None => Ok(Markers::default()),
        Some(name) => {
            Markers::parse(&name).ok_or_else(|| field.unknown("'verbatim' or 'escape'", &name))
        }
    }
}

fn system_placement(options: &Object, layout: &Layout) -> Result<Option<SystemPlacement>, Failure> {
    let field = options.field("systemPlacement")?;
    let Some(name) = field.optional_string()? else { return Ok(None) };
    match SystemPlacement::parse(&name) {
        Some(placement) if layout.allows(placement) => Ok(Some(placement)),
        _ => Err(field.unknown(layout.allowed_placements(), &name)),
    }
}

fn headings(options: &Object) -> Result<Vec<(Part, String)>, Failure> {
    let field = options.field("headings")?;
    let titles = field.object_or_empty()?;
    let mut headings = Vec::new();
    for name in titles.keys()? {
        let Some(part) = Part::parse(&name) else {
            let parts = Part::ALL.map(Part::name).join(", ");
            return Err(field.unknown(&format!("an object with keys of {parts}"), &name));
        };
        let title_field = titles.own_field(&name)?;
        let Some(title) = title_field.optional_string()? else { continue };
        if title.contains(is_line_break) {
            return Err(title_field.unknown("a single line", &title));
        }
        headings.push((part, title));
    }
    Ok(headings)
}
