//! `buildPrompt`: turns everything that a coordinator has into what one member gets.
//!
//! 1. Of the conversation, the member gets the newest messages that it may see.
//! 2. The message and the configured instruction are never cut. The instruction file is: first to
//!    keep the system text within its share, then to make room.
//! 3. Everything else is as in the assemblers: the same layouts, the same planner.
//!
//! [`crate::reading`] does 1, [`crate::budget::Policy::BuildPrompt`] does 2; the rest is here.

use crate::model::RoleLine;
use crate::text::{head, is_js_whitespace, trim_js};

/// The default budget.
pub const DEFAULT_MAX_BYTES: usize = 768 * 1024;

/// How many messages of the conversation are included by default.
pub const DEFAULT_CONTEXT_MESSAGES: usize = 5;

const MAX_ROLE_BYTES: usize = 512;

/// The member's role as one short line before the configured instruction, where it survives any
/// shortening. Empty for an empty summary.
pub fn role_line(summary: &str) -> RoleLine {
    let words = summary.split(is_js_whitespace).filter(|word| !word.is_empty());
    let one_line = words.collect::<Vec<_>>().join(" ");
    let role = trim_js(head(&one_line, MAX_ROLE_BYTES));
    RoleLine {
        text: if role.is_empty() { String::new() } else { format!("Role: {role}") },
        given_bytes: summary.len(),
        kept_bytes: role.len(),
        cut_bytes: one_line.len() - role.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_one_short_line() {
        let role = role_line(" backend\n engineer ");
        assert_eq!(role.text, "Role: backend engineer");
        assert_eq!((role.given_bytes, role.kept_bytes, role.cut_bytes), (19, 16, 0));
        assert_eq!(role_line(" \n").text, "");
        let role = role_line(&"é".repeat(400));
        assert_eq!(role.text.len(), "Role: ".len() + 512);
        assert_eq!((role.given_bytes, role.kept_bytes, role.cut_bytes), (800, 512, 288));
    }
}
