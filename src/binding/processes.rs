//! Ends a program together with all that it has started.
//!
//! Tools of agent CLIs run in sessions of their own, where a signal to the program's group does not
//! reach them. `tree` decides which processes belong to a program. All of them are asked to end
//! (SIGTERM). Those that still run after a grace period are killed, with those that have joined them
//! since. Windows has no such signals: `taskkill` ends a program and its descendants at once.

#[cfg(unix)]
mod list;
#[cfg(unix)]
pub mod signals;
#[cfg(unix)]
mod tree;

use std::time::Duration;

/// A program that a delivery has started.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its process id, as soon as it is known.
    pub id: Option<u32>,
    /// An entry of its environment that no other program has: `NAME=value`.
    #[cfg_attr(windows, expect(dead_code, reason = "taskkill finds what a program has started"))]
    pub mark: String,
}

/// Ends programs with all that they have started, and returns when they are gone.
#[cfg(unix)]
pub fn end(programs: Vec<Program>, grace: Duration) {
    use std::thread::sleep;
    use std::time::Instant;
    use tree::Tree;

    /// How long to wait before processes are listed again.
    const POLL: Duration = Duration::from_millis(20);
    /// How often processes are killed. Each time there may be new ones.
    const MAX_KILLS: usize = 50;

    let begun = Instant::now();
    let mut trees: Vec<Tree> = programs.into_iter().map(Tree::new).collect();
    let update = |trees: &mut Vec<Tree>| {
        let running = list::running();
        for tree in &mut *trees {
            tree.update(&running, std::process::id(), list::has_entry);
        }
        trees.retain(|tree| !tree.is_empty());
        !trees.is_empty()
    };
    let send_all = |trees: &[Tree], signal: i32| {
        trees.iter().flat_map(Tree::members).for_each(|id| send(id, signal));
    };
    if !update(&mut trees) {
        return;
    }
    send_all(&trees, libc::SIGTERM);
    while begun.elapsed() < grace {
        sleep(POLL);
        if !update(&mut trees) {
            return;
        }
    }
    for _ in 0..MAX_KILLS {
        send_all(&trees, libc::SIGKILL);
        sleep(POLL);
        if !update(&mut trees) {
            return;
        }
    }
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "libc has no safe function for signals")]
fn send(id: u32, signal: i32) {
    // 0 would mean the group of this process, and 1 is the first process of the system.
    let Some(id) = i32::try_from(id).ok().filter(|id| *id > 1) else { return };
    // SAFETY: `kill` takes two numbers and reads no memory of this process.
    unsafe { libc::kill(id, signal) };
}

/// Ends programs with all that they have started, and returns when they are gone.
#[cfg(windows)]
pub fn end(programs: Vec<Program>, _grace: Duration) {
    use std::os::windows::process::CommandExt;
    use std::process::{Command, Stdio};

    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    let taskkill = |id: u32, options: &[&str]| {
        let status = Command::new("taskkill")
            .args(["/f", "/pid", &id.to_string()])
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .creation_flags(CREATE_NO_WINDOW)
            .status();
        status.is_ok_and(|status| status.success())
    };
    for id in programs.into_iter().filter_map(|program| program.id) {
        // It fails if one of them cannot be ended, and may have left the others.
        if !taskkill(id, &["/t"]) {
            taskkill(id, &[]);
        }
    }
}
