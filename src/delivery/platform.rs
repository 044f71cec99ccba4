//! How much an argument and a command line may have. Whatever the limit, room is left for what
//! is not known when a plan is made: the environment, or where a program is installed.

use super::measure::Unit;
use crate::error::Error;

/// An operating system, by how it starts programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Platform {
    /// The most bytes of one argument, without the NUL at its end.
    max_argument_bytes: Option<usize>,
    /// What is counted of a command line.
    unit: Unit,
    /// The most that a command line may have.
    max_command_line: usize,
    /// The most that goes through a `.cmd` file, and what it changes.
    shim: Option<Shim>,
}

/// The `.cmd` files that npm installs on Windows, which a shell runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shim {
    max_command_line: usize,
    changed: &'static [char],
}

/// For the environment, which counts with the arguments.
const ENVIRONMENT_BYTES: usize = 128 * 1024;

/// For the paths of Node and of a script, which take the place of the command.
const RESOLVED_UNITS: usize = 1024;

const LINUX: Platform = Platform {
    max_argument_bytes: Some(131_071),
    unit: Unit::Bytes,
    max_command_line: 2 * 1024 * 1024 - ENVIRONMENT_BYTES,
    shim: None,
};

const DARWIN: Platform = Platform {
    max_argument_bytes: None,
    unit: Unit::Bytes,
    max_command_line: 1024 * 1024 - ENVIRONMENT_BYTES,
    shim: None,
};

const WINDOWS: Platform = Platform {
    max_argument_bytes: None,
    unit: Unit::Utf16,
    // With the NUL at its end.
    max_command_line: 32_767 - 1,
    shim: Some(Shim {
        max_command_line: 8_191,
        changed: &['"', '%', '!', '^', '&', '|', '<', '>', '\n', '\r'],
    }),
};

impl Platform {
    /// The platform that Node calls so. One that is not known has the limits of macOS, the
    /// lowest of those that are like it.
    pub fn of(name: &str) -> Platform {
        match name {
            "linux" | "android" => LINUX,
            "win32" => WINDOWS,
            _ => DARWIN,
        }
    }

    /// Whether a program may be behind a `.cmd` file, which changes some arguments and takes
    /// fewer.
    pub fn has_shims(&self) -> bool {
        self.shim.is_some()
    }

    /// Whether a program can be started so.
    pub fn allows(&self, command: &str, args: &[String]) -> bool {
        self.check(command, args).is_ok()
    }

    /// Whether a program can be started so, also from behind a `.cmd` file.
    pub fn allows_through_shim(&self, command: &str, args: &[String]) -> bool {
        let Some(shim) = self.shim else { return self.allows(command, args) };
        self.command_line(command, args) <= shim.max_command_line - RESOLVED_UNITS
            && !args.iter().any(|argument| argument.contains(shim.changed))
    }

    /// An error if a program cannot be started with these arguments.
    pub fn check(&self, command: &str, args: &[String]) -> Result<(), Error> {
        let too_large = |what: String, size, limit, unit| Error::Undeliverable {
            cli: command.to_owned(),
            problem: what,
            size: Some((size, limit, unit)),
        };
        if let Some(limit) = self.max_argument_bytes {
            for (index, argument) in args.iter().enumerate() {
                if argument.len() > limit {
                    let what = format!(
                        "argument {index} is too long for this platform; a long system text \
                         belongs into a file or, assembled with systemPlacement 'inline', into the \
                         prompt"
                    );
                    return Err(too_large(what, argument.len(), limit, Unit::Bytes));
                }
            }
        }
        let size = self.command_line(command, args);
        let reserved = if self.has_shims() { RESOLVED_UNITS } else { 0 };
        let limit = self.max_command_line - reserved;
        if size > limit {
            let what = "the command line is too long for this platform".to_owned();
            return Err(too_large(what, size, limit, self.unit));
        }
        Ok(())
    }

    fn command_line(&self, command: &str, args: &[String]) -> usize {
        let words = args.iter().map(String::as_str).chain([command]);
        match self.unit {
            Unit::Utf16 => words.map(|word| windows_units(word) + 1).sum(),
            // A NUL and a pointer each.
            _ => words.map(|word| word.len() + 1 + size_of::<u64>()).sum(),
        }
    }
}

