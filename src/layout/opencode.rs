use super::{Layout, bracketed};
use crate::model::SystemPlacement;

/// OpenCode: as Codex.
pub static OPENCODE: Layout = bracketed::layout("opencode", &[], SystemPlacement::Inline, None);
