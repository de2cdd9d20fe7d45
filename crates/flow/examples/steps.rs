//! Measures the engine by itself: runs of trivial steps in one process, on a current-thread runtime as the command has.
//!
//! `steps DIRECTORY CONCURRENCY RUNS STEPS [BYTES]` works on a fresh store in the directory and prints one JSON line. Each
//! step's output is a number, or as many bytes of text as were asked for, as a model's reply would be. Nothing is printed unless every run gave the right value and the journal has every step of the last one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use base::{Code, Document, Problem, RunId};
use flow::{Engine, Event, Finish, Options, Registry, Request, Run, Store};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// Enough for the write-ahead log to reach its full size once: a file that still grows is synced more slowly.
const WARM_UP_RUNS: usize = 60;
/// Runs without steps and runs with them take turns in so many slices, so that both meet the same load.
const SLICES: usize = 5;
/// The unit of `/proc/self/stat`, which Linux fixes at 100 per second for what it tells programs.
const MS_PER_TICK: f64 = 10.0;

#[derive(Default)]
struct Measured {
    seconds: f64,
    cpu_ms: f64,
    run_ms: Vec<f64>,
    last: Option<RunId>,
}

/// What is to be done.
#[derive(Clone, Copy)]
struct Work {
    concurrency: usize,
    runs: usize,
    steps: usize,
    /// Of text that each step gives.
    bytes: usize,
}

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, numbers @ ..] = arguments.as_slice() else { return Err(usage()) };
    let numbers: Result<Vec<usize>, _> = numbers.iter().map(|number| number.parse()).collect();
    let numbers = numbers.ok().filter(|numbers| !numbers.contains(&0));
    let work = match numbers.as_deref() {
        Some(&[concurrency, runs, steps]) => Work { concurrency, runs, steps, bytes: 0 },
        Some(&[concurrency, runs, steps, bytes]) => Work { concurrency, runs, steps, bytes },
        _ => return Err(usage()),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("cannot make a runtime: {error}"))?;
    let measured = runtime.block_on(measure(Path::new(directory), work));
    println!("{}", measured.map_err(|problem| json!(problem).to_string())?);
    Ok(())
}

fn usage() -> String {
    "usage: steps DIRECTORY CONCURRENCY RUNS STEPS [BYTES], each number at least 1".to_string()
}

async fn measure(directory: &Path, wanted: Work) -> Result<Value, Problem> {
    let steps = wanted.steps;
    let store = Store::open(directory).await?;
    let options = Options { program: env!("CARGO_PKG_VERSION").to_string(), ..Options::default() };
    let engine = Arc::new(Engine::new(store, Registry::new().with("chain/1", chain), options));
    work(&engine, Work { runs: WARM_UP_RUNS, ..wanted }, &mut Measured::default()).await?;
    let slice = Work { runs: wanted.runs.div_ceil(SLICES), ..wanted };
    let (mut empty, mut full) = (Measured::default(), Measured::default());
    for _ in 0..SLICES {
        work(&engine, Work { steps: 0, ..slice }, &mut empty).await?;
        work(&engine, slice, &mut full).await?;
    }
    check(&engine, &empty, 0).await?;
    let step_bytes = check(&engine, &full, steps).await?;
    let [p50, zero_step_p50] = [full.percentile(0.5), empty.percentile(0.5)];
    Ok(json!({
        "runs_per_s": full.run_ms.len() as f64 / full.seconds,
        "p50_ms": p50,
        "p95_ms": full.percentile(0.95),
        "p99_ms": full.percentile(0.99),
        "zero_step_p50_ms": zero_step_p50,
        "per_step_ms": (p50 - zero_step_p50) / steps as f64,
        "cpu_ms_per_run": full.cpu_ms / full.run_ms.len() as f64,
        "step_bytes": step_bytes,
    }))
}

/// The task: so many steps, each adding one, or giving a text.
async fn chain(run: &mut Run, _: &(), input: Value) -> Result<Finish, Problem> {
    let number = |name: &str| input[name].as_u64().unwrap_or_default();
    let (steps, bytes) = (number("steps"), number("bytes") as usize);
    let mut value = 0;
    for _ in 0..steps {
        let before: u64 = value;
        if bytes == 0 {
            value = run.step("add", &before, || async move { Ok(before + 1) }).await?;
            continue;
        }
        let text: String = run.step("model", &before, || async move { Ok("x".repeat(bytes)) }).await?;
        value += u64::from(text.len() == bytes);
    }
    Ok(Finish::succeeded(json!(value)))
}

