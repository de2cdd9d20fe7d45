//! Measures many readers beside a writer: lists of runs are read on as many tasks as asked for while runs are recorded, on a
//! runtime with many threads as the server has.
//!
//! `readers DIRECTORY READERS SECONDS` works on a fresh store in the directory and prints one JSON line.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base::Problem;
use flow::{Engine, Filter, Finish, Options, Registry, Request, Run, Store};
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// What is there to be listed.
const RUNS: usize = 1_000;
/// As many as a page of the interface shows.
const LIST: usize = 50;

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, numbers @ ..] = arguments.as_slice() else { return Err(usage()) };
    let numbers: Vec<u64> = numbers.iter().filter_map(|number| number.parse().ok()).collect();
    let &[readers, seconds] = numbers.as_slice() else { return Err(usage()) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("cannot make a runtime: {error}"))?;
    let measured = runtime.block_on(measure(Path::new(directory), readers, Duration::from_secs(seconds)));
    println!("{}", measured.map_err(|problem| json!(problem).to_string())?);
    Ok(())
}

fn usage() -> String {
    "usage: readers DIRECTORY READERS SECONDS".to_string()
}

async fn measure(directory: &Path, readers: u64, time: Duration) -> Result<Value, Problem> {
    let store = Store::open(directory).await?;
    let engine = Arc::new(Engine::new(store, Registry::new().with("one/1", one), Options::default()));
    for _ in 0..RUNS {
        engine.start(&(), request()).await?.result?;
    }
    let over = Arc::new(AtomicBool::new(false));
    let mut reading = JoinSet::new();
    for _ in 0..readers {
        let (engine, over) = (engine.clone(), over.clone());
        reading.spawn(async move {
            let mut times = Vec::new();
            while !over.load(Ordering::Relaxed) {
                let began = Instant::now();
                let listed = engine.runs().list(&Filter::default(), LIST).await?;
                assert_eq!(listed.runs.len(), LIST);
                times.push(began.elapsed().as_secs_f64() * 1e3);
            }
            Ok::<_, Problem>(times)
        });
    }
    let (began, mut written) = (Instant::now(), Vec::new());
    while began.elapsed() < time {
        let at = Instant::now();
        engine.start(&(), request()).await?.result?;
        written.push(at.elapsed().as_secs_f64() * 1e3);
    }
    over.store(true, Ordering::Relaxed);
    let seconds = began.elapsed().as_secs_f64();
    let mut lists = Vec::new();
    while let Some(times) = reading.join_next().await {
        lists.extend(times.expect("no reader panics")?);
    }
    Ok(json!({
        "lists_per_s": lists.len() as f64 / seconds,
        "list_p50_ms": percentile(&mut lists, 0.5),
        "list_p99_ms": percentile(&mut lists, 0.99),
        "runs_per_s": written.len() as f64 / seconds,
        "run_p50_ms": percentile(&mut written, 0.5),
        "run_p99_ms": percentile(&mut written, 0.99),
    }))
}

/// The task: one step.
async fn one(run: &mut Run, _: &(), input: Value) -> Result<Finish, Problem> {
    let value: u64 = run.step("one", &input, || async move { Ok(1) }).await?;
    Ok(Finish::succeeded(json!(value)))
}

fn request() -> Request {
    Request { task: "one/1".to_string(), input: json!(1), title: None, key: None }
}

fn percentile(times: &mut [f64], share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    let at = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
    times.get(at).copied().unwrap_or_default()
}
