//! A preset with the tool's settings and the caller's changes: what to look for, and where.

use super::preset::{
    Arrangement, ConfigFiles, ConfigPlace, Find, Includes, Names, Place, Preset, Reach, Step,
    UserFiles,
};
use super::settings::Settings;
use super::{InstructionOptions, Order, ProcessEnvironment};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// What to look for, and where.
#[derive(Debug)]
pub struct Search {
    /// What is read, in order.
    pub steps: Vec<SearchStep>,
    /// The order of the project's directories.
    pub order: Order,
    /// How the files of the project are arranged.
    pub arrangement: Arrangement,
    /// Which directories of the project are searched.
    pub reach: Reach,
    /// The configuration files, in order: where they are, and their names.
    pub config: Vec<SearchConfig>,
    /// Whether `@path` is replaced by a file.
    pub includes: Includes,
    /// The most bytes of all files of the project together.
    pub project_max_bytes: usize,
}

/// Something that is read.
#[derive(Debug)]
pub enum SearchStep {
    /// Files of the user, in the first of these directories that has one.
    User(Vec<(PathBuf, Vec<Find>)>),
    /// Sets of files in each directory of the project. The first set with a file counts.
    Project(Vec<Vec<Find>>),
    /// Files at the root of the repository.
    Root(Vec<Find>),
}

/// Configuration files.
#[derive(Debug)]
pub struct SearchConfig {
    /// Where they are.
    pub place: &'static ConfigPlace,
    /// The directory, if it is one of the user.
    pub directory: Option<PathBuf>,
    /// Their names.
    pub names: Vec<String>,
    /// Whether only the last one that has `instructions` counts.
    pub only_last: bool,
}

impl Search {
    /// The search that the options describe.
    ///
    /// `files` replaces the names in the project's directories; folders with rules stay.
    /// `appName` replaces the configuration files and the files of the user.
    pub fn new(options: &InstructionOptions, settings: &Settings) -> Self {
        let preset = options.preset;
        let app_name = options.app_name.as_deref().unwrap_or(InstructionOptions::APP_NAME);
        let mut steps: Vec<SearchStep> =
            preset.steps.iter().flat_map(|step| search_steps(step, options, settings)).collect();
        if let Some(names) = &options.files {
            replace_names(&mut steps, names, preset);
        }
        let is_of_app = |files: &ConfigFiles| files.names.iter().any(|name| name.contains("{app}"));
        let has_app = options.app_name.is_some() || preset.config.iter().any(is_of_app);
        let config = if has_app { super::preset::APP_CONFIG } else { preset.config };
        if has_app {
            use_app_files(&mut steps, &options.process, app_name);
        }
        Search {
            steps,
            order: options.order.unwrap_or(preset.order),
            arrangement: match options.order {
                Some(_) => Arrangement::ByOrder,
                None => preset.arrangement,
            },
            reach: match options.untrusted {
                // Anybody may have written what is above the repository.
                true => Reach::Repository,
                false => preset.reach,
            },
            config: config.iter().filter_map(|files| configs(files, options, app_name)).collect(),
            includes: match (options.includes, preset.includes) {
                (Some(false), _) => Includes::Off,
                (Some(true), Includes::Off) => Includes::ClaudeCode,
                (_, of_preset) => of_preset,
            },
            project_max_bytes: settings
                .max_bytes
                .or(preset.project_max_bytes)
                .unwrap_or(usize::MAX),
        }
    }

    /// The sets of files in a directory of the project.
    pub fn sets(&self) -> impl Iterator<Item = &Vec<Find>> {
        let sets = self.steps.iter().filter_map(|step| match step {
            SearchStep::Project(sets) => Some(sets),
            SearchStep::User(_) | SearchStep::Root(_) => None,
        });
        sets.flatten()
    }

    /// The names of files in a directory, set by set.
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        self.sets().flatten().flat_map(|find| match find {
            Find::File(name) => vec![&**name],
            Find::FirstOf(names) | Find::FirstWithText(names) => {
                names.iter().map(|name| &**name).collect()
            }
            Find::AppFile | Find::Rules { .. } => Vec::new(),
        })
    }

    /// Whether files must be read to know which of them are used.
    pub fn depends_on_texts(&self) -> bool {
        let has_rules = |finds: &Vec<Find>| finds.iter().any(is_rules);
        self.includes != Includes::Off
            || self.steps.iter().any(|step| match step {
                SearchStep::User(places) => places.iter().any(|(_, finds)| has_rules(finds)),
                SearchStep::Project(sets) => sets.iter().any(has_rules),
                SearchStep::Root(finds) => has_rules(finds),
            })
    }
}

