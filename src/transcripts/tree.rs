//! Lines that form a tree: each names the line that it follows.
//!
//! 1. The conversation is the path from its newest line to the root. Branches are what was said
//!    beside it.
//! 2. What is not understood does not hide what is: a line whose parent is not in the file follows
//!    the line before it, and so does one of an unknown kind that names no parent.
//! 3. A line that comes later is never a parent, so forged lines cannot form a ring.

use super::format::PlannedBranch;
use super::lines::Span;
use super::message::BranchKind;
use std::collections::HashMap;

/// The lines of a file, identified by their positions.
#[derive(Default)]
pub struct Tree {
    parents: Vec<Option<usize>>,
    /// The newest line with each id.
    places: HashMap<String, usize>,
}

impl Tree {
    /// Adds a line.
    pub fn add(&mut self, id: &str, parent: Option<&str>, is_known: bool) {
        let before = self.parents.len().checked_sub(1);
        self.parents.push(match parent {
            Some(parent) => self.find(parent).or(before),
            None if is_known => None,
            None => before,
        });
        if !id.is_empty() {
            self.places.insert(id.to_owned(), self.parents.len() - 1);
        }
    }

    /// The newest line so far that has this id.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// Which lines are on the path from a line to the root.
    pub fn path_to(&self, leaf: Option<usize>) -> Vec<bool> {
        let mut on_path = vec![false; self.parents.len()];
        let mut next = leaf;
        while let Some(at) = next {
            on_path[at] = true;
            next = self.parents[at];
        }
        on_path
    }

    /// What was said beside the path, each branch from the point where it leaves the path.
    pub fn abandoned<'n>(
        &self,
        on_path: &[bool],
        said: impl Fn(usize) -> Option<(&'n str, Span)>,
    ) -> Vec<PlannedBranch> {
        let mut branch_of: Vec<Option<usize>> = vec![None; on_path.len()];
        let mut branches: Vec<PlannedBranch> = Vec::new();
        for at in (0..on_path.len()).filter(|at| !on_path[*at]) {
            branch_of[at] = self.parents[at].and_then(|of| branch_of[of]);
            let Some((id, span)) = said(at) else { continue };
            let branch = *branch_of[at].get_or_insert_with(|| {
                let (kind, id) = (BranchKind::Abandoned, id.to_owned());
                branches.push(PlannedBranch { kind, id, entries: Vec::new() });
                branches.len() - 1
            });
            branches[branch].entries.push(span);
        }
        branches
    }
}
