//! Plan, prompt and account of an assembler, against the plain version.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use promptmason::Error;
use promptmason::assemble::{Request, assemble};
use promptmason::transcript::Transcript;
use promptmason_fuzz::input::Input;
use promptmason_fuzz::reference;

fuzz_target!(|data: &[u8]| {
    let Ok(input) = Input::arbitrary(&mut Unstructured::new(data)) else { return };
    let message = input.materials.message.beginning().to_owned();
    let expected = reference::assemble(&input, &message);
    let request = Request::of_assembler(&input.assembler, &input.materials, true);
    let mut transcript = Transcript::new(&input.assembler, &input, Vec::new(), true);
    let assembly = match assemble(request, &mut transcript) {
        Ok(assembly) => assembly,
        Err(Error::BudgetExceeded { required_bytes, .. }) => return assert_eq!(expected, Err(required_bytes)),
        Err(error) => panic!("{error}"),
    };
    let mut prompt = Vec::new();
    assembly.write(&mut prompt);
    let flag = assembly.system_flag().unwrap_or_default().to_owned();
    let (expected_prompt, expected_flag) = expected.expect("it fits");
    assert_eq!(String::from_utf8(prompt.clone()).unwrap(), expected_prompt);
    assert_eq!(flag, expected_flag);
    assert_eq!(assembly.prompt_bytes(), prompt.len());

    let report = assembly.report().unwrap();
    let account = report.account;
    assert_eq!(report.total_bytes, prompt.len() + flag.len());
    assert!(report.total_bytes <= input.materials.max_bytes);
    assert_eq!(account.given_bytes, input.given_bytes(&message));
    assert_eq!(account.sent_bytes + account.left_out_bytes, account.given_bytes);
    assert_eq!(report.left_out.iter().map(|entry| entry.bytes).sum::<usize>(), account.left_out_bytes);
    assembly.debug_text(&prompt).unwrap();
});
