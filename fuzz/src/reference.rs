//! The assemblers once more, as plainly as possible: take one thing away, build the whole prompt
//! again, measure it, repeat. Slow and obvious, to compare the real ones with.

use crate::input::{Input, Message};
use promptmason::layout::{LayoutSection, LineStyle};
use promptmason::model::Part;
use promptmason::pins::GAP_LINE;
use promptmason::text::trim_js;
use unicode_segmentation::UnicodeSegmentation;

const LEAST_SHORTENED_BYTES: usize = 1024;
const LEAST_AROUND_OMISSION_LINE: usize = 32;

fn omission_line(bytes: usize) -> String {
    format!("\n[… {bytes} bytes omitted …]\n")
}

/// As many pieces as fit, in the order in which they come.
fn fitting<'t>(pieces: impl Iterator<Item = &'t str>, max_bytes: usize) -> usize {
    let mut used = 0;
    for piece in pieces {
        if used + piece.len() > max_bytes {
            break;
        }
        used += piece.len();
    }
    used
}

pub fn head(text: &str, max_bytes: usize) -> &str {
    &text[..fitting(text.graphemes(true), max_bytes)]
}

pub fn tail(text: &str, max_bytes: usize) -> &str {
    &text[text.len() - fitting(text.graphemes(true).rev(), max_bytes)..]
}

/// Head, omission line and tail; `None` when there is no room for these.
pub fn shorten(text: &str, max_bytes: usize) -> Option<String> {
    if text.len() <= max_bytes {
        return Some(text.to_owned());
    }
    let around = max_bytes.checked_sub(omission_line(text.len()).len())?;
    let start = head(text, around.div_ceil(2));
    if around < LEAST_AROUND_OMISSION_LINE || start.is_empty() || tail(text, around / 2).is_empty() {
        return None;
    }
    let end = tail(text, around - start.len());
    Some([start, &omission_line(text.len() - start.len() - end.len()), end].concat())
}

/// The text with that much less in it; nothing if too little would be left.
fn shortened_by(text: &str, over: usize) -> String {
    let short = text.len().checked_sub(over).and_then(|max_bytes| shorten(text, max_bytes));
    short.filter(|short| short.len() >= LEAST_SHORTENED_BYTES).unwrap_or_default()
}

/// Whether a text is another with its middle left out.
pub fn is_shortened(short: &str, whole: &str) -> bool {
    (0..whole.len() + 1).any(|omitted| {
        let line = omission_line(omitted);
        short.match_indices(&line).any(|(at, _)| {
            let (start, end) = (&short[..at], &short[at + line.len()..]);
            whole.starts_with(start) && whole.ends_with(end) && start.len() + omitted + end.len() == whole.len()
        })
    })
}

/// A name in a line: a line break in it is a space.
fn on_one_line(name: &str) -> String {
    name.replace("\r\n", " ").replace(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], " ")
}

fn message_line(style: &LineStyle, Message(from, to, content): &Message) -> String {
    let to = if to.is_empty() { "all" } else { to };
    let shown = style.arrow.as_ref().map_or(String::new(), |arrow| format!("{}{}", &**arrow, on_one_line(to)));
    format!("{}{}{shown}{}{content}", &*style.open, on_one_line(from), &*style.colon)
}

fn quote_line(style: &LineStyle, from: &str, content: &str) -> String {
    format!("{}{}{}{content}", &*style.open, on_one_line(from), &*style.colon)
}

struct State<'i> {
    input: &'i Input,
    context: Vec<String>,
    first: usize,
    siblings: Vec<String>,
    summary: String,
    parent_from: String,
    parent: String,
    message: String,
}

struct Built {
    prompt: String,
    flag: String,
}

impl Built {
    fn bytes(&self) -> usize {
        self.prompt.len() + self.flag.len()
    }
}

