//! Plain versions of the assemblers and `buildPrompt`: remove one thing, build the whole prompt
//! again, measure it, repeat. Slow but obvious; the real ones are compared with them.

pub mod cut;

use crate::input::{Input, Message};
use cut::{is_shortened, least_cut, shortened};
use promptmason::conversation::pins::GAP_LINE;
use promptmason::layout::Part;
use promptmason::layout::{LayoutSection, LineStyle};
use promptmason::model::{Markers, Quote, Sender};
use promptmason::structure::Structure;
use promptmason::text::trim_js;

const LEAST_SHORTENED_BYTES: usize = 1024;
const LEAST_FILE_BYTES: usize = 2048;

/// What may be removed.
#[derive(Clone, Copy)]
pub enum Policy {
    Assembler,
    /// With the limit of the system text, if the caller set one.
    BuildPrompt(Option<usize>),
}

/// A name on one line: line breaks become spaces.
fn on_one_line(name: &str) -> String {
    name.replace("\r\n", " ")
        .replace(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'], " ")
}

fn message_line(style: &LineStyle, Message(from, to, content): &Message) -> String {
    let to = if to.is_empty() { "all" } else { to };
    let shown = style
        .arrow
        .as_ref()
        .map_or(String::new(), |arrow| format!("{}{}", &**arrow, on_one_line(to)));
    format!("{}{}{shown}{}{content}", &*style.open, on_one_line(from), &*style.colon)
}

fn quote_opening(style: &LineStyle, from: &str) -> String {
    format!("{}{}{}", &*style.open, on_one_line(from), &*style.colon)
}

struct State<'i> {
    input: &'i Input,
    max_bytes: usize,
    file: String,
    context: Vec<String>,
    first: usize,
    siblings: Vec<String>,
    summary: String,
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
    fn escaped(&self, structure: &Structure, line: String) -> String {
        match self.input.assembler.markers() {
            Markers::Verbatim | Markers::Fence => line,
            Markers::Escape => structure.escape(&line).unwrap_or(line),
        }
    }

    fn quote_line(&self, from: &str, content: &str) -> String {
        let opening = quote_opening(&self.input.assembler.layout.quote_line, from);
        self.escaped(&self.input.assembler.quote_structure(), opening + content)
    }

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

    fn system(&self) -> String {
        self.input.materials.system_text(&self.file).into_owned()
    }

    fn body(&self, part: Part) -> String {
        let (layout, materials) = (&self.input.assembler.layout, &self.input.materials);
        match part {
            Part::System if self.input.assembler.system_placement().in_prompt() => self.system(),
            Part::System => String::new(),
            Part::TeamTask => trim_js(&materials.team_task).to_owned(),
            Part::Summary => self.summary.clone(),
            Part::Context => self.context_text(),
            Part::Parent => self.parent.clone(),
            Part::Siblings => self.siblings.join("\n"),
            Part::Message => self.message.clone(),
            Part::Routing => {
                let line = |label: &str, value: &str| match trim_js(value) {
                    "" => None,
                    value => Some(format!("{label}{}", on_one_line(value))),
                };
                let lines = [
                    line(&layout.parent_id_label, &materials.parent_message_id),
                    line(&layout.intent_label, &materials.intent),
                ];
                lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
            }
        }
    }

    fn sender(&self) -> String {
        let Some(Sender { from, to }) = &self.input.materials.sender else { return String::new() };
        let LineStyle { open, arrow, colon } = &self.input.assembler.layout.sender_line;
        let to = if to.is_empty() { "all".to_owned() } else { on_one_line(to) };
        [open, &*on_one_line(from), arrow.as_deref().unwrap_or_default(), &to, colon].concat()
    }

    fn build(&self) -> Built {
        let assembler = &self.input.assembler;
        let section = |section: &LayoutSection| {
            let body = self.body(section.part);
            let sender = match section.part {
                Part::Message => self.sender(),
                _ => String::new(),
            };
            let lines = [assembler.title(section), &*section.note, &sender, &body];
            let lines: Vec<&str> = lines.into_iter().filter(|line| !line.is_empty()).collect();
            (!body.is_empty()).then(|| lines.join("\n"))
        };
        let sections: Vec<String> = assembler.layout.sections.iter().filter_map(section).collect();
        let flag =
            if assembler.system_placement().in_flag() { self.system() } else { String::new() };
        Built { prompt: sections.join("\n\n"), flag }
    }

    fn bytes(&self) -> usize {
        self.build().bytes()
    }

    /// The bytes over the budget.
    fn over(&self) -> usize {
        self.bytes().saturating_sub(self.max_bytes)
    }

    fn has(&self, part: Part) -> bool {
        self.input.assembler.layout.has(part)
    }

    fn cap_system(&mut self, max_bytes: Option<usize>) {
        let over = self.system().len().saturating_sub(max_bytes.unwrap_or(self.max_bytes / 2));
        if self.has(Part::System) && over > 0 {
            let limit = self.file.len().saturating_sub(over);
            self.file = shortened(&self.file, limit, LEAST_FILE_BYTES)
                .unwrap_or_else(|| least_cut(&self.file, LEAST_FILE_BYTES));
        }
    }

    /// Drops the fewest messages with which everything fits; if nothing fits, as many as give the
    /// smallest prompt.
    fn drop_context(&mut self) {
        let step = self.input.assembler.options.eviction_step.unwrap_or(1).max(1);
        let (start, count) = (self.input.window_start, self.context.len());
        let mut sizes = Vec::new();
        for first in (start..=count).filter(|first| (first - start) % step == 0 || *first == count)
        {
            self.first = first;
            sizes.push((first, self.bytes()));
        }
        let fitting = sizes.iter().find(|(_, bytes)| *bytes <= self.max_bytes);
        let least =
            sizes.iter().rev().min_by_key(|(first, bytes)| (*bytes, *first != count, *first));
        self.first = fitting.or(least).map_or(0, |(first, _)| *first);
    }

    fn shorten_summary(&mut self) {
        if self.over() > 0 {
            let limit = self.summary.len().saturating_sub(self.over());
            self.summary =
                shortened(&self.summary, limit, LEAST_SHORTENED_BYTES).unwrap_or_default();
        }
    }

    /// Counts what escaping adds.
    fn shorten_parent(&mut self, Quote { from, content, .. }: &Quote) {
        let item_limit = self.parent.len().saturating_sub(self.over());
        let opening = quote_opening(&self.input.assembler.layout.quote_line, from);
        let mut limit = item_limit.saturating_sub(opening.len()).min(content.len() - 1);
        let least = least_cut(content, LEAST_SHORTENED_BYTES);
        let least_item = self.quote_line(from, &least);
        self.parent = match least == *content || least_item.len() > item_limit {
            true => String::new(),
            false => loop {
                let Some(short) = shortened(content, limit, LEAST_SHORTENED_BYTES) else {
                    break least_item;
                };
                let item = self.quote_line(from, &short);
                if item.len() <= item_limit {
                    break item;
                }
                limit = limit.saturating_sub(item.len() - item_limit);
            },
        };
    }

    fn shorten_message(&mut self) {
        let least = self.input.assembler.message_min_bytes();
        let limit = self.message.len().saturating_sub(self.over());
        // If this does not fit, its size is in the error.
        self.message = shortened(&self.message, limit, least)
            .unwrap_or_else(|| least_cut(&self.message, least));
    }

    fn shorten_file(&mut self, whole: &str) {
        let saved = self.over().div_ceil(self.input.assembler.system_placement().copies());
        let limit = self.file.len().saturating_sub(saved);
        self.file = shortened(whole, limit, LEAST_FILE_BYTES)
            .unwrap_or_else(|| least_cut(whole, LEAST_FILE_BYTES));
    }
}

