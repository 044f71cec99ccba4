//! How an estimate learns from what a provider counted.
//!
//! 1. The first turn shows how far off the estimate is overall; all rates are corrected by that.
//! 2. Later turns correct the rates by script: they become those that fit the last turns best, by
//!    least squares of the relative error, with a small weight on the previous rates. So a script
//!    that does not occur keeps its rate, and one that occurs is learned from texts of any mixture.
//! 3. A rate stays within [`MIN_RATE`] and [`MAX_RATE`], whatever is reported.

use super::estimate::Estimate;
use super::script::{SCRIPTS, ScriptBytes};

/// How many turns are kept.
const MAX_TURNS: usize = 8;

/// The bounds of what is learned, in bytes per token.
const MIN_RATE: f64 = 0.5;
const MAX_RATE: f64 = 32.0;

/// The largest factor by which an estimate may be too high, so that the error stays finite.
const MAX_RATIO: f64 = 1e300;

/// The weight of the previous rates; each turn has a weight of one.
const WEIGHT_OF_RATES: f64 = 0.01;

/// What was sent, and how many tokens the provider counted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Usage {
    /// The size of what was sent.
    pub bytes: usize,
    /// The tokens that were counted.
    pub tokens: usize,
    /// The bytes of each script in it, if known.
    pub scripts: Option<ScriptBytes>,
}

/// A turn that was learned from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredTurn {
    /// What was sent and counted.
    pub usage: Usage,
    /// The estimate divided by the count, minus one: -0.1 is 10 % too low.
    pub error: f64,
}

/// What was learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// Bytes per token of the last turns.
    pub bytes_per_token: f64,
    /// The same by script, once it has learned from a turn with known scripts.
    pub by_script: Option<[f64; SCRIPTS.len()]>,
    /// How far off the estimates of the last turns were: the root mean square.
    pub spread: f64,
    /// The last turns, oldest first.
    pub turns: Vec<MeasuredTurn>,
}

type Rates = [f64; SCRIPTS.len()];

/// Learns from one more turn. `turns` are those it has learned from so far.
pub fn learn(estimate: &Estimate, turns: &[MeasuredTurn], usage: Usage) -> Learned {
    let uniform = [estimate.bytes_per_token; SCRIPTS.len()];
    let mut rates = estimate.by_script.unwrap_or(uniform);
    let estimated = match usage.scripts {
        Some(scripts) => tokens_of(shares(&usage, scripts), rates) * usage.tokens as f64,
        None => usage.bytes as f64 / estimate.bytes_per_token,
    };
    let mut turns: Vec<MeasuredTurn> = turns.to_vec();
    let ratio = (estimated / usage.tokens as f64).min(MAX_RATIO);
    turns.push(MeasuredTurn { usage, error: ratio - 1.0 });
    turns.drain(..turns.len().saturating_sub(MAX_TURNS));

    let sum =
        |of: fn(&Usage) -> usize| turns.iter().map(|turn| of(&turn.usage) as f64).sum::<f64>();
    let bytes_per_token = bounded(sum(|usage| usage.bytes) / sum(|usage| usage.tokens));
    if turns.len() == 1 {
        rates = rates.map(|rate| bounded(rate * ratio));
    }
    let known: Vec<Rates> = turns
        .iter()
        .filter_map(|MeasuredTurn { usage, .. }| Some(shares(usage, usage.scripts?)))
        .collect();
    let by_script = if known.is_empty() {
        let change = bytes_per_token / estimate.bytes_per_token;
        estimate.by_script.map(|rates| rates.map(|rate| bounded(rate * change)))
    } else {
        Some(fitted(&known, rates))
    };
    Learned { bytes_per_token, by_script, spread: spread(&turns), turns }
}

fn bounded(rate: f64) -> f64 {
    rate.clamp(MIN_RATE, MAX_RATE)
}

/// The bytes of each script per token of a turn. Whatever was sent beyond the known text is assumed
/// to have the same mixture.
fn shares(usage: &Usage, scripts: ScriptBytes) -> Rates {
    let scale = usage.bytes as f64 / (scripts.total() as f64 * usage.tokens as f64);
    scripts.0.map(|bytes| bytes as f64 * scale)
}

fn tokens_of(bytes: Rates, rates: Rates) -> f64 {
    bytes.iter().zip(rates).map(|(bytes, rate)| bytes / rate).sum()
}

/// How far off the estimates were. The oldest turn is left out if there are others: the very first
/// estimate is only a guess.
fn spread(turns: &[MeasuredTurn]) -> f64 {
    let counted = if turns.len() > 1 { &turns[1..] } else { turns };
    let squares: f64 = counted.iter().map(|turn| turn.error * turn.error).sum();
    (squares / counted.len() as f64).sqrt()
}

/// The rates with which the turns, given as bytes per token and script, come closest to one token
/// per token. In tokens per byte this is a linear problem, with one equation per script.
fn fitted(turns: &[Rates], rates: Rates) -> Rates {
    let mut equations: [[f64; SCRIPTS.len() + 1]; SCRIPTS.len()] = Default::default();
    for (row, equation) in equations.iter_mut().enumerate() {
        for turn in turns {
            for (column, bytes) in turn.iter().enumerate() {
                equation[column] += turn[row] * bytes;
            }
            equation[SCRIPTS.len()] += turn[row];
        }
        equation[row] += WEIGHT_OF_RATES * rates[row] * rates[row];
        equation[SCRIPTS.len()] += WEIGHT_OF_RATES * rates[row];
    }
    solved(equations).map(|tokens_per_byte| bounded(1.0 / tokens_per_byte.max(1.0 / MAX_RATE)))
}

