//! Capsules through their boundary: what is written comes back, and whatever was changed is found and named.
//!
//! The container is packed here a second time by hand, from the published layout of zip files. That pins its bytes, so
//! that capsules stay readable when the zip crate changes, and gives containers that no decent writer would write.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use base::{Code, Hash, Problem, RunId, Timestamp};
use flow::{
    Capsule, CapsuleArtifact, CapsuleOrigin, CapsuleRun, CapsuleStep, read_capsule, verify_capsule, write_capsule,
};
use serde_json::{Value, json};
use store::{Content, Event, ForkPoint, Mode, RunState, StepState};

const CHART: &[u8] = b"<svg/>";
const LARGE: &[u8] = b"{\"rows\":[1,2,3]}";
const RUN: &str = "0190a0b0c0d07e0f8102030405060708";

fn content(sha256: &Hash) -> Result<Vec<u8>, Problem> {
    let known = [CHART, LARGE].into_iter().find(|bytes| Hash::of(bytes) == *sha256);
    known.map(<[u8]>::to_vec).ok_or_else(|| Problem::new(Code::JournalDamaged, "the artifact is gone"))
}

fn step(position: i64, name: &str, state: StepState, output: Content) -> CapsuleStep {
    let output_hash = match &output {
        Content::Inline(text) => Hash::of(text.as_bytes()),
        Content::Artifact(sha256) => sha256.clone(),
    };
    let (input_hash, finished_at) = (Hash::of(name.as_bytes()), Timestamp(1_769_850_900_250 + position));
    CapsuleStep {
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

fn event(run: &RunId, seq: i64, kind: &str, data: Value) -> Event {
    Event { run: run.clone(), seq: Some(seq), at: Timestamp(1_769_850_900_000 + seq), kind: kind.into(), data }
}

fn sample() -> Capsule {
    let id = RunId::parse(RUN).expect("an id");
    let input = json!({ "question": "total revenue?\u{1b}", "rate": 0.1, "many": [1, -2, 1e300] });
    let artifact = |name: &str| CapsuleArtifact {
        name: name.into(),
        media_type: "image/svg+xml".into(),
        bytes: CHART.len() as i64,
        sha256: Hash::of(CHART),
    };
    Capsule {
        run: CapsuleRun {
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
            last_seq: 5,
        },
        steps: vec![
            // The blanks and the digits are not as we would write them: the text must survive, not the value.
            step(0, "plan", StepState::Ok, Content::Inline("{\"b\": 1,  \"a\":2.50, \"c\":\"\\u00e9\"}".into())),
            step(1, "execute", StepState::Ok, Content::Artifact(Hash::of(LARGE))),
            step(2, "verify", StepState::Failed, Content::Inline("{\"code\":\"plan_invalid\"}".into())),
        ],
        events: vec![
            event(&id, 1, "run.created", json!({ "task": "ask/1", "input": input })),
            event(&id, 2, "run.started", json!({ "attempt": 1 })),
            event(&id, 5, "run.finished", json!({ "state": "rejected", "output": {}, "problem": null })),
        ],
        artifacts: vec![artifact("chart.svg"), artifact("again/chart.svg")],
    }
}

fn empty() -> Capsule {
    let mut capsule = sample();
    capsule.run =
        CapsuleRun { output: None, forked_from: None, finished_at: None, last_seq: 0, key: None, ..capsule.run };
    Capsule { run: capsule.run, steps: vec![], events: vec![], artifacts: vec![] }
}

fn origin() -> CapsuleOrigin {
    CapsuleOrigin { exported_at: Timestamp(1_769_850_999_000), exporter: "0.2.0".into(), store: 2 }
}

fn written(capsule: &Capsule) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    write_capsule(&mut out, capsule, &origin(), &mut content).expect("a capsule");
    out.into_inner()
}

fn refused(file: &[u8]) -> Problem {
    let problem = verify_capsule(Cursor::new(file)).expect_err("a damaged capsule");
    assert_eq!(read_capsule(Cursor::new(file)).map(drop).expect_err("the same"), problem);
    problem
}

/// Parts as they lie in the container, with the two of the manifest.
type Parts = Vec<(String, Vec<u8>)>;

fn parts_of(capsule: &Capsule) -> Parts {
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

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 })
    })
}

struct Packed {
    file: Vec<u8>,
    /// Header and contents of each part.
    regions: Vec<(String, Range<usize>)>,
}

