//! `--only cost`: what our own side of a model costs, per turn and per streamed token. The model is a server on this machine
//! that answers at once, so that what is left is ours.
//!
//! The processor time is the process's own, as the kernel counts it; that of its children, which are the cells, stands beside
//! it. Starting the program and reading the file is taken off: each figure is what more turns cost more.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::super::{load, median};
use crate::ci::BUILD;
use crate::workspace::{Workspace, exit_code, output};

const ROUNDS: usize = 3;
/// Turns of the two evaluations whose difference is measured.
const TURNS: [usize; 2] = [40, 440];
/// The same where each turn's code is executed.
const RUNS: [usize; 2] = [10, 60];
/// Frames of a long reply, each with one token.
const FRAMES: usize = 20_000;
/// What the kernel counts processor time in: the same on every Linux.
const TICK_MS: f64 = 10.0;
const TURN_MS_TO_REACH: f64 = 1.0;
const TOKENS_TO_REACH: f64 = 5_000.0;
const TABLE: &str = "day,region,amount\n2026-01-01,north,10\n2026-01-02,south,20\n2026-01-03,north,30\n";
/// What the server says to a question that begins so.
const DECLINES: &str = "CANNOT: there is nothing about it";
const COMPUTES: &str = "```python\nlen(sales)\n```";

/// What a process used, and how long it took.
struct Used {
    own_ms: f64,
    children_ms: f64,
    wall_ms: f64,
}

/// Measures and prints.
pub fn run(workspace: &Workspace) -> anyhow::Result<u8> {
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let scratch = tempfile::tempdir().context("cannot make a folder for throw-away data")?;
    let bench = Bench { assay: workspace.assay()?, place: scratch.path().to_path_buf(), model: serve()? };
    fs::write(bench.place.join("sales.csv"), TABLE)?;
    output(bench.command(&["data", "show", "sales.csv", "--json"]).stderr(Stdio::null()))?;
    println!(
        "bench model: our own side, against a server that answers at once, {ROUNDS} rounds, load average {}",
        load()
    );
    let turn = bench.per_turn("declines", TURNS)?;
    println!(
        "a turn                {:.2} ms of processor, {:.2} ms in all (prompt, request, reply, journal; to reach: under {TURN_MS_TO_REACH} ms: {})",
        turn.own_ms,
        turn.wall_ms,
        reached(turn.own_ms < TURN_MS_TO_REACH)
    );
    let run = bench.per_turn("computes", RUNS)?;
    println!(
        "a turn that runs code {:.2} ms of processor, {:.2} ms in all, and {:.0} ms of its cell's processor",
        run.own_ms, run.wall_ms, run.children_ms
    );
    let token = bench.per_token()?;
    let per_second = 1_000.0 / token.wall_ms;
    println!(
        "a streamed token      {:.1} µs of processor; {per_second:.0} tokens a second (to reach: {TOKENS_TO_REACH:.0}: {})",
        token.own_ms * 1_000.0,
        reached(per_second >= TOKENS_TO_REACH)
    );
    Ok(0)
}

fn reached(is_reached: bool) -> &'static str {
    if is_reached { "reached" } else { "not reached" }
}

struct Bench {
    assay: PathBuf,
    place: PathBuf,
    /// The server's base URL.
    model: String,
}

