//! The table of presets in docs/instructions.md, made from their data. `node
//! scripts/preset-table.mjs` writes it.

use super::{
    Arrangement, ConfigPlace, DEFAULTS, Find, Includes, PRESETS, Place, Preset, Reach, Setting,
    SettingsPlace, Step, UserFiles,
};
use crate::instructions::Order;

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/instructions.md");
const BEGIN: &str = "<!-- made by scripts/preset-table.mjs -->\n";
const END: &str = "<!-- end -->";

fn code(name: &str) -> String {
    format!("`{name}`")
}

fn list<T>(items: impl IntoIterator<Item = T>, shown: impl Fn(T) -> String) -> String {
    items.into_iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn place(place: &Place) -> String {
    let or = |shown: String, variable: &Option<&str>| match variable {
        Some(variable) => format!("`${variable}` or {shown}"),
        None => shown,
    };
    match place {
        Place::Home { directory, variable } => or(format!("`~/{directory}`"), variable),
        Place::Config { directory, variable } => or(format!("`~/.config/{directory}`"), variable),
        Place::Variable(variable) => format!("`${variable}`"),
        Place::AppConfig => "`~/.config/etcode`".to_owned(),
        Place::Fixed(_) => "the administrator's directory".to_owned(),
    }
}

fn finds(finds: &[Find]) -> String {
    list(finds, |find| match find {
        Find::File(name) => code(name),
        Find::AppFile => code("ETCODE.md"),
        Find::FirstOf(names) => {
            format!("the first that exists of {}", list(names.iter(), |name| code(name)))
        }
        Find::FirstWithText(names) => {
            format!("the first with text of {}", list(names.iter(), |name| code(name)))
        }
        Find::Rules { folder, suffix, .. } => format!("`{folder}/**/*{suffix}`"),
    })
}

fn step(step: &Step) -> String {
    match step {
        Step::User(places) => {
            let one = |files: &UserFiles| format!("{}: {}", place(&files.place), finds(files.find));
            places.iter().map(one).collect::<Vec<_>>().join("; or else ")
        }
        Step::Project(sets) => {
            let sets: Vec<String> = sets.iter().map(|set| finds(set)).collect();
            format!("each directory: {}", sets.join("; if there are none anywhere "))
        }
        Step::Root(of_root) => format!("root: {}", finds(of_root)),
        Step::Context { place: of_user, names, by_name } => {
            let names = list(names.iter(), |name| code(name));
            let how = if *by_name { ", name by name" } else { "" };
            format!("{}, then each directory: {names}{how}", place(of_user))
        }
    }
}

fn directories(preset: &Preset) -> String {
    let root = match preset.reach {
        Reach::Repository => "the root",
        Reach::RepositoryOrFileSystem => "the root; outside a repository, that of the file system",
        Reach::AboveRepository => "the directory above the root; outside a repository, all",
        Reach::FileSystem => "the root of the file system",
    };
    match (preset.arrangement, preset.order) {
        (Arrangement::ByPath, _) => format!("up to {root}, sorted by path"),
        (Arrangement::RootThenUp, _) => {
            format!("up to {root}, which comes first; then nearest first")
        }
        (Arrangement::ByOrder, Order::NearestFirst) => format!("up to {root}, nearest first"),
        (Arrangement::ByOrder, Order::RootFirst) => format!("up to {root}, nearest last"),
    }
}

fn configuration(preset: &Preset) -> String {
    let shown = preset.config.iter().map(|files| {
        let names = list(files.names, |name| code(&name.replace("{app}", "etcode")));
        let of = match &files.place {
            ConfigPlace::Nearest => "nearest directory".to_owned(),
            ConfigPlace::RootFirst => "each directory, root first".to_owned(),
            ConfigPlace::NearestFirst => "each directory, nearest first".to_owned(),
            ConfigPlace::User(of_user) => place(of_user),
        };
        let which = if files.only_last { "the last of " } else { "" };
        format!("{of}: {which}{names}")
    });
    shown.collect::<Vec<_>>().join("<br>")
}

fn settings(preset: &Preset, is_followed: bool) -> String {
    let mut shown: Vec<String> = Vec::new();
    for file in preset.settings {
        let keys: Vec<&str> = file
            .keys
            .iter()
            .filter(|(_, setting)| (*setting != Setting::NotFollowed) == is_followed)
            .map(|(key, _)| *key)
            .collect();
        if keys.is_empty() {
            continue;
        }
        let of = match &file.place {
            SettingsPlace::User(of_user) => format!("{}: {}", place(of_user), code(file.name)),
            SettingsPlace::Directory => code(file.name),
        };
        shown.push(format!("{of}: {}", list(keys, code)));
    }
    if !is_followed {
        shown.extend(preset.variables_not_followed.iter().map(|name| format!("`${name}`")));
    }
    shown.join("<br>")
}

fn row(preset: &Preset) -> String {
    let steps: Vec<String> = preset
        .steps
        .iter()
        .enumerate()
        .map(|(at, one)| format!("{}. {}", at + 1, step(one)))
        .collect();
    let includes = match preset.includes {
        Includes::Off => "no",
        Includes::ClaudeCode => "anywhere",
        _ => "in the repository",
    };
    let limit = match preset.project_max_bytes {
        Some(bytes) => format!("<br>{} KiB of the project together", bytes / 1024),
        None => String::new(),
    };
    let default = if preset.name == PRESETS[0].name { " (default)" } else { "" };
    format!(
        "| {}{default} | {}{limit} | {} | {} | {} | {} | {includes} |\n",
        code(preset.name),
        steps.join("<br>"),
        directories(preset),
        configuration(preset),
        settings(preset, true),
        settings(preset, false),
    )
}

fn table() -> String {
    let titles = "| preset | what is read, in order | directories | configurations, in order | \
                  settings that are followed | listed as not followed | includes |\n\
                  | --- | --- | --- | --- | --- | --- | --- |\n";
    let rows: String = PRESETS.iter().map(|preset| row(preset)).collect();
    format!("{BEGIN}\n{titles}{rows}\n{END}")
}

#[test]
fn the_documentation_has_the_table_of_the_presets() {
    assert_eq!(DEFAULTS.name, "");
    let text = std::fs::read_to_string(DOCUMENT).unwrap();
    let begin = text.find(BEGIN).expect("docs/instructions.md has a place for the table");
    let end = begin + text[begin..].find(END).expect("the table has an end") + END.len();
    if std::env::var_os("WRITE_PRESET_TABLE").is_some() {
        std::fs::write(DOCUMENT, format!("{}{}{}", &text[..begin], table(), &text[end..])).unwrap();
        return;
    }
    assert!(text[begin..end] == table(), "run `node scripts/preset-table.mjs`");
}
