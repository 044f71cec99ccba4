use super::measure::Unit;
use super::profile::{Disarm, Guard, Limit, Profile, Resume, ResumeDirectory, Trigger};

/// Gemini.
pub static GEMINI: Profile = Profile {
    agent_type: "google-gemini",
    aliases: &["gemini"],
    measured_on: "0.61.0",
    command: "gemini",
    json_args: &["-o", "stream-json"],
    model_flag: Some("--model"),
    resume: Some(Resume {
        first_args: None,
        args: &["--resume", "{id}"],
        directory: ResumeDirectory::Same,
        only_uuid: false,
    }),
    trust_args: &["--skip-trust"],
    // With `DEBUG=1`, which is also a switch of ours, it takes many times as long.
    env: &[("DEBUG", None)],
    limits: &[
        Limit {
            unit: Unit::Bytes,
            max: 8_388_608,
            beyond: "cut the rest off and exit as if all were well",
        },
        // It takes four units for a token and sends nothing if there are more tokens than its
        // model reads, 1,048,576. In an empty project 4,193,000 units were sent and 4,193,900
        // were not: a few hundred tokens are its own.
        Limit {
            unit: Unit::Utf16,
            max: 4_190_000,
            beyond: "send nothing and exit as if all were well",
        },
    ],
    guards: &[
        Guard {
            trigger: Trigger::LeadingSlash,
            code: "command",
            effect: "take it for a command: it may send a command's text instead, and run a shell",
            disarm: Disarm::Before(" "),
        },
        Guard {
            trigger: Trigger::AtAnywhere,
            code: "file-mention",
            effect: "search for such a file, attach it and rewrite the text around it",
            disarm: Disarm::Before("\\"),
        },
    ],
    output: "google-gemini",
    ..Profile::unknown("gemini")
};
