//! `cargo xtask bench model`: what the loop of `ask` gains over one shot of the same model, on DABench where it is at hand.
//!
//! One evaluation asks every question once, with the planner off; of each it is known what the code that was written first
//! gave and what the loop answered in the end. It is a run with a key: killed, it goes on where it stopped, and asked again
//! it is read from the journal. Figures, never a rule. `--only` measures something else: what our own side costs (`cost`),
//! or questions of the suite that the planner refuses (`suite`).

mod cost;
mod suite;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use super::load;
use crate::cases;
use crate::ci::BUILD;
use crate::workspace::{Workspace, exit_code};

const MODEL_DEFAULT: &str = "local:qwen2.5-coder-1.5b";
/// Asked where nobody says otherwise.
const SAMPLE_DEFAULT: usize = 60;
/// No budget of its own: what is measured must not be cut.
const TOKENS_MAX: &str = "1000000000";
const SECONDS_MAX: &str = "1000000";

/// What was asked for.
struct Options {
    model: String,
    /// How many questions; the usual number where absent.
    sample: Option<usize>,
    /// Whether every question is asked.
    all: bool,
    only: Part,
}

/// What is measured.
#[derive(Clone, Copy)]
enum Part {
    Loop,
    Cost,
    Suite,
}

/// Measures and prints.
pub fn run(workspace: &Workspace, options: &[&str]) -> anyhow::Result<u8> {
    let options = Options::read(options)?;
    match options.only {
        Part::Loop => run_loop(workspace, &options),
        Part::Cost => cost::run(workspace),
        Part::Suite => suite::run(workspace, &options),
    }
}

fn run_loop(workspace: &Workspace, options: &Options) -> anyhow::Result<u8> {
    let from = workspace.root.join(cases::BENCHMARKS).join("dabench");
    if !from.is_dir() {
        println!("DABench is not here (`{}/dabench`), so nothing is measured", cases::BENCHMARKS);
        return Ok(0);
    }
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let folder = workspace.target()?.join("bench-model");
    let text = folder.to_str().context("the target directory is no text")?;
    ensure!(cases::run("dabench", text, &workspace.root.join(cases::BENCHMARKS))? == 0, "the cases were not made");
    let all = std::fs::read_to_string(folder.join("cases.jsonl"))?;
    let count = if options.all { None } else { Some(options.sample.unwrap_or(SAMPLE_DEFAULT)) };
    let chosen = sample(&all.lines().collect::<Vec<_>>(), count);
    let name = format!("{}-{}", options.model.replace(|letter: char| !letter.is_alphanumeric(), "-"), chosen.len());
    let (asked, results) = (folder.join(format!("{name}.jsonl")), folder.join(format!("{name}.results.jsonl")));
    std::fs::write(&asked, chosen.join("\n") + "\n")?;
    println!("bench model: {} on {} questions, load average {}", options.model, chosen.len(), load());
    let code = exit_code(&mut evaluation(workspace, &options.model, &name, (&asked, &results))?)?;
    if code != 0 {
        return Ok(code);
    }
    let lines = std::fs::read_to_string(&results)?;
    let cases = lines.lines().map(Case::read).collect::<anyhow::Result<Vec<Case>>>()?;
    for line in report(&cases) {
        println!("{line}");
    }
    Ok(0)
}

impl Options {
    fn read(words: &[&str]) -> anyhow::Result<Options> {
        match words {
            [] => Ok(Options { model: MODEL_DEFAULT.to_string(), sample: None, all: false, only: Part::Loop }),
            ["--all", rest @ ..] => Ok(Options { all: true, ..Options::read(rest)? }),
            ["--only", "cost", rest @ ..] => Ok(Options { only: Part::Cost, ..Options::read(rest)? }),
            ["--only", "suite", rest @ ..] => Ok(Options { only: Part::Suite, ..Options::read(rest)? }),
            ["--sample", count, rest @ ..] => {
                let sample = Some(count.parse().context("--sample takes a number of questions")?);
                Ok(Options { sample, ..Options::read(rest)? })
            }
            ["--model", name, rest @ ..] => Ok(Options { model: name.to_string(), ..Options::read(rest)? }),
            [other, ..] => {
                bail!("bench model takes --model NAME, --sample N or --all, --only cost or --only suite, not `{other}`")
            }
        }
    }
}

fn evaluation(
    workspace: &Workspace,
    model: &str,
    name: &str,
    (asked, results): (&Path, &Path),
) -> anyhow::Result<Command> {
    let mut command = Command::new(workspace.assay()?);
    command.arg("eval").arg(asked).args(["--model", model, "--planner", "off"]).arg("--out").arg(results);
    command.args(["--max-tokens", TOKENS_MAX, "--max-seconds", SECONDS_MAX, "--key", &format!("bench-model-{name}")]);
    Ok(command)
}

