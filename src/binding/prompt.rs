//! `buildPrompt` in its four forms.

use super::border::Border;
use super::input::{PROMPT_INPUT, prompt_input};
use super::output::{self, Form, Wanted, no_previous};
use super::scratch;
use crate::budget::Request;
use crate::prompt::policy;
use crate::transcript::Transcript;
use napi::{Env, Unknown};
use napi_derive::napi;

fn build<'s>(env: &'s Env, input: Unknown<'s>, form: Form<'s>) -> napi::Result<Unknown<'s>> {
    Border::enter(env).answer(|border| {
        let wanted = Wanted::new(border, form)?;
        PROMPT_INPUT.open(border, border.received(&input), "input", "", |reader, _| {
            let input = prompt_input(&reader)?;
            let assembler = &input.assembler;
            let contents = wanted.contents(reader.border)?;
            let mut copied = usize::MAX;
            let messages = input.messages.map_source(|messages| {
                let (messages, worth_copying) = messages.leaving_contents(contents);
                copied = worth_copying;
                messages
            });
            let mut context =
                Transcript::new(assembler, messages, scratch::bytes(), wanted.report())
                    .copying_up_to(copied);
            let request = Request {
                assembler,
                materials: &input.materials,
                policy: &policy(input.system_max_bytes),
                watch: wanted.report(),
            };
            let result = output::assemble(
                reader.border,
                request,
                &mut context,
                wanted,
                contents,
                no_previous,
            );
            scratch::keep_bytes(context.into_buffer());
            result
        })
    })
}

/// From everything a coordinator has to the prompt of one member: picks the layout by
/// `agentType`, keeps what `recipient` may see, and stays inside the budget without ever
/// cutting the message.
#[napi(catch_unwind, ts_args_type = "input: PromptInput", ts_return_type = "PromptOutput")]
pub fn build_prompt<'s>(env: &'s Env, input: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    build(env, input, Form::Text)
}

/// `buildPrompt`, and a report of what was kept, cut and dropped.
#[napi(catch_unwind, ts_args_type = "input: PromptInput", ts_return_type = "AssemblerReportOutput")]
pub fn build_prompt_with_report<'s>(env: &'s Env, input: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    build(env, input, Form::Report)
}

/// `buildPrompt` with the prompt as UTF-8 bytes, ready for `child.stdin.write`.
#[napi(catch_unwind, ts_args_type = "input: PromptInput", ts_return_type = "AssemblerBufferOutput")]
pub fn build_prompt_to_buffer<'s>(env: &'s Env, input: Unknown<'s>) -> napi::Result<Unknown<'s>> {
    build(env, input, Form::Buffer)
}

/// `buildPrompt` into `buffer`, from `offset` on. If the prompt does not fit, nothing is
/// written and the `ERR_OUT_OF_RANGE` error has `requiredBytes`.
#[napi(
    catch_unwind,
    ts_args_type = "input: PromptInput, buffer: Uint8Array, offset?: number",
    ts_return_type = "AssemblerIntoOutput"
)]
pub fn build_prompt_into<'s>(
    env: &'s Env,
    input: Unknown<'s>,
    buffer: Unknown<'s>,
    offset: Option<Unknown<'s>>,
) -> napi::Result<Unknown<'s>> {
    build(env, input, Form::into(env, &buffer, offset.as_ref()))
}
