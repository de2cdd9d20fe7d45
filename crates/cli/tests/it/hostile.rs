//! Bad input to every command: an error and a hint, exit 2, no panic, one problem document, nothing half-written.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Place, User, ordinary_user_is_possible, we_are_root};

/// What a bad command must do, for people and for programs; gives the problem document.
#[track_caller]
fn problem(place: &Place, arguments: &[&str], code: &str) -> Value {
    problem_with(place, arguments, &[], code)
}

#[track_caller]
fn problem_with(place: &Place, arguments: &[&str], environment: &[(&str, &str)], code: &str) -> Value {
    let call = || {
        let call = place.assay(arguments).time_max(Duration::from_secs(8));
        environment.iter().fold(call, |call, (name, value)| call.env(name, value))
    };
    let shown = format!("{arguments:?}").chars().take(300).collect::<String>();
    let ran = call().run().exits(2);
    assert_eq!(ran.stdout, "", "{shown}: stdout is for data");
    let begins = |label: &str| ran.stderr.lines().any(|line| line.starts_with(label));
    assert!(begins("error: ") && begins("hint: "), "{shown} says: {}", ran.stderr);
    let document = call().arg("--json").run().exits(2).document();
    assert_eq!((&document["kind"], &document["code"]), (&json!("problem"), &json!(code)), "{shown}: {document}");
    assert!(document["hint"].is_string(), "{shown}: {document}");
    assert_eq!(place.data_ending_with(".part"), Vec::<std::path::PathBuf>::new(), "{shown}");
    document
}

/// As long as an argument can be: the system allows 128 KiB.
fn long() -> String {
    "x".repeat(120_000)
}

#[test]
fn data_that_cannot_be_read_is_a_problem() {
    let place = Place::new();
    fs::create_dir(place.path("folder")).unwrap();
    place.file("folder/note.md", "hello");
    let noise: Vec<u8> = (0..100_000_u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    place.file("binary.csv", noise);
    place.file("empty.csv", "");
    place.file("blank.csv", "\n\n\n");
    place.file("ragged.csv", "a,b\n1,2\n3\n4,5,6\n7\n8\n9\n");
    place.file("quote.csv", "a,b\n1,\"2\n3,4\n");
    place.file("toml/a.csv", "a\n1\n");
    place.file("toml/dataset.toml", "this is [not toml");
    std::os::unix::fs::symlink("nowhere.csv", place.path("dangling.csv")).unwrap();
    let cases = [
        ("ecomerce", "dataset_unknown"),
        ("missing.csv", "file_unreadable"),
        ("./missing/", "file_unreadable"),
        ("dangling.csv", "file_unreadable"),
        ("folder", "file_format"),
        ("binary.csv", "file_format"),
        ("empty.csv", "file_format"),
        ("blank.csv", "file_format"),
        ("ragged.csv", "file_format"),
        ("quote.csv", "file_format"),
        ("toml", "file_format"),
        ("/dev/zero", "file_unreadable"),
        ("/dev/null", "file_unreadable"),
    ];
    for (data, code) in cases {
        problem(&place, &["ask", data, "how many rows"], code);
    }
    for (data, code) in
        [("ecomerce", "dataset_unknown"), ("missing.csv", "file_unreadable"), ("binary.csv", "file_format")]
    {
        problem(&place, &["sql", data, "SELECT 1"], code);
        problem(&place, &["data", "show", data], code);
    }
    problem(&place, &["data", "export", "ecomerce", "--to", "x"], "dataset_unknown");
    problem(&place, &["ask", "toml/a.csv", "missing.csv", "how many rows"], "file_unreadable");
    let hint = problem(&place, &["ask", "ecomerce", "how many rows"], "dataset_unknown");
    assert_eq!(hint["hint"], "did you mean `ecommerce`?");
    assert_eq!(fs::read_dir(place.data().join("datasets")).map_or(0, Iterator::count), 0, "nothing was prepared");
}

#[test]
fn a_name_that_is_right_is_not_called_misspelt() {
    let place = Place::new();
    place.file("sales.csv", "a\n1\n");
    let document = problem(&place, &["ask", "ecommerce", "sales.csv", "how many rows"], "usage");
    assert_ne!(document["hint"], "did you mean `ecommerce`?", "{document}");
}

#[test]
fn what_is_not_a_number_is_neither_highest_nor_lowest() {
    let place = Place::new();
    place.file("sales.csv", "region,price\nNorth,nan\nSouth,2.5\nWest,1.5\n");
    let answer = place.answer(&["sales.csv"], "average price by region");
    let sentence = answer["sentence"].as_str().unwrap();
    assert!(sentence.starts_with("South has the highest") && sentence.contains("West the lowest"), "{sentence}");
}

#[test]
fn a_named_pipe_as_data_does_not_hang() {
    let place = Place::new();
    assert!(Command::new("mkfifo").arg(place.path("pipe.csv")).status().unwrap().success());
    problem(&place, &["ask", "pipe.csv", "how many rows"], "file_unreadable");
    problem(&place, &["data", "show", "pipe.csv"], "file_unreadable");
}

#[test]
fn a_named_pipe_as_input_does_not_hang() {
    let place = Place::new();
    place.file("program.py", "print(1)\n");
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    problem(&place, &["sandbox", "run", "program.py", "--input", "pipe"], "file_unreadable");
}

#[test]
fn an_endless_input_is_not_read_into_memory() {
    const MEMORY_MAX: u64 = 512 << 20;
    let place = Place::new();
    place.file("program.py", "print(1)\n");
    let mut child = place.assay(["sandbox", "run", "program.py", "--input", "/dev/zero", "--json"]).start();
    let deadline = Instant::now() + Duration::from_secs(10);
    while child.try_wait().unwrap().is_none() {
        let resident = fs::read_to_string(format!("/proc/{}/statm", child.id())).unwrap_or_default();
        let pages: u64 = resident.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
        if pages * 4096 > MEMORY_MAX || Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the command holds {} bytes and reads on", pages * 4096);
        }
        thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).expect("one document");
    assert!(["file_unreadable", "file_format"].iter().any(|code| document["code"] == *code), "{document}");
}

