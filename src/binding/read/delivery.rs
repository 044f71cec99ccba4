//! The options of `planDelivery`, and a CLI of the caller's own.

use super::fields::{Field, Object};
use crate::binding::failure::Failure;
use crate::binding::node_api::{Scope, Value};
use crate::delivery::{
    GuardMode, Instructions, Limit, Platform, Profile, Request, Resume, ResumeDirectory,
    SystemFlag, SystemOptions, SystemVia, Unit, output_named,
};

/// What the caller wants.
pub struct Options {
    /// Empty if the caller has a profile and gave no type.
    pub agent_type: String,
    platform: Platform,
    json: bool,
    model: Option<String>,
    cwd: Option<String>,
    resume: Option<String>,
    system_via: SystemVia,
    guard: GuardMode,
    instructions: Instructions,
    trust_workspace: bool,
    extra_args: Vec<String>,
}

impl Options {
    /// Reads the options. `cwd` and `platform` come with their defaults.
    pub fn read<'s>(
        scope: Scope<'s>,
        given: &Object<'s>,
        cwd: Value<'s>,
        platform: Value<'s>,
    ) -> Result<Self, Failure> {
        let agent_type = given.field("agentType")?;
        let has_profile = given.field("profile")?.given()?.is_some();
        let platform = Field::new(scope, "platform", platform).below("options").string()?;
        Ok(Options {
            agent_type: match has_profile {
                true => agent_type.string_or_empty()?,
                false => agent_type.program()?,
            },
            platform: Platform::of(&platform),
            json: given.field("json")?.optional_boolean()?.unwrap_or(true),
            model: given.field("model")?.optional_string()?,
            cwd: Field::new(scope, "cwd", cwd).below("options").optional_string()?,
            resume: given.field("resume")?.optional_string()?,
            system_via: one_of(
                given.field("systemVia")?,
                "'auto', 'flag' or 'file'",
                &[("auto", SystemVia::Auto), ("flag", SystemVia::Flag), ("file", SystemVia::File)],
            )?,
            guard: one_of(
                given.field("guard")?,
                "'report' or 'escape'",
                &[("report", GuardMode::Report), ("escape", GuardMode::Escape)],
            )?,
            instructions: one_of(
                given.field("projectInstructions")?,
                "'keep' or 'skip'",
                &[("keep", Instructions::Keep), ("skip", Instructions::Skip)],
            )?,
            trust_workspace: given.field("trustWorkspace")?.optional_boolean()?.unwrap_or(false),
            extra_args: match given.field("extraArgs")?.given()? {
                Some(field) => field.string_array("an array of strings")?,
                None => Vec::new(),
            },
        })
    }

    /// The same, with what is to be delivered.
    pub fn request<'a>(&'a self, prompt: &'a [u8], system: Option<&'a str>) -> Request<'a> {
        Request {
            prompt,
            system,
            platform: self.platform,
            json: self.json,
            model: self.model.as_deref(),
            cwd: self.cwd.as_deref(),
            resume: self.resume.as_deref(),
            system_via: self.system_via,
            guard: self.guard,
            instructions: self.instructions,
            trust_workspace: self.trust_workspace,
            extra_args: &self.extra_args,
        }
    }
}

fn one_of<T: Copy + Default>(
    field: Field,
    expected: &str,
    known: &[(&str, T)],
) -> Result<T, Failure> {
    let Some(name) = field.optional_string()? else { return Ok(T::default()) };
    let found = known.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| field.unknown(expected, &name))
}

/// A CLI of the caller's own: a `DeliveryProfile`.
pub struct CallerProfile {
    command: String,
    args: Vec<String>,
    system_flag: Option<String>,
    system_file_flag: Option<String>,
    resume_args: Option<Vec<String>>,
    limits: Vec<Limit>,
    env: Vec<(String, Option<String>)>,
    output: &'static str,
}

impl CallerProfile {
    /// Reads `options.profile`, if it is given.
    pub fn read(options: &Object) -> Result<Option<Self>, Failure> {
        let Some(field) = options.field("profile")?.given()? else { return Ok(None) };
        let given = field.object()?;
        let strings = |name: &str| match given.field(name)?.given()? {
            Some(field) => field.string_array("an array of strings").map(Some),
            None => Ok(None),
        };
        Ok(Some(CallerProfile {
            command: given.field("command")?.program()?,
            args: strings("args")?.unwrap_or_default(),
            system_flag: given.field("systemFlag")?.optional_string()?,
            system_file_flag: given.field("systemFileFlag")?.optional_string()?,
            resume_args: strings("resumeArgs")?,
            limits: limits(given.field("limits")?)?,
            env: environment(&given)?,
            output: output(given.field("output")?)?,
        }))
    }

    /// Lets `work` see it as the core does.
    pub fn with<R>(&self, work: impl FnOnce(&Profile) -> R) -> R {
        let args = borrowed(&self.args);
        let resume_args = self.resume_args.as_deref().map(borrowed);
        let env: Vec<_> =
            self.env.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
        let unknown = Profile::unknown(&self.command);
        work(&Profile {
            args: &args,
            system: SystemOptions {
                flag: self.system_flag.as_deref().map(SystemFlag::Text),
                file_flag: self.system_file_flag.as_deref(),
                ..unknown.system
            },
            resume: resume_args.as_ref().map(|args| Resume {
                first_args: None,
                args,
                directory: ResumeDirectory::Any,
                only_uuid: false,
            }),
            limits: &self.limits,
            env: &env,
            output: self.output,
            ..unknown
        })
    }
}

fn borrowed(strings: &[String]) -> Vec<&str> {
    strings.iter().map(String::as_str).collect()
}

fn limits(field: Field) -> Result<Vec<Limit>, Failure> {
    let Some(field) = field.given()? else { return Ok(Vec::new()) };
    let limit = |element: Field| {
        let limit = element.object()?;
        let unit = limit.field("unit")?;
        let name = unit.string()?;
        let expected = "'bytes', 'codePoints' or 'utf16'";
        Ok(Limit {
            unit: Unit::parse(&name).ok_or_else(|| unit.unknown(expected, &name))?,
            max: limit.field("max")?.integer(1)?,
            beyond: "not take it",
        })
    };
    field.elements("an array")?.map(|element| limit(element?.field())).collect()
}

/// Names and values; a value that is undefined or null is removed.
fn environment(profile: &Object) -> Result<Vec<(String, Option<String>)>, Failure> {
    let given = profile.field("env")?.object_or_empty()?;
    let entry = |name: String| {
        let value = given.own_field(&name)?.optional_string()?;
        Ok((name, value))
    };
    given.keys()?.into_iter().map(entry).collect()
}

fn output(field: Field) -> Result<&'static str, Failure> {
    let name = field.optional_string()?;
    let name = name.as_deref().unwrap_or(crate::delivery::TEXT_OUTPUT);
    output_named(name).ok_or_else(|| field.unknown("'text' or a known agent type", name))
}
