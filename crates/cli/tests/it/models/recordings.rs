//! Conversations with models, recorded and replayed: each answer comes out again to the letter, and no network is needed.
//!
//! What is asked and said stands in `recordings.md`. `ASSAY_BLESS=1` asks a server on this machine that says it, keeps the
//! exchanges of the run's capsule in `recordings/NAME.json`, replays them once and keeps the document that came. Without it
//! each question is asked of `recorded:` with what is kept, and its document must be the one that is kept, but for the names
//! of runs and for times. A prompt that changed is no longer recorded: the replay fails and says where it differs.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

use super::{CANARY, SALES, Scripted};
use crate::support::recorded::{exchanges, forget, slug, unpack};
use crate::support::{Call, Place, Ran, shared};

const CASES: &str = include_str!("recordings.md");
/// A suite must not shrink unnoticed.
const CASES_MIN: usize = 30;
/// Nobody listens there.
const NOBODY: &str = "http://127.0.0.1:9/v1";
/// Conversations at once.
const LANES: usize = 3;

struct Conversation {
    name: String,
    /// The built-in dataset, or the first file.
    data: String,
    files: Vec<(String, String)>,
    turns: Vec<Turn>,
}

#[derive(Default)]
struct Turn {
    model: String,
    flags: Vec<String>,
    question: String,
    replies: Vec<String>,
    /// `answered checked 3`.
    outcome: String,
}

#[test]
fn recorded_conversations_come_out_again_to_the_letter() {
    let conversations = conversations();
    assert!(conversations.len() >= CASES_MIN, "only {} are left", conversations.len());
    let blesses = std::env::var_os("ASSAY_BLESS").is_some_and(|value| value == "1");
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                while let Some(one) = conversations.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let play = || if blesses { one.record() } else { one.replay() };
                    if catch_unwind(AssertUnwindSafe(play)).is_err() {
                        failed.lock().unwrap().push(one.name.clone());
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "of {} these fail, for the reasons above: {failed:#?}", conversations.len());
    let kept = fs::read_dir(folder()).unwrap().count();
    assert_eq!(kept, conversations.len(), "a recording is of no conversation");
}

impl Conversation {
    fn record(&self) {
        let place = shared();
        let ground = self.ground(place, "record");
        let (mut turns, mut recorded) = (Vec::new(), Vec::new());
        for (at, turn) in self.turns.iter().enumerate() {
            let model = Scripted::saying(&turn.replies.iter().map(String::as_str).collect::<Vec<_>>());
            let ran = turn.ask(place, self, &turn.model, "record").within(&ground);
            let ran = ran.env("OPENAI_BASE_URL", &model.address).env("OPENAI_API_KEY", CANARY).run();
            let capsule = ground.join(format!("{at}.zip"));
            let run = run_of(&ran);
            let export = place.assay(["runs", "export", &run, "--to"]).arg(&capsule).run();
            export.exits(0);
            recorded.push(exchanges(&capsule));
            turns.push(json!({ "exchanges": recorded.last() }));
        }
        let documents = self.documents(place, "check", &recorded);
        for (turn, document) in turns.iter_mut().zip(documents) {
            turn["document"] = document;
        }
        fs::create_dir_all(folder()).unwrap();
        fs::write(self.path(), format!("{:#}\n", json!({ "name": self.name, "turns": turns }))).unwrap();
        self.replay();
    }

    fn replay(&self) {
        let kept = fs::read_to_string(self.path()).unwrap_or_else(|error| {
            panic!("{}: {error}; ASSAY_BLESS=1 records it", self.path().display());
        });
        assert!(!kept.contains(CANARY), "{}: the key was recorded", self.name);
        let kept: Value = serde_json::from_str(&kept).unwrap();
        let turns = kept["turns"].as_array().unwrap();
        let recorded: Vec<Value> = turns.iter().map(|turn| turn["exchanges"].clone()).collect();
        let documents = self.documents(shared(), "replay", &recorded);
        for ((turn, kept), document) in self.turns.iter().zip(turns).zip(documents) {
            turn.came_to(&self.name, &document, &kept["exchanges"]);
            let (kept, document) = (format!("{:#}", kept["document"]), format!("{document:#}"));
            let apart = kept.lines().zip(document.lines()).find(|(kept, now)| kept != now);
            assert!(kept == document, "{}: kept and replayed differ in {apart:?}\n{document}", self.name);
        }
    }

