//! A kept conversation beside a plain list of its messages.

use crate::marker::marked;
use crate::text::{name, text};
use crate::tokens::count_by_function;
use crate::visibility::{Member, Members, To};
use arbitrary::{Result, Unstructured};
use promptmason::manager::memory::Memory;
use promptmason::manager::snapshot::{SnapshotHead, SnapshotMessage};
use promptmason::manager::{Envelope, Manager, ManagerOptions, MessageText, Speaker};
use promptmason::visibility::members::Addressee;

const IDS: [&str; 6] = ["max", "sarah", "kai", "Lee ", "a, b", "max"];
const NAMES: [&str; 8] = ["", "Max", "Engineer", "kai", "a", "张三", "Lee, Jr", "b\nc"];
const TO: [&str; 12] = [
    "max",
    "sarah",
    "MAX ",
    "kai, sarah",
    "all",
    "Engineer",
    "a, b",
    "a",
    "Lee, Jr",
    "nobody",
    "张三、max",
    " ",
];

/// A message as it was given. Its content begins with a name that occurs nowhere else.
#[derive(Clone)]
pub struct Given {
    pub id: String,
    pub number: usize,
    pub envelope: Envelope,
    pub text: MessageText<'static>,
}

impl Given {
    fn member(&self) -> Member {
        let Speaker { id, name, display_name, .. } = &self.envelope.speaker;
        Member(id.clone(), vec![name.clone(), display_name.clone()])
    }

    fn to(&self) -> Vec<To> {
        let to = |addressee: &Addressee| match addressee {
            Addressee::Text(text) => To::Text(text.clone()),
            Addressee::Member { names, .. } => To::Member(names.clone()),
        };
        self.envelope.addressees.iter().map(to).collect()
    }
}

/// A manager, what it was given, and a snapshot of an earlier time.
pub struct Kept {
    pub manager: Manager,
    pub messages: Vec<Given>,
    stored: Option<Stored>,
    last_number: usize,
    make: MakeManager,
}

/// Makes a manager that differs in nothing but its options.
pub type MakeManager = Box<dyn Fn(ManagerOptions) -> Manager>;

struct Stored {
    messages: Vec<Given>,
    state: (Option<String>, Option<u64>, Memory),
}

impl Kept {
    pub fn new(options: ManagerOptions, make: MakeManager) -> Self {
        Kept { manager: make(options), messages: Vec::new(), stored: None, last_number: 0, make }
    }

    /// Counts a message with a function of the caller's.
    fn count(&mut self, index: usize) {
        let tokens = count_by_function(self.manager.conversation.message(index).content);
        self.manager.conversation.keep_counts(index, &[tokens as u32]);
    }

    fn given(&mut self, u: &mut Unstructured, id: String) -> Result<Given> {
        self.last_number += 1;
        let speaker = Speaker {
            id: if u.ratio(1, 10)? {
                format!("x{}", name(u)?)
            } else {
                u.choose(&IDS)?.to_string()
            },
            name: if u.ratio(1, 10)? { name(u)? } else { u.choose(&NAMES)?.to_string() },
            display_name: u.choose(&NAMES)?.to_string(),
            is_ai: u.arbitrary()?,
        };
        let mut addressees = Vec::new();
        while addressees.len() < 3 && u.ratio(1, 3)? {
            let names = |u: &mut Unstructured| {
                Ok([u.choose(&TO[..10])?.to_string(), u.choose(&TO[..10])?.to_string()])
            };
            addressees.push(match u.ratio(1, 4)? {
                true => names(u).map(|names| Addressee::Member {
                    shown: names[1].clone(),
                    names: names.to_vec(),
                })?,
                false => Addressee::Text(u.choose(&TO)?.to_string()),
            });
        }
        let text = MessageText {
            content: marked(self.last_number, &text(u, 6)?).into(),
            parent_id: if u.ratio(1, 3)? {
                Some(format!("msg-{}", u.int_in_range(1..=4)?))
            } else {
                None
            },
            intent: if u.ratio(1, 6)? { Some(u.choose(&NAMES)?.to_string()) } else { None },
            pinned: u.ratio(1, 6)?,
        };
        Ok(Given { id, number: self.last_number, envelope: Envelope { speaker, addressees }, text })
    }

    pub fn add(&mut self, u: &mut Unstructured) -> Result<()> {
        let mut given = self.given(u, String::new())?;
        let number = self.manager.add(&given.envelope, &given.text).expect("there are ids left");
        given.id = format!("msg-{number}");
        self.messages.push(given);
        self.count(self.messages.len() - 1);
        Ok(())
    }

