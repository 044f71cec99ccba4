//! Messages in memory, for tests.

use crate::reading::*;

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
        redacts: false,
        leave_contents_beyond: None,
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
