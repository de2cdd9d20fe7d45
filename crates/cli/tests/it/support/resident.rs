//! A place with a resident broker: commands that use it, what is seen of its processes from outside, and the certainty
//! that nothing of it outlives the test, also when the test panics.
//!
//! Starting a broker costs seconds, so checks that leave it as they found it share one ([`with_one_broker`]).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::leftovers::processes_of;
use super::started::{Started, until};
use super::{Call, ORDINARY_ID, Place, User, environment, grounds};

/// Defines checks that one broker answers one after the other, and a test per user that runs them all. Where it takes long,
/// `slow` keeps the one of the ordinary user for the slow ring.
macro_rules! with_one_broker {
    (slow $($checks:tt)*) => {
        $crate::support::resident::with_one_broker!(@ $crate::support::slow_is_wanted, $($checks)*);
    };
    (@ $is_wanted:path, $($(#[$note:meta])* fn $name:ident($resident:ident) $body:block)*) => {
        $($(#[$note])* fn $name($resident: &$crate::support::resident::Resident) $body)*

        const ALL: &[$crate::support::resident::Check] = &[$((stringify!($name), $name)),*];

        #[test]
        fn as_we_are() {
            $crate::support::resident::hold($crate::support::User::Own, ALL);
        }

        #[test]
        fn as_an_ordinary_user() {
            let name = module_path!();
            if $is_wanted(name) && $crate::support::ordinary_user_is_possible(name) {
                $crate::support::resident::hold($crate::support::User::Ordinary, ALL);
            }
        }
    };
    ($($checks:tt)*) => {
        $crate::support::resident::with_one_broker!(@ $crate::support::ordinary_user_is_possible, $($checks)*);
    };
}
pub(crate) use with_one_broker;

/// A check, by name.
pub type Check = (&'static str, fn(&Resident));

/// Runs all checks, also those after one that failed.
#[track_caller]
pub fn hold(user: User, checks: &[Check]) {
    let resident = Resident::of(user);
    let fails = |(name, check): &&Check| {
        let begin = Instant::now();
        let failed = catch_unwind(AssertUnwindSafe(|| {
            resident.settled();
            check(&resident);
        }));
        eprintln!("{name}, {user:?}: {:.1} s", begin.elapsed().as_secs_f64());
        failed.is_err()
    };
    let failed: Vec<&str> = checks.iter().filter(fails).map(|(name, _)| *name).collect();
    assert!(failed.is_empty(), "as told above: {failed:?}");
}

/// A place whose commands use a broker.
pub struct Resident {
    pub place: Place,
    user: User,
    runtime_dir: Option<PathBuf>,
    seen: Mutex<Seen>,
}

/// What was seen of brokers so far; all of it must be gone at the end.
#[derive(Default)]
struct Seen {
    brokers: BTreeSet<u32>,
    processes: BTreeSet<Process>,
    listeners: BTreeSet<String>,
}

/// A process, told from a later one with the same number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Process {
    pub pid: u32,
    begun: String,
}

impl Process {
    fn of(pid: u32) -> Option<Process> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        (fields[0] != "Z").then(|| Process { pid, begun: fields[19].to_string() })
    }

    pub fn is_alive(&self) -> bool {
        Process::of(self.pid).is_some_and(|now| now == *self)
    }

    /// Sends it a signal, unless it has ended.
    pub fn signal(&self, name: &str) {
        if self.is_alive() {
            let _ = Command::new("kill").arg(format!("-{name}")).arg(self.pid.to_string()).status();
        }
    }
}

impl Resident {
    /// With a broker that has workers to give.
    #[track_caller]
    pub fn of(user: User) -> Resident {
        let resident = Resident::without_broker(user);
        let first = resident.run("print('first')", &[]);
        assert_eq!((&first["stdout"], &first["isolation"]["warm"]), (&json!("first\n"), &json!(false)), "{first}");
        resident.settled();
        resident
    }

    /// With none yet; the first command starts it.
    pub fn without_broker(user: User) -> Resident {
        let place = Place::of(user);
        place.folder("tmp");
        Resident { place, user, runtime_dir: None, seen: Mutex::default() }
    }

    /// The same, with its socket in a folder of the login.
    pub fn in_runtime_dir(user: User, folder: &str) -> Resident {
        let mut resident = Resident::without_broker(user);
        resident.runtime_dir = Some(resident.place.folder(folder));
        resident
    }

    /// A command that may use the broker.
    pub fn assay<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Call {
        let call = self.place.assay(arguments).env("ASSAY_BROKER", "on").env("TMPDIR", self.place.path("tmp"));
        match &self.runtime_dir {
            Some(runtime_dir) => call.env("XDG_RUNTIME_DIR", runtime_dir),
            None => call,
        }
    }

    /// The command that runs a program and tells at the end what came of it.
    pub fn call(&self, code: &str, flags: &[&str]) -> Call {
        self.call_telling("--json", code, flags)
    }

    fn call_telling(&self, form: &str, code: &str, flags: &[&str]) -> Call {
        static WRITTEN: AtomicUsize = AtomicUsize::new(0);
        let name = format!("programs/{}.py", WRITTEN.fetch_add(1, Ordering::Relaxed));
        let file = self.place.file(&name, code);
        self.assay(["sandbox", "run", file.to_str().unwrap(), form].iter().chain(flags))
    }

    /// The same call of another file than the place's program.
    pub fn by(&self, program: &Path, call: Call) -> Call {
        let own = self.place.program();
        let exchanged = |word: &std::ffi::OsStr| if word == own { program.into() } else { word.to_os_string() };
        let mut command = Command::new(exchanged(call.command.get_program()));
        command.args(call.command.get_args().map(exchanged)).env_clear().envs(call.environment());
        command.current_dir(self.place.path(""));
        Call { command, ..call }
    }

    /// The same call from a shell that does something before.
    pub fn after(&self, first: &str, call: Call) -> Call {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{first}; exec \"$0\" \"$@\"")).arg(call.command.get_program());
        command.args(call.command.get_args()).env_clear().envs(call.environment()).current_dir(self.place.path(""));
        Call { command, ..call }
    }

    /// Runs a program and gives its document, whatever came of it.
    #[track_caller]
    pub fn run(&self, code: &str, flags: &[&str]) -> Value {
        self.call(code, flags).run().document()
    }

    /// Runs a program that prints a word and must have printed it; gives whether its cell was warm.
    #[track_caller]
    pub fn runs_right(&self) -> bool {
        is_right(&self.run("print(6 * 7)", &[]), "42\n")
    }

    /// Starts a program and waits until the broker has given it its cell.
    #[track_caller]
    pub fn started(&self, code: &str) -> Started {
        let running = self.status()["running"].as_u64().unwrap_or(0);
        let started = Started::of(self.call(code, &[]));
        until("the program runs", || (self.status()["running"].as_u64()? > running).then_some(()));
        started
    }

    /// Starts a program and waits until it has printed a line.
    #[track_caller]
    pub fn talking(&self, code: &str, flags: &[&str]) -> Started {
        let started = Started::of(self.call_telling("--jsonl", code, flags));
        until("the program has printed a line", || printed(&started).contains('\n').then_some(()));
        started
    }

    /// What `sandbox status` tells.
    #[track_caller]
    pub fn status(&self) -> Value {
        let ran = self.assay(["sandbox", "status", "--json"]).run();
        let status: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr));
        assert_eq!(status["kind"], "broker", "{status}");
        assert_eq!(ran.code, Some(i32::from(status["running_broker"] != true)), "{status}");
        status
    }

    /// Where the socket is, or would be.
    pub fn socket(&self) -> PathBuf {
        PathBuf::from(self.status()["socket"].as_str().expect("a path"))
    }

    /// Waits until a broker is there, with workers that wait and nothing else to do; gives what it tells.
    #[track_caller]
    pub fn settled(&self) -> Value {
        let last_start = Mutex::new(Instant::now());
        let status = until("the broker is ready and idle", || {
            let status = self.status();
            if status["running_broker"] != true {
                let mut last_start = last_start.lock().unwrap();
                if last_start.elapsed() > Duration::from_secs(3) {
                    self.runs_right();
                    *last_start = Instant::now();
                }
                return None;
            }
            let none = ["forming", "running", "waiting"].iter().all(|field| status[field] == 0);
            // Two of each of the three kinds.
            (none && status["ready"] == true && status["idle"].as_u64() >= Some(IDLE_WANTED as u64)).then_some(status)
        });
        self.see(status["pid"].as_u64().expect("a pid") as u32);
        status
    }

    /// The broker's process.
    #[track_caller]
    pub fn broker(&self) -> Process {
        let pid = self.settled()["pid"].as_u64().expect("a pid") as u32;
        Process::of(pid).expect("the broker is alive")
    }

    /// The broker's zygote.
    #[track_caller]
    pub fn zygote(&self) -> Process {
        zygote_of(&self.broker()).expect("a broker has a zygote")
    }

    /// The broker's process, in the middle of whatever it does.
    pub fn broker_now(&self) -> Option<Process> {
        let pid = self.status()["pid"].as_u64()? as u32;
        self.see(pid);
        Process::of(pid)
    }

    /// The workers that wait.
    #[track_caller]
    pub fn workers(&self) -> Vec<Process> {
        children(self.zygote().pid).into_iter().filter_map(Process::of).collect()
    }

    /// Waits until the broker, the same as before, holds no more descriptors than before.
    #[track_caller]
    pub fn is_as_before(&self, broker: &Process, descriptors: usize) {
        let now = self.broker();
        assert_eq!(now, *broker, "it is another broker");
        // Cells that are dying are in no figure of the status.
        until("the broker holds as many descriptors as before", || {
            (count_descriptors(&now) <= descriptors).then_some(())
        });
    }

    /// A client of our own making, of that user.
    pub fn client(&self, user: Option<u32>) -> Client {
        let socket = self.socket();
        let user = user.or((self.user == User::Ordinary).then_some(ORDINARY_ID));
        Client(Talker::start(user, include_str!("../broker/client.py"), &[socket.to_str().unwrap()]))
    }

    /// Has the broker end; whether it says that there was one.
    #[track_caller]
    pub fn stop(&self) -> bool {
        let ran = self.assay(["sandbox", "stop", "--json"]).run().exits(0);
        let document: Value = serde_json::from_str(&ran.stdout).expect("a document");
        assert_eq!(document["kind"], "broker_stop", "{document}");
        document["stopped"].as_bool().expect("it says whether")
    }

    /// The sandbox in this process, as the commands have it.
    pub async fn sandbox(&self) -> sandbox::Sandbox {
        let environment = sandbox::Environment::locate(environment(self.user)).expect("an environment");
        let made = environment.sandbox(self.place.program(), data::kernel::MODULES).await.expect("a sandbox");
        made.with_broker(self.runtime_dir.as_deref(), &self.place.data())
    }

    /// Notes what there is of a broker.
    fn see(&self, broker: u32) {
        let named = named_sockets("self");
        let mut seen = self.seen.lock().unwrap();
        seen.brokers.insert(broker);
        seen.processes.extend(descendants(broker).into_iter().filter_map(Process::of));
        seen.listeners.extend(sockets(broker).into_iter().filter(|inode| named.contains_key(inode)));
    }

    /// Stops the broker and holds that nothing is left of all brokers that were seen here.
    #[track_caller]
    pub fn leaves_nothing(&self) {
        self.stop();
        until("the processes of the broker end", || processes_of(&self.place).is_empty().then_some(()));
        let cold = self.call("print(6 * 7)", &[]).env("ASSAY_BROKER", "off").run().document();
        assert!(!is_right(&cold, "42\n"), "{cold}");
        let seen = self.seen.lock().unwrap();
        assert!(!seen.brokers.is_empty() && !seen.listeners.is_empty(), "no broker was ever seen");
        let left = |what: &str, find: &dyn Fn() -> Vec<String>| {
            let deadline = Instant::now() + Duration::from_secs(15);
            while !find().is_empty() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(50));
            }
            assert_eq!(find(), Vec::<String>::new(), "{what} of the broker are left");
        };
        left("processes", &|| {
            let alive = seen.processes.iter().filter(|process| process.is_alive());
            alive.map(|process| format!("{process:?} {}", command_line(process.pid))).collect()
        });
        left("control groups", &|| groups_of(&seen.brokers));
        left("sockets", &|| {
            let now = named_sockets("self");
            seen.listeners.iter().filter(|inode| now.contains_key(*inode)).cloned().collect()
        });
        let root = self.place.path("").to_string_lossy().into_owned();
        left("mounts", &|| mounts().into_iter().filter(|line| line.contains(&root)).collect());
        left("files", &|| self.files_of_brokers());
    }

    /// What lies where brokers and cells keep files for a while.
    fn files_of_brokers(&self) -> Vec<String> {
        let data = self.place.data();
        let beside = [data.join("broker"), data.join("jobs"), self.place.path("tmp")];
        let runtime = self.runtime_dir.iter().map(|folder| folder.join("assay"));
        let entries =
            beside.into_iter().chain(runtime).filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        entries
            .map(|entry| entry.path())
            .chain(self.place.data_ending_with(".part"))
            .map(|path| format!("{path:?}"))
            .collect()
    }
}

