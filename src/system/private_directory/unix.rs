//! With the mode 0700.

use std::fs::{DirBuilder, Permissions, set_permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

const OWNER_ONLY: u32 = 0o700;

pub fn make(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(OWNER_ONLY).create(path)?;
    // Not all that a mask might leave of it.
    set_permissions(path, Permissions::from_mode(OWNER_ONLY))
}
