//! What can happen to the journal's files: a full disk, no rights, another version, damage, a torn log, two programs
//! changing the tables at once. Each is a clear problem with a hint, and nothing that was recorded is lost.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::durability::Demo;
use crate::support::leftovers::soon;
use crate::support::trace::with_failing_sync;
use crate::support::{Call, Place, Ran, User, ordinary_user_is_possible, slow_is_wanted, we_are_root};

/// Runs a script with Python's own SQLite, which is another than the program's.
#[track_caller]
fn python(script: &str, arguments: &[&Path]) -> String {
    let output = Command::new("python3").arg("-c").arg(script).args(arguments).output().expect("python3 is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Executes statements in a store, and brings everything from its log into its one file.
#[track_caller]
fn in_store(data: &Path, statements: &str) {
    let script = "import sqlite3, sys
connection = sqlite3.connect(sys.argv[1] + '/store.db')
connection.executescript(sys.argv[2])
connection.execute('PRAGMA wal_checkpoint(TRUNCATE)')
connection.close()";
    python(script, &[data, Path::new(statements)]);
}

fn copy(from: &Path, to: &Path) -> PathBuf {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status().expect("cp is there");
    assert!(copied.success(), "{} cannot be copied", from.display());
    to.to_path_buf()
}

#[track_caller]
fn problem(ran: Ran, code: &str) -> Value {
    let shown = ran.shown.clone();
    let document = ran.exits(2).document();
    assert_eq!((&document["kind"], &document["code"]), (&json!("problem"), &json!(code)), "{shown}: {document}");
    assert!(document["hint"].is_string(), "{shown}: {document}");
    document
}

/// The id of a run that died after it recorded some steps.
fn interrupted(demo: &Demo, data: &Path, recorded: usize) -> String {
    let fault = format!("after_commit:{}", recorded - 1);
    demo.call(data, "effects.txt").arg("--json").env("ASSAY_FAULT", fault).run();
    let listed = demo.runs(data, &["list"]).exits(0).document();
    listed["runs"][0]["id"].as_str().expect("the run is there").to_string()
}

fn finished(demo: &Demo, data: &Path) -> String {
    let document = demo.call(data, "effects.txt").arg("--json").run().exits(0).document();
    document["run"].as_str().expect("a run").to_string()
}

/// Runs a command on a disk of that size, which holds a copy of the data directory and is copied back afterwards.
fn on_a_small_disk(call: Call, data: &Path, bytes: usize) -> Ran {
    let script = "exec unshare --mount sh -c '
        data=$1; size=$2; shift 2
        mkdir -p \"$data.disk\" && mount -t tmpfs -o size=$size none \"$data.disk\" || exit 70
        cp -a \"$data/.\" \"$data.disk\" || exit 71
        mount --bind \"$data.disk\" \"$data\" || exit 72
        \"$@\"; code=$?
        umount \"$data\"; cp -a \"$data.disk/.\" \"$data\"; exit $code' sh";
    call.below(&format!("{script} '{}' {bytes} \"$@\"", data.display())).run()
}

#[test]
fn a_full_disk_is_said_and_nothing_recorded_is_lost() {
    let demo = Demo::of_steps(12);
    let (mut said, mut begun, mut whole) = (0, 0, 0);
    // From a disk on which not even the store fits to one that takes everything.
    let sizes = (16 << 10..).step_by(if slow_is_wanted("every size of a small disk") { 4 << 10 } else { 48 << 10 });
    for bytes in sizes {
        let data = demo.place.folder(&format!("disk-{bytes}"));
        let effects = format!("effects-{bytes}.txt");
        let ran = on_a_small_disk(demo.call(&data, &effects).arg("--json"), &data, bytes);
        if ran.code == Some(0) {
            assert_eq!(ran.document()["value"], demo.value);
            whole += 1;
            break;
        }
        let document = problem(ran, "disk_full");
        said += 1;
        let listed = demo.runs(&data, &["list"]).exits(0).document();
        if let Some(run) = listed["runs"][0]["id"].as_str() {
            begun += 1;
            assert!(document["run"] == run || document["run"].is_null(), "{document}");
            demo.finishes(&data, run, &effects);
        }
    }
    assert!(said > 2 && begun > 1 && whole == 1, "{said} were full, {begun} of them with a run");
}

#[test]
fn a_disk_that_fills_up_later_is_said_by_every_command() {
    let demo = Demo::of_steps(12);
    let data = demo.place.data();
    let run = interrupted(&demo, &data, 6);
    for arguments in [vec!["runs", "resume", &run, "--json"], vec!["demo", "flow", "--steps", "12", "--json"]] {
        let pages: usize = contents(&data).iter().map(|(_, bytes)| bytes.len().div_ceil(4096)).sum();
        problem(on_a_small_disk(demo.place.assay(arguments), &data, (pages + 2) * 4096), "disk_full");
        assert_eq!(demo.recorded(&data, &run), Some(6));
    }
    demo.finishes(&data, &run, "effects.txt");
}

#[test]
fn what_may_not_be_written_is_said_and_stays_as_it_is() {
    let demo = Demo::of_steps(3);
    let data = demo.place.data();
    let run = finished(&demo, &data);
    let script = format!(
        "exec unshare --mount sh -c 'mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" || exit 70
        shift; exec \"$@\"' sh '{}' \"$@\"",
        data.display()
    );
    let before = contents(&data);
    for arguments in [vec!["runs", "resume", &run, "--json"], vec!["demo", "flow", "--steps", "3", "--json"]] {
        problem(demo.place.assay(arguments).below(&script).run(), "store_readonly");
    }
    assert!(contents(&data) == before, "a file has changed");
}

#[test]
fn a_store_file_that_may_not_be_written_is_said() {
    let user = if we_are_root() { User::Ordinary } else { User::Own };
    if user == User::Ordinary && !ordinary_user_is_possible("a_store_file_that_may_not_be_written_is_said") {
        return;
    }
    let place = Place::of(user);
    place.json(0, &["runs", "list"]);
    in_store(&place.data(), "");
    let store = place.data().join("store.db");
    fs::set_permissions(&store, std::os::unix::fs::PermissionsExt::from_mode(0o444)).unwrap();
    let before = fs::read(&store).unwrap();
    let ran = place.assay(["demo", "flow", "--steps", "3", "--json"]).run();
    let document = problem(ran, "store_readonly");
    assert!(document["message"].as_str().unwrap().contains("store.db"), "{document}");
    assert!(fs::read(&store).unwrap() == before);
}

/// Every file below a folder with what it holds.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(contents(&entry.path())),
            false => found.push((entry.path(), fs::read(entry.path()).unwrap())),
        }
    }
    found.sort();
    found
}

