//! Programs as people write them work in a cell as they do outside: the standard library, the libraries of the
//! environment, and the 164 tasks of HumanEval with their known solutions; in cold cells and in warm ones, by the
//! command.
//!
//! A case is one Python file of `libraries/`, which asserts what it came to and prints one line; the table [`CASES`] says
//! which line, what it must have left in `out/`, and in which profiles it runs.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::resident::Resident;
use crate::support::{Call, Place, User, ordinary_user_is_possible, slow_is_wanted};

/// A program and what must come of it.
struct Case {
    name: &'static str,
    code: &'static str,
    prints: &'static str,
    /// In `analysis`, too; a program that needs what only `task` has is not.
    in_analysis: bool,
    reads_a_file: bool,
    /// Files in `out/`, and how they begin.
    leaves: &'static [(&'static str, &'static [u8])],
    status: i64,
}

/// The file of that name, which prints that line.
macro_rules! case {
    ($name:literal, $prints:literal) => {
        Case {
            name: $name,
            code: include_str!(concat!("libraries/", $name, ".py")),
            prints: $prints,
            in_analysis: false,
            reads_a_file: false,
            leaves: &[],
            status: 0,
        }
    };
}

impl Case {
    const fn in_analysis(self) -> Case {
        Case { in_analysis: true, ..self }
    }

    const fn reads_a_file(self) -> Case {
        Case { reads_a_file: true, ..self }
    }

    const fn leaves(self, leaves: &'static [(&'static str, &'static [u8])]) -> Case {
        Case { leaves, ..self }
    }

    const fn ends_with(self, status: i64) -> Case {
        Case { status, ..self }
    }
}

const CASES: &[Case] = &[
    case!("matplotlib_png", "PNG True").leaves(&[("two.png", b"\x89PNG\r\n\x1a\n")]),
    case!("matplotlib_svg", "%PDF- True").leaves(&[("bars.svg", b"<?xml "), ("bars.pdf", b"%PDF-")]),
    case!("pandas_groupby", "{'north': 23.5, 'south': 11.5, 'west': 4.0}").in_analysis(),
    case!("pandas_merge_pivot", "['?', 'Köln', 'Oslo'] 5").in_analysis(),
    case!("pandas_files", "2 8975745").in_analysis().reads_a_file().leaves(&[
        ("big.csv", b"name,code,founded,people\nNew York,100,1624-01-01,8258035"),
        ("big.json", b"[{\"name\""),
    ]),
    case!("pandas_dates", "2026-02-01 2026-03-29T01:30:00+01:00").in_analysis(),
    case!("numpy_algebra", "[21.0, 7.0, 18.0] [2.0, 1.0]").in_analysis(),
    case!("numpy_chance", "[1, 0, 2, 4, 3] 17").in_analysis(),
    case!("duckdb_frame", "{'team': ['x', 'y'], 'best': [5, 8], 'n': [2, 2]}").in_analysis(),
    case!("duckdb_file", "0.30 332833500 1000")
        .leaves(&[("squares.parquet", b"PAR1"), ("item.csv", b"id,name,price\n")]),
    case!("pyarrow_parquet", "3.75 3").in_analysis().leaves(&[("one.parquet", b"PAR1")]),
    case!("excel", "['Köln', 'Oslo']").in_analysis().leaves(&[("cities.xlsx", b"PK\x03\x04")]),
    case!("sqlite3_file", "drei ß").leaves(&[("notes.db", b"SQLite format 3\0")]),
    case!("sqlite3_log", "2"),
    case!("sklearn_joblib", "True"),
    case!("process_pool", "[(0, 1.0, 5.0), (1, 2.0, 5.0), (2, 3.0, 5.0)]"),
    case!("multiprocessing_pool", "40425 81"),
    case!("multiprocessing_spawn", "said 90"),
    case!("multiprocessing_forkserver", "said 90"),
    case!("multiprocessing_queue", "NAÏVE 190 -15"),
    case!("shared_memory", "499500"),
    case!("memory_maps", "15000.0"),
    case!("threads", "8000 abc MainThread"),
    case!("subprocess_python", "[\"5\"]"),
    case!("subprocess_libraries", "10"),
    case!("subprocess_shell", "hello"),
    case!("asyncio_tasks", "put"),
    case!("asyncio_processes", "stressed"),
    case!("asyncio_socket", "20 W19"),
    case!("sockets", "HELLO PermissionError"),
    case!("signals", "SIGUSR1 late Terminated"),
    case!("zones", "2026-07-01T15:30:00+05:30").in_analysis(),
    case!("dates", "365 Thu").in_analysis(),
    case!("arithmetic", "1,234,567.89 0.000123 0xff 10000000000000000 -4 2").in_analysis(),
    case!("text_formats", "a long [...] 1").in_analysis(),
    case!("structures", "n 2880067194370816120 [1, 3, 6] green").in_analysis(),
    case!("text_unicode", "🎉 日本 naïve עברית").leaves(&[("日本 naïve 🎉.txt", "žluťoučký".as_bytes())]),
    case!("pickles", "b __main__"),
    case!("compression", "209460e6").leaves(&[("a.zip", b"PK\x03\x04")]),
    case!("digests", "aad03681-8b63-5304-89e0-8ca8f49461b5"),
    case!("temporary_files", "0"),
    case!("paths", "['copy', 'packed.zip', 'unpacked'] α").leaves(&[("c.txt", "α\n".as_bytes())]),
    case!("own_modules", "42 ()"),
    case!("own_tests", "4 1"),
    case!("logs", "3").leaves(&[("app.log", b"20")]),
    case!("endings", "gone, left, registered last, registered first, finalized")
        .leaves(&[("left_open.txt", b"written at the end")]),
    case!("exit_status", "said and ended").ends_with(3),
    case!("own_file", "found"),
    case!("locales", "UTF-8"),
    case!("user_names", "True"),
    case!("no_input", "name? ended"),
    case!("deep_calls", "9000 19000"),
    case!("limits", "1024 (3, 11)"),
    case!("foreign_functions", "[1, 2, 3, 4, 5]"),
    case!("tools", "{'a': [1, 2], 'b': 1}"),
];

