use super::{ConfigFiles, ConfigPlace, DEFAULTS, Find, Place, Preset, Step, UserFiles, file};
use crate::instructions::Order;

/// The configuration files of an application: those of the nearest directory that has one, then
/// the user's.
pub const APP_CONFIG: &[ConfigFiles] = &[
    ConfigFiles::all(ConfigPlace::Nearest, &["{app}.json", "{app}.jsonc", ".{app}.json"]),
    ConfigFiles::all(ConfigPlace::User(Place::AppConfig), &["{app}.json", "{app}.jsonc"]),
];

/// The rules that this package has always had: the common file and the application's own, from
/// the working directory up; the user's file; what the configuration names.
pub static ETCODE: Preset = Preset {
    name: "etcode",
    source: "the documents that this package was written for",
    steps: &[
        Step::Project(&[&[file("AGENTS.md"), Find::AppFile]]),
        Step::User(&[UserFiles { place: Place::AppConfig, find: &[file("AGENTS.md")] }]),
    ],
    order: Order::NearestFirst,
    config: APP_CONFIG,
    ..DEFAULTS
};
