use super::{DEFAULTS, Preset, Step, file};

/// The AGENTS.md convention and nothing else: from the root of the repository down.
pub static AGENTS: Preset = Preset {
    name: "agents",
    source: "the AGENTS.md convention (agents.md, 2025): files closer to the work come later",
    steps: &[Step::Project(&[&[file("AGENTS.md")]])],
    ..DEFAULTS
};
