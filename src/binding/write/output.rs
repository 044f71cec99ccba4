//! An assembly, written in the form that the caller asked for.

use super::joined::JoinedSink;
use crate::assemble::{Assembly, Request, assemble};
use crate::binding::failure::Failure;
use crate::binding::node_api::{Scope, Value};
use crate::binding::read::fields::Field;
use crate::binding::scratch;
use crate::debug;
use crate::error::Error;
use crate::render::FixedSink;
use crate::report::Report;
use crate::transcript::{Context, MessageSource, Transcript, WriteLines};
use napi_derive::napi;
use std::mem::MaybeUninit;

/// How the prompt is wanted.
#[napi]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OutputForm {
    /// A string.
    Text,
    /// A string, and a report as JSON in the second slot.
    Report,
    /// A new Buffer; `target` is the function that allocates it.
    Buffer,
    /// The number of bytes that were written into `target` from `offset` on.
    Into,
}

/// Added to the number of a form if the prompt is printed to stderr.
#[napi]
pub const DEBUG_FLAG: u32 = 16;

/// Added to the number of a form if a report is wanted besides, as JSON in the second slot.
#[napi]
pub const REPORT_FLAG: u32 = 32;

/// [`DEBUG_FLAG`] if this value of `DEBUG` asks for our output, else 0.
#[napi(catch_unwind)]
pub fn debug_flag(debug: String) -> u32 {
    if debug::is_wanted(&debug) { DEBUG_FLAG } else { 0 }
}

/// Where results go that are not the returned value. `js/output.js` has the same numbers.
const FLAG_SLOT: usize = 0;
const REPORT_SLOT: usize = 1;

/// What is wanted of an assembly.
pub struct OutputRequest<'s> {
    pub scope: Scope<'s>,
    pub form: OutputForm,
    /// Whether the prompt is printed to stderr.
    pub debug: bool,
    /// Whether a report is made.
    pub report: bool,
    pub target: Value<'s>,
    pub offset: Value<'s>,
    /// The array that takes the system flag and the report.
    pub slots: Value<'s>,
}

/// A conversation that can be written in any form.
pub trait AnyFormContext<'s>:
    WriteLines<Vec<u8>> + WriteLines<JoinedSink<'s>> + for<'m> WriteLines<FixedSink<'m>>
{
}

impl<'s, C> AnyFormContext<'s> for C where
    C: WriteLines<Vec<u8>> + WriteLines<JoinedSink<'s>> + for<'m> WriteLines<FixedSink<'m>>
{
}

impl<'s> OutputRequest<'s> {
    /// What is wanted, as JavaScript passes it: `form` is the number of an [`OutputForm`], with
    /// [`DEBUG_FLAG`] and [`REPORT_FLAG`] added if these are wanted.
    pub fn new(
        scope: Scope<'s>,
        form: Value<'s>,
        target: Value<'s>,
        offset: Value<'s>,
        slots: Value<'s>,
    ) -> Result<Self, Failure> {
        let forms = [OutputForm::Text, OutputForm::Report, OutputForm::Buffer, OutputForm::Into];
        let number = scope.number(form)? as u32;
        let form = (number & !(DEBUG_FLAG | REPORT_FLAG)) as usize;
        let form = *forms.get(form).ok_or_else(Failure::panicked)?;
        let debug = number & DEBUG_FLAG != 0;
        let report = form == OutputForm::Report || number & REPORT_FLAG != 0;
        Ok(OutputRequest { scope, form, debug, report, target, offset, slots })
    }

    /// Whether the prompt is joined by JavaScript: if nobody has to see it as bytes.
    pub fn wants_joined(&self) -> bool {
        self.form == OutputForm::Text && !self.debug && !self.report
    }

