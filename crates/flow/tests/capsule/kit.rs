//! A run to put into capsules, and a second packer: zip files written by hand, from their published layout.
//!
//! That pins the container's bytes, so that capsules stay readable when the zip crate changes, and gives containers that
//! no decent writer would write.

use std::io::Cursor;
use std::ops::Range;

use base::{Code, Hash, Problem, RunId, Timestamp};
use flow::capsule::{self, Capsule, Origin};
use serde_json::{Value, json};
use store::{
    ArtifactRecord, Content, Event, ForkPoint, Here, Journal, Mode, RunRecord, RunState, StepRecord, StepState,
};

pub const CHART: &[u8] = b"<svg/>";

pub const LARGE: &[u8] = b"{\"rows\":[1,2,3]}";

pub const RUN: &str = "0190a0b0c0d07e0f8102030405060708";

pub fn content(sha256: &Hash) -> Result<Vec<u8>, Problem> {
    let known = [CHART, LARGE].into_iter().find(|bytes| Hash::of(bytes) == *sha256);
    known.map(<[u8]>::to_vec).ok_or_else(|| Problem::new(Code::JournalDamaged, "the artifact is gone"))
}

pub fn step(position: i64, name: &str, state: StepState, output: Content) -> StepRecord {
    let output_hash = match &output {
        Content::Inline(text) => Hash::of(text.as_bytes()),
        Content::Artifact(sha256) => sha256.clone(),
    };
    let (input_hash, finished_at) = (Hash::of(name.as_bytes()), Timestamp(1_769_850_900_250 + position));
    StepRecord {
        position,
        name: name.into(),
        state,
        attempts: 1,
        finished_at,
        duration_ms: 9.1,
        input_hash,
        output_hash,
        output,
    }
}

pub fn event(run: &RunId, seq: i64, kind: &str, data: Value) -> Event {
    Event { run: run.clone(), seq: Some(seq), at: Timestamp(1_769_850_900_000 + seq), kind: kind.into(), data }
}

pub fn sample() -> Capsule {
    let id = RunId::parse(RUN).expect("an id");
    let input = json!({ "question": "total revenue?\u{1b}", "rate": 0.1, "many": [1, -2, 1e300] });
    let artifact = |name: &str| ArtifactRecord {
        name: name.into(),
        media_type: "image/svg+xml".into(),
        bytes: CHART.len() as i64,
        sha256: Hash::of(CHART),
    };
    let journal = Journal {
        run: RunRecord {
            id: id.clone(),
            task: "ask/1".into(),
            state: RunState::Rejected,
            mode: Mode::Attached,
            key: Some("k".into()),
            title: None,
            input_hash: Some(Hash::of_json(&input)),
            input: input.clone(),
            output: Some(Content::Inline("{ \"status\": \"refused\" }".into())),
            problem: None,
            forked_from: Some(ForkPoint { run: RunId::parse(&RUN.replace('8', "9")).expect("an id"), step: 1 }),
            attempts: 2,
            program: "0.1.0".into(),
            created_at: Timestamp(1_769_850_900_000),
            finished_at: Some(Timestamp(1_769_850_901_000)),
            last_seq: 6,
            here: Here::default(),
        },
        steps: vec![
            // The blanks and the digits are not as we would write them: the text must survive, not the value.
            step(0, "plan", StepState::Ok, Content::Inline("{\"b\": 1,  \"a\":2.50, \"c\":\"\\u00e9\"}".into())),
            step(1, "execute", StepState::Ok, Content::Artifact(Hash::of(LARGE))),
            step(2, "verify", StepState::Failed, Content::Inline("{\"code\":\"plan_invalid\"}".into())),
        ],
        artifacts: vec![artifact("chart.svg"), artifact("again/chart.svg")],
    };
    let events = vec![
        event(&id, 1, "run.created", json!({ "task": "ask/1", "input": input })),
        event(&id, 2, "run.started", json!({ "attempt": 1 })),
    ];
    let told = journal.steps.iter().map(|step| {
        let data = json!({ "index": step.position, "output_hash": step.output_hash });
        event(&id, 3 + step.position, "step.finished", data)
    });
    let end = json!({ "state": "rejected", "output": { "status": "refused" }, "problem": null });
    let events = events.into_iter().chain(told).chain([event(&id, 6, "run.finished", end)]).collect();
    Capsule { journal, events }
}

pub fn empty() -> Capsule {
    let run = sample().journal.run;
    let state = RunState::Interrupted;
    let run = RunRecord { state, output: None, forked_from: None, finished_at: None, last_seq: 0, key: None, ..run };
    Capsule { journal: Journal { run, steps: vec![], artifacts: vec![] }, events: vec![] }
}

pub fn origin() -> Origin {
    Origin { exported_at: Timestamp(1_769_850_999_000), exporter: "0.2.0".into(), store: 2 }
}

