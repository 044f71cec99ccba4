//! The processes that run, on Windows.

#![expect(unsafe_code, reason = "the standard library knows only processes that it has started")]

use super::tree::Process;
use std::collections::HashMap;
use std::ffi::c_void;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::ptr::null_mut;

const TH32CS_SNAPPROCESS: u32 = 0x2;
const INVALID_HANDLE: RawHandle = usize::MAX as RawHandle;
const MAX_PATH: usize = 260;

const PROCESS_TERMINATE: u32 = 0x1;
const PROCESS_VM_READ: u32 = 0x10;
const PROCESS_QUERY_INFORMATION: u32 = 0x400;
const PROCESS_QUERY_LIMITED_INFORMATION: u32 = 0x1000;
const SYNCHRONIZE: u32 = 0x10_0000;
const WAIT_TIMEOUT: u32 = 0x102;

/// The exit code of what was ended, the same as that of `taskkill`.
const ENDED: u32 = 1;

const PROCESS_BASIC_INFORMATION: i32 = 0;
/// Where a 64-bit process block has the address of the parameters.
const PARAMETERS_AT: usize = 0x20;
/// Where the parameters have the address of the environment, and its size in bytes.
const ENVIRONMENT_AT: usize = 0x80;
const ENVIRONMENT_SIZE_AT: usize = 0x3f0;
/// How much of an environment is read.
const MAX_ENVIRONMENT_BYTES: usize = 4 * 1024 * 1024;

/// `PROCESSENTRY32W`.
#[repr(C)]
struct Entry {
    size: u32,
    usage: u32,
    id: u32,
    heap: usize,
    module: u32,
    threads: u32,
    parent: u32,
    priority: i32,
    flags: u32,
    name: [u16; MAX_PATH],
}

/// `PROCESS_BASIC_INFORMATION`.
#[repr(C)]
#[derive(Default)]
struct BasicInformation {
    exit_status: usize,
    block: usize,
    rest: [usize; 4],
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn CreateToolhelp32Snapshot(flags: u32, process: u32) -> RawHandle;
    fn Process32FirstW(snapshot: RawHandle, entry: *mut Entry) -> i32;
    fn Process32NextW(snapshot: RawHandle, entry: *mut Entry) -> i32;
    fn OpenProcess(access: u32, inherit: i32, process: u32) -> RawHandle;
    fn GetProcessTimes(
        process: RawHandle,
        started: *mut u64,
        ended: *mut u64,
        kernel: *mut u64,
        user: *mut u64,
    ) -> i32;
    fn WaitForSingleObject(handle: RawHandle, milliseconds: u32) -> u32;
    fn TerminateProcess(process: RawHandle, exit_code: u32) -> i32;
    fn ReadProcessMemory(
        process: RawHandle,
        address: usize,
        buffer: *mut c_void,
        bytes: usize,
        read: *mut usize,
    ) -> i32;
}

#[link(name = "ntdll")]
unsafe extern "system" {
    fn NtQueryInformationProcess(
        process: RawHandle,
        kind: i32,
        information: *mut c_void,
        bytes: u32,
        written: *mut u32,
    ) -> i32;
}

/// All processes of which this user may know when they were started.
pub fn running() -> Vec<Process> {
    let listed: Vec<(u32, u32, u64)> =
        listed().into_iter().filter_map(|(id, parent)| Some((id, parent, start_of(id)?))).collect();
    let starts: HashMap<u32, u64> = listed.iter().map(|(id, _, started)| (*id, *started)).collect();
    let process = |(id, parent, started): (u32, u32, u64)| {
        // The id of a parent that has ended may be that of another process by now, a younger one.
        let is_parent = starts.get(&parent).is_some_and(|of_parent| *of_parent <= started);
        let parent = if is_parent { parent } else { 0 };
        Process { id, parent, group: 0, session: 0, started: started.to_string() }
    };
    listed.into_iter().map(process).collect()
}

/// The ids of all processes and of their parents.
fn listed() -> Vec<(u32, u32)> {
    let mut entry = Entry {
        size: 0,
        usage: 0,
        id: 0,
        heap: 0,
        module: 0,
        threads: 0,
        parent: 0,
        priority: 0,
        flags: 0,
        name: [0; MAX_PATH],
    };
    entry.size = u32::try_from(size_of::<Entry>()).unwrap_or_default();
    // SAFETY: it takes two numbers.
    let snapshot = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) };
    if snapshot == INVALID_HANDLE {
        return Vec::new();
    }
    // SAFETY: the handle is open, and nobody else closes it.
    let snapshot = unsafe { OwnedHandle::from_raw_handle(snapshot) };
    let mut listed = Vec::new();
    // SAFETY: the handle is open, and the entry says how large it is.
    let mut is_entry = unsafe { Process32FirstW(snapshot.as_raw_handle(), &raw mut entry) };
    while is_entry != 0 {
        listed.push((entry.id, entry.parent));
        // SAFETY: as above.
        is_entry = unsafe { Process32NextW(snapshot.as_raw_handle(), &raw mut entry) };
    }
    listed
}

