//! Compares transcoders on the texts in a folder: see `../transcode.mjs`.
//!
//! - `transcode FOLDER UNITS`: for each file and conversion a line with the file's name, the
//!   conversion and the nanoseconds that each transcoder takes for a piece of `UNITS` UTF-16
//!   units, in the order of [`TRANSCODERS`];
//! - `transcode FILE UNITS CONVERSION TRANSCODER TIMES`: only converts all pieces, `TIMES` times,
//!   so that a tool can count the instructions.

#[allow(dead_code, reason = "only the conversions are compared")]
#[path = "../../../src/text/transcode/mod.rs"]
mod transcode;
mod transcoders;

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use transcoders::{CONVERSIONS, Room, TRANSCODERS, Text, find};

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|number| number.parse().ok());
    match (arguments.as_slice(), number(1), number(4)) {
        ([folder, _], Some(units), _) => compare(folder.as_ref(), units),
        ([file, _, conversion, transcoder, _], Some(units), Some(times)) => {
            let texts = pieces(file.as_ref(), units)?;
            let mut room = Room::new(units);
            if let Some(run) = find(conversion, transcoder) {
                (0..times).for_each(|_| texts.iter().for_each(|text| run(text, &mut room)));
            }
            Ok(())
        }
        _ => Err(std::io::Error::other("which texts?")),
    }
}

fn compare(folder: &Path, units: usize) -> std::io::Result<()> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.sort();
    let mut room = Room::new(units);
    for path in paths {
        let texts = pieces(&path, units)?;
        texts.iter().for_each(|text| room.check(text));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for conversion in CONVERSIONS {
            let times = nanoseconds(&texts, &mut room, conversion);
            let times: Vec<String> = times.iter().map(|time| format!("{time:.1}")).collect();
            println!("{name}\t{conversion}\t{}", times.join("\t"));
        }
    }
    Ok(())
}

/// A file in pieces of this many UTF-16 units, or one less where a pair would be split.
fn pieces(path: &Path, units: usize) -> std::io::Result<Vec<Text>> {
    let text = std::fs::read_to_string(path)?;
    let (mut pieces, mut piece, mut length) = (Vec::new(), String::new(), 0);
    for character in text.chars() {
        if length + character.len_utf16() > units {
            pieces.push(Text::new(&piece));
            piece.clear();
            length = 0;
        }
        piece.push(character);
        length += character.len_utf16();
    }
    pieces.push(Text::new(&piece));
    Ok(pieces)
}

/// The fastest of many rounds of each transcoder, because other load only makes rounds slower. The
/// transcoders alternate, so that all have the same chance of an undisturbed round. A round
/// converts each text once: if one short text were converted repeatedly, the processor would learn
/// its branches, which it cannot do with real messages.
fn nanoseconds(texts: &[Text], room: &mut Room, conversion: &str) -> [f64; TRANSCODERS.len()] {
    let runs = TRANSCODERS.map(|transcoder| find(conversion, transcoder));
    let mut best = [f64::INFINITY; TRANSCODERS.len()];
    for _ in 0..60 {
        for (run, best) in runs.iter().zip(&mut best) {
            let Some(run) = run else { continue };
            let start = Instant::now();
            texts.iter().for_each(|text| run(black_box(text), room));
            *best = best.min(start.elapsed().as_nanos() as f64 / texts.len() as f64);
        }
    }
    best
}
