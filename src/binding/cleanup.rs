//! Ends what deliveries have started when the environment ends.
//!
//! When a worker is terminated, no JavaScript of it runs any more: nobody would end the programs
//! that its deliveries have started, or remove the directories with their files. So
//! `js/delivery/unfinished.js` lists them here while they are needed. Node calls a hook when it has
//! stopped the environment's JavaScript, on the environment's thread.
//!
//! When the main thread calls `process.exit`, Node calls no hooks, but it does call listeners of
//! `exit`: `js/delivery/run-process.js` has one.

use super::processes::kill_group;
use napi::Env;
use napi_derive::napi;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::remove_dir_all;

/// What an unfinished delivery would leave behind.
enum Unfinished {
    /// A program that leads a process group.
    Group(u32),
    /// A directory of its own.
    Directory(String),
}

impl Unfinished {
    /// Whatever goes wrong, there is nobody left to tell.
    fn end(self) {
        match self {
            Unfinished::Group(leader) => kill_group(leader),
            Unfinished::Directory(path) => drop(remove_dir_all(path)),
        }
    }
}

/// What is unfinished in one environment, by number.
#[derive(Default)]
struct List {
    entries: BTreeMap<u32, Unfinished>,
    last: u32,
    is_hooked: bool,
}

thread_local! {
    /// An environment stays on its thread.
    static LIST: RefCell<List> = RefCell::default();
}

/// Lists something, and returns its number.
fn list(env: Env, unfinished: Unfinished) -> napi::Result<u32> {
    let is_hooked = LIST.with_borrow_mut(|list| std::mem::replace(&mut list.is_hooked, true));
    if !is_hooked {
        env.add_env_cleanup_hook((), |()| end_all())?;
    }
    Ok(LIST.with_borrow_mut(|list| {
        list.last = list.last.wrapping_add(1);
        list.entries.insert(list.last, unfinished);
        list.last
    }))
}

/// Programs first: one that still runs could write to its directory. Another environment may use
/// the thread after this one.
fn end_all() {
    let List { entries, .. } = LIST.take();
    let is_group = |unfinished: &Unfinished| matches!(unfinished, Unfinished::Group(_));
    let (groups, directories): (Vec<_>, Vec<_>) = entries.into_values().partition(is_group);
    groups.into_iter().chain(directories).for_each(Unfinished::end);
}

/// Lists the leader of a process group. Returns a number for `forgetUnfinished`.
#[napi(catch_unwind)]
pub fn watch_process_group(env: Env, leader: u32) -> napi::Result<u32> {
    list(env, Unfinished::Group(leader))
}

/// Lists a directory. Returns a number for `forgetUnfinished`.
#[napi(catch_unwind)]
pub fn watch_directory(env: Env, path: String) -> napi::Result<u32> {
    list(env, Unfinished::Directory(path))
}

/// Forgets what has ended or was removed.
#[napi(catch_unwind)]
pub fn forget_unfinished(number: u32) {
    LIST.with_borrow_mut(|list| list.entries.remove(&number));
}
