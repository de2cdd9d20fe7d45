//! `solve` and `memory`, as their users meet them: the real binary, guard and sandbox, against a server on this machine that
//! says what a test wrote down for it and counts what it is asked.

mod asked;
mod forging;
mod lessons;
mod looking_up;
mod poison;
mod recordings;
mod vectors;
mod waiting;

use serde_json::{Value, json};

use crate::models::{Scripted, python};
use crate::support::{Call, Place, Ran};

const TASK: &str = "a function double(x) that doubles, so that double(2) == 4 and double(5) == 10";
const RIGHT: &str = "def double(x):\n    return x * 2";
const WRONG: &str = "def double(x):\n    return x + 2";

/// `assay solve TASK …`, of the model that is scripted.
fn solving(model: &Scripted, place: &Place, task: &str, more: &[&str]) -> Call {
    let call = place.assay(["solve", task, "--json", "--model", "chat:scripted"]);
    let call = more.iter().fold(call, |call, argument| call.arg(argument));
    call.env("OPENAI_BASE_URL", &model.address)
}

fn solve(model: &Scripted, place: &Place, task: &str, more: &[&str]) -> Ran {
    solving(model, place, task, more).run()
}

fn steps(place: &Place, solution: &Value) -> Vec<String> {
    let shown = place.json(0, &["runs", "show", solution["run"].as_str().unwrap()]);
    shown["steps"].as_array().unwrap().iter().map(|step| step["name"].as_str().unwrap().to_string()).collect()
}

