//! `cargo xtask bench solve`: what the loop of `solve` gains over one shot of the same model, on HumanEval where it is at hand.
//!
//! Each task is solved once, as a user would have it; the first reply's code is the one shot, for it is asked in the format
//! that suits the model best and knows nothing of the loop. Hidden tests only score, and run in the sandbox. A task's line is
//! written when it is done and each solve is a run with a key: killed, it goes on where it stopped. Figures, never a rule.

mod line;
mod overhead;
mod report;
mod tasks;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

use self::line::Line;
use self::tasks::Task;
use super::load;
use super::model::strided;
use crate::cases;
use crate::ci::BUILD;
use crate::workspace::{Workspace, exit_code, output};

const MODEL_DEFAULT: &str = "local:qwen2.5-coder-1.5b";
/// Tasks, where nobody says otherwise.
const SAMPLE_DEFAULT: usize = 60;
/// Tasks that no lesson is about, in the second pass.
const NEW_TASKS: usize = 20;
/// What is measured must not be cut by a budget.
const UNBOUNDED: [&str; 4] = ["--max-tokens", "1000000000", "--max-seconds", "1000000"];

/// What was asked for.
struct Options {
    model: String,
    /// How many tasks; all of them where absent.
    sample: Option<usize>,
    /// Whether the failed ones are tried once more, with lessons and without.
    second: bool,
    /// Whether what is there of an earlier measurement is thrown away.
    fresh: bool,
}

/// Solves, scores and prints.
pub fn run(workspace: &Workspace, words: &[&str]) -> anyhow::Result<u8> {
    if let ["--only", part] = words {
        return match *part {
            "overhead" => overhead::run(workspace),
            other => bail!("there is no part `{other}`; the part that can be had alone is overhead"),
        };
    }
    let options = Options::read(words)?;
    let from = workspace.root.join(cases::BENCHMARKS).join("humaneval/HumanEval.jsonl.gz");
    if !from.is_file() {
        println!("HumanEval is not here (`{}/humaneval`), so nothing is measured", cases::BENCHMARKS);
        return Ok(0);
    }
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let all = tasks::read(&from)?;
    let order = strided(&(0..all.len()).collect::<Vec<_>>());
    let count = options.sample.unwrap_or(order.len()).min(order.len());
    let pick = |places: &[usize]| places.iter().map(|at| &all[*at]).collect::<Vec<&Task>>();
    let (chosen, others) = (pick(&order[..count]), pick(&order[count..]));
    let bench = Bench::new(workspace, &options)?;
    println!("bench solve: {} on {count} of {} tasks, load average {}", options.model, all.len(), load());
    println!("kept in {} (--fresh begins anew)", bench.folder.display());
    let first = bench.pass(&Arm::first(), &chosen)?;
    report::first(&first.values().collect::<Vec<_>>()).iter().for_each(|line| println!("{line}"));
    if options.second {
        bench.second(&chosen, &others, &first)?;
    }
    Ok(0)
}

impl Options {
    fn read(words: &[&str]) -> anyhow::Result<Options> {
        let default =
            Options { model: MODEL_DEFAULT.to_string(), sample: Some(SAMPLE_DEFAULT), second: false, fresh: false };
        match words {
            [] => Ok(default),
            ["--all", rest @ ..] => Ok(Options { sample: None, ..Options::read(rest)? }),
            ["--second", rest @ ..] => Ok(Options { second: true, ..Options::read(rest)? }),
            ["--fresh", rest @ ..] => Ok(Options { fresh: true, ..Options::read(rest)? }),
            ["--sample", count, rest @ ..] => {
                let sample = Some(count.parse().context("--sample takes a number of tasks")?);
                Ok(Options { sample, ..Options::read(rest)? })
            }
            ["--model", name, rest @ ..] => Ok(Options { model: name.to_string(), ..Options::read(rest)? }),
            [other, ..] => {
                bail!("bench solve takes --model NAME, --sample N, --all, --second or --fresh, not `{other}`")
            }
        }
    }
}

/// One way to solve the same tasks.
struct Arm {
    name: &'static str,
    /// Whose lessons and runs.
    place: &'static str,
    more: Vec<String>,
}

impl Arm {
    fn of(name: &'static str, place: &'static str, more: &[&str]) -> Arm {
        Arm { name, place, more: more.iter().map(ToString::to_string).collect() }
    }

    fn first() -> Arm {
        Arm::of("first", "first", &[])
    }
}

/// Where what is measured is kept, and what measures it.
struct Bench {
    assay: PathBuf,
    folder: PathBuf,
    model: String,
}

