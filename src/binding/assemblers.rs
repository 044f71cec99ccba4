//! The exported assembler classes: one line each, at the end.

use super::border::{Border, Name, Value};
use super::failure::Failure;
use super::input::{ASSEMBLER_INPUT, assembler_input};
use super::instances::Numbered;
use super::options;
use super::output::{self, Form, Wanted, no_previous};
use super::reader::Reader;
use super::scratch;
use crate::budget::{ASSEMBLER_POLICY, Request};
use crate::layout::Layout;
use crate::layout::{CLAUDE, CODEX, GEMINI, PLAIN};
use crate::model::Assembler;
use crate::transcript::Transcript;
use napi::bindgen_prelude::This;
use napi::{Env, Unknown};
use napi_derive::napi;

fn construct<'s>(
    border: Border<'s>,
    this: &This<'s>,
    layout: &'static Layout,
    options: Option<Value<'s>>,
) -> Result<Numbered<Assembler>, Failure> {
    let this = border.instance(this, "assemble")?;
    let assembler = Numbered::new(options::assembler(border, layout, options)?);
    let number = border.double(assembler.number as f64)?;
    border.run_kept(Name::NumberAssembler, &[this, number])?;
    Ok(assembler)
}

fn assemble<'s>(
    env: &'s Env,
    assembler: &Assembler,
    input: Unknown<'s>,
    form: Form<'s>,
) -> napi::Result<Unknown<'s>> {
    Border::enter(env)
        .answer(|border| assemble_input(border, assembler, border.received(&input), form))
}

/// Assembles an `AssemblerInput`.
pub fn assemble_input<'s>(
    border: Border<'s>,
    assembler: &Assembler,
    input: Value<'s>,
    form: Form<'s>,
) -> Result<Value<'s>, Failure> {
    let wanted = Wanted::new(border, form)?;
    ASSEMBLER_INPUT
        .open(border, input, "input", "", |reader, _| assemble_opened(&reader, assembler, wanted))
}

/// The same with an input whose fields are in `fields`, as `ASSEMBLER_INPUT` has them.
pub fn assemble_fields<'s>(
    border: Border<'s>,
    assembler: &Assembler,
    input: Value<'s>,
    fields: &'s [Value<'s>],
    wanted: Wanted<'s>,
) -> Result<Value<'s>, Failure> {
    let reader = ASSEMBLER_INPUT.read(border, input, "input", "", fields)?;
    assemble_opened(&reader, assembler, wanted)
}

fn assemble_opened<'s>(
    reader: &Reader<'s, '_>,
    assembler: &Assembler,
    wanted: Wanted<'s>,
) -> Result<Value<'s>, Failure> {
    let border = reader.border;
    let (materials, messages) = assembler_input(reader)?;
    let contents = wanted.contents(border)?;
    let (messages, copied) = messages.leaving_contents(contents);
    let mut context = Transcript::new(assembler, messages, scratch::bytes(), wanted.report())
        .copying_up_to(copied);
    let request = Request {
        assembler,
        materials: &materials,
        policy: ASSEMBLER_POLICY,
        watch: wanted.report(),
    };
    let result = output::assemble(border, request, &mut context, wanted, contents, no_previous);
    scratch::keep_bytes(context.into_buffer());
    result
}

/// An assembler class of a layout. All have the same methods; only the layout differs.
macro_rules! assembler_class {
    ($name:ident, $layout:expr, $doc:literal) => {
        #[doc = $doc]
        #[napi]
        pub struct $name {
            assembler: Numbered<Assembler>,
        }

        #[napi]
        impl $name {
            /// An assembler with the given options.
            #[napi(constructor, catch_unwind, ts_args_type = "options?: AssemblerOptions")]
            pub fn new(env: Env, this: This, options: Option<Unknown>) -> napi::Result<Self> {
                let border = Border::enter(&env);
                let options = options.as_ref().map(|value| border.received(value));
                match construct(border, &this, &$layout, options) {
                    Ok(assembler) => Ok($name { assembler }),
                    Err(failure) => Err(failure.throw(border)),
                }
            }

            /// The agent whose layout this is.
            #[napi(catch_unwind, ts_return_type = "AgentType")]
            pub fn get_agent_type(&self) -> &'static str {
                self.assembler.thing.layout.agent_type
            }

            /// The prompt as a string.
            #[napi(
                catch_unwind,
                ts_args_type = "input: AssemblerInput",
                ts_return_type = "AssemblerOutput"
            )]
            pub fn assemble<'s>(
                &self,
                env: &'s Env,
                input: Unknown<'s>,
            ) -> napi::Result<Unknown<'s>> {
                assemble(env, &self.assembler.thing, input, Form::Text)
            }

            /// The prompt as a string, and a report of what was kept, cut and dropped.
            #[napi(
                catch_unwind,
                ts_args_type = "input: AssemblerInput",
                ts_return_type = "AssemblerReportOutput"
            )]
            pub fn assemble_with_report<'s>(
                &self,
                env: &'s Env,
                input: Unknown<'s>,
            ) -> napi::Result<Unknown<'s>> {
                assemble(env, &self.assembler.thing, input, Form::Report)
            }

            /// The prompt as UTF-8 bytes, ready for `child.stdin.write`.
            #[napi(
                catch_unwind,
                ts_args_type = "input: AssemblerInput",
                ts_return_type = "AssemblerBufferOutput"
            )]
            pub fn assemble_to_buffer<'s>(
                &self,
                env: &'s Env,
                input: Unknown<'s>,
            ) -> napi::Result<Unknown<'s>> {
                assemble(env, &self.assembler.thing, input, Form::Buffer)
            }

            /// Writes the prompt's UTF-8 bytes into `buffer`, from `offset` on. If they do not
            /// fit, nothing is written and the `ERR_OUT_OF_RANGE` error has `requiredBytes`.
            #[napi(
                catch_unwind,
                ts_args_type = "input: AssemblerInput, buffer: Uint8Array, offset?: number",
                ts_return_type = "AssemblerIntoOutput"
            )]
            pub fn assemble_into<'s>(
                &self,
                env: &'s Env,
                input: Unknown<'s>,
                buffer: Unknown<'s>,
                offset: Option<Unknown<'s>>,
            ) -> napi::Result<Unknown<'s>> {
                assemble(
                    env,
                    &self.assembler.thing,
                    input,
                    Form::into(env, &buffer, offset.as_ref()),
                )
            }
        }
    };
}

assembler_class!(
    ClaudeContextAssembler,
    CLAUDE,
    "For Claude Code: bracketed titles; the system text beside the prompt, for `--append-system-prompt`."
);
assembler_class!(
    CodexContextAssembler,
    CODEX,
    "For Codex: bracketed titles, the system text first."
);
assembler_class!(
    GeminiContextAssembler,
    GEMINI,
    "For Gemini: titles in plain words, the system text first."
);
assembler_class!(
    PlainTextAssembler,
    PLAIN,
    "For any other agent: the texts alone, without titles."
);
