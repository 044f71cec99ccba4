//! One random sequence of steps.

use super::super::*;
use super::model::{Cli, Piece, Read, Said};
use crate::account::Reason;
use crate::layout::{CLAUDE, Layouts};
use crate::layout::{Part, SystemPlacement};
use crate::manager::AgentDefaults;
use crate::manager::decided::DecidedRecords;
use crate::manager::message::Speaker;
use crate::manager::options::RouteOptions;
use crate::model::AssemblerOptions;
use crate::reading::tests::random::Numbers;
use crate::report::Report;
use crate::tokens::{BudgetUnit, Tokenizer, Vocabulary};
use crate::visibility::audience::Addressee;
use std::collections::{BTreeMap, BTreeSet};

const AGENTS: [(&str, &str); 3] = [("max", "codex"), ("sarah", "claude"), ("kim", "gemini")];
/// Other names of the agents, under which they introduce themselves.
const ALIASES: [(&str, &str); 3] = [("max", "Engineer"), ("sarah", "Writer"), ("kim", "Tester")];
const TOKENIZER: Tokenizer = Tokenizer::Exact(Vocabulary::O200k);

/// Counts of what happened in all sequences.
#[derive(Debug, Default)]
pub struct Totals {
    whole: usize,
    deltas: usize,
    with_gap: usize,
    with_earlier: usize,
    with_changed: usize,
    with_revealed: usize,
    with_summary: usize,
    nothing_to_send: usize,
    over_budget: usize,
    restarts: usize,
    routes: usize,
}

impl Totals {
    pub fn are_all_there(&self) -> bool {
        let Totals { whole, deltas, with_gap, with_earlier, with_changed, .. } = *self;
        let Totals { with_summary, nothing_to_send, over_budget, restarts, routes, .. } = *self;
        let Totals { with_revealed, .. } = *self;
        let all = [whole, deltas, with_gap, with_earlier, with_changed, with_summary];
        let rest = [with_revealed, nothing_to_send, over_budget, restarts, routes];
        all.into_iter().chain(rest).all(|count| count > 0)
    }
}

/// A session after a prompt.
#[derive(Debug, Clone, Default)]
struct State {
    cli: Cli,
    /// Whether the prompt was only for what its agent may see.
    by_recipient: bool,
    /// What the session lacked when it became visible to its agent.
    revealed: BTreeSet<usize>,
}

impl State {
    /// Follows a change of a message.
    fn follow(&mut self, agent: &str, before: &Said, now: &Said) {
        match (before.may_be_seen_by(agent), now.may_be_seen_by(agent)) {
            (false, true) if self.by_recipient && self.cli.lacks(now) => {
                self.revealed.insert(now.number);
            }
            (true, false) => _ = self.revealed.remove(&now.number),
            _ => {}
        }
    }

    /// What the agent acts on unless it answers a given message: the newest message that is new to
    /// it, or else the newest one that is revealed.
    fn message<'s>(&self, said: &'s [Said], agent: &str) -> Option<&'s Said> {
        let mut earlier = self.cli.earlier_messages(said, agent).into_iter();
        let revealed = || earlier.rfind(|one| self.revealed.contains(&one.number));
        self.cli.new_messages(said, agent).last().copied().or_else(revealed)
    }

    /// The same for a prompt that is for everybody, or only for what its agent may see.
    fn taken_over(&self, by_recipient: bool, said: &[Said], agent: &str) -> Self {
        let mut state = State { by_recipient, ..self.clone() };
        if self.by_recipient && !by_recipient {
            let hidden = said.iter().filter(|one| !one.may_be_seen_by(agent));
            let lacking = hidden.filter(|one| self.cli.lacks(one));
            state.revealed.extend(lacking.map(|one| one.number));
        }
        state
    }
}

pub struct Run<'t> {
    seed: u64,
    numbers: Numbers,
    totals: &'t mut Totals,
    options: ManagerOptions,
    placement: Option<SystemPlacement>,
    /// Whether prompts are only for what their agents may see: never, always or at times.
    recipients: usize,
    introduced: BTreeSet<&'static str>,
    manager: Manager,
    said: Vec<Said>,
    added: usize,
    texts: usize,
    system: usize,
    task: Option<usize>,
    confirmed: BTreeMap<&'static str, State>,
    pending: BTreeMap<&'static str, State>,
}