fn saying(codes: &[&str]) -> Scripted {
    let replies: Vec<String> = codes.iter().map(|code| python(code)).collect();
    Scripted::saying(&replies.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_program_that_passes_the_tasks_examples_is_verified_and_written() {
    let place = Place::new();
    let model = saying(&[RIGHT]);
    let solution = solve(&model, &place, TASK, &["--file", "out.py"]).exits(0).document();
    assert_eq!((&solution["verdict"], &solution["status"]), (&json!("verified"), &json!("finished")), "{solution:#}");
    assert_eq!((&solution["code"], &solution["iteration"]), (&json!(RIGHT), &json!(1)));
    assert_eq!((&solution["file_path"], &solution["written"]), (&json!("out.py"), &json!(true)));
    assert_eq!(solution["evidence"][0]["by"], "examples");
    assert_eq!((&solution["evidence"][0]["passed"], &solution["evidence"][0]["failed"]), (&json!(2), &json!(0)));
    assert_eq!(solution["model"]["cost"]["calls"], 1);
    assert!(!solution["plan"].as_array().unwrap().is_empty() && solution["problem"].is_null());
    assert_eq!(std::fs::read_to_string(place.path("out.py")).unwrap(), format!("{RIGHT}\n"));
    assert_eq!(steps(&place, &solution), ["recall", "model", "execute", "write", "remember"]);
    let run = solution["run"].as_str().unwrap();
    let kept = place.assay(["runs", "artifact", run, "solution.py"]).run().exits(0);
    assert_eq!(kept.stdout, format!("{RIGHT}\n"));
    place.assay(["runs", "replay", run]).run().exits(0);
    assert_eq!(model.heard().len(), 1);
}

#[test]
fn another_sample_is_taken_and_then_another_approach() {
    let place = Place::new();
    let other = "def double(x):\n    return x ** 2";
    let third = "def double(x):\n    return 4";
    let model = saying(&[WRONG, other, third, RIGHT]);
    let solution = solve(&model, &place, TASK, &[]).exits(0).document();
    assert_eq!((&solution["verdict"], &solution["iteration"]), (&json!("verified"), &json!(4)), "{solution:#}");
    let errors: Vec<&Value> = solution["history"].as_array().unwrap().iter().map(|tried| &tried["error"]).collect();
    assert_eq!(errors[0], "double(5) gave 7, expected 10");
    assert!(errors[3].is_null());
    let heard = model.heard();
    let seeds: Vec<&Value> = heard.iter().map(|request| &request["seed"]).collect();
    assert!(seeds[0].is_null() && seeds[1].is_number() && seeds[1] != seeds[2], "{seeds:?}");
    assert!((heard[1]["temperature"].as_f64().unwrap() - 0.7).abs() < 1e-6);
    let told = |at: usize| heard[at]["messages"].to_string();
    assert!(!told(1).contains("gave 7"), "a sample knows nothing of what failed");
    assert!(told(3).contains("gave 4, expected 10") && !told(3).contains("return 4"), "{}", told(3));
}

#[test]
fn a_larger_model_plans_is_shown_its_code_and_reflects() {
    let place = Place::new();
    let first = format!("- multiply by two\n- that is all\n{}", python(WRONG));
    let mended = format!("It added instead of multiplying.\n{}", python(RIGHT));
    let model = Scripted::saying(&[&first, &mended]);
    let arguments = ["solve", TASK, "--jsonl", "--model", "chat:claude-x"];
    let ran = place.assay(arguments).env("OPENAI_BASE_URL", &model.address).run().exits(0);
    let events: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let solution = &events.last().unwrap()["data"]["output"];
    assert_eq!(solution["plan"], json!(["multiply by two", "that is all"]));
    assert_eq!(solution["history"][0]["reflection"], "It added instead of multiplying.");
    assert!(model.heard()[1]["messages"].to_string().contains("return x + 2"), "the code is shown");
    let said = |channel: &str| -> String {
        let heard = events.iter().filter(|event| event["type"] == "text.delta" && event["data"]["channel"] == channel);
        heard.filter_map(|event| event["data"]["text"].as_str()).collect()
    };
    assert_eq!(said("plan"), "- multiply by two\n- that is all\n");
    assert_eq!(said("reflection"), "It added instead of multiplying.\n");
    assert_eq!(said("code"), format!("{WRONG}\n{RIGHT}\n"));
}

#[test]
fn who_fails_or_repeats_itself_is_stopped_and_the_users_file_stays_as_it_is() {
    let place = Place::new();
    place.file("out.py", "before");
    let model = saying(&[WRONG, WRONG, "def double( x ):\n    'the same'\n    return (x + 2)", RIGHT]);
    let solution = solve(&model, &place, TASK, &["--file", "out.py"]).exits(1).document();
    assert_eq!((&solution["verdict"], &solution["status"]), (&json!("failed"), &json!("failed")), "{solution:#}");
    assert_eq!(model.heard().len(), 3, "two copies are enough");
    assert!(solution["history"][2]["error"].as_str().unwrap().contains("failed before"));
    assert_eq!((&solution["code"], &solution["written"]), (&json!(WRONG), &json!(false)));
    let model = saying(&[WRONG, "def double(x):\n    return x - 2", "def double(x):\n    return x - 3"]);
    let more = ["--file", "out.py", "--max-iterations", "2", "--yes"];
    let solution = solve(&model, &place, TASK, &more).exits(1).document();
    assert_eq!((&solution["iteration"], &solution["max_iterations"]), (&json!(2), &json!(2)));
    assert_eq!(std::fs::read_to_string(place.path("out.py")).unwrap(), "before");
}

#[test]
fn a_budget_ends_it_with_what_there_is() {
    let place = Place::new();
    let model = saying(&[WRONG, RIGHT]);
    let solution = solve(&model, &place, TASK, &["--max-tokens", "50"]).exits(1).document();
    assert_eq!((&solution["problem"]["code"], &solution["code"]), (&json!("budget_exhausted"), &json!(WRONG)));
    let problem = solve(&model, &place, TASK, &["--max-tokens", "0"]).exits(2).document();
    assert_eq!((&problem["code"], model.heard().len()), (&json!("budget_exhausted"), 1), "{problem:#}");
}

#[test]
fn tests_are_asserts_functions_cases_or_pytests() {
    let place = Place::new();
    let kinds = [
        ("from out import double\nassert double(2) == 4\nfor x in range(3):\n    assert double(x) == x + x", 2),
        (
            "import out\ndef test_one():\n    assert out.double(1) == 2\nclass TestMore:\n    def test_two(self):\n        assert out.double(2) == 4",
            2,
        ),
        (
            "import unittest, out\nclass Case(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(out.double(3), 6)",
            1,
        ),
        ("def check(candidate):\n    assert candidate(2) == 4\nfrom out import double\ncheck(double)", 1),
        (
            "import pytest\nfrom out import double\n@pytest.mark.parametrize('x', [1, 2, 3])\ndef test_it(x):\n    assert double(x) == 2 * x\ndef test_raises():\n    with pytest.raises(TypeError):\n        double(None)",
            4,
        ),
        ("from out import double\ndef test_it(tmp_path):\n    assert double(tmp_path.exists()) == 2", 1),
    ];
    for (at, (tests, count)) in kinds.iter().enumerate() {
        place.file("tests.py", tests);
        let model = saying(&["def double(x):\n    return 7", RIGHT]);
        let more = ["--tests", "tests.py", "--file", "out.py", "--no-memory"];
        let solution = solve(&model, &place, &format!("double a number, {at}"), &more).exits(0).document();
        let evidence = &solution["evidence"][0];
        assert_eq!((&evidence["by"], &evidence["passed"]), (&json!("tests"), &json!(count)), "{tests}: {solution:#}");
        assert!(solution["history"][0]["error"].is_string(), "a wrong one passes {tests}: {solution:#}");
        assert_eq!(model.heard().len(), 2);
    }
}

#[test]
fn what_does_not_come_to_an_honest_end_is_not_verified() {
    let place = Place::new();
    let cases = [
        ("import os\ndef double(x):\n    os._exit(0)", "could not be brought to an end"),
        ("import sys\nsys.exit(0)\ndef double(x):\n    return x", "SystemExit"),
        ("def double(x):\n    raise SystemExit(0)", "SystemExit"),
        (
            "class Two:\n    def __eq__(self, other):\n        return other == 4\ndef double(x):\n    return Two()",
            "gave",
        ),
        (
            "class Anything:\n    def __eq__(self, other):\n        return True\ndef double(x):\n    return Anything()",
            "not executed",
        ),
        ("def double(x):\n    return bytearray(3 << 30)", "Memory"),
        ("def double(x):\n    return open('/etc/shadow').read()", "Error"),
        ("def double(x):\n    pass", "stub"),
        ("def double(x)\n    return 1", "not executed"),
    ];
    for (code, why) in cases {
        let model = saying(&[code]);
        let more = ["--max-iterations", "1", "--no-memory"];
        let solution = solve(&model, &place, TASK, &more).exits(1).document();
        let error = solution["history"][0]["error"].as_str().unwrap_or_default();
        assert!(
            solution["verdict"] == "failed" && error.to_lowercase().contains(&why.to_lowercase()),
            "{code}: {solution:#}"
        );
        let was_run = steps(&place, &solution).contains(&"execute".to_string());
        assert_eq!(was_run, !["stub", "not executed"].contains(&why), "{code}");
    }
}

#[test]
fn an_endless_loop_is_ended_and_said_where() {
    let place = Place::new();
    let model = saying(&["def double(x):\n    while True:\n        pass", RIGHT]);
    let solution = solve(&model, &place, TASK, &[]).exits(0).document();
    let error = solution["history"][0]["error"].as_str().unwrap();
    assert!(error.contains("did not end") && error.contains("line"), "{solution:#}");
}

#[test]
fn without_tests_or_examples_nothing_is_proven_and_nothing_written() {
    let place = Place::new();
    let model = saying(&["print('hello')"]);
    let solution = solve(&model, &place, "print hello", &["--file", "out.py"]).exits(1).document();
    assert_eq!(
        (&solution["verdict"], &solution["status"]),
        (&json!("no_evidence"), &json!("finished")),
        "{solution:#}"
    );
    assert_eq!(solution["history"][0]["output"], "hello\n");
    assert!(!place.path("out.py").exists() && solution["written"] == false);
    let model = saying(&["print('hello')"]);
    let arguments = ["run", "print hello", "--model", "chat:scripted"];
    let shown = place.assay(arguments).env("OPENAI_BASE_URL", &model.address).run().exits(1);
    assert_eq!(shown.stdout, "print('hello')\n");
    assert!(shown.stderr.contains("unproven") && shown.stderr.contains("runs artifact"), "{}", shown.stderr);
    let model = saying(&["print('hello')"]);
    let solution = solve(&model, &place, "print hello", &["--file", "out.py", "--yes"]).exits(1).document();
    assert_eq!(solution["written"], true);
    assert_eq!(std::fs::read_to_string(place.path("out.py")).unwrap(), "print('hello')\n");
}

#[test]
fn a_killed_solve_asks_for_no_reply_again_and_its_state_is_there_at_every_step() {
    let place = Place::new();
    let seen = std::cell::RefCell::new(Vec::new());
    for position in 0..7 {
        for point in ["before_effect", "after_effect", "after_commit"] {
            let fault = format!("{point}:{position}");
            // Of the two replies, the one whose effect was done but not recorded is asked for again.
            let again = matches!(fault.as_str(), "after_effect:1" | "after_effect:3");
            let codes = match fault.as_str() {
                "after_effect:1" => vec![WRONG, WRONG, RIGHT],
                "after_effect:3" => vec![WRONG, RIGHT, RIGHT],
                _ => vec![WRONG, RIGHT],
            };
            let model = saying(&codes);
            let task = format!("{TASK}, {fault}");
            let file = format!("out_{point}_{position}.py");
            let begin = || solving(&model, &place, &task, &["--file", &file, "--key", &fault]);
            begin().env("ASSAY_FAULT", &fault).run();
            let runs = place.json(0, &["runs", "list"]);
            let shown = place.json(0, &["runs", "show", runs["runs"][0]["id"].as_str().unwrap()]);
            let progress = &shown["progress"];
            seen.borrow_mut().push(progress["status"].as_str().unwrap_or_default().to_string());
            let solution = begin().run().exits(0).document();
            assert_eq!((&solution["verdict"], &solution["iteration"]), (&json!("verified"), &json!(2)), "{fault}");
            assert_eq!(model.heard().len(), 2 + usize::from(again), "{fault}");
            assert_eq!(std::fs::read_to_string(place.path(&file)).unwrap(), format!("{RIGHT}\n"), "{fault}");
            let left = std::fs::read_dir(place.path(""))
                .unwrap()
                .flatten()
                .any(|entry| entry.file_name().to_string_lossy().ends_with(".part"));
            assert!(!left || point == "after_effect", "{fault} leaves something");
        }
    }
    for status in ["planning", "executing", "reflecting", "finished"] {
        assert!(seen.borrow().iter().any(|one| one == status), "{status} was never seen: {:?}", seen.borrow());
    }
}

#[test]
fn a_recorded_solve_is_solved_again_elsewhere_without_its_model() {
    let place = Place::new();
    let model = saying(&[WRONG, RIGHT]);
    let solution = solve(&model, &place, TASK, &[]).exits(0).document();
    place.assay(["runs", "export", solution["run"].as_str().unwrap(), "--to", "it.zip"]).run().exits(0);
    let other = Place::new();
    let name = format!("recorded:{}", place.path("it.zip").display());
    let again = other.json(0, &["solve", TASK, "--model", &name]);
    assert_eq!((&again["code"], &again["iteration"]), (&solution["code"], &json!(2)), "{again:#}");
}

#[test]
fn what_cannot_be_begun_is_said_at_once() {
    let place = Place::new();
    place.file("tests.py", "def test(:");
    place.file("good.py", "assert True");
    for (arguments, code) in [
        (vec!["solve", "x", "--tests", "tests.py", "--model", "chat:x"], "file_format"),
        (vec!["solve", "x", "--tests", "missing.py", "--model", "chat:x"], "file_unreadable"),
        (vec!["solve", "x", "--file", "my-file.py", "--model", "chat:x"], "usage"),
        (vec!["solve", "x", "--file", "good.txt", "--model", "chat:x"], "usage"),
        (vec!["solve", "x", "--file", "nowhere/out.py", "--model", "chat:x"], "usage"),
        (vec!["solve", "x", "--tests", "good.py", "--file", "good.py", "--model", "chat:x"], "usage"),
        (vec!["solve", "  ", "--model", "chat:x"], "usage"),
        (vec!["solve", "x", "--max-iterations", "0", "--model", "chat:x"], "usage"),
        (vec!["solve", "f(1) == 1"], "usage"),
    ] {
        let problem = place.json(2, &arguments);
        assert_eq!(problem["code"], code, "{arguments:?}: {problem:#}");
        assert!(problem["hint"].is_string(), "{problem:#}");
    }
    for name in ["state", "lesson", "solution"] {
        assert!(place.json(0, &["schema", name])["schemas"][name]["properties"].is_object());
    }
}
