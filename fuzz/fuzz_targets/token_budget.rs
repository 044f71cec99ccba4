//! Budgets in tokens and in bytes, under either policy: what is sent fits both, counted as a whole,
//! or an error names the smallest budget that suffices.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use promptmason::Error;
use promptmason::budget;
use promptmason::prompt::role_line;
use promptmason::tokens::BudgetUnit;
use promptmason::tokens::Tokenizer;
use promptmason_fuzz::check::{check_account, written};
use promptmason_fuzz::input::Input;
use promptmason_fuzz::reference::{self, Policy};
use promptmason_fuzz::text::text;
use promptmason_fuzz::tokens::{budget as token_budget, check_tokens, tokenizer};

struct Asked {
    input: Input,
    policy: Policy,
    tokenizer: Tokenizer,
}

impl Asked {
    fn assemble(
        &mut self,
        (max_bytes, max_tokens): (usize, usize),
        report: bool,
    ) -> std::result::Result<(String, String), Error> {
        let Asked { input, tokenizer, .. } = self;
        input.materials.max_bytes = max_bytes;
        input.materials.tokens = Some(token_budget(*tokenizer, max_tokens, &input.materials));
        let input = &*input;
        let policy = match self.policy {
            Policy::Assembler => budget::Policy::Assembler,
            Policy::BuildPrompt(system_max_bytes) => {
                budget::Policy::BuildPrompt { system_max_bytes }
            }
        };
        let mut reading = input.read(policy, None, report)?;
        let assembly = reading.finish()?;
        let (prompt, flag) = written(&assembly);
        assert!(prompt.len() + flag.len() <= max_bytes);
        let report = report.then(|| assembly.report());
        check_tokens(*tokenizer, max_tokens, &prompt, &flag, report.as_ref());
        if let Some(report) = report {
            assert_eq!(report.account.given_bytes, input.given_bytes());
            check_account(&report, &prompt, &flag);
        }
        Ok((prompt, flag))
    }
}

fn check(data: &[u8]) -> Result<()> {
    let mut u = Unstructured::new(data);
    let share = if u.arbitrary()? { Some(u.int_in_range(0..=5000)?) } else { None };
    let policy = if u.arbitrary()? { Policy::BuildPrompt(share) } else { Policy::Assembler };
    let tokenizer = tokenizer(&mut u)?;
    let max_tokens = 1 + usize::from(u.arbitrary::<u16>()?) % [40, 400, 3000][u.choose_index(3)?];
    let mut input = Input::arbitrary(&mut u)?;
    if let Policy::BuildPrompt(_) = policy {
        input.materials.role = role_line(&text(&mut u, 4)?);
    }
    // Each input is counted many times.
    if input.given_bytes() > 30_000 {
        return Ok(());
    }
    let max_bytes = if u.ratio(1, 3)? { 1 << 20 } else { input.materials.max_bytes };
    let mut asked = Asked { input, policy, tokenizer };

    let plain = asked.assemble((max_bytes, max_tokens), false);
    let reported = asked.assemble((max_bytes, max_tokens), true);
    assert_eq!(plain.as_ref().ok(), reported.as_ref().ok());
    // A budget that nothing exceeds changes nothing.
    let no_limit = usize::MAX >> 16;
    let unlimited = asked.assemble((max_bytes, no_limit), false).ok();
    assert_eq!(unlimited, reference::assemble(&asked.input, policy, max_bytes).ok());

    if let Err(Error::BudgetExceeded { system_max_bytes: Some(_), .. }) = plain {
        return Ok(());
    }
    let Err(Error::BudgetExceeded { unit, required_bytes, tokens: Some(tokens), sections, .. }) =
        plain
    else {
        assert!(plain.is_ok(), "{plain:?}");
        return Ok(());
    };
    assert!(!sections.is_empty() && tokens.max_tokens == max_tokens);
    match unit {
        BudgetUnit::Tokens => {
            let required = tokens.required_tokens.expect("they were counted");
            assert!(required > max_tokens);
            assert!(
                asked.assemble((max_bytes, required), false).is_ok(),
                "{required} tokens suffice"
            );
            assert!(
                asked.assemble((max_bytes, required - 1), false).is_err(),
                "{} of {required} tokens suffice",
                required - 1
            );
        }
        BudgetUnit::Bytes => {
            assert!(required_bytes > max_bytes);
            assert!(
                asked.assemble((required_bytes, no_limit), false).is_ok(),
                "{required_bytes} bytes suffice"
            );
            assert!(
                asked.assemble((required_bytes - 1, max_tokens), false).is_err(),
                "{} of {required_bytes} bytes suffice",
                required_bytes - 1
            );
        }
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    // Too few bytes to build an input.
    let _ = check(data);
});
