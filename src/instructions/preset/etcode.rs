use super::{ConfigFile, DEFAULTS, Find, Place, Preset, UserFiles, file};
use crate::instructions::Order;

/// The rules that this package has always had: the common file and the application's own, from
/// the working directory up; the user's file; what the configuration names.
pub static ETCODE: Preset = Preset {
    name: "etcode",
    source: "the documents that this package was written for",
    user: &[UserFiles { place: Place::AppConfig, find: &[file("AGENTS.md")] }],
    order: Order::NearestFirst,
    project: &[&[file("AGENTS.md"), Find::AppFile]],
    config: ConfigFile::App,
    ..DEFAULTS
};
