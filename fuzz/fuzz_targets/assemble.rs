//! Compares an assembler's plan, prompt and account, in bytes, with those of the plain version.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use promptmason::Error;
use promptmason::budget;
use promptmason_fuzz::check::{check_account, written};
use promptmason_fuzz::input::Input;
use promptmason_fuzz::reference::{self, Policy};

fuzz_target!(|data: &[u8]| {
    let Ok(input) = Input::arbitrary(&mut Unstructured::new(data)) else { return };
    let max_bytes = input.materials.max_bytes;
    let expected = reference::assemble(&input, Policy::Assembler, max_bytes);
    // Keeping what a report needs must not change the result.
    for report in [false, true] {
        let mut reading = input.read(budget::Policy::Assembler, None, report).expect("messages");
        let assembly = match reading.finish() {
            Ok(assembly) => assembly,
            Err(Error::BudgetExceeded { required_bytes, .. }) => {
                assert_eq!(expected, Err(required_bytes));
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let (prompt, flag) = written(&assembly);
        assert_eq!(Ok((&prompt, &flag)), expected.as_ref().map(|(prompt, flag)| (prompt, flag)));
        assembly.debug_text(prompt.as_bytes());
        if report {
            let report = assembly.report();
            assert_eq!(report.account.given_bytes, input.given_bytes());
            check_account(&report, &prompt, &flag);
        }
    }
});
