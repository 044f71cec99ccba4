//! What deliveries would leave behind if they were interrupted, and which sessions they use.
//!
//! Everything is listed before it is started or made, because JavaScript of a worker that is
//! terminated can stop between any two steps. What belongs to a thread is ended with it; all of it is
//! ended when the process is. While a thread other than the main thread has something unfinished,
//! `processes/signals.rs` handles the signals that nobody listens to.

use super::guard;
use super::processes::{self, GRACE_AT_EXIT, Program};
use std::collections::BTreeMap;
use std::fs::remove_dir_all;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{ThreadId, current};

/// What an unfinished delivery would leave behind.
pub enum Unfinished {
    /// A program that runs, or that is about to be started.
    Program(Program),
    /// A directory of its own.
    Directory(String),
    /// A session of a CLI that is in use: nothing is left behind but this entry.
    Session(String),
}

/// Something unfinished, and the thread that it belongs to.
struct Entry {
    owner: ThreadId,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no signals"))]
    is_of_worker: bool,
    unfinished: Unfinished,
}

/// What is unfinished in this process, by number. A signal ends all of it.
static ENTRIES: Mutex<BTreeMap<u32, Entry>> = Mutex::new(BTreeMap::new());

static LAST: AtomicU32 = AtomicU32::new(0);

/// A panic in another thread leaves the list as it is.
fn entries() -> MutexGuard<'static, BTreeMap<u32, Entry>> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds something of this thread, and returns its number.
fn add(entries: &mut BTreeMap<u32, Entry>, is_of_worker: bool, unfinished: Unfinished) -> u32 {
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    entries.insert(number, Entry { owner: current().id(), is_of_worker, unfinished });
    number
}

/// Lists something of this thread, and returns its number.
pub fn list(unfinished: Unfinished, is_of_worker: bool) -> u32 {
    let mut entries = entries();
    let number = add(&mut entries, is_of_worker, unfinished);
    #[cfg(unix)]
    if is_of_worker {
        processes::signals::guard(end_all);
    }
    tell_guard(&entries, number);
    number
}

/// What a guard has to know.
fn messages_of(number: u32, unfinished: &Unfinished) -> Vec<u8> {
    match unfinished {
        Unfinished::Program(Program { id, mark }) => {
            let mut messages = guard::message('P', number, mark);
            if let Some(id) = id {
                messages.extend(guard::message('S', number, &id.to_string()));
            }
            messages
        }
        Unfinished::Directory(path) => guard::message('D', number, path),
        Unfinished::Session(_) => Vec::new(),
    }
}

/// Tells the guard of something that is listed. Others must not change the list meanwhile.
fn tell_guard(entries: &BTreeMap<u32, Entry>, number: u32) {
    if let Some(entry) = entries.get(&number) {
        guard::tell(&messages_of(number, &entry.unfinished), || Some(all_messages(entries)));
    }
}

fn all_messages(entries: &BTreeMap<u32, Entry>) -> Vec<u8> {
    entries.iter().flat_map(|(number, entry)| messages_of(*number, &entry.unfinished)).collect()
}

/// The guard no longer has to end or remove these.
fn forget_guarded(numbers: impl IntoIterator<Item = u32>) {
    for number in numbers {
        guard::tell(&guard::message('F', number, ""), || None);
    }
}

/// Lists a session that is about to be used. `None` if a thread of this process uses it.
pub fn use_session(key: String) -> Option<u32> {
    let mut entries = entries();
    let is_it =
        |entry: &Entry| matches!(&entry.unfinished, Unfinished::Session(used) if *used == key);
    if entries.values().any(is_it) {
        return None;
    }
    // Signals need not be handled for its sake.
    Some(add(&mut entries, false, Unfinished::Session(key)))
}

/// Notes the process id of a program that was started.
pub fn note_program(number: u32, process_id: u32) {
    let mut entries = entries();
    if let Some(Entry { unfinished: Unfinished::Program(program), .. }) = entries.get_mut(&number) {
        program.id = Some(process_id);
        tell_guard(&entries, number);
    }
}

