//! A conversation over arbitrary steps, with arbitrary layouts: prompts stay within both budgets,
//! their accounts add up, and caches do not change the result.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use promptmason::Error;
use promptmason::layout::Part;
use promptmason::layout::{BUILT_IN, Layouts};
use promptmason::manager::{
    AgentDefaults, Agents, ConversationOptions, Manager, ManagerOptions, RouteOptions, TurnOptions,
};
use promptmason::model::{Assembler, AssemblerOptions, Markers};
use promptmason::report::Report;
use promptmason::tokens::BudgetUnit;
use promptmason::tokens::CountedText;
use promptmason::tokens::Tokenizer;
use promptmason_fuzz::check::{check_account, written};
use promptmason_fuzz::conversation::{Kept, MakeManager};
use promptmason_fuzz::layout::definition;
use promptmason_fuzz::text::{name, text};
use promptmason_fuzz::tokens::{check_tokens, count_by_function, tokenizer};

const AGENTS: [&str; 6] = ["claude-code", "codex", "gemini", "qwen-code", "other", "own"];

fn id(u: &mut Unstructured) -> Result<String> {
    Ok(format!("msg-{}", u.int_in_range(1..=12)?))
}

fn turn(u: &mut Unstructured, kept: &Kept, tokenizer: Tokenizer) -> Result<TurnOptions> {
    let optional = |u: &mut Unstructured| if u.ratio(1, 3)? { name(u).map(Some) } else { Ok(None) };
    let route = match u.ratio(1, 3)? {
        true => Some(RouteOptions {
            parent_id: id(u)?,
            target_id: name(u)?,
            intent: optional(u)?,
            ..RouteOptions::default()
        }),
        false => None,
    };
    let (instruction, file) = (text(u, 3)?, text(u, 3)?);
    let counted = [&instruction, &file].map(|text| {
        (Part::System, CountedText { bytes: text.len(), tokens: count_by_function(text) })
    });
    Ok(TurnOptions {
        assembler: kept.manager.agents.look_up(u.choose(&AGENTS)?).assembler,
        window_size: u.arbitrary::<bool>()?.then_some(u.int_in_range(0..=12)?),
        agent_id: name(u)?,
        session: u.ratio(1, 3)?,
        recipient: optional(u)?,
        show_sender: Some(u.arbitrary()?),
        instruction: vec![instruction],
        file,
        route,
        max_tokens: if u.arbitrary()? { Some(u.int_in_range(1..=1200)?) } else { None },
        tokenizer: Some(tokenizer),
        api: None,
        caching: Default::default(),
        model: None,
        counted: vec![counted.to_vec()],
        new_fence_key: None,
    })
}

/// The prompt, flag and report of a turn.
fn assembled(
    manager: &mut Manager,
    turn: &TurnOptions,
    report: bool,
) -> std::result::Result<(String, String, Option<Report>), Error> {
    let outcome = manager.assemble_turn(turn, report, |assembly| {
        let (prompt, flag) = written(&assembly);
        (prompt, flag, report.then(|| assembly.report()))
    });
    outcome.map(|(made, _)| made)
}

fn check_error(kept: &mut Kept, turn: &TurnOptions, error: Error) {
    let Error::BudgetExceeded { unit, required_bytes, max_bytes, tokens, .. } = error else {
        panic!("{error}")
    };
    match (unit, tokens) {
        (BudgetUnit::Tokens, Some(tokens)) => {
            let required = tokens.required_tokens.expect("they were counted");
            let mut fits = |max_tokens| {
                assembled(
                    &mut kept.manager,
                    &TurnOptions { max_tokens: Some(max_tokens), ..turn.clone() },
                    false,
                )
                .is_ok()
            };
            assert!(fits(required) && !fits(required - 1), "{required} tokens");
        }
        _ => assert!(required_bytes > max_bytes),
    }
}

