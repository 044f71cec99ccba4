//! Quicker ways to the methods that are called before each send: see `doors.js`.

use super::assemblers::assemble_fields;
use super::border::{Arguments, Border, Callback, Name, Script, Value};
use super::failure::Failure;
use super::instances::{Instance, numbered};
use super::manager::{Asked, Call, Manager};
use super::output::{Form, Wanted};
use crate::error::Error;
use crate::model::Assembler;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use std::rc::Rc;

static DOORS: Script = Script { name: Name::Doors, source: include_str!("doors.js") };

/// Opens the doors when the addon is loaded.
#[napi(module_exports)]
pub fn open_doors(exports: Object, env: Env) -> napi::Result<()> {
    let border = Border::enter(&env);
    install(border, border.received_object(&exports)).map_err(|failure| failure.throw(border))
}

fn install<'s>(border: Border<'s>, exports: Value<'s>) -> Result<(), Failure> {
    let native = border.object([])?;
    offer::<Assemble>(border, native)?;
    offer::<AssembleToBuffer>(border, native)?;
    offer::<AssembleInto>(border, native)?;
    offer::<AddMessage>(border, native)?;
    offer::<AssembleForAgent>(border, native)?;
    offer::<AssembleForAgentToBuffer>(border, native)?;
    offer::<AssembleForAgentInto>(border, native)?;
    let give = border.run(&DOORS, &[exports, native])?;
    border.keep(Name::NumberAssembler, border.element(give, 0)?)?;
    border.keep(Name::NumberManager, border.element(give, 1)?)
}

fn offer<C: Callback>(border: Border, to: Value) -> Result<(), Failure> {
    border.set(to, C::NAME, border.function::<C>()?)
}

/// What is behind an object, by the number that its door found on it.
fn behind<T: Instance>(border: Border, number: Value) -> Result<Rc<T>, Failure> {
    let found = numbered(border.number(number)? as u64);
    found.ok_or_else(|| Error::Internal("this object is no longer there".to_owned()).into())
}

/// A [`Callback`] by its name in JavaScript.
macro_rules! door {
    ($door:ident $name:literal |$border:ident, $arguments:ident| $work:expr) => {
        struct $door;

        impl Callback for $door {
            const NAME: &'static str = $name;

            fn call<'s>(
                $border: Border<'s>,
                $arguments: &'s Arguments<'s>,
            ) -> Result<Value<'s>, Failure> {
                $work
            }
        }
    };
}

door!(Assemble "assemble" |border, arguments| assemble(border, arguments, |_| Form::Text));
door!(AssembleToBuffer "assembleToBuffer" |border, arguments| {
    assemble(border, arguments, |_| Form::Buffer)
});
door!(AssembleInto "assembleInto" |border, arguments| assemble(border, arguments, into));

door!(AssembleForAgent "assembleForAgent" |border, arguments| {
    assemble_for_agent(border, arguments, |_| Form::Text)
});
door!(AssembleForAgentToBuffer "assembleForAgentToBuffer" |border, arguments| {
    assemble_for_agent(border, arguments, |_| Form::Buffer)
});
door!(AssembleForAgentInto "assembleForAgentInto" |border, arguments| {
    assemble_for_agent(border, arguments, into)
});

door!(AddMessage "addMessage" |border, arguments| {
    let [number, message, ref fields @ ..] = *arguments;
    behind::<Manager>(border, number)?.add_message(border, message, fields)
});

fn into<'s>([buffer, offset]: [Value<'s>; 2]) -> Form<'s> {
    Form::Into { buffer, offset: Some(offset) }
}

fn assemble<'s>(
    border: Border<'s>,
    arguments: &'s Arguments<'s>,
    form: impl FnOnce([Value<'s>; 2]) -> Form<'s>,
) -> Result<Value<'s>, Failure> {
    let [number, debug, buffer, offset, input, ref fields @ ..] = *arguments;
    let assembler = behind::<Assembler>(border, number)?;
    let wanted = Wanted::bare(border, form([buffer, offset]), debug)?;
    assemble_fields(border, &assembler, input, fields, wanted)
}

fn assemble_for_agent<'s>(
    border: Border<'s>,
    arguments: &'s Arguments<'s>,
    form: impl FnOnce([Value<'s>; 2]) -> Form<'s>,
) -> Result<Value<'s>, Failure> {
    let [number, debug, buffer, offset, this, agent_id, agent_type, options, ref fields @ ..] =
        *arguments;
    let manager = behind::<Manager>(border, number)?;
    let asked = Asked::of_agent(agent_id, agent_type);
    let wanted = Wanted::bare(border, form([buffer, offset]), debug)?;
    manager.assemble_fields(Call { border, this }, asked, options, fields, wanted)
}
