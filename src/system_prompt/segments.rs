//! A system prompt as one text: the core text, notes on the tools, the runtime hints.

use crate::text::{is_han, is_kana, trim_js};

/// The default file of the core text, relative to the working directory.
pub const DEFAULT_CORE_FILE: &str = "SYSTEM_PROMPT.md";

/// The language of the titles and hints that this package writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Locale {
    /// Chinese.
    Zh,
    /// English.
    #[default]
    En,
}

/// The texts of a locale.
struct Words {
    tools: &'static str,
    colon: &'static str,
    state: &'static str,
}

impl Locale {
    /// The accepted names.
    pub const NAMES: [(&str, Locale); 2] = [("zh", Locale::Zh), ("en", Locale::En)];

    /// The locale with this name.
    pub fn parse(name: &str) -> Option<Locale> {
        Locale::NAMES.iter().find(|(known, _)| *known == name).map(|(_, locale)| *locale)
    }

    /// The locale of a text: Chinese if it has Chinese characters and is not Japanese.
    pub fn of(text: &str) -> Locale {
        match text.contains(is_han) && !text.contains(is_kana) {
            true => Locale::Zh,
            false => Locale::En,
        }
    }

    fn words(self) -> Words {
        match self {
            Locale::Zh => Words {
                tools: "# 可用工具补充说明", colon: "：", state: "# 运行时状态"
            },
            Locale::En => Words {
                tools: "# Notes on the available tools",
                colon: ": ",
                state: "# Runtime state",
            },
        }
    }
}

/// A tool and a note on its use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// The name of the tool.
    pub name: String,
    /// When and how to use it.
    pub usage: String,
}

/// Joins the segments. A segment without content is left out, with its title.
pub fn join_segments(core: &str, tools: &[Tool], hints: &[String], locale: Locale) -> String {
    let words = locale.words();
    let mut segments = vec![core.to_owned()];
    let notes: Vec<String> = tools.iter().map(|tool| note(tool, words.colon)).collect();
    let notes = notes.join("\n");
    if !trim_js(&notes).is_empty() {
        segments.push(format!("\n---\n{}\n\n{}", words.tools, trim_js(&notes)));
    }
    if !hints.is_empty() {
        segments.push(format!("\n---\n{}\n\n{}", words.state, hints.join("\n\n")));
    }
    segments.join("\n")
}

/// The note on a tool, as a list item. Line breaks become spaces, because they would end the
/// list.
fn note(tool: &Tool, colon: &str) -> String {
    let lines = tool.usage.split(['\n', '\r']).map(trim_js);
    let usage: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    match usage.join(" ") {
        usage if usage.is_empty() => format!("- **{}**", tool.name),
        usage => format!("- **{}**{colon}{usage}", tool.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, usage: &str) -> Tool {
        Tool { name: name.to_owned(), usage: usage.to_owned() }
    }

    #[test]
    fn the_text_is_as_documented() {
        let tools = [tool("read_file", "读取文件内容。"), tool("bash", "执行 Shell 命令。")];
        let hints = ["第一".to_owned(), "第二".to_owned()];
        assert_eq!(
            join_segments("核心\n", &tools, &hints, Locale::Zh),
            "核心\n\n\n---\n# 可用工具补充说明\n\n- **read_file**：读取文件内容。\n\
             - **bash**：执行 Shell 命令。\n\n---\n# 运行时状态\n\n第一\n\n第二"
        );
    }

    #[test]
    fn locales_have_names() {
        assert_eq!(Locale::parse("zh"), Some(Locale::Zh));
        assert_eq!(Locale::parse("en"), Some(Locale::default()));
        assert_eq!(Locale::parse("EN"), None);
    }

    #[test]
    fn the_locale_follows_the_text() {
        for chinese in ["你是 Sarah。", "role: 角", "\u{3007}", "\u{20000}", "𠮷 ok"] {
            assert_eq!(Locale::of(chinese), Locale::Zh, "{chinese}");
        }
        let kana = ["あなたは助手です。", "カ漢", "ｶ漢", "漢字かな"];
        for other in ["", "You are Sarah.", "，。", "너는", "é", "😀"].into_iter().chain(kana)
        {
            assert_eq!(Locale::of(other), Locale::En, "{other}");
        }
    }

    #[test]
    fn empty_segments_have_no_title() {
        assert_eq!(join_segments("core", &[], &[], Locale::Zh), "core");
        let hints = ["hint".to_owned()];
        assert_eq!(
            join_segments("core", &[], &hints, Locale::En),
            "core\n\n---\n# Runtime state\n\nhint"
        );
        assert_eq!(
            join_segments("core", &[tool("a", "b")], &[], Locale::En),
            "core\n\n---\n# Notes on the available tools\n\n- **a**: b"
        );
    }

    #[test]
    fn each_tool_is_one_line() {
        let tools = [tool("a", " first \n\n  second\r\n"), tool("b", "")];
        let text = join_segments("", &tools, &[], Locale::En);
        assert!(text.ends_with("\n\n- **a**: first second\n- **b**"), "{text}");
    }
}