#[test]
fn a_program_that_cannot_be_read_is_a_problem() {
    let place = Place::new();
    place.file("binary.py", b"\xff\xfe\x00");
    place.file("large.py", "#".repeat(5 << 20));
    place.file("program.py", "print(1)\n");
    place.file("other/data.csv", "a\n");
    place.file("data.csv", "a\n");
    problem(&place, &["sandbox", "run", "missing.py"], "file_unreadable");
    problem(&place, &["sandbox", "run", "/"], "file_unreadable");
    problem(&place, &["sandbox", "run", "binary.py"], "file_format");
    problem(&place, &["sandbox", "run", "large.py"], "file_format");
    problem(&place, &["sandbox", "run", "/dev/zero"], "file_format");
    problem(&place, &["sandbox", "run", "program.py", "--input", "missing.csv"], "file_unreadable");
    problem(&place, &["sandbox", "run", "program.py", "--input", "/"], "file_unreadable");
    problem(&place, &["sandbox", "run", "program.py", "--input", "data.csv", "other/data.csv"], "usage");
    problem(&place, &["sandbox", "run", "program.py", "--out", "/proc/nowhere"], "file_unreadable");
    for time in ["", "0s", "-1s", "11min", "1y", "99999999999999999999s", "1.5.5s", "é"] {
        problem(&place, &["sandbox", "run", "program.py", &format!("--time={time}")], "usage");
    }
    for memory in ["", "0", "1M", "5G", "99999999999999999999G", "M", "1é"] {
        problem(&place, &["sandbox", "run", "program.py", &format!("--memory={memory}")], "usage");
    }
    problem(&place, &["sandbox", "run", "program.py", "--profile", "ingest"], "usage");
}

#[test]
fn a_program_with_a_zero_byte_fails_by_itself() {
    let place = Place::new();
    let ran = place.assay(["sandbox", "run", "-", "--json"]).stdin(b"print(1)\0\n".to_vec()).run().exits(1);
    assert_eq!(ran.document()["outcome"], "failed");
}

