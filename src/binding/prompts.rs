//! Prompts of what a caller passes. Messages cross together, as many as are probably needed; if more
//! are, a [`NativeReading`] says which ones, and takes them. No JavaScript runs inside a native call.

use super::assemblers::NativeAssembler;
use super::failure::json_of;
use super::fields::{
    AssemblerOptionFields, LayoutFields, MoreAssemblerFields, MorePromptFields, assembler_request,
    prompt_request,
};
use super::memory::{JsBytes, JsNumbers, StringOrBytes};
use super::output::{Form, write};
use super::passed::{BUFFER, ExtraFields, Header, INTO, JsTexts, NO_PROMPT, passed};
use super::scratch;
use super::strings::JsString;
use crate::arrays::{Api, ArrayForm, Caching};
use crate::error::Error;

use crate::layout::{LayoutDefinition, Part, layout_of};
use crate::reading::{GivenRequest, LineUnits, Need, Passed, Reading, Wanted};
use crate::text;
use crate::tokens::{self, CountedText};
use crate::visibility::{AddressedTo, Recipient};
use napi::bindgen_prelude::{JavaScriptClassExt, Object, ToNapiValue};
use napi::{Env, Unknown};
use napi_derive::napi;
use std::rc::Rc;

/// What a caller-supplied tokenizer counts once, to estimate the texts of layouts.
#[napi]
pub const LAYOUT_SAMPLE: &str = tokens::LAYOUT_SAMPLE;

/// A prompt whose messages are being read.
#[napi]
pub struct NativeReading {
    state: Option<State>,
}

enum State {
    /// A caller-supplied function has to count its texts first.
    Uncounted(Box<GivenRequest>),
    Reading(Box<Reading>),
}

/// A list of messages to be passed.
#[napi(object, object_from_js = false)]
pub struct WantedFields {
    /// `'names'`, `'size'` or `'content'`.
    pub need: &'static str,
    /// The messages, if they are not adjacent.
    pub indices: Option<Vec<f64>>,
    /// Otherwise, the first of them and the one after the last.
    pub start: f64,
    pub end: f64,
    /// Whether the list begins where the one before has ended.
    pub continues: bool,
    /// How many messages at most.
    pub most: f64,
    /// The list ends with the message whose line exceeds this sum of units.
    pub units: f64,
    /// More units of a content are not needed.
    pub longest: f64,
    /// Whether a caller-supplied function has to count their contents.
    pub is_counted: bool,
}

/// What is needed before there is a prompt.
#[napi(object, object_from_js = false)]
pub struct NeededFields {
    /// Texts that a caller-supplied function has to count: then nothing else is needed yet.
    pub texts: Option<Vec<String>>,
    pub lists: Vec<WantedFields>,
    pub line: LineUnitFields,
}

/// The units of a line in addition to sender, addressees and content.
#[napi(object, object_from_js = false)]
pub struct LineUnitFields {
    pub frame: f64,
    /// The units of an addressee that is empty; absent if addressees are not shown.
    pub everyone: Option<f64>,
}

impl From<LineUnits> for LineUnitFields {
    fn from(LineUnits { frame, everyone }: LineUnits) -> Self {
        LineUnitFields { frame: frame as f64, everyone: everyone.map(|units| units as f64) }
    }
}

impl From<Wanted> for WantedFields {
    fn from(wanted: Wanted) -> Self {
        let indices: Vec<f64> = wanted.indices.iter().map(|index| *index as f64).collect();
        WantedFields {
            need: match wanted.need {
                Need::Names => "names",
                Need::Size => "size",
                Need::Content => "content",
            },
            indices: (!indices.is_empty()).then_some(indices),
            start: wanted.range.start as f64,
            end: wanted.range.end as f64,
            continues: wanted.continues,
            most: limit(wanted.most),
            units: limit(wanted.units),
            longest: limit(wanted.longest),
            is_counted: wanted.is_counted,
        }
    }
}

fn limit(most: usize) -> f64 {
    if most == usize::MAX { f64::INFINITY } else { most as f64 }
}

/// A request to a model's API.
#[napi(object, object_to_js = false)]
pub struct RequestFields {
    pub api: String,
    pub cache: String,
    #[napi(ts_type = "string | undefined")]
    pub model: Option<String>,
    /// Whom the prompt is for.
    pub member: Option<String>,
}

impl RequestFields {
    fn form(self) -> Option<ArrayForm> {
        Some(ArrayForm {
            api: Api::parse(&self.api)?,
            member: self.member,
            caching: Caching::parse(&self.cache).unwrap_or_default(),
            model: self.model,
            conversation: None,
        })
    }
}

