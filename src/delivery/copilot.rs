use super::profile::{Profile, Resume, ResumeDirectory, Switch};

/// GitHub Copilot CLI. No limit was met at 12 MB, and nothing in the text that it acts on. It
/// reads stdin only without `-p`.
pub static COPILOT: Profile = Profile {
    agent_type: "github-copilot",
    aliases: &["copilot"],
    measured_on: "1.0.102",
    command: "copilot",
    json_args: &["--output-format", "json"],
    text_args: &["--silent"],
    args: &["--allow-all-tools"],
    model_flag: Some("--model"),
    resume: Some(Resume {
        first_args: None,
        args: &["--resume", "{id}"],
        directory: ResumeDirectory::Any,
        only_uuid: false,
    }),
    skip_instructions: Some(Switch { args: &["--no-custom-instructions"], env: &[] }),
    refuses_blank: true,
    strips_byte_order_mark: true,
    trims_end: true,
    output: "github-copilot",
    ..Profile::unknown("copilot")
};
