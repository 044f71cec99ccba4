//! The conversions without vector instructions. Several elements are converted at once, in the
//! lanes of a word, if they take the same number of bytes.

mod decode;
mod encode;

use super::Transcoder;
use super::measure::{Measured, measure};
use super::steps::{OUTPUT_WINDOW, push};
use std::mem::MaybeUninit;

/// The conversions of every processor.
#[derive(Clone, Copy)]
pub struct Portable;

impl Transcoder for Portable {
    fn detect() -> Option<Self> {
        Some(Self)
    }

    fn push_utf16(self, units: &[u16], out: &mut Vec<u8>) {
        push(units, 3, out, encode::encode);
    }

    fn push_utf8(self, bytes: &[u8], out: &mut Vec<u16>) {
        push(bytes, 1, out, decode::decode);
    }

    fn measure_utf16(self, units: &[u16]) -> Measured {
        measure(units)
    }
}

/// Output of one step.
type UnitWindow<To> = [MaybeUninit<To>; OUTPUT_WINDOW];

/// A word with `lane` in each lane of 16 bits.
const fn each(lane: u16) -> u64 {
    lane as u64 * 0x0001_0001_0001_0001
}

/// Sets the highest bit of the first lane that is zero. Says nothing of the lanes above it.
#[inline(always)]
fn first_zero_lane(lanes: u64) -> u64 {
    lanes.wrapping_sub(each(1)) & !lanes & each(0x8000)
}

/// Converts ASCII at the start of `from`, 16 elements at a time, and returns their number.
#[inline(always)]
fn copy_ascii<From: Copy, To: Copy>(
    from: &[From],
    to: &mut [MaybeUninit<To>],
    is_ascii: impl Fn(&[From; 16]) -> bool,
    convert: impl Fn(From) -> To,
) -> usize {
    let most = from.len().min(to.len());
    let chunks = from[..most].as_chunks().0.iter();
    let count = 16 * chunks.take_while(|chunk| is_ascii(chunk)).count();
    // In a loop of its own, this is vectorized.
    for (from, to) in from[..count].iter().zip(&mut to[..count]) {
        to.write(convert(*from));
    }
    count
}