/// Solves equations with a positive diagonal, which the weight ensures here.
fn solved(mut equations: [[f64; SCRIPTS.len() + 1]; SCRIPTS.len()]) -> Rates {
    for pivot in 0..SCRIPTS.len() {
        let solved = equations[pivot].map(|value| value / equations[pivot][pivot]);
        for equation in &mut equations {
            let factor = equation[pivot];
            for (value, by) in equation.iter_mut().zip(solved) {
                *value -= factor * by;
            }
        }
        equations[pivot] = solved;
    }
    equations.map(|equation| equation[SCRIPTS.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(learned: &Learned) -> Estimate {
        let estimate = Estimate::new(learned.bytes_per_token);
        match learned.by_script {
            Some(rates) => estimate.with_scripts(rates.map(Some)),
            None => estimate,
        }
    }

    fn after(start: Estimate, usages: impl IntoIterator<Item = Usage>) -> Learned {
        let nothing = Learned {
            bytes_per_token: start.bytes_per_token,
            by_script: start.by_script,
            spread: 0.0,
            turns: Vec::new(),
        };
        usages
            .into_iter()
            .fold(nothing, |learned, usage| learn(&estimate(&learned), &learned.turns, usage))
    }

    fn start(bytes_per_token: f64) -> Estimate {
        Estimate::new(bytes_per_token)
    }

    /// The count of a tokenizer with exactly these rates.
    fn counted(scripts: [usize; 4], rates: Rates) -> Usage {
        let tokens = tokens_of(scripts.map(|bytes| bytes as f64), rates).round() as usize;
        Usage { bytes: scripts.iter().sum(), tokens, scripts: Some(ScriptBytes(scripts)) }
    }

    #[test]
    fn without_a_text_the_mean_is_learned() {
        let usage = |bytes, tokens| Usage { bytes, tokens, scripts: None };
        let learned = after(start(4.0), [usage(1000, 500), usage(3000, 1500)]);
        assert_eq!((learned.bytes_per_token, learned.by_script), (2.0, None));
        assert_eq!(learned.turns[0].error, -0.5);
        assert_eq!(learned.spread, 0.0);
    }

    #[test]
    fn scripts_are_learned_from_mixed_texts() {
        let rates = [4.2, 2.5, 1.9, 1.2];
        let mixtures = [
            [4000, 1500, 0, 0],
            [500, 500, 6000, 30],
            [2000, 900, 2500, 0],
            [3000, 3000, 90, 900],
            [100, 90, 4000, 3000],
        ];
        let learned = after(start(4.0), mixtures.map(|mixture| counted(mixture, rates)));
        for (found, rate) in learned.by_script.unwrap().into_iter().zip(rates) {
            assert!((found / rate - 1.0).abs() < 0.12, "{:?}", learned.by_script);
        }
        assert!(learned.spread < 0.5);
    }

    #[test]
    fn a_script_that_does_not_occur_changes_with_the_first_turn_only() {
        let first = counted([4000, 1000, 0, 0], [2.0; 4]);
        let once = after(start(4.0), [first]);
        assert!((once.by_script.unwrap()[2] - 2.0).abs() < 0.01);
        let often = after(start(4.0), [first, counted([4000, 1000, 0, 0], [2.5; 4]), first]);
        assert!((often.by_script.unwrap()[2] - 2.0).abs() < 0.01, "{often:?}");
    }

    #[test]
    fn rates_by_script_follow_the_mean_if_no_text_is_given() {
        let by_script = start(4.0).with_scripts([None, None, Some(2.0), None]);
        let learned = after(by_script, [Usage { bytes: 1000, tokens: 500, scripts: None }]);
        assert_eq!(learned.by_script, Some([2.0, 2.0, 1.0, 2.0]));
    }

    #[test]
    fn the_text_can_be_a_part_of_the_prompt() {
        let part = Usage { bytes: 10_000, ..counted([400, 100, 0, 0], [1.0; 4]) };
        let learned = after(start(4.0), [Usage { tokens: 2500, ..part }]);
        assert_eq!(learned.bytes_per_token, 4.0);
        assert!((learned.by_script.unwrap()[0] - 4.0).abs() < 0.01);
    }

    #[test]
    fn no_report_moves_a_rate_out_of_bounds() {
        let absurd = [(1, usize::MAX), (usize::MAX, 1), (1, 1)];
        for (bytes, tokens) in absurd {
            for scripts in
                [None, Some(ScriptBytes([bytes, 0, 0, 0])), Some(ScriptBytes([1, 1, 1, 1]))]
            {
                let learned = after(start(1e-300), [Usage { bytes, tokens, scripts }; 3]);
                let rates = learned.by_script.unwrap_or([learned.bytes_per_token; 4]);
                for rate in rates.into_iter().chain([learned.bytes_per_token]) {
                    assert!((MIN_RATE..=MAX_RATE).contains(&rate), "{learned:?}");
                }
                assert!(
                    learned.spread.is_finite()
                        && learned.turns.iter().all(|turn| turn.error.is_finite())
                );
            }
        }
    }

    #[test]
    fn only_the_latest_turns_are_kept() {
        let learned = after(
            start(4.0),
            (1..=20).map(|turn| Usage { bytes: turn * 100, tokens: 50, scripts: None }),
        );
        assert_eq!(learned.turns.len(), MAX_TURNS);
        assert_eq!(learned.turns[MAX_TURNS - 1].usage.bytes, 2000);
    }
}