/// Packs parts into a zip file by hand; with `deflated`, each in one uncompressed block of a compressed stream.
fn pack(parts: &Parts, deflated: bool) -> Packed {
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

fn text(parts: &Parts, name: &str) -> String {
    let part = parts.iter().find(|part| part.0 == name).expect(name);
    String::from_utf8(part.1.clone()).expect("text")
}

fn put(parts: &mut Parts, name: &str, contents: impl Into<Vec<u8>>) {
    parts.iter_mut().find(|part| part.0 == name).expect(name).1 = contents.into();
}

/// Writes the manifest anew for the parts that follow it, as somebody who means to deceive would.
fn seal(parts: &mut Parts) {
    let mut manifest: Value = serde_json::from_str(&text(parts, "manifest.json")).expect("JSON");
    let entry =
        |part: &(String, Vec<u8>)| json!({ "path": part.0, "bytes": part.1.len(), "sha256": Hash::of(&part.1) });
    manifest["parts"] = parts[2..].iter().map(entry).collect();
    seal_with(parts, &manifest);
}

fn seal_with(parts: &mut Parts, manifest: &Value) {
    let text = manifest.to_string();
    put(parts, "manifest.sha256", format!("{}\n", Hash::of(text.as_bytes())));
    put(parts, "manifest.json", text);
}

fn part_at(packed: &Packed, place: usize) -> Option<&str> {
    packed.regions.iter().find(|region| region.1.contains(&place)).map(|region| region.0.as_str())
}

#[test]
fn what_is_written_comes_back() {
    for capsule in [sample(), empty()] {
        let file = written(&capsule);
        let manifest = verify_capsule(Cursor::new(&file)).expect("whole");
        let (found, mut contents) = read_capsule(Cursor::new(&file)).expect("whole");
        assert_eq!(found, capsule);
        assert_eq!(*contents.manifest(), manifest);
        assert_eq!(
            (manifest.run, manifest.task, manifest.program),
            (capsule.run.id.clone(), "ask/1".into(), "0.1.0".into())
        );
        let hashes: Vec<Hash> = contents.hashes().cloned().collect();
        assert_eq!(hashes, capsule.contents().into_iter().collect::<Vec<_>>());
        for sha256 in hashes {
            assert_eq!(contents.load(&sha256), content(&sha256));
        }
    }
    let paths: Vec<_> = parts_of(&sample()).into_iter().map(|part| part.0).collect();
    let [chart, large] = [CHART, LARGE].map(|bytes| format!("artifacts/{}", Hash::of(bytes)));
    let fixed = ["manifest.json", "manifest.sha256", "run.json", "journal.jsonl", "events.jsonl"].map(String::from);
    let mut artifacts = [chart, large];
    artifacts.sort();
    assert_eq!(paths, [&fixed[..], &artifacts].concat());
}

#[test]
fn the_parts_are_spelled_as_published() {
    let parts = parts_of(&sample());
    let manifest: Value = serde_json::from_str(&text(&parts, "manifest.json")).expect("JSON");
    assert_eq!((&manifest["v"], &manifest["kind"], &manifest["format"]), (&json!(1), &json!("capsule"), &json!(1)));
    assert_eq!(manifest["exported_at"], "2026-01-31T09:16:39.000Z");
    assert_eq!(manifest["parts"][0]["sha256"], json!(Hash::of(text(&parts, "run.json").as_bytes())));
    assert_eq!(text(&parts, "manifest.sha256"), format!("{}\n", Hash::of(text(&parts, "manifest.json").as_bytes())));
    let journal = text(&parts, "journal.jsonl");
    let step: Value = serde_json::from_str(journal.lines().next().expect("a step")).expect("JSON");
    let fields: Vec<_> = step.as_object().expect("fields").keys().cloned().collect();
    let published =
        ["index", "name", "state", "attempts", "finished_at", "duration_ms", "input_hash", "output_hash", "output"];
    assert_eq!(fields, published);
    assert_eq!(step["output"], json!({ "inline": "{\"b\": 1,  \"a\":2.50, \"c\":\"\\u00e9\"}" }));
    let event = text(&parts, "events.jsonl").lines().nth(1).expect("an event").to_string();
    let published =
        r#"{"v":1,"run":"RUN","seq":2,"at":"2026-01-31T09:15:00.002Z","type":"run.started","data":{"attempt":1}}"#;
    assert_eq!(event, published.replace("RUN", RUN));
    let run: Value = serde_json::from_str(&text(&parts, "run.json")).expect("JSON");
    assert!(["owner", "lease", "recoveries", "imported_at"].iter().all(|local| run.get(local).is_none()));
}

#[test]
fn the_container_is_determined_by_its_parts() {
    for capsule in [sample(), empty()] {
        assert!(written(&capsule) == pack(&parts_of(&capsule), false).file, "the layout of format 1 has changed");
    }
}

#[test]
fn every_changed_byte_is_found_and_its_part_named() {
    for capsule in [sample(), empty()] {
        let packed = pack(&parts_of(&capsule), false);
        verify_capsule(Cursor::new(&packed.file)).expect("whole before it is changed");
        for place in 0..packed.file.len() {
            for mask in [0x01, 0x80] {
                let mut file = packed.file.clone();
                file[place] ^= mask;
                let problem = verify_capsule(Cursor::new(&file)).expect_err("a changed byte");
                assert_eq!(problem.code, Code::CapsuleDamaged, "byte {place}: {problem}");
                assert_eq!(problem.path.as_deref(), part_at(&packed, place), "byte {place} ^ {mask}: {problem}");
                assert!(problem.hint.is_some());
            }
        }
    }
}

#[test]
fn every_cut_is_found_and_the_part_named_that_is_not_whole() {
    let packed = pack(&parts_of(&sample()), false);
    for length in 0..packed.file.len() {
        let problem = refused(&packed.file[..length]);
        assert_eq!(problem.code, Code::CapsuleDamaged, "{length} bytes: {problem}");
        let part = part_at(&packed, length).filter(|_| length > 0);
        assert_eq!(problem.path.as_deref(), part, "{length} bytes: {problem}");
    }
}

#[test]
fn the_first_of_several_damaged_parts_is_named() {
    let packed = pack(&parts_of(&sample()), false);
    let last = packed.file.len() - 1;
    for (name, region) in &packed.regions {
        let mut file = packed.file.clone();
        file[last] ^= 1;
        packed
            .regions
            .iter()
            .filter(|other| other.1.start >= region.start)
            .for_each(|other| file[other.1.end - 1] ^= 1);
        assert_eq!(refused(&file).path.as_deref(), Some(name.as_str()));
    }
}

#[test]
fn what_follows_the_end_is_found() {
    let file = written(&sample());
    for tail in [&b"\0"[..], b"PK\x05\x06", &file] {
        let problem = refused(&[&file, tail].concat());
        assert_eq!(
            problem.message,
            format!("the capsule is damaged: {} bytes follow the end of the container", tail.len())
        );
    }
    assert_eq!(refused(&[b"#!", file.as_slice()].concat()).path, None);
}

/// Changes the parts, packs them well, and expects to be told this part and these words.
fn check_packed(name: &str, part: Option<&str>, words: &str, change: impl FnOnce(&mut Parts)) {
    let mut parts = parts_of(&sample());
    change(&mut parts);
    let problem = refused(&pack(&parts, false).file);
    assert_eq!(problem.code, Code::CapsuleDamaged, "{name}: {problem}");
    assert_eq!(problem.path.as_deref(), part, "{name}: {problem}");
    assert!(problem.message.contains(words), "{name}: {problem}");
}

#[test]
fn parts_that_are_not_those_of_the_manifest_are_refused() {
    let last = parts_of(&sample()).pop().expect("parts").0;
    check_packed("missing", Some("journal.jsonl"), "", |parts| drop(parts.remove(3)));
    check_packed("last missing", Some(&last), "", |parts| drop(parts.pop()));
    check_packed("extra", None, "does not list", |parts| parts.push(("notes.txt".into(), vec![1])));
    check_packed("doubled at the end", None, "does not list", |parts| parts.push(parts[2].clone()));
    check_packed("doubled in place", Some("journal.jsonl"), "", |parts| parts.insert(2, parts[2].clone()));
    check_packed("manifest doubled", Some("manifest.sha256"), "not where it belongs", |parts| {
        parts.insert(0, parts[0].clone())
    });
    check_packed("renamed", Some("events.jsonl"), "header", |parts| parts[4].0 = "events.jsonk".into());
    check_packed("swapped", Some("run.json"), "", |parts| parts.swap(2, 3));
    check_packed("traversal", Some("run.json"), "", |parts| parts[2].0 = "../../run.json".into());
    check_packed("no parts", None, "something else", |parts| parts.truncate(0));
    check_packed("another manifest", Some("manifest.json"), "digest", |parts| {
        let changed = text(parts, "manifest.json").replace("ask/1", "ask/2");
        put(parts, "manifest.json", changed);
    });
    check_packed("another digest", Some("manifest.json"), "digest", |parts| {
        put(parts, "manifest.sha256", format!("{}\n", Hash::of(b"")));
    });
    check_packed("no digest", Some("manifest.sha256"), "newline", |parts| {
        put(parts, "manifest.sha256", "x".repeat(65));
    });
    check_packed("another text", Some("run.json"), "not what the manifest says", |parts| {
        let changed = text(parts, "run.json").replace("rejected", "succeeds");
        put(parts, "run.json", changed);
    });
}

#[test]
fn a_manifest_that_lists_what_no_capsule_has_is_refused() {
    let listed = |name: &str, words: &str, change: &dyn Fn(&mut Value)| {
        check_packed(name, Some("manifest.json"), words, |parts| {
            let mut manifest: Value = serde_json::from_str(&text(parts, "manifest.json")).expect("JSON");
            change(&mut manifest);
            seal_with(parts, &manifest);
        });
    };
    listed("no text", "lists `artifacts/", &|manifest| {
        drop(manifest["parts"].as_array_mut().expect("parts").remove(2))
    });
    listed("none", "does not list `run.json`", &|manifest| manifest["parts"] = json!([]));
    listed("traversal", "lists `../run.json`", &|manifest| manifest["parts"][0]["path"] = json!("../run.json"));
    listed("traversal below", "lists `artifacts/../x`", &|manifest| {
        manifest["parts"][3]["path"] = json!("artifacts/../x")
    });
    listed("escapes", "\\u{1b}", &|manifest| manifest["parts"][0]["path"] = json!("\u{1b}[31m"));
    listed("another hash", "where it cannot be", &|manifest| manifest["parts"][3]["sha256"] = json!(Hash::of(b"")));
    listed("twice", "where it cannot be", &|manifest| manifest["parts"][4] = manifest["parts"][3].clone());
    listed("no hash", "is no hash", &|manifest| manifest["parts"][3]["sha256"] = json!("abc"));
    listed("below zero", "cannot be understood", &|manifest| manifest["parts"][3]["bytes"] = json!(-1));
    listed("too long a text", "268435456 are allowed", &|manifest| manifest["parts"][0]["bytes"] = json!(1u64 << 30));
    listed("too long", "are allowed", &|manifest| manifest["parts"][3]["bytes"] = json!(u64::MAX));
    listed("overflow", "are allowed", &|manifest| {
        manifest["parts"][3]["bytes"] = json!(u64::MAX);
        manifest["parts"][4]["bytes"] = json!(u64::MAX);
    });
    listed("too many", "10000 are allowed", &|manifest| {
        manifest["parts"] = vec![manifest["parts"][0].clone(); 10_001].into();
    });
    listed("another kind", "not about a capsule", &|manifest| manifest["kind"] = json!("sql"));
    listed("another version", "has version 2", &|manifest| manifest["v"] = json!(2));
    listed("no id", "is no run's id", &|manifest| manifest["run"] = json!("../x"));
    listed("not an object", "cannot be understood", &|manifest| *manifest = json!([]));
}

#[test]
fn a_part_longer_than_the_file_is_cut_off_and_not_allocated() {
    let last = parts_of(&sample()).len() - 3;
    let name = parts_of(&sample()).pop().expect("parts").0;
    check_packed("longer", Some(&name), "cut off", |parts| {
        let mut manifest: Value = serde_json::from_str(&text(parts, "manifest.json")).expect("JSON");
        manifest["parts"][last]["bytes"] = json!(4_000_000_000u64);
        seal_with(parts, &manifest);
    });
}

#[test]
fn a_capsule_of_another_format_is_said_to_be_one() {
    let mut parts = parts_of(&sample());
    seal_with(&mut parts, &json!({ "v": 1, "kind": "capsule", "format": 2, "everything": "else" }));
    let problem = refused(&pack(&parts, false).file);
    assert_eq!((problem.code, problem.path.as_deref()), (Code::FileFormat, Some("manifest.json")));
    assert_eq!(problem.message, "the capsule has format 2, this program knows 1");
}

#[test]
fn fields_we_do_not_know_are_ignored() {
    let mut parts = parts_of(&sample());
    let later = |text: String| text.replacen("{", "{\"later\":[{}],", 1);
    for name in ["run.json", "journal.jsonl", "events.jsonl"] {
        let changed = later(text(&parts, name));
        put(&mut parts, name, changed);
    }
    seal(&mut parts);
    let mut manifest: Value = serde_json::from_str(&text(&parts, "manifest.json")).expect("JSON");
    manifest["later"] = json!({});
    seal_with(&mut parts, &manifest);
    let (found, _) = read_capsule(Cursor::new(pack(&parts, false).file)).expect("a capsule with more in it");
    assert_eq!(found, sample());
}

#[test]
fn a_field_that_is_null_may_be_absent() {
    let mut parts = parts_of(&empty());
    let run = text(&parts, "run.json");
    let kept: Vec<_> = run.lines().filter(|line| !line.ends_with(": null,")).collect();
    assert!(kept.len() + 5 < run.lines().count(), "{run}");
    put(&mut parts, "run.json", kept.join("\n"));
    seal(&mut parts);
    let (found, _) = read_capsule(Cursor::new(pack(&parts, false).file)).expect("a capsule with less in it");
    assert_eq!(found, empty());
}

/// A capsule packed again is refused though its parts are the same: only one container belongs to them.
#[test]
fn a_capsule_that_another_program_packed_is_refused() {
    let parts = parts_of(&sample());
    let problem = refused(&pack(&parts, true).file);
    assert_eq!((problem.code, problem.path.as_deref()), (Code::CapsuleDamaged, Some("manifest.json")));
    assert!(problem.hint.expect("a hint").contains("packing it with another program"));
    let mut dated = pack(&parts, false).file;
    dated[10] = 1;
    assert_eq!(refused(&dated).path.as_deref(), Some("manifest.json"));
}

/// Changes one text, seals the capsule again, and expects the lie to be noticed in this part.
fn check_lie(part: &str, from: &str, to: &str, named: &str, words: &str) {
    let name = format!("{part}: {from} -> {to}");
    check_packed(&name, Some(named), words, |parts| {
        let before = text(parts, part);
        assert!(before.contains(from), "{name} is not there");
        put(parts, part, before.replacen(from, to, 1));
        seal(parts);
    });
}

#[test]
fn a_sealed_capsule_that_makes_no_sense_is_refused() {
    let (large, chart) = (Hash::of(LARGE), Hash::of(CHART));
    let in_run = |from: &str, to: &str, words: &str| check_lie("run.json", from, to, "run.json", words);
    in_run("\"rejected\"", "\"done\"", "`done` is no run's state");
    in_run("\"attached\"", "\"loose\"", "is no run's mode");
    in_run(RUN, "x", "is no run's id");
    in_run(RUN, &RUN.replace('8', "7"), "another run");
    in_run("ask/1", "ask/2", "than the manifest");
    in_run("\"kind\": \"run\"", "\"kind\": \"rum\"", "not a `run` document");
    in_run("2026-01-31T09:15:00.000Z", "yesterday", "is no time");
    in_run("\"attempts\": 2", "\"attempts\": -2", "below zero");
    in_run("\"rate\": 0.1", "\"rate\": 0.2", "not the hash of its input");
    in_run("\\\"refused\\\" }", "\\\"refused\\\"", "is not JSON");
    in_run("chart.svg", "../chart.svg", "with the name");
    in_run("chart.svg", "/chart.svg", "with the name");
    in_run("again/chart.svg", "chart.svg", "two artifacts");
    in_run("\"bytes\": 6", "\"bytes\": 7", "another length");
    in_run("\"problem\": null", "\"problem\": 1", "no document");
    in_run("\"attempts\": 2,", "", "missing field `attempts`");
    let run = "\"problem\": null";
    in_run(run, &format!("{run}, {run}"), "duplicate field");
    in_run(run, &format!("\"problem\": {}{}", "[".repeat(200), "]".repeat(200)), "recursion");

    let in_journal = |from: &str, to: &str, words: &str| check_lie("journal.jsonl", from, to, "journal.jsonl", words);
    in_journal("\"index\":1", "\"index\":2", "line 2 is step 2, where step 1 belongs");
    in_journal("\"index\":0", "\"index\":-1", "line 1 is step -1");
    in_journal("\\\"b\\\": 1", "\\\"b\\\": 2", "line 1 has an `output_hash`");
    in_journal("\\\"b\\\": 1", "\\\"b\\\":1", "line 1 has an `output_hash`");
    in_journal("\"inline\":\"{\\\"code", "\"inline\":\"{\\\"c", "line 3 has an `output_hash`");
    in_journal("\"inline\"", "\"value\"", "unknown variant");
    in_journal("\"ok\"", "\"good\"", "is no step's state");
    in_journal("9.1", "-9.1", "below zero");
    in_journal("9.1", "null", "cannot be understood");
    in_journal("\n", "\n\n", "line 2 cannot be understood");
    in_journal(
        &format!("{{\"artifact\":\"{large}\"}}"),
        &format!("{{\"artifact\":\"{chart}\"}}"),
        "line 2 has an `output_hash`",
    );
    check_packed("no last newline", Some("journal.jsonl"), "middle of a line", |parts| {
        let cut = text(parts, "journal.jsonl").trim_end().to_string();
        put(parts, "journal.jsonl", cut);
        seal(parts);
    });
    check_packed("an endless output", Some("journal.jsonl"), "1048576 are allowed", |parts| {
        let output = format!("\\\"{}\\\"", "x".repeat(1 << 20));
        let longer = text(parts, "journal.jsonl").replace("{\\\"code\\\":\\\"plan_invalid\\\"}", &output);
        put(parts, "journal.jsonl", longer);
        seal(parts);
    });

    let in_events = |from: &str, to: &str, words: &str| check_lie("events.jsonl", from, to, "events.jsonl", words);
    in_events(RUN, &RUN.replace('8', "7"), "line 1 belongs to another run");
    in_events("\"seq\":2", "\"seq\":1", "line 2 has the number 1 after 1");
    in_events("\"seq\":1", "\"seq\":0", "line 1 has the number 0");
    in_events("\"seq\":5", "\"seq\":6", "ends with event 6, and the run's last is 5");
    in_events("\"seq\":5", "\"seq\":null", "line 3 cannot be understood");
    in_events("\"v\":1", "\"v\":2", "version 1");
    check_lie("run.json", "\"last_seq\": 5", "\"last_seq\": 4", "events.jsonl", "the run's last is 4");
}

#[test]
fn contents_and_references_must_go_together() {
    let path = |bytes: &[u8]| format!("artifacts/{}", Hash::of(bytes));
    let (large, stray) = (path(LARGE), path(b"stray"));
    check_packed("missing", Some(&large), "is missing", |parts| {
        parts.retain(|part| part.0 != large);
        seal(parts);
    });
    check_packed("stray", Some(&stray), "not used", |parts| {
        parts.push((stray.clone(), b"stray".to_vec()));
        parts[5..].sort();
        seal(parts);
    });
    check_packed("out of order", Some("manifest.json"), "where it cannot be", |parts| {
        parts[5..].reverse();
        seal(parts);
    });
}

#[test]
fn what_is_no_capsule_at_all_is_said_plainly() {
    let empty = refused(b"");
    assert_eq!(
        (empty.code, empty.message.as_str()),
        (Code::CapsuleDamaged, "the capsule is damaged: the file is empty")
    );
    for other in [&b"order_id,total\n1,2\n"[..], b"P", b"%PDF-1.7", &[0; 5000], b"PK\x05\x06", &[b'x'; 43]] {
        let problem = refused(other);
        assert_eq!(problem.code, Code::CapsuleDamaged);
        assert!(problem.hint.is_some() && !problem.message.is_empty());
    }
    assert!(refused(b"order_id,total\n1,2\n").message.contains("it is something else"));
    let folder = std::fs::File::open(std::env::temp_dir()).expect("a folder can be opened");
    let problem = verify_capsule(folder).expect_err("a folder is no capsule");
    assert_eq!(problem.code, Code::FileUnreadable);
    assert!(problem.hint.expect("a hint").contains("not a folder"));
}

#[test]
fn no_input_makes_it_panic() {
    let whole = written(&sample());
    let mut state: u64 = 7;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for round in 0..3_000 {
        let mut file = whole.clone();
        for _ in 0..1 + random(4) {
            let from = random(file.len());
            let to = (from + random(64)).min(file.len());
            match random(4) {
                0 => file[from..to].iter_mut().for_each(|byte| *byte = random(256) as u8),
                1 => file[from..to].fill(0xFF),
                2 => drop(file.drain(from..to)),
                _ => file = [&file[..to], &file[from..]].concat(),
            }
        }
        let found = read_capsule(Cursor::new(&file));
        assert!(found.is_err() || file == whole, "round {round} was accepted");
    }
    for length in 0..200 {
        let noise: Vec<u8> = b"PK\x03\x04".iter().copied().chain((0..length).map(|_| random(256) as u8)).collect();
        refused(&noise);
    }
}

/// A file that fails after some bytes, when read or when written.
struct Failing<'f> {
    file: Cursor<&'f mut Vec<u8>>,
    left: usize,
    kind: io::ErrorKind,
}

