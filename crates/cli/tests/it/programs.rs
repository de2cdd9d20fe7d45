//! `assay sandbox run` on programs that mean no harm: what they get, and what comes back of how they ended.

use std::fs;

use serde_json::{Value, json};

use crate::support::leftovers::{Before, NAME_THE_CELL};
use crate::support::{Place, for_each_user};

/// Runs a program and gives its document.
#[track_caller]
fn run(place: &Place, code: &str, arguments: &[&str]) -> Value {
    let file = place.file("program.py", code);
    let before = Before::look();
    let ran = place.assay(["sandbox", "run", file.to_str().unwrap(), "--json"].iter().chain(arguments)).run();
    let document = ran.document();
    let expected = if document["outcome"] == "ok" { 0 } else { 1 };
    assert_eq!(ran.code, Some(expected), "{document}");
    before.nothing_is_left(place, document["stdout"].as_str().unwrap());
    document
}

for_each_user! {
    fn the_end_of_a_program_is_passed_on(user) {
        let place = Place::of(user);
        // Program; outcome, exit code, signal, type of the error, its line.
        let cases = [
            ("print('hello')", "ok", json!(0), json!(null), None, None),
            ("raise SystemExit", "ok", json!(0), json!(null), None, None),
            ("import sys; sys.exit(0)", "ok", json!(0), json!(null), None, None),
            ("import os; os._exit(0)", "ok", json!(0), json!(null), None, None),
            ("import sys; sys.exit(3)", "failed", json!(3), json!(null), Some("SystemExit"), None),
            ("exit(4)", "failed", json!(4), json!(null), Some("SystemExit"), None),
            ("import os; os._exit(7)", "failed", json!(7), json!(null), Some("SystemExit"), None),
            ("raise SystemExit('bye')", "failed", json!(1), json!(null), Some("SystemExit"), None),
            ("import ctypes; ctypes.string_at(0)", "failed", json!(null), json!(11), Some("Signal"), None),
            ("import os; os.abort()", "failed", json!(null), json!(6), Some("Signal"), None),
            ("x = 1\n\ny = x / 0\n", "failed", json!(1), json!(null), Some("ZeroDivisionError"), Some(3)),
            ("x = 1\nif x\n", "failed", json!(1), json!(null), Some("SyntaxError"), Some(2)),
            ("raise KeyboardInterrupt", "failed", json!(1), json!(null), Some("KeyboardInterrupt"), Some(1)),
        ];
        for (code, outcome, exit_code, signal, error, line) in cases {
            let document = run(&place, code, &[]);
            let found = (&document["outcome"], &document["exit_code"], &document["signal"]);
            assert_eq!(found, (&json!(outcome), &exit_code, &signal), "{code:?}: {document}");
            assert_eq!(document["error"]["type"].as_str(), error, "{code:?}");
            assert_eq!(document["error"]["line"].as_u64(), line, "{code:?}");
        }
    }
}

#[test]
fn a_traceback_shows_the_program_and_nothing_of_ours() {
    let place = Place::new();
    let document = run(&place, "def halve(x):\n    return x / 0\n\nprint('before')\nhalve(1)\n", &[]);
    let error = &document["error"];
    assert_eq!((&error["type"], &error["line"]), (&json!("ZeroDivisionError"), &json!(2)));
    assert_eq!(error["message"], "division by zero");
    let traceback = error["traceback"].as_str().unwrap();
    assert!(traceback.contains("program.py\", line 5") && traceback.contains("return x / 0"), "{traceback}");
    for ours in ["kernel.py", "/assay", "exec(", "run_program"] {
        assert!(!document.to_string().contains(ours), "{ours} in {document}");
    }
    assert_eq!(document["stdout"], "before\n");
    assert!(document["stderr"].as_str().unwrap().contains("ZeroDivisionError: division by zero"));
}