#[test]
fn a_store_of_a_newer_program_is_left_alone_by_every_command() {
    let demo = Demo::of_steps(3);
    let data = demo.place.data();
    let run = finished(&demo, &data);
    in_store(&data, "PRAGMA user_version = 1000; ALTER TABLE runs ADD COLUMN of_the_future TEXT");
    let before = fs::read(data.join("store.db")).unwrap();
    for arguments in [&["list"][..], &["show", &run], &["resume", &run]] {
        let document = problem(demo.runs(&data, arguments), "store_newer");
        assert!(document["message"].as_str().unwrap().contains("1000"), "{document}");
    }
    problem(demo.call(&data, "effects.txt").arg("--json").run(), "store_newer");
    assert!(fs::read(data.join("store.db")).unwrap() == before, "the store of a newer program was changed");
}

#[test]
fn a_damaged_row_is_named_and_the_other_runs_are_there() {
    let demo = Demo::of_steps(3);
    let whole = demo.place.folder("whole");
    let (good, bad) = (finished(&demo, &whole), interrupted(&demo, &whole, 2));
    let shown = demo.runs(&whole, &["show", &good]).exits(0).document();
    // Broken text, text that is still JSON but not what was recorded, no text at all, a hash that is none.
    let damages = [
        "UPDATE steps SET output = substr(output, 1, length(output) - 1) || char(1)",
        "UPDATE steps SET output = '\"something else\"'",
        "UPDATE steps SET output = NULL",
        "UPDATE steps SET output_hash = upper(output_hash) || '!'",
        "UPDATE steps SET state = 'dancing'",
    ];
    for (number, damage) in damages.iter().enumerate() {
        let data = copy(&whole, &demo.place.path(format!("damaged-{number}")));
        in_store(&data, &format!("{damage} WHERE run = '{bad}' AND position = 1"));
        for arguments in [&["show", &bad][..], &["resume", &bad]] {
            let document = problem(demo.runs(&data, arguments), "journal_damaged");
            let message = document["message"].as_str().unwrap();
            assert!(message.contains("step") || message.contains(&bad), "{damage}: names no row: {message}");
        }
        assert_eq!(demo.runs(&data, &["show", &good]).exits(0).document(), shown, "{damage}");
        let listed = demo.runs(&data, &["list"]).exits(0).document();
        assert_eq!(listed["runs"].as_array().unwrap().len(), 2, "{damage}");
        assert_eq!(demo.call(&data, "effects.txt").arg("--json").run().exits(0).document()["value"], demo.value);
    }
}