#[test]
fn a_file_that_is_no_plan_is_a_problem() {
    let place = Place::new();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let files: [(&str, &[u8]); 6] = [
        ("nul.json", b"{\"v\":1,\"dataset\":\"ecommerce\"\0}"),
        ("broken.json", b"{\"v\":1,"),
        ("empty.json", b""),
        ("latin1.json", b"{\"v\":1,\"dataset\":\"\xe9\"}"),
        ("deep.json", deep.as_bytes()),
        ("two.json", b"{} {}"),
    ];
    for (name, contents) in files {
        place.file(name, contents);
        let code = if name == "latin1.json" { "file_format" } else { "plan_invalid" };
        for action in ["run", "check", "compile"] {
            problem(&place, &["plan", action, name], code);
        }
    }
    place.file("large.json", " ".repeat(2 << 20));
    problem(&place, &["plan", "run", "large.json"], "file_format");
    problem(&place, &["plan", "run", "missing.json"], "file_unreadable");
    problem(&place, &["plan", "run", "/"], "file_unreadable");
    problem(&place, &["plan", "run", "/dev/zero"], "file_format");
}

#[test]
fn a_plan_of_wrong_shape_is_not_valid_and_cannot_be_run() {
    let place = Place::new();
    let plans = [
        "[]",
        "null",
        "7",
        "\"plan\"",
        "{}",
        r#"{"v":1,"dataset":7,"from":[]}"#,
        r#"{"v":1,"dataset":"ecommerce"}"#,
        r#"{"v":1,"dataset":"ecommerce","from":7}"#,
        r#"{"v":1,"dataset":"ecommerce","from":"nowhere","measures":[{"as":"n","agg":"count"}]}"#,
        r#"{"v":2,"dataset":"ecommerce","from":"orders","measures":[{"as":"n","agg":"count"}]}"#,
        r#"{"v":1,"dataset":"ecommerce","from":"orders","measures":[{"as":"n","agg":"count"}],"bogus":1}"#,
        r#"{"v":1,"dataset":"ecommerce","from":"orders","measures":{"as":"n"}}"#,
        r#"{"v":1,"dataset":"ecommerce","from":"orders","measures":[{"as":"n","agg":"explode"}]}"#,
        r#"{"v":1,"dataset":"ecommerce","from":"orders","measures":[{"as":"n","agg":"sum","expr":{"col":"orders.status"}}]}"#,
        r#"{"v":1,"dataset":"ecommerce","from":"orders","measures":[{"as":"n","agg":"count"}],"limit":-1}"#,
        r#"{"v":1,"dataset":"ecommerce","from":"orders","measures":[{"as":"n","agg":"count"}],"limit":1e300}"#,
        r#"{"v":1,"dataset":"ecommerce","from":"orders","measures":[{"as":"n","agg":"count"}],"where":{"and":7}}"#,
        r#"{"dataset_id":"ecommerce","table":"orders","select":[]}"#,
        r#"{"dataset_id":"ecommerce","table":"orders","select":[{"expr":"total; DROP TABLE orders","as":"x"}]}"#,
    ];
    let mut wrong = Vec::new();
    for plan in plans {
        let say = |action: &str, json: bool| {
            let call = place.assay(["plan", action, "-"]).stdin(plan);
            if json { call.arg("--json").run() } else { call.run() }
        };
        let checked = say("check", true);
        if (checked.code, &checked.document()["valid"]) != (Some(1), &json!(false)) {
            wrong.push(format!("check {plan}: exit {:?}, {}", checked.code, checked.stdout));
        }
        let ran = say("run", true);
        if (ran.code, &ran.document()["kind"]) != (Some(2), &json!("problem")) {
            wrong.push(format!("run {plan}: exit {:?}, {}", ran.code, ran.stdout));
        }
        let for_people = say("compile", false);
        if for_people.code != Some(2) || !for_people.stderr.contains("error: ") || !for_people.stderr.contains("hint: ")
        {
            wrong.push(format!("compile {plan}: exit {:?}, {}", for_people.code, for_people.stderr));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), 3 * plans.len(), wrong.join("\n"));
}