for_each_user! {
    fn inputs_are_read_only_and_outputs_come_back(user) {
        let place = Place::of(user);
        let input = place.file("figures.csv", "a\n1\n");
        let out = place.folder("results");
        let code = r#"
import errno, hashlib, json, os
assert open('input/figures.csv').read() == 'a\n1\n'
for attempt in (lambda: open('input/figures.csv', 'a'), lambda: open('input/new', 'w'),
                lambda: os.remove('input/figures.csv'), lambda: os.chmod('input/figures.csv', 0o777),
                lambda: os.rename('input/figures.csv', 'out/x'), lambda: os.link('input/figures.csv', 'out/y')):
    try:
        attempt()
        print('writable')
    except OSError:
        pass
os.makedirs('out/deep/er')
open('out/hello.txt', 'w').write('hello\n')
open('out/deep/er/data.bin', 'wb').write(bytes(range(256)) * 1000)
open('out/empty', 'w')
print(hashlib.sha256(bytes(range(256)) * 1000).hexdigest())
"#;
        let arguments = ["--input", input.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let document = run(&place, &format!("{NAME_THE_CELL}{code}"), &arguments);
        assert_eq!(document["outcome"], "ok", "{document}");
        assert!(!document["stdout"].as_str().unwrap().contains("writable"), "{document}");
        assert_eq!(fs::read_to_string(&input).unwrap(), "a\n1\n");
        let hash = document["stdout"].as_str().unwrap().lines().last().unwrap();
        let hello = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let expected = json!([
            { "path": "deep/er/data.bin", "bytes": 256_000, "sha256": hash },
            { "path": "empty", "bytes": 0, "sha256": empty },
            { "path": "hello.txt", "bytes": 6, "sha256": hello },
        ]);
        assert_eq!(document["files"], expected);
        assert_eq!(fs::read_to_string(out.join("hello.txt")).unwrap(), "hello\n");
        assert_eq!(fs::metadata(out.join("deep/er/data.bin")).unwrap().len(), 256_000);
    }
}

#[test]
fn outputs_are_described_without_a_place_for_them_too() {
    let place = Place::new();
    let document = run(&place, "open('out/a.txt', 'w').write('hello\\n')", &[]);
    assert_eq!((&document["files"][0]["path"], &document["files"][0]["bytes"]), (&json!("a.txt"), &json!(6)));
}

#[test]
fn outputs_of_a_failed_or_killed_program_come_back_too() {
    let place = Place::new();
    let failed = run(&place, "open('out/a.txt', 'w').write('hello\\n')\nraise ValueError\n", &[]);
    assert_eq!(failed["files"][0]["path"], "a.txt", "{failed}");
    let killed = run(&place, "open('out/a.txt', 'w').write('hello\\n')\nwhile True: pass\n", &["--time", "1s"]);
    assert_eq!((&killed["killed_by"], &killed["files"][0]["path"]), (&json!("time"), &json!("a.txt")), "{killed}");
}

#[test]
fn many_outputs_all_come_back() {
    let place = Place::new();
    let document = run(&place, "for n in range(1_500): open(f'out/{n}', 'w').write('x')\n", &[]);
    assert_eq!(document["files"].as_array().unwrap().len(), 1_500, "files left in out/ come back");
}

#[test]
fn a_file_with_two_names_comes_back_under_both() {
    let place = Place::new();
    let document = run(&place, "import os\nopen('out/a', 'w').write('hello\\n')\nos.link('out/a', 'out/b')\n", &[]);
    let paths: Vec<&Value> = document["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(paths, ["a", "b"], "files left in out/ come back: {document}");
}

#[test]
fn a_program_has_the_packages_locks_threads_and_a_shell() {
    let place = Place::new();
    let code = "
import duckdb, matplotlib.pyplot as plot, numpy, pandas, pyarrow, sqlite3, subprocess, sys, threading
print(pandas.DataFrame({'a': [1, 2]}).a.sum(), numpy.arange(4).sum(), duckdb.sql('select 42').fetchall()[0][0])
plot.plot([1, 2]); plot.savefig('out/figure.png')
database = sqlite3.connect('/tmp/x.db'); database.execute('create table t (a)'); database.commit()
new = duckdb.connect('/tmp/y.db'); new.execute('create table t as select 1 as a')
thread = threading.Thread(target=print, args=('threaded',)); thread.start(); thread.join()
print(subprocess.run(['/bin/sh', '-c', 'echo $HOME'], capture_output=True, text=True).stdout.strip())
print(__name__, __file__, sys.argv)
";
    let document = run(&place, code, &[]);
    assert_eq!(document["outcome"], "ok", "{document}");
    assert_eq!(document["stdout"], "3 6 42\nthreaded\n/tmp\n__main__ /work/program.py ['program.py']\n");
    assert_eq!(document["files"][0]["path"], "figure.png");
}

#[test]
fn stdin_is_empty_and_not_closed() {
    let place = Place::new();
    let document = run(&place, "import sys\nprint(repr(sys.stdin.read()))\n", &[]);
    assert_eq!(document["stdout"], "''\n", "{document}");
    let document = run(&place, "print(open('out/a', 'w').fileno() > 2)\n", &[]);
    assert_eq!(document["stdout"], "True\n", "a program's own file must not become its stdin");
}

#[test]
fn bytes_that_are_not_text_are_replaced() {
    let place = Place::new();
    let document = run(&place, "import os\nos.write(1, b'a\\xff\\x00b\\n')\nos.write(2, b'\\xfe')\n", &[]);
    assert_eq!((&document["stdout"], &document["stderr"]), (&json!("a\u{fffd}\0b\n"), &json!("\u{fffd}")));
}

#[test]
fn a_long_output_keeps_its_first_mebibyte_and_says_so() {
    let place = Place::new();
    let document = run(&place, "print('x' * 3_000_000)\n", &[]);
    assert_eq!((&document["outcome"], &document["stdout_truncated"]), (&json!("ok"), &json!(true)));
    assert_eq!(document["stdout"].as_str().unwrap().len(), 1 << 20);
    assert_eq!(document["stderr_truncated"], false);
    let file = place.path("program.py");
    let ran = place.assay(["sandbox", "run", file.to_str().unwrap()]).run().exits(0);
    assert!(ran.stderr.contains("note: "), "people are told too: {}", ran.stderr);
}

#[test]
fn for_people_the_output_of_a_program_is_the_output() {
    let place = Place::new();
    let ran =
        place.assay(["sandbox", "run", "-"]).stdin("import sys\nprint('out')\nprint('err', file=sys.stderr)\n").run();
    let ran = ran.exits(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("out\n", "err\n"));
}

#[test]
fn usage_is_measured() {
    let place = Place::new();
    let code = "import time\nx = bytearray(100_000_000)\ntime.sleep(0.2)\nsum(i for i in range(3_000_000))\n";
    let usage = run(&place, code, &[])["usage"].clone();
    assert!(usage["wall_ms"].as_f64().unwrap() >= 200.0, "{usage}");
    assert!((20.0..10_000.0).contains(&usage["cpu_ms"].as_f64().unwrap()), "{usage}");
    assert!((100_000_000..400_000_000).contains(&usage["memory_peak_bytes"].as_u64().unwrap()), "{usage}");
}

#[test]
fn the_analysis_profile_has_its_own_limits() {
    let place = Place::new();
    // The names that the profile takes away are no boundary: whoever wants them finds them in any library.
    let code = "
import logging
builtins = logging.sys.modules['builtins']
fcntl, resource, open = builtins.__import__('fcntl'), builtins.__import__('resource'), builtins.open
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
for name, lock in (('flock', fcntl.flock), ('fcntl', fcntl.lockf)):
    try:
        lock(open('/tmp/x', 'w'), fcntl.LOCK_EX)
        print(name, 'allowed')
    except OSError as error:
        print(name, error.errno)
";
    assert_eq!(run(&place, code, &["--profile", "analysis"])["stdout"], "256\nflock 1\nfcntl 95\n");
    assert_eq!(run(&place, code, &[])["stdout"], "1024\nflock 1\nfcntl allowed\n");
    let document = run(&place, "while True: pass\n", &["--profile", "analysis"]);
    assert_eq!(document["killed_by"], "time");
    assert!(document["usage"]["wall_ms"].as_f64().unwrap() < 9_000.0, "two seconds of processor time: {document}");
}

#[test]
fn files_with_holes_do_not_grow_beyond_the_scratch_space() {
    let place = Place::new();
    let code = "for name in 'abc': open(f'out/{name}', 'wb').truncate(200 << 20)\n\
                try: open('out/d', 'wb').truncate(3 << 30)\n\
                except OSError as error: print(error.strerror)\n";
    let document = run(&place, code, &[]);
    assert_eq!(document["stdout"], "File too large\n", "{document}");
    let bytes: u64 = document["files"].as_array().unwrap().iter().map(|file| file["bytes"].as_u64().unwrap()).sum();
    assert!(bytes <= 256 << 20, "{document}");
    assert_eq!(document["files_left_out"], 2, "{document}");
}

#[test]
fn what_a_program_leaves_beside_its_folder_of_results_is_said() {
    let place = Place::new();
    let code = "import os, pathlib\n\
                pathlib.Path('chart.png').write_text('x')\n\
                pathlib.Path('.cache').write_text('x')\n\
                os.mkdir('notes')\n\
                pathlib.Path('out/kept.txt').write_text('x')\n";
    let document = run(&place, code, &[]);
    assert_eq!(document["files_beside"], json!(["chart.png", "notes"]), "{document}");
    assert_eq!(document["files"][0]["path"], "kept.txt", "{document}");
    let said = place.assay(["sandbox", "run", "-"]).stdin(code).run();
    let note = "note: `chart.png`, `notes` did not come back: only what a program writes to out/ does, with --out DIR";
    assert!(said.stderr.contains(note), "{}", said.stderr);
    assert_eq!(run(&place, "open('out/a', 'w').close()\n", &[])["files_beside"], json!([]));
}

#[test]
fn the_last_word_of_a_program_is_bounded_and_cannot_be_forged_into_harm() {
    let place = Place::new();
    let long = run(&place, "raise ValueError('x' * 20_000_000)\n", &[]);
    assert_eq!(long["error"]["type"], "ValueError");
    assert!(long["error"]["message"].as_str().unwrap().len() < 100_000);
    let half = run(&place, "raise ValueError('\\udc80')\n", &[]);
    assert_eq!((&half["error"]["type"], &half["error"]["line"]), (&json!("ValueError"), &json!(1)), "{half}");
    let mute = "class E(Exception):\n    def __str__(self): raise self\nraise E\n";
    assert_eq!(run(&place, mute, &[])["error"]["type"], "E");
    let forged = "import os\nos.write(3, (31 << 20).to_bytes(4, 'big') + b'[' + b'0,' * 9_000_000)\n";
    let forged = run(&place, forged, &[]);
    assert_ne!(forged["outcome"], "killed", "nobody listens, so it is not held: {forged}");
    assert_eq!(run(&place, "import os\nos.closerange(3, 64)\n", &[])["outcome"], "ok");
}

#[test]
fn what_comes_back_replaces_links_and_borrows_no_rights() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    let out = place.folder("back");
    let outside = place.file("outside.txt", "mine");
    symlink(&outside, out.join("link")).unwrap();
    fs::write(out.join("tool"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(out.join("tool"), PermissionsExt::from_mode(0o755)).unwrap();
    let code = "for name in ('link', 'tool'): open('out/' + name, 'w').write('theirs')\n";
    run(&place, code, &["--out", out.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "mine");
    assert_eq!(fs::read_to_string(out.join("link")).unwrap(), "theirs");
    assert_eq!(fs::metadata(out.join("tool")).unwrap().permissions().mode() & 0o111, 0);
}

#[test]
fn a_relative_data_directory_works_and_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let file = place.file("program.py", "open('out/a', 'w').write('x')\n");
    let ran = place.assay(["--data-dir", "here/below", "sandbox", "run", file.to_str().unwrap(), "--json"]).run();
    assert_eq!(ran.document()["files"][0]["path"], "a");
    let mode = fs::metadata(place.path("here/below")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}
