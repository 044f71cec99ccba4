//! What `ContextManager` (`js/context-manager.js`, `js/manager/`) calls.
//!
//! The state is borrowed only while no code of the caller's can run, so hooks, getters and
//! loggers may call the manager again.
//!
//! - `messages`: messages;
//! - `snapshots`: conversations to be stored, and those that were;
//! - `turns`: what an agent sees, and its prompt.

#![allow(clippy::too_many_arguments, reason = "fields are passed by position, see js/fields.js")]

mod messages;
mod remembering;
mod snapshots;
mod turns;

pub use messages::AddMessage;
pub use turns::AssembleTurn;

use super::failure::Failure;
use super::handles;
use super::node_api::{Kind, Scope, Value, run};
use super::read::fields::{Field, Object};
use super::read::tokenizer::GivenTokenizer;
use super::read::{layout, options};
use crate::context::{Agents, Manager, ManagerOptions, MissingParent, ids, snapshot};
use crate::error::Error;
use crate::layout::{Layouts, PLAIN};
use crate::model::Assembler;
use crate::tokens::Tokenizer;
use napi::{Env, Unknown};
use napi_derive::napi;
use serde::Serialize;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The beginning of the ids of messages; a number follows.
#[napi]
pub const ID_PREFIX: &str = ids::ID_PREFIX;

/// The version of snapshots.
#[napi]
pub const SNAPSHOT_VERSION: f64 = snapshot::SNAPSHOT_VERSION;

/// What stands behind a `ContextManager`.
pub struct ManagerCell {
    pub(super) manager: RefCell<Manager>,
    /// What the engine was told of the memory held here.
    told_bytes: Cell<usize>,
    /// Whether the last content had much in it that is not ASCII: the next one is read
    /// accordingly.
    expect_wide: Cell<bool>,
}

impl ManagerCell {
    /// Lets the garbage collector know how much memory a manager holds.
    fn tell_memory(&self, scope: Scope) {
        let bytes = self.manager.borrow().memory_bytes();
        let told = self.told_bytes.replace(bytes);
        if bytes != told {
            scope.adjust_external_memory(bytes as i64 - told as i64);
        }
    }
}

fn manager_of(scope: Scope, handle: Unknown) -> Result<Rc<ManagerCell>, Failure> {
    Field::new(scope, "manager", handle).handle()
}

fn number_of(scope: Scope, value: Unknown) -> Result<usize, Failure> {
    Ok(scope.number(value)? as usize)
}

/// Something as JSON.
fn json_of<T: Serialize>(value: &T) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|error| Error::Internal(format!("it is not JSON: {error}")).into())
}

fn optional_text<'s>(scope: Scope<'s>, text: Option<&str>) -> Result<Value<'s>, Failure> {
    text.map_or_else(|| scope.undefined(), |text| scope.utf8(text))
}

/// Makes a manager, and returns its handle. Hooks and the logger stay in JavaScript. Tokenizers
/// that are functions become elements of `functions`.
#[napi(ts_return_type = "number")]
pub fn create_manager<'s>(
    env: &'s Env,
    options: Unknown<'s>,
    on_message_added: Unknown<'s>,
    on_team_task_changed: Unknown<'s>,
    on_assembled: Unknown<'s>,
    logger: Unknown<'s>,
    max_tokens: Unknown<'s>,
    functions: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let given = Field::new(scope, "options", options).object_or_empty()?;
        let field = |name, value| Field::new(scope, name, value).below("options");
        check_hook(field("onMessageAdded", on_message_added))?;
        check_hook(field("onTeamTaskChanged", on_team_task_changed))?;
        check_hook(field("onAssembled", on_assembled))?;
        check_logger(field("logger", logger))?;
        let defaults = ManagerOptions::default();
        let integer = |name, min, default| given.field(name)?.integer_or(min, default);
        let options = ManagerOptions {
            window_size: integer("contextWindowSize", 0, defaults.window_size)?,
            max_bytes: integer("maxBytes", 1, defaults.max_bytes)?,
            max_siblings: integer("defaultMaxSiblings", 0, defaults.max_siblings)?,
            reinsert_parent: given
                .field("defaultForceParentReinsertion")?
                .optional_boolean()?
                .unwrap_or(defaults.reinsert_parent),
            sibling_max_units: integer("siblingContentMaxLength", 0, defaults.sibling_max_units)?,
            parent_max_bytes: integer("parentReinsertionMaxBytes", 0, defaults.parent_max_bytes)?,
            eviction_step: integer("evictionStep", 0, defaults.eviction_step)?,
            strip_markers: given
                .field("stripMarkers")?
                .optional_boolean()?
                .unwrap_or(defaults.strip_markers),
            missing_parent: missing_parent_option(&given)?,
            max_tokens: field("maxTokens", max_tokens).optional_integer(1)?,
        };
        let layouts = layout::own_list(given.field("layouts")?)?;
        let mut functions = Functions { array: functions, count: 0 };
        let tokenizer = GivenTokenizer::read(given.field("tokenizer")?)?;
        let tokenizer = functions.keep(scope, tokenizer)?;
        let configured = assemblers(&given, &layouts, &mut functions)?;
        let agents = Agents::new(&layouts, configured, tokenizer);
        let manager = RefCell::new(Manager::new(options, agents));
        let cell = ManagerCell { manager, told_bytes: Cell::new(0), expect_wide: Cell::new(false) };
        let handle = handles::add(cell);
        scope.double(handle as f64)
    })
}

