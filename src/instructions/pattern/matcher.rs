//! Matches many names against one pattern. The states that a character leads to are computed once
//! and remembered, so that most characters take one look-up.

use super::program::{Next, Pattern};
use std::collections::HashMap;
use std::rc::Rc;

/// The most sets of states that are remembered. Beyond that, the cache is cleared.
const MAX_SETS: usize = 2000;

/// Where a pattern may be after some characters.
#[derive(Debug, Clone)]
pub struct States {
    set: Rc<[usize]>,
    /// The number of the set among those that are remembered now.
    id: u32,
    /// How often the cache had been cleared when the number was assigned.
    generation: u32,
}

impl States {
    /// Whether nothing that follows can match any more.
    pub fn is_dead(&self) -> bool {
        self.set.is_empty()
    }
}

/// Matches names against a pattern.
pub struct Matcher<'p> {
    pattern: &'p Pattern,
    next: Next,
    sets: Vec<Rc<[usize]>>,
    ids: HashMap<Rc<[usize]>, u32>,
    transitions: HashMap<(u32, char), u32>,
    generation: u32,
}

impl<'p> Matcher<'p> {
    /// A matcher that remembers nothing yet.
    pub fn new(pattern: &'p Pattern) -> Self {
        Matcher {
            pattern,
            next: Next::new(pattern.len()),
            sets: Vec::new(),
            ids: HashMap::new(),
            transitions: HashMap::new(),
            generation: 0,
        }
    }

    /// The states before the first character.
    pub fn start(&mut self) -> States {
        let set = self.pattern.start().into();
        let id = self.remember(&set);
        self.states(id)
    }

    /// The states after `text`. Takes the steps it needs from `work`; `None` if that is used up.
    pub fn advance(&mut self, states: &States, text: &str, work: &mut usize) -> Option<States> {
        let mut id = match states.generation == self.generation {
            true => states.id,
            false => self.remember(&states.set),
        };
        for c in text.chars() {
            id = match self.transitions.get(&(id, c)) {
                Some(next) => *next,
                None => self.compute(id, c, work)?,
            };
        }
        Some(self.states(id))
    }

    /// Whether the pattern may end here.
    pub fn is_match(&self, states: &States) -> bool {
        self.pattern.is_match(&states.set)
    }

    fn compute(&mut self, id: u32, c: char, work: &mut usize) -> Option<u32> {
        let from = Rc::clone(&self.sets[id as usize]);
        let set: Rc<[usize]> = self.pattern.after(&from, c, &mut self.next).into();
        *work = work.checked_sub(from.len() + self.next.work + set.len())?;
        let before = self.generation;
        let next = self.remember(&set);
        if self.generation == before {
            self.transitions.insert((id, c), next);
        }
        Some(next)
    }

    /// The number of a set.
    fn remember(&mut self, set: &Rc<[usize]>) -> u32 {
        if let Some(id) = self.ids.get(set) {
            return *id;
        }
        if self.sets.len() == MAX_SETS {
            self.sets.clear();
            self.ids.clear();
            self.transitions.clear();
            self.generation += 1;
        }
        let id = self.sets.len() as u32;
        self.sets.push(Rc::clone(set));
        self.ids.insert(Rc::clone(set), id);
        id
    }

    fn states(&self, id: u32) -> States {
        let set = Rc::clone(&self.sets[id as usize]);
        States { set, id, generation: self.generation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enough for all tests.
    const WORK: usize = 1_000_000_000;

    #[test]
    fn a_name_can_be_matched_in_parts() {
        let pattern = Pattern::new("a/*/c{.md,/**}").unwrap();
        let mut matcher = Matcher::new(&pattern);
        let start = matcher.start();
        let mut after = |states: &States, text| {
            let states = matcher.advance(states, text, &mut WORK.clone()).unwrap();
            let is_match = matcher.is_match(&states);
            (states, is_match)
        };
        let (directory, is_match) = after(&start, "a/");
        assert!(!directory.is_dead() && !is_match);
        let (below, _) = after(&directory, "b/");
        assert!(after(&below, "c.md").1);
        assert!(after(&start, "b").0.is_dead());
        assert!(after(&below, "d").0.is_dead());
    }

    #[test]
    fn clearing_the_cache_does_not_change_results() {
        // Each name leads to a different state: which of the last characters were an `a`.
        let pattern = Pattern::new("*a????????????").unwrap();
        let mut matcher = Matcher::new(&pattern);
        let start = matcher.start();
        for number in 0..20_000_u32 {
            let bits = number.wrapping_mul(2_654_435_761);
            let bit = |at: u32| if (bits >> at) & 1 == 1 { 'a' } else { 'b' };
            let name: String = (0..32).map(bit).collect();
            let states = matcher.advance(&start, &name, &mut WORK.clone()).unwrap();
            assert_eq!(matcher.is_match(&states), pattern.matches(&name), "{name}");
        }
        assert!(matcher.generation > 1);
    }

    #[test]
    fn matching_stops_when_the_work_limit_is_reached() {
        let pattern = Pattern::new(&"{*,*}".repeat(100)).unwrap();
        let mut matcher = Matcher::new(&pattern);
        let (start, mut work) = (matcher.start(), 1000);
        assert!(matcher.advance(&start, &"a".repeat(100), &mut work).is_none());
        // Cached states take no work.
        let mut work = WORK;
        matcher.advance(&start, &"a".repeat(100), &mut work).unwrap();
        let before = work;
        matcher.advance(&start, &"a".repeat(100), &mut work).unwrap();
        assert_eq!(work, before);
    }
}
