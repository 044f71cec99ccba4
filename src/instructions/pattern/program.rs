//! A pattern as steps of a nondeterministic automaton. A name is read once, and each character
//! moves all states that the pattern may be in.

/// A longer pattern is refused: the time for each character grows with the pattern.
const MAX_PATTERN_BYTES: usize = 1000;

/// Nobody who writes a `!` wants the files that match.
pub const NO_NEGATION: &str = "a leading ! does not exclude files: list the files that are wanted";

/// A pattern that names can be matched against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// This character.
    Char(char),
    /// Any character but `/`.
    Any,
    /// Any character.
    AnyOrSlash,
    /// A character in one of these ranges, or in none of them. Never `/`.
    Class { ranges: Vec<(char, char)>, negated: bool },
    /// Continues at each of these steps, without a character.
    Split(Vec<usize>),
    /// The end of the pattern.
    End,
}

impl Pattern {
    /// Reads a pattern, or says what is wrong with it.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.len() > MAX_PATTERN_BYTES {
            return Err(format!("the pattern is longer than {MAX_PATTERN_BYTES} bytes"));
        }
        if text.starts_with('!') {
            return Err(NO_NEGATION.to_owned());
        }
        Compiler::new(text).compile()
    }

    /// Whether a whole name matches.
    pub fn matches(&self, name: &str) -> bool {
        let states = self.after(&self.start(), name, &mut usize::MAX.clone());
        states.is_some_and(|states| self.is_match(&states))
    }

    /// The states before the first character.
    pub fn start(&self) -> States {
        let mut next = Next::new(self.steps.len());
        next.add(&self.steps, 0);
        States(next.states)
    }

    /// The states after more of a name. Takes the steps it needs from `work`; `None` if that is
    /// used up.
    pub fn after(&self, states: &States, text: &str, work: &mut usize) -> Option<States> {
        let mut next = Next::new(self.steps.len());
        let mut states = states.clone();
        for c in text.chars() {
            if states.is_dead() {
                break;
            }
            next.begin();
            for state in states.0.iter().filter(|state| self.steps[**state].accepts(c)) {
                next.add(&self.steps, state + 1);
            }
            *work = work.checked_sub(states.0.len() + next.work)?;
            std::mem::swap(&mut states.0, &mut next.states);
        }
        Some(states)
    }

    /// Whether the pattern may end in one of these states.
    pub fn is_match(&self, states: &States) -> bool {
        states.0.iter().any(|state| self.steps[*state] == Step::End)
    }
}

/// The steps at which a pattern may be after some characters.
#[derive(Debug, Clone)]
pub struct States(Vec<usize>);

impl States {
    /// Whether nothing that follows can match any more.
    pub fn is_dead(&self) -> bool {
        self.0.is_empty()
    }
}

impl Step {
    fn accepts(&self, c: char) -> bool {
        match self {
            Step::Char(wanted) => c == *wanted,
            Step::Any => c != '/',
            Step::AnyOrSlash => true,
            Step::Class { ranges, negated } => {
                c != '/' && ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated
            }
            Step::Split(_) | Step::End => false,
        }
    }
}

/// Collects the states after a character, each once.
struct Next {
    states: Vec<usize>,
    /// In which round each step was added, so that none has to be reset for the next round.
    added: Vec<u32>,
    round: u32,
    /// Steps still to be examined.
    stack: Vec<usize>,
    /// How many steps were examined in this round.
    work: usize,
}

impl Next {
    fn new(steps: usize) -> Self {
        Next { states: Vec::new(), added: vec![0; steps], round: 1, stack: Vec::new(), work: 0 }
    }

    fn begin(&mut self) {
        self.round += 1;
        self.work = 0;
        self.states.clear();
    }

    /// Adds a step, or what it leads to without a character.
    fn add(&mut self, steps: &[Step], step: usize) {
        self.stack.push(step);
        while let Some(step) = self.stack.pop() {
            self.work += 1;
            if self.added[step] == self.round {
                continue;
            }
            self.added[step] = self.round;
            match &steps[step] {
                Step::Split(targets) => self.stack.extend(targets),
                _ => self.states.push(step),
            }
        }
    }
}

/// Alternatives that are not closed yet.
struct Group {
    /// The step that leads to each alternative.
    split: usize,
    /// Steps at the end of an alternative, which lead past the group.
    ends: Vec<usize>,
    /// Whether a directory or the pattern begins with the group.
    at_start: bool,
}

