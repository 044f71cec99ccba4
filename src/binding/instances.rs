//! What is behind the objects that our constructors made, by number: see [`super::doors`].

use super::manager::Manager;
use crate::model::Assembler;
use std::cell::RefCell;
use std::rc::Rc;
use std::thread::LocalKey;

/// The things of a kind. The numbers of those that are gone are given out again.
pub struct Instances<T> {
    things: Vec<Option<Rc<T>>>,
    free: Vec<usize>,
}

impl<T> Instances<T> {
    const fn none() -> RefCell<Self> {
        RefCell::new(Instances { things: Vec::new(), free: Vec::new() })
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
    pub number: usize,
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
    /// Gives a thing a number that is free.
    pub fn new(thing: T) -> Self {
        let thing = Rc::new(thing);
        let number = T::ALL.with_borrow_mut(|all| {
            let number = all.free.pop().unwrap_or_else(|| {
                all.things.push(None);
                all.things.len() - 1
            });
            all.things[number] = Some(thing.clone());
            number
        });
        Numbered { thing, number }
    }
}

impl<T: Instance> Drop for Numbered<T> {
    fn drop(&mut self) {
        // At the end of the thread, they may all be gone already.
        let _ = T::ALL.try_with(|all| {
            let mut all = all.borrow_mut();
            all.things[self.number] = None;
            all.free.push(self.number);
        });
    }
}

/// The thing with this number.
pub fn numbered<T: Instance>(number: usize) -> Option<Rc<T>> {
    T::ALL.with_borrow(|all| all.things.get(number)?.clone())
}
