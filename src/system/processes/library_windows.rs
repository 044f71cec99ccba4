//! The file of this library.

#![expect(unsafe_code, reason = "the standard library knows only the file of the program")]

use std::ffi::c_void;
use std::ptr::null_mut;

/// By an address in it; without counting as another use.
const FROM_ADDRESS: u32 = 0x4 | 0x2;
/// More than a path has.
const MAX_UNITS: usize = 32_768;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetModuleHandleExW(flags: u32, name: *const c_void, module: *mut *mut c_void) -> i32;
    fn GetModuleFileNameW(module: *mut c_void, name: *mut u16, units: u32) -> u32;
}

/// Its path, as the program has loaded it.
pub fn path() -> Option<String> {
    let address = (path as fn() -> Option<String>) as *const c_void;
    let mut module = null_mut();
    // SAFETY: the address is that of a function of this library, and the handle has room.
    if unsafe { GetModuleHandleExW(FROM_ADDRESS, address, &raw mut module) } == 0 {
        return None;
    }
    let mut name = vec![0_u16; MAX_UNITS];
    let room = u32::try_from(name.len()).unwrap_or_default();
    // SAFETY: the module is loaded, and the name has room for as many units as we say.
    let units = unsafe { GetModuleFileNameW(module, name.as_mut_ptr(), room) };
    String::from_utf16(name.get(..units as usize).filter(|name| !name.is_empty())?).ok()
}