impl Failing<'_> {
    fn spend(&mut self, bytes: usize) -> io::Result<()> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| io::Error::from(self.kind))?;
        Ok(())
    }
}

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.spend(buffer.len())?;
        self.file.read(buffer)
    }
}

impl Write for Failing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.spend(bytes.len())?;
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Failing<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[test]
fn a_file_that_fails_is_not_called_damaged() {
    let mut whole = written(&sample());
    for left in (0..whole.len()).step_by(61) {
        let file = Failing { file: Cursor::new(&mut whole), left, kind: io::ErrorKind::TimedOut };
        assert_eq!(verify_capsule(file).expect_err("it fails").code, Code::FileUnreadable, "after {left} bytes");
    }
    for left in (0..whole.len()).step_by(61) {
        let mut out = Vec::new();
        let file = Failing { file: Cursor::new(&mut out), left, kind: io::ErrorKind::StorageFull };
        let problem = write_capsule(file, &sample(), &origin(), &mut content).expect_err("the disk is full");
        assert_eq!(problem.code, Code::DiskFull, "after {left} bytes");
        assert!(verify_capsule(Cursor::new(out)).is_err());
    }
}

#[test]
fn contents_that_changed_after_the_check_are_not_handed_on() {
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("run.zip");
    let file = written(&sample());
    std::fs::write(&path, &file).expect("written");
    let (_, mut contents) = read_capsule(std::fs::File::open(&path).expect("opened")).expect("whole");
    std::fs::write(&path, vec![0; file.len()]).expect("changed");
    let problem = contents.load(&Hash::of(CHART)).expect_err("other contents");
    assert_eq!((problem.code, problem.path), (Code::CapsuleDamaged, Some(format!("artifacts/{}", Hash::of(CHART)))));
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let unwritable = |words: &str, change: &dyn Fn(&mut Capsule)| {
        let mut capsule = sample();
        change(&mut capsule);
        let problem = write_capsule(Cursor::new(Vec::new()), &capsule, &origin(), &mut content).expect_err(words);
        assert_eq!((problem.code, problem.run.as_ref()), (Code::JournalDamaged, Some(&capsule.run.id)), "{problem}");
        assert!(problem.message.contains(words), "{words}: {problem}");
    };
    unwritable("the run's last is 9", &|capsule| capsule.run.last_seq = 9);
    unwritable("line 1 cannot be understood", &|capsule| capsule.steps[0].duration_ms = f64::NAN);
    unwritable("line 2 is step 2", &|capsule| drop(capsule.steps.remove(1)));
    unwritable("not the hash of its output", &|capsule| capsule.steps[0].output_hash = Hash::of(b""));
    unwritable("is no time", &|capsule| capsule.run.created_at = Timestamp(i64::MAX));
    unwritable("cannot be understood", &|capsule| capsule.events[1].seq = None);
    unwritable("another length", &|capsule| capsule.artifacts[0].bytes = 5);
    unwritable("recursion", &|capsule| {
        let deep = (0..127).fold(json!(1), |value, _| json!([value]));
        capsule.run.input_hash = None;
        capsule.run.input = deep;
    });
    let mut forged = |_: &Hash| Ok(b"forged".to_vec());
    let problem =
        write_capsule(Cursor::new(Vec::new()), &sample(), &origin(), &mut forged).expect_err("forged contents");
    assert!(problem.message.contains("other contents than its name says"), "{problem}");
    let mut gone = |_: &Hash| Err(Problem::new(Code::JournalDamaged, "the artifact is gone"));
    let problem = write_capsule(Cursor::new(Vec::new()), &sample(), &origin(), &mut gone).expect_err("no contents");
    assert_eq!(problem.message, "the artifact is gone");
}
