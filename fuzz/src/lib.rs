//! What the targets share: texts that are worth trying, and plain versions to compare with.

pub mod input;
pub mod reference;
pub mod text;