#[test]
fn a_damaged_run_does_not_take_the_others_with_it() {
    let demo = Demo::of_steps(3);
    let data = demo.place.data();
    let (good, bad) = (finished(&demo, &data), finished(&demo, &data));
    let shown = demo.runs(&data, &["show", &good]).exits(0).document();
    in_store(&data, &format!("UPDATE runs SET state = 'dancing' WHERE id = '{bad}'"));
    let document = problem(demo.runs(&data, &["show", &bad]), "journal_damaged");
    assert!(document["message"].as_str().unwrap().contains("dancing"), "{document}");
    assert_eq!(demo.runs(&data, &["show", &good]).exits(0).document(), shown);
    let listed = demo.runs(&data, &["list"]).exits(0);
    assert!(listed.stdout.contains(&good) && listed.stdout.contains(&bad), "{}", listed.stdout);
}

#[test]
fn damaged_pages_give_what_was_recorded_or_a_problem() {
    const PAGE: usize = 4096;
    let demo = Demo::of_steps(3);
    let whole = demo.place.folder("whole");
    let (first, last) = (finished(&demo, &whole), finished(&demo, &whole));
    in_store(&whole, "");
    let bytes = fs::read(whole.join("store.db")).unwrap();
    let shown: Vec<Value> =
        [&first, &last].map(|run| demo.runs(&whole, &["show", run]).exits(0).document()).into_iter().collect();
    let pages = bytes.len() / PAGE;
    assert!(pages > 4 && bytes.len().is_multiple_of(PAGE));
    let garbage: Vec<u8> = (0..PAGE as u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    // Each page in turn; then only the header, and a file that ends early.
    let mut cases: Vec<(String, Vec<u8>)> = Vec::new();
    for page in 0..pages {
        let mut damaged = bytes.clone();
        damaged[page * PAGE..][..PAGE].copy_from_slice(&garbage);
        cases.push((format!("page {page} of {pages}"), damaged));
    }
    let mut header = bytes.clone();
    header[..16].copy_from_slice(&garbage[..16]);
    cases.push(("header".to_string(), header));
    cases.push(("half a file".to_string(), bytes[..pages / 2 * PAGE].to_vec()));
    let mut noticed = 0;
    for (number, (case, damaged)) in cases.iter().enumerate() {
        let data = demo.place.folder(&format!("page-{number}"));
        fs::write(data.join("store.db"), damaged).unwrap();
        let mut failed = false;
        for (run, shown) in [&first, &last].into_iter().zip(&shown) {
            let ran = demo.runs(&data, &["show", run]);
            match ran.code {
                Some(0) => assert_eq!(&ran.document(), shown, "{case}"),
                _ => failed |= problem(ran, "journal_damaged").is_object(),
            }
        }
        let listed = demo.runs(&data, &["list"]);
        match listed.code {
            Some(0) => assert!([&first, &last].iter().all(|run| listed.stdout.contains(*run)), "{case}"),
            _ => failed |= problem(listed, "journal_damaged").is_object(),
        }
        noticed += usize::from(failed);
    }
    assert!(noticed >= 5, "of {} damages {noticed} were noticed", cases.len());
}

/// Where the frames of a log end, each with the number of commits that are whole by then.
fn frames(log: &[u8]) -> Vec<(usize, usize)> {
    const HEADER: usize = 32;
    const FRAME_HEADER: usize = 24;
    let number = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().unwrap()) as usize;
    let size = FRAME_HEADER + number(8);
    let (mut commits, mut ends) = (0, Vec::new());
    let mut at = HEADER;
    // What has another salt is left from an earlier round of the log.
    while at + size <= log.len() && log[at + 8..at + 16] == log[16..24] {
        // The last frame of a commit tells the size of the database.
        commits += usize::from(number(at + 4) > 0);
        at += size;
        ends.push((at, commits));
    }
    ends
}