impl<'t> Run<'t> {
    pub fn new(seed: u64, totals: &'t mut Totals) -> Self {
        let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let max_bytes = [100_000, 700, 450, 330][numbers.below(4)];
        let options = ManagerOptions {
            window_size: [0, 1, 3, 50][numbers.below(4)],
            max_bytes,
            eviction_step: 1 + numbers.below(3),
            max_tokens: [None, None, Some(90 + numbers.below(120))][numbers.below(3)],
            ..ManagerOptions::default()
        };
        let placement =
            [None, Some(SystemPlacement::Both), Some(SystemPlacement::Inline)][numbers.below(3)];
        let manager = new_manager(&options, placement);
        Run {
            seed,
            recipients: numbers.below(5),
            introduced: BTreeSet::new(),
            numbers,
            totals,
            options,
            placement,
            manager,
            said: Vec::new(),
            added: 0,
            texts: 1,
            system: 1,
            task: None,
            confirmed: BTreeMap::new(),
            pending: BTreeMap::new(),
        }
    }

    pub fn play(mut self) {
        self.add();
        for _ in 0..40 {
            match self.numbers.below(24) {
                0..=8 => self.add(),
                9 => self.update(),
                10 => self.remove(),
                11 | 12 => self.pin(),
                13 => self.summarise(),
                14 => {
                    self.texts += 1;
                    self.task = Some(self.texts);
                    self.manager.set_team_task(Some(&format!("<task{}>", self.texts)));
                }
                15 => {
                    self.texts += 1;
                    self.system = self.texts;
                }
                16 => self.restart(),
                17 if self.numbers.below(3) == 0 => {
                    let (agent, _) = AGENTS[self.numbers.below(3)];
                    self.manager.sessions.forget(agent);
                    self.confirmed.remove(agent);
                    self.pending.remove(agent);
                }
                18 => {
                    let (agent, _) = AGENTS[self.numbers.below(3)];
                    self.confirm(agent);
                }
                _ => self.prompt(),
            }
        }
    }

    fn any(&mut self) -> Option<usize> {
        (!self.said.is_empty()).then(|| self.numbers.below(self.said.len()))
    }

    fn content(&mut self, number: usize, version: usize) -> String {
        let size = [5, 30, 120, 500][self.numbers.below(4)];
        let filler = "word ".repeat(self.numbers.below(size) / 5);
        format!("<m{number}v{version}> {filler}<m{number}v{version}>")
    }