    /// Assembles messages that the caller has passed. If the prompt is joined by JavaScript,
    /// contents are copied up to `copied_bytes`, and beyond that left with the caller.
    pub fn assemble_messages<S: MessageSource<Error = Failure>>(
        &self,
        request: Request,
        messages: S,
        copied_bytes: usize,
    ) -> Result<Value<'s>, Failure> {
        let buffer = scratch::bytes();
        let mut context = Transcript::new(request.assembler, messages, buffer, request.report);
        if !self.wants_joined() {
            let result =
                assemble(request, &mut context).and_then(|assembly| self.write(assembly, |_| None));
            scratch::keep_bytes(context.into_buffer());
            return result;
        }
        let mut context = context.copying_up_to(copied_bytes);
        let result =
            assemble(request, &mut context).and_then(|assembly| self.write_joined(&assembly));
        scratch::keep_bytes(context.into_buffer());
        result
    }

    /// Writes a prompt whose contents may have stayed with the caller. Returns a string, or an
    /// array that `js/output.js` joins with the contents.
    fn write_joined<C>(&self, assembly: &Assembly<C>) -> Result<Value<'s>, Failure>
    where
        C: WriteLines<JoinedSink<'s>>,
    {
        let mut sink = JoinedSink::new(self.scope);
        assembly.write(&mut sink);
        let prompt = sink.finish()?;
        self.set_flag(assembly)?;
        Ok(prompt)
    }

    /// Writes a prompt in any form. `stable_prefix` is called with a prompt that is reported.
    pub fn write<C: AnyFormContext<'s>>(
        &self,
        assembly: Assembly<C>,
        stable_prefix: impl FnOnce(&[u8]) -> Option<usize>,
    ) -> Result<Value<'s>, Failure>
    where
        C::Error: Into<Failure>,
    {
        let scope = self.scope;
        if self.debug {
            let text = with_bytes(&assembly, |bytes| assembly.debug_text(bytes));
            debug::write(&text.map_err(Into::into)?);
        }
        if self.report {
            let mut report = assembly.report().map_err(Into::into)?;
            report.stable_prefix_bytes = with_bytes(&assembly, stable_prefix);
            self.set_report(&report)?;
        }
        let result = match self.form {
            OutputForm::Text | OutputForm::Report => return self.write_joined(&assembly),
            OutputForm::Buffer => {
                let bytes = scope.double(assembly.prompt_bytes() as f64)?;
                let buffer = scope.call_function(scope.undefined()?, self.target, &[bytes])?;
                let filled = scope.with_uint8_array(buffer, |memory| fill(memory, &assembly))?;
                // Only false if somebody has replaced `Buffer.allocUnsafe`.
                if filled != Some(true) {
                    return Err(Failure::panicked());
                }
                buffer
            }
            OutputForm::Into => self.write_into(&assembly)?,
        };
        // Last, so that no failure leaves a flag behind.
        self.set_flag(&assembly)?;
        Ok(result)
    }

    fn set_flag<C: Context>(&self, assembly: &Assembly<C>) -> Result<(), Failure> {
        match assembly.system_flag() {
            Some(flag) => {
                let flag = self.scope.utf8(flag)?;
                self.scope.set_element(self.slots, FLAG_SLOT, flag)
            }
            None => Ok(()),
        }
    }

    fn set_report(&self, report: &Report) -> Result<(), Failure> {
        let json = serde_json::to_string(report)
            .map_err(|error| Error::Internal(format!("the report is not JSON: {error}")))?;
        self.scope.set_element(self.slots, REPORT_SLOT, self.scope.utf8(&json)?)
    }

    fn write_into<C: AnyFormContext<'s>>(
        &self,
        assembly: &Assembly<C>,
    ) -> Result<Value<'s>, Failure> {
        let offset = Field::new(self.scope, "offset", self.offset).integer(0)?;
        let required_bytes = assembly.prompt_bytes();
        // All JavaScript that could detach the buffer has run by now.
        let written = self.scope.with_uint8_array(self.target, |memory| {
            let available_bytes = memory.len().saturating_sub(offset);
            if offset > memory.len() || required_bytes > available_bytes {
                return Err(Error::BufferTooSmall { required_bytes, available_bytes, offset });
            }
            fill(&mut memory[offset..offset + required_bytes], assembly);
            Ok(required_bytes)
        })?;
        match written {
            Some(bytes) => self.scope.double(bytes? as f64),
            None => {
                Err(Field::new(self.scope, "buffer", self.target).wrong("a Buffer or Uint8Array"))
            }
        }
    }
}

/// Lets `read` see the prompt as bytes.
fn with_bytes<C: WriteLines<Vec<u8>>, R>(
    assembly: &Assembly<C>,
    read: impl FnOnce(&[u8]) -> R,
) -> R {
    let mut bytes = scratch::bytes();
    bytes.reserve(assembly.prompt_bytes());
    assembly.write(&mut bytes);
    let result = read(&bytes);
    scratch::keep_bytes(bytes);
    result
}

/// Writes the prompt into memory of exactly its size; false if the size is another one.
fn fill<C: for<'m> WriteLines<FixedSink<'m>>>(
    memory: &mut [MaybeUninit<u8>],
    assembly: &Assembly<C>,
) -> bool {
    if memory.len() != assembly.prompt_bytes() {
        return false;
    }
    let mut sink = FixedSink::new(memory);
    assembly.write(&mut sink);
    sink.is_full()
}
