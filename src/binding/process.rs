//! What the running process knows: through `process`, because a worker has an environment of
//! its own, and because only Node knows who else is changing it.

use super::border::{Border, Value};
use super::failure::Failure;
use super::reader::{Reader, wrong};
use crate::error::Error;
use crate::instructions::ProcessEnvironment;
use crate::instructions::paths::absolute;
use crate::instructions::url::Proxies;
use std::path::PathBuf;

/// The machine and its user.
pub fn process_environment(border: Border) -> Result<ProcessEnvironment, Failure> {
    let variable = |name: &str| border.environment_variable(name);
    let given = |name: &str| -> Result<Option<PathBuf>, Failure> {
        Ok(variable(name)?.filter(|path| !path.is_empty()).map(PathBuf::from))
    };
    let home = given(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?;
    Ok(ProcessEnvironment {
        cwd: cwd(border)?,
        home: home.or_else(std::env::home_dir),
        config_home: given("XDG_CONFIG_HOME")?,
        proxies: Proxies::from_variables(variable)?,
    })
}

/// `process.cwd()`.
pub fn cwd(border: Border) -> Result<PathBuf, Failure> {
    let process = border.global_object("process")?;
    let cwd = border.method(process, "cwd", &[])?;
    border.string(cwd).map(PathBuf::from)
}

/// `process.platform`.
pub fn platform(border: Border) -> Result<String, Failure> {
    let process = border.global_object("process")?;
    border.string(border.named(process, "platform")?)
}

/// The field as a path, seen from the working directory, which it is if it is not given.
pub fn directory(reader: &Reader, field: &str) -> Result<PathBuf, Failure> {
    let cwd = cwd(reader.border)?;
    Ok(match reader.optional_string(field)? {
        Some(path) => absolute(&cwd, path),
        None => cwd,
    })
}

/// The field's date, or today, as `toDateString` writes it in the local time zone.
pub fn date_string(reader: &Reader, field: &str) -> Result<String, Failure> {
    let border = reader.border;
    let date = match reader.given(field)? {
        Some((value, _)) if border.is_date(value)? => value,
        Some((value, _)) => return Err(reader.wrong(field, value, "a Date")),
        None => border.construct("Date", &[])?,
    };
    if !border.date_milliseconds(date)?.is_nan() {
        return border.string(border.method(date, "toDateString", &[])?);
    }
    let (path, expected) = (reader.path(field), "a valid date".to_owned());
    Err(Error::OutOfRange { path, expected, got: "Invalid Date".to_owned() }.into())
}

/// The strings of anything that can be iterated, such as an array or a Set.
pub fn strings_of(border: Border, value: Value, path: &str) -> Result<Vec<String>, Failure> {
    use super::border::Kind;
    let expected = "an array or a Set of strings";
    if border.kind(value)? != Kind::Object {
        return Err(wrong(border, path, value, expected));
    }
    let array = border.method(border.global_object("Array")?, "from", &[value])?;
    let length = border.array_length(array)?.unwrap_or(0);
    let strings = (0..length).map(|index| {
        let element = border.element(array, index)?;
        match border.kind(element)? {
            Kind::String => border.string(element),
            _ => Err(wrong(border, format!("{path}[{index}]"), element, "a string")),
        }
    });
    strings.collect()
}
