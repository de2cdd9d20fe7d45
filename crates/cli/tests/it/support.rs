//! Places to run the command in, and what it said there.
//!
//! Each place has its own name for the program (a hard link), so that every process a test starts can be told from
//! those of the tests beside it: a leftover is a process whose file lies below the place.

pub mod assistant;
pub mod contract;
pub mod http;
pub mod leftovers;
pub mod packages;
pub mod recorded;
pub mod resident;
mod schema;
pub mod stage;
pub mod started;
pub mod tables;
pub mod trace;

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

pub const ORDINARY_ID: u32 = 65534;
const TIME_MAX: Duration = Duration::from_secs(60);

/// Who runs the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum User {
    /// Whoever runs the tests.
    Own,
    /// Somebody without any right, when the tests run as root.
    Ordinary,
}

/// Defines one test per user.
macro_rules! for_each_user {
    ($($(#[$note:meta])* fn $name:ident($user:ident) $body:block)*) => {
        $($(#[$note])* mod $name {
            #[allow(unused_imports)]
            use super::*;

            fn holds($user: $crate::support::User) $body

            #[test]
            fn as_we_are() {
                holds($crate::support::User::Own);
            }

            #[test]
            fn as_an_ordinary_user() {
                if $crate::support::ordinary_user_is_possible(stringify!($name)) {
                    holds($crate::support::User::Ordinary);
                }
            }
        })*
    };
}
pub(crate) use for_each_user;

/// Says by name which test is not run.
pub fn ordinary_user_is_possible(test: &str) -> bool {
    let possible = we_are_root() && Command::new("setpriv").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !possible {
        eprintln!("skipped: {test} as an ordinary user: needs root and setpriv");
    }
    possible
}

/// Whether long tests were asked for; says by name which is not run.
pub fn slow_is_wanted(test: &str) -> bool {
    let wanted = std::env::var_os("ASSAY_SLOW").is_some_and(|value| value == "1");
    if !wanted {
        eprintln!("skipped: {test}: set ASSAY_SLOW=1");
    }
    wanted
}

pub fn we_are_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

/// A throw-away place with a data directory, removed with everything in it.
pub struct Place {
    root: PathBuf,
    user: User,
    _held: Option<TempDir>,
}

impl Place {
    pub fn new() -> Place {
        Place::of(User::Own)
    }

    pub fn of(user: User) -> Place {
        let held = tempfile::Builder::new().prefix("place-").tempdir_in(grounds()).expect("a place");
        let root = held.path().to_path_buf();
        let place = Place::in_directory(root, user);
        Place { _held: Some(held), ..place }
    }

    fn in_directory(root: PathBuf, user: User) -> Place {
        fs::set_permissions(&root, PermissionsExt::from_mode(0o755)).expect("an open place");
        fs::hard_link(program(), root.join("assay")).expect("a name of its own");
        fs::create_dir(root.join("data")).expect("a data directory");
        let place = Place { root, user, _held: None };
        place.give(Path::new("data"));
        place
    }

    /// Where the place's files lie.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(name)
    }

    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    pub fn program(&self) -> PathBuf {
        self.path("assay")
    }

    /// Writes a file that the place's user can read.
    pub fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("below the place")).expect("a folder");
        fs::write(&path, contents).expect("a file");
        path
    }

    /// Makes an empty folder of the place's user.
    pub fn folder(&self, name: &str) -> PathBuf {
        fs::create_dir_all(self.path(name)).expect("a folder");
        self.give(Path::new(name));
        self.path(name)
    }

    fn give(&self, name: &Path) {
        if self.user == User::Ordinary {
            chown(self.path(name), Some(ORDINARY_ID), Some(ORDINARY_ID)).expect("root may give files away");
        }
    }

    /// The command with these arguments, in a known environment.
    pub fn assay<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Call {
        let mut command = match self.user {
            User::Own => Command::new(self.program()),
            User::Ordinary => {
                let mut command = Command::new("setpriv");
                let id = ORDINARY_ID.to_string();
                command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]).arg(self.program());
                command
            }
        };
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.args(arguments).current_dir(&self.root).env_clear().env("PATH", path).env("HOME", &self.root);
        command.env("ASSAY_ENV_DIR", environment(self.user)).env("ASSAY_DATA_DIR", self.data());
        // A broker would stay behind each place; tests of warm cells switch theirs on.
        command.env("ASSAY_BROKER", "off");
        Call { command, stdin: Vec::new(), time_max: TIME_MAX }
    }

    /// Runs the command with `--json` and gives its one document, which must have come with this exit code.
    #[track_caller]
    pub fn json(&self, code: i32, arguments: &[&str]) -> Value {
        self.assay(arguments).arg("--json").run().exits(code).document()
    }

    /// Asks and expects an answer.
    #[track_caller]
    pub fn answer(&self, data: &[&str], question: &str) -> Value {
        let arguments: Vec<&str> = ["ask"].iter().chain(data).chain([&question]).copied().collect();
        let answer = self.json_any(&arguments);
        assert_eq!(answer["status"], "answered", "{question:?} of {data:?}: {answer}");
        answer
    }

    /// Runs the command with `--json` and gives its one document.
    #[track_caller]
    pub fn json_any(&self, arguments: &[&str]) -> Value {
        self.assay(arguments).arg("--json").run().document()
    }

    /// Files and folders below the data directory whose name ends so.
    pub fn data_ending_with(&self, ending: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut pending = vec![self.data()];
        while let Some(folder) = pending.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().ends_with(ending) {
                    found.push(entry.path());
                }
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    pending.push(entry.path());
                }
            }
        }
        found
    }
}

