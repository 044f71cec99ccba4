use super::{ConfigFile, Includes, Preset, Reach, file};
use crate::instructions::Order;

/// The AGENTS.md convention and nothing else: from the root of the repository down.
pub static AGENTS: Preset = Preset {
    name: "agents",
    source: "the AGENTS.md convention (agents.md, 2025): files closer to the work come later",
    user: &[],
    one_user_place: false,
    user_first: false,
    reach: Reach::Repository,
    order: Order::RootFirst,
    project: &[&[file("AGENTS.md")]],
    config: ConfigFile::None,
    includes: Includes::Off,
    project_max_bytes: None,
};
