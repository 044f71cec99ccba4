//! The options of a `ContextManager` and of its methods.

use crate::binding::border::{Border, Kind, Name, Opened, Script, Value};
use crate::binding::failure::Failure;
use crate::binding::options;
use crate::binding::reader::{Reader, Shape, shape};
use crate::context::Route;
use crate::layout::{Layout, PLAIN, layout_of};
use crate::model::{Assembler, Options};
use crate::prompt::{DEFAULT_CONTEXT_MESSAGES, DEFAULT_MAX_BYTES};
use crate::text::trim_js;

const HOOKS: [&str; 2] = ["onMessageAdded", "onTeamTaskChanged"];

/// What a manager was made with, except the caller's own objects.
pub struct ManagerOptions {
    pub window_size: usize,
    pub max_bytes: usize,
    max_siblings: usize,
    reinsert_parent: bool,
    sibling_max_units: usize,
    parent_max_bytes: usize,
    eviction_step: usize,
    /// Assemblers that the caller has given options for, by agent type.
    assemblers: Vec<(String, Assembler)>,
}

impl ManagerOptions {
    /// The assembler for an agent type, and whether the type is known.
    pub fn assembler(&self, agent_type: &str) -> (Assembler, bool) {
        let layout = layout_of(agent_type);
        let given = match self.assemblers.as_slice() {
            [] => None,
            given => {
                let name = agent_name(layout, agent_type);
                given.iter().find(|(known, _)| *known == name)
            }
        };
        match given {
            Some((_, assembler)) => (assembler.clone(), true),
            None => {
                let assembler = Assembler { layout, options: Options::default() };
                (assembler, !std::ptr::eq(layout, &PLAIN))
            }
        }
    }

    /// The step for an assembler and a window. One larger than the window would drop all of
    /// it at times.
    pub fn eviction_step(&self, assembler: &Assembler, window_size: usize) -> usize {
        let step = assembler.options.eviction_step.unwrap_or(self.eviction_step);
        step.min(window_size.max(1))
    }
}

/// One name for all the aliases of an agent.
fn agent_name(layout: &'static Layout, agent_type: &str) -> String {
    let known = !std::ptr::eq(layout, &PLAIN);
    if known { layout.agent_type.to_owned() } else { trim_js(agent_type).to_lowercase() }
}

/// Reads the options of a manager; the caller's own objects come back in a JS object.
pub fn manager_options<'s>(
    border: Border<'s>,
    given: Option<Value<'s>>,
) -> Result<(ManagerOptions, Value<'s>), Failure> {
    let held = border.object([])?;
    let reader = Reader::new(border, or_none(border, given)?, "options", "options")?;
    for hook in HOOKS {
        match reader.given(hook)? {
            None => {}
            Some((function, Kind::Function)) => border.set(held, hook, function)?,
            Some((other, _)) => return Err(reader.wrong(hook, other, "a function")),
        }
    }
    match reader.given("logger")? {
        None => {}
        Some((logger, Kind::Object | Kind::Function)) => border.set(held, "logger", logger)?,
        Some((other, _)) => return Err(reader.wrong("logger", other, "an object")),
    }
    let options = ManagerOptions {
        window_size: reader.integer_or("contextWindowSize", 0, DEFAULT_CONTEXT_MESSAGES)?,
        max_bytes: reader.integer_or("maxBytes", 1, DEFAULT_MAX_BYTES)?,
        max_siblings: reader.integer_or("defaultMaxSiblings", 0, 5)?,
        reinsert_parent: reader.boolean_or("defaultForceParentReinsertion", true)?,
        sibling_max_units: reader.integer_or("siblingContentMaxLength", 0, 200)?,
        parent_max_bytes: reader.integer_or("parentReinsertionMaxBytes", 0, 1024)?,
        eviction_step: reader.integer_or("evictionStep", 0, 1)?,
        assemblers: assemblers(&reader)?,
    };
    Ok((options, held))
}

fn assemblers(reader: &Reader) -> Result<Vec<(String, Assembler)>, Failure> {
    let Some((given, _)) = reader.given("assemblers")? else { return Ok(Vec::new()) };
    let path = reader.path("assemblers");
    let by_type = Reader::new(reader.border, given, &path, &path)?;
    let names = reader.border.keys(given)?.into_iter();
    let assemblers = names.map(|agent_type| {
        let layout = layout_of(&agent_type);
        let options = by_type.given(&agent_type)?.map(|(value, _)| value);
        let assembler = options::assembler(reader.border, layout, options)?;
        Ok((agent_name(layout, &agent_type), assembler))
    });
    assemblers.collect()
}