#[napi]
impl NativeAssembler {
    /// The assembler for a prompt of `buildPrompt`: an unknown agent type is plain text.
    #[napi(factory, catch_unwind)]
    pub fn for_prompt(
        agent_type: Option<String>,
        layout: Option<LayoutFields>,
        options: Option<AssemblerOptionFields>,
        request: Option<RequestFields>,
    ) -> napi::Result<Self> {
        let layout = match layout {
            None => layout_of(&agent_type.unwrap_or_default()).into(),
            Some(layout) => {
                let layout = LayoutDefinition::from(layout).check("layout")?;
                if let Some(name) = agent_type.filter(|name| !layout.is_named(name)) {
                    let expected = "left out, or a name of the layout that is given";
                    return Err(
                        Error::invalid_type("agentType", expected, format!("'{name}'")).into()
                    );
                }
                layout.into()
            }
        };
        let assembler = options.unwrap_or_default().assembler(layout)?;
        let form = request.and_then(RequestFields::form);
        Ok(NativeAssembler {
            assembler: Rc::new(match form {
                Some(form) => assembler.for_array(form),
                None => assembler,
            }),
        })
    }

    /// The units of a line in addition to what is in its message; without a key.
    #[napi(getter, catch_unwind)]
    pub fn line(&self) -> LineUnitFields {
        LineUnits::of(self.assembler.message_line()).into()
    }

    /// The most bytes that surround the texts of a prompt, without its lines; absent if there is no place
    /// for a conversation.
    #[napi(getter, catch_unwind)]
    pub fn frame_bytes(&self) -> Option<f64> {
        let has_place = self.assembler.layout.has(Part::Context);
        has_place.then(|| self.assembler.most_frame_bytes() as f64)
    }

    /// Makes a prompt of an `AssemblerInput`. Sets the properties of `output` that [`advance`] lists.
    #[napi(catch_unwind, ts_return_type = "any")]
    #[allow(clippy::too_many_arguments, reason = "what is passed together")]
    pub fn assemble<'e>(
        &self,
        env: &'e Env,
        more: Option<MoreAssemblerFields>,
        #[napi(ts_arg_type = "Float64Array")] numbers: JsNumbers,
        #[napi(ts_arg_type = "string | Uint8Array")] texts: StringOrBytes,
        extras: Option<Vec<ExtraFields>>,
        output: Object<'e>,
    ) -> napi::Result<Unknown<'e>> {
        let texts = JsTexts::read(texts)?;
        let (header, passed) = passed(&numbers, &texts, extras)?;
        let request = assembler_request(&self.assembler, header, &passed, more)?;
        begin(env, request, header, &passed, output)
    }

    /// The same for a `PromptInput`.
    #[napi(catch_unwind, ts_return_type = "any")]
    #[allow(clippy::too_many_arguments, reason = "what is passed together")]
    pub fn build_prompt<'e>(
        &self,
        env: &'e Env,
        more: Option<MorePromptFields>,
        #[napi(ts_arg_type = "Float64Array")] numbers: JsNumbers,
        #[napi(ts_arg_type = "string | Uint8Array")] texts: StringOrBytes,
        extras: Option<Vec<ExtraFields>>,
        output: Object<'e>,
    ) -> napi::Result<Unknown<'e>> {
        let texts = JsTexts::read(texts)?;
        let (header, passed) = passed(&numbers, &texts, extras)?;
        let request = prompt_request(&self.assembler, header, &passed, more)?;
        begin(env, request, header, &passed, output)
    }
}

#[napi]
impl NativeReading {
    /// Takes the messages that were needed. Sets the properties of `output` that [`advance`] lists.
    #[napi(catch_unwind, ts_return_type = "any")]
    pub fn pass<'e>(
        &mut self,
        env: &'e Env,
        #[napi(ts_arg_type = "Float64Array")] numbers: JsNumbers,
        #[napi(ts_arg_type = "string | Uint8Array")] texts: StringOrBytes,
        extras: Option<Vec<ExtraFields>>,
        output: Object<'e>,
    ) -> napi::Result<Unknown<'e>> {
        let texts = JsTexts::read(texts)?;
        let (header, passed) = passed(&numbers, &texts, extras)?;
        let reading = self.reading()?;
        advance(env, reading, header, &passed, output, |_, reading| {
            self.state = Some(State::Reading(reading));
            Ok(())
        })
    }

    /// Takes how many tokens each of the texts is. Returns what is needed next.
    #[napi(catch_unwind)]
    pub fn count_texts(&mut self, tokens: Vec<f64>) -> napi::Result<NeededFields> {
        let Some(State::Uncounted(mut request)) = self.state.take() else {
            return Err(gone().into());
        };
        let counted = texts_of(&request).zip(tokens).map(|((part, text), tokens)| {
            (part, CountedText { bytes: text.len(), tokens: tokens as usize })
        });
        let counted = counted.collect();
        if let Some(budget) = &mut request.materials.tokens {
            budget.counted = counted;
        }
        let reading = Box::new(start(*request)?);
        let needed = needed(&reading);
        self.state = Some(State::Reading(reading));
        Ok(needed)
    }

    /// What every budget would keep of a prompt whose messages were all passed with an ample one, as
    /// JSON. There is a row for the budget of the prompt: for `max_tokens` if that is set, else for
    /// `max_bytes`.
    #[napi(catch_unwind)]
    pub fn budget_table(
        &mut self,
        max_bytes: f64,
        max_tokens: Option<f64>,
    ) -> napi::Result<String> {
        let mut reading = self.reading()?;
        let max_bytes = max_bytes as usize;
        let table = match max_tokens {
            Some(max_tokens) => reading.token_table(max_bytes, max_tokens as usize),
            None => reading.budget_table(max_bytes),
        };
        scratch::keep_bytes(reading.into_buffer());
        Ok(json_of(&table?)?)
    }
}

