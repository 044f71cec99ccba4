//! A kept conversation through any steps: prompts fit, and their accounts add up.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use promptmason::Error;
use promptmason::context::{Agents, Envelope, Manager, ManagerOptions, MessageText, RouteOptions, Speaker, SpeakerForm, TurnOptions};
use promptmason::layout::Layouts;
use promptmason::visibility::members::Addressee;
use promptmason_fuzz::text::{name, text};

const AGENTS: [&str; 5] = ["claude-code", "codex", "gemini", "qwen-code", "other"];

fn id(u: &mut Unstructured) -> arbitrary::Result<String> {
    Ok(format!("msg-{}", u.int_in_range(1..=12)?))
}

fn envelope(u: &mut Unstructured) -> arbitrary::Result<Option<Envelope>> {
    let Ok(mut speaker) = Speaker::new(SpeakerForm::Member, name(u)?) else { return Ok(None) };
    speaker.display_name = name(u)?;
    speaker.is_ai = u.arbitrary()?;
    let mut addressees = Vec::new();
    while addressees.len() < 3 && u.ratio(1, 3)? {
        addressees.push(Addressee::Text(name(u)?));
    }
    addressees.retain(|addressee| !addressee.shown().is_empty());
    Ok(Envelope { speaker, addressees }.checked().ok())
}

fn message(u: &mut Unstructured) -> arbitrary::Result<MessageText<'static>> {
    Ok(MessageText {
        content: text(u, 10)?.into(),
        parent_id: if u.arbitrary()? { Some(id(u)?) } else { None },
        intent: if u.ratio(1, 4)? { Some(name(u)?) } else { None },
        pinned: u.ratio(1, 5)?,
    })
}

fn turn(u: &mut Unstructured, manager: &Manager) -> arbitrary::Result<TurnOptions> {
    let optional = |u: &mut Unstructured| if u.ratio(1, 3)? { name(u).map(Some) } else { Ok(None) };
    let route = match u.ratio(1, 3)? {
        true => Some(RouteOptions { parent_id: id(u)?, target_id: name(u)?, intent: optional(u)?, ..RouteOptions::default() }),
        false => None,
    };
    Ok(TurnOptions {
        assembler: manager.look_up_agent(u.choose(&AGENTS)?).assembler,
        window_size: u.arbitrary::<bool>()?.then_some(u.int_in_range(0..=12)?),
        agent_id: name(u)?,
        session: u.ratio(1, 3)?,
        recipient: optional(u)?,
        instruction: vec![text(u, 3)?],
        file: text(u, 3)?,
        route,
        ..TurnOptions::default()
    })
}

fn assemble(u: &mut Unstructured, manager: &mut Manager) -> arbitrary::Result<()> {
    let options = turn(u, manager)?;
    let agent_id = options.agent_id.clone();
    manager.keep_turn(1, options).expect("there is room");
    let max_bytes = manager.options().max_bytes;
    let outcome = manager.assemble_turn(1, Some(&agent_id), true, |assembly| {
        let mut prompt = Vec::new();
        assembly.write(&mut prompt);
        let prompt = String::from_utf8(prompt).expect("UTF-8");
        let flag = assembly.system_flag().unwrap_or_default().len();
        let report = assembly.report().expect("a report");
        assert_eq!(report.total_bytes, prompt.len() + flag);
        assert!(report.total_bytes <= max_bytes);
        assert_eq!(report.account.sent_bytes + report.account.left_out_bytes, report.account.given_bytes);
        assert_eq!(report.left_out.iter().map(|entry| entry.bytes).sum::<usize>(), report.account.left_out_bytes);
    });
    match outcome {
        Ok((_, shown)) => {
            let overflow = manager.overflow(1).expect("what fits has an overflow");
            assert!(overflow.iter().all(|index| *index < manager.conversation().len()));
            if let Some(shown) = shown {
                manager.prompted(1, shown).expect("the turn is there");
            }
            if u.arbitrary()? {
                manager.sessions_mut().confirm(&agent_id);
            }
        }
        Err(Error::BudgetExceeded { required_bytes, .. }) => assert!(required_bytes > max_bytes),
        Err(error) => panic!("{error}"),
    }
    drop(manager.view(1).expect("a view"));
    Ok(())
}

fn check(data: &[u8]) -> arbitrary::Result<()> {
    let mut u = Unstructured::new(data);
    let options = ManagerOptions {
        window_size: u.int_in_range(0..=8)?,
        max_bytes: usize::from(u.arbitrary::<u16>()?) % 4000 + 1,
        max_siblings: u.int_in_range(0..=4)?,
        eviction_step: u.int_in_range(0..=4)?,
        strip_markers: u.arbitrary()?,
        ..ManagerOptions::default()
    };
    let mut manager = Manager::new(options, Agents::new(&Layouts::default(), Vec::new(), None));
    for _ in 0..40 {
        if u.is_empty() {
            break;
        }
        match u.int_in_range(0..=15)? {
            0..=6 => {
                if let Some(envelope) = envelope(&mut u)? {
                    manager.keep_envelope(0, &envelope).expect("there is room");
                    let text = message(&mut u)?;
                    let number = manager.add(0, &text).expect("there are ids left");
                    if text.pinned {
                        manager.set_pinned(&format!("msg-{number}"), true).expect("it was added");
                    }
                }
            }
            7 => {
                if let Some(envelope) = envelope(&mut u)? {
                    drop(manager.update(&id(&mut u)?, &envelope, &message(&mut u)?));
                }
            }
            8 => drop(manager.remove(&id(&mut u)?)),
            9 => drop(manager.set_pinned(&id(&mut u)?, u.arbitrary()?)),
            10 => {
                let (id, text, recipient) = (id(&mut u)?, text(&mut u, 6)?, name(&mut u)?);
                let recipient = u.arbitrary::<bool>()?.then_some(&*recipient);
                drop(manager.conversation_mut().set_summary(&id, &text, recipient));
            }
            11 => drop(manager.set_team_task(Some(&text(&mut u, 12)?))),
            _ => assemble(&mut u, &mut manager)?,
        }
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    // Too few bytes are no input.
    let _ = check(data);
});