    fn addressed(&mut self) -> Vec<&'static str> {
        let some: [&[_]; 4] = [&["max"], &["sarah", "kim"], &["Engineer"], &["Tester", "Writer"]];
        let some = some[self.numbers.below(4)];
        if self.numbers.below(2) == 0 { Vec::new() } else { some.to_vec() }
    }

    /// Who may see messages that are addressed to these.
    fn meant(&self, addressed: &[&'static str]) -> Vec<&'static str> {
        let known = |name: &&'static str| {
            let aliases = ALIASES.iter().filter(|(agent, _)| self.introduced.contains(agent));
            aliases.into_iter().find(|(_, alias)| alias == name).map_or(*name, |(agent, _)| agent)
        };
        addressed.iter().map(known).collect()
    }

    /// A speaker introduces itself: messages may have waited for it.
    fn introduce(&mut self, speaker: &'static str) {
        self.introduced.insert(speaker);
        for index in 0..self.said.len() {
            let to = self.meant(&self.said[index].addressed);
            let before = std::mem::replace(&mut self.said[index].to, to);
            let before = Said { to: before, ..self.said[index].clone() };
            for (agent, state) in self.confirmed.iter_mut().chain(&mut self.pending) {
                state.follow(agent, &before, &self.said[index]);
            }
        }
    }

    fn add(&mut self) {
        let by = ["kai", "lee", "max", "sarah", "kai"][self.numbers.below(5)];
        let number = self.added;
        let introduces = AGENTS.iter().any(|(agent, _)| *agent == by) && self.numbers.below(9) == 0;
        if introduces {
            self.introduce(by);
        }
        let addressed = self.addressed();
        let mut said = Said {
            number,
            version: 0,
            id: String::new(),
            by,
            introduces,
            to: self.meant(&addressed),
            addressed,
            is_pinned: self.numbers.below(9) == 0,
            content: self.content(number, 0),
        };
        self.added += 1;
        let added = self.manager.add(&envelope(&said), &text(&said)).unwrap();
        said.id = format!("msg-{added}");
        self.said.push(said);
    }

    fn update(&mut self) {
        let Some(index) = self.any() else { return };
        let mut said = self.said[index].clone();
        said.version += 1;
        said.content = self.content(said.number, said.version);
        if self.numbers.below(3) == 0 {
            said.addressed = self.addressed();
            said.to = self.meant(&said.addressed);
        }
        self.manager.update(&said.id, &envelope(&said), &text(&said)).unwrap();
        let before = &self.said[index];
        for (agent, state) in self.confirmed.iter_mut().chain(&mut self.pending) {
            state.follow(agent, before, &said);
        }
        self.said[index] = said;
    }

    fn remove(&mut self) {
        let Some(index) = self.any() else { return };
        let said = self.said.remove(index);
        self.manager.remove(&said.id).unwrap();
    }

    fn pin(&mut self) {
        let Some(index) = self.any() else { return };
        let is_pinned = self.numbers.below(3) > 0;
        self.said[index].is_pinned = is_pinned;
        self.manager.conversation.set_pinned(&self.said[index].id, is_pinned).unwrap();
    }

    fn summarise(&mut self) {
        let Some(index) = self.any() else { return };
        self.texts += 1;
        let recipient = [None, None, Some("max")][self.numbers.below(3)];
        let text = format!("<sum{}>", self.texts);
        // A summary that covers less than the last one is refused.
        drop(self.manager.conversation.set_summary(&self.said[index].id, &text, recipient));
    }

    /// Another process continues from one snapshot, or from two consecutive ones.
    fn restart(&mut self) {
        self.totals.restarts += 1;
        let mut next = new_manager(&self.options, self.placement);
        let count = self.said.len();
        let decided = self.manager.conversation.decided_records(0);
        let parts = match decided == DecidedRecords::default() {
            true => [count, self.numbers.below(count + 1)][self.numbers.below(2)],
            false => count,
        };
        let mut first = next.empty_conversation();
        first.learn_names(&decided);
        for said in &self.said[..parts] {
            first.restore(&said.id, &envelope(said), &text(said));
        }
        let memory = |with_pins| {
            let memory = serde_json::to_string(&self.manager.memory(with_pins)).unwrap();
            Memory::from_json(&memory).unwrap()
        };
        let head = |after: Option<String>, memory: Memory| SnapshotHead {
            after,
            team_task: self.task.map(|task| format!("<task{task}>")),
            last_number: Some(self.added as u64),
            memory,
            ..SnapshotHead::default()
        };
        if parts == count {
            let head = SnapshotHead { decided, ..head(None, memory(false)) };
            next.restore(&head, first).unwrap();
        } else {
            let early = SnapshotHead::default();
            next.restore(&early, first).unwrap();
            let later = self.said[parts..].iter().map(|said| SnapshotMessage {
                id: said.id.clone(),
                envelope: envelope(said),
                text: text(said),
            });
            let after = parts.checked_sub(1).map(|last| self.said[last].id.clone());
            next.append(&head(after, memory(true)), &later.collect::<Vec<_>>()).unwrap();
        }
        assert_eq!(next.memory(true), self.manager.memory(true), "seed {}", self.seed);
        self.manager = next;
        self.pending.clear();
    }

    fn confirm(&mut self, agent: &'static str) {
        let is_confirmed = self.manager.sessions.confirm(agent);
        let pending = self.pending.remove(agent);
        assert_eq!(is_confirmed, pending.is_some(), "seed {}", self.seed);
        self.confirmed.extend(pending.map(|state| (agent, state)));
        // A log records each agent as it is then.
        let record = serde_json::to_string(&self.manager.member_record(agent)).unwrap();
        self.manager.restore_member(agent, serde_json::from_str(&record).unwrap()).unwrap();
    }

    fn turn(&mut self, agent: &str, agent_type: &str) -> TurnOptions {
        let parent = match self.numbers.below(8) {
            0 => self.any(),
            _ => None,
        };
        let by_recipient = match self.recipients {
            0 => false,
            1 => self.numbers.below(4) > 0,
            _ => true,
        };
        TurnOptions {
            assembler: self.manager.agents.look_up(agent_type).assembler,
            agent_id: agent.to_owned(),
            session: true,
            recipient: by_recipient.then(|| agent.to_owned()),
            instruction: vec![format!("<sys{}>", self.system)],
            tokenizer: Some(TOKENIZER),
            route: parent.map(|parent| RouteOptions {
                parent_id: self.said[parent].id.clone(),
                target_id: agent.to_owned(),
                ..RouteOptions::default()
            }),
            ..TurnOptions::default()
        }
    }

    fn prompt(&mut self) {
        let (agent, agent_type) = AGENTS[self.numbers.below(3)];
        let turn = self.turn(agent, agent_type);
        let by_recipient = turn.recipient.is_some();
        let before = self.confirmed.get(agent);
        let before = before.map(|state| state.taken_over(by_recipient, &self.said, agent));
        let said = self.seen_by(agent, by_recipient);
        let made = self.manager.assemble_turn(&turn, true, |assembly| {
            let mut prompt = Vec::new();
            assembly.write(&mut prompt);
            let flag = assembly.system_flag().unwrap_or_default().to_owned();
            (String::from_utf8(prompt).unwrap(), flag, assembly.report())
        });
        let is_route = turn
            .route
            .as_ref()
            .is_some_and(|route| said.iter().any(|one| one.id == route.parent_id));
        let lacks_new =
            before.as_ref().is_some_and(|state| state.message(&said, agent).is_none() && !is_route);
        let ((prompt, flag, report), seen) = match made {
            Ok(made) => made,
            Err(Error::NothingToSend(_)) => {
                self.totals.nothing_to_send += 1;
                return assert!(lacks_new, "seed {}", self.seed);
            }
            Err(Error::BudgetExceeded { required_bytes, tokens, unit, .. }) => {
                self.totals.over_budget += 1;
                let least = match unit {
                    BudgetUnit::Bytes => required_bytes,
                    BudgetUnit::Tokens => tokens.unwrap().required_tokens.unwrap(),
                };
                return self.check_least(&turn, unit, least);
            }
            Err(error) => panic!("seed {}: {error}", self.seed),
        };
        assert!(!lacks_new, "seed {}: {prompt}", self.seed);
        self.totals.routes += usize::from(is_route);
        let made = Made { prompt, flag, report, is_route };
        let check = Check { run: self, turn: &turn, agent, said: &said, made: &made };
        let after = match before {
            None => check.whole(),
            Some(state) => check.delta(state),
        };
        self.manager.prompted(agent, seen.unwrap());
        self.pending.insert(agent, after);
        if self.numbers.below(3) > 0 {
            self.confirm(agent);
        }
    }

    /// The budget that an error names suffices, and one less fails again.
    fn check_least(&mut self, turn: &TurnOptions, unit: BudgetUnit, least: usize) {
        for (budget, suffices) in [(least, true), (least - 1, false)] {
            match unit {
                BudgetUnit::Bytes => self.manager.options.max_bytes = budget,
                BudgetUnit::Tokens => self.manager.options.max_tokens = Some(budget),
            }
            let made = self.manager.assemble_turn(turn, false, |_| ());
            let is_other_unit = made.as_ref().is_err_and(|error| {
                matches!(error, Error::BudgetExceeded { unit: other, .. } if *other != unit)
            });
            assert!(made.is_ok() == suffices || is_other_unit, "seed {}", self.seed);
        }
        self.manager.options = self.options.clone();
    }

    /// What an agent may see.
    fn seen_by(&self, agent: &str, by_recipient: bool) -> Vec<Said> {
        let all = self.said.iter().cloned();
        all.map(|mut said| {
            if !by_recipient {
                said.to.clear();
            }
            said
        })
        .filter(|said| said.may_be_seen_by(agent))
        .collect()
    }
}

