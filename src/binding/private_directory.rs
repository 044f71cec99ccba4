//! Makes directories that only the user can look into, or put something into.

#[cfg_attr(unix, path = "private_directory/unix.rs")]
#[cfg_attr(windows, path = "private_directory/windows.rs")]
mod system;

use napi_derive::napi;
use std::path::Path;

/// Makes a directory for the user alone. Returns whether it did: Node says best why it cannot be made.
#[napi(catch_unwind)]
pub fn make_private_directory(path: String) -> bool {
    system::make(Path::new(&path)).is_ok()
}