impl NativeReading {
    fn reading(&mut self) -> Result<Box<Reading>, Error> {
        match self.state.take() {
            Some(State::Reading(reading)) => Ok(reading),
            _ => Err(gone()),
        }
    }
}

fn gone() -> Error {
    Error::Internal("the prompt is no longer under way".to_owned())
}

fn texts_of(request: &GivenRequest) -> impl Iterator<Item = (Part, &str)> {
    request.materials.texts().filter(|(_, text)| !text.is_empty())
}

fn start(mut request: GivenRequest) -> Result<Reading, Error> {
    request.buffer = scratch::bytes();
    Reading::begin(request)
}

fn needed(reading: &Reading) -> NeededFields {
    let lists = reading.wanted_next().into_iter().map(WantedFields::from).collect();
    NeededFields { texts: None, lists, line: reading.line_units().into() }
}

fn begin<'e>(
    env: &'e Env,
    request: GivenRequest,
    header: Header,
    passed: &Passed,
    mut output: Object<'e>,
) -> napi::Result<Unknown<'e>> {
    let budget = request.materials.tokens.as_ref();
    if budget.is_some_and(|budget| budget.tokenizer.function().is_some()) {
        let texts = texts_of(&request).map(|(_, text)| text.to_owned()).collect();
        let line = LineUnits::of(request.assembler.message_line()).into();
        output.set("needed", NeededFields { texts: Some(texts), lists: Vec::new(), line })?;
        keep(env, State::Uncounted(Box::new(request)), &mut output)?;
        return ().into_unknown(env);
    }
    let reading = Box::new(start(request)?);
    advance(env, reading, header, passed, output, |output, reading| {
        keep(env, State::Reading(reading), output)
    })
}

/// Has JavaScript keep a prompt that needs more.
fn keep(env: &Env, state: State, output: &mut Object) -> napi::Result<()> {
    output.set("reading", NativeReading { state: Some(state) }.into_instance(env)?)
}

/// Makes the prompt of what was passed: a string, a Buffer, or the number of bytes that were written. If
/// more is needed, sets `needed`, and `keep` is called. Where there is more to say, [`write`] sets other
/// properties.
fn advance<'e>(
    env: &'e Env,
    mut reading: Box<Reading>,
    header: Header,
    passed: &Passed,
    mut output: Object<'e>,
    keep: impl FnOnce(&mut Object<'e>, Box<Reading>) -> napi::Result<()>,
) -> napi::Result<Unknown<'e>> {
    reading.take(passed)?;
    if reading.wanted.is_some() {
        output.set("needed", needed(&reading))?;
    }
    if reading.wanted.is_some() || header.form() == NO_PROMPT {
        keep(&mut output, reading)?;
        return ().into_unknown(env);
    }
    let into: Option<JsBytes> = match header.form() {
        INTO => output.get("into")?,
        _ => None,
    };
    let form = Form::new(
        header.form() == BUFFER,
        into,
        header.offset() as f64,
        header.report(),
        header.debug(),
    );
    let written = match reading.finish() {
        Ok(assembly) => write(env, &assembly, form, output, |_| None),
        Err(error) => Err(error.into()),
    };
    scratch::keep_bytes(reading.into_buffer());
    written
}

/// Whether a member may see a message with these names. The addressees are one text, or an array.
#[napi(catch_unwind)]
pub fn may_see(member: String, from: String, to: String, names: Option<Vec<String>>) -> bool {
    let mut reader = Recipient::new(&member);
    reader.learn(&from);
    reader.may_see(&from, &names.map_or(AddressedTo::Text(to), AddressedTo::Names))
}

/// How many bytes of each end of a text are needed to shorten it.
#[napi(catch_unwind)]
pub fn needed_of_each_end(max_bytes: f64) -> f64 {
    text::needed_of_each_end(max_bytes as usize) as f64
}

/// The size of a text in UTF-8.
#[napi(catch_unwind)]
pub fn utf8_bytes(text: JsString) -> napi::Result<f64> {
    Ok(text.utf8_bytes()? as f64)
}