    /// What the recorded models make of the questions, without what is another each time.
    fn documents(&self, place: &Place, why: &str, recorded: &[Value]) -> Vec<Value> {
        let ground = self.ground(place, why);
        let ask = |(at, turn): (usize, &Turn)| {
            unpack(&ground.join(at.to_string()), &recorded[at]);
            let model = format!("recorded:{at}/journal.jsonl");
            let call = turn.ask(place, self, &model, why).within(&ground);
            // Whoever were asked would not answer.
            let ran = call.env("OPENAI_BASE_URL", NOBODY).env("OLLAMA_HOST", "127.0.0.1:9").run();
            let mut document = ran.document();
            let run = run_of(&ran);
            forget(&mut document, &run);
            document
        };
        self.turns.iter().enumerate().map(ask).collect()
    }

    /// A folder of its own with the files.
    fn ground(&self, place: &Place, why: &str) -> PathBuf {
        let folder = format!("conversations/{}/{why}", slug(&self.name));
        for (name, contents) in &self.files {
            place.file(&format!("{folder}/{name}"), contents);
        }
        place.folder(&folder)
    }

    fn path(&self) -> PathBuf {
        folder().join(slug(&self.name) + ".json")
    }
}

impl Turn {
    fn ask(&self, place: &Place, of: &Conversation, model: &str, why: &str) -> Call {
        let call =
            place.assay(["ask", &of.data, &self.question, "--json", "--planner", "off", "--no-cache", "--model"]);
        let name = |flag: &str| if flag == "THREAD" { format!("{}-{why}", slug(&of.name)) } else { flag.to_string() };
        self.flags.iter().fold(call.arg(model), |call, flag| call.arg(name(flag)))
    }

    fn came_to(&self, name: &str, document: &Value, exchanges: &Value) {
        let replies = exchanges["journal"].as_array().unwrap().len();
        let (what, which) = match document["status"].as_str() {
            Some("answered") => ("answered", &document["known"]["level"]),
            Some(status) => (status, &document["refusal"]["reason"]),
            None => ("problem", &document["code"]),
        };
        let came = format!("{what} {} {replies}", which.as_str().unwrap_or_default());
        assert_eq!(came, self.outcome, "{name}: {document:#}");
    }
}

/// The run that made a document, or a problem.
fn run_of(ran: &Ran) -> String {
    let document = ran.document();
    document["run"].as_str().unwrap_or_else(|| panic!("no run: {document:#}")).to_string()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/models/recordings")
}

fn conversations() -> Vec<Conversation> {
    CASES.split("\n## ").skip(1).map(conversation).collect()
}

fn conversation(text: &str) -> Conversation {
    let (name, mut rest) = text.split_once('\n').expect("a heading has a conversation");
    let mut one = Conversation { name: name.into(), data: String::new(), files: Vec::new(), turns: Vec::new() };
    let mut model = String::new();
    while let Some((line, after)) = rest.split_once('\n') {
        rest = after;
        let mut block = || {
            let (_, from) = rest.split_once("~~~\n").expect("a block begins");
            let (block, after) = from.split_once("\n~~~").expect("a block ends");
            rest = after;
            block.to_string()
        };
        match line.split_once(' ').unwrap_or((line, "")) {
            ("data", name) => one.data = name.to_string(),
            ("file", "sales") => one.give("sales.csv", SALES.to_string()),
            ("file", name) => {
                let contents = block() + "\n";
                one.give(name, contents);
            }
            ("model", name) => model = name.to_string(),
            ("ask", words) => one.turns.push(Turn::of(&model, words)),
            ("reply", "") => {
                let reply = block();
                one.turns.last_mut().expect("a reply is to a question").replies.push(reply);
            }
            ("-", outcome) => one.turns.last_mut().expect("what comes of a question").outcome = outcome.to_string(),
            (other, _) => assert!(other.is_empty() || other == "#", "{name}: what is `{line}`?"),
        }
    }
    one
}

impl Conversation {
    fn give(&mut self, name: &str, contents: String) {
        if self.data.is_empty() {
            self.data = name.to_string();
        }
        self.files.push((name.to_string(), contents));
    }
}

impl Turn {
    /// Flags with their values, then the question.
    fn of(model: &str, words: &str) -> Turn {
        let (mut flags, mut rest) = (Vec::new(), words);
        while rest.starts_with("--") {
            let mut parts = rest.splitn(3, ' ');
            flags.extend(parts.by_ref().take(2).map(str::to_string));
            rest = parts.next().expect("a question follows");
        }
        Turn { model: model.into(), flags, question: rest.into(), ..Turn::default() }
    }
}
