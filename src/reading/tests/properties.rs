//! Properties of every prompt of caller-supplied messages: budgets, pins, accounts.

use super::messages::{Said, read, read_together, request_of};
use super::random::Numbers;
use crate::error::Error;
use crate::layout::{CLAUDE, CODEX, GEMINI, PLAIN};
use crate::model::{Assembler, AssemblerOptions, Markers, Materials, Quote};
use crate::prompt::role_line;
use crate::reading::{GivenRequest, Policy, Reading, Selection};
use crate::report::Report;
use std::rc::Rc;

/// The whole input of one prompt.
pub struct Inputs {
    pub assembler: Assembler,
    pub materials: Materials<'static>,
    pub policy: Policy,
    messages: Vec<Said>,
    pinned: Vec<usize>,
    selection: Option<Selection>,
}

/// A prompt, its flag and its report.
type Made = (String, String, Option<Report>);

impl Inputs {
    pub fn new(numbers: &mut Numbers) -> Self {
        let is_assembler = numbers.below(2) == 0;
        let layout = [&CLAUDE, &CODEX, &GEMINI, &PLAIN][numbers.below(4)];
        let options = AssemblerOptions {
            markers: Some([Markers::Verbatim, Markers::Escape][numbers.below(2)]),
            eviction_step: Some(1 + numbers.below(3)),
            ..AssemblerOptions::default()
        };
        let mut materials = Materials {
            system_instruction: vec![numbers.text(20)].into(),
            instruction_file: numbers.text(900).into(),
            team_task: numbers.text(9).into(),
            summary: numbers.text(400).into(),
            message: numbers.text(300).into(),
            max_bytes: 1 + [numbers.below(600), numbers.below(9000)][numbers.below(2)],
            ..Materials::default()
        };
        let names = ["a", "b", "a, b", "c", "all", ""];
        let count = numbers.below(14);
        let messages: Vec<Said> = (0..count)
            .map(|at| {
                let name = |numbers: &mut Numbers| names[numbers.below(6)].to_owned();
                // Each content is trimmed and distinguishable from all others.
                let content = format!("#{at}# {}.", numbers.text(12));
                (name(numbers), name(numbers), content)
            })
            .collect();
        let pinned = (0..count).filter(|_| numbers.below(5) == 0).collect();
        if is_assembler {
            materials.siblings =
                (0..numbers.below(3)).map(|_| Quote::new("s".into(), numbers.text(30))).collect();
        } else {
            materials.role = role_line(&numbers.text(60));
        }
        let system_max_bytes = [None, Some(numbers.below(6000))][numbers.below(2)];
        let recipient = [None, Some("a".to_owned())][numbers.below(2)].clone();
        let selection = Selection { limit: numbers.below(12), recipient, rest_is_covered: false };
        Inputs {
            assembler: Assembler::new(layout.into(), options),
            materials,
            policy: match is_assembler {
                true => Policy::Assembler,
                false => Policy::BuildPrompt { system_max_bytes },
            },
            messages,
            pinned,
            selection: (!is_assembler).then_some(selection),
        }
    }

    fn request(&self, max_bytes: usize, report: bool) -> GivenRequest {
        GivenRequest {
            assembler: Rc::new(self.assembler.clone()),
            materials: Materials { max_bytes, ..self.materials.clone() },
            policy: self.policy,
            pinned: self.pinned.clone(),
            selection: self.selection.clone(),
            report,
            ..request_of(&self.assembler, &self.materials, self.messages.len())
        }
    }

    pub fn assemble(&self, max_bytes: usize, report: bool) -> Result<Made, Error> {
        let (reading, passed) = read(self.request(max_bytes, report), &self.messages)?;
        assert!(report || passed.len() <= 4 * self.messages.len());
        Inputs::made(reading, report)
    }

    /// The same of messages that are passed together.
    fn assemble_together(&self, max_bytes: usize, report: bool) -> Result<Made, Error> {
        let request = GivenRequest { is_string: !report, ..self.request(max_bytes, report) };
        let (reading, ..) = read_together(request, &self.messages)?;
        Inputs::made(reading, report)
    }