/// Translates a pattern.
struct Compiler {
    chars: Vec<char>,
    at: usize,
    steps: Vec<Step>,
    groups: Vec<Group>,
    /// Whether a directory or the pattern begins here.
    at_start: bool,
}

impl Compiler {
    fn new(text: &str) -> Self {
        let separator = |c| if cfg!(windows) && c == '\\' { '/' } else { c };
        let chars = text.chars().map(separator).collect();
        Compiler { chars, at: 0, steps: Vec::new(), groups: Vec::new(), at_start: true }
    }

    fn compile(mut self) -> Result<Pattern, String> {
        while let Some(c) = self.chars.get(self.at).copied() {
            self.at += 1;
            let was_at_start = std::mem::replace(&mut self.at_start, c == '/');
            match c {
                '*' => self.star(was_at_start),
                '?' => self.steps.push(Step::Any),
                '[' => self.class()?,
                '{' => self.open(was_at_start),
                ',' if !self.groups.is_empty() => self.alternative(),
                '}' if !self.groups.is_empty() => self.close(),
                '\\' => {
                    let literal = self.chars.get(self.at).copied().unwrap_or('\\');
                    self.at += 1;
                    self.steps.push(Step::Char(literal));
                }
                other => self.steps.push(Step::Char(other)),
            }
        }
        if !self.groups.is_empty() {
            return Err("the pattern has a { that is not closed".to_owned());
        }
        self.steps.push(Step::End);
        Ok(Pattern { steps: self.steps })
    }

    /// `*` is any number of characters within a directory. `**` is any number of directories if
    /// it stands alone between separators, and otherwise the same as `*`.
    fn star(&mut self, at_start: bool) {
        let mut stars = 1;
        while self.chars.get(self.at) == Some(&'*') {
            self.at += 1;
            stars += 1;
        }
        match self.chars.get(self.at) {
            Some('/') if stars == 2 && at_start => {
                // Zero or more times: a name and a separator.
                self.at += 1;
                self.at_start = true;
                let begin = self.steps.len();
                let behind = begin + 4;
                self.steps.push(Step::Split(vec![begin + 1, behind]));
                self.steps.push(Step::AnyOrSlash);
                self.steps.push(Step::Split(vec![begin + 1, begin + 3]));
                self.steps.push(Step::Char('/'));
            }
            None | Some(',' | '}') if stars == 2 && at_start => self.repeat(Step::AnyOrSlash),
            _ => self.repeat(Step::Any),
        }
    }

    /// A step any number of times.
    fn repeat(&mut self, step: Step) {
        let begin = self.steps.len();
        self.steps.push(Step::Split(vec![begin + 1, begin + 3]));
        self.steps.push(step);
        self.steps.push(Step::Split(vec![begin]));
    }

    fn class(&mut self) -> Result<(), String> {
        let mut at = self.at;
        let negated = matches!(self.chars.get(at), Some('!' | '^'));
        at += usize::from(negated);
        let first = at;
        let mut ranges = Vec::new();
        loop {
            let Some(mut from) = self.chars.get(at).copied() else {
                return Err("the pattern has a [ that is not closed".to_owned());
            };
            at += 1;
            // A bracket that comes first is a literal.
            if from == ']' && at > first + 1 {
                break;
            }
            if from == '\\' && at < self.chars.len() {
                from = self.chars[at];
                at += 1;
            }
            let to = match self.chars.get(at..at + 2) {
                Some(['-', to]) if *to != ']' => {
                    at += 2;
                    *to
                }
                _ => from,
            };
            ranges.push((from, to));
        }
        self.at = at;
        self.steps.push(Step::Class { ranges, negated });
        Ok(())
    }

    fn open(&mut self, at_start: bool) {
        self.at_start = at_start;
        let split = self.steps.len();
        self.steps.push(Step::Split(vec![split + 1]));
        self.groups.push(Group { split, ends: Vec::new(), at_start });
    }

    fn alternative(&mut self) {
        let end = self.steps.len();
        self.steps.push(Step::Split(Vec::new()));
        let Some(group) = self.groups.last_mut() else { return };
        group.ends.push(end);
        if let Step::Split(targets) = &mut self.steps[group.split] {
            targets.push(end + 1);
        }
        self.at_start = group.at_start;
    }

    fn close(&mut self) {
        let Some(group) = self.groups.pop() else { return };
        let behind = self.steps.len();
        for end in group.ends {
            self.steps[end] = Step::Split(vec![behind]);
        }
    }
}

#[cfg(test)]
mod tests;
