//! Which processes belong to a program:
//!
//! 1. the program itself;
//! 2. children of one that belongs to it;
//! 3. members of a group or a session whose leader has belonged to it;
//! 4. those that have the program's mark: in their environment or, on Linux, in a limit. This finds
//!    what has outlived its parent, and a program that was started a moment ago and is not known by
//!    its id.

use super::Program;
use std::collections::{BTreeMap, BTreeSet};

/// A process as the system lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    pub id: u32,
    pub parent: u32,
    pub group: u32,
    /// Zero where the system does not list it.
    pub session: u32,
    /// When it was started, in the system's own words. Ids are used again.
    pub started: String,
}

impl Process {
    /// When it was started, if the system says so as a number.
    fn time(&self) -> Option<u64> {
        self.started.parse().ok()
    }
}

/// Whether a process may have been started after another.
fn is_since(process: &Process, since: Option<u64>) -> bool {
    since.zip(process.time()).is_none_or(|(since, started)| started >= since)
}

/// A program and what it has started.
#[derive(Debug)]
pub struct Tree {
    program: Program,
    /// Whether another process than the present one may have started it.
    is_left: bool,
    /// Those that run, with the times of their start.
    members: BTreeMap<u32, String>,
    /// Those that were ever seen running.
    leaders: BTreeSet<u32>,
}

impl Tree {
    /// Before the first `update`, nobody belongs to it.
    pub fn new(program: Program) -> Tree {
        let leaders = program.id.into_iter().collect();
        Tree { program, is_left: false, members: BTreeMap::new(), leaders }
    }

    /// What other processes have started with a mark.
    pub fn left(mark: String) -> Tree {
        Tree { is_left: true, ..Tree::new(Program { id: None, mark }) }
    }

    /// Whether all have ended.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The ids of those that run.
    pub fn members(&self) -> impl Iterator<Item = u32> {
        self.members.keys().copied()
    }

    /// Notes the id of the program.
    pub fn started(&mut self, id: u32) {
        self.program.id = Some(id);
        self.leaders.insert(id);
    }

    /// Finds its members among all processes that run. `own` is the id of the process that has started
    /// the program. Whatever is older than that is not looked at.
    pub fn update(&mut self, running: &[Process], own: u32, is_marked: impl Fn(u32, &str) -> bool) {
        let owner = running.iter().find(|process| process.id == own && !self.is_left);
        let since = owner.and_then(Process::time);
        let same = |id: &u32, started: &mut String| {
            running.iter().any(|process| process.id == *id && process.started == *started)
        };
        self.members.retain(same);
        let mut others: Vec<&Process> =
            running.iter().filter(|process| process.id > 1 && process.id != own).collect();
        others.retain(|process| !self.members.contains_key(&process.id));
        others.retain(|process| {
            let is_member = self.is_program(process, own)
                || (is_since(process, since) && is_marked(process.id, &self.program.mark));
            if is_member {
                self.add(process);
            }
            !is_member
        });
        // Children may be listed before their parents.
        loop {
            let before = others.len();
            others.retain(|process| {
                let is_member = self.is_related(process);
                if is_member {
                    self.add(process);
                }
                !is_member
            });
            if others.len() == before {
                return;
            }
        }
    }

    fn is_program(&self, process: &Process, own: u32) -> bool {
        self.program.id == Some(process.id) && process.parent == own
    }

    fn is_related(&self, process: &Process) -> bool {
        self.members.contains_key(&process.parent)
            || self.leaders.contains(&process.group)
            || self.leaders.contains(&process.session)
    }

    fn add(&mut self, process: &Process) {
        self.members.insert(process.id, process.started.clone());
        self.leaders.insert(process.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: u32 = 100;

    fn process(id: u32, parent: u32, group: u32, session: u32) -> Process {
        Process { id, parent, group, session, started: "then".to_owned() }
    }

    fn tree(id: Option<u32>) -> Tree {
        Tree::new(Program { id, mark: "MARK=1".to_owned() })
    }

    fn members(tree: &Tree) -> Vec<u32> {
        tree.members().collect()
    }

    #[test]
    fn includes_descendants_in_other_sessions() {
        let mut tree = tree(Some(200));
        let running = [
            // Listed before its parent.
            process(150, 202, 150, 150),
            process(OWN, 1, OWN, OWN),
            process(200, OWN, 200, 200),
            process(202, 200, 202, 202),
            process(300, OWN, 300, 300),
            process(301, 300, 300, 300),
        ];
        tree.update(&running, OWN, |_, _| false);
        assert_eq!(members(&tree), [150, 200, 202]);
    }

    #[test]
    fn keeps_processes_whose_parents_have_exited() {
        let mut tree = tree(Some(200));
        tree.update(&[process(200, OWN, 200, 200), process(202, 200, 202, 202)], OWN, |_, _| false);
        // 202 has lost its parent and started others; 204 is an orphan in its session.
        let running = [
            process(202, 1, 202, 202),
            process(203, 202, 203, 203),
            process(204, 1, 204, 202),
            process(205, 1, 205, 205),
        ];
        tree.update(&running, OWN, |_, _| false);
        assert_eq!(members(&tree), [202, 203, 204]);
        tree.update(&[process(205, 1, 205, 205)], OWN, |_, _| false);
        assert!(tree.is_empty());
    }

    #[test]
    fn handles_reused_ids() {
        let mut tree = tree(Some(200));
        tree.update(&[process(200, OWN, 200, 200), process(202, 200, 202, 202)], OWN, |_, _| false);
        let stranger = Process { started: "now".to_owned(), ..process(202, 1, 1, 1) };
        tree.update(&[stranger], OWN, |_, _| false);
        assert!(tree.is_empty());
        // Not the program: that would be a child of this process.
        let mut other = super::Tree::new(Program { id: Some(7), mark: String::new() });
        other.update(&[process(7, 1, 1, 1)], OWN, |_, _| false);
        assert!(other.is_empty());
    }

    #[test]
    fn finds_marked_processes() {
        let mut tree = tree(None);
        let running = [
            process(OWN, 1, 9, 9),
            process(200, OWN, 9, 9),
            process(201, 1, 5, 5),
            process(202, 201, 6, 6),
        ];
        tree.update(&running, OWN, |id, mark| mark == "MARK=1" && id == 201);
        assert_eq!(members(&tree), [201, 202]);
    }

    #[test]
    fn does_not_look_at_what_is_older_than_this_process() {
        let mut tree = tree(None);
        let at =
            |id, started: &str| Process { started: started.to_owned(), ..process(id, 1, 5, 5) };
        let running = [at(OWN, "1000"), at(200, "999"), at(201, "1000"), at(202, "Mon Nov 16")];
        tree.update(&running, OWN, |id, _| id != 999);
        assert_eq!(members(&tree), [201, 202]);
        let mut left = super::Tree::left("MARK=1".to_owned());
        left.update(&running, OWN, |_, _| true);
        assert_eq!(members(&left), [200, 201, 202]);
    }

    #[test]
    fn excludes_this_process_and_init() {
        let mut tree = tree(Some(OWN));
        let running = [process(1, 0, 1, 1), process(OWN, OWN, OWN, OWN), process(0, 0, 0, 0)];
        tree.update(&running, OWN, |_, _| true);
        assert!(tree.is_empty());
    }
}
