//! The conversions on x86-64 processors with AVX2.
//!
//! - [`avx2`]: conversion of one vector; the only file here that loads and stores;
//! - `lanes`: computations on vectors, without memory access;
//! - `tables`: lookup tables, computed at compile time.

pub mod avx2;
mod lanes;
mod tables;
