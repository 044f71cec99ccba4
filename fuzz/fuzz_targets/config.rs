//! Reads any bytes as a configuration file and as settings. JSON must parse as another parser
//! parses it; anything else must be an error with a position. TOML must not panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use promptmason::Error;
use promptmason::instructions::config::Configs;
use promptmason::instructions::in_memory::InMemoryFileSystem;
use promptmason::instructions::search::Search;
use promptmason::instructions::settings::Settings;
use promptmason::instructions::trust::Boundary;
use promptmason::instructions::{InstructionOptions, ProcessEnvironment, jsonc, toml};
use serde_json::Value;
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    let lines = data.iter().filter(|byte| **byte == b'\n').count() + 1;
    let without_mark = data.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(data);
    let strict: Option<Value> = serde_json::from_slice(without_mark).ok();
    match (jsonc::parse::<Value>(data), &strict) {
        (Ok(value), Some(strict)) => assert_eq!(&value, strict),
        (Ok(_), None) => {}
        (Err(error), None) => assert!(error.place.0 <= lines && !error.problem.is_empty()),
        (Err(error), Some(_)) => panic!("{error:?}"),
    }
    if let Err(error) = toml::top_level(&String::from_utf8_lossy(data)) {
        assert!(error.place.0 <= lines && !error.problem.is_empty());
    }

    let fs = InMemoryFileSystem::default().bytes("/p/etcode.json", data);
    let options = InstructionOptions::new("/p", ProcessEnvironment::default());
    let search = Search::new(&options, &Settings::default());
    let directories = [Path::new("/p")];
    match Configs::find(&fs, &options, &search.config, &directories, &Boundary::default()) {
        Ok(configs) => {
            let Some(strict) = strict else { return };
            let found: Vec<String> =
                configs.lists.into_iter().flat_map(|config| config.instructions).collect();
            // One parser refuses a duplicate field, the other overwrites it.
            let given: Result<Vec<String>, _> =
                serde_json::from_value(strict["instructions"].clone());
            assert_eq!(found, given.unwrap_or_default());
        }
        Err(Error::InvalidConfig { place, problem, .. }) => {
            assert!(!problem.is_empty());
            assert!(place.expect("a place").0 <= lines);
        }
        Err(error) => panic!("{error}"),
    }
});
