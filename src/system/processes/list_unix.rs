//! The processes that run. Those that have ended and that nobody has asked about are left out.

use super::tree::Process;

/// Asks a process to end.
pub fn ask(id: u32) {
    send(id, libc::SIGTERM);
}

/// Ends a process at once.
pub fn kill(id: u32) {
    send(id, libc::SIGKILL);
}

/// Sends a signal to a process.
#[expect(unsafe_code, reason = "libc has no safe function for signals")]
pub fn send(id: u32, signal: i32) {
    // 0 would mean the group of this process, and 1 is the first process of the system.
    let Some(id) = i32::try_from(id).ok().filter(|id| *id > 1) else { return };
    // SAFETY: `kill` takes two numbers and reads no memory of this process.
    unsafe { libc::kill(id, signal) };
}

/// All processes, as `/proc` has them.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn running() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(|id| parse_stat(id, &std::fs::read(format!("/proc/{id}/stat")).ok()?)).collect()
}

/// Whether a process has a mark: in the environment that it was started with, or in a limit.
pub fn is_marked(id: u32, mark: &str) -> bool {
    #[cfg(target_os = "linux")]
    if super::limits::is_marked(id, mark) {
        return true;
    }
    has_entry(id, mark)
}

/// Whether the environment that a process was started with has this entry. That of other users'
/// processes cannot be read.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn has_entry(id: u32, entry: &str) -> bool {
    let Ok(environment) = std::fs::read(format!("/proc/{id}/environ")) else { return false };
    environment.split(|byte| *byte == 0).any(|each| each == entry.as_bytes())
}

/// A line such as `42 (a name) S 1 42 42 …`. The name may have anything in it.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn parse_stat(id: u32, stat: &[u8]) -> Option<Process> {
    /// Where the time of the start is, after the name.
    const STARTED: usize = 19;

    let end_of_name = stat.iter().rposition(|byte| *byte == b')')?;
    let fields: Vec<&str> =
        std::str::from_utf8(stat.get(end_of_name + 1..)?).ok()?.split_ascii_whitespace().collect();
    let &[state, parent, group, session, ..] = fields.as_slice() else { return None };
    if matches!(state, "Z" | "X") {
        return None;
    }
    Some(Process {
        id,
        parent: parent.parse().ok()?,
        // A process of another name space has none.
        group: group.parse().unwrap_or(0),
        session: session.parse().unwrap_or(0),
        started: (*fields.get(STARTED)?).to_owned(),
    })
}

/// All processes, as `ps` lists them.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn running() -> Vec<Process> {
    let output = std::process::Command::new("ps")
        .args(["-A", "-o", "pid=,ppid=,pgid=,state=,lstart="])
        .env("LC_ALL", "C")
        .output();
    let Ok(output) = output else { return Vec::new() };
    String::from_utf8_lossy(&output.stdout).lines().filter_map(parse_line).collect()
}

/// Environments are not listed.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn has_entry(_id: u32, _entry: &str) -> bool {
    false
}

/// A line such as `42 1 42 S Wed Nov 18 03:57:33 2026`.
#[cfg(any(test, not(any(target_os = "linux", target_os = "android"))))]
fn parse_line(line: &str) -> Option<Process> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let (&[id, parent, group, state], started) = fields.split_first_chunk::<4>()?;
    if state.starts_with('Z') {
        return None;
    }
    Some(Process {
        id: id.parse().ok()?,
        parent: parent.parse().ok()?,
        group: group.parse().ok()?,
        session: 0,
        started: started.join(" "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_this_process() {
        let own = std::process::id();
        let found = running().into_iter().find(|process| process.id == own);
        assert!(found.is_some_and(|process| process.parent > 0 && !process.started.is_empty()));
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[test]
    fn reads_lines_with_any_name() {
        let stat = b"42 (a) S 1 (\xff)) S 7 8 9 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 5555 1 1";
        let expected =
            Process { id: 42, parent: 7, group: 8, session: 9, started: "5555".to_owned() };
        assert_eq!(parse_stat(42, stat), Some(expected));
        assert_eq!(
            parse_stat(42, b"42 (a) Z 7 8 9 0 -1 4 1 0 0 0 0 0 0 0 20 0 1 0 5555 1 1"),
            None
        );
        for cut in 0..stat.len() {
            let _ = parse_stat(42, &stat[..cut]);
        }
    }

    #[test]
    fn reads_lines_of_ps() {
        let expected = Process {
            id: 42,
            parent: 1,
            group: 40,
            session: 0,
            started: "Wed Nov 18 03:57:33 2026".to_owned(),
        };
        assert_eq!(parse_line("   42     1   40 Ss  Wed Nov 18 03:57:33 2026   "), Some(expected));
        assert_eq!(parse_line("42 1 40 Z Wed Nov 18 03:57:33 2026"), None);
        assert_eq!(parse_line("42 1"), None);
        assert_eq!(parse_line(""), None);
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[test]
    fn finds_environment_entries() {
        let path = format!("PATH={}", std::env::var("PATH").unwrap_or_default());
        assert!(has_entry(std::process::id(), &path));
        assert!(!has_entry(std::process::id(), "PATH"));
        assert!(!has_entry(0, "PATH"));
    }
}
