//! Solves that were recorded, replayed without a model: each comes to the same document, and the same files.
//!
//! What is asked and said stands in `recordings.md`. `ASSAY_BLESS=1 cargo test -p cli --test it solve::recordings` asks a
//! server on this machine that says it, and keeps what was exchanged and what came of it in `recordings/NAME.json`. Without
//! it each task is given to `recorded:` with what is kept. A prompt that changed is no longer recorded, so the replay fails
//! and says where it differs.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::models::Scripted;
use crate::support::recorded::{exchanges, forget, slug, unpack};
use crate::support::{Place, Ran};

const CASES: &str = include_str!("recordings.md");
/// A suite must not shrink unnoticed.
const CASES_MIN: usize = 30;
/// Nobody listens there.
const NOBODY: &str = "http://127.0.0.1:9/v1";
/// Solves at once.
const LANES: usize = 2;

/// What happens in one place, one thing after the other.
struct Case {
    name: String,
    turns: Vec<Turn>,
}

/// One solve.
#[derive(Default)]
struct Turn {
    model: String,
    /// Written before it begins.
    files: Vec<(String, String)>,
    arguments: Vec<String>,
    replies: Vec<String>,
    /// What a person says each time it waits.
    decisions: Vec<String>,
    /// Words that the outcome must hold, as they stand after `-`.
    expected: Vec<String>,
}

#[test]
fn recorded_solves_come_to_the_same_without_a_model() {
    let cases: Vec<Case> = CASES.split("\n## ").skip(1).map(case).collect();
    assert!(cases.len() >= CASES_MIN, "only {} are left", cases.len());
    let blesses = std::env::var_os("ASSAY_BLESS").is_some_and(|value| value == "1");
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                while let Some(one) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let play = || if blesses { one.record() } else { one.replay() };
                    if catch_unwind(AssertUnwindSafe(play)).is_err() {
                        failed.lock().unwrap().push(one.name.clone());
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "of {} these fail, for the reasons above: {failed:#?}", cases.len());
    assert_eq!(fs::read_dir(folder()).unwrap().count(), cases.len(), "a recording is of no solve");
}

impl Case {
    fn record(&self) {
        let place = Place::new();
        let mut turns = Vec::new();
        for (at, turn) in self.turns.iter().enumerate() {
            let model = Scripted::saying(&turn.replies.iter().map(String::as_str).collect::<Vec<_>>());
            let (mut document, run) = turn.play(&place, &turn.model, &model.address);
            assert_eq!(model.heard().len(), turn.replies.len(), "{}: turn {at}: {document:#}", self.name);
            let exchanges = run.as_ref().map(|run| {
                let capsule = place.path(format!("{at}.zip"));
                place.assay(["runs", "export", run, "--to"]).arg(&capsule).run().exits(0);
                exchanges(&capsule)
            });
            turn.came_to(&self.name, &document);
            settle(&mut document, run.as_deref());
            turns.push(json!({ "exchanges": exchanges, "document": document }));
        }
        fs::create_dir_all(folder()).unwrap();
        fs::write(self.path(), format!("{:#}\n", json!({ "name": self.name, "turns": turns }))).unwrap();
        self.replay();
    }

    fn replay(&self) {
        let kept = fs::read_to_string(self.path()).unwrap_or_else(|error| {
            panic!("{}: {error}; ASSAY_BLESS=1 records it", self.path().display());
        });
        let kept: Value = serde_json::from_str(&kept).unwrap();
        let place = Place::new();
        for (at, (turn, kept)) in self.turns.iter().zip(kept["turns"].as_array().unwrap()).enumerate() {
            let has_replies = kept["exchanges"]["journal"].as_array().is_some_and(|journal| !journal.is_empty());
            // Where nothing was asked, nothing is: whoever it were asked of would not answer.
            let model = if has_replies { format!("recorded:{at}/journal.jsonl") } else { turn.model.clone() };
            if has_replies {
                unpack(&place.path(at.to_string()), &kept["exchanges"]);
            }
            let (mut document, run) = turn.play(&place, &model, NOBODY);
            turn.came_to(&self.name, &document);
            settle(&mut document, run.as_deref());
            let (kept, now) = (format!("{:#}", kept["document"]), format!("{document:#}"));
            let apart = kept.lines().zip(now.lines()).find(|(kept, now)| kept != now);
            assert!(kept == now, "{}: kept and replayed differ in {apart:?}\n{now}", self.name);
        }
    }