/// So many, always the same ones, from all over.
fn sample<T: Copy>(all: &[T], count: Option<usize>) -> Vec<T> {
    let Some(count) = count.filter(|count| *count < all.len()) else { return all.to_vec() };
    strided(all)[..count].to_vec()
}

/// All of them, so that any beginning is from all over.
pub(super) fn strided<T: Copy>(all: &[T]) -> Vec<T> {
    // A stride that shares no divisor with any length meets every one once.
    const STRIDE: usize = 7_919;
    (0..all.len()).map(|at| all[at * STRIDE % all.len()]).collect()
}

/// What is counted of a question.
struct Case {
    right: bool,
    right_at_once: bool,
    /// As the answer says it is known; nothing where there was none.
    level: Option<String>,
    tokens: u64,
    calls: u64,
    seconds: f64,
}

impl Case {
    fn read(line: &str) -> anyhow::Result<Case> {
        let value: Value = serde_json::from_str(line).context("a line of the results is no JSON")?;
        let cost = &value["model"]["cost"];
        let tokens = cost["tokens"].as_object().into_iter().flatten().filter_map(|(_, count)| count.as_u64()).sum();
        Ok(Case {
            right: value["right"] == true,
            right_at_once: value["model"]["right_at_once"] == true,
            level: value["known"].as_str().filter(|_| value["status"] == "answered").map(str::to_string),
            tokens,
            calls: cost["calls"].as_u64().unwrap_or_default(),
            seconds: value["total_ms"].as_f64().unwrap_or_default() / 1_000.0,
        })
    }
}

fn report(cases: &[Case]) -> Vec<String> {
    let count = |wanted: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| wanted(case)).count();
    let (once, loop_) = (count(&|case| case.right_at_once), count(&|case| case.right));
    let (gained, lost) =
        (count(&|case| case.right && !case.right_at_once), count(&|case| !case.right && case.right_at_once));
    let mean = |of: &dyn Fn(&Case) -> f64| cases.iter().map(of).sum::<f64>() / cases.len().max(1) as f64;
    let mut lines = vec![
        format!("one shot   right {}", part(once, cases.len())),
        format!("loop       right {}, gained {gained}, lost {lost}", part(loop_, cases.len())),
        format!(
            "a question {:.1} replies, {:.0} tokens, {:.0} s",
            mean(&|case| case.calls as f64),
            mean(&|case| case.tokens as f64),
            mean(&|case| case.seconds),
        ),
    ];
    let mut levels: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for case in cases {
        let entry = levels.entry(case.level.as_deref().unwrap_or("refused")).or_default();
        entry.0 += 1;
        entry.1 += usize::from(case.right);
    }
    lines.extend(levels.iter().map(|(level, (all, right))| {
        format!("{level:<10} {} of the questions, of these right {}", part(*all, cases.len()), part(*right, *all))
    }));
    lines
}

fn part(some: usize, all: usize) -> String {
    format!("{some}/{all} = {:.0} %", 100.0 * some as f64 / all.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_the_same_each_time_and_asks_nothing_twice() {
        let lines: Vec<String> = (0..121).map(|at| at.to_string()).collect();
        let lines = || lines.iter().map(String::as_str).collect::<Vec<_>>();
        let mut chosen = sample(&lines(), Some(60));
        assert_eq!(chosen, sample(&lines(), Some(60)));
        chosen.sort_unstable();
        chosen.dedup();
        assert_eq!((chosen.len(), sample(&lines(), None).len()), (60, 121));
    }

    #[test]
    fn gains_and_losses_are_told_apart() {
        let line = |right: bool, once: bool| {
            format!(
                r#"{{"status":"answered","right":{right},"known":"checked","model":{{"right_at_once":{once},"cost":{{"calls":2,"tokens":{{"input":5,"output":1}}}}}},"total_ms":2000}}"#
            )
        };
        let cases: Vec<Case> = [line(true, true), line(true, false), line(true, false), line(false, true)]
            .iter()
            .map(|line| Case::read(line).expect("a result"))
            .collect();
        let told = report(&cases);
        assert_eq!(told[1], "loop       right 3/4 = 75 %, gained 2, lost 1");
        assert_eq!(told[2], "a question 2.0 replies, 6 tokens, 2 s");
        assert_eq!(told[3], "checked    4/4 = 100 % of the questions, of these right 3/4 = 75 %");
    }
}