impl State<'_> {
    fn context_text(&self) -> String {
        let Input { pinned, gaps_before, .. } = self.input;
        let mut text = String::new();
        let mut before = None;
        for (index, line) in self.context.iter().enumerate() {
            if index < self.first && !pinned.contains(&index) {
                continue;
            }
            if let Some(before) = before {
                text.push('\n');
                if !pinned.is_empty() && (index > before + 1 || gaps_before.contains(&index)) {
                    text.push_str(GAP_LINE);
                    text.push('\n');
                }
            }
            text.push_str(line);
            before = Some(index);
        }
        text
    }

    fn body(&self, part: Part, system: &str) -> String {
        let (layout, materials) = (&self.input.assembler.layout, &self.input.materials);
        match part {
            Part::System if self.input.assembler.system_placement().in_prompt() => system.to_owned(),
            Part::System => String::new(),
            Part::TeamTask => trim_js(&materials.team_task).to_owned(),
            Part::Summary => self.summary.clone(),
            Part::Context => self.context_text(),
            Part::Parent if self.parent.is_empty() => String::new(),
            Part::Parent => quote_line(&layout.quote_line, &self.parent_from, &self.parent),
            Part::Siblings => self.siblings.join("\n"),
            Part::Message => self.message.clone(),
            Part::Routing => {
                let line = |label: &str, value: &str| match trim_js(value) {
                    "" => None,
                    value => Some(format!("{label}{}", on_one_line(value))),
                };
                let lines = [line(&layout.parent_id_label, &materials.parent_message_id), line(&layout.intent_label, &materials.intent)];
                lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
            }
        }
    }

    fn build(&self) -> Built {
        let assembler = &self.input.assembler;
        let system = self.input.materials.system_text(&self.input.materials.instruction_file).into_owned();
        let section = |section: &LayoutSection| {
            let body = self.body(section.part, &system);
            let lines = [assembler.title(section), &*section.note, &body];
            let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
            (!body.is_empty()).then(|| lines.join("\n"))
        };
        let sections: Vec<String> = assembler.layout.sections.iter().filter_map(section).collect();
        let flag = if assembler.system_placement().in_flag() { system.clone() } else { String::new() };
        Built { prompt: sections.join("\n\n"), flag }
    }

    fn bytes(&self) -> usize {
        self.build().bytes()
    }

    /// By how much it is too large.
    fn over(&self) -> usize {
        self.bytes().saturating_sub(self.input.materials.max_bytes)
    }
}

/// The prompt and the flag, or how many bytes the least would need.
pub fn assemble(input: &Input, given_message: &str) -> Result<(String, String), usize> {
    let (layout, materials) = (&input.assembler.layout, &input.materials);
    let has = |part| layout.has(part);
    let lines = |part, lines: Vec<String>| if has(part) { lines } else { Vec::new() };
    let quotes = materials.siblings.iter().map(|quote| quote_line(&layout.quote_line, &quote.from, &quote.content));
    let parent = materials.parent.as_ref().filter(|_| has(Part::Parent));
    let mut state = State {
        input,
        context: lines(Part::Context, input.messages.iter().map(|message| message_line(&layout.message_line, message)).collect()),
        first: 0,
        siblings: lines(Part::Siblings, quotes.collect()),
        summary: if has(Part::Summary) { trim_js(&materials.summary).to_owned() } else { String::new() },
        parent_from: parent.map_or(String::new(), |parent| parent.from.clone()),
        parent: parent.map_or(String::new(), |parent| parent.content.clone()),
        message: if has(Part::Message) { trim_js(given_message).to_owned() } else { String::new() },
    };
    let trimmed = trim_js(&state.parent);
    if trimmed.is_empty() || trimmed == state.message || is_shortened(trimmed, &state.message) {
        state.parent = String::new();
    }

    let step = input.assembler.options.eviction_step.unwrap_or(1).max(1);
    let count = state.context.len();
    let mut least = count;
    let mut chosen = None;
    let sizes: Vec<(usize, usize)> = (0..=count)
        .filter(|dropped| dropped % step == 0 || *dropped == count)
        .map(|dropped| {
            state.first = dropped;
            (dropped, state.bytes())
        })
        .collect();
    let mut least_bytes = sizes.last().map_or(0, |(_, bytes)| *bytes);
    for (dropped, bytes) in sizes {
        if chosen.is_none() && bytes <= materials.max_bytes {
            chosen = Some(dropped);
        }
        if bytes < least_bytes {
            (least, least_bytes) = (dropped, bytes);
        }
    }
    state.first = chosen.unwrap_or(least);

    while state.over() > 0 && state.siblings.pop().is_some() {}
    if state.over() > 0 {
        state.summary = shortened_by(&state.summary, state.over());
    }
    if state.over() > 0 {
        state.parent = shortened_by(&state.parent, state.over());
    }
    if state.over() > 0 && !state.message.is_empty() {
        let mut least = input.assembler.message_min_bytes().min(state.message.len());
        while shorten(&state.message, least).is_none() {
            least += 1;
        }
        let limit = state.message.len().checked_sub(state.over()).filter(|limit| *limit >= least);
        let short = limit.and_then(|limit| shorten(&state.message, limit));
        // If it does not fit, it stands for the least that would have been needed.
        state.message = short.unwrap_or_else(|| "x".repeat(least));
    }
    let built = state.build();
    match built.bytes() <= materials.max_bytes {
        true => Ok((built.prompt, built.flag)),
        false => Err(built.bytes()),
    }
}
