//! What a user gets from `assay runs`: lists that filter and page, ids typed in part or completed by the shell, and
//! old runs pruned without losing anything that is still needed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::Place;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A finished run.
#[track_caller]
fn finished(place: &Place) -> String {
    let document = place.json(0, &["demo", "flow", "--steps", "2", "--step-ms", "0"]);
    document["run"].as_str().unwrap().to_string()
}

/// A run that died after its first step.
#[track_caller]
fn interrupted(place: &Place) -> String {
    let arguments = ["demo", "flow", "--steps", "2", "--step-ms", "0", "--json"];
    place.assay(arguments).env("ASSAY_FAULT", "after_commit:0").run();
    place.json(0, &["runs", "list", "--limit", "1"])["runs"][0]["id"].as_str().unwrap().to_string()
}

/// A run that waits for a worker.
#[track_caller]
fn queued(place: &Place) -> String {
    place.json(0, &["demo", "flow", "--steps", "1", "--step-ms", "0", "--queue"])["runs"][0]
        .as_str()
        .unwrap()
        .to_string()
}

/// Executes statements in the store with Python's own SQLite.
#[track_caller]
fn in_store(place: &Place, statements: &str) {
    let script = "import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.executescript(sys.argv[2])
connection.close()";
    let ran = Command::new("python3").arg("-c").arg(script).arg(place.data().join("store.db")).arg(statements).output();
    let ran = ran.expect("python3 is there");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// Makes runs as if they had been created, and had ended, so many days earlier.
#[track_caller]
fn age(place: &Place, runs: &[&String], days: i64) {
    for run in runs {
        let earlier = days * DAY_MS;
        in_store(
            place,
            &format!(
                "UPDATE runs SET created_at = created_at - {earlier}, finished_at = finished_at - {earlier} WHERE id = '{run}'"
            ),
        );
    }
}

#[track_caller]
fn listed(place: &Place, flags: &[&str]) -> Vec<String> {
    let arguments: Vec<&str> = ["runs", "list"].iter().chain(flags).copied().collect();
    ids(&place.json(0, &arguments))
}

fn ids(document: &Value) -> Vec<String> {
    document["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_string()).collect()
}

fn short(run: &str) -> &str {
    &run[run.len() - 8..]
}

#[test]
fn lists_filter_by_task_state_and_time() {
    let place = Place::new();
    let old = finished(&place);
    let stopped = interrupted(&place);
    let waiting = queued(&place);
    let cancelled = queued(&place);
    place.json(0, &["runs", "cancel", &cancelled]);
    age(&place, &[&old], 3);
    let all = [cancelled.clone(), waiting.clone(), stopped.clone(), old.clone()];
    let cases: [(&[&str], &[usize]); 13] = [
        (&[], &[0, 1, 2, 3]),
        (&["--task", "demo"], &[0, 1, 2, 3]),
        (&["--task", "demo/1"], &[0, 1, 2, 3]),
        (&["--task", "demo/2"], &[]),
        (&["--task", "dem"], &[]),
        (&["--state", "succeeded"], &[3]),
        (&["--state", "cancelled,interrupted"], &[0, 2]),
        (&["--state", "pending", "--state", "succeeded"], &[1, 3]),
        (&["--since", "2d"], &[0, 1, 2]),
        (&["--until", "2d"], &[3]),
        (&["--since", "4d", "--until", "48h", "--state", "succeeded"], &[3]),
        (&["--since", "2001-01-01", "--until", "2001-02-03T04:05:06Z"], &[]),
        (&["--before", short(&waiting)], &[2, 3]),
    ];
    for (flags, expected) in cases {
        let expected: Vec<String> = expected.iter().map(|index| all[*index].clone()).collect();
        assert_eq!(listed(&place, flags), expected, "{flags:?}");
    }
    for flags in [["--since", "yesterday"], ["--until", "2026-02-30"], ["--since", "99999999999999999999d"]] {
        let problem = place.json(2, &["runs", "list", flags[0], flags[1]]);
        assert_eq!(problem["code"], "usage", "{problem}");
    }
    assert_eq!(place.json(2, &["runs", "list", "--state", "dancing"])["code"], "usage");
}

#[test]
fn pages_go_on_under_the_same_filter() {
    let place = Place::new();
    let mut expected = Vec::new();
    for _ in 0..3 {
        expected.insert(0, queued(&place));
        finished(&place);
    }
    let mut seen = Vec::new();
    let mut flags = vec!["--state".to_string(), "pending".to_string(), "--limit".to_string(), "1".to_string()];
    loop {
        let arguments: Vec<&str> = ["runs", "list"].into_iter().chain(flags.iter().map(String::as_str)).collect();
        let page = place.json(0, &arguments);
        assert_eq!(page["runs"].as_array().unwrap().len(), 1, "{page}");
        seen.extend(ids(&page));
        let Some(next) = page["next"].as_str() else { break };
        flags.truncate(4);
        flags.extend(["--before".to_string(), next.to_string()]);
    }
    assert_eq!(seen, expected);
}

#[test]
fn a_list_for_people_is_short_and_says_how_to_see_more() {
    let place = Place::new();
    let none = place.assay(["runs", "list"]).run().exits(0);
    assert_eq!((none.stdout.as_str(), none.stderr.contains("no run")), ("", true), "{}", none.stderr);
    let (old, new) = (finished(&place), queued(&place));
    age(&place, &[&old], 3);
    let ran = place.assay(["runs", "list"]).run().exits(0);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["run", "age", "state", "task", "title"]);
    let words: Vec<&str> = lines[2].split_whitespace().collect();
    assert_eq!(words[..5], [short(&old), "3d", "succeeded", "demo/1", "2"], "{}", ran.stdout);
    assert!(lines[1].starts_with(short(&new)) && lines.len() == 3, "{}", ran.stdout);
    let column = |line: &str, word: &str| line.find(word).unwrap();
    assert_eq!(column(lines[0], "task"), column(lines[2], "demo/1"), "{}", ran.stdout);
    assert!(!ran.stderr.contains("more"), "{}", ran.stderr);

    let ran = place.assay(["runs", "list", "--limit", "1"]).run().exits(0);
    let advice = format!("--before {}", short(&new));
    assert!(ran.stderr.contains(&advice), "{}", ran.stderr);
    let ran = place.assay(["runs", "list", "--limit", "1", "--before", short(&new)]).run().exits(0);
    assert!(ran.stdout.contains(short(&old)) && ran.stdout.lines().count() == 2, "{}", ran.stdout);
}

#[test]
fn a_damaged_run_is_named_and_the_others_are_listed() {
    let place = Place::new();
    let (good, bad) = (finished(&place), finished(&place));
    in_store(&place, &format!("UPDATE runs SET state = 'dancing' WHERE id = '{bad}'"));
    let document = place.json(0, &["runs", "list"]);
    assert_eq!((ids(&document), &document["damaged"]), (vec![good.clone()], &json!([bad])));
    let ran = place.assay(["runs", "list"]).run().exits(0);
    assert!(ran.stdout.contains(short(&good)) && !ran.stdout.contains(short(&bad)), "{}", ran.stdout);
    assert!(ran.stderr.contains(&bad), "{}", ran.stderr);
    let pruned = place.json(0, &["runs", "prune", "--older-than", "0s", "--keep", "0"]);
    assert_eq!((ids(&pruned), &pruned["deleted"]), (vec![good], &json!(1)), "what cannot be read stays");
}

#[test]
fn a_run_may_be_called_by_either_end_of_its_id() {
    let place = Place::new();
    let (run, other) = (finished(&place), interrupted(&place));
    let dashed = [&run[..8], &run[8..12], &run[12..16], &run[16..20], &run[20..]].join("-").to_uppercase();
    let calls =
        [run.clone(), dashed.clone(), short(&run).to_string(), short(&run).to_uppercase(), run[..31].to_string()];
    for call in calls.iter().chain([&dashed[..35].to_string(), &dashed[4..].to_string()]) {
        assert_eq!(place.json(0, &["runs", "show", call])["id"], json!(run), "{call}");
    }
    let file = place.path("run.zip");
    let of_run = short(&run);
    place.json(0, &["runs", "export", of_run, "--to", file.to_str().unwrap()]);
    assert_eq!(place.json(0, &["runs", "replay", of_run])["run"], json!(run));
    assert_eq!(place.json(1, &["runs", "cancel", of_run])["run"], json!(run), "it had ended");
    let forked = place.json(0, &["runs", "fork", of_run, "--from-step", "1"]);
    assert_eq!(place.json(0, &["runs", "show", forked["run"].as_str().unwrap()])["forked_from"]["run"], json!(run));
    assert_eq!(place.json(0, &["runs", "resume", short(&other)])["run"], json!(other));
}

#[test]
fn digits_that_do_not_tell_runs_apart_name_those_they_could_mean() {
    let place = Place::new();
    let runs: Vec<String> = (0..7).map(|_| queued(&place)).collect();
    // Made within minutes, the ids begin alike.
    let problem = place.json(2, &["runs", "show", &runs[0][..6]]);
    assert_eq!(problem["code"], "run_unknown", "{problem}");
    let hint = problem["hint"].as_str().unwrap();
    let named = runs.iter().filter(|run| hint.contains(short(run))).count();
    assert_eq!((named, hint.contains('…')), (5, true), "{hint}");
    assert_eq!(place.json(0, &["runs", "show", short(&runs[0])])["state"], "pending", "nothing was done to it");
    // As the list shows them, they need not be typed to their end.
    assert_eq!(place.json(0, &["runs", "show", &short(&runs[0])[..7]])["id"], runs[0].as_str());
    for text in ["", "abc", "a--b", "abcg", "ab cd", "%%%%", "____", "00000000", &"a".repeat(40), "café"] {
        let problem = place.json(2, &["runs", "cancel", text]);
        assert_eq!((&problem["code"], problem["hint"].is_string()), (&json!("run_unknown"), true), "{text}: {problem}");
    }
}

/// Where a file of contents that no row names lies.
fn stray(place: &Place) -> PathBuf {
    let name = "ab".repeat(32);
    place.folder("data/artifacts/ab");
    place.file(&format!("data/artifacts/ab/{name}"), "nobody needs this")
}

#[test]
fn pruning_deletes_what_ended_long_ago_and_says_so() {
    let place = Place::new();
    let unfinished = [interrupted(&place), queued(&place)];
    let (oldest, older, recent) = (finished(&place), finished(&place), finished(&place));
    age(&place, &[&oldest, &unfinished[0], &unfinished[1]], 90);
    age(&place, &[&older], 60);
    let stray = stray(&place);
    let all = listed(&place, &[]);

    let kept = place.json(0, &["runs", "prune"]);
    assert_eq!((ids(&kept), &kept["deleted"]), (vec![], &json!(0)), "a hundred runs stay however old: {kept}");
    assert_eq!((&kept["artifacts"], &kept["bytes"], stray.exists()), (&json!(1), &json!(17), false));
    place.file("data/artifacts/ab/cd", "not ours");
    let would = place.json(0, &["runs", "prune", "--keep", "0", "--dry-run"]);
    assert_eq!((&would["dry_run"], ids(&would)), (&json!(true), vec![oldest.clone(), older.clone()]), "{would}");
    assert_eq!((&would["deleted"], &would["runs"][0]["title"]), (&json!(2), &json!("2 steps of 0 ms")));
    assert_eq!(listed(&place, &[]), all, "nothing was deleted");
    let ran = place.assay(["runs", "prune", "--keep", "0", "--dry-run"]).run().exits(0);
    assert!(ran.stdout.contains(short(&oldest)) && ran.stdout.contains("would delete 2 runs"), "{}", ran.stdout);

    let pruned = place.json(0, &["runs", "prune", "--keep", "2", "--older-than", "1d"]);
    assert_eq!((ids(&pruned), &pruned["deleted"]), (vec![oldest.clone()], &json!(1)), "{pruned}");
    assert_eq!((&pruned["dry_run"], &pruned["damaged"]), (&json!(false), &json!([])));
    assert_eq!(place.json(2, &["runs", "show", &oldest])["code"], "run_unknown");
    let pruned = place.json(0, &["runs", "prune", "--keep", "0", "--older-than", "0s"]);
    assert_eq!(ids(&pruned), [older, recent]);
    assert_eq!(listed(&place, &[]), [unfinished[1].clone(), unfinished[0].clone()], "what is not finished stays");
    assert_eq!(place.json(0, &["runs", "resume", &unfinished[0]])["run"], json!(unfinished[0]));
    assert!(place.path("data/artifacts/ab/cd").exists(), "a stranger's file stays");
}

#[test]
fn how_long_runs_stay_is_a_setting_of_the_user() {
    let place = Place::new();
    let run = finished(&place);
    age(&place, &[&run], 10);
    let prune = |days: &str, keep: &str| {
        let call = place.assay(["runs", "prune", "--dry-run", "--json"]);
        call.env("ASSAY_RETENTION_DAYS", days).env("ASSAY_RETENTION_KEEP", keep).run()
    };
    assert_eq!(ids(&prune("9", "0").exits(0).document()), vec![run.clone()]);
    assert_eq!(ids(&prune("11", "0").exits(0).document()), Vec::<String>::new());
    assert_eq!(ids(&prune("9", "1").exits(0).document()), Vec::<String>::new());
    assert_eq!(prune("soon", "0").exits(2).document()["code"], "setting_invalid");
    place.file(".config/assay/config.toml", "retention_days = 9\nretention_keep = 0\n");
    assert_eq!(ids(&place.json(0, &["runs", "prune", "--dry-run"])), [run]);
    place.file("assay.toml", "retention_days = 0\n");
    assert_eq!(place.json(2, &["runs", "prune"])["code"], "setting_invalid", "a project does not decide it");
}

#[test]
fn a_fork_outlives_the_run_it_came_from() {
    let place = Place::new();
    let run = finished(&place);
    let forked = place.json(0, &["runs", "fork", &run, "--from-step", "2"]);
    let fork = forked["run"].as_str().unwrap();
    let before = place.json(0, &["runs", "show", fork]);
    age(&place, &[&run], 60);
    assert_eq!(ids(&place.json(0, &["runs", "prune", "--keep", "0"])), vec![run.clone()]);
    assert_eq!(place.json(0, &["runs", "show", fork]), before);
    assert_eq!(place.json(0, &["runs", "replay", fork])["same"], true);
    let again = place.json(0, &["runs", "fork", fork, "--from-step", "1"]);
    assert_eq!(again["value"], forked["value"]);
}

#[test]
fn files_stay_while_somebody_records_one() {
    let place = Place::new();
    let run = finished(&place);
    let stray = stray(&place);
    let lock = File::create(place.data().join("artifacts.lock")).unwrap();
    lock.lock_shared().unwrap();
    let arguments = ["runs", "prune", "--keep", "0", "--older-than", "0s"];
    let pruned = place.json(0, &arguments);
    assert_eq!((ids(&pruned), &pruned["artifacts"], &pruned["bytes"]), (vec![run], &json!(0), &json!(0)), "{pruned}");
    assert_eq!((&pruned["artifacts_busy"], stray.exists()), (&json!(true), true));
    let ran = place.assay(arguments).run().exits(0);
    assert!(ran.stderr.contains("no file was removed"), "{}", ran.stderr);
    lock.unlock().unwrap();
    let pruned = place.json(0, &arguments);
    assert_eq!((&pruned["artifacts"], &pruned["artifacts_busy"]), (&json!(1), &json!(false)), "{pruned}");
    assert!(!stray.exists());
}

/// What bash would offer for the last of these words.
#[track_caller]
fn completed(place: &Place, data: &Path, words: &[&str]) -> Vec<String> {
    let script = r#"source <("$1" completions bash) || exit 9
shift
COMP_WORDS=(assay "$@") COMP_CWORD=$# COMP_TYPE=9
_clap_complete_assay assay "${@: -1}" "${@: -2:1}"
printf '%s\n' "${COMPREPLY[@]}""#;
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", script, "bash"]).arg(place.program()).args(words);
    bash.env("ASSAY_DATA_DIR", data).env("HOME", place.path("")).current_dir(place.path(""));
    let ran = bash.output().expect("bash is there");
    let stderr = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && !stderr.contains("assay"), "{:?}: {stderr}", ran.status);
    let stdout = String::from_utf8(ran.stdout).expect("text");
    stdout.lines().filter(|line| !line.is_empty()).map(str::to_string).collect()
}