impl Drop for Resident {
    /// In good order if it can be, by force if not; a broker may also be about to come up.
    fn drop(&mut self) {
        for pid in processes_of(&self.place) {
            Process::of(pid).inspect(|process| process.signal("CONT"));
        }
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(20) && !processes_of(&self.place).is_empty() {
            let _ = self.assay(["sandbox", "stop", "--json"]).start().wait();
            thread::sleep(Duration::from_millis(100));
        }
        for pid in processes_of(&self.place) {
            Process::of(pid).inspect(|process| process.signal("KILL"));
        }
    }
}

/// Whether a program that must have printed this did so in a warm cell.
#[track_caller]
pub fn is_right(document: &Value, printed: &str) -> bool {
    let found = (&document["outcome"], &document["stdout"]);
    assert_eq!(found, (&json!("ok"), &json!(printed)), "{document}");
    document["isolation"]["warm"].as_bool().expect("it says whether")
}

/// What a program that is told of line by line has printed so far.
pub fn printed(started: &Started) -> String {
    let stdout = started.stdout();
    let events = stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let chunks = events.filter(|event| event["type"] == "output.chunk");
    chunks.filter_map(|event| event["data"]["text"].as_str().map(str::to_string)).collect()
}

/// The document of such a program, once it has ended.
#[track_caller]
pub fn last_document(started: &mut Started) -> Value {
    let ran = started.ends();
    let last: Value = serde_json::from_str(ran.stdout.lines().last().expect("events")).expect("an event");
    assert_eq!(last["type"], "run.finished", "{last}");
    super::contract::holds(&last["data"]["output"]);
    last["data"]["output"].clone()
}

