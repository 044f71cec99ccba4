//! Converts UTF-16 to UTF-8 and back, and measures UTF-16.
//!
//! 1. A step converts some of the next elements at once: `x86_64` on processors with AVX2,
//!    `aarch64` with NEON, which each of these processors has, `portable` on all others.
//! 2. `scalar` converts what such a step refuses, character by character. `steps` repeats steps
//!    until the text ends.
//! 3. A lone surrogate becomes U+FFFD, and so does each malformed UTF-8 sequence, as in the
//!    standard library's lossy conversions.
//!
//! `bench/transcode.mjs` compares all of them with other implementations.

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod measure;
mod portable;
mod scalar;
mod steps;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod tables;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
use aarch64::Neon as Vectors;
pub use measure::Measured;
pub use portable::Portable;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use portable::Portable as Vectors;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
#[cfg(target_arch = "x86_64")]
use x86_64::Avx2 as Vectors;

/// Conversions with the instructions of certain processors.
pub trait Transcoder: Sized {
    /// Returns `None` if this processor does not have these instructions.
    fn detect() -> Option<Self>;
    /// Appends UTF-16 to `out` as UTF-8.
    fn push_utf16(self, units: &[u16], out: &mut Vec<u8>);
    /// Appends UTF-8 to `out` as UTF-16.
    fn push_utf8(self, bytes: &[u8], out: &mut Vec<u16>);
    /// Measures UTF-16 text without converting it.
    fn measure_utf16(self, units: &[u16]) -> Measured;
}

static ONLY_PORTABLE: AtomicBool = AtomicBool::new(false);

/// For tests and benchmarks: whether only the portable conversions are used, in the whole process.
pub fn use_only_portable(only_portable: bool) {
    ONLY_PORTABLE.store(only_portable, Relaxed);
}

fn vectors() -> Option<Vectors> {
    if ONLY_PORTABLE.load(Relaxed) { None } else { Vectors::detect() }
}

/// Appends UTF-16 to `out` as UTF-8.
pub fn push_utf16(units: &[u16], out: &mut Vec<u8>) {
    match vectors() {
        Some(vectors) => vectors.push_utf16(units, out),
        None => Portable.push_utf16(units, out),
    }
}

/// Appends UTF-8 to `out` as UTF-16.
pub fn push_utf8(bytes: &[u8], out: &mut Vec<u16>) {
    match vectors() {
        Some(vectors) => vectors.push_utf8(bytes, out),
        None => Portable.push_utf8(bytes, out),
    }
}

/// Measures UTF-16 text without converting it.
pub fn measure_utf16(units: &[u16]) -> Measured {
    match vectors() {
        Some(vectors) => vectors.measure_utf16(units),
        None => Portable.measure_utf16(units),
    }
}

/// The size of UTF-16 text in UTF-8.
pub fn utf8_bytes(units: &[u16]) -> usize {
    measure_utf16(units).bytes
}

#[cfg(test)]
mod tests;
