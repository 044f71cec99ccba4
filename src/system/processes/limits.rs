//! A mark that programs on Linux cannot lose by accident.
//!
//! A tool that leaves its session, outlives its parent and clears its environment still has the limits
//! that it was started with. One of them, on the number of file locks, has had no effect since Linux
//! 2.4: its soft value takes a number that is derived from the mark.

#![expect(unsafe_code, reason = "libc has no safe function for limits")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ptr::{null, null_mut};

/// Below every value that means something to the system.
const MAX_BITS: u32 = 62;

fn number_of(mark: &str) -> libc::rlim_t {
    let mut hasher = DefaultHasher::new();
    mark.hash(&mut hasher);
    // Never zero.
    hasher.finish() >> (u64::BITS - MAX_BITS) | 1
}

fn limit_of(id: libc::pid_t) -> Option<libc::rlimit> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: with no new limit, it only writes the present one into ours.
    let result = unsafe { libc::prlimit(id, libc::RLIMIT_LOCKS, null(), &raw mut limit) };
    (result == 0).then_some(limit)
}

/// Marks a program that was just started. What it starts from now on inherits that.
pub fn mark(id: u32, mark: &str) {
    // 0 would mean this process.
    let Some(id) = i32::try_from(id).ok().filter(|id| *id > 1) else { return };
    let Some(limit) = limit_of(id) else { return };
    let marked = libc::rlimit { rlim_cur: number_of(mark), ..limit };
    // SAFETY: with no place for the present limit, it only reads ours. If the system refuses, the
    // environment is marked all the same.
    unsafe { libc::prlimit(id, libc::RLIMIT_LOCKS, &raw const marked, null_mut()) };
}

/// Whether a process, or what has started it, was marked.
pub fn is_marked(id: u32, mark: &str) -> bool {
    let id = i32::try_from(id).ok().filter(|id| *id > 1);
    id.and_then(limit_of).is_some_and(|limit| limit.rlim_cur == number_of(mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn marks_a_process_and_no_other() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let id = child.id();
        assert!(!is_marked(id, "MARK=1"));
        mark(id, "MARK=1");
        assert!(is_marked(id, "MARK=1"));
        assert!(!is_marked(id, "MARK=2"));
        assert!(!is_marked(std::process::id(), "MARK=1"));
        drop(child.stdin.take());
        child.wait().unwrap();
        mark(0, "MARK=1");
        assert!(!is_marked(0, "MARK=1"));
    }
}
