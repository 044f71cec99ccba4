use super::{ConfigFile, Find, Includes, Place, Preset, Reach, UserFiles, file};
use crate::instructions::Order;

/// The rules that this package has always had: the common file and the application's own, from
/// the working directory up; the user's file; what the configuration names.
pub static ETCODE: Preset = Preset {
    name: "etcode",
    source: "the documents that this package was written for",
    user: &[UserFiles { place: Place::AppConfig, find: &[file("AGENTS.md")] }],
    one_user_place: false,
    user_first: false,
    reach: Reach::Repository,
    order: Order::NearestFirst,
    project: &[&[file("AGENTS.md"), Find::AppFile]],
    config: ConfigFile::App,
    includes: Includes::Off,
    project_max_bytes: None,
};