/// SQLite knows a commit by its last frame, whose checksum covers all frames before it, so a log that ends inside a
/// commit is a log without that commit. It cannot know that a log once was longer: one that is cut exactly behind a
/// commit looks like one that never went on, and what was committed after that is forgotten. So for every length the
/// run is there with the steps of the whole commits, or, if its creation is cut off, not at all; and it goes on.
#[test]
fn a_log_cut_anywhere_gives_a_run_that_goes_on() {
    let demo = Demo::of_steps(4);
    let data = demo.place.data();
    let call = demo.place.assay(["demo", "flow", "--steps", "4", "--step-ms", "40", "--json", "--effects"]);
    let mut child = call.arg(demo.place.path("effects.txt")).start();
    let effects = || fs::read_to_string(demo.place.path("effects.txt")).unwrap_or_default();
    soon("three effects", || effects().lines().count() >= 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let run = effects().split(' ').next().unwrap().to_string();
    let whole = copy(&data, &demo.place.path("whole"));
    let log = fs::read(whole.join("store.db-wal")).unwrap();
    let frames = frames(&log);
    let commits = frames.last().expect("a log with frames").1;
    let all = demo.recorded(&data, &run).expect("the run was begun");
    assert!(all >= 2 && commits > all, "{all} steps in {commits} commits");

    let borders = [0, 16].into_iter().chain(frames.iter().map(|(end, _)| *end));
    let mut lengths: Vec<usize> = match slow_is_wanted("a log cut at every frame") {
        true => borders.flat_map(|end| [end, end + 12, end + 24, end + 2_000, end + 4_119]).collect(),
        false => {
            let ends = frames.windows(2).filter(|pair| pair[1].1 > pair[0].1).map(|pair| pair[1].0);
            [0, 16, 32].into_iter().chain(ends.flat_map(|end| [end - 2_000, end])).collect()
        }
    };
    lengths.retain(|length| *length <= log.len());
    let mut begun_with = None;
    for length in lengths {
        let data = copy(&whole, &demo.place.path(format!("cut-{length}")));
        let file = File::options().write(true).open(data.join("store.db-wal")).unwrap();
        file.set_len(length as u64).unwrap();
        let kept = frames.iter().rev().find(|(end, _)| *end <= length).map_or(0, |(_, commits)| *commits);
        if kept == 0 {
            // Even the tables were only in the log: that is noticed, because the store had been made.
            problem(demo.runs(&data, &["list"]), "journal_damaged");
            continue;
        }
        let Some(recorded) = demo.recorded(&data, &run) else {
            assert_eq!(begun_with, None, "cut at {length}: a run that was there with fewer commits is gone");
            continue;
        };
        let begun_with = *begun_with.get_or_insert(kept);
        assert_eq!(recorded, (kept - begun_with).min(all), "cut at {length}: {kept} of {commits} commits");
        demo.finishes(&data, &run, "effects.txt");
    }
    assert!(begun_with.is_some_and(|begun| begun > 1), "no cut took the run's creation away");
}

/// The first version of the tables, as stores in use have it.
const VERSION_1: &str = "
CREATE VIEW clock AS SELECT CAST(ROUND(unixepoch('subsec') * 1000) AS INTEGER) AS now_ms;

CREATE TABLE runs (
    id              TEXT NOT NULL PRIMARY KEY,
    task            TEXT NOT NULL,
    state           TEXT NOT NULL,
    mode            TEXT NOT NULL,
    key             TEXT,
    title           TEXT,
    input           TEXT NOT NULL,
    output          TEXT,
    output_artifact TEXT,
    problem         TEXT,
    forked_from     TEXT,
    forked_step     BIGINT,
    attempts        BIGINT NOT NULL,
    program         TEXT NOT NULL,
    owner           TEXT,
    created_at      BIGINT NOT NULL,
    finished_at     BIGINT,
    last_seq        BIGINT NOT NULL
);
CREATE UNIQUE INDEX runs_by_key ON runs (key) WHERE key IS NOT NULL;
CREATE INDEX runs_running ON runs (owner) WHERE state = 'running';

CREATE TABLE steps (
    run             TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position        BIGINT NOT NULL,
    name            TEXT NOT NULL,
    state           TEXT NOT NULL,
    attempts        BIGINT NOT NULL,
    run_attempt     BIGINT NOT NULL,
    input_hash      TEXT NOT NULL,
    output_hash     TEXT NOT NULL,
    output          TEXT,
    output_artifact TEXT,
    started_at      BIGINT NOT NULL,
    finished_at     BIGINT NOT NULL,
    duration_ms     DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (run, position)
);

CREATE TABLE events (
    run  TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq  BIGINT NOT NULL,
    at   BIGINT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (run, seq)
);

CREATE TABLE artifacts (
    run        TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    media_type TEXT NOT NULL,
    bytes      BIGINT NOT NULL,
    sha256     TEXT NOT NULL,
    PRIMARY KEY (run, name)
);
PRAGMA user_version = 1;
";

/// A store of the first version with one run that finished and one that died after its second step.
fn old_store(demo: &Demo) -> (PathBuf, String, String) {
    let source = demo.place.folder("source");
    let (good, bad) = (finished(demo, &source), interrupted(demo, &source, 2));
    let old = demo.place.folder("old");
    let script = "import sqlite3, sys
old = sqlite3.connect(sys.argv[1] + '/store.db', isolation_level=None)
old.execute('PRAGMA journal_mode = WAL')
old.executescript(sys.argv[3])
old.execute('ATTACH ? AS source', (sys.argv[2] + '/store.db',))
for table in ('runs', 'steps', 'events', 'artifacts'):
    columns = ', '.join(row[1] for row in old.execute(f'PRAGMA main.table_info({table})'))
    old.execute(f'INSERT INTO main.{table} ({columns}) SELECT {columns} FROM source.{table}')
old.execute('DETACH source')
old.execute('PRAGMA wal_checkpoint(TRUNCATE)')";
    python(script, &[&old, &source, Path::new(VERSION_1)]);
    (old, good, bad)
}

fn version(data: &Path) -> String {
    let script = "import sqlite3, sys
print(sqlite3.connect(sys.argv[1] + '/store.db').execute('PRAGMA user_version').fetchone()[0])";
    python(script, &[data]).trim().to_string()
}

#[test]
fn many_who_meet_an_old_store_all_find_its_runs() {
    let demo = Demo::of_steps(3);
    let (old, good, bad) = old_store(&demo);
    assert_eq!(version(&old), "1");
    let list = || demo.place.assay(["runs", "list", "--json", "--data-dir"]).arg(&old);
    let children: Vec<_> = (0..8).map(|_| list().start()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains(&good) && said.contains(&bad), "{said}");
    }
    assert_ne!(version(&old), "1");
    let shown = demo.runs(&old, &["show", &good]).exits(0).document();
    let source = demo.runs(&demo.place.path("source"), &["show", &good]).exits(0).document();
    assert_eq!(shown, source, "a migrated run reads as it did");
    demo.finishes(&old, &bad, "effects.txt");
}