struct Made {
    prompt: String,
    flag: String,
    report: Report,
    is_route: bool,
}

/// A prompt to check.
struct Check<'c, 't> {
    run: &'c mut Run<'t>,
    turn: &'c TurnOptions,
    agent: &'static str,
    /// What the agent may see.
    said: &'c [Said],
    made: &'c Made,
}

impl Check<'_, '_> {
    fn tell(&self) -> String {
        let Made { prompt, report, .. } = self.made;
        format!("seed {}, {}:\n{prompt}\n{:#?}", self.run.seed, self.agent, report.left_out)
    }

    /// Checks the properties of every prompt.
    fn all(&self, read: &Read) {
        let Made { prompt, flag, report, .. } = self.made;
        assert!(prompt.len() + flag.len() <= self.run.options.max_bytes, "{}", self.tell());
        let tokens = TOKENIZER.count(prompt) + TOKENIZER.count(flag);
        assert!(self.run.options.max_tokens.is_none_or(|most| tokens <= most), "{}", self.tell());
        assert_eq!(report.tokens.as_ref().unwrap().total_tokens, tokens, "{}", self.tell());
        let account = report.account;
        assert_eq!(
            account.given_bytes,
            account.sent_bytes + account.left_out_bytes,
            "{}",
            self.tell()
        );
        let pieces = read.earlier.iter().chain(&read.new).filter_map(|piece| match piece {
            Piece::Message(number, version) => Some((*number, *version)),
            Piece::Gap => None,
        });
        for (number, version) in pieces.chain(read.message) {
            let said = self.said.iter().find(|said| said.number == number);
            let said = said.unwrap_or_else(|| panic!("not for {}: {}", self.agent, self.tell()));
            assert_eq!(said.version, version, "{}", self.tell());
        }
        // The flag is sent with every call.
        let placement = self.run.manager.assembler(self.turn.assembler).unwrap();
        if placement.system_placement().in_flag() {
            assert_eq!(flag, &format!("<sys{}>", self.run.system), "{}", self.tell());
            let is_system_seen = |one: &crate::account::LeftOut| {
                one.cause.part == Part::System && one.cause.reason == Reason::Seen
            };
            assert!(!report.left_out.iter().any(is_system_seen), "{}", self.tell());
        } else {
            assert!(flag.is_empty());
        }
    }