/// The program with this number, if it is listed.
pub fn program(number: u32) -> Option<Program> {
    match entries().get(&number) {
        Some(Entry { unfinished: Unfinished::Program(program), .. }) => Some(program.clone()),
        _ => None,
    }
}

/// Forgets what has ended or was removed.
pub fn forget(number: u32) {
    let mut entries = entries();
    if let Some(Entry { unfinished: Unfinished::Program(_) | Unfinished::Directory(_), .. }) =
        entries.remove(&number)
    {
        forget_guarded([number]);
    }
    unguard(&entries);
}

/// Ends and removes all that is listed, and returns when that is done. This process is about to end:
/// other threads may be starting what is already taken off the list, so the guard looks once more.
pub fn end_all() {
    end(&|_| true);
}

/// The same of what belongs to this thread.
pub fn end_own() {
    let owner = current().id();
    forget_guarded(end(&|entry| entry.owner == owner));
}

/// Leaves signals alone if no worker has anything unfinished.
fn unguard(entries: &BTreeMap<u32, Entry>) {
    #[cfg(unix)]
    if !entries.values().any(|entry| entry.is_of_worker) {
        processes::signals::unguard();
    }
    #[cfg(not(unix))]
    let _ = entries;
}

/// Takes what is meant off the list.
fn take(is_meant: &dyn Fn(&Entry) -> bool) -> BTreeMap<u32, Entry> {
    let mut entries = entries();
    let taken = entries.extract_if(.., |_, entry| is_meant(entry)).collect();
    unguard(&entries);
    taken
}

/// Programs first: one that still runs could write to its directory. Sessions last: they are in use
/// as long as their programs run. Whatever goes wrong, there is nobody left to tell.
/// Returns the numbers of what has ended.
fn end(is_meant: &dyn Fn(&Entry) -> bool) -> Vec<u32> {
    let is_session = |entry: &Entry| matches!(entry.unfinished, Unfinished::Session(_));
    let mut programs = Vec::new();
    let mut directories = Vec::new();
    let taken = take(&|entry| is_meant(entry) && !is_session(entry));
    let numbers: Vec<u32> = taken.keys().copied().collect();
    for entry in taken.into_values() {
        match entry.unfinished {
            Unfinished::Program(program) => programs.push(program),
            Unfinished::Directory(path) => directories.push(path),
            Unfinished::Session(_) => {}
        }
    }
    if !programs.is_empty() {
        processes::end(programs, GRACE_AT_EXIT);
    }
    for path in directories {
        let _ = remove_dir_all(path);
    }
    take(&|entry| is_meant(entry) && is_session(entry));
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_used_once_until_it_is_forgotten() {
        let number = use_session("unfinished-tests".to_owned()).unwrap();
        let elsewhere = std::thread::spawn(|| use_session("unfinished-tests".to_owned()));
        assert_eq!(elsewhere.join().unwrap(), None);
        forget(number);
        let number = use_session("unfinished-tests".to_owned()).unwrap();
        forget(number);
    }

    #[test]
    fn what_a_thread_has_listed_is_removed_with_it() {
        let place = |name: &str| {
            let name = format!("promptmason-unfinished-{name}-{}", std::process::id());
            std::env::temp_dir().join(name)
        };
        let (own, other) = (place("own"), place("other"));
        for path in [&own, &other] {
            std::fs::create_dir_all(path).unwrap();
        }
        let directory = |path: &std::path::Path| Unfinished::Directory(path.display().to_string());
        let kept = list(directory(&other), false);
        let listed = directory(&own);
        std::thread::spawn(move || {
            list(listed, false);
            end_own();
        })
        .join()
        .unwrap();
        assert!(!own.exists() && other.exists());
        forget(kept);
        std::fs::remove_dir_all(other).unwrap();
    }
}
