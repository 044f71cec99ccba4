//! The conversions on 64-bit ARM processors with NEON, which all our targets have.
//!
//! - `neon`: conversion of one step; the only file here that loads and stores;
//! - `lanes`: computations on vectors, without memory access.

#![expect(unsafe_code, reason = "calls functions that need certain processor features")]

mod lanes;
mod neon;

use super::measure::{Measured, measure};
use super::steps::{convert_in_steps, push};
use super::{Transcoder, scalar};

/// Exists only where everything is compiled for processors with NEON.
#[derive(Clone, Copy)]
pub struct Neon(());

impl Transcoder for Neon {
    fn detect() -> Option<Self> {
        cfg!(target_feature = "neon").then_some(Self(()))
    }

    fn push_utf16(self, units: &[u16], out: &mut Vec<u8>) {
        #[target_feature(enable = "neon")]
        fn push_with_neon(units: &[u16], out: &mut Vec<u8>) {
            push(units, 3, out, |units, out| {
                let vector = |units: &_, window: &mut _| neon::encode(units, window);
                convert_in_steps(units, out, vector, scalar::encode)
            });
        }
        // SAFETY: `detect` has checked the feature.
        unsafe { push_with_neon(units, out) }
    }

    fn push_utf8(self, bytes: &[u8], out: &mut Vec<u16>) {
        #[target_feature(enable = "neon")]
        fn push_with_neon(bytes: &[u8], out: &mut Vec<u16>) {
            push(bytes, 1, out, |bytes, out| {
                let vector = |bytes: &_, window: &mut _| neon::decode(bytes, window);
                convert_in_steps(bytes, out, vector, scalar::decode)
            });
        }
        // SAFETY: `detect` has checked the feature.
        unsafe { push_with_neon(bytes, out) }
    }

    fn measure_utf16(self, units: &[u16]) -> Measured {
        // Without any other features, the compiler uses NEON.
        measure(units)
    }
}
