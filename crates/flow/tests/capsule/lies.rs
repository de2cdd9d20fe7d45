//! Capsules that are whole, sealed by somebody who means to deceive, and say what cannot be.

use base::Hash;
use serde_json::{Value, json};

use crate::kit::{CHART, LARGE, RUN, check_packed, put, seal, seal_with, text};

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
    listed("too long a text", "33554432 are allowed", &|manifest| manifest["parts"][0]["bytes"] = json!(1u64 << 30));
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
    in_journal("9.1", "-9.1", "a count that cannot be");
    in_journal("9.1", "1e300", "a count that cannot be");
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
    in_events("\"seq\":6", "\"seq\":7", "line 6 has the number 7 after 5");
    in_events("\"seq\":5", "\"seq\":null", "line 5 cannot be understood");
    in_events("\"index\":2", "\"index\":1", "tells of other steps");
    in_events("step.finished", "step.forgotten", "tells of other steps");
    in_events("refused", "answered", "tells of another end");
    in_events("\"v\":1", "\"v\":2", "version 1");
    check_lie("run.json", "\"last_seq\": 6", "\"last_seq\": 4", "events.jsonl", "the run's last is 4");
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
