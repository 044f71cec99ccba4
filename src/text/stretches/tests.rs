use super::*;

/// A text of calls with results, and their positions.
struct Laid {
    text: String,
    stretches: Vec<Stretch>,
}

impl Laid {
    fn new() -> Self {
        Laid { text: String::new(), stretches: Vec::new() }
    }

    fn say(mut self, text: &str) -> Self {
        self.begin();
        self.text += text;
        self
    }

    fn begin(&mut self) {
        if !self.text.is_empty() {
            self.text += "\n";
        }
    }

    fn call(mut self, arguments: &str, result: Option<&str>) -> Self {
        self.begin();
        let start = self.text.len();
        self.text += "→ read ";
        let from = self.text.len();
        self.text += arguments;
        let arguments = from..self.text.len();
        if let Some(result) = result {
            self.text += "\n← result\n";
            let at = self.text.len();
            self.text += result;
            let end = self.text.len();
            self.stretches.push(Stretch { range: start..end, arguments, result: at });
        } else {
            let end = self.text.len();
            self.stretches.push(Stretch { range: start..end, arguments, result: end });
        }
        self
    }

    fn stretched(&self) -> Stretched<'_> {
        Stretched::new(&self.text, &self.stretches)
    }

    /// Whether both pieces of every stretch are visible without these bytes, or neither.
    fn is_allowed(&self, omitted: &Range<usize>) -> bool {
        let is_there =
            |range: &Range<usize>| range.end <= omitted.start || range.start >= omitted.end;
        let is_gone =
            |range: &Range<usize>| range.start >= omitted.start && range.end <= omitted.end;
        self.stretches.iter().all(|Stretch { range, arguments, result }| {
            let name = range.start..arguments.start;
            let (call, rest) = (range.start..arguments.end, arguments.end..range.end);
            let between = arguments.end..*result;
            let is_shortened_call = is_there(&name)
                && is_there(&rest)
                && omitted.start > arguments.start
                && omitted.end <= arguments.end;
            let is_shortened_result = is_there(&call)
                && is_there(&between)
                && (*result == range.end || omitted.start > *result);
            is_gone(range) || is_there(range) || is_shortened_call || is_shortened_result
        })
    }
}

fn texts() -> Vec<Laid> {
    let words = "Words that are said. ".repeat(9);
    let long = "y".repeat(120);
    let big = "z".repeat(300);
    vec![
        Laid::new().say(&words).call("{}", Some("short")).say(&words),
        Laid::new().say("Hi.").call("{\"path\":\"a.ts\"}", Some(&big)),
        Laid::new().call("{\"path\":\"a.ts\"}", Some(&big)).say("Done."),
        Laid::new().say("I write it.").call(&big, Some("ok")).say("Done."),
        Laid::new().call(&big, Some("ok")),
        Laid::new().call("{}", Some(&big)),
        Laid::new().call(&long, Some(&big)).call("{}", Some(&long)).call("{}", None),
        Laid::new().say(&words).call("{}", Some(&big)).call("{}", Some("")),
        Laid::new().call("{}", None).say(&words).call(&long, None),
        Laid::new().say(&words).call("{}", Some(&format!("{long}\r"))).say("中文字").say(&words),
        Laid::new().say("e\u{301}👍🏽").call("{\"中\":1}", Some(&"中文 👍🏽".repeat(12))).say("ok"),
        (0..12).fold(Laid::new(), |laid, _| laid.call("{\"path\":\"a.ts\"}", Some("0123456789"))),
    ]
}

#[test]
fn a_cut_shows_a_call_with_its_result_or_neither() {
    for laid in texts() {
        let whole = laid.stretched();
        for max in 0..laid.text.len() {
            let Some(cut) = whole.head_tail(max) else { continue };
            let [head, omission, tail] = cut.parts();
            let omitted = head.len()..laid.text.len() - tail.len();
            assert!(laid.is_allowed(&omitted), "{max}: {head}{omission}{tail}");
            assert!(cut.bytes() <= max);
            assert!(laid.text.starts_with(head) && laid.text.ends_with(tail));
            assert!(!omitted.is_empty() && head.len() + tail.len() > 0);
            assert_eq!(omission, omission_line(omitted.len()));
        }
    }
}

