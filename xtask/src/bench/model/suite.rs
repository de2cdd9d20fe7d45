//! `--only suite`: questions of the project's own suite that the planner refuses, asked with a model.
//!
//! What each should give is known (a pandas snippet says it), so each is right, wrong or refused, and how many wrong ones
//! were told as `checked` can be counted. The planner is asked once and its results are kept; the evaluation is a run with a
//! key, as that of the loop.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::super::load;
use super::{Options, evaluation, part, sample};
use crate::ci::BUILD;
use crate::workspace::{Workspace, exit_code};

/// Asked where nobody says otherwise.
const SAMPLE_DEFAULT: usize = 150;
/// Of all that was asked, in percent.
const WRONG_AND_CHECKED_MAX: f64 = 5.0;

/// Asks and prints.
pub fn run(workspace: &Workspace, options: &Options) -> anyhow::Result<u8> {
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let folder = workspace.target()?.join("bench-model").join("suite");
    let refused = refused(workspace, &folder)?;
    let count = if options.all { None } else { Some(options.sample.unwrap_or(SAMPLE_DEFAULT)) };
    let chosen = sample(&refused.iter().map(String::as_str).collect::<Vec<_>>(), count);
    let text = chosen.join("\n") + "\n";
    let mut digest = DefaultHasher::new();
    text.hash(&mut digest);
    let model = options.model.replace(|letter: char| !letter.is_alphanumeric(), "-");
    let name = format!("suite-{model}-{}-{:08x}", chosen.len(), digest.finish() as u32);
    let (asked, results) = (folder.join(format!("{name}.jsonl")), folder.join(format!("{name}.results.jsonl")));
    fs::write(&asked, text)?;
    println!(
        "bench model: {} on {} of {} suite questions that the planner refuses, load average {}",
        options.model,
        chosen.len(),
        refused.len(),
        load()
    );
    // The planner has refused them, so it is not asked again.
    let code = exit_code(&mut evaluation(workspace, &options.model, &name, (&asked, &results))?)?;
    if code != 0 {
        return Ok(code);
    }
    let lines = fs::read_to_string(&results)?;
    let lines = lines.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    report(&lines).iter().for_each(|line| println!("{line}"));
    Ok(0)
}

/// The cases with an answer that the planner does not give; made once for a version of the suite.
fn refused(workspace: &Workspace, folder: &Path) -> anyhow::Result<Vec<String>> {
    let suite = workspace.root.join("suite");
    let mut digest = DefaultHasher::new();
    fs::read(suite.join("questions.jsonl"))?.hash(&mut digest);
    let planned = folder.join(format!("planned-{:08x}", digest.finish() as u32));
    if !planned.join("done").is_file() {
        println!("bench model: the planner reads the suite once, then its results are kept in {}", planned.display());
        let mut asked = Command::new("python3");
        asked.arg(suite.join("run.py")).arg(workspace.assay()?).arg(&planned);
        ensure!(exit_code(asked.stdout(std::process::Stdio::null()))? == 0, "the suite was not asked");
        fs::write(planned.join("done"), "")?;
    }
    let read = |name: &str| -> anyhow::Result<String> {
        let path: PathBuf = planned.join(name);
        fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))
    };
    let (cases, results) = (read("cases.jsonl")?, read("results.jsonl")?);
    choose(&cases, &results)
}

/// Cases with a known answer whose result is a refusal.
fn choose(cases: &str, results: &str) -> anyhow::Result<Vec<String>> {
    let mut chosen = Vec::new();
    let mut refused = std::collections::HashSet::new();
    for line in results.lines() {
        let result: Value = serde_json::from_str(line)?;
        if result["status"] == "refused"
            && let Some(id) = result["id"].as_str()
        {
            refused.insert(id.to_string());
        }
    }
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line)?;
        let is_refused = case["id"].as_str().is_some_and(|id| refused.contains(id));
        if is_refused && case["expect"]["refused"] != true {
            chosen.push(line.to_string());
        }
    }
    Ok(chosen)
}

fn report(results: &[Value]) -> Vec<String> {
    let count = |wanted: &dyn Fn(&Value) -> bool| results.iter().filter(|result| wanted(result)).count();
    let (all, is_answer) = (results.len(), |result: &Value| result["status"] == "answered");
    let right = count(&|result| is_answer(result) && result["right"] == true);
    let wrong = count(&|result| is_answer(result) && result["right"] != true);
    let problems = count(&|result| result["status"] == "problem");
    let is_checked = |result: &Value| is_answer(result) && result["known"] == "checked";
    let checked = count(&is_checked);
    let wrong_checked = count(&|result| is_checked(result) && result["right"] != true);
    let percent = 100.0 * wrong_checked as f64 / all.max(1) as f64;
    let verdict = if percent <= WRONG_AND_CHECKED_MAX { "reached" } else { "not reached" };
    let tokens = |result: &Value| -> u64 {
        let counts = result["model"]["cost"]["tokens"].as_object();
        counts.into_iter().flatten().filter_map(|(_, count)| count.as_u64()).sum()
    };
    let seconds = results.iter().filter_map(|result| result["total_ms"].as_f64()).sum::<f64>() / 1_000.0;
    vec![
        format!("right      {}", part(right, all)),
        format!("wrong      {}", part(wrong, all)),
        format!("refused    {}, problems {problems}", part(all - right - wrong - problems, all)),
        format!("checked    {}, of these right {}", part(checked, all), part(checked - wrong_checked, checked)),
        format!(
            "wrong and checked {} (to reach: at most {WRONG_AND_CHECKED_MAX:.0} %: {verdict})",
            part(wrong_checked, all)
        ),
        format!(
            "a question {:.0} tokens, {:.0} s",
            results.iter().map(tokens).sum::<u64>() as f64 / all.max(1) as f64,
            seconds / all.max(1) as f64
        ),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_has_an_answer_and_was_refused_is_asked() {
        let cases =
            "{\"id\":\"a\",\"expect\":{\"rows\":[[1]]}}\n{\"id\":\"b\",\"expect\":{\"refused\":true}}\n{\"id\":\"c\"}";
        let results = "{\"id\":\"a\",\"status\":\"refused\"}\n{\"id\":\"b\",\"status\":\"refused\"}\n{\"id\":\"c\",\"status\":\"answered\"}";
        assert_eq!(choose(cases, results).expect("cases"), ["{\"id\":\"a\",\"expect\":{\"rows\":[[1]]}}"]);
    }

    #[test]
    fn wrong_ones_that_are_told_as_checked_are_counted() {
        let result =
            |status: &str, right: bool, known: &str| json!({ "status": status, "right": right, "known": known });
        let told = report(&[
            result("answered", true, "checked"),
            result("answered", false, "checked"),
            result("answered", false, "unverified"),
            result("refused", false, ""),
        ]);
        assert_eq!(told[0], "right      1/4 = 25 %");
        assert_eq!(told[2], "refused    1/4 = 25 %, problems 0");
        assert_eq!(told[3], "checked    2/4 = 50 %, of these right 1/2 = 50 %");
        assert_eq!(told[4], "wrong and checked 1/4 = 25 % (to reach: at most 5 %: not reached)");
    }
}
