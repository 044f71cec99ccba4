use super::measure::Unit;
use super::profile::{
    Disarm, Guard, Limit, OnResume, Profile, Resume, ResumeDirectory, Switch, SystemFlag,
    SystemOptions, Trigger,
};

/// Claude Code.
pub static CLAUDE: Profile = Profile {
    agent_type: "claude-code",
    aliases: &["claude"],
    measured_on: "2.1.325",
    command: "claude",
    first_args: &["-p"],
    json_args: &["--output-format", "stream-json", "--verbose"],
    model_flag: Some("--model"),
    system: SystemOptions {
        flag: Some(SystemFlag::Text("--append-system-prompt")),
        file_flag: Some("--append-system-prompt-file"),
        // The first system text of a session is recorded and sent again whatever is passed.
        on_resume: OnResume::AppliedWith(&["--system-prompt-snapshot", "off"]),
    },
    resume: Some(Resume {
        first_args: None,
        args: &["--resume", "{id}"],
        directory: ResumeDirectory::Any,
        only_uuid: false,
    }),
    skip_instructions: Some(Switch { args: &[], env: &[("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "1")] }),
    limits: &[Limit { unit: Unit::Bytes, max: 10_485_760, beyond: "exit with an error" }],
    refuses_blank: true,
    guards: &[
        Guard {
            trigger: Trigger::LeadingSlash,
            code: "command",
            effect: "take it for a command: it may send nothing, or send a command's text instead",
            disarm: Disarm::Before(" "),
        },
        Guard {
            trigger: Trigger::AtAfterSpace,
            code: "file-mention",
            effect: "attach the file or the listing of the directory, if there is one",
            disarm: Disarm::Env("CLAUDE_CODE_DISABLE_FILE_MENTIONS", "1"),
        },
    ],
    output: "claude-code",
    ..Profile::unknown("claude")
};
