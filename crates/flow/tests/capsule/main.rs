//! Capsules through their boundary: what is written comes back, and whatever was changed is found and named.

mod damage;
mod files;
mod kit;
mod lies;

use std::io::Cursor;

use base::{Code, Hash};
use flow::capsule;
use kit::{CHART, LARGE, RUN, content, empty, pack, parts_of, put, refused, sample, seal, seal_with, text, written};
use serde_json::{Value, json};

#[test]
fn what_is_written_comes_back() {
    for capsule in [sample(), empty()] {
        let file = written(&capsule);
        let manifest = capsule::verify(Cursor::new(&file)).expect("whole");
        let (found, mut contents) = capsule::read(Cursor::new(&file)).expect("whole");
        assert_eq!(found, capsule);
        assert_eq!(*contents.manifest(), manifest);
        assert_eq!(
            (manifest.run, manifest.task, manifest.program),
            (capsule.journal.run.id.clone(), "ask/1".into(), "0.1.0".into())
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
    assert!(["here", "owner", "lease", "recoveries", "imported_at"].iter().all(|local| run.get(local).is_none()));
}

/// Whoever has a capsule of format 1 can compare it with one that is exported today.
#[test]
fn the_bytes_of_format_1_stay_as_they_are() {
    let digests = [sample(), empty()].map(|capsule| Hash::of(&written(&capsule)).to_string());
    assert_eq!(
        digests,
        [
            "5295491a3b25179edc906ab237734dfc9b0e71620e45ae33af3f591e11db586f",
            "e6f829716e03df2df717ebce393f71955992c82bae63a13f560c18d75a2f5941",
        ]
    );
}

#[test]
fn the_container_is_determined_by_its_parts() {
    for capsule in [sample(), empty()] {
        assert!(written(&capsule) == pack(&parts_of(&capsule), false).file, "the layout of format 1 has changed");
    }
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
    let (found, _) = capsule::read(Cursor::new(pack(&parts, false).file)).expect("a capsule with more in it");
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
    let (found, _) = capsule::read(Cursor::new(pack(&parts, false).file)).expect("a capsule with less in it");
    assert_eq!(found, empty());
}
