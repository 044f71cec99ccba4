//! What stands behind `lib/manager/context-manager.ts`.
//!
//! - `messages`: adding, changing and removing messages;
//! - `turns`: what an agent sees in a turn, and its prompt;
//! - `remembering`: summaries and sessions;
//! - `snapshots`: a conversation that is exported, restored or appended to.

mod messages;
mod remembering;
mod snapshots;
mod turns;

use super::fields::{AssemblerOptionFields, LayoutFields, TokenizerFields, count, optional_count};
use super::memory::ToldMemory;
use crate::error::Error;
use crate::layout::{LayoutDefinition, Layouts, PLAIN};
use crate::manager::team_task::MAX_TASK_BYTES;
use crate::manager::{
    AgentDefaults, Agents, ConversationOptions, Manager, ManagerOptions, MissingParent,
};
use crate::model::Markers;
use crate::prompt::{self, DEFAULT_CONTEXT_MESSAGES};
use crate::tokens::Tokenizer;
use napi::Env;
use napi::bindgen_prelude::ObjectFinalize;
use napi_derive::napi;
use std::cell::RefCell;
use std::rc::Rc;

/// The default of `contextWindowSize`.
#[napi]
pub const DEFAULT_CONTEXT_WINDOW_SIZE: u32 = DEFAULT_CONTEXT_MESSAGES as u32;

/// The default of `maxBytes`.
#[napi]
pub const DEFAULT_MAX_BYTES: u32 = prompt::DEFAULT_MAX_BYTES as u32;

/// A team task is cut to this size.
#[napi]
pub const MAX_TEAM_TASK_BYTES: u32 = MAX_TASK_BYTES as u32;

/// The options of a manager. Hooks and the logger stay in JavaScript.
#[napi(object, object_to_js = false)]
pub struct ManagerFields {
    pub context_window_size: Option<f64>,
    pub max_bytes: Option<f64>,
    pub max_tokens: Option<f64>,
    pub default_max_siblings: Option<f64>,
    pub default_force_parent_reinsertion: Option<bool>,
    pub sibling_content_max_length: Option<f64>,
    pub parent_reinsertion_max_bytes: Option<f64>,
    pub eviction_step: Option<f64>,
    pub strip_markers: Option<bool>,
    pub ids: Option<String>,
    pub visibility: Option<String>,
    pub reasoning: Option<String>,
    pub on_missing_parent: Option<String>,
    pub show_sender: Option<bool>,
    pub markers: Option<String>,
    pub tokenizer: Option<TokenizerFields>,
    pub layouts: Vec<LayoutFields>,
    /// Agent types and their options, in the order of the object.
    pub assemblers: Vec<(String, AssemblerOptionFields)>,
}

impl ManagerFields {
    fn manager(self) -> Result<Manager, Error> {
        let defaults = ManagerOptions::default();
        let or = |given: Option<f64>, default: usize| given.map_or(default, count);
        let missing_parent = self.on_missing_parent.as_deref().and_then(MissingParent::parse);
        let options = ManagerOptions {
            window_size: or(self.context_window_size, defaults.window_size),
            max_bytes: or(self.max_bytes, defaults.max_bytes),
            max_siblings: or(self.default_max_siblings, defaults.max_siblings),
            reinsert_parent: self
                .default_force_parent_reinsertion
                .unwrap_or(defaults.reinsert_parent),
            sibling_max_units: or(self.sibling_content_max_length, defaults.sibling_max_units),
            parent_max_bytes: or(self.parent_reinsertion_max_bytes, defaults.parent_max_bytes),
            eviction_step: or(self.eviction_step, defaults.eviction_step),
            conversation: ConversationOptions {
                keeps_markers: self.strip_markers == Some(false),
                // The only other value of each is its default.
                keeps_reasoning: self.reasoning.as_deref() == Some("keep"),
                keeps_ids: self.ids.as_deref() == Some("keep"),
                is_team: self.visibility.as_deref() == Some("team"),
            },
            missing_parent: missing_parent.unwrap_or_default(),
            max_tokens: optional_count(self.max_tokens),
        };
        let layouts = self.layouts.into_iter().enumerate().map(|(index, layout)| {
            LayoutDefinition::from(layout).check(&format!("options.layouts[{index}]"))
        });
        let layouts = Layouts::new(layouts.collect::<Result<_, _>>()?, "options.layouts")?;
        let defaults = AgentDefaults {
            tokenizer: self.tokenizer.map(Tokenizer::from),
            show_sender: self.show_sender,
            markers: self.markers.as_deref().and_then(Markers::parse),
        };
        let configured = self.assemblers.into_iter().map(|(agent_type, options)| {
            let layout = layouts.find(&agent_type).unwrap_or_else(|| (&PLAIN).into());
            Ok((agent_type, options.assembler(layout)?))
        });
        let configured = configured.collect::<Result<_, Error>>()?;
        Ok(Manager::new(options, Agents::new(&layouts, configured, defaults)))
    }
}

/// A conversation with its settings.
#[napi(custom_finalize)]
pub struct NativeManager {
    /// Shared with the turns that JavaScript keeps.
    pub(super) manager: Rc<RefCell<Manager>>,
    told: ToldMemory,
    /// Whether the last content was mostly beyond ASCII: the next one is read accordingly.
    expect_wide: bool,
}

impl ObjectFinalize for NativeManager {
    fn finalize(mut self, env: Env) -> napi::Result<()> {
        self.told.tell(&env, 0);
        Ok(())
    }
}

impl NativeManager {
    fn tell_memory(&mut self, env: &Env) {
        let bytes = self.manager.borrow().memory_bytes();
        self.told.tell(env, bytes);
    }
}

#[napi]
impl NativeManager {
    /// An empty conversation.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: ManagerFields) -> napi::Result<Self> {
        let manager = Rc::new(RefCell::new(options.manager()?));
        Ok(NativeManager { manager, told: ToldMemory::default(), expect_wide: false })
    }

    /// What to tell the user about an agent type, if it is not known.
    #[napi(catch_unwind)]
    pub fn agent_warning(&self, agent_type: String) -> Option<String> {
        self.manager.borrow().agents.look_up(&agent_type).warning
    }

    /// Sets what the team works on. Returns a warning if it was cut.
    #[napi(catch_unwind)]
    pub fn set_team_task(&mut self, env: Env, task: Option<String>) -> Option<String> {
        let warning = self.manager.borrow_mut().set_team_task(task.as_deref());
        self.tell_memory(&env);
        warning
    }

    /// What the team works on.
    #[napi(getter, catch_unwind)]
    pub fn team_task(&self) -> Option<String> {
        self.manager.borrow().conversation.team_task().map(str::to_owned)
    }

    /// Forgets messages, team task and numbering.
    #[napi(catch_unwind)]
    pub fn clear(&mut self, env: Env) {
        let empty = self.manager.borrow().empty_conversation();
        self.manager.borrow_mut().replace(empty);
        self.tell_memory(&env);
    }
}
