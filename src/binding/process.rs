//! What `lib/process.ts` passes about the running process. Node is asked and not the system:
//! a worker has an environment of its own, and only Node knows who else is changing it.

use crate::instructions::ProcessEnvironment;
use crate::instructions::paths::absolute;
use crate::instructions::preset::VARIABLES;
use napi_derive::napi;
use std::collections::HashMap;
use std::path::PathBuf;

const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
const CONFIG_HOME: &str = "XDG_CONFIG_HOME";

/// The process and its user.
#[napi(object, object_to_js = false)]
pub struct ProcessFacts {
    pub cwd: String,
    /// The home directory, if the environment does not name one.
    pub home: Option<String>,
    /// Those of [`environment_variables`] that are set.
    pub variables: HashMap<String, String>,
}

/// The environment variables that say where files are.
#[napi(catch_unwind)]
pub fn environment_variables() -> Vec<&'static str> {
    [HOME, CONFIG_HOME].into_iter().chain(VARIABLES).collect()
}

/// A path, seen from the working directory; that directory if it is not given.
pub fn directory(cwd: &str, path: Option<String>) -> PathBuf {
    absolute(cwd.as_ref(), path.unwrap_or_default())
}

impl From<ProcessFacts> for ProcessEnvironment {
    fn from(ProcessFacts { cwd, home, mut variables }: ProcessFacts) -> Self {
        let mut path = |name| variables.remove(name).filter(|path| !path.is_empty());
        let home = path(HOME).or(home).map(PathBuf::from);
        let config_home = path(CONFIG_HOME).map(PathBuf::from);
        let place = |name| Some((name, path(name)?.into()));
        let places = VARIABLES.into_iter().filter_map(place).collect();
        ProcessEnvironment { cwd: cwd.into(), home, config_home, places }
    }
}