/// A step of a preset, with the names of the settings and of the application.
fn search_steps(step: &Step, options: &InstructionOptions, settings: &Settings) -> Vec<SearchStep> {
    let process = &options.process;
    let app_name = options.app_name.as_deref().unwrap_or(InstructionOptions::APP_NAME);
    let all = |finds: &[Find]| -> Vec<Find> {
        finds.iter().map(|find| completed(find, app_name, settings)).collect()
    };
    match step {
        Step::User(places) => {
            let found =
                |files: &UserFiles| Some((place(process, &files.place)?, files.find.to_vec()));
            vec![SearchStep::User(places.iter().filter_map(found).collect())]
        }
        Step::Project(sets) => {
            vec![SearchStep::Project(sets.iter().map(|set| all(set)).collect())]
        }
        Step::Root(finds) => vec![SearchStep::Root(all(finds))],
        Step::Context { place: of_user, names, by_name } => {
            let of_preset = || names.iter().map(|name| name.to_string());
            let mut wanted = settings.more_names.clone();
            match &settings.names {
                Some(names) => wanted.extend(names.iter().cloned()),
                None => wanted.extend(of_preset()),
            }
            let mut names: Vec<Find> = Vec::new();
            for name in wanted.into_iter().filter(|name| !name.is_empty()) {
                let find = Find::File(name.into());
                if !names.contains(&find) {
                    names.push(find);
                }
            }
            let groups: Vec<Vec<Find>> = match by_name {
                true => names.into_iter().map(|name| vec![name]).collect(),
                false => vec![names],
            };
            let steps = |group: Vec<Find>| {
                let user = place(process, of_user).map(|place| (place, group.clone()));
                [SearchStep::User(user.into_iter().collect()), SearchStep::Project(vec![group])]
            };
            groups.into_iter().flat_map(steps).collect()
        }
    }
}

/// The same, with the name of the application's own file and the names from the settings.
fn completed(find: &Find, app_name: &str, settings: &Settings) -> Find {
    match find {
        Find::AppFile => Find::File(format!("{}.md", app_name.to_uppercase()).into()),
        Find::FirstOf(names) if !settings.fallback_names.is_empty() => {
            let more = settings.fallback_names.iter().cloned().map(Cow::Owned);
            Find::FirstOf(names.iter().cloned().chain(more).collect())
        }
        other => other.clone(),
    }
}

/// The caller's names instead of those in the project's directories.
fn replace_names(steps: &mut Vec<SearchStep>, names: &[String], preset: &Preset) {
    let first = |step: &Step| match step {
        Step::Project([set, ..]) => set.iter().any(|find| matches!(find, Find::FirstOf(_))),
        _ => false,
    };
    let mut names: Vec<Find> = match preset.steps.iter().any(first) {
        true => {
            let names: Names = names.iter().cloned().map(Cow::Owned).collect();
            vec![Find::FirstOf(names)]
        }
        false => names.iter().map(|name| Find::File(name.clone().into())).collect(),
    };
    for step in steps.iter_mut() {
        if let SearchStep::Project(sets) = step {
            let rules = sets.first().into_iter().flatten().filter(|find| is_rules(find)).cloned();
            let rules: Vec<Find> = rules.collect();
            *sets = vec![names.drain(..).chain(rules).collect()];
        }
    }
    steps.retain(|step| !matches!(step, SearchStep::Project(sets) if sets[0].is_empty()));
}

/// The first file name, in the application's configuration directory, instead of the user's files.
/// It takes their position, or comes after the project.
fn use_app_files(steps: &mut Vec<SearchStep>, process: &ProcessEnvironment, app_name: &str) {
    let of_project = |step: &SearchStep| match step {
        SearchStep::Project(sets) => sets.first()?.first().cloned(),
        _ => None,
    };
    let first = steps.iter().find_map(of_project).filter(|find| !is_rules(find));
    let at = steps.iter().position(|step| matches!(step, SearchStep::User(_)));
    steps.retain(|step| !matches!(step, SearchStep::User(_)));
    if let (Some(home), Some(first)) = (config_home(process), first) {
        let step = SearchStep::User(vec![(home.join(app_name), vec![first])]);
        steps.insert(at.unwrap_or(steps.len()).min(steps.len()), step);
    }
}

fn configs(
    files: &'static ConfigFiles,
    options: &InstructionOptions,
    app_name: &str,
) -> Option<SearchConfig> {
    let directory = match &files.place {
        ConfigPlace::User(Place::AppConfig) => Some(config_home(&options.process)?.join(app_name)),
        ConfigPlace::User(of_user) => Some(place(&options.process, of_user)?),
        ConfigPlace::Nearest | ConfigPlace::RootFirst | ConfigPlace::NearestFirst => None,
    };
    let names = files.names.iter().map(|name| name.replace("{app}", app_name)).collect();
    Some(SearchConfig { place: &files.place, directory, names, only_last: files.only_last })
}

fn is_rules(find: &Find) -> bool {
    matches!(find, Find::Rules { .. })
}

/// The directory of a place; `None` if it is unknown.
pub fn place(process: &ProcessEnvironment, place: &Place) -> Option<PathBuf> {
    let named =
        |variable: &str| process.places.get(variable).cloned().filter(|path| path.is_absolute());
    match place {
        Place::Home { directory, variable } => {
            let named = variable.and_then(named);
            named.or_else(|| Some(process.home.as_ref()?.join(Path::new(directory))))
        }
        Place::Variable(variable) => named(variable),
        Place::Config { directory, variable } => {
            variable.and_then(named).or_else(|| Some(config_home(process)?.join(directory)))
        }
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