const CITIES: &str = "name,code,founded,people\nOslo,007,1048-01-01,717710\nStockholm,010,1248-01-01,\n\
    New York,100,1624-01-01,8258035\n";

/// Where cells come from.
enum Ground {
    Cold(Place),
    Warm(Box<Resident>),
}

impl Ground {
    fn cold(user: User) -> Ground {
        Ground::Cold(Place::of(user))
    }

    fn warm(user: User) -> Ground {
        Ground::Warm(Box::new(Resident::of(user)))
    }

    fn place(&self) -> &Place {
        match self {
            Ground::Cold(place) => place,
            Ground::Warm(resident) => &resident.place,
        }
    }

    fn assay(&self, arguments: &[&str]) -> Call {
        match self {
            Ground::Cold(place) => place.assay(arguments),
            Ground::Warm(resident) => resident.assay(arguments),
        }
    }

    /// Runs a program file of the place; what it leaves goes into that folder. Gives the document.
    #[track_caller]
    fn run(&self, file: &str, out: &str, flags: &[&str]) -> Value {
        let arguments = [&["sandbox", "run", file, "--out", out, "--json"], flags].concat();
        let ran = self.assay(&arguments).stdin("typed by the user\n").run();
        let document = ran.document();
        assert_eq!(ran.code, Some(i32::from(document["outcome"] != "ok")), "{document}");
        assert_eq!(document["isolation"]["warm"], json!(matches!(self, Ground::Warm(_))), "{file}: {document}");
        document
    }
}

/// Runs all cases of a profile, also those after one that failed.
fn all_work(ground: &Ground, profile: &str) {
    ground.place().file("cities.csv", CITIES);
    let cases: Vec<&Case> = CASES.iter().filter(|case| profile == "task" || case.in_analysis).collect();
    several_at_a_time(&cases, |case| case.name.to_string(), |case| works(ground, case, profile));
}

