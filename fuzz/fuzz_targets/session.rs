//! Agents whose CLIs keep sessions, checked against a plain model: over any steps, including
//! restarts, no agent is shown what is not meant for it, and no message is shown twice or lost
//! without an entry in the account.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use promptmason::Error;
use promptmason::account::Reason;
use promptmason::layout::Layouts;
use promptmason::manager::{
    AgentDefaults, Agents, ConversationOptions, Manager, ManagerOptions, RouteOptions, TurnOptions,
};
use promptmason::report::Report;
use promptmason::text::trim_js;
use promptmason::tokens::Tokenizer;
use promptmason_fuzz::check::{check_account, written};
use promptmason_fuzz::conversation::{Given, Kept};
use promptmason_fuzz::marker::{marked, markers_in};
use promptmason_fuzz::tokens::{check_tokens, tokenizer};
use std::collections::{BTreeSet, HashMap};

/// Agents with their types.
const AGENTS: [(&str, &str); 3] = [("max", "codex"), ("sarah", "claude-code"), ("kai", "gemini")];
/// More recipients that a prompt without a session may have.
const RECIPIENTS: [&str; 6] = ["max", "Engineer", "a", "a, b", "nobody", " LEE"];
/// Summaries, team tasks and instructions are named from here on, after the messages.
const OTHERS: usize = 1_000_000;

/// What a CLI has seen: the names of all messages that it was shown, and the latest texts.
#[derive(Clone, Default)]
struct Cli {
    shown: BTreeSet<usize>,
    others: BTreeSet<usize>,
}

/// A prompt that is not confirmed yet.
struct Pending {
    shown: BTreeSet<usize>,
    others: BTreeSet<usize>,
    /// The message that a route answers: it is sent whether or not it was shown before.
    current: Option<usize>,
}

#[derive(Default)]
struct Model {
    clis: HashMap<&'static str, Cli>,
    pending: HashMap<&'static str, Pending>,
    last_other: usize,
    system: usize,
}

impl Model {
    fn other(&mut self) -> usize {
        self.last_other += 1;
        OTHERS + self.last_other
    }

    fn confirm(&mut self, agent: &'static str) -> bool {
        let Some(Pending { shown, others, current }) = self.pending.remove(agent) else {
            return false;
        };
        let cli = self.clis.entry(agent).or_default();
        let again: Vec<_> =
            cli.shown.intersection(&shown).filter(|number| Some(**number) != current).collect();
        assert!(again.is_empty(), "{again:?} are shown to {agent} again");
        cli.shown.extend(shown);
        cli.others.extend(others);
        true
    }
}

struct Prompt {
    prompt: String,
    flag: String,
    report: Report,
    told: String,
}

fn options(u: &mut Unstructured) -> Result<ManagerOptions> {
    Ok(ManagerOptions {
        window_size: *u.choose(&[50, 3, 1, 0])?,
        max_bytes: *u.choose(&[100_000, 3000, 700, 300])?,
        max_siblings: u.int_in_range(0..=4)?,
        sibling_max_units: *u.choose(&[200, 5])?,
        parent_max_bytes: *u.choose(&[1024, 64])?,
        reinsert_parent: u.arbitrary()?,
        eviction_step: u.int_in_range(1..=3)?,
        conversation: ConversationOptions {
            keeps_markers: u.arbitrary()?,
            ..ConversationOptions::default()
        },
        ..ManagerOptions::default()
    })
}

fn turn(
    u: &mut Unstructured,
    kept: &Kept,
    (agent, agent_type): (&str, &str),
    tokenizer: Tokenizer,
) -> Result<TurnOptions> {
    let route = match u.ratio(1, 4)? {
        true => Some(RouteOptions {
            parent_id: format!("msg-{}", u.int_in_range(1..=8)?),
            target_id: agent.to_owned(),
            intent: if u.arbitrary()? { Some("intent".to_owned()) } else { None },
            ..RouteOptions::default()
        }),
        false => None,
    };
    Ok(TurnOptions {
        assembler: kept.manager.agents.look_up(agent_type).assembler,
        agent_id: agent.to_owned(),
        window_size: if u.ratio(1, 4)? { Some(u.int_in_range(0..=6)?) } else { None },
        max_tokens: if u.ratio(1, 3)? { Some(u.int_in_range(1..=900)?) } else { None },
        tokenizer: Some(tokenizer),
        route,
        ..TurnOptions::default()
    })
}

