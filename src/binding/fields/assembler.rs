//! Options of assemblers.

use super::{TokenizerFields, optional_count};
use crate::error::Error;
use crate::layout::LayoutRef;
use crate::layout::{Part, SystemPlacement};
use crate::model::{Assembler, AssemblerOptions, Markers};
use crate::text::is_line_break;
use crate::tokens::Tokenizer;
use napi_derive::napi;

/// `AssemblerOptions`.
#[napi(object, object_to_js = false)]
#[derive(Default)]
pub struct AssemblerOptionFields {
    pub tokenizer: Option<TokenizerFields>,
    pub system_placement: Option<String>,
    /// Names of parts and their titles, in the order of the object.
    pub headings: Vec<(String, String)>,
    pub eviction_step: Option<f64>,
    pub markers: Option<String>,
    pub show_sender: Option<bool>,
    pub message_min_bytes: Option<f64>,
    pub tool_output_min_bytes: Option<f64>,
    pub reasoning: Option<String>,
}

impl AssemblerOptionFields {
    /// An assembler of a layout with these options.
    pub fn assembler(self, layout: LayoutRef) -> Result<Assembler, Error> {
        let system_placement = match self.system_placement {
            None => None,
            Some(name) => match SystemPlacement::parse(&name) {
                Some(placement) if layout.allows(placement) => Some(placement),
                _ => {
                    let (path, expected) = ("options.systemPlacement", layout.allowed_placements());
                    return Err(Error::invalid_type(path, expected, format!("'{name}'")));
                }
            },
        };
        let options = AssemblerOptions {
            system_placement,
            headings: self.headings.into_iter().map(heading).collect::<Result<_, _>>()?,
            eviction_step: optional_count(self.eviction_step),
            markers: self.markers.as_deref().and_then(Markers::parse),
            show_sender: self.show_sender,
            message_min_bytes: optional_count(self.message_min_bytes),
            tool_output_min_bytes: optional_count(self.tool_output_min_bytes),
            tokenizer: self.tokenizer.map(Tokenizer::from),
            // The only other value is the default.
            keeps_reasoning: self.reasoning.as_deref() == Some("keep"),
        };
        Ok(Assembler::new(layout, options))
    }
}

fn heading((name, title): (String, String)) -> Result<(Part, String), Error> {
    let Some(part) = Part::parse(&name) else {
        let expected = format!("an object with keys of {}", Part::ALL.map(Part::name).join(", "));
        return Err(Error::invalid_type("options.headings", expected, format!("'{name}'")));
    };
    match title.contains(is_line_break) {
        true => {
            let path = format!("options.headings.{name}");
            Err(Error::invalid_type(path, "a single line", format!("'{title}'")))
        }
        false => Ok((part, title)),
    }
}
