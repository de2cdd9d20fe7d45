//! `cargo xtask bench serve`: what an answer over HTTP costs here, with tokens, journal and isolation, beside a FastAPI app
//! that runs the same DuckDB query in its own process with none of them.
//!
//! Every round takes each number of clients in turn and in it every contestant, another one first each time, so that all
//! meet the same load. Before anything is counted the app must give the rows that we give.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};

use super::table::{self, Bound, Goal, Measured};
use super::{load, python};
use crate::workspace::{Workspace, exit_code, output};

const BUILD: &[&str] =
    &["build", "--release", "--locked", "-p", "cli", "-p", "xtask", "--bin", "assay", "--example", "load"];
const PEER: &str = include_str!("serve/peer.py");
const PEER_PACKAGES: &[&str] = &["fastapi==0.163.0", "uvicorn==0.54.0", "duckdb==2.0.0"];
const ROUNDS: usize = 3;
const SECONDS: f64 = 2.0;
const CLIENTS: [usize; 3] = [1, 4, 8];
const STARTS: usize = 5;
/// How long a server does nothing before its memory is looked at.
const IDLE: Duration = Duration::from_secs(3);
const DATASET: &str = "support";
/// What is asked, one after the other.
const QUESTIONS: [&str; 6] = [
    "tickets by priority",
    "tickets by category",
    "how many tickets are there",
    "average resolution time by category",
    "how many tickets have a csat score of 5",
    "average satisfaction score by channel",
];

const GOALS: &[Goal] = &[
    Goal { case: "answers/s, 1 client", ours: "assay, known answer", bound: Bound::AtLeastTimes("FastAPI", 2.0) },
    Goal { case: "answers/s, 1 client", ours: "assay, list of runs", bound: Bound::AtLeastTimes("FastAPI", 2.0) },
    Goal { case: "answers/s, 1 client", ours: "assay, computed anew", bound: Bound::AtLeastTimes("FastAPI", 0.333) },
    Goal { case: "answers/s, 4 clients", ours: "assay, known answer", bound: Bound::AtLeastTimes("FastAPI", 2.0) },
    Goal { case: "answers/s, 4 clients", ours: "assay, list of runs", bound: Bound::AtLeastTimes("FastAPI", 2.0) },
    Goal { case: "answers/s, 4 clients", ours: "assay, computed anew", bound: Bound::AtLeastTimes("FastAPI", 0.333) },
    Goal { case: "answers/s, 8 clients", ours: "assay, known answer", bound: Bound::AtLeastTimes("FastAPI", 2.0) },
    Goal { case: "answers/s, 8 clients", ours: "assay, list of runs", bound: Bound::AtLeastTimes("FastAPI", 2.0) },
    Goal { case: "answers/s, 8 clients", ours: "assay, computed anew", bound: Bound::AtLeastTimes("FastAPI", 0.333) },
    Goal { case: "p99, 8 clients", ours: "assay, known answer", bound: Bound::AtMost(100.0) },
    Goal { case: "p99, 8 clients", ours: "assay, list of runs", bound: Bound::AtMost(100.0) },
    Goal { case: "p99, 8 clients", ours: "assay, computed anew", bound: Bound::AtMost(100.0) },
    Goal { case: "start to first answer", ours: "assay, computed anew", bound: Bound::AtMost(300.0) },
    Goal { case: "resident, idle", ours: "assay", bound: Bound::AtMost(60.0) },
];

/// Who answers what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contestant {
    Peer,
    Known,
    List,
    Anew,
}

const CONTESTANTS: [Contestant; 4] = [Contestant::Peer, Contestant::Known, Contestant::List, Contestant::Anew];

impl Contestant {
    fn name(self) -> &'static str {
        match self {
            Contestant::Peer => "FastAPI",
            Contestant::Known => "assay, known answer",
            Contestant::List => "assay, list of runs",
            Contestant::Anew => "assay, computed anew",
        }
    }

    fn requests(self) -> Vec<Value> {
        let chat = |more: Value| {
            let ask = |question: &&str| {
                let mut body = json!({ "dataset_id": DATASET, "message": question });
                body.as_object_mut().expect("made above").extend(more.as_object().cloned().unwrap_or_default());
                json!({ "method": "POST", "path": "/chat", "body": body })
            };
            QUESTIONS.iter().map(ask).collect()
        };
        match self {
            Contestant::Peer | Contestant::Known => chat(json!({})),
            Contestant::Anew => chat(json!({ "no_cache": true })),
            Contestant::List => vec![json!({ "method": "GET", "path": "/runs?limit=20" })],
        }
    }
}

