//! What is behind the objects that our constructors made, by number: see [`super::doors`].

use super::manager::Manager;
use crate::model::Assembler;
use std::cell::RefCell;
use std::rc::Rc;
use std::thread::LocalKey;

/// The things of a kind, each in a place of its own. A place is used again, but with another
/// number, so that a number of something that is gone never means something else.
pub struct Instances<T> {
    places: Vec<Place<T>>,
    free: Vec<usize>,
}

struct Place<T> {
    number: u64,
    thing: Option<Rc<T>>,
}

/// Numbers with the same remainder are of the same place. JavaScript counts to 2⁵³ without
/// gaps, so a place can be used two million times.
const MOST_PLACES: u64 = 1 << 32;
const MOST_NUMBERS: u64 = 1 << 53;

impl<T> Instances<T> {
    const fn none() -> RefCell<Self> {
        RefCell::new(Instances { places: Vec::new(), free: Vec::new() })
    }

    fn add(&mut self, thing: Rc<T>) -> u64 {
        let index = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place { number: self.places.len() as u64, thing: None });
            self.places.len() - 1
        });
        let place = &mut self.places[index];
        place.thing = Some(thing);
        place.number
    }

    fn remove(&mut self, number: u64) {
        let index = (number % MOST_PLACES) as usize;
        let place = &mut self.places[index];
        place.thing = None;
        place.number += MOST_PLACES;
        if place.number < MOST_NUMBERS {
            self.free.push(index);
        }
    }

    fn get(&self, number: u64) -> Option<Rc<T>> {
        let place = self.places.get((number % MOST_PLACES) as usize)?;
        place.thing.clone().filter(|_| place.number == number)
    }
}

thread_local! {
    /// An engine stays on its thread, and so do its objects.
    static ASSEMBLERS: RefCell<Instances<Assembler>> = const { Instances::none() };
    static MANAGERS: RefCell<Instances<Manager>> = const { Instances::none() };
}

/// A thing with a number, as long as this lives.
pub struct Numbered<T: Instance> {
    pub thing: Rc<T>,
    pub number: u64,
}

/// A thing that is behind a JS object.
pub trait Instance: Sized + 'static {
    /// Where things of this kind are.
    const ALL: &'static LocalKey<RefCell<Instances<Self>>>;
}

impl Instance for Assembler {
    const ALL: &'static LocalKey<RefCell<Instances<Self>>> = &ASSEMBLERS;
}

impl Instance for Manager {
    const ALL: &'static LocalKey<RefCell<Instances<Self>>> = &MANAGERS;
}

impl<T: Instance> Numbered<T> {
    /// Gives a thing a number.
    pub fn new(thing: T) -> Self {
        let thing = Rc::new(thing);
        let number = T::ALL.with_borrow_mut(|all| all.add(thing.clone()));
        Numbered { thing, number }
    }
}

impl<T: Instance> Drop for Numbered<T> {
    fn drop(&mut self) {
        // At the end of the thread, they may all be gone already.
        let _ = T::ALL.try_with(|all| all.borrow_mut().remove(self.number));
    }
}

/// The thing with this number.
pub fn numbered<T: Instance>(number: u64) -> Option<Rc<T>> {
    T::ALL.with_borrow(|all| all.get(number))
}