/// A Python process that a test talks to.
pub struct Talker {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Talker {
    /// Starts a script, as that user or as whoever runs the tests.
    pub fn start(user: Option<u32>, script: &str, arguments: &[&str]) -> Talker {
        let mut command = match user {
            None => Command::new("python3"),
            Some(user) => {
                let mut command = Command::new("setpriv");
                let id = user.to_string();
                command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "python3"]);
                command
            }
        };
        // One that everybody can reach, whatever comes first for whoever runs the tests.
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.arg("-c").arg(script).args(arguments).current_dir(grounds());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3 is there");
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Talker { child, stdin, stdout }
    }

    #[track_caller]
    pub fn hears(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("a pipe can be read");
        assert!(!line.is_empty(), "the script ended");
        line.trim_end().to_string()
    }

    /// Ends it and gives its last word.
    #[track_caller]
    pub fn ends(mut self) -> String {
        self.stdin = None;
        self.hears()
    }
}

impl Drop for Talker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client of the broker that follows no rules but the test's.
pub struct Client(Talker);

impl Client {
    #[track_caller]
    pub fn does(&mut self, act: &str, mut arguments: Value) -> Value {
        arguments["do"] = json!(act);
        writeln!(self.0.stdin.as_mut().expect("not ended"), "{arguments}").expect("the client listens");
        serde_json::from_str(&self.0.hears()).expect("an answer")
    }
}