fn works(ground: &Ground, case: &Case, profile: &str) {
    let file = format!("{profile}/{}.py", case.name);
    ground.place().file(&file, case.code);
    let out = format!("out-{profile}-{}", case.name);
    let folder = ground.place().folder(&out);
    let input: &[&str] = if case.reads_a_file { &["--input", "cities.csv"] } else { &[] };
    // Whether it works is asked here, not how fast: a large library takes its time on a busy machine.
    let time: &[&str] = if profile == "task" { &["--time", "60s"] } else { &[] };
    let document = ground.run(&file, &out, &[&["--profile", profile], input, time].concat());
    let stdout = document["stdout"].as_str().unwrap();
    if let Some(reason) = stdout.strip_prefix("skipped: ") {
        assert_eq!(case.name, "sklearn_joblib", "what only some environments have");
        return eprintln!("skipped: libraries::{}: {}", case.name, reason.trim_end());
    }
    let outcome = if case.status == 0 { "ok" } else { "failed" };
    let came_to = (&document["outcome"], &document["exit_code"], stdout);
    assert_eq!(came_to, (&json!(outcome), &json!(case.status), &*format!("{}\n", case.prints)), "{document}");
    for (path, begins) in case.leaves {
        let told = document["files"].as_array().unwrap().iter().any(|file| file["path"] == *path);
        assert!(told, "{path} is not told of: {document}");
        let bytes = fs::read(folder.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(bytes.starts_with(begins), "{path} begins with {:?}", &bytes[..bytes.len().min(80)]);
    }
}

/// Does something with each, a few at a time, and names those that failed.
#[track_caller]
fn several_at_a_time<T: Sync>(all: &[T], name: impl Fn(&T) -> String, act: impl Fn(&T) + Sync) {
    const AT_A_TIME: usize = 3;
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    let take = || {
        while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            if catch_unwind(AssertUnwindSafe(|| act(one))).is_err() {
                failed.lock().unwrap().push(one);
            }
        }
    };
    thread::scope(|scope| (0..AT_A_TIME).for_each(|_| drop(scope.spawn(take))));
    let failed: Vec<String> = failed.into_inner().unwrap().into_iter().map(name).collect();
    assert!(failed.is_empty(), "of {}, as told above: {failed:?}", all.len());
}

/// A hundred megabytes are read to their end and the first part is kept; the program does not notice.
fn a_flood_is_cut(ground: &Ground) {
    ground.place().file("flood.py", include_str!("libraries/stdout_flood.py"));
    let out = ground.place().folder("out-flood");
    let document = ground.run("flood.py", "out-flood", &[]);
    assert_eq!((&document["outcome"], &document["stdout_truncated"]), (&json!("ok"), &json!(true)));
    let kept = document["stdout"].as_str().unwrap();
    assert_eq!((kept.len(), kept.lines().next()), (1 << 20, Some(&*"x".repeat(99))));
    assert_eq!(fs::read_to_string(out.join("done")).unwrap(), "100000000");
    let shown = ground.assay(&["sandbox", "run", "flood.py"]).run().exits(0);
    assert!(shown.stdout.trim_end() == kept.trim_end(), "{} bytes are shown", shown.stdout.len());
    assert!(shown.stderr.contains("stdout was cut"), "{}", shown.stderr);
}

/// The tasks, one program each; says by name which test is not run where they are not.
fn human_eval(ground: &Ground, test: &str) -> Option<PathBuf> {
    let packed = std::env::current_dir()
        .expect("tests run in their crate's folder")
        .join("../../../shared/data/humaneval/HumanEval.jsonl.gz");
    let Ok(bytes) = fs::read(&packed) else {
        eprintln!("skipped: libraries::{test}: the tasks of HumanEval are not beside the project");
        return None;
    };
    ground.place().file("HumanEval.jsonl.gz", bytes);
    ground.place().file("human_eval.py", include_str!("libraries/human_eval.py"));
    let out = ground.place().folder("human_eval");
    let document = ground.run("human_eval.py", "human_eval", &["--input", "HumanEval.jsonl.gz"]);
    assert_eq!(document["stdout"], "164\n", "{document}");
    Some(out)
}