pub fn written(capsule: &Capsule) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    capsule::write(&mut out, capsule, &origin(), &mut content).expect("a capsule");
    out.into_inner()
}

pub fn refused(file: &[u8]) -> Problem {
    let problem = capsule::verify(Cursor::new(file)).expect_err("a damaged capsule");
    assert_eq!(capsule::read(Cursor::new(file)).map(drop).expect_err("the same"), problem);
    problem
}

/// Parts as they lie in the container, with the two of the manifest.
pub type Parts = Vec<(String, Vec<u8>)>;

pub fn parts_of(capsule: &Capsule) -> Parts {
    let file = written(capsule);
    let mut parts = Parts::new();
    let mut at = 0;
    while file[at..].starts_with(b"PK\x03\x04") {
        let number =
            |from: usize, to: usize| file[at + from..at + to].iter().rev().fold(0, |n, b| n << 8 | *b as usize);
        let (name, bytes) = (number(26, 28), number(18, 22));
        let contents = at + 30 + name;
        parts.push((
            String::from_utf8(file[at + 30..contents].to_vec()).expect("a name"),
            file[contents..contents + bytes].to_vec(),
        ));
        at = contents + bytes;
    }
    parts
}

pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 })
    })
}

pub struct Packed {
    pub file: Vec<u8>,
    /// Header and contents of each part.
    pub regions: Vec<(String, Range<usize>)>,
}

/// Packs parts into a zip file by hand; with `deflated`, each in one uncompressed block of a compressed stream.
pub fn pack(parts: &Parts, deflated: bool) -> Packed {
    let (mut file, mut directory, mut regions) = (Vec::new(), Vec::new(), Vec::new());
    for (name, contents) in parts {
        let length = (contents.len() as u16).to_le_bytes();
        let data = match deflated {
            true => [&[1], &length[..], &length.map(|byte| !byte), contents].concat(),
            false => contents.clone(),
        };
        let start = file.len();
        let mut common = vec![10, 0, 0, 0, 8 * u8::from(deflated), 0, 0, 0, 0x21, 0];
        common.extend(crc32(contents).to_le_bytes());
        common.extend((data.len() as u32).to_le_bytes());
        common.extend((contents.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        file.extend([b"PK\x03\x04", common.as_slice(), name.as_bytes(), &data].concat());
        directory.extend([b"PK\x01\x02\x0a\x03", common.as_slice(), &[0; 6], &[0, 0, 0xA4, 0x81]].concat());
        directory.extend((start as u32).to_le_bytes());
        directory.extend(name.as_bytes());
        regions.push((name.clone(), start..file.len()));
    }
    let (count, start) = ((parts.len() as u16).to_le_bytes(), (file.len() as u32).to_le_bytes());
    let end = [b"PK\x05\x06\0\0\0\0", &count[..], &count, &(directory.len() as u32).to_le_bytes(), &start, &[0, 0]];
    file.extend(directory);
    file.extend(end.concat());
    Packed { file, regions }
}

pub fn text(parts: &Parts, name: &str) -> String {
    let part = parts.iter().find(|part| part.0 == name).expect(name);
    String::from_utf8(part.1.clone()).expect("text")
}

pub fn put(parts: &mut Parts, name: &str, contents: impl Into<Vec<u8>>) {
    parts.iter_mut().find(|part| part.0 == name).expect(name).1 = contents.into();
}

/// Writes the manifest anew for the parts that follow it, as somebody who means to deceive would.
pub fn seal(parts: &mut Parts) {
    let mut manifest: Value = serde_json::from_str(&text(parts, "manifest.json")).expect("JSON");
    let entry =
        |part: &(String, Vec<u8>)| json!({ "path": part.0, "bytes": part.1.len(), "sha256": Hash::of(&part.1) });
    manifest["parts"] = parts[2..].iter().map(entry).collect();
    seal_with(parts, &manifest);
}

pub fn seal_with(parts: &mut Parts, manifest: &Value) {
    let text = manifest.to_string();
    put(parts, "manifest.sha256", format!("{}\n", Hash::of(text.as_bytes())));
    put(parts, "manifest.json", text);
}

pub fn part_at(packed: &Packed, place: usize) -> Option<&str> {
    packed.regions.iter().find(|region| region.1.contains(&place)).map(|region| region.0.as_str())
}

/// Changes the parts, packs them well, and expects to be told this part and these words.
pub fn check_packed(name: &str, part: Option<&str>, words: &str, change: impl FnOnce(&mut Parts)) {
    let mut parts = parts_of(&sample());
    change(&mut parts);
    let problem = refused(&pack(&parts, false).file);
    assert_eq!(problem.code, Code::CapsuleDamaged, "{name}: {problem}");
    assert_eq!(problem.path.as_deref(), part, "{name}: {problem}");
    assert!(problem.message.contains(words), "{name}: {problem}");
}
