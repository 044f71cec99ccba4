//! Shared by the targets: texts that are worth trying, and plain versions to compare with.

pub mod check;
pub mod conversation;
pub mod input;
pub mod layout;
pub mod marker;
pub mod reference;
pub mod text;
pub mod tokens;
pub mod visibility;
