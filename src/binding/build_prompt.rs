//! What the four forms of `buildPrompt` in `js/build-prompt.js` call.

use super::node_api::native_function;
use super::read::input::{PromptFields, PromptRequest};
use super::read::messages::JsMessages;
use super::write::output::OutputRequest;
use crate::assemble::Request;
use crate::prompt::policy;

native_function! {
    /// Assembles a `PromptInput`, whose fields follow `input` in the order in which `js/fields.js`
    /// passes them. Returns what `form` says; the flag and the report are in `slots`.
    "buildPrompt": BuildPrompt,
    |
        scope,
        form,
        target,
        offset,
        slots,
        visit,
        names,
        contents,
        input,
        system_instruction_text,
        agent_type,
        layout,
        options,
        context_messages,
        max_bytes,
        max_context_messages,
        recipient,
        role_summary,
        message,
        team_task,
        summary,
        instruction_file_text,
        system_max_bytes,
        pinned,
        max_tokens,
        tokenizer,
        system_instruction,
    | {
        let output = OutputRequest::new(scope, form, target, offset, slots)?;
        let fields = PromptFields {
            input,
            agent_type,
            layout,
            options,
            context_messages,
            max_bytes,
            max_context_messages,
            recipient,
            role_summary,
            system_instruction_text,
            message,
            team_task,
            summary,
            instruction_file_text,
            system_max_bytes,
            pinned,
            system_instruction,
            max_tokens,
            tokenizer,
        };
        let messages = JsMessages::new(&output, visit, names, contents)?;
        let PromptRequest { assembler, materials, messages, system_max_bytes } =
            fields.read(scope, messages, output.report)?;
        let policy = policy(system_max_bytes);
        let request = Request::new(&assembler, &materials, &policy, output.report);
        let copied_bytes = messages.source().copied_bytes();
        output.assemble_messages(request, messages, copied_bytes)
    }
}
