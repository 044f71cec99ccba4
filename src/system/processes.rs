//! Ends a program together with all that it has started.
//!
//! Tools of agent CLIs run in sessions of their own, where a signal to the program's group does not
//! reach them. `tree` decides which processes belong to a program. All of them are asked to end
//! (SIGTERM). Those that still run after a grace period are killed, with those that have joined them
//! since. Windows has no such signals: there, all of them are killed at once.

#[cfg_attr(unix, path = "processes/list_unix.rs")]
#[cfg_attr(windows, path = "processes/list_windows.rs")]
mod list;
#[cfg(unix)]
pub(super) mod signals;
mod tree;

use std::thread::sleep;
use std::time::{Duration, Instant};
use tree::Tree;

/// How long to wait before processes are listed again.
const POLL: Duration = Duration::from_millis(20);
/// How often processes are killed. Each time there may be new ones.
const MAX_KILLS: usize = 50;

/// A program that a delivery has started.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its process id, as soon as it is known.
    pub id: Option<u32>,
    /// An entry of its environment that no other program has: `NAME=value`.
    pub mark: String,
}

/// Ends programs with all that they have started, and returns when they are gone.
pub fn end(programs: Vec<Program>, grace: Duration) {
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
    if !update(&mut trees) {
        return;
    }
    if ask(&trees) {
        while begun.elapsed() < grace {
            sleep(POLL);
            if !update(&mut trees) {
                return;
            }
        }
    }
    for _ in 0..MAX_KILLS {
        trees.iter().flat_map(Tree::members).for_each(list::kill);
        sleep(POLL);
        if !update(&mut trees) {
            return;
        }
    }
}

/// Asks all processes to end. Returns whether the system has a way to do that.
fn ask(trees: &[Tree]) -> bool {
    #[cfg(unix)]
    trees.iter().flat_map(Tree::members).for_each(list::ask);
    #[cfg(windows)]
    let _ = trees;
    cfg!(unix)
}