    fn made(mut reading: Reading, report: bool) -> Result<Made, Error> {
        let assembly = reading.finish()?;
        let mut prompt = Vec::new();
        assembly.write(&mut prompt);
        let flag = assembly.system_flag().unwrap_or_default().to_owned();
        let report = report.then(|| assembly.report());
        Ok((String::from_utf8(prompt).unwrap(), flag, report))
    }

    pub fn without_messages(self) -> Self {
        Inputs { messages: Vec::new(), pinned: Vec::new(), ..self }
    }

    fn given_bytes(&self) -> usize {
        let Materials { system_instruction, siblings, role, .. } = &self.materials;
        let texts = [
            &self.materials.instruction_file,
            &self.materials.team_task,
            &self.materials.summary,
            self.materials.message.beginning(),
        ];
        texts.iter().map(|text| text.len()).sum::<usize>()
            + system_instruction.iter().map(String::len).sum::<usize>()
            + siblings.iter().map(|quote| quote.content.len()).sum::<usize>()
            + self.messages.iter().map(|message| message.2.len()).sum::<usize>()
            + role.given_bytes
    }

    /// The messages that a prompt shows, identified by the beginning of their contents.
    fn shown(&self, prompt: &str) -> Vec<usize> {
        let is_shown = |at: &usize| prompt.contains(&format!("#{at}# "));
        (0..self.messages.len()).filter(is_shown).collect()
    }
}

#[test]
fn every_prompt_fits_shows_its_pins_and_accounts_for_every_byte() {
    for seed in 0..1500 {
        let inputs = Inputs::new(&mut Numbers(seed));
        let max_bytes = inputs.materials.max_bytes;
        let made = inputs.assemble(max_bytes, true);
        let plain = inputs.assemble(max_bytes, false);
        let (prompt, flag, report) = match (made, plain) {
            (Ok(made), Ok(plain)) => {
                assert_eq!((&made.0, &made.1), (&plain.0, &plain.1), "a report changes nothing");
                made
            }
            (Err(Error::BudgetExceeded { system_max_bytes: Some(_), .. }), Err(_)) => continue,
            (Err(Error::BudgetExceeded { required_bytes, .. }), Err(_)) => {
                assert!(inputs.assemble(required_bytes, false).is_ok(), "seed {seed}");
                assert!(inputs.assemble(required_bytes - 1, false).is_err(), "seed {seed}");
                continue;
            }
            other => panic!("seed {seed}: {other:?}"),
        };
        assert!(prompt.len() + flag.len() <= max_bytes, "seed {seed}");
        let report = report.unwrap();
        assert_eq!(report.total_bytes, prompt.len() + flag.len());
        let account = report.account;
        assert_eq!(account.given_bytes, inputs.given_bytes(), "seed {seed}");
        assert_eq!(account.sent_bytes + account.left_out_bytes, account.given_bytes);
        let left_out = report.left_out.iter().map(|entry| entry.bytes);
        assert_eq!(left_out.sum::<usize>(), account.left_out_bytes);

        // Of the messages that an ample budget shows, this one shows all pinned messages and the
        // newest of the others.
        let shown = inputs.shown(&prompt);
        let (ample, ..) = inputs.assemble(1 << 20, false).unwrap();
        let all = inputs.shown(&ample);
        assert!(shown.iter().all(|at| all.contains(at)), "seed {seed}");
        let pinned: Vec<_> = all.iter().filter(|at| inputs.pinned.contains(at)).collect();
        assert!(pinned.iter().all(|at| shown.contains(at)), "seed {seed}");
        let is_free = |at: &&usize| !inputs.pinned.contains(at);
        let free: Vec<_> = shown.iter().filter(is_free).collect();
        let all_free: Vec<_> = all.iter().filter(is_free).collect();
        assert!(all_free.ends_with(&free), "seed {seed}: {free:?} of {all_free:?}");
    }
}

#[test]
fn messages_passed_together_make_the_same_prompt() {
    for seed in 0..1500 {
        let inputs = Inputs::new(&mut Numbers(seed));
        let max_bytes = inputs.materials.max_bytes;
        for report in [false, true] {
            let one_by_one = inputs.assemble(max_bytes, report);
            let together = inputs.assemble_together(max_bytes, report);
            assert_eq!(format!("{together:?}"), format!("{one_by_one:?}"), "seed {seed}");
        }
    }
}
