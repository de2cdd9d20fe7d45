//! Opening: what is made, who may come in at once, and which problem each obstacle is.

use std::fs::File;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use base::{Code, Problem, RunId};
use store::{Filter, Store};
use tokio::task::JoinSet;

async fn refused(directory: &Path) -> Problem {
    let problem = Store::open(directory).await.err().expect("the store must not open");
    assert!(problem.message.contains(&*directory.to_string_lossy()), "it names the place: {problem}");
    problem
}

async fn in_database(path: &Path, statement: &str) {
    rusqlite::Connection::open(path).expect("connected").execute_batch(statement).expect("executed");
}

#[tokio::test]
async fn many_who_meet_an_empty_directory_all_get_in() {
    let directory = tempfile::tempdir().expect("a directory");
    let place = directory.path().join("new").join("deep");
    let mut openers = JoinSet::new();
    for _ in 0..8 {
        let place = place.clone();
        openers.spawn(async move { Store::open(&place).await });
    }
    for opened in openers.join_all().await {
        opened.expect("opened");
    }
    let mode = std::fs::metadata(&place).expect("made").permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "what runs recorded is nobody else's business");
}

#[tokio::test]
async fn what_a_crash_in_the_first_open_leaves_is_treated_as_new() {
    let directory = tempfile::tempdir().expect("a directory");
    File::create(directory.path().join("store.db")).expect("an empty file");
    Store::open(directory.path()).await.expect("opened");

    let directory = tempfile::tempdir().expect("a directory");
    in_database(&directory.path().join("store.db"), "PRAGMA journal_mode = WAL").await;
    Store::open(directory.path()).await.expect("opened");
}

#[tokio::test]
async fn a_store_of_the_future_is_left_alone() {
    let directory = tempfile::tempdir().expect("a directory");
    drop(Store::open(directory.path()).await.expect("made"));
    in_database(&directory.path().join("store.db"), "PRAGMA user_version = 99").await;
    let problem = refused(directory.path()).await;
    assert_eq!(problem.code, Code::StoreNewer);
    assert!(problem.message.contains("99") && problem.hint.is_some());
}

#[tokio::test]
async fn what_is_not_our_store_is_damage() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("store.db"), "not a database ".repeat(100)).expect("written");
    assert_eq!(refused(directory.path()).await.code, Code::JournalDamaged);

    let directory = tempfile::tempdir().expect("a directory");
    in_database(&directory.path().join("store.db"), "CREATE TABLE somebody_elses (x)").await;
    assert_eq!(refused(directory.path()).await.code, Code::JournalDamaged);
}

#[tokio::test]
async fn a_damaged_page_is_reported_when_it_is_read() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    drop(Store::open(directory.path()).await.expect("made"));
    in_database(&path, "PRAGMA wal_checkpoint(TRUNCATE)").await;
    let mut bytes = std::fs::read(&path).expect("read");
    bytes[4096..].fill(0x5a);
    std::fs::write(&path, bytes).expect("written");
    // The first page, with the version, is whole: opening may succeed, using must not.
    let problem = match Store::open(directory.path()).await {
        Err(problem) => problem,
        Ok(store) => store.summaries(&Filter::default(), 10).await.expect_err("every other page is damaged"),
    };
    assert_eq!(problem.code, Code::JournalDamaged);
}

#[tokio::test]
async fn a_file_is_no_data_directory() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("file");
    std::fs::write(&file, "").expect("written");
    assert_eq!(refused(&file).await.code, Code::SettingInvalid);
    let below = file.join("below");
    assert_eq!(refused(&below).await.code, Code::SettingInvalid);
}

#[tokio::test]
async fn who_changes_the_tables_keeps_others_out_and_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let lock = File::create(directory.path().join("store.lock")).expect("made");
    let pid = std::process::id().to_string();

    lock.lock().expect("locked");
    let problem = refused(directory.path()).await;
    assert_eq!(problem.code, Code::StoreLocked);
    assert!(problem.message.contains(&pid), "{problem}");
    lock.unlock().expect("released");

    // Tables are to be made, but somebody is using the store.
    lock.lock_shared().expect("locked");
    assert_eq!(refused(directory.path()).await.code, Code::StoreLocked);
    lock.unlock().expect("released");
    Store::open(directory.path()).await.expect("opened");
}

/// Opens and writes the store in a process that may not do everything, and gives the code of its problem.
///
/// Root passes every permission check, so as root the child becomes another user; the test program is copied to where
/// that user can start it.
fn code_for_a_plain_user(directory: &Path) -> String {
    let program = tempfile::tempdir().expect("a directory");
    std::fs::set_permissions(program.path(), PermissionsExt::from_mode(0o755)).expect("opened up");
    let copy = program.path().join("open");
    std::fs::copy(std::env::current_exe().expect("its path"), &copy).expect("copied");
    let mut command = Command::new(&copy);
    command.args(["--exact", "child_uses_the_store", "--ignored", "--nocapture"]).env("STORE_DIRECTORY", directory);
    if std::fs::metadata("/proc/self").expect("linux").uid() == 0 {
        command.uid(65534).gid(65534);
    }
    let output = command.output().expect("started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let code = text.split_once("code=").and_then(|(_, rest)| rest.split_whitespace().next());
    code.unwrap_or_else(|| panic!("the child said: {text}")).to_string()
}

#[tokio::test]
#[ignore = "the child process of the tests on permissions"]
async fn child_uses_the_store() {
    let directory = std::env::var_os("STORE_DIRECTORY").expect("set by the parent");
    let used = match Store::open(Path::new(&directory)).await {
        Ok(store) => store.cancel_run(&RunId::fresh()).await.map(drop).map_err(Problem::from),
        Err(problem) => Err(problem),
    };
    match used {
        Ok(()) => println!("code=none"),
        Err(problem) => println!("code={} {problem}", problem.code.as_str()),
    }
}

fn permit(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("changed");
}

/// Who uses a store holds its lock, and stores close on threads of their own.
async fn until_last_closed(directory: &Path) {
    let lock = std::fs::File::open(directory.join("store.lock")).expect("every store has one");
    for _ in 0..200 {
        if lock.try_lock().is_ok() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("`{}` is still open", directory.display());
}

#[tokio::test]
async fn what_may_not_be_written_or_read_is_said() {
    let directory = tempfile::tempdir().expect("a directory");
    permit(directory.path(), 0o755);
    let empty = directory.path().join("empty");
    std::fs::create_dir(&empty).expect("made");
    permit(&empty, 0o555);
    assert_eq!(code_for_a_plain_user(&empty), "store_readonly");
    assert_eq!(code_for_a_plain_user(&empty.join("below")), "store_readonly");
    assert!(!empty.join("below").exists());

    let used = directory.path().join("used");
    let store = Store::open(&used).await.expect("made");
    permit(&used.join("store.lock"), 0o666);
    permit(&used, 0o555);
    assert_eq!(code_for_a_plain_user(&used), "store_readonly", "somebody else has it open");
    drop(store);
    until_last_closed(&used).await;
    assert_eq!(code_for_a_plain_user(&used), "store_readonly", "nobody has it open");

    let closed = directory.path().join("closed");
    std::fs::create_dir(&closed).expect("made");
    permit(&closed, 0o000);
    assert_eq!(code_for_a_plain_user(&closed), "file_unreadable");
    permit(&closed, 0o700);
}
