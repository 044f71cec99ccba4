//! A preset with the caller's changes: what is looked for, and where.

use super::preset::{ConfigFile, Find, Includes, Place, Reach};
use super::{InstructionOptions, Order, ProcessEnvironment};
use std::path::{Path, PathBuf};

/// What is looked for, and where.
#[derive(Debug)]
pub struct Search {
    /// Sets of what is read in each directory of the project. The first one that there is counts.
    pub sets: Vec<Vec<Find>>,
    /// The order of the project's directories.
    pub order: Order,
    /// Which directories of the project are searched.
    pub reach: Reach,
    /// Directories of the user, and what is read there.
    pub user: Vec<(PathBuf, Vec<Find>)>,
    /// Whether only the first of these with a file counts.
    pub one_user_place: bool,
    /// Whether the files of the user come first.
    pub user_first: bool,
    /// The name of the project's configuration file.
    pub config_name: Option<String>,
    /// Whether `@path` is replaced by a file.
    pub includes: Includes,
}

impl Search {
    /// The search that the options describe.
    ///
    /// `files` replaces the names in the project's directories; folders with rules stay.
    /// `appName` replaces the configuration file and the files of the user.
    pub fn new(options: &InstructionOptions) -> Self {
        let preset = options.preset;
        let app_name = options.app_name.as_deref().unwrap_or(InstructionOptions::APP_NAME);
        let sets = match &options.files {
            Some(names) => {
                let files = names.iter().map(|name| Find::File(name.clone().into()));
                let first = preset.project.iter().take(1).copied().flatten();
                let rules = first.filter(|find| is_rules(find)).cloned();
                vec![files.chain(rules).collect()]
            }
            None => {
                let named = |find: &Find| named(find, app_name);
                preset.project.iter().map(|set| set.iter().map(named).collect()).collect()
            }
        };
        let has_app = options.app_name.is_some() || preset.config == ConfigFile::App;
        let user = match has_app {
            true => app_files(&options.process, app_name, &sets),
            false => {
                let places = preset.user.iter();
                let found = |files: &super::preset::UserFiles| {
                    Some((place(&options.process, &files.place)?, files.find.to_vec()))
                };
                places.filter_map(found).collect()
            }
        };
        Search {
            sets,
            order: options.order.unwrap_or(preset.order),
            reach: match options.untrusted {
                // What is above the repository may be anybody's.
                true => Reach::Repository,
                false => preset.reach,
            },
            user,
            one_user_place: preset.one_user_place && !has_app,
            user_first: preset.user_first,
            config_name: match preset.config {
                _ if has_app => Some(format!("{app_name}.json")),
                ConfigFile::Named(name) => Some(name.to_owned()),
                ConfigFile::App | ConfigFile::None => None,
            },
            includes: match (options.includes, preset.includes) {
                (Some(false), _) => Includes::Off,
                (Some(true), Includes::Off) => Includes::Anywhere,
                (_, of_preset) => of_preset,
            },
        }
    }

    /// The names of files in a directory, set by set.
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        self.sets.iter().flatten().flat_map(|find| match find {
            Find::File(name) => vec![&**name],
            Find::FirstOf(names) | Find::FirstWithText(names) => names.to_vec(),
            Find::AppFile | Find::Rules { .. } => Vec::new(),
        })
    }

    /// Whether files must be read to know which of them are used.
    pub fn depends_on_texts(&self) -> bool {
        let has_rules = |finds: &[Find]| finds.iter().any(is_rules);
        self.includes != Includes::Off
            || self.sets.iter().any(|set| has_rules(set))
            || self.user.iter().any(|(_, finds)| has_rules(finds))
    }
}

/// The same with the application's own file as a name.
fn named(find: &Find, app_name: &str) -> Find {
    match find {
        Find::AppFile => Find::File(format!("{}.md", app_name.to_uppercase()).into()),
        other => other.clone(),
    }
}

/// The first file name, in the application's configuration directory.
fn app_files(
    process: &ProcessEnvironment,
    app_name: &str,
    sets: &[Vec<Find>],
) -> Vec<(PathBuf, Vec<Find>)> {
    let first = sets.first().and_then(|set| set.first()).filter(|find| !is_rules(find)).cloned();
    match (config_home(process), first) {
        (Some(home), Some(first)) => vec![(home.join(app_name), vec![first])],
        _ => Vec::new(),
    }
}

fn is_rules(find: &Find) -> bool {
    matches!(find, Find::Rules { .. })
}

/// The directory of a place; `None` if it is not known.
fn place(process: &ProcessEnvironment, place: &Place) -> Option<PathBuf> {
    let named =
        |variable: &str| process.places.get(variable).cloned().filter(|path| path.is_absolute());
    match place {
        Place::Home { directory, variable } => {
            let named = variable.and_then(named);
            named.or_else(|| Some(process.home.as_ref()?.join(Path::new(directory))))
        }
        Place::Variable(variable) => named(variable),
        Place::Config(directory) => Some(config_home(process)?.join(directory)),
        Place::AppConfig => Some(config_home(process)?.join(InstructionOptions::APP_NAME)),
        Place::Fixed(path) => Some(PathBuf::from(path)),
    }
}

/// The directory for configurations. A relative `$XDG_CONFIG_HOME` is ignored, as the XDG base
/// directory specification demands.
fn config_home(process: &ProcessEnvironment) -> Option<PathBuf> {
    let config_home = process.config_home.clone().filter(|path| path.is_absolute());
    config_home.or_else(|| Some(process.home.as_ref()?.join(".config")))
}