#[test]
fn a_store_is_not_changed_while_an_older_program_uses_it() {
    let demo = Demo::of_steps(3);
    let (old, good, _) = old_store(&demo);
    let lock = File::create(old.join("store.lock")).unwrap();
    lock.lock_shared().unwrap();
    let begun = Instant::now();
    let document = problem(demo.runs(&old, &["list"]), "store_locked");
    assert!(begun.elapsed() < Duration::from_secs(6), "it waits too long");
    let message = document["message"].as_str().unwrap();
    assert!(message.contains(&std::process::id().to_string()), "it names the process: {message}");
    assert_eq!(version(&old), "1");
    lock.unlock().unwrap();
    assert!(demo.runs(&old, &["list"]).exits(0).stdout.contains(&good));
}

#[test]
fn a_migration_that_fails_half_way_leaves_the_old_store() {
    let demo = Demo::of_steps(3);
    let (old, good, bad) = old_store(&demo);
    let list = demo.place.assay(["runs", "list", "--json", "--data-dir"]).arg(&old);
    let document = with_failing_sync(list, "store.db-wal", 1).run().exits(2).document();
    assert_eq!(document["kind"], "problem");
    let listed = demo.runs(&old, &["list"]).exits(0);
    assert!(listed.stdout.contains(&good) && listed.stdout.contains(&bad), "{}", listed.stdout);
    demo.finishes(&old, &bad, "effects.txt");
}