impl Bench {
    fn new(workspace: &Workspace, options: &Options) -> anyhow::Result<Bench> {
        let name = options.model.replace(|letter: char| !letter.is_alphanumeric(), "-");
        let folder = workspace.target()?.join("bench-solve").join(name);
        if options.fresh && folder.is_dir() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)?;
        Ok(Bench { assay: workspace.assay()?, folder, model: options.model.clone() })
    }

    /// Each task's line: as it is kept, or else solved and scored now.
    fn pass(&self, arm: &Arm, tasks: &[&Task]) -> anyhow::Result<BTreeMap<String, Line>> {
        let path = self.folder.join(format!("{}.jsonl", arm.name));
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        // The last line may have been cut where it was killed.
        let kept: Vec<Line> = kept.lines().filter_map(|line| Line::read(line).ok()).collect();
        let mut lines: BTreeMap<String, Line> = kept.into_iter().map(|line| (line.task.clone(), line)).collect();
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path)?;
        for (at, task) in tasks.iter().enumerate().filter(|(_, task)| !task.is_in(&lines)).collect::<Vec<_>>() {
            let line = self.one(arm, task)?;
            writeln!(file, "{}", line.written())?;
            println!("{:<8} {:>3}/{} {}", arm.name, at + 1, tasks.len(), line.told());
            lines.insert(task.id.clone(), line);
        }
        lines.retain(|id, _| tasks.iter().any(|task| task.id == *id));
        Ok(lines)
    }

    fn one(&self, arm: &Arm, task: &Task) -> anyhow::Result<Line> {
        let data = self.folder.join(arm.place);
        let key = format!("{}-{}", arm.name, task.id);
        let mut solve = Command::new(&self.assay);
        solve.args(["solve", &task.prompt, "--json", "--model", &self.model, "--key", &key]);
        solve.args(UNBOUNDED).args(&arm.more).arg("--data-dir").arg(&data);
        let solution = document(&mut solve)?;
        let run = solution["run"].as_str().with_context(|| format!("{} came to no end: {solution}", task.id))?;
        let shown = document(Command::new(&self.assay).args(["runs", "show", run, "--json", "--data-dir"]).arg(&data))?;
        let mut scored: BTreeMap<String, bool> = BTreeMap::new();
        let mut score = |code: &Value| -> anyhow::Result<bool> {
            let Some(code) = code.as_str().filter(|code| !code.is_empty()) else { return Ok(false) };
            if let Some(known) = scored.get(code) {
                return Ok(*known);
            }
            let right = task.scores(&self.assay, &data, code)?;
            scored.insert(code.to_string(), right);
            Ok(right)
        };
        let (once, at_last) = (score(&solution["history"][0]["code"])?, score(&solution["code"])?);
        Line::of(task, &solution, &shown, (once, at_last))
    }

    /// What was not verified is tried once more: with the lessons of the first pass, and by as many further samples.
    fn second(&self, chosen: &[&Task], others: &[&Task], first: &BTreeMap<String, Line>) -> anyhow::Result<()> {
        let is_failed = |task: &&&Task| first.get(&task.id).is_some_and(|line| line.verdict == "failed");
        let failed: Vec<&Task> = chosen.iter().filter(is_failed).copied().collect();
        self.copy_place("first", "lessons")?;
        let again = self.pass(&Arm::of("second", "lessons", &[]), &failed)?;
        let mut samples = BTreeMap::new();
        for task in &failed {
            let calls = first[&task.id].calls + again[&task.id].calls.max(1);
            let count = calls.clamp(1, 20).to_string();
            let more = ["--no-memory", "--candidates", &count, "--max-iterations", &count];
            samples.extend(self.pass(&Arm::of("resample", "plain", &more), &[task])?);
        }
        report::second(&failed.len(), (&again, &samples), first).iter().for_each(|line| println!("{line}"));
        let new = &others[..others.len().min(NEW_TASKS)];
        if new.is_empty() {
            println!("new tasks  none is left beside the sample, so harm is not measured");
            return Ok(());
        }
        self.copy_place("first", "lessons-new")?;
        let with = self.pass(&Arm::of("new-with", "lessons-new", &[]), new)?;
        let without = self.pass(&Arm::of("new-none", "plain", &["--no-memory"]), new)?;
        report::new_tasks(&with, &without).iter().for_each(|line| println!("{line}"));
        Ok(())
    }

    /// The lessons of one arm for another, which does not change them; once.
    fn copy_place(&self, from: &str, to: &str) -> anyhow::Result<()> {
        let (from, to) = (self.folder.join(from), self.folder.join(to));
        if to.is_dir() {
            return Ok(());
        }
        let made = to.with_extension("part");
        if made.is_dir() {
            std::fs::remove_dir_all(&made)?;
        }
        output(Command::new("cp").arg("-r").arg(&from).arg(&made))?;
        Ok(std::fs::rename(&made, &to)?)
    }
}

/// What a command prints as one document, whatever its exit code says of it.
fn document(command: &mut Command) -> anyhow::Result<Value> {
    let ran = command.output().context("cannot start the program")?;
    serde_json::from_slice(&ran.stdout)
        .with_context(|| format!("no document was printed: {}", String::from_utf8_lossy(&ran.stderr).trim()))
}