/// A place that many tests share, with the built-in datasets already read. Only for questions.
pub fn shared() -> &'static Place {
    static SHARED: OnceLock<Place> = OnceLock::new();
    SHARED.get_or_init(|| {
        let root = grounds().join("shared");
        fs::create_dir(&root).expect("a place");
        let place = Place::in_directory(root, User::Own);
        for dataset in ["ecommerce", "support", "sensors"] {
            place.json(0, &["data", "show", dataset]);
        }
        place
    })
}

/// One start of the command.
pub struct Call {
    command: Command,
    stdin: Vec<u8>,
    time_max: Duration,
}

impl Call {
    /// Runs it below a shell script that ends in `exec "$@"`, in a user namespace where the script is root.
    pub fn below(self, script: &str) -> Call {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "sh", "-c", script, "sh"]);
        command.arg(self.command.get_program()).args(self.command.get_args()).env_clear();
        command.envs(self.environment());
        command.current_dir(self.command.get_current_dir().expect("every call has a place"));
        Call { command, ..self }
    }

    /// Runs it on a terminal of its own; whatever it prints there comes as stdout.
    pub fn on_a_terminal(self) -> Call {
        self.driven("import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))")
    }

    /// Runs it below a Python program that has the command in `sys.argv[1:]`.
    pub fn driven(self, program: &str) -> Call {
        let mut command = Command::new("python3");
        command.args(["-c", program]);
        command.arg(self.command.get_program()).args(self.command.get_args()).env_clear();
        command.envs(self.environment());
        command.current_dir(self.command.get_current_dir().expect("every call has a place"));
        Call { command, ..self }
    }

    /// The environment it is started in.
    pub fn environment(&self) -> impl Iterator<Item = (&std::ffi::OsStr, &std::ffi::OsStr)> {
        self.command.get_envs().filter_map(|(name, value)| Some((name, value?)))
    }

    pub fn arg(mut self, argument: impl AsRef<std::ffi::OsStr>) -> Call {
        self.command.arg(argument);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Call {
        self.command.env(name, value);
        self
    }

    /// From another working directory.
    pub fn within(mut self, folder: &Path) -> Call {
        self.command.current_dir(folder);
        self
    }

    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Call {
        self.stdin = text.into();
        self
    }

    pub fn time_max(mut self, time: Duration) -> Call {
        self.time_max = time;
        self
    }

    /// Starts it and gives it up to the caller; nothing is written to its stdin.
    #[track_caller]
    pub fn start(mut self) -> Child {
        let piped = self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        piped.spawn().expect("the command starts")
    }

    /// Runs it to its end; one that does not end in time is killed and fails the test.
    #[track_caller]
    pub fn run(mut self) -> Ran {
        let shown = format!("{:?}", self.command).chars().take(2_000).collect::<String>();
        let started = Instant::now();
        let piped = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap_or_else(|error| panic!("{shown} does not start: {error}"));
        let mut stdin = child.stdin.take().expect("piped");
        let text = std::mem::take(&mut self.stdin);
        // A command that does not read all of its stdin is fine.
        let writer = thread::spawn(move || drop(stdin.write_all(&text)));
        let stdout = collect(child.stdout.take().expect("piped"));
        let stderr = collect(child.stderr.take().expect("piped"));
        let status = loop {
            if let Some(status) = child.try_wait().expect("our own child") {
                break status;
            }
            if started.elapsed() > self.time_max {
                let _ = child.kill();
                let _ = child.wait();
                panic!("{shown} did not end within {:?}", self.time_max);
            }
            thread::sleep(Duration::from_millis(3));
        };
        let elapsed = started.elapsed();
        writer.join().expect("no panic");
        let stdout = String::from_utf8(stdout.join().expect("no panic")).expect("stdout is UTF-8");
        let stderr = String::from_utf8_lossy(&stderr.join().expect("no panic")).into_owned();
        assert!(!stderr.contains("panicked"), "{shown} panicked: {stderr}");
        Ran { shown, code: status.code(), signal: status.signal(), stdout, stderr, elapsed }
    }
}