fn open(id: u32, access: u32) -> Option<OwnedHandle> {
    // SAFETY: it takes three numbers.
    let process = unsafe { OpenProcess(access, 0, id) };
    // SAFETY: the handle is open, and nobody else closes it.
    (!process.is_null()).then(|| unsafe { OwnedHandle::from_raw_handle(process) })
}

/// When a process was started. None if it has ended: others may still know it.
fn start_of(id: u32) -> Option<u64> {
    let process = open(id, PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE)?;
    // SAFETY: the handle is open.
    if unsafe { WaitForSingleObject(process.as_raw_handle(), 0) } != WAIT_TIMEOUT {
        return None;
    }
    let [mut started, mut ended, mut kernel, mut user] = [0u64; 4];
    // SAFETY: the handle is open, and each time takes eight bytes.
    let is_known = unsafe {
        GetProcessTimes(
            process.as_raw_handle(),
            &raw mut started,
            &raw mut ended,
            &raw mut kernel,
            &raw mut user,
        )
    };
    (is_known != 0).then_some(started)
}

/// Ends a process at once. Windows has no way to ask one that has no window.
pub fn kill(id: u32) {
    if let Some(process) = open(id, PROCESS_TERMINATE) {
        // SAFETY: the handle is open.
        unsafe { TerminateProcess(process.as_raw_handle(), ENDED) };
    }
}

/// Whether the environment of a process has this entry. That of other users' processes cannot be read.
pub fn is_marked(id: u32, entry: &str) -> bool {
    let Some(environment) = environment_of(id) else { return false };
    environment.split(|unit| *unit == 0).any(|each| each.iter().copied().eq(entry.encode_utf16()))
}

/// The entries of an environment, with a zero after each.
fn environment_of(id: u32) -> Option<Vec<u16>> {
    let process = open(id, PROCESS_QUERY_INFORMATION | PROCESS_VM_READ)?;
    let mut found = BasicInformation::default();
    let bytes = u32::try_from(size_of::<BasicInformation>()).ok()?;
    // SAFETY: the handle is open, and there is room for as many bytes as we say.
    let status = unsafe {
        NtQueryInformationProcess(
            process.as_raw_handle(),
            PROCESS_BASIC_INFORMATION,
            (&raw mut found).cast(),
            bytes,
            null_mut(),
        )
    };
    if status < 0 || found.block == 0 {
        return None;
    }
    let word_at = |address: usize| {
        let word = read(&process, address, size_of::<usize>())?;
        Some(usize::from_le_bytes(word.try_into().ok()?))
    };
    let parameters = word_at(found.block.checked_add(PARAMETERS_AT)?)?;
    let environment = word_at(parameters.checked_add(ENVIRONMENT_AT)?)?;
    let bytes = word_at(parameters.checked_add(ENVIRONMENT_SIZE_AT)?)?.min(MAX_ENVIRONMENT_BYTES);
    let bytes = read(&process, environment, bytes)?;
    Some(bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect())
}

/// Memory of another process. None if it is not all there: the process may end or change it meanwhile.
fn read(process: &OwnedHandle, address: usize, bytes: usize) -> Option<Vec<u8>> {
    let mut buffer = vec![0u8; bytes];
    let mut done = 0;
    // SAFETY: the handle is open, and the buffer has room for as many bytes as we say. What the
    // address leads to is the other process's own memory, or an error.
    let is_read = unsafe {
        ReadProcessMemory(
            process.as_raw_handle(),
            address,
            buffer.as_mut_ptr().cast(),
            bytes,
            &raw mut done,
        )
    };
    (is_read != 0 && done == bytes).then_some(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_this_process() {
        let own = std::process::id();
        let found = running().into_iter().find(|process| process.id == own);
        assert!(found.is_some_and(|process| !process.started.is_empty()));
    }

    #[test]
    fn finds_environment_entries() {
        let own = std::process::id();
        let (name, value) =
            std::env::vars().find(|(name, _)| name.eq_ignore_ascii_case("path")).unwrap();
        assert!(is_marked(own, &format!("{name}={value}")));
        assert!(!is_marked(own, &name));
        assert!(!is_marked(0, &name));
    }
}
