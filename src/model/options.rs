//! How to assemble a prompt: an agent's layout and the caller's choices.

use super::TokenBudget;
use crate::arrays::{self, ArrayForm};
use crate::error::Error;
use crate::fence::Fence;
use crate::layout::{LayoutRef, LayoutSection, LineStyle, Part, SECTION_BREAK, SystemPlacement};
use crate::structure::Structure;
use crate::text::trim_js;
use crate::tokens::Tokenizer;
use std::borrow::Cow;
use std::rc::Rc;

/// What happens to message text that reads like structure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Markers {
    /// It stays, and the report lists it.
    #[default]
    Verbatim,
    /// It is escaped with a backslash, and the report lists it.
    Escape,
    /// It stays: the prompt's own lines have a key that no message can contain.
    Fence,
}

impl Markers {
    /// Parses the name that options use.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "verbatim" => Some(Markers::Verbatim),
            "escape" => Some(Markers::Escape),
            "fence" => Some(Markers::Fence),
            _ => None,
        }
    }
}

/// What a caller may choose; `None` and the defaults leave the layout as it is.
#[derive(Debug, Clone, Default)]
pub struct AssemblerOptions {
    /// Where the system text goes.
    pub system_placement: Option<SystemPlacement>,
    /// Titles that replace the layout's own. An empty one removes the title.
    pub headings: Vec<(Part, String)>,
    /// The number of dropped context messages is rounded up to a multiple of this.
    pub eviction_step: Option<usize>,
    /// What happens to message text that reads like structure.
    pub markers: Option<Markers>,
    /// Whether the current message shows its sender and addressees.
    pub show_sender: Option<bool>,
    /// The current message is not shortened below this.
    pub message_min_bytes: Option<usize>,
    /// Tool results are not shortened below this.
    pub tool_output_min_bytes: Option<usize>,
    /// The tokenizer.
    pub tokenizer: Option<Tokenizer>,
    /// Whether the reasoning in messages is shown.
    pub keeps_reasoning: bool,
}

/// A layout with a caller's options applied.
#[derive(Debug, Clone)]
pub struct Assembler {
    /// The agent's layout.
    pub layout: LayoutRef,
    /// The caller's choices.
    pub options: AssemblerOptions,
    /// The lines of a fenced prompt, once its key is known.
    pub fence: Option<Rc<Fence>>,
    /// Set for a request to a model's API.
    pub array: Option<ArrayForm>,
}

/// The current message is not shortened below this, unless the caller says otherwise.
const DEFAULT_MESSAGE_MIN_BYTES: usize = 256;

/// Tool results are not shortened below this, unless the caller says otherwise.
const DEFAULT_TOOL_OUTPUT_MIN_BYTES: usize = 256;

impl Assembler {
    /// An assembler without a key.
    pub fn new(layout: LayoutRef, options: AssemblerOptions) -> Self {
        Assembler { layout, options, fence: None, array: None }
    }

    /// The assembler for a request to a model API. The system text goes beside the messages.
    pub fn for_array(&self, form: ArrayForm) -> Self {
        Assembler {
            layout: arrays::layout(form.api, &self.layout).into(),
            options: AssemblerOptions { system_placement: None, ..self.options.clone() },
            fence: None,
            array: Some(form),
        }
    }

    /// The assembler for a call of `buildPrompt`. A prompt that names members shows text of others to
    /// one of them, so lines that imitate structure are escaped unless the caller chose otherwise.
    pub fn for_prompt(self: &Rc<Self>, names_members: bool) -> Rc<Self> {
        let names_members = names_members || self.options.show_sender == Some(true);
        if !names_members || self.options.markers.is_some() {
            return Rc::clone(self);
        }
        let options = AssemblerOptions { markers: Some(Markers::Escape), ..self.options.clone() };
        Rc::new(Assembler { options, ..Assembler::clone(self) })
    }

    /// What happens to message text that reads like structure.
    pub fn markers(&self) -> Markers {
        self.options.markers.unwrap_or_default()
    }