fn collect(mut stream: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("a pipe can be read");
        bytes
    })
}

/// What a command did.
pub struct Ran {
    pub shown: String,
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub elapsed: Duration,
}

impl Ran {
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        let Ran { shown, stdout, stderr, signal, .. } = &self;
        let stdout: String = stdout.chars().take(2_000).collect();
        assert_eq!(self.code, Some(code), "{shown}\nsignal {signal:?}\nstdout: {stdout}\nstderr: {stderr}");
        self
    }

    /// The one document on stdout, held against the machine interface.
    #[track_caller]
    pub fn document(&self) -> Value {
        let lines: Vec<&str> = self.stdout.lines().collect();
        assert_eq!(lines.len(), 1, "{} printed {} lines, stderr: {}", self.shown, lines.len(), self.stderr);
        let document: Value = serde_json::from_str(lines[0]).expect("stdout is JSON");
        contract::holds(&document);
        document
    }
}

/// The Python environment of that user's commands: the tester's, made on first need by the program itself, without the packages
/// that only some testers have installed.
fn environment(user: User) -> &'static Path {
    static TESTERS: OnceLock<PathBuf> = OnceLock::new();
    static OWN: OnceLock<PathBuf> = OnceLock::new();
    static ORDINARY: OnceLock<PathBuf> = OnceLock::new();
    let testers = TESTERS.get_or_init(|| {
        // With the tester's whole environment: making it may need a proxy or a package index.
        let data = tempfile::tempdir_in(grounds()).expect("a directory");
        let say = |arguments: &[&str]| {
            let mut run = Command::new(program());
            run.args(arguments).arg("--json").arg("--data-dir").arg(data.path()).env("ASSAY_BROKER", "off");
            let output = run.output().expect("the command starts");
            serde_json::from_slice::<Value>(&output.stdout).expect("a document")
        };
        let doctor = say(&["doctor"]);
        assert_eq!(doctor["ok"], true, "this machine cannot run the tests: {doctor}");
        let config = say(&["config", "show"]);
        let setting = config["settings"].as_array().into_iter().flatten().find(|one| one["name"] == "env_dir");
        PathBuf::from(setting.and_then(|one| one["value"].as_str()).expect("env_dir is a setting"))
    });
    match user {
        User::Own => OWN.get_or_init(|| links_to_what_all_have(testers)),
        User::Ordinary => ORDINARY.get_or_init(|| open_copy(testers)),
    }
}

fn links_to_what_all_have(environment: &Path) -> PathBuf {
    let links = grounds().join("environment-own");
    fs::create_dir(&links).expect("a directory");
    for entry in fs::read_dir(environment).expect("an environment").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_whole = !name.ends_with(".part");
        if is_whole && ["core-", "kernel-", "llama-"].iter().any(|shared| name.starts_with(shared)) {
            symlink(entry.path(), links.join(name)).expect("a link");
        }
    }
    links
}

/// A copy of the environment below a directory that everybody can reach; by hard links where that is possible.
fn open_copy(environment: &Path) -> PathBuf {
    let copy = grounds().join("environment-ordinary");
    fs::create_dir(&copy).expect("a directory");
    for entry in fs::read_dir(environment).expect("an environment").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("core-") && !name.ends_with(".part") {
            let linked = Command::new("cp").arg("-al").arg(entry.path()).arg(&copy).stderr(Stdio::null()).status();
            if !linked.expect("cp is there").success() {
                let copied = Command::new("cp").arg("-a").arg(entry.path()).arg(&copy).status().expect("cp is there");
                assert!(copied.success(), "the environment cannot be copied");
            }
        }
    }
    chown(&copy, Some(ORDINARY_ID), Some(ORDINARY_ID)).expect("root may give files away");
    copy
}

/// The program below the grounds, from where it can be linked into places.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let built = Path::new(env!("CARGO_BIN_EXE_assay"));
        let program = grounds().join("assay");
        fs::hard_link(built, &program).or_else(|_| fs::copy(built, &program).map(drop)).expect("a reachable program");
        program
    })
}

/// The directory of this test process. Statics are never dropped, so what dead test processes left is removed first.
fn grounds() -> &'static Path {
    const PREFIX: &str = "assay-it-";
    static GROUNDS: OnceLock<PathBuf> = OnceLock::new();
    GROUNDS.get_or_init(|| {
        let base = std::env::temp_dir();
        for entry in fs::read_dir(&base).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let owner = name.strip_prefix(PREFIX).and_then(|pid| pid.parse::<u32>().ok());
            if owner.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let grounds = base.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir(&grounds).expect("a directory for the tests");
        fs::set_permissions(&grounds, PermissionsExt::from_mode(0o755)).expect("our own directory");
        grounds
    })
}
