//! Many at a time: runs per second through the broker, and HumanEval as a whole.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, ensure};
use sandbox::{CellOptions, Policy, Sandbox};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::bare::{self, ms_since, timed};
use crate::contest::{Contest, PASS, SUM, is_warm, run};
use crate::{Sample, note};

const TASKS: &str = include_str!("../tasks.py");
const CLIENTS: &[usize] = &[4, 8];
const SPAN: Duration = Duration::from_secs(10);
const SPAN_QUICK: Duration = Duration::from_secs(2);
const TASK_ROUNDS: usize = 3;
const TASKS_QUICK: usize = 20;
const PARALLEL: usize = 2;

/// Clients that each start the next run when the last has ended.
pub async fn runs_per_second(contest: &Contest) -> anyhow::Result<Vec<Sample>> {
    let span = if contest.setup.quick { SPAN_QUICK } else { SPAN };
    let mut samples = Vec::new();
    for clients in CLIENTS {
        for (code, rate, latency) in
            [(PASS, "runs/s, pass", "crowd, pass"), (SUM, "runs/s, pandas sum", "crowd, pandas sum")]
        {
            contest.pool.is_full().await?;
            let begun = Instant::now();
            let mut crowd = JoinSet::new();
            for _ in 0..*clients {
                crowd.spawn(repeat(contest.pool.warm.clone(), code, begun + span));
            }
            let mut taken: Vec<f64> = Vec::new();
            while let Some(ended) = crowd.join_next().await {
                taken.extend(ended.context("a client was lost")??);
            }
            let per_second = taken.len() as f64 / begun.elapsed().as_secs_f64();
            let who = format!("assay warm, {clients} clients");
            note(&format!("{rate}: {who}: {} runs, {per_second:.1} a second", taken.len()));
            samples.push(Sample { case: rate, who: who.clone(), unit: "runs/s", value: per_second });
            samples.extend(taken.into_iter().map(|ms| Sample::ms(latency, who.clone(), ms)));
        }
    }
    Ok(samples)
}

async fn repeat(sandbox: Sandbox, code: &'static str, until: Instant) -> anyhow::Result<Vec<f64>> {
    let mut taken = Vec::new();
    while Instant::now() < until {
        let begun = Instant::now();
        let done = run(&sandbox, code, CellOptions::of(Policy::task())).await?;
        ensure!(is_warm(&done), "a warm cell was cold");
        taken.push(ms_since(begun));
    }
    Ok(taken)
}

/// A solution with its test.
struct Task {
    name: String,
    code: String,
    file: PathBuf,
}

/// All tasks, two at a time, each contestant first in turn. Every one of them must pass.
pub async fn tasks(contest: &Contest) -> anyhow::Result<Vec<Sample>> {
    let Some(tasks) = read_tasks(contest)? else {
        note("HumanEval: not measured: its file is not beside the workspace");
        return Ok(Vec::new());
    };
    note(&format!("HumanEval: {} tasks, {PARALLEL} at a time", tasks.len()));
    let rounds = if contest.setup.quick { 1 } else { TASK_ROUNDS };
    let mut samples = Vec::new();
    for round in 0..rounds {
        for place in 0..3 {
            contest.pool.is_full().await?;
            let (who, ms) = match (round + place) % 3 {
                0 => ("assay warm", in_cells(&contest.pool.warm, &tasks, true).await?),
                1 => ("bare python", in_processes(&contest.setup.python, &tasks)?),
                _ => ("assay cold", in_cells(&contest.pool.cold, &tasks, false).await?),
            };
            samples.push(Sample::ms("HumanEval, whole", who, ms));
        }
    }
    Ok(samples)
}

fn read_tasks(contest: &Contest) -> anyhow::Result<Option<Arc<Vec<Task>>>> {
    let Some(file) = &contest.setup.tasks else { return Ok(None) };
    let folder = contest.setup.folder("tasks")?;
    let (_, list) = timed(bare::python(&contest.setup).args(["-c", TASKS]).arg(file))?;
    let list: Vec<Value> = serde_json::from_str(&list)?;
    let kept = if contest.setup.quick { TASKS_QUICK } else { list.len() };
    let mut tasks = Vec::new();
    for (place, task) in list.iter().take(kept).enumerate() {
        let text = |name: &str| task[name].as_str().map(str::to_string).context("a task is not whole");
        let (name, code, file) = (text("name")?, text("code")?, folder.join(format!("{place}.py")));
        std::fs::write(&file, &code)?;
        tasks.push(Task { name, code, file });
    }
    Ok(Some(Arc::new(tasks)))
}

async fn in_cells(sandbox: &Sandbox, tasks: &Arc<Vec<Task>>, warm: bool) -> anyhow::Result<f64> {
    let next = Arc::new(AtomicUsize::new(0));
    let begun = Instant::now();
    let mut crowd = JoinSet::new();
    for _ in 0..PARALLEL {
        let (sandbox, tasks, next) = (sandbox.clone(), tasks.clone(), next.clone());
        crowd.spawn(async move {
            while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                let done = run(&sandbox, &task.code, CellOptions::of(Policy::task())).await;
                let done = done.with_context(|| task.name.clone())?;
                ensure!(is_warm(&done) == warm, "{}: the wrong kind of cell", task.name);
            }
            anyhow::Ok(())
        });
    }
    while let Some(ended) = crowd.join_next().await {
        ended.context("a client was lost")??;
    }
    Ok(ms_since(begun))
}

fn in_processes(python: &Path, tasks: &[Task]) -> anyhow::Result<f64> {
    let next = AtomicUsize::new(0);
    let begun = Instant::now();
    let one_after_another = || -> anyhow::Result<()> {
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            timed(Command::new(python).arg(&task.file)).with_context(|| task.name.clone())?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..PARALLEL).map(|_| scope.spawn(one_after_another)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| anyhow!("a thread was lost"))?)
    })?;
    Ok(ms_since(begun))
}