/// The zygote of a broker, if it has one now.
pub fn zygote_of(broker: &Process) -> Option<Process> {
    let mut children = children(broker.pid).into_iter();
    // The one for programs that need no library, as those of the tests do.
    let is_light = |pid: &u32| command_line(*pid).contains("zygote") && command_line(*pid).contains("light");
    children.find(is_light).and_then(Process::of)
}

/// How many descriptors a process holds.
pub fn count_descriptors(process: &Process) -> usize {
    fs::read_dir(format!("/proc/{}/fd", process.pid)).map_or(0, Iterator::count)
}

pub fn children(pid: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    children.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

/// A process and everything it started.
fn descendants(pid: u32) -> Vec<u32> {
    let below = children(pid).into_iter().flat_map(descendants);
    below.chain([pid]).collect()
}

fn command_line(pid: u32) -> String {
    String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()).replace('\0', " ")
}

/// The inodes of the sockets that a process holds.
pub fn sockets(pid: u32) -> BTreeSet<String> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let links = entries.filter_map(|entry| fs::read_link(entry.path()).ok());
    let inode = |link: PathBuf| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_string());
    links.filter_map(inode).collect()
}

/// The unix sockets that have a name, by inode, in the network that a process sees.
pub fn named_sockets(process: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(format!("/proc/{process}/net/unix")).expect("a table of sockets");
    let named = text.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        Some((fields.get(6)?.to_string(), fields.get(7)?.to_string()))
    });
    named.collect()
}

/// The mounts that this process sees.
pub fn mounts() -> BTreeSet<String> {
    fs::read_to_string("/proc/self/mountinfo").expect("proc is mounted").lines().map(str::to_string).collect()
}

/// The control groups of these brokers: a group's name begins with its maker's pid.
fn groups_of(brokers: &BTreeSet<u32>) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = pending.pop() {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let maker = name.split_once('-').and_then(|(pid, _)| pid.parse().ok());
            let is_ours = folder.ends_with("assay") && maker.is_some_and(|pid: u32| brokers.contains(&pid));
            if is_ours {
                found.push(entry.path().to_string_lossy().into_owned());
            }
            pending.push(entry.path());
        }
    }
    found
}

/// How many workers wait when nobody asks for any: three for questions, two of each other kind.
pub const IDLE_WANTED: usize = 7;

/// As many cells as there may be at once.
pub fn cells_max() -> usize {
    let processors = thread::available_parallelism().map_or(2, |processors| processors.get());
    (4 * processors).clamp(8, 64)
}

/// The mode of a file or folder, without its kind.
pub fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::symlink_metadata(path).expect("it is there").permissions().mode() & 0o7777
}
