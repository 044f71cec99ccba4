//! Properties of every prompt.

use promptmason::assemble::Assembly;
use promptmason::report::Report;

/// The prompt and the flag.
pub fn written(assembly: &Assembly) -> (String, String) {
    let mut prompt = Vec::new();
    assembly.write(&mut prompt);
    assert_eq!(assembly.prompt_bytes, prompt.len());
    (
        String::from_utf8(prompt).expect("UTF-8"),
        assembly.system_flag().unwrap_or_default().to_owned(),
    )
}

/// Checks that a report has the sizes of what is sent, and that its account adds up.
pub fn check_account(report: &Report, prompt: &str, flag: &str) {
    assert_eq!((report.prompt_bytes, report.system_flag_bytes), (prompt.len(), flag.len()));
    assert_eq!(report.total_bytes, prompt.len() + flag.len());
    assert!(report.total_bytes <= report.max_bytes);
    let account = report.account;
    assert_eq!(account.sent_bytes + account.left_out_bytes, account.given_bytes);
    assert_eq!(
        report.left_out.iter().map(|entry| entry.bytes).sum::<usize>(),
        account.left_out_bytes
    );
    assert!(report.left_out.iter().all(|entry| entry.bytes > 0 || entry.count > 0));
    serde_json::to_string(report).expect("JSON");
}