/// What is needed to start and ask the contestants.
struct Contest {
    assay: PathBuf,
    load: PathBuf,
    python: PathBuf,
    scratch: tempfile::TempDir,
    token: String,
}

/// A server that was started, and ends with this.
struct Site {
    process: Child,
    address: String,
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Measures and prints; the numbers do not change the exit code.
pub fn run(workspace: &Workspace) -> anyhow::Result<u8> {
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let contest = Contest::prepare(workspace.target()?)?;
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!("\nbench serve: {} (release profile), a token, every commit synced", contest.assay.display());
    println!("FastAPI: {}", python::versions(&contest.python, &["fastapi", "uvicorn", "duckdb"])?);
    println!("machine: {cores} cores, load average {}", load());
    let mut measured = Measured::default();
    let ours = contest.serve()?;
    let peer = contest.serve_peer(&ours)?;
    thread::sleep(IDLE);
    measured.add_value("resident, idle", "assay", "MB", resident_mb(ours.process.id())?);
    measured.add_value("resident, idle", "FastAPI", "MB", resident_mb(peer.process.id())?);
    for round in 0..ROUNDS {
        for clients in CLIENTS {
            for place in 0..CONTESTANTS.len() {
                let contestant = CONTESTANTS[(place + round) % CONTESTANTS.len()];
                let site = if contestant == Contestant::Peer { &peer } else { &ours };
                contest.press(site, contestant, clients, &mut measured)?;
            }
        }
    }
    thread::sleep(IDLE);
    measured.add_value("resident, after all", "assay", "MB", resident_mb(ours.process.id())?);
    drop((ours, peer));
    for _ in 0..STARTS {
        contest.start_and_ask(&mut measured)?;
    }
    table::print(&measured, GOALS);
    println!("load average at the end: {}", load());
    Ok(0)
}

impl Contest {
    fn prepare(target: &Path) -> anyhow::Result<Contest> {
        let python = python::provide_all(target, "fastapi-peer", PEER_PACKAGES)?;
        let scratch = tempfile::Builder::new().prefix("bench-").tempdir_in(target);
        let scratch = scratch.with_context(|| format!("cannot make a folder in `{}`", target.display()))?;
        let assay = target.join("release/assay");
        let data = scratch.path().join("data");
        output(Command::new(&assay).args(["data", "export", DATASET, "--to"]).arg(scratch.path().join("csv")))?;
        let mut make = Command::new(&assay);
        let made = output(make.args(["token", "create", "bench", "--json", "--data-dir"]).arg(&data))?;
        let made: Value = serde_json::from_str(&made)?;
        let token = made["token"].as_str().context("no token was made")?.to_string();
        Ok(Contest { assay, load: target.join("release/examples/load"), python, scratch, token })
    }

    fn serve(&self) -> anyhow::Result<Site> {
        let mut serve = Command::new(&self.assay);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(self.scratch.path().join("data"));
        let mut process = serve.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().context("cannot start assay")?;
        let mut lines = BufReader::new(process.stderr.take().expect("piped above")).lines();
        let found = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("listening on http://").map(|address| address.trim().to_string()));
        // Somebody has to read what it says later.
        thread::spawn(move || lines.for_each(drop));
        Ok(Site { process, address: found.context("the server did not say where it listens")? })
    }

