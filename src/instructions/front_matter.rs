//! The front matter of a rule file: lines between two `---`. Only a few fields are used.
//!
//! This is not a YAML parser. It knows what rule files contain: `name: value`, values in quotes,
//! lists in brackets, lists of `- value` lines, and comments. Patterns are often written without
//! quotes (`globs: *.ts`), which YAML does not allow and tools accept.

use crate::text::trim_js;

/// The fields of a front matter that are used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// `alwaysApply`, if it is true or false.
    pub always_apply: Option<bool>,
    /// `globs`.
    pub globs: Vec<String>,
    /// `applyTo`.
    pub apply_to: Vec<String>,
    /// `paths`.
    pub paths: Vec<String>,
    /// `description`, if it is not empty.
    pub description: Option<String>,
}

/// Splits a text into its front matter and what follows. Returns `None` if it does not begin with a
/// front matter that is closed.
pub fn split(text: &str) -> Option<(FrontMatter, &str)> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let start = lines.next().filter(|first| is_fence(first))?.len();
    let mut end = start;
    for line in lines {
        if is_fence(line) {
            return Some((fields(&text[start..end]), &text[end + line.len()..]));
        }
        end += line.len();
    }
    None
}

fn is_fence(line: &str) -> bool {
    let bare = line.strip_suffix("\r\n").or(line.strip_suffix('\n')).unwrap_or(line);
    bare.trim_end_matches([' ', '\t']) == "---"
}

fn fields(matter: &str) -> FrontMatter {
    let mut fields = FrontMatter::default();
    let mut lines = matter.lines().peekable();
    while let Some(line) = lines.next() {
        // An indented line belongs to something that is not used.
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = without_comment(trim_js(value));
        let mut list = || {
            let mut items = items(value);
            while let Some(item) = lines.peek().and_then(|line| list_item(line)) {
                items.extend(Some(unquoted(item)).filter(|item| !item.is_empty()));
                lines.next();
            }
            items
        };
        match name {
            "alwaysApply" => {
                fields.always_apply = match unquoted(value).as_str() {
                    "true" => Some(true),
                    "false" => Some(false),
                    _ => None,
                }
            }
            "globs" => fields.globs = list(),
            "applyTo" => fields.apply_to = list(),
            "paths" => fields.paths = list(),
            "description" => {
                fields.description = Some(unquoted(value)).filter(|text| !text.is_empty());
            }
            _ => {}
        }
    }
    fields
}

/// The item of a line `- item`.
fn list_item(line: &str) -> Option<&str> {
    let item = line.trim_start_matches([' ', '\t']).strip_prefix('-')?;
    // `-x` is not an item, and neither is a line of dashes.
    (item.is_empty() || item.starts_with([' ', '\t'])).then(|| without_comment(trim_js(item)))
}

/// The items of a list on one line: in brackets, in quotes, or separated by commas. Commas in
/// braces belong to a pattern.
fn items(value: &str) -> Vec<String> {
    let inner = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(value);
    let (mut items, mut item) = (Vec::new(), String::new());
    let (mut depth, mut quote) = (0_usize, None);
    for c in inner.chars() {
        match c {
            ',' if depth == 0 && quote.is_none() => items.push(std::mem::take(&mut item)),
            _ => {
                match c {
                    '"' | '\'' if quote == Some(c) => quote = None,
                    '"' | '\'' if quote.is_none() && trim_js(&item).is_empty() => quote = Some(c),
                    '{' => depth += 1,
                    '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                item.push(c);
            }
        }
    }
    items.push(item);
    let items = items.iter().map(|item| unquoted(trim_js(item)));
    // A whole list in quotes: "a, b".
    let nested = items.flat_map(|item| match item.contains(',') && !item.contains('{') {
        true => item.split(',').map(|part| trim_js(part).to_owned()).collect(),
        false => vec![item],
    });
    nested.filter(|item| !item.is_empty()).collect()
}

/// A value without the quotes around it.
fn unquoted(value: &str) -> String {
    let quoted = ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote).and_then(|rest| rest.strip_suffix(*quote)));
    quoted.unwrap_or(value).to_owned()
}

