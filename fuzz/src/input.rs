//! The input of an assembler, with the conversation in memory.

use crate::layout::{few_backslashes, layout};
use crate::text::{name, text};
use crate::tokens::count_by_function;
use arbitrary::{Error as Refused, Result, Unstructured};
use promptmason::Error;
use promptmason::budget::Policy;
use promptmason::layout::{Part, SystemPlacement};
use promptmason::model::{Assembler, AssemblerOptions, Markers, Materials, Quote, Sender};
use promptmason::reading::{GivenMessage, GivenRequest, Reading, Selection};
use std::rc::Rc;

/// Sender, addressee and content.
#[derive(Clone)]
pub struct Message(pub String, pub String, pub String);

/// The whole input of one prompt.
pub struct Input {
    pub assembler: Assembler,
    pub materials: Materials<'static>,
    pub messages: Vec<Message>,
    pub pinned: Vec<usize>,
    pub gaps_before: Vec<usize>,
    /// The first message of the window; earlier ones are included only because they are pinned.
    pub window_start: usize,
}

impl Input {
    pub fn arbitrary(u: &mut Unstructured) -> Result<Self> {
        let layout = layout(u)?.ok_or(Refused::IncorrectFormat)?;
        let placements = [SystemPlacement::Inline, SystemPlacement::Flag, SystemPlacement::Both];
        let placement = Some(*u.choose(&placements)?).filter(|placement| layout.allows(*placement));
        let mut headings = Vec::new();
        while headings.len() < 3 && u.ratio(1, 4)? {
            headings.push((
                *u.choose(&Part::ALL)?,
                few_backslashes(name(u)?.replace(['\n', '\r'], " ")),
            ));
        }
        let options = AssemblerOptions {
            system_placement: placement,
            headings,
            markers: Some(*u.choose(&[Markers::Verbatim, Markers::Escape])?),
            eviction_step: Some(u.int_in_range(0..=5)?),
            message_min_bytes: Some(u.int_in_range(0..=400)?),
            ..AssemblerOptions::default()
        };
        let quote = |u: &mut Unstructured| Ok(Quote::new(name(u)?, text(u, 12)?));
        let mut materials = Materials {
            system_instruction: vec![text(u, 4)?, text(u, 2)?].into(),
            instruction_file: text(u, 4)?.into(),
            team_task: text(u, 4)?.into(),
            summary: text(u, 12)?.into(),
            message: text(u, 20)?.into(),
            parent_message_id: name(u)?.into(),
            intent: name(u)?.into(),
            max_bytes: usize::from(u.arbitrary::<u16>()?) % 8000 + 1,
            ..Materials::default()
        };
        if u.arbitrary()? {
            materials.sender = Some(Sender { from: name(u)?.into(), to: name(u)?.into() });
        }
        if u.arbitrary()? {
            materials.parent = Some(quote(u)?);
        }
        while materials.siblings.len() < 4 && u.arbitrary()? {
            materials.siblings.push(quote(u)?);
        }
        let mut messages = Vec::new();
        while messages.len() < 10 && u.ratio(3, 4)? {
            messages.push(Message(name(u)?, name(u)?, text(u, 6)?));
        }
        let (mut pinned, mut gaps_before) = (Vec::new(), Vec::new());
        if u.ratio(1, 3)? {
            for index in 0..messages.len() {
                pinned.extend(u.ratio(1, 4)?.then_some(index));
                gaps_before.extend(u.ratio(1, 4)?.then_some(index));
            }
        }
        Ok(Input {
            assembler: Assembler::new(layout, options),
            materials,
            messages,
            pinned,
            gaps_before,
            window_start: 0,
        })
    }

    /// The message to act on.
    pub fn message(&self) -> &str {
        self.materials.message.beginning()
    }

    /// Passes messages as long as the reading asks for them.
    pub fn read(
        &self,
        policy: Policy,
        selection: Option<Selection>,
        report: bool,
    ) -> std::result::Result<Reading, Error> {
        let mut reading = Reading::begin(GivenRequest {
            assembler: Rc::new(self.assembler.clone()),
            materials: self.materials.clone(),
            policy,
            count: self.messages.len(),
            pinned: self.pinned.clone(),
            gaps_before: self.gaps_before.clone(),
            selection,
            report,
            redacts: false,
            is_string: false,
            buffer: Vec::new(),
        })?;
        while let Some(index) = reading.wanted {
            reading.pass(&self.messages[index])?;
        }
        Ok(reading)
    }

    /// The bytes of all texts of the input, each counted once.
    pub fn given_bytes(&self) -> usize {
        let m = &self.materials;
        let texts = m.system_instruction.iter().map(String::len).sum::<usize>();
        let quotes =
            m.parent.iter().chain(&m.siblings).map(|quote| quote.content.len()).sum::<usize>();
        let messages = self.messages.iter().map(|message| message.2.len()).sum::<usize>();
        texts
            + quotes
            + messages
            + m.instruction_file.len()
            + m.team_task.len()
            + m.summary.len()
            + self.message().len()
            + m.role.given_bytes
            + m.parent_message_id.len()
            + m.intent.len()
    }
}

impl GivenMessage for Message {
    fn push_from(&self, out: &mut Vec<u8>) -> std::result::Result<(), Error> {
        out.extend_from_slice(self.0.as_bytes());
        Ok(())
    }

    fn push_to(&self, out: &mut Vec<u8>) -> std::result::Result<(), Error> {
        out.extend_from_slice(self.1.as_bytes());
        Ok(())
    }

    fn push_content(&self, out: &mut Vec<u8>, room: usize) -> std::result::Result<bool, Error> {
        if self.2.len() > room {
            return Ok(false);
        }
        out.extend_from_slice(self.2.as_bytes());
        Ok(true)
    }

    fn tokens(&self) -> usize {
        count_by_function(&self.2)
    }
}
