//! Which layouts are known, and by which names.

use super::definition::quoted;
use super::{Layout, LayoutRef, built_in};
use crate::error::Error;
use crate::text::trim_js;
use std::collections::HashMap;

/// A caller's own layouts, beside the built-in ones.
#[derive(Debug, Default)]
pub struct Layouts {
    /// The caller's own layouts.
    pub own: Vec<LayoutRef>,
    /// The index of each own layout, by each of its names.
    by_name: HashMap<String, usize>,
}

impl Layouts {
    /// The caller's layouts; an error if a name means two of them, or a built-in one. `path` is
    /// what the caller calls the list.
    pub fn new(own: Vec<Layout>, path: &str) -> Result<Self, Error> {
        let mut by_name: HashMap<String, usize> = HashMap::new();
        for (index, layout) in own.iter().enumerate() {
            for (position, name) in layout.names().enumerate() {
                let other = by_name.get(&normalized(name)).map(|other| &own[*other]);
                if let Some(other) = other.or_else(|| built_in(name)) {
                    let field = match position.checked_sub(1) {
                        None => "agentType".to_owned(),
                        Some(alias) => format!("aliases[{alias}]"),
                    };
                    return Err(Error::invalid_type(
                        format!("{path}[{index}].{field}"),
                        "a name that no other layout has",
                        format!("{}, a name of {}", quoted(name), quoted(&other.agent_type)),
                    ));
                }
            }
            by_name.extend(layout.names().map(|name| (normalized(name), index)));
        }
        Ok(Layouts { own: own.into_iter().map(LayoutRef::from).collect(), by_name })
    }

    /// The layout with this name, in any letter case.
    pub fn find(&self, agent_type: &str) -> Option<LayoutRef> {
        let own = self.by_name.get(&normalized(agent_type)).map(|index| self.own[*index].clone());
        own.or_else(|| built_in(agent_type).map(LayoutRef::from))
    }
}

/// A name in the form in which names are compared.
pub fn normalized(name: &str) -> String {
    trim_js(name).to_lowercase()
}
