//! What to know of a plan before it is carried out.

use super::guard::{char_at, char_before};
use super::measure::utf16_units;
use super::plan::{GuardMode, Instructions, Request};
use super::profile::{Disarm, Guard, Profile, ResumeDirectory};
use crate::text::is_js_whitespace;
use serde::Serialize;

/// So many places of one kind are listed, each in a warning; the rest is counted.
pub const MAX_LISTED_PLACES: usize = 100;

/// So much of a place is shown in its warning.
const MAX_SHOWN_CHARS: usize = 40;

/// Something to know of a plan.
#[derive(Debug, Serialize)]
pub struct Warning {
    /// What kind of warning.
    pub code: &'static str,
    /// In words.
    pub message: String,
    /// Where in the prompt, in UTF-16 units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
}

/// A CLI that finds a session only where it began.
pub fn directory_warning(profile: &Profile, request: &Request) -> Option<Warning> {
    let resume = profile.resume.filter(|_| request.resume.is_some() && request.cwd.is_none())?;
    (resume.directory != ResumeDirectory::Any).then(|| Warning {
        code: "resume-directory",
        message: format!(
            "{} resumes a session only in the directory in which it began: pass it as cwd",
            profile.command
        ),
        at: None,
    })
}

/// A CLI that reads instruction files whatever it is told.
pub fn instructions_warning(profile: &Profile, instructions: Instructions) -> Option<Warning> {
    let is_impossible = instructions == Instructions::Skip && profile.skip_instructions.is_none();
    is_impossible.then(|| Warning {
        code: "instructions-kept",
        message: format!(
            "nothing is known to keep {} from reading instruction files of the project",
            profile.command
        ),
        at: None,
    })
}

/// What a CLI strips off a prompt.
pub fn lost_ends(profile: &Profile, prompt: &[u8]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if profile.strips_byte_order_mark && prompt.starts_with("\u{FEFF}".as_bytes()) {
        let message = format!("{} strips the byte order mark", profile.command);
        warnings.push(Warning { code: "byte-order-mark", message, at: Some(0) });
    }
    if profile.trims_end && char_before(prompt, prompt.len()).is_some_and(is_js_whitespace) {
        let message = format!("{} strips white space at the end", profile.command);
        let mut end = prompt.len();
        while let Some(space) = char_before(prompt, end).filter(|c| is_js_whitespace(*c)) {
            end -= space.len_utf8();
        }
        let at = Some(utf16_units(&prompt[..end]));
        warnings.push(Warning { code: "trailing-space", message, at });
    }
    warnings
}

/// The places at which a CLI would act, and what was done about them.
pub fn list_places(
    profile: &Profile,
    guard: &Guard,
    request: &Request,
    places: &[usize],
    warnings: &mut Vec<Warning>,
) {
    let cli = profile.command;
    let disarmed = match (request.guard, guard.disarm) {
        (GuardMode::Report, _) => String::new(),
        (_, Disarm::Env(name, value)) => {
            format!("; {name}={value} prevents that, and the text stays as it is")
        }
        (_, Disarm::Before(text)) => format!("; {} was put before it", named(text)),
        (_, Disarm::After(text)) => format!("; {} was put after the sign", named(text)),
    };
    let (mut counted, mut units) = (0, 0);
    for place in places.iter().take(MAX_LISTED_PLACES) {
        units += utf16_units(&request.prompt[counted..*place]);
        counted = *place;
        let shown = shown(&request.prompt[*place..]);
        let message = ["at ", &shown, " ", cli, " would ", guard.effect, &disarmed].concat();
        warnings.push(Warning { code: guard.code, message, at: Some(units) });
    }
    if let Some(rest @ 1..) = places.len().checked_sub(MAX_LISTED_PLACES) {
        let message = format!("{rest} more of these are not listed{disarmed}");
        warnings.push(Warning { code: guard.code, message, at: None });
    }
}

fn named(inserted: &str) -> &str {
    match inserted {
        " " => "a space",
        "\\" => "a backslash",
        "\u{2060}" => "U+2060",
        other => other,
    }
}

/// The word that begins a text, in quotes, for a warning.
fn shown(text: &[u8]) -> String {
    let beginning = &text[..text.len().min(MAX_SHOWN_CHARS)];
    let is_plain = |byte: &&u8| byte.is_ascii_graphic() && **byte != b'"' && **byte != b'\\';
    let plain = beginning.iter().take_while(is_plain).count();
    let is_whole = text.get(plain).is_none_or(|byte| byte.is_ascii_whitespace());
    let mut quoted = String::with_capacity(MAX_SHOWN_CHARS + 2);
    quoted.push('"');
    if is_whole || plain == MAX_SHOWN_CHARS {
        quoted.extend(beginning[..plain].iter().map(|byte| char::from(*byte)));
    } else {
        quoted.extend(first_word(text).flat_map(char::escape_debug));
    }
    quoted.push('"');
    quoted
}

/// The characters up to the first white space, of any script.
fn first_word(text: &[u8]) -> impl Iterator<Item = char> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let next = char_at(text, at).filter(|c| !is_js_whitespace(*c))?;
        at += next.len_utf8();
        Some(next)
    })
    .take(MAX_SHOWN_CHARS)
}
