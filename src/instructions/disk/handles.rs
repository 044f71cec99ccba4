//! What Windows says about an open file.

#![expect(unsafe_code, reason = "the standard library does not say what a handle leads to")]

use super::Node;
use std::ffi::{OsString, c_void};
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::{Path, PathBuf};

/// Allows opening directories, too.
pub const BACKUP_SEMANTICS: u32 = 0x0200_0000;

/// The kind of information that `FileIdInfo` is.
const FILE_ID_INFO: i32 = 18;

/// `FILE_ID_INFO` of Windows.
#[repr(C)]
#[derive(Default)]
struct FileIdInfo {
    volume: u64,
    file: [u8; 16],
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetFinalPathNameByHandleW(
        file: *mut c_void,
        path: *mut u16,
        capacity: u32,
        flags: u32,
    ) -> u32;
    fn GetFileInformationByHandleEx(
        file: *mut c_void,
        kind: i32,
        information: *mut c_void,
        bytes: u32,
    ) -> i32;
}

/// Opens a file or a directory only to ask about it, which needs no right to read it.
pub fn open_to_ask(path: &Path) -> io::Result<File> {
    File::options().access_mode(0).custom_flags(BACKUP_SEMANTICS).open(path)
}

/// The numbers of the device and of the file, if the file system has them.
pub fn node_of(file: &File) -> Option<Node> {
    let mut found = FileIdInfo::default();
    let bytes = u32::try_from(size_of::<FileIdInfo>()).ok()?;
    let information = (&raw mut found).cast();
    // SAFETY: the handle is open, and there is room for as many bytes as we say.
    let is_known = unsafe {
        GetFileInformationByHandleEx(file.as_raw_handle().cast(), FILE_ID_INFO, information, bytes)
    };
    let number = u128::from_le_bytes(found.file);
    (is_known != 0 && number != 0).then_some((found.volume, number))
}

/// The path of what was opened, without links, in the form that `fs::canonicalize` returns.
pub fn final_path(file: &File) -> io::Result<PathBuf> {
    let mut name = vec![0u16; 512];
    loop {
        let capacity = u32::try_from(name.len()).unwrap_or(u32::MAX);
        // SAFETY: the handle is open, and the buffer has room for as many units as we say.
        let units = unsafe {
            GetFinalPathNameByHandleW(file.as_raw_handle().cast(), name.as_mut_ptr(), capacity, 0)
        } as usize;
        match units {
            0 => return Err(io::Error::last_os_error()),
            _ if units < name.len() => return Ok(OsString::from_wide(&name[..units]).into()),
            // Including the zero at its end.
            _ => name.resize(units + 1, 0),
        }
    }
}
