//! Ends a program together with all that it has started.
//!
//! Tools of agent CLIs run in sessions of their own, where a signal to the program's group does not
//! reach them. `tree` decides which processes belong to a program. All of them are asked to end
//! (SIGTERM). Those that still run after a grace period are killed, with those that have joined them
//! since. Windows has no such signals: there, all of them are killed at once.

#[cfg_attr(unix, path = "processes/library_unix.rs")]
#[cfg_attr(windows, path = "processes/library_windows.rs")]
pub mod library;
#[cfg(target_os = "linux")]
mod limits;
#[cfg_attr(unix, path = "processes/list_unix.rs")]
#[cfg_attr(windows, path = "processes/list_windows.rs")]
mod list;
#[cfg(unix)]
pub(super) mod signals;
mod tree;

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::Duration;
#[cfg(unix)]
use std::time::Instant;
use tree::Tree;

/// How long to wait before processes are listed again.
const POLL: Duration = Duration::from_millis(20);
/// How long programs may take to end when this process or one of its threads ends.
pub const GRACE_AT_EXIT: Duration = Duration::from_secs(1);
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

/// Programs of a process, as a guard knows them.
#[derive(Debug)]
pub struct Programs {
    /// The process that has started them.
    owner: u32,
    trees: BTreeMap<u32, Tree>,
}

impl Programs {
    /// None yet.
    pub fn of(owner: u32) -> Programs {
        Programs { owner, trees: BTreeMap::new() }
    }

    /// Adds one that is about to be started.
    pub fn add(&mut self, number: u32, program: Program) {
        self.trees.insert(number, Tree::new(program));
    }

    /// Notes its process id. Its owner is still there, and ids are used again: when it was started tells
    /// it from others later.
    pub fn started(&mut self, number: u32, id: u32) {
        if let Some(tree) = self.trees.get_mut(&number) {
            tree.started(id);
            tree.update(&list::running(), self.owner, list::is_marked);
        }
    }

    /// Leaves one alone.
    pub fn forget(&mut self, number: u32) {
        self.trees.remove(&number);
    }

    fn update(&mut self) -> bool {
        let running = list::running();
        let owner = self.owner;
        self.trees.retain(|_, tree| {
            tree.update(&running, owner, list::is_marked);
            !tree.is_empty()
        });
        !self.trees.is_empty()
    }

    fn members(&self) -> impl Iterator<Item = u32> {
        self.trees.values().flat_map(Tree::members)
    }

    /// Ends them with all that they have started, and returns when they are gone.
    pub fn end(mut self, grace: Duration) {
        #[cfg(windows)]
        let _ = grace;
        #[cfg(unix)]
        let begun = Instant::now();
        if self.trees.is_empty() || !self.update() {
            return;
        }
        // Windows has no way to ask.
        #[cfg(unix)]
        {
            self.members().for_each(list::ask);
            while begun.elapsed() < grace {
                sleep(POLL);
                if !self.update() {
                    return;
                }
            }
        }
        for _ in 0..MAX_KILLS {
            self.members().for_each(list::kill);
            sleep(POLL);
            if !self.update() {
                return;
            }
        }
    }
}

/// Ends programs of this process with all that they have started, and returns when they are gone.
pub fn end(programs: Vec<Program>, grace: Duration) {
    let mut own = Programs::of(std::process::id());
    for (number, program) in (0..).zip(programs) {
        own.add(number, program);
    }
    own.end(grace);
}

/// Ends what other processes have started with a mark, and with all that this has started.
pub fn end_left(mark: String, grace: Duration) {
    let trees = BTreeMap::from([(0, Tree::left(mark))]);
    Programs { owner: std::process::id(), trees }.end(grace);
}

/// Marks a program of this process that was just started, where the system has a way to do that.
pub fn mark(id: u32, mark: &str) {
    #[cfg(target_os = "linux")]
    limits::mark(id, mark);
    #[cfg(not(target_os = "linux"))]
    let _ = (id, mark);
}
