//! The conversions on x86-64 processors with AVX2.
//!
//! - `avx2`: conversion of one vector; the only file here that loads and stores;
//! - `lanes`: computations on vectors, without memory access.

#![expect(unsafe_code, reason = "calls functions that need certain processor features")]

mod avx2;
mod lanes;

use super::measure::{Measured, measure};
use super::steps::{convert_in_steps, push};
use super::{Transcoder, scalar};

/// Exists only on processors that have the features that the functions here are compiled for.
#[derive(Clone, Copy)]
pub struct Avx2(());

impl Transcoder for Avx2 {
    fn detect() -> Option<Self> {
        use std::arch::is_x86_feature_detected as has;
        let is_supported = has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt");
        is_supported.then_some(Self(()))
    }

    fn push_utf16(self, units: &[u16], out: &mut Vec<u8>) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn push_with_avx2(units: &[u16], out: &mut Vec<u8>) {
            push(units, 3, out, |units, out| {
                let vector = |units: &_, window: &mut _| avx2::encode(units, window);
                convert_in_steps(units, out, vector, scalar::encode)
            });
        }
        // SAFETY: `detect` has checked these features.
        unsafe { push_with_avx2(units, out) }
    }

    fn push_utf8(self, bytes: &[u8], out: &mut Vec<u16>) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn push_with_avx2(bytes: &[u8], out: &mut Vec<u16>) {
            push(bytes, 1, out, |bytes, out| {
                let vector = |bytes: &_, window: &mut _| avx2::decode(bytes, window);
                convert_in_steps(bytes, out, vector, scalar::decode)
            });
        }
        // SAFETY: `detect` has checked these features.
        unsafe { push_with_avx2(bytes, out) }
    }

    fn measure_utf16(self, units: &[u16]) -> Measured {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn measure_with_avx2(units: &[u16]) -> Measured {
            measure(units)
        }
        // SAFETY: `detect` has checked these features.
        unsafe { measure_with_avx2(units) }
    }
}
