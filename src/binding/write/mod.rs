//! From assemblies to JS values.

pub mod joined;
pub mod output;
