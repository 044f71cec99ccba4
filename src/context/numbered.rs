//! Things that a caller knows by numbers of its own choice.

use crate::error::Error;

/// More than any caller keeps.
const MAX_NUMBERS: usize = 4096;

/// Things by number.
#[derive(Debug)]
pub struct Numbered<T> {
    things: Vec<Option<T>>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { things: Vec::new() }
    }
}

impl<T> Numbered<T> {
    /// Keeps a thing under a number, in place of what was there.
    pub fn keep(&mut self, number: usize, thing: T) -> Result<(), Error> {
        if number >= MAX_NUMBERS {
            return Err(Error::Internal(format!("{number} is beyond {MAX_NUMBERS}")));
        }
        if self.things.len() <= number {
            self.things.resize_with(number + 1, || None);
        }
        self.things[number] = Some(thing);
        Ok(())
    }

    /// All of them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.things.iter_mut().flatten()
    }

    /// The thing with this number, to be changed.
    pub fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        self.things.get_mut(number)?.as_mut()
    }

    /// The thing with this number.
    pub fn get(&self, number: usize) -> Option<&T> {
        self.things.get(number)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_found_by_their_numbers() {
        let mut things = Numbered::default();
        things.keep(2, "a").unwrap();
        things.keep(0, "b").unwrap();
        things.keep(2, "c").unwrap();
        assert_eq!(
            [0, 1, 2, 3].map(|number| things.get(number).copied()),
            [Some("b"), None, Some("c"), None]
        );
        assert!(things.keep(MAX_NUMBERS, "d").is_err());
    }
}