fn request(work: Work) -> Request {
    let input = json!({ "steps": work.steps, "bytes": work.bytes });
    Request { task: "chain/1".to_string(), input, title: None, key: None }
}

/// Works on that many runs, so many at a time, and adds what that took.
async fn work(engine: &Arc<Engine<()>>, wanted: Work, measured: &mut Measured) -> Result<(), Problem> {
    let Work { concurrency, runs, steps, .. } = wanted;
    let taken = Arc::new(AtomicUsize::new(0));
    let mut lanes = JoinSet::new();
    let (begun, cpu_before) = (Instant::now(), cpu_ms()?);
    for _ in 0..concurrency {
        let (engine, taken) = (engine.clone(), taken.clone());
        lanes.spawn(async move {
            let mut done = Vec::new();
            while taken.fetch_add(1, Ordering::Relaxed) < runs {
                let begun = Instant::now();
                let ended = engine.start(&(), request(wanted)).await?;
                let run_ms = begun.elapsed().as_secs_f64() * 1000.0;
                if ended.result? != Finish::succeeded(json!(steps)) {
                    return Err(wrong(format!("run `{}` gave another value than {steps}", ended.run)));
                }
                done.push((run_ms, ended.run));
            }
            Ok(done)
        });
    }
    let mut done = Vec::with_capacity(runs);
    while let Some(lane) = lanes.join_next().await {
        done.extend(lane.map_err(|error| wrong(format!("a lane ended early: {error}")))??);
    }
    measured.seconds += begun.elapsed().as_secs_f64();
    measured.cpu_ms += cpu_ms()? - cpu_before;
    measured.last = done.last().map(|(_, run)| run.clone());
    measured.run_ms.extend(done.into_iter().map(|(run_ms, _)| run_ms));
    Ok(())
}

impl Measured {
    /// Of the times of single runs, of which there is at least one.
    fn percentile(&self, share: f64) -> f64 {
        let mut sorted = self.run_ms.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[((sorted.len() as f64 * share) as usize).min(sorted.len() - 1)]
    }
}

/// The journal must say that the last run succeeded with so many steps. Gives the bytes that one step left in it.
async fn check(engine: &Engine<()>, measured: &Measured, steps: usize) -> Result<usize, Problem> {
    let run = measured.last.as_ref().ok_or_else(|| wrong("no run was worked on".to_string()))?;
    let shown = engine.runs().show(run).await?.to_json();
    let recorded = shown["steps"].as_array().map(Vec::as_slice).unwrap_or_default();
    if shown["state"] != "succeeded" || recorded.len() != steps || recorded.iter().any(|step| step["state"] != "ok") {
        return Err(wrong(format!("the journal of run `{run}` is not {steps} steps and a success: {shown}")));
    }
    let events = engine.runs().events(run, 0).await?;
    let finished: Vec<&Event> = events.iter().filter(|event| event.kind == "step.finished").collect();
    match (recorded.last(), finished.last()) {
        (Some(step), Some(event)) if finished.len() == steps => {
            let names = run.as_str().len() * 2 + event.kind.len();
            Ok(names + bytes_of(step) + bytes_of(&json!([event.seq, event.at])) + event.data.to_string().len())
        }
        (None, None) => Ok(0),
        _ => Err(wrong(format!("run `{run}` has {} `step.finished` events for {steps} steps", finished.len()))),
    }
}

/// The bytes of the values in a document, without its field names: about what its row holds.
fn bytes_of(document: &Value) -> usize {
    match document {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 8,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(bytes_of).sum(),
        Value::Object(fields) => fields.values().map(bytes_of).sum(),
    }
}

/// What all threads of this process have used, user and system together.
fn cpu_ms() -> Result<f64, Problem> {
    let text =
        std::fs::read_to_string("/proc/self/stat").map_err(|error| wrong(format!("no /proc/self/stat: {error}")))?;
    // The name in brackets may hold anything; behind it the 12th and 13th fields are the two times.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|field| field.parse::<f64>().ok());
    let ticks = ticks(11).zip(ticks(12)).ok_or_else(|| wrong(format!("cannot read /proc/self/stat: {text}")))?;
    Ok((ticks.0 + ticks.1) * MS_PER_TICK)
}

fn wrong(what: String) -> Problem {
    Problem::new(Code::Internal, what)
}
