use super::profile::{Profile, Resume, ResumeDirectory, Switch};

/// opencode. No limit was met at 12 MB, and nothing in the text that it acts on.
pub static OPENCODE: Profile = Profile {
    agent_type: "opencode",
    measured_on: "1.18.33",
    command: "opencode",
    first_args: &["run"],
    json_args: &["--format", "json"],
    model_flag: Some("--model"),
    resume: Some(Resume {
        first_args: None,
        args: &["--session", "{id}"],
        // From another directory it hangs.
        directory: ResumeDirectory::Named("--dir"),
        only_uuid: false,
    }),
    skip_instructions: Some(Switch { args: &[], env: &[("OPENCODE_DISABLE_PROJECT_CONFIG", "1")] }),
    refuses_blank: true,
    strips_byte_order_mark: true,
    output: "opencode",
    ..Profile::unknown("opencode")
};