    fn path(&self) -> PathBuf {
        folder().join(slug(&self.name) + ".json")
    }
}

impl Turn {
    /// Solves, decides and resumes; gives what came of it, with the user's files, and the run.
    fn play(&self, place: &Place, model: &str, address: &str) -> (Value, Option<String>) {
        for (name, contents) in &self.files {
            place.file(name, contents);
        }
        let call = place.assay(["solve", "--json", "--model", model]);
        let call = self.arguments.iter().fold(call, |call, argument| call.arg(argument));
        let mut document = call.env("OPENAI_BASE_URL", address).run().document();
        let run = document["run"].as_str().map(str::to_string);
        for decision in &self.decisions {
            let run = run.as_deref().expect("a run waits");
            assert_eq!(document["code"], "approval_needed", "{document:#}");
            place.assay(["runs", decision.as_str(), run]).run().exits(0);
            let resumed: Ran = place.assay(["runs", "resume", run, "--json"]).env("OPENAI_BASE_URL", address).run();
            document = resumed.document();
        }
        let out = fs::read_to_string(place.path("out.py")).ok();
        document["out.py"] = json!(out);
        (document, run)
    }

    fn came_to(&self, name: &str, document: &Value) {
        let told = format!("{document:#}");
        let came = match document["verdict"].as_str() {
            Some(verdict) => format!("{verdict} {}", document["iteration"]),
            None => format!("problem {}", document["code"].as_str().unwrap_or_default()),
        };
        assert_eq!(Some(&came), self.expected.first(), "{name}: {told}");
        for words in &self.expected[1..] {
            assert!(told.contains(words.as_str()), "{name} does not say `{words}`: {told}");
        }
    }
}

/// Without what is another each time or another for a recording.
fn settle(document: &mut Value, run: Option<&str>) {
    forget(document, run.unwrap_or("no run"));
    if let Some(model) = document.get_mut("model").filter(|model| model.is_object()) {
        model["name"] = json!("MODEL");
        model["cost"]["usd"] = Value::Null;
    }
    // The ids of lessons are digests of what they hold, the run among it.
    for kind in ["used", "saved"] {
        if let Some(ids) = document["lessons"][kind].as_array() {
            document["lessons"][kind] = json!(ids.len());
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/solve/recordings")
}

fn case(text: &str) -> Case {
    let (name, mut rest) = text.split_once('\n').expect("a heading has a solve");
    let mut one = Case { name: name.into(), turns: vec![Turn::default()] };
    let mut model = "chat:qwen2.5-coder".to_string();
    while let Some((line, after)) = rest.split_once('\n') {
        rest = after;
        let mut block = || {
            let (_, from) = rest.split_once("~~~\n").expect("a block begins");
            let (block, after) = from.split_once("\n~~~").expect("a block ends");
            rest = after;
            block.to_string()
        };
        if one.turns.last().is_some_and(|turn| !turn.arguments.is_empty()) && line.starts_with("solve") {
            one.turns.push(Turn::default());
        }
        let turn = one.turns.last_mut().expect("there is one");
        match line.split_once(' ').unwrap_or((line, "")) {
            ("model", name) => model = name.to_string(),
            ("file", name) => {
                let contents = block() + "\n";
                // A file that stands after a solve is there for the next one.
                if !turn.arguments.is_empty() {
                    one.turns.push(Turn::default());
                }
                one.turns.last_mut().expect("there is one").files.push((name.to_string(), contents));
            }
            ("solve", words) => {
                let (flags, task) = words.split_once(" -- ").map_or(("", words), |(flags, task)| (flags, task));
                let flags = flags.split_whitespace().filter(|flag| *flag != "--").map(str::to_string);
                turn.arguments = flags.chain([task.trim_start_matches("-- ").to_string()]).collect();
                turn.model = model.clone();
            }
            ("reply", "code") => turn.replies.push(format!("```python\n{}\n```", block())),
            ("reply", _) => turn.replies.push(block()),
            ("decide", decision) => turn.decisions.push(decision.to_string()),
            ("-", expected) => turn.expected.push(expected.to_string()),
            (other, _) => assert!(other.is_empty() || other == "#", "{name}: what is `{line}`?"),
        }
    }
    one
}