#[test]
fn bash_completes_commands_and_runs() {
    let place = Place::new();
    let data = place.data();
    let (done, stopped, waiting) = (finished(&place), interrupted(&place), queued(&place));
    assert!(completed(&place, &data, &["ru"]).contains(&"runs".to_string()));
    assert!(completed(&place, &data, &["runs", "pr"]).contains(&"prune".to_string()));
    assert_eq!(completed(&place, &data, &["runs", "list", "--state", "succeeded,can"]), ["succeeded,cancelled"]);
    let runs = |words: &[&str]| -> Vec<String> {
        completed(&place, &data, words).into_iter().filter(|word| !word.starts_with('-')).collect()
    };
    assert_eq!(runs(&["runs", "show", ""]), [short(&waiting), short(&stopped), short(&done)], "newest first");
    assert_eq!(runs(&["runs", "show", &short(&done)[..5]]), [short(&done)]);
    assert_eq!(runs(&["runs", "show", &done[..30]]), vec![done.clone()], "who types the beginning gets the whole id");
    assert_eq!(runs(&["runs", "resume", ""]), [short(&waiting), short(&stopped)], "what has ended well cannot be");
    assert_eq!(runs(&["runs", "list", "--before", ""]).len(), 3);
    assert_eq!(runs(&["runs", "export", &short(&done)[..5]]), [short(&done)]);
    assert_eq!(place.json(0, &["runs", "show", &runs(&["runs", "show", &short(&done)[..5]])[0]])["id"], json!(done));

    let elsewhere = place.path("elsewhere");
    assert_eq!(completed(&place, &elsewhere, &["runs", "show", "0"]), Vec::<String>::new());
    assert!(!elsewhere.exists(), "completing makes no data directory");
    let named = ["--data-dir", data.to_str().unwrap(), "runs", "show", &short(&done)[..5]];
    assert_eq!(completed(&place, &elsewhere, &named), [short(&done)]);
    let lock = File::open(data.join("store.lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(runs(&["runs", "show", ""]), Vec::<String>::new(), "somebody changes the store");
}

#[test]
fn other_shells_show_what_a_run_was() {
    let place = Place::new();
    let run = finished(&place);
    for shell in ["bash", "zsh", "fish"] {
        let ran = place.assay(["completions", shell]).run().exits(0);
        let program = place.program();
        assert!(ran.stdout.contains(program.to_str().unwrap()) && ran.stdout.contains("ASSAY_COMPLETE"), "{shell}");
    }
    assert_eq!(place.json(2, &["completions", "tcsh"])["code"], "usage");
    let help = place.assay(["completions", "--help"]).run().exits(0);
    assert!(help.stdout.contains("~/.bashrc") && help.stdout.contains("config.fish"), "{}", help.stdout);
    let asked = place.assay(["--", "assay", "runs", "show", short(&run)]).env("ASSAY_COMPLETE", "fish").run().exits(0);
    assert_eq!(asked.stdout, format!("{}\tsucceeded demo/1 2 steps of 0 ms\n", short(&run)));
    let asked = place.assay(["runs", "list"]).env("ASSAY_COMPLETE", "tcsh").run();
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(2), ""));
}

#[test]
fn a_finished_run_is_shown_with_what_its_command_printed() {
    let place = Place::new();
    let printed = place.assay(["ask", "ecommerce", "orders by status"]).run().exits(0).stdout;
    let id = place.json(0, &["runs", "list"])["runs"][0]["id"].as_str().unwrap().to_string();
    let shown = place.assay(["runs", "show", &id]).run().exits(0).stdout;
    assert!(shown.contains(&id) && shown.ends_with(&printed), "{shown}");
}