#[test]
fn the_least_cut_is_found_if_there_is_one() {
    for laid in texts() {
        let (whole, bytes) = (laid.stretched(), laid.text.len());
        let is_boundary = |at: &usize| whole.floor(*at) == *at;
        let places: Vec<usize> = (0..=bytes).filter(is_boundary).collect();
        let begins = laid.stretches.first().is_some_and(|it| it.range.start == 0);
        let ends = laid.stretches.last().is_some_and(|it| it.range.end == bytes);
        for min in (0..bytes).step_by(29) {
            // The smallest of all cuts, tried one by one.
            let firsts = places.iter().filter(|first| **first > 0 || begins);
            let cuts = firsts.flat_map(|first| {
                let lasts = places.iter().filter(move |last| first < last);
                let lasts = lasts.filter(|last| **last < bytes || ends && *first > 0);
                lasts.map(|last| *first..*last).filter(|omitted| laid.is_allowed(omitted))
            });
            let sizes = cuts.filter_map(|omitted| {
                let kept = bytes - omitted.len();
                let size = kept + omission_line(omitted.len()).len();
                (size >= min && size < bytes && kept >= MIN_AROUND_MARKER).then_some(size)
            });
            let smallest = sizes.min();
            let least = whole.least_cut(min).map(|cut| cut.bytes());
            assert_eq!(least.is_some(), smallest.is_some(), "{min}: {}", laid.text);
            if let (Some(least), Some(smallest)) = (least, smallest) {
                assert!((smallest..=bytes).contains(&least), "{min}: {least} {smallest}");
            }
        }
    }
}

#[test]
fn the_pieces_of_a_cut_have_the_right_stretches() {
    for laid in texts() {
        let whole = laid.stretched();
        for max in (60..laid.text.len()).step_by(7) {
            let Some(cut) = whole.head_tail(max) else { continue };
            let shown = cut.parts().concat();
            for stretch in whole.stretches_in(&cut) {
                let Stretch { range, arguments, result } = stretch;
                assert!(shown[range.clone()].starts_with("→ read "), "{max}: {shown}");
                assert_eq!(arguments.start, range.start + "→ read ".len());
                assert!(result <= range.end && arguments.end <= result);
                let between = &shown[arguments.end..result];
                assert!(between.is_empty() || between == "\n← result\n", "{between:?}: {shown}");
            }
            let calls = shown.matches("→ read ").count();
            assert_eq!(whole.stretches_in(&cut).len(), calls, "{max}: {shown}");
        }
    }
}

#[test]
fn stretches_move_when_text_is_trimmed_or_inserted() {
    let laid = Laid::new().say("  Hi.").call("{}", Some("done \n "));
    let whole = Stretched::trimmed(&laid.text, &laid.stretches);
    let [stretch] = &*whole.stretches else { panic!("one is there") };
    assert_eq!(&whole.text[stretch.range.clone()], "→ read {}\n← result\ndone");
    assert_eq!(&whole.text[stretch.result..], "done");

    let mut stretches = laid.stretches.clone();
    let (hi, done) = (3, laid.text.find("one").unwrap());
    let mut text = laid.text.clone();
    text.insert(done, '-');
    text.insert(hi, '-');
    move_stretches(&mut stretches, &[hi, done], 1);
    assert_eq!(&text[stretches[0].range.clone()], "→ read {}\n← result\nd-one \n ");
    assert_eq!(&text[stretches[0].arguments.clone()], "{}");
    assert_eq!(&text[stretches[0].result..], "d-one \n ");
}