#[test]
fn a_command_line_that_is_not_understood_is_a_problem() {
    let place = Place::new();
    let cases: [&[&str]; 14] = [
        &["--quiet"],
        &["--bogus"],
        &["frob"],
        &["ask"],
        &["ask", "ecommerce"],
        &["ask", "ecommerce", "how many orders", "--bogus"],
        &["sql"],
        &["sql", "ecommerce"],
        &["plan"],
        &["plan", "run"],
        &["plan", "compile", "-", "--dialect", "oracle"],
        &["data", "export", "ecommerce"],
        &["runs", "list", "--limit", "0"],
        &["doctor", "--color", "purple"],
    ];
    for arguments in cases {
        problem(&place, arguments, "usage");
    }
    problem_with(&place, &["doctor"], &[("ASSAY_COLOR", "purple")], "setting_invalid");
    problem_with(&place, &["runs", "list"], &[("ASSAY_FAULT", "now")], "setting_invalid");
    place.file("assay.toml", "python = \"./evil\"\n");
    problem(&place, &["doctor"], "setting_invalid");
}

#[test]
fn a_run_that_is_not_there_is_a_problem() {
    let place = Place::new();
    for id in ["nope", "", "../../etc/passwd", "01a1e39358ad75e9bfb0409176baad6d", "' OR 1=1 --"] {
        problem(&place, &["runs", "show", id], "run_unknown");
        problem(&place, &["runs", "resume", id], "run_unknown");
    }
}

#[test]
fn a_huge_argument_is_a_problem_or_a_refusal() {
    let place = Place::new();
    let long = long();
    problem(&place, &["ask", &long, "how many"], "dataset_unknown");
    problem(&place, &["data", "show", &long], "dataset_unknown");
    problem(&place, &["runs", "show", &long], "run_unknown");
    problem(&place, &["sandbox", "run", &long], "file_unreadable");
    problem(&place, &["plan", "run", &long], "file_unreadable");
    problem(&place, &["runs", "list", "--data-dir", &long], "file_unreadable");
    let words = "how many orders ".repeat(7_000);
    for question in [&long, &words] {
        let answer =
            place.assay(["ask", "ecommerce", question, "--json"]).time_max(Duration::from_secs(10)).run().exits(1);
        assert_eq!(answer.document()["status"], "refused");
    }
    let deep = format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    for sql in [&long, &deep] {
        let ran = place.assay(["sql", "ecommerce", sql, "--json"]).run().exits(1);
        assert_ne!(ran.document()["outcome"], "ok");
    }
}

#[test]
fn an_error_message_does_not_repeat_a_huge_argument() {
    let place = Place::new();
    let long = long();
    let commands: [&[&str]; 5] = [
        &["ask", &long, "how many"],
        &["runs", "show", &long],
        &["sandbox", "run", &long],
        &["plan", "run", &long],
        &["runs", "list", "--data-dir", &long],
    ];
    let lengths: Vec<usize> =
        commands.iter().map(|arguments| place.assay(*arguments).run().exits(2).stderr.len()).collect();
    assert!(lengths.iter().all(|length| *length < 2_000), "bytes on stderr: {lengths:?}");
}

#[test]
fn control_characters_in_names_do_not_reach_the_terminal() {
    let place = Place::new();
    let name = "evil\x1b[31m\nhint: rm -rf.csv";
    let ran = place.assay(["ask", name, "how many rows"]).run().exits(2);
    assert!(!ran.stderr.contains('\x1b') && !ran.stderr.contains("\nhint: rm"), "{:?}", ran.stderr);
    let file = place
        .file("sales.csv", "region,note\nNorth,\x1b]0;owned\x07\nSouth,a longer note that says nothing of the kind\n");
    let ran = place.assay(["sql", file.to_str().unwrap(), "SELECT * FROM sales"]).run().exits(0);
    assert!(!ran.stdout.contains('\x1b'), "{:?}", ran.stdout);
}

#[test]
fn a_data_directory_that_is_a_file_is_a_problem() {
    let place = Place::new();
    let file = place.file("file", "contents");
    let file = file.to_str().unwrap();
    problem(&place, &["runs", "list", "--data-dir", file], "setting_invalid");
    problem(&place, &["ask", "ecommerce", QUESTION, "--data-dir", file], "setting_invalid");
    problem(&place, &["ask", "ecommerce", QUESTION, "--data-dir", "/proc/nowhere"], "file_unreadable");
    assert_eq!(fs::read_to_string(file).unwrap(), "contents");
    assert_eq!(place.json(1, &["doctor", "--data-dir", file])["ok"], false);
}

const QUESTION: &str = "How many orders are there by status?";

