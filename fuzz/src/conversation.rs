//! A kept conversation beside a plain list of its messages.

use crate::marker::marked;
use crate::text::{name, text};
use crate::tokens::count_by_function;
use arbitrary::{Result, Unstructured};
use promptmason::manager::decided::DecidedRecords;
use promptmason::manager::memory::Memory;
use promptmason::manager::snapshot::{SnapshotHead, SnapshotMessage};
use promptmason::manager::{Envelope, Manager, ManagerOptions, MessageText, Speaker};
use promptmason::visibility::audience::Addressee;

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

/// What a snapshot has beside the messages.
#[derive(Clone)]
struct State {
    team_task: Option<String>,
    last_number: Option<u64>,
    memory: Memory,
    decided: DecidedRecords,
}

struct Stored {
    messages: Vec<Given>,
    state: State,
}

impl Kept {
    pub fn new(options: ManagerOptions, make: MakeManager) -> Self {
        Kept { manager: make(options), messages: Vec::new(), stored: None, last_number: 0, make }
    }

    /// Counts a message with a caller-supplied function.
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
                true => names(u).map(|[id, name]| Addressee::Member {
                    shown: name.clone(),
                    ids: vec![id],
                    name: Some(name),
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
            parts: Vec::new(),
        };
        let envelope = Envelope { speaker, addressees, is_private: u.ratio(1, 8)? };
        Ok(Given { id, number: self.last_number, envelope, text })
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

    /// Whether somebody may see a message. Who that is was decided when it was added, so there is no
    /// plain rule to compare with. A restart must not change it.
    pub fn may_see(&self, recipient: Option<&str>, index: usize) -> bool {
        let conversation = &self.manager.conversation;
        conversation.find_visible(&self.messages[index].id, recipient).is_some()
    }

    /// What everybody may see.
    fn visible(&self) -> Vec<Vec<u32>> {
        let names = IDS.iter().chain(&NAMES).chain(&TO);
        names.map(|name| self.manager.conversation.visible_to(name).to_vec()).collect()
    }

    /// The index of the message with a name, if it is still there.
    pub fn index_of(&self, number: usize) -> Option<usize> {
        self.messages.iter().position(|given| given.number == number)
    }

    fn state(&self, with_pins: bool, start: usize) -> State {
        let conversation = &self.manager.conversation;
        State {
            team_task: conversation.team_task().map(str::to_owned),
            last_number: conversation.removed_last_number(),
            memory: through_json(&self.manager.memory(with_pins)),
            decided: conversation.decided_records(start),
        }
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
        let visible = self.visible();
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
                next.append(
                    &head(after, self.state(true, messages.len())),
                    &later.collect::<Vec<_>>(),
                )
                .expect("what came since");
            }
            None => restore(&mut next, &self.messages, self.state(false, 0)),
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
        assert_eq!(self.visible(), visible, "who may see what");
        (0..self.messages.len()).for_each(|index| self.count(index));
        self.stored = Some(Stored { messages: self.messages.clone(), state: self.state(false, 0) });
    }
}

fn through_json(memory: &Memory) -> Memory {
    Memory::from_json(&serde_json::to_string(memory).expect("JSON")).expect("our own")
}

fn head(after: Option<String>, state: State) -> SnapshotHead {
    let State { team_task, last_number, memory, decided } = state;
    SnapshotHead { after, team_task, last_number, memory, decided, late: Vec::new() }
}

fn restore(manager: &mut Manager, messages: &[Given], state: State) {
    let mut conversation = manager.empty_conversation();
    conversation.learn_names(&state.decided);
    for Given { id, envelope, text, .. } in messages {
        conversation.restore(id, envelope, text);
    }
    manager.restore(&head(None, state), conversation).expect("our own snapshot");
}
