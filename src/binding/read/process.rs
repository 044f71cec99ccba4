//! What `js/process.js` passes about the running process. Node is asked and not the system:
//! a worker has an environment of its own, and only Node knows who else is changing it.

use super::fields::{Field, Object};
use crate::binding::failure::Failure;
use crate::binding::node_api::{Scope, Value};
use crate::error::Error;
use crate::instructions::ProcessEnvironment;
use crate::instructions::paths::absolute;
use crate::instructions::preset::PLACE_VARIABLES;
use std::collections::HashMap;
use std::path::PathBuf;

/// The facts about the process.
pub struct ProcessFacts<'s> {
    facts: Object<'s>,
    pub cwd: PathBuf,
}

impl<'s> ProcessFacts<'s> {
    pub fn new(scope: Scope<'s>, facts: Value<'s>) -> Result<Self, Failure> {
        let facts = Field::new(scope, "process", facts).object()?;
        let cwd = facts.field("cwd")?.string()?.into();
        Ok(ProcessFacts { facts, cwd })
    }

    /// The machine and its user.
    pub fn environment(&self) -> Result<ProcessEnvironment, Failure> {
        let variables = self.facts.field("env")?.object_or_empty()?;
        let variable = |name: &str| variables.field(name)?.optional_string();
        let path = |name: &str| -> Result<Option<PathBuf>, Failure> {
            Ok(variable(name)?.filter(|path| !path.is_empty()).map(PathBuf::from))
        };
        let home = path(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?;
        let default_home = self.facts.field("home")?.optional_string()?.map(PathBuf::from);
        let mut places = HashMap::new();
        for name in PLACE_VARIABLES {
            places.extend(path(name)?.map(|place| (name, place)));
        }
        Ok(ProcessEnvironment {
            cwd: self.cwd.clone(),
            home: home.or(default_home),
            config_home: path("XDG_CONFIG_HOME")?,
            places,
        })
    }

    pub fn platform(&self) -> Result<String, Failure> {
        self.facts.field("platform")?.string()
    }

    /// A path, seen from the working directory; that directory if it is not given.
    pub fn directory(&self, field: Field) -> Result<PathBuf, Failure> {
        Ok(match field.optional_string()? {
            Some(path) => absolute(&self.cwd, path),
            None => self.cwd.clone(),
        })
    }

    /// A date, or today, as `toDateString` writes it in the local time zone.
    pub fn date_string(&self, field: Field<'s, '_>) -> Result<String, Failure> {
        let scope = field.scope;
        let date = match field.given()? {
            Some(given) => given.value,
            None => self.facts.field("now")?.value,
        };
        if scope.is_valid_date(date)? {
            return scope.string(scope.method(date, "toDateString", &[])?);
        }
        if scope.is_date(date)? {
            let (path, expected) = (field.path(), "a valid date".to_owned());
            return Err(Error::OutOfRange { path, expected, got: "Invalid Date".into() }.into());
        }
        Err(field.wrong("a Date"))
    }
}
