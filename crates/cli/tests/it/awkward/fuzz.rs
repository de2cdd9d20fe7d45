//! Files by chance: whatever they contain, the command reads them or refuses them in words, and loses no row unsaid.
//!
//! A case is a seed. Files of a known number of rows must come back with all of them, loaded or set aside; files that
//! were damaged afterwards only have to end well.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::made;
use crate::support::{Place, slow_is_wanted};

const FEW: u64 = 12;
const TIME: Duration = Duration::from_secs(600);
/// A place keeps what it read; a fresh one now and then keeps the disk free.
const CASES_PER_PLACE: u64 = 200;

/// Small numbers from a seed, the same on every machine.
struct Chance(u64);

impl Chance {
    fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound.max(1) as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, among: &[&'a T]) -> &'a T {
        among[self.below(among.len())]
    }
}

/// A file's name and contents, and its rows where they are known.
struct Sample {
    name: String,
    contents: Vec<u8>,
    rows: Option<u64>,
}

fn value(chance: &mut Chance, kind: usize) -> String {
    let number = chance.below(100_000);
    match kind {
        0 => number.to_string(),
        1 => format!("{}.{:02}", number, number % 100),
        2 => format!("20{:02}-{:02}-{:02}", number % 30, number % 12 + 1, number % 28 + 1),
        3 => format!("{:02}/{:02}/20{:02}", number % 28 + 1, number % 12 + 1, number % 30),
        4 => format!("${number}.50"),
        5 => format!("{number:05}"),
        6 => chance.pick(&["true", "false"]).to_string(),
        7 => chance.pick(&["", "NA", "-", "7"]).to_string(),
        _ => chance
            .pick(&["red", "gr\u{fc}n", "x, y", "q\"q", "line\nbreak", " pad ", "5 apples", "'", "#1"])
            .to_string(),
    }
}

fn quoted(cell: &str, delimiter: char) -> String {
    let needs = cell.contains([delimiter, '"', '\n', '\r', '\'', '#']) || cell.starts_with(' ');
    if needs { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_string() }
}

/// A proper delimited file, or JSON, whose rows are known.
fn generated(chance: &mut Chance, seed: u64) -> Sample {
    let kinds: Vec<usize> = (0..chance.below(6) + 2).map(|_| chance.below(9)).collect();
    let rows = [1, 2, 10, 200, 3_000][chance.below(5)];
    let mut text = String::new();
    let name = match chance.below(4) {
        0 => {
            for _ in 0..rows {
                let cells: Vec<String> = kinds
                    .iter()
                    .enumerate()
                    .map(|(at, kind)| format!("\"c{at}\":{}", Value::String(value(chance, *kind))))
                    .collect();
                text += &format!("{{{}}}\n", cells.join(","));
            }
            "jsonl"
        }
        form => {
            let delimiter = [',', ';', '\t', '|'][chance.below(4)];
            let end = if form == 1 { "\r\n" } else { "\n" };
            let header: Vec<String> = (0..kinds.len()).map(|at| format!("column c{at}")).collect();
            text += &(header.join(&delimiter.to_string()) + end);
            for _ in 0..rows {
                let cells: Vec<String> = kinds.iter().map(|kind| quoted(&value(chance, *kind), delimiter)).collect();
                text += &(cells.join(&delimiter.to_string()) + end);
            }
            if chance.below(4) == 0 && rows > 100 {
                // Two rows too many values long, which are set aside and still counted.
                for _ in 0..2 {
                    text += &(vec!["1"; kinds.len() + 2].join(&delimiter.to_string()) + end);
                }
                return Sample { name: format!("g{seed}.csv"), contents: text.into(), rows: Some(rows + 2) };
            }
            "csv"
        }
    };
    Sample { name: format!("g{seed}.{name}"), contents: text.into(), rows: Some(rows) }
}

/// Changes, cuts, doubles or inserts a few bytes.
fn damage(chance: &mut Chance, contents: &mut Vec<u8>) {
    for _ in 0..[1, 1, 2, 5, 30][chance.below(5)] {
        let at = chance.below(contents.len());
        let length = chance.below(60).min(contents.len().saturating_sub(at));
        match chance.below(6) {
            _ if contents.is_empty() => {}
            0 | 1 => contents[at] = chance.below(256) as u8,
            2 => drop(contents.drain(at..at + length)),
            3 => {
                let copy = contents[at..at + length].to_vec();
                let to = chance.below(contents.len());
                contents.splice(to..to, copy);
            }
            4 => {
                let odd: &[u8] =
                    chance.pick(&[b"\"" as &[u8], b",", b"\n", b"\r", b"\0", b"\xff", b"\\", b"{", b"[", b"#", b"'"]);
                contents.splice(at..at, odd.iter().copied());
            }
            _ => contents.truncate(at),
        }
    }
}

fn sample(seed: u64, bases: &[(String, Vec<u8>)]) -> Sample {
    let mut chance = Chance::new(seed);
    for _ in 0..4 {
        chance.below(2);
    }
    if chance.below(2) == 0 {
        return generated(&mut chance, seed);
    }
    let mut sample = if chance.below(3) == 0 {
        generated(&mut chance, seed)
    } else {
        let (name, contents) = &bases[chance.below(bases.len())];
        Sample { name: format!("d{seed}_{name}"), contents: contents.clone(), rows: None }
    };
    damage(&mut chance, &mut sample.contents);
    Sample { rows: None, ..sample }
}

/// Runs the command on the file, and gives what is wrong with what it did.
fn wrong(place: &Place, sample: &Sample) -> Option<String> {
    place.file(&sample.name, &sample.contents);
    let ran = place.assay(["data", "show", &sample.name, "--json"]).time_max(Duration::from_secs(90)).run();
    let document = ran.document();
    fs::remove_file(place.path(&sample.name)).expect("our own file");
    if ran.code == Some(2) {
        let known = ["file_format", "file_unreadable"].iter().any(|code| document["code"] == *code);
        let hinted = document["hint"].as_str().is_some_and(|hint| !hint.is_empty());
        return (!known || !hinted || sample.rows.is_some()).then(|| document.to_string());
    }
    if ran.code != Some(0) {
        return Some(format!("exit {:?}: {document}", ran.code));
    }
    let loaded: u64 = document["tables"].as_array()?.iter().filter_map(|table| table["rows"].as_u64()).sum();
    let aside = document["remarks"].as_array()?.iter().filter(|remark| remark["code"] == "rows_set_aside");
    let aside: u64 = aside.filter_map(|remark| remark["count"].as_u64()).sum();
    let rows = sample.rows?;
    (loaded + aside != rows).then(|| format!("{loaded} rows and {aside} set aside, of {rows}: {}", document["remarks"]))
}

fn run(seeds: impl Iterator<Item = u64>, time: Duration) -> u64 {
    let began = Instant::now();
    let mut place = Place::new();
    made(&place);
    let mut bases = Vec::new();
    for entry in fs::read_dir(place.path("made/good")).expect("made files").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        bases.push((name, fs::read(entry.path()).expect("a made file")));
    }
    bases.sort();
    let mut done = 0;
    for seed in seeds.take_while(|_| began.elapsed() < time) {
        let sample = sample(seed, &bases);
        if let Some(wrong) = wrong(&place, &sample) {
            panic!("seed {seed}, {}: {wrong}", sample.name);
        }
        done += 1;
        if done % CASES_PER_PLACE == 0 {
            place = Place::new();
        }
    }
    done
}

#[test]
fn files_by_chance_are_read_or_refused_and_no_row_is_lost_unsaid() {
    assert_eq!(run(1..=FEW, TIME), FEW);
}

#[test]
fn files_by_chance_for_ten_minutes() {
    if slow_is_wanted("files_by_chance_for_ten_minutes") {
        let done = run(1_000.., TIME);
        eprintln!("{done} files were read or refused");
    }
}