/// Assembles a turn; `None` if it does not fit, or if there is nothing to send.
fn assemble(kept: &mut Kept, turn: &TurnOptions) -> Option<Prompt> {
    let outcome = kept.manager.assemble_turn(turn, true, |assembly| {
        let (prompt, flag) = written(&assembly);
        let report = assembly.report();
        let told = format!(
            "{prompt}{flag}{}{}",
            serde_json::to_string(&report).expect("JSON"),
            assembly.debug_text(prompt.as_bytes())
        );
        Prompt { prompt, flag, report, told }
    });
    let (made, seen) = match outcome {
        Ok(made) => made,
        Err(Error::BudgetExceeded { .. } | Error::NothingToSend(_)) => return None,
        Err(error) => panic!("{error}"),
    };
    if let Some(seen) = seen {
        kept.manager.prompted(&turn.agent_id, seen);
    }
    let Prompt { prompt, flag, report, .. } = &made;
    check_account(report, prompt, flag);
    let max_tokens = turn.max_tokens.unwrap_or(usize::MAX);
    let tokenizer = turn.tokenizer.filter(|_| turn.max_tokens.is_some());
    tokenizer
        .into_iter()
        .for_each(|tokenizer| check_tokens(tokenizer, max_tokens, prompt, flag, Some(report)));
    let messages: usize = kept.messages.iter().map(|given| given.text.content.len()).sum();
    let system = turn.instruction.iter().map(String::len).sum::<usize>();
    let route = turn.route.as_ref().map_or(0, |route| {
        route.parent_id.len() + route.intent.as_deref().unwrap_or_default().len()
    });
    let conversation = &kept.manager.conversation;
    let member = turn.recipient.as_deref().unwrap_or(&turn.agent_id);
    let summary = conversation.summary_for(Some(member)).map_or(0, |summary| summary.text.len());
    let task = conversation.team_task().unwrap_or_default().len();
    assert_eq!(report.account.given_bytes, messages + system + route + summary + task);
    Some(made)
}

/// Checks that `told` contains nothing, in any form, that is not for the recipient.
fn check_visibility(kept: &Kept, turn: &TurnOptions, told: &str) {
    let recipient = turn.recipient.as_deref();
    let check = |text: &str| {
        for index in markers_in(text).into_iter().filter_map(|number| kept.index_of(number)) {
            assert!(kept.may_see(recipient, index), "message {index} is told to {recipient:?}");
        }
    };
    check(told);
    let view = kept.manager.view(turn).expect("a view");
    check(&view.message);
    let route = view.route.iter().flat_map(|route| {
        route
            .parent
            .iter()
            .map(|parent| &parent.shown)
            .chain(route.siblings.iter().map(|sibling| &sibling.shown))
    });
    route.chain(&view.context).for_each(|shown| check(&shown.content));
    if let Ok(overflow) = kept.manager.overflow(turn) {
        assert!(overflow.iter().all(|index| kept.may_see(recipient, *index)));
    }
    let member = recipient.unwrap_or(&turn.agent_id);
    for (owner, summary) in kept.manager.conversation.summaries.iter() {
        let own = kept.manager.conversation.summary_for(Some(member));
        let is_for_member = owner.is_none() || own.is_some_and(|own| own.text == summary.text);
        assert!(
            is_for_member || markers_in(told).is_disjoint(&markers_in(&summary.text)),
            "a summary is told to {member}"
        );
    }
}

/// The names of the messages that a prompt shows in full.
fn shown_whole(kept: &Kept, prompt: &str) -> BTreeSet<usize> {
    let content = |index: usize| trim_js(kept.manager.conversation.message(index).content);
    let numbers =
        kept.messages.iter().enumerate().filter(|(index, _)| prompt.contains(content(*index)));
    numbers.map(|(_, given)| given.number).collect()
}

/// The message to act on: the route's parent, or the latest message that the agent may see.
fn current(kept: &Kept, turn: &TurnOptions) -> Option<usize> {
    let recipient = turn.recipient.as_deref();
    let parent = turn
        .route
        .as_ref()
        .and_then(|route| kept.messages.iter().position(|given| given.id == route.parent_id));
    let parent = parent.filter(|index| kept.may_see(recipient, *index));
    parent.or_else(|| (0..kept.messages.len()).rev().find(|index| kept.may_see(recipient, *index)))
}

