//! Kills processes.

/// Kills a program and all that it has started, if it leads a process group and there still is one.
#[cfg(unix)]
#[expect(unsafe_code, reason = "libc has no safe function for signals")]
pub fn kill_group(leader: u32) {
    // 0 and 1 would mean this process's own group, and everybody.
    let Some(leader) = i32::try_from(leader).ok().filter(|leader| *leader > 1) else { return };
    // SAFETY: `kill` takes two numbers and reads no memory of this process.
    unsafe { libc::kill(-leader, libc::SIGKILL) };
}

/// Windows has no process groups, and the standard library ends only what it has started itself:
/// programs go on there, unless `js/delivery/run-process.js` ends them.
#[cfg(not(unix))]
pub fn kill_group(_leader: u32) {}