/// Every known solution passes its tests, and tests that judge something else fail.
fn solutions_pass(ground: &Ground, test: &str) {
    if human_eval(ground, test).is_none() {
        return;
    }
    ground.place().folder("out-tasks");
    let numbers: Vec<usize> = (0..164).collect();
    several_at_a_time(&numbers, usize::to_string, |number| {
        let document = ground.run(&format!("human_eval/right/task_{number:03}.py"), "out-tasks", &[]);
        let last = document["stdout"].as_str().unwrap().lines().last();
        assert_eq!((&document["outcome"], last), (&json!("ok"), Some(&*format!("passed {number}"))), "{document}");
    });
    for number in [0, 31, 77, 120, 163] {
        let document = ground.run(&format!("human_eval/wrong/task_{number:03}.py"), "out-tasks", &[]);
        assert_eq!((&document["outcome"], &document["stdout"]), (&json!("failed"), &json!("")), "{document}");
    }
}

#[test]
fn cold_in_the_profile_task() {
    let ground = Ground::cold(User::Own);
    all_work(&ground, "task");
    a_flood_is_cut(&ground);
}

#[test]
fn cold_in_the_profile_analysis() {
    all_work(&Ground::cold(User::Own), "analysis");
}

#[test]
fn warm() {
    let ground = Ground::warm(User::Own);
    all_work(&ground, "task");
    all_work(&ground, "analysis");
    a_flood_is_cut(&ground);
    solutions_pass(&ground, "human_eval_warm");
}

#[test]
fn human_eval_cold() {
    if slow_is_wanted("human_eval_cold") {
        solutions_pass(&Ground::cold(User::Own), "human_eval_cold");
    }
}

#[test]
fn as_an_ordinary_user() {
    if !slow_is_wanted("all library cases as an ordinary user") || !ordinary_user_is_possible("all library cases") {
        return;
    }
    for ground in [Ground::cold(User::Ordinary), Ground::warm(User::Ordinary)] {
        all_work(&ground, "task");
        all_work(&ground, "analysis");
        a_flood_is_cut(&ground);
    }
}

/// Into an environment of its own, so that the others' stays as it is.
#[test]
fn the_set_ml_is_installed_when_it_is_asked_for() {
    if !slow_is_wanted("the_set_ml_is_installed_when_it_is_asked_for") {
        return;
    }
    let place = Place::new();
    let assay = |arguments: &[&str]| place.assay(arguments).env("ASSAY_ENV_DIR", place.path("env"));
    place.file("learn.py", CASES.iter().find(|case| case.name == "sklearn_joblib").expect("it is a case").code);
    place.file("missing.py", "import sklearn.svm\n");
    let patience = Duration::from_secs(600);
    let missing = assay(&["sandbox", "run", "missing.py", "--json"]).time_max(patience).run().exits(1).document();
    assert!(missing["error"]["hint"].as_str().unwrap().contains("the set `ml`"), "{missing}");
    let told = assay(&["sandbox", "run", "missing.py"]).time_max(patience).run().exits(1);
    assert!(told.stderr.contains("`assay sandbox install ml` installs"), "{}", told.stderr);
    let installed = assay(&["sandbox", "install", "ml", "--json"]).time_max(patience).run().exits(0).document();
    assert_eq!((&installed["kind"], &installed["set"]), (&json!("installed"), &json!("ml")), "{installed}");
    let learned = assay(&["sandbox", "run", "learn.py", "--time", "60s", "--json"]).run().exits(0).document();
    assert_eq!(learned["stdout"], "True\n", "{learned}");
    let again = assay(&["sandbox", "install", "ml"]).run().exits(0);
    assert!(again.stdout.contains("`ml`"), "{}", again.stdout);
}

#[test]
fn every_program_is_a_case() {
    let folder = std::env::current_dir().expect("tests run in their crate's folder").join("tests/it/libraries");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let apart = ["human_eval", "stdout_flood"];
    let mut found: Vec<String> = names.map(|name| name.trim_end_matches(".py").to_string()).collect();
    found.retain(|name| !apart.contains(&&**name));
    found.sort();
    let mut told: Vec<&str> = CASES.iter().map(|case| case.name).collect();
    told.sort();
    assert_eq!(found, told);
    assert!(told.len() >= 50, "the suite must not shrink unnoticed");
}