    fn reason_of(&self, said: &Said) -> Option<Reason> {
        let is_it = |id: &Option<String>| id.as_deref() == Some(said.id.as_str());
        let entries = &self.made.report.left_out;
        entries.iter().find(|entry| is_it(&entry.name.id)).map(|entry| entry.cause.reason)
    }

    fn covered(&self) -> usize {
        let member = Some(self.agent);
        let summary = self.run.manager.conversation.summary_for(member);
        let covered = summary.map_or(0, |summary| summary.covered);
        self.run.said.get(covered).map_or(
            usize::MAX,
            |said| {
                if covered == 0 { 0 } else { said.number }
            },
        )
    }

    fn summary_text(&self) -> Option<usize> {
        let summary = self.run.manager.conversation.summary_for(Some(self.agent))?;
        summary.text.trim_matches(['<', '>']).strip_prefix("sum")?.parse().ok()
    }

    /// Checks the first prompt of a session.
    fn whole(self) -> State {
        self.run.totals.whole += 1;
        let read = Read::new(&self.made.prompt);
        self.all(&read);
        assert!(self.made.report.session.as_ref().unwrap().mode == SessionMode::Whole);
        // If the newest message is the agent's own, it answers an older one, as a route does.
        let is_own = |said: &Said| said.by == self.agent;
        let answers_older = self.made.is_route || self.said.last().is_some_and(is_own);
        if !answers_older {
            let turn = TurnOptions { session: false, ..self.turn.clone() };
            let (plain, _) = self
                .run
                .manager
                .assemble_turn(&turn, false, |assembly| {
                    let mut prompt = Vec::new();
                    assembly.write(&mut prompt);
                    prompt
                })
                .unwrap();
            assert_eq!(plain, self.made.prompt.as_bytes(), "{}", self.tell());
        }
        let mut cli = Cli { system: read.system, task: read.task, ..Cli::default() };
        cli.summary = read.summary;
        let pieces = read.new.iter().filter_map(|piece| match piece {
            Piece::Message(number, version) => Some((*number, *version)),
            Piece::Gap => None,
        });
        let context: Vec<(usize, usize)> = pieces.collect();
        assert!(context.is_sorted(), "{}", self.tell());
        cli.shown = context.iter().copied().chain(read.message).collect();
        assert_eq!(cli.shown.len(), context.len() + usize::from(read.message.is_some()));
        cli.end = cli.shown.keys().last().map_or(0, |last| last + 1);
        if answers_older {
            cli.end = cli.end.max(self.said.last().map_or(0, |last| last.number + 1));
        }
        cli.begun = cli.end;
        for said in self.said {
            if said.number < cli.end && !cli.shown.contains_key(&said.number) {
                assert!(self.reason_of(said).is_some(), "{} of {}", said.number, self.tell());
                cli.missed.insert(said.number);
            }
        }
        let run = cli.missed.clone();
        self.miss_hidden(&mut cli, &run);
        State { cli, by_recipient: self.turn.recipient.is_some(), ..State::default() }
    }

