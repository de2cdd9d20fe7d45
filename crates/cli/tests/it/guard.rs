//! `assay guard check`: a program judged without being run.

use serde_json::json;

use crate::support::{Place, shared};

#[test]
fn an_error_is_found_with_its_line_and_refuses() {
    let place = Place::new();
    place.file("task.py", "import json\nimport socket\n\nx = 1; eval('é')\n");
    let checked = place.json(1, &["guard", "check", "task.py", "--profile", "analysis"]);
    assert_eq!((&checked["file"], &checked["ok"]), (&json!("task.py"), &json!(false)));
    let found: Vec<_> = checked["findings"].as_array().unwrap().iter().collect();
    let places: Vec<_> = found.iter().map(|one| (&one["rule"], &one["line"], &one["column"])).collect();
    assert_eq!(
        places,
        [(&json!("python/import"), &json!(2), &json!(8)), (&json!("python/call"), &json!(4), &json!(8))]
    );
    assert_eq!(found[1]["span"], json!({"start": 34, "end": 38}));
}

#[test]
fn warnings_alone_pass_and_people_read_lines() {
    let place = Place::new();
    place.file("task.py", "import json\nimport socket\n");
    let said = place.assay(["guard", "check", "task.py"]).run().exits(0);
    let expected = "task.py:2:8: warning python/network: `socket` speaks to the network, and a cell has none; \
        give what is needed as an input file\n";
    assert_eq!(said.stdout, expected);
    assert_eq!(said.stderr, "passed: 0 errors, 1 warning\n");
    let refused = place.assay(["guard", "check", "-"]).stdin("import os\nos.setsid()\n").run().exits(1);
    assert!(refused.stdout.starts_with("-:2:1: error python/process: `os.setsid` detaches"), "{}", refused.stdout);
    assert_eq!(refused.stderr, "refused: 1 error, 0 warnings\n");
}

#[test]
fn nothing_to_say_is_said_and_what_cannot_be_read_is_a_problem() {
    let checked = shared().assay(["guard", "check", "-", "--json"]).stdin("print(1)\n").run().exits(0).document();
    assert_eq!((&checked["ok"], &checked["profile"], &checked["findings"]), (&json!(true), &json!("task"), &json!([])));
    let deep = "(".repeat(100_000);
    let checked = shared().assay(["guard", "check", "-", "--json"]).stdin(deep).run().exits(1).document();
    assert_eq!(checked["findings"][0]["rule"], "python/limit");
    let missing = shared().json(2, &["guard", "check", "no-such-file.py"]);
    assert_eq!(missing["code"], "file_unreadable");
}