/// A value without a comment at its end. A `#` in a pattern has no space before it.
fn without_comment(value: &str) -> &str {
    if value.starts_with(['"', '\'']) {
        return value;
    }
    match value.find(" #") {
        Some(at) => trim_js(&value[..at]),
        None if value.starts_with('#') => "",
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(matter: &str) -> FrontMatter {
        split(&format!("---\n{matter}\n---\ntext")).unwrap().0
    }

    #[test]
    fn front_matter_is_split_from_the_text() {
        for (text, rest) in [
            ("---\ndescription: x\n---\ntext\n", "text\n"),
            ("\u{FEFF}---\r\ndescription: x\r\n---\r\n\r\ntext", "\r\ntext"),
            ("---\n---", ""),
            ("--- \n--- \ntext", "text"),
            ("---\na\n---\n---\nb", "---\nb"),
        ] {
            assert_eq!(split(text).unwrap().1, rest, "{text:?}");
        }
        for none in [
            "",
            "text",
            "--\n--",
            "---",
            "---\nnot closed",
            "----\n----",
            " ---\n---",
            "x\n---\n---",
        ] {
            assert_eq!(split(none), None, "{none:?}");
        }
    }

    #[test]
    fn lists_are_read_in_every_notation() {
        let expected = ["src/**/*.ts", "*.{js,jsx}"];
        for list in [
            "globs: src/**/*.ts,*.{js,jsx}",
            "globs: src/**/*.ts, *.{js,jsx} # both",
            "globs: \"src/**/*.ts\", '*.{js,jsx}'",
            "globs: [\"src/**/*.ts\", \"*.{js,jsx}\"]",
            "globs: [src/**/*.ts, *.{js,jsx}]",
            "globs:\n  - src/**/*.ts\n  - \"*.{js,jsx}\"",
            "globs:\n- 'src/**/*.ts' \n- *.{js,jsx} # comment\nother: 1",
            "globs:\n-\n- src/**/*.ts\n\t- *.{js,jsx}",
        ] {
            assert_eq!(read(list).globs, expected, "{list}");
        }
        assert_eq!(read("applyTo: \"**/*.ts,**/*.tsx\"").apply_to, ["**/*.ts", "**/*.tsx"]);
        assert_eq!(read("paths: '**'").paths, ["**"]);
        for empty in ["globs:", "globs: []", "globs: \"\"", "globs: ,", "globs: # none"] {
            assert!(read(empty).globs.is_empty(), "{empty}");
        }
    }

    #[test]
    fn description_and_always_apply_are_read() {
        let fields = read("description: \"When: always\" \nalwaysApply: true\nglobs:");
        assert_eq!(fields.description.as_deref(), Some("When: always"));
        assert_eq!(fields.always_apply, Some(true));
        assert_eq!(read("alwaysApply: false").always_apply, Some(false));
        assert_eq!(read("alwaysApply: yes").always_apply, None);
        assert_eq!(read("description:"), FrontMatter::default());
        assert_eq!(read("nested:\n  globs: a\nGLOBS: b\n- globs: c"), FrontMatter::default());
    }

    #[test]
    fn hostile_front_matter_is_read_in_one_pass() {
        let many = "globs: {{{{,,,,\n".repeat(20_000);
        assert_eq!(read(&many).globs, ["{{{{,,,,"]);
        let unclosed = format!("---\n{}", "a: b\n".repeat(50_000));
        assert_eq!(split(&unclosed), None);
        assert_eq!(read(&format!("globs: {}", "a,".repeat(50_000))).globs.len(), 50_000);
        read(&format!("globs: {}", "\"".repeat(100_000)));
    }
}
