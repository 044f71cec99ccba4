//! Sessions beside a model of what the CLI of each agent has read. Over any sequence of turns,
//! confirmed and failed, restarts included, a session is a part of what its agent may see, in
//! order and without repetition, and whatever is missing in it is announced in the prompt and in
//! the account.
//!
//! `SESSION_RUNS=10000 cargo test --lib sessions_read_in_order` tries more sequences.

mod model;
mod run;

use run::Run;

#[test]
fn sessions_read_in_order_and_say_what_is_missing() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let first = number("SESSION_SEED").unwrap_or(0);
    let runs = number("SESSION_RUNS").unwrap_or(300);
    let mut totals = run::Totals::default();
    for seed in first..first + runs {
        Run::new(seed, &mut totals).play();
    }
    println!("{runs} sequences: {totals:?}");
    // All that can happen has happened.
    assert!(runs < 300 || totals.are_all_there(), "{totals:?}");
}