/// What a method was called with for one agent.
pub struct AgentOptions<'s> {
    pub window_size: usize,
    pub recipient: Option<String>,
    pub instruction: Vec<String>,
    pub file: String,
    /// The instruction as it was given, for handing it back.
    pub given_instruction: Value<'s>,
    /// The instruction file as it was given, for handing it back.
    pub given_file: Value<'s>,
}

/// The fields of `AgentContextOptions` and of `RouteContextOptions`.
static METHOD_OPTIONS: Shape = shape!(
    MethodOptions: systemInstruction, instructionFileText, windowSizeOverride, recipient,
    maxSiblings, forceParentReinsertion
);

/// A reader of options whose fields have been read already.
pub fn read_options<'s>(
    border: Border<'s>,
    given: Value<'s>,
    fields: &'s [Value<'s>],
) -> Result<Reader<'s, 'static>, Failure> {
    METHOD_OPTIONS.read(border, or_none(border, Some(given))?, "options", "options", fields)
}

/// Lets `work` read the options of a method.
pub fn open_options<'s>(
    border: Border<'s>,
    given: Option<Value<'s>>,
    work: impl for<'i> FnOnce(Reader<'i, 'i>, Opened<'i, 's>) -> Result<Value<'i>, Failure>,
) -> Result<Value<'s>, Failure> {
    METHOD_OPTIONS.open(border, or_none(border, given)?, "options", "options", work)
}

/// Undefined and null are options that say nothing.
fn or_none<'s>(border: Border<'s>, given: Option<Value<'s>>) -> Result<Value<'s>, Failure> {
    match given {
        Some(value) if !border.kind(value)?.is_nothing() => Ok(value),
        _ => border.object([]),
    }
}

/// Reads the options of a method for one agent.
pub fn agent_options<'s>(
    reader: &Reader<'s, '_>,
    manager: &ManagerOptions,
) -> Result<AgentOptions<'s>, Failure> {
    let (given_instruction, kind) = reader.field("systemInstruction")?;
    let instruction = reader.strings_of("systemInstruction", given_instruction, kind)?;
    let (given_file, kind) = reader.field("instructionFileText")?;
    let file = match kind {
        Kind::Undefined | Kind::Null => String::new(),
        Kind::String => reader.border.string(given_file)?,
        _ => return Err(reader.wrong("instructionFileText", given_file, "a string")),
    };
    Ok(AgentOptions {
        window_size: reader.integer_or("windowSizeOverride", 0, manager.window_size)?,
        recipient: reader.optional_string("recipient")?,
        instruction,
        file,
        given_instruction,
        given_file,
    })
}

/// What a method was called with for one route.
pub struct RouteOptions<'s> {
    pub agent: AgentOptions<'s>,
    pub route: Route,
    /// The intent as it was given.
    pub intent: Value<'s>,
}

/// Reads a route and the options of a method for it.
pub fn route_options<'s>(
    reader: &Reader<'s, '_>,
    route: Option<Value<'s>>,
    manager: &ManagerOptions,
) -> Result<RouteOptions<'s>, Failure> {
    let border = reader.border;
    let route = match route {
        Some(route) => route,
        None => border.undefined()?,
    };
    let route = Reader::new(border, route, "route", "route")?;
    let intent = match route.given("intent")? {
        Some((intent, Kind::String)) => intent,
        None => border.undefined()?,
        Some((other, _)) => return Err(route.wrong("intent", other, "a string")),
    };
    let agent = agent_options(reader, manager)?;
    let max_siblings = reader.integer_or("maxSiblings", 0, manager.max_siblings)?;
    let reinsert_parent = reader.boolean_or("forceParentReinsertion", manager.reinsert_parent)?;
    let route = Route {
        parent_id: route.string_or_empty("parentMessageId")?,
        target_id: route.string_or_empty("targetMemberId")?,
        window_size: agent.window_size,
        recipient: agent.recipient.clone(),
        max_siblings,
        sibling_max_units: manager.sibling_max_units,
        reinsert_parent,
        parent_max_bytes: manager.parent_max_bytes,
    };
    Ok(RouteOptions { agent, route, intent })
}