impl Bench {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.assay);
        command.args(arguments).current_dir(&self.place).arg("--data-dir").arg(self.place.join("data"));
        // Rows are read in a cell, which is no part of a turn.
        command.env("ASSAY_BROKER", "off").env("ASSAY_MODEL_ROWS", "0").env("OPENAI_BASE_URL", &self.model);
        command
    }

    /// What one more turn costs: questions that are answered in one turn each, many of them less few of them.
    fn per_turn(&self, what: &str, counts: [usize; 2]) -> anyhow::Result<Used> {
        self.difference(counts, |count| {
            let cases = self.place.join(format!("{what}-{count}.jsonl"));
            let case = |at: usize| json!({ "id": at.to_string(), "dataset": ["sales.csv"], "question": format!("{what} {at}") });
            fs::write(&cases, (0..count).map(|at| format!("{}\n", case(at))).collect::<String>())?;
            let cases = cases.to_str().context("a path is text")?;
            let eval = ["eval", cases, "--json", "--planner", "off", "--derivations", "1", "--model", "chat:cost"];
            let unbounded = ["--max-tokens", "1000000000", "--max-seconds", "1000000"];
            let (used, told) = used(self.command(&[&eval[..], &unbounded[..]].concat()))?;
            let summary: Value = serde_json::from_str(&told).context("the evaluation printed no document")?;
            // With code there is a verdict too.
            let calls = summary["model"]["cost"]["calls"].as_u64();
            let expected = if what == "computes" { 2 * count } else { count } as u64;
            ensure!(calls == Some(expected), "{count} questions took {calls:?} replies: {summary}");
            Ok(used)
        })
    }

    fn per_token(&self) -> anyhow::Result<Used> {
        self.difference([1, FRAMES], |count| {
            let question = format!("streams {count}");
            let ask =
                ["ask", "sales.csv", &question, "--json", "--no-cache", "--planner", "off", "--model", "chat:cost"];
            let (used, told) = used(self.command(&ask))?;
            let answer: Value = serde_json::from_str(&told).context("no document was printed")?;
            ensure!(answer["refusal"]["reason"] == "no_data", "another answer came: {answer}");
            Ok(used)
        })
    }

    /// What one more costs, by the middle of all rounds.
    fn difference(
        &self,
        [few, many]: [usize; 2],
        mut measure: impl FnMut(usize) -> anyhow::Result<Used>,
    ) -> anyhow::Result<Used> {
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            let (few, many) = (measure(few)?, measure(many)?);
            rounds.push((few, many));
        }
        let middle = |of: fn(&Used) -> f64| -> f64 {
            let each = rounds.iter().map(|(one, other)| (of(other) - of(one)) / (many - few) as f64);
            median(each.collect()).unwrap_or_default()
        };
        Ok(Used {
            own_ms: middle(|used| used.own_ms),
            children_ms: middle(|used| used.children_ms),
            wall_ms: middle(|used| used.wall_ms),
        })
    }
}

/// Runs a command to its end; gives what it used, and what it printed.
fn used(mut command: Command) -> anyhow::Result<(Used, String)> {
    let begun = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut stdout = child.stdout.take().context("piped")?;
    let reader = thread::spawn(move || {
        let mut told = String::new();
        stdout.read_to_string(&mut told).map(|_| told)
    });
    let (own_ms, children_ms) = processor_of_ended(&mut child)?;
    let wall_ms = begun.elapsed().as_secs_f64() * 1_000.0;
    child.wait()?;
    let told = reader.join().ok().context("the reader panicked")??;
    Ok((Used { own_ms, children_ms, wall_ms }, told))
}

/// Waits until a process has ended and reads what it used while its row is still there.
fn processor_of_ended(child: &mut Child) -> anyhow::Result<(f64, f64)> {
    let path = format!("/proc/{}/stat", child.id());
    loop {
        let text = fs::read_to_string(&path).context("processor time is read from /proc")?;
        // The name stands in brackets and may hold any letter.
        let (_, fields) = text.rsplit_once(") ").context("a row of /proc")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        if fields[0] == "Z" {
            let ticks = |at: usize| fields[at].parse::<f64>().map(|ticks| ticks * TICK_MS);
            return Ok((ticks(11)? + ticks(12)?, ticks(13)? + ticks(14)?));
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Starts the server; it ends with this process.
fn serve() -> anyhow::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}/v1", listener.local_addr()?);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that goes away is done.
            thread::spawn(move || drop(talk(&stream)));
        }
    });
    Ok(address)
}

/// Answers what comes over one connection, until it is closed.
fn talk(stream: &TcpStream) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let frames = frames(&reply_to(&String::from_utf8_lossy(&body)));
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n", frames.len());
        let mut out = stream;
        out.write_all(head.as_bytes())?;
        out.write_all(frames.as_bytes())?;
    }
}

fn reply_to(body: &str) -> String {
    let long = body.split("Question: streams ").nth(1).and_then(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok()
    });
    match long {
        Some(frames) => format!("{}\n{DECLINES}", "word ".repeat(frames)),
        None if body.contains("YES or NO") => "YES".to_string(),
        None if body.contains("Question: computes") => COMPUTES.to_string(),
        None => DECLINES.to_string(),
    }
}

/// A reply as it streams, word by word.
fn frames(text: &str) -> String {
    let mut frames = String::new();
    for piece in text.split_inclusive(' ') {
        frames += &format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": { "content": piece } }] }));
    }
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 1, "completion_tokens": 1 } });
    frames + &format!("data: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_ended_tells_what_it_used() {
        let mut busy = Command::new("sh");
        busy.args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo $i"]);
        let (used, told) = used(busy).expect("it runs");
        assert_eq!(told.trim(), "200000");
        assert!(used.own_ms >= TICK_MS && used.wall_ms >= used.own_ms / 2.0, "{} {}", used.own_ms, used.wall_ms);
    }

    #[test]
    fn a_long_reply_has_as_many_frames() {
        assert_eq!(frames(&reply_to("Question: streams 5\\n")).matches("data: ").count(), 5 + 6 + 3);
        assert_eq!(reply_to("Question: computes 1"), COMPUTES);
    }
}