    /// Adds this key if prompts are fenced; an error if they are and the key is invalid.
    pub fn with_key(&self, key: Option<&str>) -> Result<Cow<'_, Assembler>, Error> {
        if self.markers() != Markers::Fence {
            return Ok(Cow::Borrowed(self));
        }
        let fence = key.and_then(|key| Fence::new(&self.layout.fence, key));
        let fence = fence.map(Rc::new).ok_or_else(|| missing_key(key))?;
        Ok(Cow::Owned(Assembler { fence: Some(fence), ..self.clone() }))
    }

    /// The line style of a conversation message.
    pub fn message_line(&self) -> &LineStyle {
        self.fence.as_ref().map_or(&self.layout.message_line, |fence| &fence.message_line)
    }

    /// The line style of a parent message or a sibling reply.
    pub fn quote_line(&self) -> &LineStyle {
        self.fence.as_ref().map_or(&self.layout.quote_line, |fence| &fence.quote_line)
    }

    /// The line that names the author of the current message.
    pub fn sender_line(&self) -> &LineStyle {
        self.fence.as_ref().map_or(&self.layout.sender_line, |fence| &fence.message_line)
    }

    /// The token budget, if tokens are counted: because there is a limit, or for a report if the
    /// caller named a tokenizer. `tokenizer` takes precedence over the assembler's own.
    pub fn token_budget(
        &self,
        max_tokens: Option<usize>,
        tokenizer: Option<Tokenizer>,
        report: bool,
    ) -> Result<Option<TokenBudget>, Error> {
        let named = tokenizer.or(self.options.tokenizer);
        if max_tokens.is_none() && !(report && named.is_some()) {
            return Ok(None);
        }
        let tokenizer = named.or(self.layout.vocabulary.map(Tokenizer::Exact));
        let missing = || Error::MissingTokenizer(self.layout.agent_type.to_string());
        Ok(Some(TokenBudget::new(tokenizer.ok_or_else(missing)?, max_tokens)))
    }

    /// The current message is not shortened below this.
    pub fn message_min_bytes(&self) -> usize {
        self.options.message_min_bytes.unwrap_or(DEFAULT_MESSAGE_MIN_BYTES)
    }

    /// Tool results are not shortened below this.
    pub fn tool_output_min_bytes(&self) -> usize {
        self.options.tool_output_min_bytes.unwrap_or(DEFAULT_TOOL_OUTPUT_MIN_BYTES)
    }

    /// Whether the current message shows its sender and addressees. A fenced one always does, and
    /// one in an API request does by default. `chosen` is the choice of a single call and comes
    /// first.
    pub fn shows_sender(&self, chosen: Option<bool>) -> bool {
        let chosen = chosen.or(self.options.show_sender);
        self.markers() == Markers::Fence || chosen.unwrap_or(self.array.is_some())
    }

    /// Whether all of the current message is looked at, because it may have to be disarmed.
    pub fn disarms_message(&self, shows_sender: Option<bool>) -> bool {
        match self.markers() {
            Markers::Verbatim => false,
            Markers::Escape => self.shows_sender(shows_sender),
            Markers::Fence => true,
        }
    }

    /// Whether the current message needs a sender, because the prompt names one.
    pub fn needs_sender(&self, chosen: Option<bool>) -> bool {
        let chosen = chosen.or(self.options.show_sender);
        self.markers() == Markers::Fence || chosen.unwrap_or(false)
    }

    /// Where the system text goes.
    pub fn system_placement(&self) -> SystemPlacement {
        self.options.system_placement.unwrap_or(self.layout.system_placement)
    }

    /// The title of a section of the layout; empty if there is none.
    pub fn title<'t>(&'t self, section: &'t LayoutSection) -> &'t str {
        let overridden = self.options.headings.iter().find(|(part, _)| *part == section.part);
        let title = overridden.map_or(&*section.title, |(_, title)| title);
        if self.array.is_some() { arrays::title(section.part, title) } else { title }
    }

    /// The name of a part in sentences for people: its title, if that is bracketed and no other part
    /// is called so.
    pub fn tag(&self, part: Part) -> &str {
        let section = self.layout.sections.iter().find(|section| section.part == part);
        let title = section.map_or("", |section| self.title(section));
        let is_name = title.starts_with('[') && title.ends_with(']');
        let is_taken = || Part::ALL.iter().any(|other| other.tag() == title);
        if is_name && !is_taken() { title } else { part.tag() }
    }

    /// The most bytes that surround the texts of a prompt without a fence, apart from its lines.
    pub fn most_frame_bytes(&self) -> usize {
        let breaks = 4 + SECTION_BREAK.len();
        let sections = self.layout.sections.iter();
        sections.map(|section| self.title(section).len() + section.note.len() + breaks).sum()
    }

    /// What text inside a message of the conversation could be mistaken for.
    pub fn message_structure(&self) -> Structure {
        let layout = &self.layout;
        match self.shows_sender(None) {
            true => self.structure(&[&layout.message_line, &layout.sender_line]),
            false => self.structure(&[&layout.message_line]),
        }
    }

    /// What text inside the current message could be mistaken for, if the prompt names its sender.
    pub fn current_structure(&self) -> Structure {
        self.structure(&[&self.layout.message_line, &self.layout.sender_line]).below_sender()
    }

    /// What text inside a parent message or a sibling reply could be mistaken for.
    pub fn quote_structure(&self) -> Structure {
        self.structure(&[&self.layout.message_line, &self.layout.quote_line])
    }

    fn structure(&self, lines: &[&LineStyle]) -> Structure {
        let titles = self.layout.sections.iter().map(|section| trim_js(self.title(section)));
        Structure::new(titles.filter(|title| !title.is_empty()), lines)
    }
}

fn missing_key(given: Option<&str>) -> Error {
    let expected = "12 letters and digits, because markers is 'fence': make a random one for each \
                    member of a conversation, such as crypto.randomBytes(6).toString('hex'), and keep \
                    it from turn to turn";
    let got = given.map_or_else(|| "undefined".to_owned(), |key| format!("'{key}'"));
    Error::invalid_type("fenceKey", expected, got)
}
