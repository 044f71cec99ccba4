//! Messages in memory, for tests.

use crate::reading::*;
use std::collections::{BTreeMap, BTreeSet};

/// A sender, an addressee, a content.
pub type Said = (String, String, String);

impl GivenMessage for Said {
    fn push_from(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        out.extend_from_slice(self.0.as_bytes());
        Ok(())
    }

    fn push_to(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        out.extend_from_slice(self.1.as_bytes());
        Ok(())
    }

    fn push_content(&self, out: &mut Vec<u8>, room: usize) -> Result<bool, Error> {
        if self.2.len() > room {
            return Ok(false);
        }
        out.extend_from_slice(self.2.as_bytes());
        Ok(true)
    }
}

pub fn said(messages: &[(&str, &str, &str)]) -> Vec<Said> {
    let owned = |(from, to, content): &(&str, &str, &str)| {
        (from.to_string(), to.to_string(), content.to_string())
    };
    messages.iter().map(owned).collect()
}

/// A request for all messages.
pub fn request_of(
    assembler: &Assembler,
    materials: &Materials<'static>,
    count: usize,
) -> GivenRequest {
    GivenRequest {
        assembler: Rc::new(assembler.clone()),
        materials: materials.clone(),
        policy: Policy::Assembler,
        count,
        pinned: Vec::new(),
        gaps_before: Vec::new(),
        selection: None,
        report: false,
        is_string: false,
        redacts: false,
        buffer: Vec::new(),
    }
}

/// Passes messages as long as the reading asks for them. Also returns which ones were passed.
pub fn read(request: GivenRequest, messages: &[Said]) -> Result<(Reading, Vec<usize>), Error> {
    let mut reading = Reading::begin(request)?;
    let mut passed = Vec::new();
    while let Some(index) = reading.wanted {
        passed.push(index);
        reading.pass(&messages[index])?;
    }
    Ok((reading, passed))
}

/// Messages as a caller writes them for [`Passed`], with every text in one of two scripts.
#[derive(Default)]
pub struct Written {
    bytes: Vec<u8>,
    units: Vec<u16>,
    rows: Vec<[f64; COLUMNS]>,
    names: Vec<[f64; NAME_COLUMNS]>,
}

impl Written {
    /// As UTF-16, if it is not ASCII.
    fn text(&mut self, text: &str) -> [f64; NAME_COLUMNS] {
        if text.is_ascii() {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(text.as_bytes());
            return [1.0, start as f64, text.len() as f64];
        }
        let start = self.units.len();
        self.units.extend(text.encode_utf16());
        [2.0, start as f64, (self.units.len() - start) as f64]
    }

    /// Adds a message.
    pub fn add(&mut self, index: usize, (from, to, content): &Said, need: Need) {
        let number = self.names.len() as f64;
        let names = [self.text(from), self.text(to)];
        self.names.extend(names);
        let [kind, start, length] = match need {
            Need::Names => [0.0, 0.0, 0.0],
            Need::Size => [3.0, 0.0, content.len() as f64],
            Need::Content => self.text(content),
        };
        self.rows.push([index as f64, number, number + 1.0, kind, start, length, -1.0]);
    }

    /// What was added.
    pub fn passed(&self) -> Passed<'_> {
        let memory = Memory { bytes: &self.bytes, units: &self.units, is_wide: false };
        Passed::new(&self.rows, &self.names, memory, BTreeMap::new())
    }
}

/// Passes messages together, as they are wanted. Also returns which ones were read, and in how many
/// steps.
pub fn read_together(
    request: GivenRequest,
    messages: &[Said],
) -> Result<(Reading, BTreeSet<usize>, usize), Error> {
    let mut reading = Reading::begin(request)?;
    let (mut read, mut steps) = (BTreeSet::new(), 1);
    loop {
        let wanted = reading.wanted_next();
        if wanted.is_empty() {
            return Ok((reading, read, steps));
        }
        let line = reading.line_units();
        let mut written = Written::default();
        let mut end = messages.len();
        for Wanted { need, indices, range, continues, most, units, .. } in wanted {
            let adjacent =
                (range.start..if continues { range.end.min(end) } else { range.end }).rev();
            let mut left = units;
            for index in indices.into_iter().chain(adjacent).take(most) {
                if left == 0 {
                    break;
                }
                let (from, to, content) = &messages[index];
                let shown =
                    line.everyone.map_or(0, |all| if to.is_empty() { all } else { to.len() });
                let content_units = content.encode_utf16().count();
                left = left.saturating_sub(from.len() + shown + line.frame + content_units);
                written.add(index, &messages[index], need);
                read.insert(index);
                end = index;
            }
        }
        reading.take(&written.passed())?;
        steps += 1;
    }
}
