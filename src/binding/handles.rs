//! What stands behind the objects of the JavaScript side, found by number.
//!
//! A class in `js/` keeps a number in a private field. To look it up here takes a few
//! nanoseconds; napi-rs would find a class instance or an `External` under a global lock.

use super::read::names::NameTable;
use crate::model::Assembler;
use std::cell::RefCell;
use std::rc::Rc;
use std::thread::LocalKey;

/// The things of one kind. A place is used again, but with another number, so that the number
/// of something that is gone never means something else.
pub struct HandleTable<T> {
    places: Vec<Place<T>>,
    free: Vec<usize>,
}

struct Place<T> {
    number: u64,
    thing: Option<Rc<T>>,
}

/// Numbers with the same remainder are of the same place. JavaScript counts to 2⁵³ without
/// gaps, so a place can be used two million times.
const MAX_PLACES: u64 = 1 << 32;
const MAX_NUMBERS: u64 = 1 << 53;

impl<T> HandleTable<T> {
    const fn new() -> RefCell<Self> {
        RefCell::new(HandleTable { places: Vec::new(), free: Vec::new() })
    }

    fn add(&mut self, thing: T) -> u64 {
        let index = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place { number: self.places.len() as u64, thing: None });
            self.places.len() - 1
        });
        let place = &mut self.places[index];
        place.thing = Some(Rc::new(thing));
        place.number
    }

    fn remove(&mut self, number: u64) -> Option<Rc<T>> {
        let index = (number % MAX_PLACES) as usize;
        let place = self.places.get_mut(index).filter(|place| place.number == number)?;
        let thing = place.thing.take()?;
        place.number += MAX_PLACES;
        if place.number < MAX_NUMBERS {
            self.free.push(index);
        }
        Some(thing)
    }

    fn get(&self, number: u64) -> Option<Rc<T>> {
        let place = self.places.get((number % MAX_PLACES) as usize)?;
        place.thing.clone().filter(|_| place.number == number)
    }
}

thread_local! {
    /// An engine stays on its thread, and so do its objects.
    static ASSEMBLERS: RefCell<HandleTable<Assembler>> = const { HandleTable::new() };
    static MANAGERS: RefCell<HandleTable<super::context_manager::ManagerCell>> = const { HandleTable::new() };
    static NAMES: RefCell<HandleTable<NameTable>> = const { HandleTable::new() };
}

/// Something that stands behind a JavaScript object.
pub trait Handled: Sized + 'static {
    /// Where things of this kind are.
    const TABLE: &'static LocalKey<RefCell<HandleTable<Self>>>;
}

impl Handled for Assembler {
    const TABLE: &'static LocalKey<RefCell<HandleTable<Self>>> = &ASSEMBLERS;
}

impl Handled for super::context_manager::ManagerCell {
    const TABLE: &'static LocalKey<RefCell<HandleTable<Self>>> = &MANAGERS;
}

impl Handled for NameTable {
    const TABLE: &'static LocalKey<RefCell<HandleTable<Self>>> = &NAMES;
}

/// Gives a thing a number.
pub fn add<T: Handled>(thing: T) -> u64 {
    T::TABLE.with_borrow_mut(|table| table.add(thing))
}

/// The thing with this number.
pub fn get<T: Handled>(number: u64) -> Option<Rc<T>> {
    T::TABLE.with_borrow(|table| table.get(number))
}

/// Forgets the thing with this number, and returns it.
pub fn remove<T: Handled>(number: u64) -> Option<Rc<T>> {
    T::TABLE.with_borrow_mut(|table| table.remove(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn table<T>() -> HandleTable<T> {
        HandleTable::new().into_inner()
    }

    #[test]
    fn a_thing_is_found_until_it_is_removed() {
        let mut table = table();
        let numbers = ["a", "b", "c"].map(|text| table.add(text.to_owned()));
        assert_eq!(numbers, [0, 1, 2]);
        assert_eq!(table.get(1).as_deref().map(String::as_str), Some("b"));
        assert_eq!(table.remove(1).as_deref().map(String::as_str), Some("b"));
        assert!(table.get(1).is_none() && table.remove(1).is_none());
        assert!(table.get(0).is_some() && table.get(2).is_some());
    }

    #[test]
    fn the_number_of_what_is_gone_never_means_something_else() {
        let mut table = table();
        let first = table.add(0);
        let mut gone = Vec::new();
        let mut number = first;
        for round in 1..50 {
            table.remove(number);
            gone.push(number);
            number = table.add(round);
            assert_eq!(table.get(number).as_deref(), Some(&round));
            assert!(gone.iter().all(|gone| table.get(*gone).is_none()));
            assert!(gone.iter().all(|gone| table.remove(*gone).is_none()));
        }
        assert_eq!(table.places.len(), 1);
    }

    #[test]
    fn a_number_that_was_never_given_is_nobodys() {
        let mut table = table();
        let number = table.add(());
        for other in [number + 1, number + MAX_PLACES, MAX_NUMBERS, MAX_NUMBERS - 1, u64::MAX] {
            assert!(table.get(other).is_none() && table.remove(other).is_none());
        }
        assert!(table.get(number).is_some());
    }

    #[test]
    fn a_place_whose_numbers_are_used_up_is_left_alone() {
        let mut table = table();
        table.add("first");
        table.places[0].number = MAX_NUMBERS - MAX_PLACES;
        assert!(table.remove(MAX_NUMBERS - MAX_PLACES).is_some());
        assert_eq!(table.add("second"), 1);
        assert!(table.get(MAX_NUMBERS).is_none());
    }

    #[test]
    fn a_thing_in_use_outlives_its_removal_and_is_dropped_once() {
        struct Counts<'c>(&'c Cell<usize>);
        impl Drop for Counts<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() + 1);
            }
        }
        let dropped = Cell::new(0);
        let mut table = table();
        let number = table.add(Counts(&dropped));
        let in_use = table.get(number);
        drop(table.remove(number));
        table.add(Counts(&dropped));
        assert_eq!(dropped.get(), 0);
        drop(in_use);
        assert_eq!(dropped.get(), 1);
        drop(table);
        assert_eq!(dropped.get(), 2);
    }
}
