use super::measure::Unit;
use super::profile::{
    Disarm, Guard, Limit, OnResume, Profile, Resume, ResumeDirectory, Switch, SystemFlag,
    SystemOptions, Trigger,
};

/// Qwen Code.
pub static QWEN: Profile = Profile {
    agent_type: "qwen-code",
    aliases: &["qwen"],
    measured_on: "0.24.4",
    command: "qwen",
    json_args: &["-o", "stream-json"],
    model_flag: Some("--model"),
    system: SystemOptions {
        // A text that begins with a dash would be taken for an option.
        flag: Some(SystemFlag::Text("--append-system-prompt=")),
        file_flag: None,
        // That of the turn is used, and without one none.
        on_resume: OnResume::Applied,
    },
    resume: Some(Resume {
        first_args: None,
        args: &["--resume", "{id}"],
        directory: ResumeDirectory::Same,
        only_uuid: false,
    }),
    skip_instructions: Some(Switch { args: &["--bare"], env: &[] }),
    // With `DEBUG=1`, which is also a switch of ours, it writes a log of each turn.
    env: &[("DEBUG", None)],
    limits: &[Limit { unit: Unit::Bytes, max: 8_388_608, beyond: "cut the rest off" }],
    guards: &[
        Guard {
            trigger: Trigger::LeadingSlash,
            code: "command",
            effect: "take it for a command: it may send nothing, or a command's text, and run a shell",
            disarm: Disarm::Before(" "),
        },
        Guard {
            trigger: Trigger::AtAnywhere,
            code: "file-mention",
            effect: "attach the file, if there is one, and rewrite the text around it",
            disarm: Disarm::Before("\\"),
        },
    ],
    output: "qwen-code",
    ..Profile::unknown("qwen")
};
