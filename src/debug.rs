//! Writes what was sent to stderr, if `DEBUG` asks for it.
//!
//! A block is written in one piece under a lock that all threads of the process share, so
//! that workers do not interleave inside a block.

use crate::plan::Plan;
use crate::text::trim_js;
use std::io::{ErrorKind, Write};
use std::time::Duration;

/// Whether this value of `DEBUG` asks for our output: `1`, `true`, `*`, or a list of names
/// with ours in it.
pub fn is_wanted(debug: &str) -> bool {
    let names: Vec<&str> = debug.split([',', ' ']).filter(|name| !name.is_empty()).collect();
    let excluded = ["-promptmason", "-promptmason:*", "-promptmason*"];
    let included = ["*", "promptmason", "promptmason:*", "promptmason*"];
    let has = |known: &[&str]| names.iter().any(|name| known.contains(name));
    matches!(trim_js(debug), "1" | "true") || has(&included) && !has(&excluded)
}

/// The two blocks of one assembly: what is sent, and what was left out.
pub fn describe(agent: &str, plan: &Plan, prompt: &[u8], decisions: &[String]) -> String {
    let mut text =
        format!("[Debug][Send] {agent}: {} of {} bytes\n", plan.total_bytes(), plan.max_bytes);
    if let Some(flag) = plan.system_flag() {
        text += &format!("── systemFlag, {} bytes\n{flag}\n", flag.len());
    }
    text += &format!("── prompt, {} bytes\n", prompt.len());
    text += &String::from_utf8_lossy(prompt);
    text += "\n[Debug][Trim] ";
    match decisions {
        [] => text += "nothing was left out",
        some => text += &some.join("; "),
    }
    text + "\n"
}

/// Writes to stderr. A failed write is ignored.
pub fn write(text: &str) {
    /// A pipe that nobody reads must not hang the program.
    const MAX_WAITS: u32 = 1000;
    let mut stderr = std::io::stderr().lock();
    let mut rest = text.as_bytes();
    let mut waits = 0;
    while !rest.is_empty() && waits < MAX_WAITS {
        match stderr.write(rest) {
            Ok(0) => return,
            Ok(written) => rest = &rest[written..],
            // Node may have made the pipe non-blocking.
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                waits += 1;
                std::thread::sleep(Duration::from_millis(1));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_wanted;

    #[test]
    fn debug_is_enabled_by_name_or_for_all() {
        for value in [
            "1",
            "true",
            "\u{FEFF}1\n",
            "*",
            "promptmason",
            "express:*,promptmason",
            "a b promptmason:*",
        ] {
            assert!(is_wanted(value), "{value}");
        }
        for value in ["", "0", "false", "express:*", "promptmasonry", "11", "*,-promptmason"] {
            assert!(!is_wanted(value), "{value}");
        }
    }
}