    /// The app with the same tables and, for each question, our SQL; it has to give the same rows.
    fn serve_peer(&self, ours: &Site) -> anyhow::Result<Site> {
        let mut questions = serde_json::Map::new();
        let mut expected = Vec::new();
        for question in QUESTIONS {
            let answer = self.ask(ours, true, &json!({ "dataset_id": DATASET, "message": question }))?;
            let sql = answer["sql"].as_str().with_context(|| format!("`{question}` is not answered: {answer}"))?;
            questions.insert(question.to_string(), json!(sql));
            expected.push((question, answer["table"]["row_count"].clone()));
        }
        let mut start = Command::new(&self.python);
        start.args(["-s", "-c", PEER]).arg(self.scratch.path().join("csv")).arg(Value::Object(questions).to_string());
        let mut process = start.stdout(Stdio::piped()).spawn().context("cannot start the app")?;
        let mut port = String::new();
        BufReader::new(process.stdout.take().expect("piped above")).read_line(&mut port)?;
        let site = Site { process, address: format!("127.0.0.1:{}", port.trim()) };
        for (question, rows) in expected {
            let answer = self.ask(&site, false, &json!({ "dataset_id": DATASET, "message": question }))?;
            let count = answer["rows"].as_array().map(Vec::len);
            ensure!(
                count.map(|count| json!(count)) == Some(rows),
                "the app gives other rows for `{question}`: {answer}"
            );
        }
        Ok(site)
    }

    /// One question, waited for until the server answers at all.
    fn ask(&self, site: &Site, with_token: bool, body: &Value) -> anyhow::Result<Value> {
        use std::io::{Read, Write};
        let until = Instant::now() + Duration::from_secs(30);
        let mut stream = loop {
            match TcpStream::connect(&site.address) {
                Ok(stream) => break stream,
                Err(error) if Instant::now() > until => bail!("nobody listens at {}: {error}", site.address),
                Err(_) => thread::sleep(Duration::from_millis(5)),
            }
        };
        let body = body.to_string();
        let token = if with_token { format!("Authorization: Bearer {}\r\n", self.token) } else { String::new() };
        let head = format!("POST /chat HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{token}", site.address);
        let kind = format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all(format!("{head}{kind}{body}").as_bytes())?;
        let mut said = String::new();
        stream.read_to_string(&mut said)?;
        let (_, body) = said.split_once("\r\n\r\n").context("an answer has a head")?;
        serde_json::from_str(body).with_context(|| format!("no JSON: {said}"))
    }

    /// So many clients at once, for a while.
    fn press(
        &self,
        site: &Site,
        contestant: Contestant,
        clients: usize,
        measured: &mut Measured,
    ) -> anyhow::Result<()> {
        let headers = match contestant {
            Contestant::Peer => json!({}),
            _ => json!({ "Authorization": format!("Bearer {}", self.token) }),
        };
        let setup = json!({
            "address": site.address, "clients": clients, "seconds": SECONDS, "headers": headers,
            "requests": contestant.requests(),
        });
        let said = output(Command::new(&self.load).arg(setup.to_string()))?;
        let said: Value = serde_json::from_str(&said)?;
        let name = contestant.name();
        ensure!(said["failed"] == 0, "{name} with {clients} clients failed: {said}");
        let noun = if clients == 1 { "client" } else { "clients" };
        for (case, field, unit) in
            [("answers/s", "per_second", "1/s"), ("p50", "p50_ms", "ms"), ("p99", "p99_ms", "ms")]
        {
            let value = said[field].as_f64().with_context(|| format!("{name} gave no answer: {said}"))?;
            measured.add_value(&format!("{case}, {clients} {noun}"), name, unit, value);
        }
        Ok(())
    }

    /// From nothing to an answer, known and computed.
    fn start_and_ask(&self, measured: &mut Measured) -> anyhow::Result<()> {
        for (contestant, no_cache) in [(Contestant::Known, false), (Contestant::Anew, true)] {
            let began = Instant::now();
            let site = self.serve()?;
            let body = json!({ "dataset_id": DATASET, "message": QUESTIONS[0], "no_cache": no_cache });
            let answer = self.ask(&site, true, &body)?;
            let ms = began.elapsed().as_secs_f64() * 1e3;
            ensure!(answer["status"] == "answered" && answer["cached"] != json!(no_cache), "{answer}");
            measured.add_value("start to first answer", contestant.name(), "ms", ms);
        }
        Ok(())
    }
}

/// What a process holds in memory.
fn resident_mb(process: u32) -> anyhow::Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1024.0)
}
