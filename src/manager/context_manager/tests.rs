//! Compares sessions with a model of what each agent's CLI has read. Over any sequence of turns,
//! confirmed or failed, including restarts, a session is a subset of what its agent may see, in
//! order and without repetition, and the prompt and the account announce whatever it lacks.
//!
//! `SESSION_RUNS=10000 cargo test --lib sessions_read_in_order` tries more sequences.

mod model;
mod run;

use run::Run;

#[test]
fn sessions_read_in_order_and_announce_what_is_missing() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let first = number("SESSION_SEED").unwrap_or(0);
    let runs = number("SESSION_RUNS").unwrap_or(300);
    let mut totals = run::Totals::default();
    for seed in first..first + runs {
        Run::new(seed, &mut totals).play();
    }
    println!("{runs} sequences: {totals:?}");
    // Every kind of event has occurred.
    assert!(runs < 300 || totals.are_all_there(), "{totals:?}");
}