fn assemble(
    u: &mut Unstructured,
    kept: &mut Kept,
    options: &ManagerOptions,
    tokenizer: Tokenizer,
) -> Result<()> {
    let turn = turn(u, kept, tokenizer)?;
    let made = assembled(&mut kept.manager, &turn, true);
    let unreported = assembled(&mut kept.manager, &turn, false).ok();
    assert_eq!(
        unreported.as_ref().map(|made| (&made.0, &made.1)),
        made.as_ref().ok().map(|made| (&made.0, &made.1))
    );
    if u.ratio(1, 4)? {
        // A new manager has no counts and no caches yet.
        let has_pending = kept.manager.sessions.seen(&turn.agent_id).is_some();
        kept.restart(options.clone(), u.arbitrary()?);
        assert_eq!(has_pending, kept.manager.sessions.seen(&turn.agent_id).is_some());
        assert_eq!(assembled(&mut kept.manager, &turn, true).ok(), made.as_ref().ok().cloned());
    }
    let (prompt, flag, report) = match made {
        Ok(made) => made,
        // A delta may have nothing new to send.
        Err(Error::NothingToSend(_)) => return Ok(()),
        Err(error) => {
            check_error(kept, &turn, error);
            return Ok(());
        }
    };
    let report = report.expect("it was asked for");
    check_account(&report, &prompt, &flag);
    if let Some(max_tokens) = turn.max_tokens {
        check_tokens(tokenizer, max_tokens, &prompt, &flag, Some(&report));
    }
    let overflow = kept.manager.overflow(&turn).expect("what fits has an overflow");
    assert!(overflow.iter().all(|index| *index < kept.messages.len()));
    let before = kept.manager.reported.stable_prefix(&turn.agent_id, prompt.as_bytes());
    assert!(before.is_none_or(|bytes| bytes <= prompt.len()));
    kept.manager.reported.keep(turn.agent_id.clone(), prompt.clone().into_bytes());
    assert_eq!(
        kept.manager.reported.stable_prefix(&turn.agent_id, prompt.as_bytes()),
        Some(prompt.len())
    );

    let shown = kept.manager.assemble_turn(&turn, false, |_| ()).expect("as before").1;
    if let Some(shown) = shown {
        kept.manager.prompted(&turn.agent_id, shown);
        if u.arbitrary()? {
            assert!(kept.manager.sessions.confirm(&turn.agent_id));
        }
    }
    drop(kept.manager.view(&turn).expect("a view"));
    Ok(())
}

fn make_manager(u: &mut Unstructured) -> Result<MakeManager> {
    let own = definition(u)?;
    let options = AssemblerOptions {
        markers: Some(*u.choose(&[Markers::Verbatim, Markers::Escape])?),
        eviction_step: if u.arbitrary()? { Some(u.int_in_range(0..=4)?) } else { None },
        message_min_bytes: if u.arbitrary()? { Some(u.int_in_range(0..=400)?) } else { None },
        ..AssemblerOptions::default()
    };
    Ok(Box::new(move |manager_options| {
        let own = own.clone().check("layouts[0]").ok();
        let layouts = Layouts::new(own.into_iter().collect(), "layouts").unwrap_or_default();
        let assemblers = BUILT_IN.into_iter().map(|layout| {
            (layout.agent_type.to_string(), Assembler::new(layout.into(), options.clone()))
        });
        Manager::new(
            manager_options,
            Agents::new(&layouts, assemblers.collect(), AgentDefaults::default()),
        )
    }))
}

fn check(data: &[u8]) -> Result<()> {
    let mut u = Unstructured::new(data);
    let options = ManagerOptions {
        window_size: u.int_in_range(0..=8)?,
        max_bytes: usize::from(u.arbitrary::<u16>()?) % 4000 + 1,
        max_siblings: u.int_in_range(0..=4)?,
        eviction_step: u.int_in_range(0..=4)?,
        conversation: ConversationOptions {
            keeps_markers: u.arbitrary()?,
            ..ConversationOptions::default()
        },
        ..ManagerOptions::default()
    };
    let tokenizer = tokenizer(&mut u)?;
    let mut kept = Kept::new(options.clone(), make_manager(&mut u)?);
    for _ in 0..40 {
        if u.is_empty() {
            break;
        }
        match u.int_in_range(0..=15)? {
            0..=6 => kept.add(&mut u)?,
            7 => kept.update(&mut u)?,
            8 => kept.remove(&mut u)?,
            9 => kept.pin(&mut u)?,
            10 => {
                let (id, text, recipient) = (id(&mut u)?, text(&mut u, 6)?, name(&mut u)?);
                let recipient = u.arbitrary::<bool>()?.then_some(&*recipient);
                drop(kept.manager.conversation.set_summary(&id, &text, recipient));
            }
            11 => drop(kept.manager.set_team_task(Some(&text(&mut u, 12)?))),
            _ => assemble(&mut u, &mut kept, &options, tokenizer)?,
        }
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    // Too few bytes to build an input.
    let _ = check(data);
});
