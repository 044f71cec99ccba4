//! `AssemblerOptions`.

use super::border::{Border, Value};
use super::failure::Failure;
use super::reader::Reader;
use crate::error::Error;
use crate::layout::Layout;
use crate::model::{Assembler, Markers, Options, Part, SystemPlacement};
use crate::structure::is_line_break;

/// An assembler of the given layout with a caller's options; undefined and null are none.
pub fn assembler<'s>(
    border: Border<'s>,
    layout: &'static Layout,
    options: Option<Value<'s>>,
) -> Result<Assembler, Failure> {
    let given = match options {
        Some(value) if !border.kind(value)?.is_nothing() => value,
        _ => return Ok(Assembler { layout, options: Options::default() }),
    };
    let reader = Reader::new(border, given, "options", "options")?;
    let options = Options {
        system_placement: system_placement(&reader, layout)?,
        headings: headings(&reader)?,
        eviction_step: reader.optional_integer("evictionStep", 0)?,
        markers: match reader.optional_string("markers")?.as_deref() {
            None | Some("verbatim") => Markers::Verbatim,
            Some("escape") => Markers::Escape,
            Some(other) => return Err(not_one_of("markers", "'verbatim' or 'escape'", other)),
        },
    };
    Ok(Assembler { layout, options })
}

/// The error for an option whose type is a union of strings.
fn not_one_of(field: &str, expected: &str, got: &str) -> Failure {
    let path = format!("options.{field}");
    Error::invalid_type(path, expected, format!("'{got}'")).into()
}

fn system_placement(
    reader: &Reader,
    layout: &'static Layout,
) -> Result<Option<SystemPlacement>, Failure> {
    let field = "systemPlacement";
    let Some(name) = reader.optional_string(field)? else { return Ok(None) };
    let placement = match name.as_str() {
        "flag" => Some(SystemPlacement::Flag),
        "inline" => Some(SystemPlacement::Inline),
        "both" => Some(SystemPlacement::Both),
        _ => None,
    };
    match placement {
        Some(placement) if layout.allows(placement) => Ok(Some(placement)),
        _ if layout.allows(SystemPlacement::Flag) => {
            Err(not_one_of(field, "'flag', 'inline' or 'both'", &name))
        }
        _ => Err(not_one_of(field, "'inline', as this agent has no system flag", &name)),
    }
}

fn headings(reader: &Reader) -> Result<Vec<(Part, String)>, Failure> {
    let Some((value, _)) = reader.given("headings")? else { return Ok(Vec::new()) };
    let path = reader.path("headings");
    let titles = Reader::new(reader.border, value, &path, &path)?;
    let mut headings = Vec::new();
    for name in reader.border.keys(value)? {
        let Some(part) = Part::ALL.into_iter().find(|part| part.name() == name) else {
            let parts = Part::ALL.map(Part::name).join(", ");
            return Err(not_one_of("headings", &format!("an object with keys of {parts}"), &name));
        };
        let Some(title) = titles.optional_string(&name)? else { continue };
        if title.contains(is_line_break) {
            return Err(not_one_of(&format!("headings.{name}"), "a single line", &title));
        }
        headings.push((part, title));
    }
    Ok(headings)
}
