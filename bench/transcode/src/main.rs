//! Compares transcoders on the texts in a folder: see `../transcode.mjs`.
//!
//! - `transcode FOLDER`: for each text and conversion a line with the text's name, the conversion
//!   and the nanoseconds that each transcoder takes, in the order of [`TRANSCODERS`];
//! - `transcode FILE CONVERSION TRANSCODER CALLS`: only makes these calls, so that a tool can
//!   count the instructions.

#[allow(dead_code, reason = "only the conversions are compared")]
#[path = "../../../src/text/transcode/mod.rs"]
mod transcode;
mod transcoders;

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;
use transcoders::{CONVERSIONS, Job, TRANSCODERS, find};

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [folder] => compare(folder.as_ref()),
        [file, conversion, transcoder, calls] => {
            let mut job = Job::new(&std::fs::read_to_string(file)?);
            if let Some(run) = find(conversion, transcoder) {
                (0..calls.parse().unwrap_or(0)).for_each(|_| run(black_box(&mut job)));
            }
            Ok(())
        }
        _ => Err(std::io::Error::other("which texts?")),
    }
}

fn compare(folder: &Path) -> std::io::Result<()> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.sort();
    for path in paths {
        let mut job = Job::new(&std::fs::read_to_string(&path)?);
        job.check();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for conversion in CONVERSIONS {
            let times = nanoseconds(&mut job, conversion);
            let times: Vec<String> = times.iter().map(|time| format!("{time:.1}")).collect();
            println!("{name}\t{conversion}\t{}", times.join("\t"));
        }
    }
    Ok(())
}

/// The fastest of many rounds of each transcoder: everything that disturbs makes it slower. They
/// take turns, so that all have the same chance of an undisturbed round.
fn nanoseconds(job: &mut Job, conversion: &str) -> [f64; TRANSCODERS.len()] {
    let units = job.units.len();
    let (rounds, calls) = if units > 10_000 { (60, 1) } else { (300, 40_000 / units.max(200)) };
    let runs = TRANSCODERS.map(|transcoder| find(conversion, transcoder));
    let mut best = [f64::INFINITY; TRANSCODERS.len()];
    for _ in 0..rounds {
        for (run, best) in runs.iter().zip(&mut best) {
            let Some(run) = run else { continue };
            let start = Instant::now();
            (0..calls).for_each(|_| run(black_box(job)));
            *best = best.min(start.elapsed().as_nanos() as f64 / calls as f64);
        }
    }
    best
}