    /// A hidden message in the middle of a missed run belongs to the run: it is not sent when it
    /// becomes visible.
    fn miss_hidden(&self, cli: &mut Cli, run: &BTreeSet<usize>) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
        let is_visible = |number: usize| self.said.iter().any(|said| said.number == number);
        let all = self.run.said.iter().map(|said| said.number);
        cli.missed.extend(all.filter(|at| (first..=last).contains(&at) && !is_visible(*at)));
    }

    /// How candidates appear in a prompt that shows some of them.
    fn expected(candidates: &[&Said], shown: &[Piece], lacks_first: bool) -> Vec<Piece> {
        let mut pieces = Vec::new();
        if lacks_first {
            pieces.push(Piece::Gap);
        }
        for said in candidates {
            let piece = Piece::Message(said.number, said.version);
            match shown.contains(&piece) {
                true => pieces.push(piece),
                false if pieces.last() == Some(&Piece::Gap) => {}
                false => pieces.push(Piece::Gap),
            }
        }
        pieces
    }

    /// Checks a later prompt of a session.
    fn delta(self, state: State) -> State {
        let State { cli: before, revealed, .. } = &state;
        self.run.totals.deltas += 1;
        let read = Read::new(&self.made.prompt);
        self.all(&read);
        assert!(self.made.report.session.as_ref().unwrap().mode == SessionMode::Delta);
        let covered = self.covered();
        let message = match &self.turn.route {
            Some(route) if self.made.is_route => {
                self.said.iter().find(|said| said.id == route.parent_id)
            }
            _ => state.message(self.said, self.agent),
        };
        let message = message.unwrap();
        assert_eq!(read.message, Some((message.number, message.version)), "{}", self.tell());

        let is_context = |said: &&&Said| said.number != message.number;
        let new = before.new_messages(self.said, self.agent);
        let new: Vec<&Said> = new.iter().filter(is_context).copied().collect();
        let earlier = before.earlier_messages(self.said, self.agent);
        let earlier: Vec<&Said> = earlier.iter().filter(is_context).copied().collect();
        let (hidden, in_window): (Vec<&Said>, Vec<&Said>) =
            new.iter().partition(|said| said.number < covered);
        let expected = Self::expected(&in_window, &read.new, !hidden.is_empty());
        assert_eq!(read.new, expected, "{}", self.tell());
        assert_eq!(read.earlier, Self::expected(&earlier, &read.earlier, false), "{}", self.tell());
        let is_shown = |said: &Said| {
            let piece = Piece::Message(said.number, said.version);
            said.number == message.number
                || read.new.contains(&piece)
                || read.earlier.contains(&piece)
        };
        self.check_texts(&read, before, !hidden.is_empty());

        // The session after this prompt.
        let mut cli = before.clone();
        // What the summary covers and what the budget dropped are two runs.
        for run in [&hidden, &in_window] {
            let dropped = run.iter().filter(|said| !is_shown(said)).map(|said| said.number);
            self.miss_hidden(&mut cli, &dropped.collect());
        }
        for said in earlier.iter().chain(&new).copied().chain([message]) {
            if is_shown(said) {
                cli.shown.insert(said.number, said.version);
                cli.missed.remove(&said.number);
                continue;
            }
            assert!(!said.is_pinned || said.number < covered, "{}", self.tell());
            let reason = self.reason_of(said);
            let expected = if said.number < covered && said.number >= before.end {
                Reason::Summary
            } else {
                Reason::Budget
            };
            assert_eq!(reason, Some(expected), "{} of {}", said.number, self.tell());
            cli.missed.insert(said.number);
        }
        for said in self.said.iter().filter(|said| !is_shown(said)) {
            assert!(self.reason_of(said).is_some(), "{} of {}", said.number, self.tell());
            let is_missed = cli.missed.contains(&said.number) && !cli.is_own(said, self.agent);
            let is_seen = self.reason_of(said) == Some(Reason::Seen);
            assert!(!(is_missed && is_seen), "{} of {}", said.number, self.tell());
        }
        let last = new.iter().map(|said| said.number).max();
        cli.end = cli.end.max(message.number + 1).max(last.map_or(0, |last| last + 1));
        cli.system = read.system.or(before.system);
        cli.task = read.task.or(before.task);
        cli.summary = read.summary.or(before.summary);
        let totals = &mut *self.run.totals;
        totals.with_gap += usize::from(read.new.contains(&Piece::Gap));
        totals.with_earlier += usize::from(!read.earlier.is_empty());
        let is_changed = |said: &&Said| before.shown.contains_key(&said.number);
        totals.with_changed += usize::from(earlier.iter().any(is_changed));
        let is_revealed = |said: &&Said| revealed.contains(&said.number);
        totals.with_revealed += usize::from(earlier.iter().any(is_revealed));
        totals.with_summary += usize::from(read.summary.is_some());
        self.check_overflow(&cli, covered);
        State { cli, by_recipient: self.turn.recipient.is_some(), ..State::default() }
    }

    /// Texts beside the conversation are sent when they changed.
    fn check_texts(&self, read: &Read, before: &Cli, lacks_new: bool) {
        let assembler = self.run.manager.assembler(self.turn.assembler).unwrap();
        let system = Some(self.run.system)
            .filter(|system| Some(*system) != before.system)
            .filter(|_| assembler.system_placement().in_prompt());
        assert_eq!(read.system, system, "{}", self.tell());
        let task = self.run.task.filter(|task| Some(*task) != before.task);
        assert_eq!(read.task, task, "{}", self.tell());
        let covered = self.covered();
        let is_lacking = |said: &Said| {
            said.number < covered
                && before.missed.contains(&said.number)
                && !before.is_own(said, self.agent)
        };
        // The summary may also cover the message itself.
        let new = before.new_messages(self.said, self.agent);
        let is_new_covered = lacks_new || new.iter().any(|said| said.number < covered);
        let is_due = is_new_covered
            || self.said.iter().any(is_lacking) && self.summary_text() != before.summary;
        let summary = self.summary_text().filter(|_| is_due);
        if read.summary.is_none() && summary.is_some() {
            let left_out = &self.made.report.left_out;
            let is_dropped = left_out
                .iter()
                .any(|one| (one.cause.part, one.cause.reason) == (Part::Summary, Reason::Budget));
            return assert!(is_dropped, "{}", self.tell());
        }
        assert_eq!(read.summary, summary, "{}", self.tell());
    }

    /// What is left out and not covered can be summarised.
    fn check_overflow(&self, cli: &Cli, covered: usize) {
        if self.made.is_route {
            return;
        }
        let overflow = self.run.manager.overflow(self.turn).unwrap();
        let overflow: Vec<usize> =
            overflow.into_iter().map(|index| self.run.said[index].number).collect();
        let missed = self.said.iter().filter(|said| {
            cli.missed.contains(&said.number)
                && said.number >= covered
                && !cli.is_own(said, self.agent)
        });
        let missed: Vec<usize> = missed.map(|said| said.number).collect();
        assert_eq!(overflow, missed, "{}", self.tell());
    }
}

fn new_manager(options: &ManagerOptions, placement: Option<SystemPlacement>) -> Manager {
    let assembler_options =
        AssemblerOptions { system_placement: placement, ..AssemblerOptions::default() };
    let claude = Assembler::new((&CLAUDE).into(), assembler_options);
    let agents =
        Agents::new(&Layouts::default(), vec![("claude".into(), claude)], AgentDefaults::default());
    Manager::new(options.clone(), agents)
}

fn envelope(said: &Said) -> Envelope {
    let (id, name) = (said.by.to_owned(), said.by.to_owned());
    let alias = ALIASES.iter().find(|(agent, _)| said.introduces && *agent == said.by);
    let display_name = alias.map_or_else(String::new, |(_, alias)| (*alias).to_owned());
    Envelope {
        speaker: Speaker { id, name, display_name, ..Speaker::default() },
        addressees: said.addressed.iter().map(|to| Addressee::Text((*to).to_owned())).collect(),
        is_private: false,
    }
}

fn text(said: &Said) -> MessageText<'static> {
    let content = said.content.clone().into();
    MessageText { content, pinned: said.is_pinned, ..MessageText::default() }
}