fn missing_parent_option(options: &Object) -> Result<MissingParent, Failure> {
    let field = options.field("onMissingParent")?;
    match field.optional_string()? {
        None => Ok(MissingParent::default()),
        Some(name) => {
            MissingParent::parse(&name).ok_or_else(|| field.unknown(MissingParent::EXPECTED, &name))
        }
    }
}

fn check_hook(hook: Field) -> Result<(), Failure> {
    match hook.kind()? {
        Kind::Undefined | Kind::Null | Kind::Function => Ok(()),
        _ => Err(hook.wrong("a function")),
    }
}

fn check_logger(logger: Field) -> Result<(), Failure> {
    match logger.kind()? {
        Kind::Undefined | Kind::Null | Kind::Object | Kind::Function => Ok(()),
        _ => Err(logger.wrong("an object")),
    }
}

/// The tokenizers of a manager that are functions.
struct Functions<'s> {
    array: Value<'s>,
    count: usize,
}

impl<'s> Functions<'s> {
    /// Keeps a tokenizer, if it is a function, and returns what the core counts with.
    fn keep(
        &mut self,
        scope: Scope<'s>,
        given: Option<GivenTokenizer<'s>>,
    ) -> Result<Option<Tokenizer>, Failure> {
        let tokenizer = given.map(|given| given.tokenizer(scope, self.count)).transpose()?;
        self.add(scope, given)?;
        Ok(tokenizer)
    }

    /// Makes a tokenizer the next element, if it is a function.
    fn add(&mut self, scope: Scope<'s>, given: Option<GivenTokenizer<'s>>) -> Result<(), Failure> {
        if let Some(function) = given.and_then(GivenTokenizer::function) {
            scope.define_element(self.array, self.count, function)?;
            self.count += 1;
        }
        Ok(())
    }
}

fn assemblers<'s>(
    options: &Object<'s>,
    layouts: &Layouts,
    functions: &mut Functions<'s>,
) -> Result<Vec<(String, Assembler)>, Failure> {
    let by_type = options.field("assemblers")?.object_or_empty()?;
    let names = by_type.keys()?;
    let assemblers = names.into_iter().map(|agent_type| {
        let layout = layouts.find(&agent_type).unwrap_or_else(|| (&PLAIN).into());
        let given = by_type.own_field(&agent_type)?;
        let options = Field::new(given.scope, "options", given.value);
        let (assembler, tokenizer) = options::assembler(layout, options, functions.count)?;
        functions.add(given.scope, tokenizer)?;
        Ok((agent_type, assembler))
    });
    assemblers.collect()
}

/// Forgets a manager.
#[napi(ts_return_type = "void")]
pub fn release_manager<'s>(env: &'s Env, handle: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        if let Some(gone) = handles::remove::<ManagerCell>(scope.number(handle)? as u64) {
            scope.adjust_external_memory(-(gone.told_bytes.get() as i64));
        }
        scope.undefined()
    })
}

/// Sets what the team works on. Returns a warning if it was cut.
#[napi(ts_return_type = "string | undefined")]
pub fn set_team_task<'s>(
    env: &'s Env,
    handle: Unknown<'s>,
    task: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let field = Field::new(scope, "task", task);
        let task = match field.kind()? {
            Kind::String => Some(field.string()?),
            Kind::Undefined | Kind::Null => None,
            _ => return Err(field.wrong("a string or null")),
        };
        let warning = manager.manager.borrow_mut().set_team_task(task.as_deref());
        optional_text(scope, warning.as_deref())
    })
}

/// What the team works on, or null.
#[napi(ts_return_type = "string | null")]
pub fn team_task<'s>(env: &'s Env, handle: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let manager = manager.manager.borrow();
        task_value(scope, manager.conversation().team_task())
    })
}

fn task_value<'s>(scope: Scope<'s>, task: Option<&str>) -> Result<Value<'s>, Failure> {
    task.map_or_else(|| scope.null(), |task| scope.utf8(task))
}

/// Forgets messages, team task and numbering.
#[napi(ts_return_type = "void")]
pub fn clear_manager<'s>(env: &'s Env, handle: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let manager = manager_of(scope, handle)?;
        let empty = manager.manager.borrow().empty_conversation();
        manager.manager.borrow_mut().replace(empty);
        manager.tell_memory(scope);
        scope.undefined()
    })
}
