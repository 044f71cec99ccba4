//! What a CLI would refuse, cut or misunderstand.

use super::disarm::Insertions;
use super::guard::char_at;
use super::plan::Request;
use super::profile::Profile;
use crate::error::Error;
use crate::text::is_js_whitespace;

/// What becomes an argument must not be taken for an option, and what cannot be passed on must
/// not be lost.
pub fn check_words(profile: &Profile, request: &Request) -> Result<(), Error> {
    let unusable = |path: &str, expected: &str, got: &str| {
        Error::invalid_type(format!("options.{path}"), expected, format!("{got:?}"))
    };
    for (path, word) in [("resume", request.resume), ("model", request.model)] {
        if let Some(word) = word
            && (word.is_empty() || word.starts_with('-') || word.contains(char::is_control))
        {
            return Err(unusable(path, "a name that does not begin with a dash", word));
        }
    }
    if let (Some(id), None) = (request.resume, profile.resume) {
        let expected = "left out: it is not known how this CLI resumes a session \
                        (profile.resumeArgs says so)";
        return Err(unusable("resume", expected, id));
    }
    if let (Some(id), Some(resume)) = (request.resume, profile.resume)
        && resume.only_uuid
        && !is_uuid(id)
    {
        let expected = "the UUID of a session: with anything else this CLI may begin a new one";
        return Err(unusable("resume", expected, id));
    }
    if let (Some(model), None) = (request.model, profile.model_flag) {
        let expected = "left out: it is not known how this CLI takes it (extraArgs can have it)";
        return Err(unusable("model", expected, model));
    }
    for (index, argument) in request.extra_args.iter().enumerate() {
        if argument.contains('\0') {
            return Err(unusable(&format!("extraArgs[{index}]"), "without NUL", argument));
        }
    }
    match request.cwd {
        Some(cwd) if cwd.contains('\0') => Err(unusable("cwd", "without NUL", cwd)),
        _ => Ok(()),
    }
}

fn is_uuid(id: &str) -> bool {
    let groups: Vec<&str> = id.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A CLI answers a prompt, not the lack of one.
pub fn check_not_blank(profile: &Profile, prompt: &[u8]) -> Result<(), Error> {
    let refused = |problem: &str| {
        let (cli, problem) = (profile.command.to_owned(), problem.to_owned());
        Err(Error::Undeliverable { cli, problem, size: None })
    };
    if prompt.is_empty() {
        return refused("the prompt is empty, and there is nothing to answer");
    }
    if profile.refuses_blank && is_blank(prompt) {
        return refused("the prompt is white space alone, which it refuses");
    }
    Ok(())
}

fn is_blank(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(space) = char_at(text, at).filter(|c| is_js_whitespace(*c)) {
        at += space.len_utf8();
    }
    at == text.len()
}

/// A text that is over a limit of the CLI's, with what is written into it.
pub fn check_limits(
    profile: &Profile,
    prompt: &[u8],
    insertions: &Insertions,
) -> Result<(), Error> {
    for limit in profile.limits {
        let added = insertions.measure(limit.unit);
        let Some(size) = limit.unit.excess(prompt, limit.max.saturating_sub(added)) else {
            continue;
        };
        let (cli, beyond) = (profile.command.to_owned(), limit.beyond);
        let problem = format!("the prompt is too long, and it would {beyond}; lower maxBytes");
        let size = Some((size + added, limit.max, limit.unit));
        return Err(Error::Undeliverable { cli, problem, size });
    }
    Ok(())
}
