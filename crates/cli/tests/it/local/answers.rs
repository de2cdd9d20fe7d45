//! `local:` with real weights, the small ones: a question is answered, two at once are, whoever is killed leaves nothing
//! stuck, and who is not asked any more ends. In the slow ring; where the weights cannot be had, skipped by name.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Call, Place, slow_is_wanted};

const NAME: &str = "qwen2.5-coder-0.5b";
const PATIENCE: Duration = Duration::from_secs(300);

/// A place whose local models lie where this machine keeps its weights, with sockets of its own.
struct Here {
    place: Place,
    models: PathBuf,
}

impl Here {
    fn new(test: &str) -> Option<Here> {
        if !slow_is_wanted(test) {
            return None;
        }
        let kept = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/assay/models"));
        let here =
            Here { place: Place::new(), models: std::env::var_os("ASSAY_MODELS_DIR").map(PathBuf::from).or(kept)? };
        here.place.file("sales.csv", "region,price,units\nN,10,3\nS,20,2\nN,30,1\nS,40,4\nW,25,9\n");
        // The folder of this login, so that whoever else uses the weights is not met.
        fs::create_dir(here.runtime()).unwrap();
        let pulled = here.assay(&["model", "pull", NAME]).time_max(Duration::from_secs(900)).run();
        if pulled.code != Some(0) {
            eprintln!("skipped: {test}: the weights cannot be had: {}", pulled.stderr);
            return None;
        }
        Some(here)
    }

    fn runtime(&self) -> PathBuf {
        self.place.path("login")
    }

    fn assay(&self, arguments: &[&str]) -> Call {
        let call = self.place.assay(arguments).env("ASSAY_MODELS_DIR", &self.models);
        call.env("XDG_RUNTIME_DIR", self.runtime()).time_max(PATIENCE)
    }

    fn ask(&self, question: &str) -> Call {
        let model = format!("local:{NAME}");
        self.assay(&["ask", "sales.csv", question, "--planner", "off", "--no-cache", "--json", "--model", &model])
    }

    /// The resident processes of this place, by the socket that they hold open.
    fn residents(&self) -> Vec<u32> {
        let below = self.runtime();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        ids.filter(|id: &u32| {
            let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&words).contains("__resident") && holds_below(*id, &below)
        })
        .collect()
    }

    fn wait_until(&self, what: &str, holds: impl Fn() -> bool) {
        let started = Instant::now();
        while !holds() {
            assert!(started.elapsed() < PATIENCE, "{what}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        for id in self.residents() {
            kill(id);
        }
    }
}

fn holds_below(id: u32, folder: &Path) -> bool {
    let open = fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
    open.filter_map(|entry| fs::read_link(entry.path()).ok()).any(|path| path.starts_with(folder))
}

fn kill(id: u32) {
    Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
}

/// A small model is often refused; what matters here is that it was asked and spoke.
fn spoke(answer: &Value) {
    assert_eq!((&answer["kind"], &answer["source"]), (&"answer".into(), &"model".into()), "{answer}");
    let cost = &answer["model"]["cost"];
    assert!(cost["calls"].as_u64() > Some(0) && cost["tokens"]["output"].as_u64() > Some(0), "{answer}");
}

#[test]
fn it_is_tried_and_answers_and_ends_when_nobody_asks() {
    let Some(here) = Here::new("a local model answers") else { return };
    let test = here.assay(&["model", "test", &format!("local:{NAME}"), "--json"]).run().exits(0).document();
    let check =
        |id: &str| test["checks"].as_array().unwrap().iter().find(|check| check["id"] == id).unwrap()["ok"].clone();
    assert_eq!([check("text"), check("stream"), check("structured")], [true, true, true], "{test}");
    assert_eq!(here.residents().len(), 1);
    spoke(&here.ask("what is the mean price").run().document());
    assert_eq!(here.residents().len(), 1, "it is the same");
    for id in here.residents() {
        kill(id);
    }
    here.wait_until("it is dead", || here.residents().is_empty());
    let asked = here.ask("what is the mean price").env("ASSAY_MODELS_IDLE_SECONDS", "1").run();
    spoke(&asked.document());
    here.wait_until("it ends by itself", || here.residents().is_empty());
    let left: Vec<_> = fs::read_dir(here.runtime()).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn several_who_ask_at_once_share_one_and_all_are_answered() {
    let Some(here) = Here::new("a local model is shared") else { return };
    let asking: Vec<_> = ["what is the mean price", "what is the mean of units", "how many rows are there"]
        .into_iter()
        .map(|question| here.ask(question).start())
        .collect();
    for one in asking {
        let output = one.wait_with_output().unwrap();
        spoke(&serde_json::from_slice(&output.stdout).unwrap());
        assert_eq!(here.residents().len(), 1);
    }
}

#[test]
fn who_is_killed_leaves_nothing_stuck() {
    let Some(here) = Here::new("a local model is killed") else { return };
    // Whoever asks is killed in mid-reply: its place is free again.
    let mut asking = here.ask("list every region with its mean price and the share of units").start();
    here.wait_until("it runs", || here.residents().len() == 1);
    thread::sleep(Duration::from_secs(2));
    asking.kill().unwrap();
    asking.wait().unwrap();
    spoke(&here.ask("what is the mean price").run().document());
    // What answers is killed in mid-reply: it is started anew, and the reply is asked for again.
    let asking = here.ask("list every region with its mean price").start();
    thread::sleep(Duration::from_secs(1));
    for id in here.residents() {
        kill(id);
    }
    let output = asking.wait_with_output().unwrap();
    spoke(&serde_json::from_slice(&output.stdout).unwrap());
}