/// What an argument takes on a command line of Windows: in quotes if it is empty or has spaces
/// or quotes, with backslashes before each quote, and those doubled that stand before one.
fn windows_units(argument: &str) -> usize {
    let units = argument.encode_utf16().count();
    if !argument.is_empty() && !argument.contains([' ', '\t', '\n', '\u{B}', '"']) {
        return units;
    }
    let (mut added, mut backslashes) = (2, 0);
    for c in argument.chars() {
        match c {
            '\\' => backslashes += 1,
            '"' => {
                added += backslashes + 1;
                backslashes = 0;
            }
            _ => backslashes = 0,
        }
    }
    units + added + backslashes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excess(platform: &str, args: &[&str]) -> Option<(usize, usize, Unit)> {
        let args: Vec<String> = args.iter().map(|argument| (*argument).to_owned()).collect();
        match Platform::of(platform).check("c", &args) {
            Ok(()) => None,
            Err(Error::Undeliverable { size, .. }) => size,
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn an_argument_on_linux_has_131_071_bytes() {
        assert_eq!(excess("linux", &[&"a".repeat(131_071)]), None);
        let found = excess("linux", &[&"a".repeat(131_072)]);
        assert_eq!(found, Some((131_072, 131_071, Unit::Bytes)));
        // 43,690 × 3 bytes and one more.
        assert_eq!(excess("linux", &[&format!("{}a", "漢".repeat(43_690))]), None);
        assert!(excess("linux", &[&"漢".repeat(43_691)]).is_some());
    }

    #[test]
    fn arguments_together_leave_room_for_the_environment() {
        let long = "a".repeat(131_071);
        let args: Vec<&str> = vec![&long; 14];
        assert_eq!(excess("linux", &args), None);
        let args: Vec<&str> = vec![&long; 15];
        assert_eq!(excess("linux", &args).map(|(_, limit, _)| limit), Some(1_966_080));
        assert_eq!(excess("darwin", &["a".repeat(917_504 - 20).as_str()]), None);
        assert!(excess("darwin", &[&"a".repeat(917_504)]).is_some());
        assert!(excess("freebsd", &[&"a".repeat(917_504)]).is_some());
    }

    #[test]
    fn a_command_line_on_windows_is_counted_in_utf_16_with_its_quotes() {
        // The command, two spaces, and the room for paths.
        let most = 32_766 - 1024 - 3;
        assert_eq!(excess("win32", &[&"a".repeat(most)]), None);
        let found = excess("win32", &[&"a".repeat(most + 1)]);
        assert_eq!(found, Some((31_743, 31_742, Unit::Utf16)));
        assert_eq!(excess("win32", &[&"漢".repeat(most)]), None);
        assert!(excess("win32", &[&"😀".repeat(most / 2 + 1)]).is_some());
        assert_eq!(excess("win32", &[&format!("{} b", "a".repeat(most - 4))]), None);
        assert!(excess("win32", &[&format!("{} b", "a".repeat(most - 3))]).is_some());
    }

    #[test]
    fn shims_take_8_191_units_of_plain_text() {
        let allows =
            |text: &str| Platform::of("win32").allows_through_shim("c", &[text.to_owned()]);
        assert!(allows(&"a".repeat(8_191 - 1024 - 3)));
        assert!(!allows(&"a".repeat(8_191 - 1024 - 2)));
        for changed in ["\"", "50%", "a\nb", "a\r", "a&b", "!", "^", "<", ">", "|"] {
            assert!(!allows(changed), "{changed}");
        }
        assert!(Platform::of("linux").allows_through_shim("c", &["\"a\"\n".to_owned()]));
    }

    #[test]
    fn quotes_and_backslashes_are_escaped_as_windows_reads_them() {
        for (argument, written) in [
            ("a", "a"),
            ("", "\"\""),
            ("a b", "\"a b\""),
            ("a\"b", "\"a\\\"b\""),
            ("a\\b", "a\\b"),
            ("a b\\", "\"a b\\\\\""),
            ("a\\\\\"b", "\"a\\\\\\\\\\\"b\""),
            ("a\\ b", "\"a\\ b\""),
        ] {
            assert_eq!(windows_units(argument), written.len(), "{argument:?}");
        }
    }
}
