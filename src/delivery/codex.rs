use super::measure::Unit;
use super::profile::{
    Disarm, Guard, Limit, OnResume, Profile, Resume, ResumeDirectory, Switch, SystemFlag,
    SystemOptions, Trigger,
};

/// Codex.
pub static CODEX: Profile = Profile {
    agent_type: "openai-codex",
    aliases: &["codex"],
    measured_on: "0.166.0",
    command: "codex",
    first_args: &["exec"],
    json_args: &["--json"],
    args: &["--skip-git-repo-check"],
    last_args: &["-"],
    model_flag: Some("--model"),
    system: SystemOptions {
        flag: Some(SystemFlag::Toml { flag: "-c", key: "developer_instructions" }),
        file_flag: None,
        on_resume: OnResume::Ignored,
    },
    resume: Some(Resume {
        first_args: Some(&["exec", "resume"]),
        args: &["{id}"],
        directory: ResumeDirectory::Any,
        // Anything else is taken for a name, and if there is no such session, a new one begins.
        only_uuid: true,
    }),
    skip_instructions: Some(Switch { args: &["-c", "project_doc_max_bytes=0"], env: &[] }),
    limits: &[Limit { unit: Unit::CodePoints, max: 1_048_576, beyond: "exit with an error" }],
    refuses_blank: true,
    strips_byte_order_mark: true,
    guards: &[Guard {
        trigger: Trigger::DollarName,
        code: "skill-mention",
        effect: "add the text of the skill, if one of this name is installed",
        disarm: Disarm::After("\u{2060}"),
    }],
    output: "openai-codex",
    ..Profile::unknown("codex")
};