/// Checks that the account lists whatever is neither shown nor known.
fn check_nothing_lost(kept: &Kept, turn: &TurnOptions, made: &Prompt, known: &BTreeSet<usize>) {
    let shown = shown_whole(kept, &made.prompt);
    let told = markers_in(&made.prompt);
    // A message that was cut is told in part.
    let is_untold = |given: &(usize, &Given)| !told.contains(&given.1.number);
    for (index, given) in kept.messages.iter().enumerate().filter(is_untold) {
        if shown.contains(&given.number) || !kept.may_see(turn.recipient.as_deref(), index) {
            continue;
        }
        let reasons: Vec<Reason> = made
            .report
            .left_out
            .iter()
            .filter(|entry| entry.name.index == Some(index))
            .map(|entry| entry.cause.reason)
            .collect();
        // The first prompt of a session has an agent's own messages like all others.
        let has_session = turn.session && kept.manager.sessions.seen(&turn.agent_id).is_some();
        let is_own = has_session && given.envelope.speaker.id == turn.agent_id;
        let allowed: &[Reason] = match known.contains(&given.number) || is_own {
            true => &[
                Reason::Seen,
                Reason::Own,
                Reason::Duplicate,
                Reason::Summary,
                Reason::Window,
                Reason::Budget,
                Reason::Step,
            ],
            false => &[
                Reason::Budget,
                Reason::Step,
                Reason::Window,
                Reason::Own,
                Reason::Duplicate,
                Reason::Limit,
                Reason::Summary,
                Reason::Code,
            ],
        };
        assert!(
            reasons.iter().any(|reason| allowed.contains(reason)),
            "message {index} is lost: {reasons:?} in {:?}",
            made.report.left_out
        );
    }
}

/// The names of the texts that an agent must have: instructions, team task and summary.
fn needed(kept: &Kept, turn: &TurnOptions) -> BTreeSet<usize> {
    let instruction = turn.instruction.iter().flat_map(|text| markers_in(text));
    let task = kept.manager.conversation.team_task().map(markers_in).unwrap_or_default();
    instruction.chain(task).collect()
}

fn prompt_of_session(
    u: &mut Unstructured,
    kept: &mut Kept,
    model: &mut Model,
    turn: TurnOptions,
    agent: &'static str,
) -> Result<()> {
    let turn = TurnOptions {
        session: true,
        instruction: vec![marked(model.system, "You are one of us.")],
        ..turn
    };
    let Some(made) = assemble(kept, &turn) else { return Ok(()) };
    check_visibility(kept, &turn, &made.told);
    let before = model.clis.get(agent).cloned().unwrap_or_default();
    check_nothing_lost(kept, &turn, &made, &before.shown);
    let told = markers_in(&format!("{}{}", made.prompt, made.flag));
    let others: BTreeSet<usize> = told.into_iter().filter(|number| *number >= OTHERS).collect();
    let needed = needed(kept, &turn);
    assert!(
        needed.iter().all(|number| others.contains(number) || before.others.contains(number)),
        "{needed:?} of {others:?}"
    );
    let current = current(kept, &turn).filter(|_| turn.route.is_some());
    let current = current.map(|index| kept.messages[index].number);
    // A message that was cut was shown, too.
    let mut shown = shown_whole(kept, &made.prompt);
    shown.extend(markers_in(&made.prompt).into_iter().filter(|number| *number < OTHERS));
    model.pending.insert(agent, Pending { shown, others, current });
    if u.ratio(2, 3)? {
        assert!(kept.manager.sessions.confirm(agent));
        model.confirm(agent);
    }
    Ok(())
}

fn prompt(
    u: &mut Unstructured,
    kept: &mut Kept,
    model: &mut Model,
    by_recipient: bool,
    tokenizer: Tokenizer,
) -> Result<()> {
    let (agent, agent_type) = *u.choose(&AGENTS)?;
    let turn = turn(u, kept, (agent, agent_type), tokenizer)?;
    if u.ratio(2, 3)? {
        let recipient = by_recipient.then(|| agent.to_owned());
        return prompt_of_session(u, kept, model, TurnOptions { recipient, ..turn }, agent);
    }
    let turn = TurnOptions { recipient: Some((*u.choose(&RECIPIENTS)?).to_owned()), ..turn };
    if let Some(made) = assemble(kept, &turn) {
        check_visibility(kept, &turn, &made.told);
        check_nothing_lost(kept, &turn, &made, &BTreeSet::new());
    }
    Ok(())
}

