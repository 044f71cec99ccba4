//! What stands behind the assembler classes of `lib/prompts/assemblers.ts`.

use super::failure::json_of;
use super::fields::{AssemblerOptionFields, LayoutFields};
use crate::error::Error;
use crate::layout::{BUILT_IN, LayoutDefinition, built_in};
use crate::model::Assembler;
use napi_derive::napi;
use std::rc::Rc;

/// A layout with options.
#[napi]
pub struct NativeAssembler {
    pub(super) assembler: Rc<Assembler>,
}

#[napi]
impl NativeAssembler {
    /// An assembler for a known agent type, or for a caller-supplied layout.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        agent_type: Option<String>,
        layout: Option<LayoutFields>,
        options: AssemblerOptionFields,
    ) -> napi::Result<Self> {
        let layout = match layout {
            Some(layout) => LayoutDefinition::from(layout).check("layout")?.into(),
            None => {
                let name = agent_type.unwrap_or_default();
                let known = built_in(&name).ok_or_else(|| {
                    let types = BUILT_IN.map(|layout| &*layout.agent_type).join(", ");
                    let expected = format!("one of {types}");
                    Error::invalid_type("agentType", expected, format!("'{name}'"))
                })?;
                known.into()
            }
        };
        Ok(NativeAssembler { assembler: Rc::new(options.assembler(layout)?) })
    }

    /// The agent type of the layout.
    #[napi(getter, catch_unwind)]
    pub fn agent_type(&self) -> String {
        self.assembler.layout.agent_type.to_string()
    }

    /// The texts of the layout around those of a plain prompt, as JSON; absent if other things decide
    /// about it, too.
    #[napi(getter, catch_unwind)]
    pub fn template(&self) -> napi::Result<Option<String>> {
        Ok(self.assembler.template().map(|template| json_of(&template)).transpose()?)
    }

    /// The number of the caller-supplied function that counts its tokens.
    #[napi(getter, catch_unwind)]
    pub fn token_function(&self) -> Option<u32> {
        let tokenizer = self.assembler.options.tokenizer.as_ref()?;
        tokenizer.function().map(|number| number as u32)
    }
}