/// The prompt and the flag within this many bytes, or else the bytes that an assembler would need.
pub fn assemble(
    input: &Input,
    policy: Policy,
    max_bytes: usize,
) -> Result<(String, String), usize> {
    let (layout, materials) = (&input.assembler.layout, &input.materials);
    let file = trim_js(&materials.instruction_file);
    let mut state = State {
        input,
        max_bytes,
        file: file.to_owned(),
        context: Vec::new(),
        first: 0,
        siblings: Vec::new(),
        summary: String::new(),
        parent: String::new(),
        message: String::new(),
    };
    if layout.has(Part::Context) {
        let structure = input.assembler.message_structure();
        let lines = input
            .messages
            .iter()
            .map(|message| state.escaped(&structure, message_line(&layout.message_line, message)));
        state.context = lines.collect();
    }
    if layout.has(Part::Siblings) {
        state.siblings = materials
            .siblings
            .iter()
            .map(|quote| state.quote_line(&quote.from, &quote.content))
            .collect();
    }
    if layout.has(Part::Summary) {
        state.summary = trim_js(&materials.summary).to_owned();
    }
    if layout.has(Part::Message) {
        state.message = trim_js(input.message()).to_owned();
    }
    let is_new = |quote: &&Quote| match trim_js(&quote.content) {
        "" => false,
        text => text != state.message && !is_shortened(text, &state.message),
    };
    let parent = materials.parent.as_ref().filter(|_| layout.has(Part::Parent)).filter(is_new);
    state.parent =
        parent.map_or(String::new(), |quote| state.quote_line(&quote.from, &quote.content));

    if let Policy::BuildPrompt(share) = policy {
        state.cap_system(share);
    }
    state.drop_context();
    if let Policy::Assembler = policy {
        while state.over() > 0 && state.siblings.pop().is_some() {}
    }
    state.shorten_summary();
    match policy {
        Policy::Assembler => {
            if let Some(quote) = parent.filter(|_| state.over() > 0) {
                state.shorten_parent(quote);
            }
            if state.over() > 0 && !state.message.is_empty() {
                state.shorten_message();
            }
        }
        Policy::BuildPrompt(_) if state.over() > 0 && layout.has(Part::System) => {
            state.shorten_file(file)
        }
        Policy::BuildPrompt(_) => {}
    }
    let share = match policy {
        Policy::BuildPrompt(Some(share)) if layout.has(Part::System) => share,
        _ => usize::MAX,
    };
    let built = state.build();
    match built.bytes() <= max_bytes && state.system().len() <= share {
        true => Ok((built.prompt, built.flag)),
        false => Err(built.bytes()),
    }
}
