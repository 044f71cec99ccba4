//! With an access list of its own, which names the user alone and which all that is put into the
//! directory inherits. Otherwise it would have the rights of the directory above, which need not be
//! the user's own: `%TEMP%` may lead anywhere.

#![expect(unsafe_code, reason = "the standard library makes no directories with access lists")]

use std::ffi::c_void;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::path::Path;
use std::ptr::null_mut;

const TOKEN_QUERY: u32 = 0x8;
/// The kind of information that `TOKEN_USER` is.
const TOKEN_USER: i32 = 1;
const ACL_REVISION: u32 = 2;
const SECURITY_DESCRIPTOR_REVISION: u32 = 1;
/// Files and directories below have the same rights.
const INHERITED_BY_ALL: u32 = 0x1 | 0x2;
const FILE_ALL_ACCESS: u32 = 0x1f_01ff;
/// Nothing is inherited from the directory above.
const SE_DACL_PROTECTED: u16 = 0x1000;

/// Room for `TOKEN_USER` with the longest identifier that there is: 16 and 68 bytes.
type User = [u64; 12];
/// Room for an access list with one entry: 8 bytes, and 12 with an identifier.
type AccessList = [u32; 24];
/// Room for a `SECURITY_DESCRIPTOR`, which takes 40 bytes.
type Descriptor = [u64; 6];

/// `SECURITY_ATTRIBUTES`.
#[repr(C)]
struct Attributes {
    bytes: u32,
    descriptor: *mut Descriptor,
    is_inherited: i32,
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetCurrentProcess() -> RawHandle;
    fn CreateDirectoryW(path: *const u16, attributes: *const Attributes) -> i32;
}

#[link(name = "advapi32")]
unsafe extern "system" {
    fn OpenProcessToken(process: RawHandle, access: u32, token: *mut RawHandle) -> i32;
    fn GetTokenInformation(
        token: RawHandle,
        kind: i32,
        information: *mut User,
        bytes: u32,
        needed: *mut u32,
    ) -> i32;
    fn InitializeAcl(list: *mut AccessList, bytes: u32, revision: u32) -> i32;
    fn AddAccessAllowedAceEx(
        list: *mut AccessList,
        revision: u32,
        flags: u32,
        access: u32,
        identifier: *const c_void,
    ) -> i32;
    fn InitializeSecurityDescriptor(descriptor: *mut Descriptor, revision: u32) -> i32;
    fn SetSecurityDescriptorDacl(
        descriptor: *mut Descriptor,
        is_present: i32,
        list: *mut AccessList,
        is_default: i32,
    ) -> i32;
    fn SetSecurityDescriptorControl(descriptor: *mut Descriptor, which: u16, values: u16) -> i32;
}

pub fn make(path: &Path) -> io::Result<()> {
    let user = user()?;
    // The first field of `TOKEN_USER` is the address of the identifier, which follows in the same room.
    let identifier = user[0] as *const c_void;
    let mut list = AccessList::default();
    let mut descriptor = Descriptor::default();
    // SAFETY: each has room for what is written into it, the identifier is that of `user`, and all of
    // them are there until the directory is made.
    unsafe {
        checked(InitializeAcl(&raw mut list, size_of_u32::<AccessList>(), ACL_REVISION))?;
        checked(AddAccessAllowedAceEx(
            &raw mut list,
            ACL_REVISION,
            INHERITED_BY_ALL,
            FILE_ALL_ACCESS,
            identifier,
        ))?;
        let descriptor = &raw mut descriptor;
        checked(InitializeSecurityDescriptor(descriptor, SECURITY_DESCRIPTOR_REVISION))?;
        checked(SetSecurityDescriptorDacl(descriptor, 1, &raw mut list, 0))?;
        checked(SetSecurityDescriptorControl(descriptor, SE_DACL_PROTECTED, SE_DACL_PROTECTED))?;
    }
    let path: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    let attributes = Attributes {
        bytes: size_of_u32::<Attributes>(),
        descriptor: &raw mut descriptor,
        is_inherited: 0,
    };
    // SAFETY: the path ends with a zero, and the attributes lead to what is made above.
    checked(unsafe { CreateDirectoryW(path.as_ptr(), &raw const attributes) })
}

/// What the system knows this user by. It leads to itself, so it stays where it is.
fn user() -> io::Result<Box<User>> {
    let mut token = null_mut();
    // SAFETY: the handle of this process needs not be closed, and there is room for another one.
    checked(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) })?;
    // SAFETY: the handle is open, and nobody else closes it.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    let mut user = Box::<User>::default();
    let mut needed = 0;
    // SAFETY: the handle is open, and there is room for as many bytes as we say.
    checked(unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            TOKEN_USER,
            &raw mut *user,
            size_of_u32::<User>(),
            &raw mut needed,
        )
    })?;
    Ok(user)
}

fn size_of_u32<T>() -> u32 {
    u32::try_from(size_of::<T>()).unwrap_or_default()
}

fn checked(is_done: i32) -> io::Result<()> {
    if is_done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
