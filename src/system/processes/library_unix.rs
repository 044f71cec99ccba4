//! The file of this library.

/// Its path, as the program has loaded it.
#[expect(unsafe_code, reason = "libc has no safe function for that")]
pub fn path() -> Option<String> {
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let address = (path as fn() -> Option<String>) as *const libc::c_void;
    // SAFETY: the address is that of a function of this library. All bits zero are valid information,
    // which is read only if it was found. Its name lives as long as the library.
    unsafe {
        if libc::dladdr(address, found.as_mut_ptr()) == 0 {
            return None;
        }
        let name = found.assume_init().dli_fname;
        if name.is_null() {
            return None;
        }
        std::ffi::CStr::from_ptr(name).to_str().ok().map(str::to_owned)
    }
}