    /// A message that is there; `None` if there is none.
    pub fn any(&self, u: &mut Unstructured) -> Result<Option<usize>> {
        if self.messages.is_empty() {
            Ok(None)
        } else {
            u.choose_index(self.messages.len()).map(Some)
        }
    }

    pub fn update(&mut self, u: &mut Unstructured) -> Result<()> {
        if let Some(index) = self.any(u)? {
            let given = self.given(u, self.messages[index].id.clone())?;
            assert_eq!(
                self.manager.update(&given.id, &given.envelope, &given.text).expect("it is there"),
                index
            );
            self.messages[index] = given;
            self.count(index);
        }
        Ok(())
    }

    pub fn remove(&mut self, u: &mut Unstructured) -> Result<()> {
        if let Some(index) = self.any(u)? {
            let given = self.messages.remove(index);
            assert_eq!(self.manager.remove(&given.id).expect("it is there"), index);
        }
        Ok(())
    }

    pub fn pin(&mut self, u: &mut Unstructured) -> Result<()> {
        if let Some(index) = self.any(u)? {
            let given = &mut self.messages[index];
            given.text.pinned = u.arbitrary()?;
            self.manager
                .conversation
                .set_pinned(&given.id, given.text.pinned)
                .expect("it is there");
        }
        Ok(())
    }

    fn members(&self) -> Vec<Member> {
        self.messages.iter().map(Given::member).collect()
    }

    /// Whether somebody may see a message, by the plain rule.
    pub fn may_see(&self, recipient: Option<&str>, index: usize) -> bool {
        let Some(recipient) = recipient else { return true };
        let given = &self.messages[index];
        Members(&self.members()).may_see(recipient, &given.envelope.speaker.id, &given.to())
    }

    /// Whether two names are one member's, by the plain rule.
    pub fn is_same_member(&self, one: &str, other: &str) -> bool {
        Members(&self.members()).is_same(one, other)
    }

    /// The index of the message with a name, if it is still there.
    pub fn index_of(&self, number: usize) -> Option<usize> {
        self.messages.iter().position(|given| given.number == number)
    }

    fn state(&self, with_pins: bool) -> (Option<String>, Option<u64>, Memory) {
        let conversation = &self.manager.conversation;
        (
            conversation.team_task().map(str::to_owned),
            conversation.removed_last_number(),
            through_json(&self.manager.memory(with_pins)),
        )
    }

    /// Puts a manager with these options in the place of this one, from a snapshot: a whole one, or
    /// the last one and what came since.
    pub fn restart(&mut self, options: ManagerOptions, append: bool) {
        let is_later = |stored: &Stored| {
            let are_the_same =
                |(one, other): (&Given, &Given)| (&one.id, one.number) == (&other.id, other.number);
            stored.messages.len() <= self.messages.len()
                && stored.messages.iter().zip(&self.messages).all(are_the_same)
        };
        let mut next = (self.make)(options);
        match self
            .stored
            .take()
            .filter(|stored| append && !stored.messages.is_empty() && is_later(stored))
        {
            Some(Stored { messages, state }) => {
                restore(&mut next, &messages, state);
                let after = messages.last().map(|given| given.id.clone());
                let later = self.messages[messages.len()..].iter().map(
                    |Given { id, envelope, text, .. }| SnapshotMessage {
                        id: id.clone(),
                        envelope: envelope.clone(),
                        text: text.clone(),
                    },
                );
                next.append(&head(after, self.state(true)), &later.collect::<Vec<_>>())
                    .expect("what came since");
            }
            None => restore(&mut next, &self.messages, self.state(false)),
        }
        assert_eq!(next.memory(true), self.manager.memory(true));
        for index in 0..self.messages.len() {
            let (before, after) = (&self.manager.conversation, &next.conversation);
            assert_eq!(
                (before.id(index), before.message(index)),
                (after.id(index), after.message(index))
            );
        }
        self.manager = next;
        (0..self.messages.len()).for_each(|index| self.count(index));
        self.stored = Some(Stored { messages: self.messages.clone(), state: self.state(false) });
    }
}

fn through_json(memory: &Memory) -> Memory {
    Memory::from_json(&serde_json::to_string(memory).expect("JSON")).expect("our own")
}

fn head(
    after: Option<String>,
    (team_task, last_number, memory): (Option<String>, Option<u64>, Memory),
) -> SnapshotHead {
    SnapshotHead { after, team_task, last_number, memory }
}

fn restore(
    manager: &mut Manager,
    messages: &[Given],
    state: (Option<String>, Option<u64>, Memory),
) {
    let mut conversation = manager.empty_conversation();
    for Given { id, envelope, text, .. } in messages {
        conversation.restore(id, envelope, text);
    }
    manager.restore(&head(None, state), conversation).expect("our own snapshot");
}
