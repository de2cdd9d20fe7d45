//! What models said in a run, kept as JSON beside the tests, and laid out again for `recorded:`.

use std::fs;
use std::path::Path;
use std::process::Command;

use base::Hash;
use serde_json::{Value, json};

/// The parts of a capsule as one JSON text.
const UNPACK: &str = "import sys, json, zipfile
parts = zipfile.ZipFile(sys.argv[1])
print(json.dumps({name: parts.read(name).decode() for name in parts.namelist()}))";

/// What of a capsule `recorded:` reads: the model's steps, and what was asked. Its times say nothing.
pub fn exchanges(capsule: &Path) -> Value {
    let unpacked = Command::new("python3").args(["-c", UNPACK]).arg(capsule).output().expect("python3");
    let parts: Value = serde_json::from_slice(&unpacked.stdout).expect("a capsule's parts");
    let text = |name: &str| parts[name].as_str().unwrap_or_else(|| panic!("no {name}")).to_string();
    let run: Value = serde_json::from_str(&text("run.json")).unwrap();
    let steps = text("journal.jsonl");
    let steps = steps.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let (mut journal, mut asked) = (Vec::new(), Vec::new());
    for mut step in steps.filter(|step| step["name"] == "model") {
        step["finished_at"] = json!("2026-01-01T00:00:00.000Z");
        step["duration_ms"] = json!(1.0);
        let mut reply: Value = serde_json::from_str(step["output"]["inline"].as_str().expect("a short reply")).unwrap();
        reply["ms"] = json!(1);
        step["output"] = reply;
        let name = format!("step-{}-input.json", step["index"]);
        let is_input = |artifact: &&Value| artifact["name"].as_str().is_some_and(|found| found == name);
        let artifact = run["artifacts"].as_array().unwrap().iter().find(is_input);
        let artifact = artifact.unwrap_or_else(|| panic!("no {name} among {:#}", run["artifacts"]));
        let request = text(&format!("artifacts/{}", artifact["sha256"].as_str().unwrap()));
        let value: Value = serde_json::from_str(&request).unwrap();
        assert_eq!(value.to_string(), request, "a request that is kept must come out as it was");
        asked.push(json!({ "name": artifact["name"], "media_type": artifact["media_type"], "request": value }));
        journal.push(step);
    }
    json!({ "journal": journal, "asked": asked })
}

/// The same as a journal beside its artifacts: `FOLDER/journal.jsonl`.
pub fn unpack(folder: &Path, exchanges: &Value) {
    let (mut journal, mut artifacts) = (String::new(), Vec::new());
    fs::create_dir_all(folder.join("artifacts")).unwrap();
    for step in exchanges["journal"].as_array().unwrap() {
        let mut step = step.clone();
        step["output"] = json!({ "inline": step["output"].to_string() });
        journal += &format!("{step}\n");
    }
    for asked in exchanges["asked"].as_array().unwrap() {
        let text = asked["request"].to_string();
        let sha256 = Hash::of(text.as_bytes());
        fs::write(folder.join("artifacts").join(sha256.as_str()), &text).unwrap();
        artifacts.push(json!({
            "name": asked["name"], "media_type": asked["media_type"], "bytes": text.len(), "sha256": sha256,
        }));
    }
    fs::write(folder.join("journal.jsonl"), journal).unwrap();
    fs::write(folder.join("run.json"), json!({ "artifacts": artifacts }).to_string()).unwrap();
}

/// Takes out what is another each time: names of runs, and times.
pub fn forget(document: &mut Value, run: &str) {
    match document {
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                let is_time = name.ends_with("_ms") || name.ends_with("_at") || name == "ms" || name == "version";
                if is_time { *value = json!("gone") } else { forget(value, run) }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| forget(item, run)),
        Value::String(text) => *text = text.replace(run, "RUN"),
        _ => {}
    }
}

/// A heading as a file's name.
pub fn slug(name: &str) -> String {
    let words = name.to_lowercase();
    let words = words.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