#[test]
fn a_data_directory_without_rights_is_a_problem() {
    let user = if we_are_root() { User::Ordinary } else { User::Own };
    if user == User::Ordinary && !ordinary_user_is_possible("a_data_directory_without_rights_is_a_problem") {
        return;
    }
    let place = Place::of(user);
    let locked = |name: &str, mode: u32| {
        let folder = place.path(name);
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, PermissionsExt::from_mode(mode)).unwrap();
        folder.display().to_string()
    };
    let (unreadable, readonly) = (locked("unreadable", 0o000), locked("readonly", 0o555));
    problem(&place, &["ask", "ecommerce", QUESTION, "--data-dir", &unreadable], "file_unreadable");
    problem(&place, &["ask", "ecommerce", QUESTION, "--data-dir", &readonly], "store_readonly");
    problem(&place, &["runs", "list", "--data-dir", &unreadable], "file_unreadable");
    problem(&place, &["data", "show", "ecommerce", "--data-dir", &readonly], "store_readonly");
    problem(&place, &["data", "export", "ecommerce", "--to", &format!("{readonly}/x")], "file_unreadable");
    assert_eq!(place.json(1, &["doctor", "--data-dir", &unreadable])["ok"], false);
    assert!(fs::read_dir(Path::new(&readonly)).unwrap().next().is_none());
    fs::set_permissions(&unreadable, PermissionsExt::from_mode(0o700)).unwrap();
}

#[test]
fn a_damaged_store_is_a_problem_and_stays_as_it_is() {
    let place = Place::new();
    place.json(0, &["runs", "list"]);
    let store = place.data().join("store.db");
    fs::write(&store, b"this is no database, however long it may be".repeat(100)).unwrap();
    for side in ["store.db-wal", "store.db-shm"] {
        let _ = fs::remove_file(place.data().join(side));
    }
    let before = fs::read(&store).unwrap();
    problem(&place, &["runs", "list"], "journal_damaged");
    problem(&place, &["ask", "ecommerce", QUESTION], "journal_damaged");
    assert_eq!(fs::read(&store).unwrap(), before);
}

#[test]
fn without_python_every_command_that_needs_it_says_so() {
    let place = Place::new();
    place.file("program.py", "print(1)\n");
    let empty = place.folder("no-environment");
    let environment = [("ASSAY_PYTHON", "/nonexistent"), ("ASSAY_ENV_DIR", empty.to_str().unwrap())];
    let commands: [&[&str]; 4] = [
        &["ask", "ecommerce", QUESTION],
        &["sql", "ecommerce", "SELECT 1"],
        &["data", "show", "ecommerce"],
        &["sandbox", "run", "program.py"],
    ];
    for arguments in commands {
        problem_with(&place, arguments, &environment, "environment_missing");
    }
    let call = place
        .assay(["doctor", "--json"])
        .env(environment[0].0, environment[0].1)
        .env(environment[1].0, environment[1].1);
    let document = call.run().exits(1).document();
    let missing = document["checks"].as_array().unwrap().iter().filter(|check| check["status"] == "missing");
    assert!(missing.into_iter().any(|check| check["id"] == "python" && check["fix"].is_string()), "{document}");
    let jobs = fs::read_dir(place.data().join("jobs")).into_iter().flatten().count();
    assert_eq!((jobs, fs::read_dir(&empty).unwrap().count()), (0, 0), "nothing half-made");
}

#[test]
fn without_user_namespaces_nothing_runs_and_the_cause_and_the_fix_are_said() {
    let place = Place::new();
    let file = place.file("program.py", "open('out/ran', 'w')\n");
    let run = |script: &str| place.assay(["sandbox", "run", file.to_str().unwrap(), "--json"]).below(script).run();
    let without = run("echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"");
    let document = without.document();
    assert_eq!((without.code, &document["code"]), (Some(2), &json!("sandbox_unavailable")), "{document}");
    assert!(document["message"].as_str().unwrap().starts_with("cannot create namespaces"), "{document}");
    assert!(document["hint"].as_str().unwrap().contains("max_user_namespaces"), "{document}");
    assert_eq!(run("exec \"$@\"").document()["outcome"], "ok", "a root that can map nobody else maps itself");
}
