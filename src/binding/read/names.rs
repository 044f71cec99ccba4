//! Names that the JavaScript side knows by number, so that each crosses once.

use super::fields::Field;
use crate::binding::failure::Failure;
use crate::binding::handles;
use crate::binding::node_api::run;
use napi::{Env, Unknown};
use napi_derive::napi;
use std::cell::RefCell;

/// More names than `js/messages.js` keeps.
const MAX_NAMES: usize = 256;

/// The names of one copy of the JavaScript side, by number.
#[derive(Default)]
pub struct NameTable {
    names: RefCell<Vec<Vec<u8>>>,
}

impl NameTable {
    /// Appends the name with this number.
    pub fn push(&self, number: f64, out: &mut Vec<u8>) -> Result<(), Failure> {
        let names = self.names.borrow();
        // A number that is none becomes 0, and one that is too large is not found.
        let name = names.get(number as usize).ok_or_else(Failure::panicked)?;
        out.extend_from_slice(name);
        Ok(())
    }

    fn keep(&self, number: usize, name: String) -> Result<(), Failure> {
        if number >= MAX_NAMES {
            return Err(Failure::panicked());
        }
        let mut names = self.names.borrow_mut();
        if names.len() <= number {
            names.resize_with(number + 1, Vec::new);
        }
        names[number] = name.into_bytes();
        Ok(())
    }
}

/// Makes a table of names, and returns its handle.
#[napi(catch_unwind)]
pub fn create_name_table() -> f64 {
    handles::add(NameTable::default()) as f64
}

/// Keeps a name under a number. Returns a copy of it: the name itself may be a piece of a large
/// text, which would be kept in memory with it.
#[napi(ts_return_type = "string")]
pub fn keep_name<'s>(
    env: &'s Env,
    table: Unknown<'s>,
    number: Unknown<'s>,
    name: Unknown<'s>,
) -> napi::Result<Unknown<'s>> {
    run(env, |scope| {
        let table = Field::new(scope, "table", table).handle::<NameTable>()?;
        let name = scope.string(name)?;
        let copy = scope.utf8(&name)?;
        table.keep(scope.number(number)? as usize, name)?;
        Ok(copy)
    })
}
