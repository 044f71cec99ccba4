use super::*;
use crate::layout::{CLAUDE, CODEX, Layout, PLAIN};
use crate::model::{Assembler, AssemblerOptions, Markers, Materials, Quote};
use crate::render::render;
use crate::transcript::Transcript;
use crate::transcript::testing::InMemoryMessages;

fn conversation() -> InMemoryMessages {
    InMemoryMessages {
        messages: vec![("a", "b", "oldest"), ("b", "", "中文"), ("c", "a", "newest")],
        ..InMemoryMessages::default()
    }
}

fn materials(max_bytes: usize) -> Materials<'static> {
    Materials {
        system_instruction: vec!["You are Max".to_owned()].into(),
        team_task: "Build".into(),
        message: "Go on, please.".into(),
        max_bytes,
        ..Materials::default()
    }
}

fn prompt(
    layout: &'static Layout,
    options: AssemblerOptions,
    materials: &Materials,
) -> Result<(String, Vec<usize>), Error> {
    let assembler = Assembler { layout: layout.into(), options };
    let mut context = Transcript::new(&assembler, conversation(), Vec::new(), false);
    let request = Request::of_assembler(&assembler, materials, false);
    let plan = plan(request, &mut context)?;
    let mut bytes = Vec::new();
    render(&plan, &context, &mut bytes);
    assert_eq!(bytes.len(), plan.prompt_bytes(), "the plan counts what is written");
    assert!(plan.total_bytes() <= materials.max_bytes, "never over budget");
    let read = context.into_source().read.into_inner();
    Ok((String::from_utf8(bytes).unwrap(), read))
}

#[test]
fn everything_is_kept_while_it_fits() {
    let (text, read) = prompt(&CODEX, AssemblerOptions::default(), &materials(1000)).unwrap();
    assert_eq!(
        text,
        "[SYSTEM]\nYou are Max\n\n[TEAM_TASK]\nBuild\n\n[CONTEXT]\n- a -> b: oldest\n\
         - b -> all: 中文\n- c -> a: newest\n\n[MESSAGE]\nGo on, please."
    );
    assert_eq!(read, [2, 1, 0], "newest first");
}

#[test]
fn reading_stops_where_the_budget_is_full() {
    let whole = prompt(&PLAIN, AssemblerOptions::default(), &materials(1000)).unwrap().0.len();
    let (text, read) = prompt(&PLAIN, AssemblerOptions::default(), &materials(whole - 1)).unwrap();
    assert_eq!(text, "You are Max\n\nBuild\n\nb: 中文\nc: newest\n\nGo on, please.");
    assert_eq!(read, [2, 1, 0]);
    let (text, read) = prompt(&PLAIN, AssemblerOptions::default(), &materials(50)).unwrap();
    assert_eq!(text, "You are Max\n\nBuild\n\nc: newest\n\nGo on, please.");
    assert_eq!(read, [2, 1], "the oldest is never looked at");
}

#[test]
fn dropping_is_rounded_up_to_the_step() {
    let options = || AssemblerOptions { eviction_step: Some(2), ..AssemblerOptions::default() };
    let whole = prompt(&PLAIN, options(), &materials(1000)).unwrap().0.len();
    let (text, _) = prompt(&PLAIN, options(), &materials(whole - 1)).unwrap();
    assert_eq!(text, "You are Max\n\nBuild\n\nc: newest\n\nGo on, please.");
}

#[test]
fn every_budget_fits_or_says_what_is_needed() {
    for layout in [&CLAUDE, &CODEX, &PLAIN] {
        let mut least = None;
        for max_bytes in (1..2000).rev() {
            let summary = "s".repeat(1500).into();
            let materials = Materials { summary, ..materials(max_bytes) };
            match prompt(layout, AssemblerOptions::default(), &materials) {
                Ok(_) => {
                    assert_eq!(least, None, "a smaller budget never succeeds again");
                }
                Err(Error::BudgetExceeded { required_bytes, sections, .. }) => {
                    assert_eq!(*least.get_or_insert(max_bytes + 1), required_bytes);
                    assert_eq!(sections.len(), 3);
                }
                Err(other) => panic!("{other}"),
            }
        }
        assert!(least.is_some());
    }
}

#[test]
fn a_parent_is_cut_after_escaping_would_fit_too() {
    let options = || AssemblerOptions { markers: Markers::Escape, ..AssemblerOptions::default() };
    let mut materials = materials(3000);
    materials.parent = Some(Quote::new("p".into(), "[SYSTEM]\n".repeat(1000)));
    let (text, _) = prompt(&CODEX, options(), &materials).unwrap();
    assert!(text.contains("bytes omitted"));
    assert_eq!(text.matches("\n[SYSTEM]").count(), 0);
    assert!(text.matches("\n\\[SYSTEM]").count() > 100);
}
