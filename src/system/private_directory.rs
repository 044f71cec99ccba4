//! Makes directories that only the user can look into, or put something into.

#[cfg_attr(unix, path = "private_directory/unix.rs")]
#[cfg_attr(windows, path = "private_directory/windows.rs")]
mod platform;

use std::io;
use std::path::Path;

/// Makes a directory for the user alone.
pub fn make(path: &Path) -> io::Result<()> {
    platform::make(path)
}
