//! A process that ends what is unfinished if this one cannot: after SIGKILL or a crash.
//!
//! It is started with the first delivery, and told through a pipe what `unfinished` lists. When this
//! process ends, however that happens, the pipe does: then the guard ends the programs and removes the
//! directories that are still listed, and ends itself. Children of this process do not inherit the pipe.
//!
//! Messages are `P<number> <mark>`, `S<number> <process id>`, `D<number> <path>` and `F<number> `, each
//! with a NUL at its end, which neither a path nor a mark can have.

use super::processes::{self, GRACE_AT_EXIT, Program, Programs};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

/// How often a guard is started: somebody may have ended it, or it may not work here.
const MAX_STARTS: usize = 10;

/// No window, and a group of its own.
#[cfg(windows)]
const FLAGS: u32 = 0x0800_0000 | 0x0000_0200;

/// How to start a guard.
pub struct Start {
    /// A program that can load this library.
    pub program: String,
    /// Have it call [`serve_stdin`].
    pub args: Vec<String>,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// A directory that stays.
    pub cwd: String,
}

static START: OnceLock<Start> = OnceLock::new();

struct Guard {
    running: Option<(ChildStdin, Child)>,
    starts: usize,
}

static GUARD: Mutex<Guard> = Mutex::new(Guard { running: None, starts: 0 });

/// How a guard is started when there is something to guard. The first one counts.
pub fn set_start(start: Start) {
    let _ = START.set(start);
}

/// A message about something with a number.
pub fn message(kind: char, number: u32, text: &str) -> Vec<u8> {
    format!("{kind}{number} {text}\0").into_bytes()
}

/// Tells the guard something.
/// - `all`: everything that is listed, for a guard that has to be started; `None` if none is needed.
pub fn tell(message: &[u8], all: impl FnOnce() -> Option<Vec<u8>>) {
    let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((pipe, child)) = &mut guard.running {
        if pipe.write_all(message).is_ok() {
            return;
        }
        // It has ended.
        let _ = child.try_wait();
        guard.running = None;
    }
    if guard.starts < MAX_STARTS
        && let Some(start) = START.get()
        && let Some(all) = all()
    {
        guard.starts += 1;
        guard.running = run(start);
        if let Some((pipe, _)) = &mut guard.running {
            // If it has ended already, the next message shows it.
            let _ = pipe.write_all(&all);
        }
    }
}

/// Starts a guard, out of reach of what ends the group of this process.
fn run(start: &Start) -> Option<(ChildStdin, Child)> {
    let Start { program, args, env, cwd } = start;
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(env.iter().map(|(name, value)| (name, value)));
    command.current_dir(cwd).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, FLAGS);
    let mut child = command.spawn().ok()?;
    Some((child.stdin.take()?, child))
}

/// What a guard has been told.
struct Kept {
    programs: Programs,
    directories: BTreeMap<u32, String>,
}

impl Kept {
    /// Something that is no message changes nothing.
    fn read(&mut self, message: &str) -> Option<()> {
        let (number, text) = message.get(1..)?.split_once(' ')?;
        let number = number.parse().ok()?;
        match message.get(..1)? {
            "P" => self.programs.add(number, Program { id: None, mark: text.to_owned() }),
            "S" => self.programs.started(number, text.parse().ok()?),
            "D" => {
                self.directories.insert(number, text.to_owned());
            }
            _ => {
                self.programs.forget(number);
                self.directories.remove(&number);
            }
        }
        Some(())
    }
}

/// What a guard does: reads messages until there are no more, and ends and removes what is left.
/// - `owner`: the process that it guards.
pub fn serve(owner: u32, messages: impl BufRead) {
    let mut kept = Kept { programs: Programs::of(owner), directories: BTreeMap::new() };
    for message in messages.split(0).map_while(Result::ok) {
        kept.read(&String::from_utf8_lossy(&message));
    }
    // Programs first: one that still runs could write to its directory.
    kept.programs.end(GRACE_AT_EXIT);
    for path in kept.directories.into_values() {
        let _ = std::fs::remove_dir_all(path);
    }
}

/// The same with what a process passes to its guard.
pub fn serve_stdin(owner: u32) {
    // What ends its process must not end the guard before.
    #[cfg(unix)]
    processes::signals::ignore();
    serve(owner, io::stdin().lock());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(messages: &[Vec<u8>]) {
        serve(std::process::id(), messages.concat().as_slice());
    }

    #[test]
    fn removes_what_is_still_listed() {
        let place = |name: &str| {
            std::env::temp_dir().join(format!("promptmason-guard-{name}-{}", std::process::id()))
        };
        let (left, forgotten) = (place("left"), place("forgotten"));
        let directory = |number, path: &std::path::Path| {
            std::fs::create_dir_all(path).unwrap();
            message('D', number, &path.display().to_string())
        };
        let messages = [
            directory(1, &left),
            directory(2, &forgotten),
            message('F', 2, ""),
            b"D\xff no message\0\0X\0D3".to_vec(),
        ];
        told(&messages);
        assert!(!left.exists() && forgotten.exists());
        std::fs::remove_dir_all(forgotten).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn ends_programs_that_are_still_listed() {
        let start = || Command::new("sleep").arg("60").spawn().unwrap();
        let (mut left, mut forgotten) = (start(), start());
        let program = |number, child: &Child| {
            let mark = message('P', number, &format!("NO_SUCH_MARK={number}"));
            [mark, message('S', number, &child.id().to_string())].concat()
        };
        // Its parent has to ask about it, or it stays listed.
        let waiting = std::thread::spawn({
            let messages = [program(1, &left), program(2, &forgotten), message('F', 2, "")];
            move || told(&messages)
        });
        assert!(!left.wait().unwrap().success());
        waiting.join().unwrap();
        assert!(forgotten.try_wait().unwrap().is_none());
        forgotten.kill().unwrap();
        forgotten.wait().unwrap();
    }
}
