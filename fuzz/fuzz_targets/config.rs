//! Any bytes as a configuration file: its instructions as another parser reads them, or an error
//! that says where.
#![no_main]

use libfuzzer_sys::fuzz_target;
use promptmason::Error;
use promptmason::instructions::config::{Found, find};
use promptmason::instructions::in_memory::InMemoryFileSystem;
use promptmason::instructions::trust::Boundary;
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    let fs = InMemoryFileSystem::default().bytes("/p/etcode.json", data);
    let found = find(&fs, "etcode.json", Path::new("/p"), Path::new("/p"), &Boundary::default());
    let without_mark = data.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(data);
    let parsed: Option<serde_json::Value> = serde_json::from_slice(without_mark).ok();
    match found {
        Ok(Found::Config(config)) => {
            let value = parsed.map(|value| value["instructions"].clone());
            // A field that is there twice is refused by the one and overwritten by the other.
            let given: Vec<String> =
                serde_json::from_value(value.unwrap_or_default()).unwrap_or_default();
            assert_eq!(config.instructions, given);
        }
        Ok(Found::Refused(..)) => panic!("nothing is refused in a trusted directory"),
        Err(Error::InvalidConfig { place, problem, .. }) => {
            assert!(!problem.is_empty());
            let (line, _) = place.expect("a place");
            assert!(line <= data.iter().filter(|byte| **byte == b'\n').count() + 1);
        }
        Err(error) => panic!("{error}"),
    }
});