/// With room for everything, each agent is shown all that is new to it.
fn check_end(kept: &mut Kept, model: &Model, by_recipient: bool, options: ManagerOptions) {
    kept.restart(
        ManagerOptions { window_size: 1000, max_bytes: 1 << 24, eviction_step: 1, ..options },
        false,
    );
    for (agent, agent_type) in AGENTS {
        let (Some(cli), Some(seen)) = (model.clis.get(agent), kept.manager.sessions.seen(agent))
        else {
            continue;
        };
        let end = seen.ledger.end;
        let covered =
            kept.manager.conversation.summary_for(Some(agent)).map_or(0, |summary| summary.covered);
        let assembler = kept.manager.agents.look_up(agent_type).assembler;
        let turn = TurnOptions {
            assembler,
            agent_id: agent.to_owned(),
            session: true,
            recipient: by_recipient.then(|| agent.to_owned()),
            ..TurnOptions::default()
        };
        let Some(made) = assemble(kept, &turn) else { continue };
        check_nothing_lost(kept, &turn, &made, &cli.shown);
        let shown = shown_whole(kept, &made.prompt);
        for (index, given) in kept.messages.iter().enumerate() {
            let is_shown = shown.contains(&given.number);
            let is_own = given.envelope.speaker.id == agent;
            if index >= end.max(covered) {
                let is_wanted = !is_own && kept.may_see(turn.recipient.as_deref(), index);
                let left_out = &made.report.left_out;
                assert_eq!(is_shown, is_wanted, "message {index} for {agent}: {left_out:?}");
            } else if is_shown {
                assert!(!cli.shown.contains(&given.number), "message {index} again for {agent}");
            }
        }
    }
}

fn check(data: &[u8]) -> Result<()> {
    let mut u = Unstructured::new(data);
    let by_recipient = u.arbitrary()?;
    let tokenizer = Some(tokenizer(&mut u)?).filter(|tokenizer| tokenizer.function().is_none());
    let tokenizer = tokenizer.unwrap_or(Tokenizer::Exact(promptmason::tokens::Vocabulary::O200k));
    let options = options(&mut u)?;
    let mut kept = Kept::new(
        options.clone(),
        Box::new(|options| {
            Manager::new(
                options,
                Agents::new(&Layouts::default(), Vec::new(), AgentDefaults::default()),
            )
        }),
    );
    let mut model = Model::default();
    model.system = model.other();
    for _ in 0..40 {
        if u.is_empty() {
            break;
        }
        match u.int_in_range(0..=19)? {
            0..=6 => kept.add(&mut u)?,
            7 => kept.update(&mut u)?,
            8 => kept.remove(&mut u)?,
            9 => kept.pin(&mut u)?,
            10 => {
                let text = marked(model.other(), "summary");
                let recipient = if u.arbitrary()? { Some(*u.choose(&RECIPIENTS)?) } else { None };
                if let Some(index) = kept.any(&mut u)? {
                    // A summary that covers less than the last one is refused.
                    drop(kept.manager.conversation.set_summary(
                        &kept.messages[index].id,
                        &text,
                        recipient,
                    ));
                }
            }
            11 => drop(kept.manager.set_team_task(Some(&marked(model.other(), "task")))),
            12 => model.system = model.other(),
            13 => {
                let (agent, _) = *u.choose(&AGENTS)?;
                let was_there =
                    model.clis.remove(agent).is_some() | model.pending.remove(agent).is_some();
                assert_eq!(kept.manager.sessions.forget(agent), was_there);
            }
            14 => {
                kept.restart(options.clone(), u.arbitrary()?);
                model.pending.clear();
            }
            15 => {
                let (agent, _) = *u.choose(&AGENTS)?;
                let is_confirmed = kept.manager.sessions.confirm(agent);
                assert_eq!(model.confirm(agent), is_confirmed);
            }
            _ => prompt(&mut u, &mut kept, &mut model, by_recipient, tokenizer)?,
        }
    }
    check_end(&mut kept, &model, by_recipient, options);
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    // Too few bytes to build an input.
    let _ = check(data);
});
