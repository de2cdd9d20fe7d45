//! The small process that makes one cell, watches its limits and reports its end.
//!
//! It is this same program, executed again with one argument, so that the namespaces are cloned from a process with one
//! thread and little memory. It is started with three descriptors and an empty environment; what else it needs comes with
//! the specification:
//!
//! ```text
//! 0 control (Spec in, Report out; closed by the command = kill)   1, 2 the cell's stdout and stderr
//!     with the Spec: the kernel's channel, and the command's place among those who may have a cell
//!
//! supervisor --clone--> init (pid 1 of the cell, born in its control group or enters it itself) --fork--> python
//!     |  <-- descriptor of /work/out, when it is isolated
//!     |  --> go, after a look at its /proc/<pid> from outside
//!     |  <-- how python ended, unless the command has its last word before
//! ```
//! What it says of the cell's end does not wait until the kernel has taken the cell apart, unless there are files that
//! something in the cell could still change.

use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use base::Usage;
use serde::{Deserialize, Serialize};

use crate::isolate::{self, Failure, INNER_ID, Inputs, Inside, Site, Step};
use crate::layers::{self, Layer};
use crate::meter::{self, Meter, Sample};
use crate::policy::WALL_MS_MAX;
use crate::protocol::{
    DONE, End, FRAME_BYTES_MAX, Isolation, KilledBy, PROTOCOL_VERSION, Report, Spec, frame, frame_length, read_frame,
    write_frame,
};
use crate::sys;

/// The hidden argument that makes this program a supervisor.
pub const SUPERVISOR_ARGUMENT: &str = "__cell";

/// Outside, a cell of root runs as this user, who owns nothing.
pub(crate) const OUTER_ID_OF_ROOT: u32 = 1_912_345_678;
const WATCH_INTERVAL: Duration = Duration::from_millis(10);
/// For a cell that stays: only our own modules run in it, and for hours in which nothing happens.
const WATCH_INTERVAL_OF_RESIDENTS: Duration = Duration::from_millis(250);
const KERNEL_CHANNEL: i32 = 3;
/// Where init has its channel to the supervisor; it keeps nothing above.
const INIT_CHANNEL: i32 = 4;

/// How init says that python ended.
#[derive(Serialize, Deserialize)]
struct PythonEnd {
    exit_code: Option<i32>,
    signal: Option<i32>,
    cpu_ms: f64,
    memory_peak_bytes: u64,
}

/// Runs one cell to its end. Never returns to the caller's `main`.
pub fn supervise() -> ! {
    if sys::close_from(KERNEL_CHANNEL).is_err() {
        sys::exit(1);
    }
    let mut control = UnixStream::from(sys::inherited(0));
    let ended = match read_spec(&mut control) {
        Ok((spec, _)) if spec.v != PROTOCOL_VERSION => {
            Ended::without_a_cell(unavailable("understand the command", "it is of another version"))
        }
        Ok((spec, place)) => run(&spec, place, &mut control),
        Err(error) => Ended::without_a_cell(unavailable("read the cell's specification", &error.to_string())),
    };
    let told = frame(&ended.report).and_then(|bytes| {
        // A report fits the socket's buffer.
        let lent: Vec<_> = ended.out.iter().map(AsRawFd::as_raw_fd).collect();
        sys::send(control.as_raw_fd(), &bytes, &lent)
    });
    drop(control);
    drop(ended.remains);
    // What killed supervisors left, looked for when nobody waits.
    meter::sweep();
    sys::exit(if told.is_ok() { 0 } else { 1 })
}

/// The specification, and the place that lasts as long as we do. The kernel's channel is put where it belongs.
fn read_spec(control: &mut UnixStream) -> io::Result<(Spec, Option<OwnedFd>)> {
    let mut header = [0; 4];
    let (count, descriptors) = sys::receive(control.as_raw_fd(), &mut header)?;
    control.read_exact(&mut header[count..])?;
    let mut body = vec![0; frame_length(header, FRAME_BYTES_MAX)?];
    control.read_exact(&mut body)?;
    let mut descriptors = descriptors.into_iter();
    let kernel = descriptors.next().ok_or(io::ErrorKind::InvalidData)?.into_raw_fd();
    sys::place(kernel, KERNEL_CHANNEL)?;
    if kernel != KERNEL_CHANNEL {
        drop(sys::inherited(kernel));
    }
    Ok((serde_json::from_slice(&body)?, descriptors.next()))
}

/// What is said of a cell that is over, and what is still to be cleared away.
struct Ended {
    report: Report,
    out: Option<OwnedFd>,
    remains: Option<Remains>,
}

impl Ended {
    fn without_a_cell(report: Report) -> Ended {
        Ended { report, out: None, remains: None }
    }
}

/// A killed cell, its groups, and the place it takes: given up in this order.
struct Remains {
    cell: Running,
    _meter: Meter,
    _place: Option<OwnedFd>,
}

impl Drop for Remains {
    fn drop(&mut self) {
        self.cell.is_gone();
    }
}

fn run(spec: &Spec, place: Option<OwnedFd>, control: &mut UnixStream) -> Ended {
    let started = Instant::now();
    let name = format!("{}-{}", std::process::id(), started_nanos());
    let mut meter =
        if spec.without.contains(&Layer::Meter) { Meter::nothing() } else { Meter::new(&spec.policy, &name) };
    let mut cell = match launch(spec, &mut meter) {
        Ok(cell) => cell,
        Err(failure) => return Ended::without_a_cell(unavailable(&failure.step, &failure.error)),
    };
    let (end, python) = watch(spec, control, &mut meter, &mut cell, started);
    let sample = meter.sample();
    sys::kill(&cell.pidfd);
    let out = cell.out.take();
    if end != End::Stopped && out.as_ref().is_some_and(holds_files) {
        cell.is_gone();
    }
    let isolation = Isolation { tier: "namespaces".into(), memory: meter.name().into(), warm: false };
    let report = Report { end, usage: usage(started.elapsed(), sample, python), isolation: Some(isolation) };
    Ended { report, out, remains: Some(Remains { cell, _meter: meter, _place: place }) }
}

/// Whether there is anything in a directory.
pub(crate) fn holds_files(directory: &OwnedFd) -> bool {
    let listed = fs::read_dir(Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()));
    listed.is_ok_and(|mut entries| entries.next().is_some())
}

fn usage(wall: Duration, sample: Sample, python: Option<PythonEnd>) -> Usage {
    let (cpu_ms, peak) = python.map_or((0.0, 0), |python| (python.cpu_ms, python.memory_peak_bytes));
    Usage {
        wall_ms: wall.as_secs_f64() * 1e3,
        cpu_ms: sample.cpu_ms.max(cpu_ms),
        memory_peak_bytes: sample.memory_peak_bytes.max(peak),
    }
}

fn started_nanos() -> u128 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map(|elapsed| elapsed.as_nanos()).unwrap_or(0)
}

/// A cell that runs.
struct Running {
    init: i32,
    pidfd: OwnedFd,
    channel: UnixStream,
    out: Option<OwnedFd>,
    is_gone: bool,
}

impl Running {
    /// Waits until the killed cell is no more.
    fn is_gone(&mut self) {
        if !self.is_gone {
            let _ = sys::wait(self.init);
            self.is_gone = true;
        }
    }
}

fn launch(spec: &Spec, meter: &mut Meter) -> Result<Running, Failure> {
    let fail = |step: &str| {
        let step = step.to_string();
        move |error: io::Error| Failure { step, error: error.to_string() }
    };
    let (channel, inner) = UnixStream::pair().map_err(fail("make a channel to the cell"))?;
    let site = Site {
        image: &spec.image,
        kernel: &spec.kernel,
        inputs: Inputs::Files(&spec.inputs),
        policy: &spec.policy,
        memory_is_bounded: meter.bounds_memory(),
        without: &spec.without,
    };
    let birthplace = meter.birthplace().map_err(fail("open the control group"))?;
    let doors = if birthplace.is_some() { Ok(Vec::new()) } else { meter.doors() };
    let doors = doors.map_err(fail("open the control group"))?;
    // Only root can, and only root's groups would matter: an ordinary user keeps what it has everywhere.
    let _ = sys::leave_groups();
    let cloned = sys::clone_process(layers::namespaces(&spec.without), birthplace.as_ref());
    let (init, pidfd) = match cloned.map_err(fail("create namespaces"))? {
        sys::Cloned::Child => {
            drop(channel);
            be_init(&site, doors, inner)
        }
        sys::Cloned::Parent { pid, pidfd } => (pid, pidfd),
    };
    drop((inner, doors, birthplace));
    // Held open here, the cell's output and its kernel's channel would not show their end to the command.
    for descriptor in [1, 2, KERNEL_CHANNEL] {
        drop(sys::inherited(descriptor));
    }
    let prepared = (|| {
        if !spec.without.contains(&Layer::Users) {
            write_id_maps(init).map_err(fail("map the inner user"))?;
        }
        (&channel).write_all(b"m").map_err(fail("release the cell"))?;
        let (_, descriptors) = sys::receive(channel.as_raw_fd(), &mut [0]).map_err(fail("hear from the cell"))?;
        let Some(out) = descriptors.into_iter().next() else { return Err(failure_told_by(&channel)) };
        meter.watch_scratch(&out).map_err(fail("watch the scratch space"))?;
        verify_from_outside(init, &spec.without)
            .and_then(|()| meter.counts(init))
            .map_err(|error| Failure { step: "verify the cell from outside".into(), error })?;
        (&channel).write_all(b"g").map_err(fail("start the cell"))?;
        Ok(out)
    })();
    match prepared {
        Ok(out) => Ok(Running { init, pidfd, channel, out: Some(out), is_gone: false }),
        Err(failure) => {
            sys::kill(&pidfd);
            let _ = sys::wait(init);
            Err(failure)
        }
    }
}

/// Inside, one user; outside, an unprivileged one. A root without the right to map others maps itself.
fn write_id_maps(init: i32) -> io::Result<()> {
    match sys::effective_ids() {
        (0, group) => map_ids(init, OUTER_ID_OF_ROOT, OUTER_ID_OF_ROOT).or_else(|_| map_ids(init, 0, group)),
        (user, group) => map_ids(init, user, group),
    }
}

/// Makes the one inner user and group these ones outside.
pub(crate) fn map_ids(init: i32, user: u32, group: u32) -> io::Result<()> {
    let process = Path::new("/proc").join(init.to_string());
    fs::write(process.join("setgroups"), "deny")?;
    fs::write(process.join("uid_map"), format!("{INNER_ID} {user} 1"))?;
    fs::write(process.join("gid_map"), format!("{INNER_ID} {group} 1"))
}

pub(crate) fn failure_told_by(channel: &UnixStream) -> Failure {
    const REASON_BYTES_MAX: u64 = 4096;
    let mut told = String::new();
    let _ = Read::take(channel, REASON_BYTES_MAX).read_to_string(&mut told);
    match told.split_once('\n') {
        Some((step, error)) => Failure { step: step.into(), error: error.into() },
        None => Failure { step: "isolate the cell".into(), error: "it ended without a word".into() },
    }
}

/// Trusts nothing the cell says about itself.
pub(crate) fn verify_from_outside(init: i32, without: &[Layer]) -> Result<(), String> {
    let status = fs::read_to_string(format!("/proc/{init}/status")).map_err(|error| error.to_string())?;
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
    let none = "0000000000000000";
    let expected = [
        (Layer::Seccomp, "Seccomp", "2"),
        (Layer::NoNewPrivileges, "NoNewPrivs", "1"),
        (Layer::Capabilities, "CapEff", none),
        (Layer::Capabilities, "CapPrm", none),
        (Layer::Capabilities, "CapInh", none),
        (Layer::Capabilities, "CapBnd", none),
        (Layer::Capabilities, "CapAmb", none),
    ];
    for (_, name, value) in expected.iter().filter(|(layer, ..)| !without.contains(layer)) {
        if field(name) != Some(value) {
            return Err(format!("{name} is {} and should be {value}", field(name).unwrap_or("absent")));
        }
    }
    let kept = Layer::ALL.iter().filter(|layer| !without.contains(layer));
    for (_, namespace) in kept.filter_map(|layer| layer.namespace()) {
        let own = fs::read_link(format!("/proc/self/ns/{namespace}")).ok();
        let inner = fs::read_link(format!("/proc/{init}/ns/{namespace}")).ok();
        if inner.is_none() || own == inner {
            return Err(format!("the {namespace} namespace is not its own"));
        }
    }
    Ok(())
}

/// Whether a process lives in the namespaces of another.
pub(crate) fn verify_same_namespaces(process: i32, other: i32) -> Result<(), String> {
    for (_, namespace) in Layer::ALL.iter().filter_map(|layer| layer.namespace()) {
        let of = |pid: i32| fs::read_link(format!("/proc/{pid}/ns/{namespace}")).ok();
        if of(process).is_none() || of(process) != of(other) {
            return Err(format!("its {namespace} namespace is not that of its cell"));
        }
    }
    Ok(())
}

fn watch(
    spec: &Spec,
    control: &mut UnixStream,
    meter: &mut Meter,
    cell: &mut Running,
    started: Instant,
) -> (End, Option<PythonEnd>) {
    let deadline = started + Duration::from_millis(spec.policy.wall_ms);
    let interval = if spec.policy.wall_ms > WALL_MS_MAX { WATCH_INTERVAL_OF_RESIDENTS } else { WATCH_INTERVAL };
    let watched = [cell.channel.as_raw_fd(), control.as_raw_fd(), cell.pidfd.as_raw_fd()];
    loop {
        let rest = deadline.saturating_duration_since(Instant::now()).min(interval);
        let ready = sys::poll(&watched, rest.as_millis() as i32 + 1).unwrap_or_else(|_| vec![false; watched.len()]);
        let exceeded = meter.sample().exceeded(&spec.policy);
        if ready[0] || ready[2] {
            let python: Option<PythonEnd> = read_frame(&mut cell.channel).ok();
            let end = match (exceeded, &python) {
                (Some(by), _) => End::Killed { by },
                (None, Some(python)) => End::Exited { exit_code: python.exit_code, signal: python.signal },
                (None, None) => End::Exited { exit_code: None, signal: Some(libc::SIGKILL) },
            };
            return (end, python);
        }
        if let Some(by) = exceeded {
            return (End::Killed { by }, None);
        }
        if Instant::now() >= deadline {
            return (End::Killed { by: KilledBy::Time }, None);
        }
        if let Some(end) = if ready[1] { told_by(control) } else { None } {
            return (end, None);
        }
    }
}

/// What the command says of a cell that runs: that its program said its last word, with its status, or, by closing, that
/// it lets go. Nothing where it was only thought to speak.
pub(crate) fn told_by(command: &mut UnixStream) -> Option<End> {
    let mut word = [0; 2];
    match command.read(&mut word) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
        Ok(2) if word[0] == DONE => Some(End::Exited { exit_code: Some(word[1].into()), signal: None }),
        _ => Some(End::Stopped),
    }
}

/// Process 1 of the cell: enters its control group unless it was born there, isolates itself, waits for the word, starts python and reaps until python ends.
fn be_init(site: &Site, doors: Vec<OwnedFd>, channel: UnixStream) -> ! {
    let mut byte = [0];
    let _ = sys::die_with_parent();
    let _ = sys::new_session();
    sys::forget_the_caller();
    let counted = doors.into_iter().try_for_each(|door| File::from(door).write_all(meter::ENTER));
    // The command's channel, and whatever else the supervisor holds, is none of the cell's business.
    drop(sys::inherited(0));
    let placed = sys::place(channel.into_raw_fd(), INIT_CHANNEL).and_then(|()| sys::close_from(INIT_CHANNEL + 1));
    if placed.is_err() {
        sys::exit(1);
    }
    let channel = UnixStream::from(sys::inherited(INIT_CHANNEL));
    if (&channel).read_exact(&mut byte).is_err() {
        sys::exit(1);
    }
    match counted.step("enter the control group").and_then(|()| isolate::enter(site)) {
        Ok(Inside { out, .. }) => {
            // Changing the user has cleared it.
            if sys::die_with_parent().is_err() || sys::send(channel.as_raw_fd(), &[1], &[out.as_raw_fd()]).is_err() {
                sys::exit(1);
            }
        }
        Err(Failure { step, error }) => {
            // The zero byte carries no descriptor: the supervisor reads the rest as the reason.
            let _ = (&channel).write_all(format!("\0{step}\n{error}").as_bytes());
            sys::exit(1);
        }
    }
    if (&channel).read_exact(&mut byte).is_err() || sys::hide_from_peers().is_err() {
        sys::exit(1);
    }
    match sys::fork() {
        Ok(None) => start_python(),
        Ok(Some(python)) => reap(python, channel),
        Err(_) => sys::exit(1),
    }
}

fn start_python() -> ! {
    if null_as_stdin().is_err() || sys::close_from(KERNEL_CHANNEL + 1).is_err() {
        sys::exit(1);
    }
    exec_python("kernel", None, &[])
}

/// It may become descriptor 0 itself, so it is not closed here; `close_from` takes what lies above.
pub(crate) fn null_as_stdin() -> io::Result<()> {
    File::open("/dev/null").and_then(|null| sys::place(null.into_raw_fd(), 0))
}

/// Becomes Python and runs `main` of one of our modules.
pub(crate) fn exec_python(module: &str, argument: Option<&str>, more_environment: &[CString]) -> ! {
    let text = |text: &str| CString::new(text).expect("constants hold no zero byte");
    let list = |texts: &[&str]| texts.iter().map(|one| text(one)).collect::<Vec<_>>();
    let begin = format!("import sys; sys.path.insert(0, '/assay'); import {module}; {module}.main()");
    let mut arguments = list(&["python3", "-s", "-P", "-S", "-B", "-u", "-c", &begin]);
    arguments.extend(argument.map(text));
    let mut environment = list(&[
        "PATH=/usr/bin",
        "HOME=/tmp",
        "TMPDIR=/tmp",
        "LANG=C.UTF-8",
        "TZ=UTC",
        "PYTHONHASHSEED=0",
        "PYTHONUTF8=1",
        "MPLBACKEND=Agg",
        "MPLCONFIGDIR=/tmp",
        "OPENBLAS_NUM_THREADS=1",
        "OMP_NUM_THREADS=1",
    ]);
    environment.extend_from_slice(more_environment);
    let error = sys::exec(c"/usr/bin/python3", &arguments, &environment);
    eprintln!("cannot start python3 in the cell: {error}");
    sys::exit(127)
}

fn reap(python: i32, mut channel: UnixStream) -> ! {
    for descriptor in [1, 2, KERNEL_CHANNEL] {
        drop(sys::inherited(descriptor));
    }
    let (mut cpu_ms, mut memory_peak_bytes) = (0.0, 0);
    while let Ok(Some(child)) = sys::wait(-1) {
        cpu_ms += child.cpu_ms;
        memory_peak_bytes = memory_peak_bytes.max(child.memory_peak_bytes);
        if child.pid == python {
            let end = PythonEnd { exit_code: child.exit_code, signal: child.signal, cpu_ms, memory_peak_bytes };
            let told = write_frame(&mut channel, &end);
            sys::exit(if told.is_ok() { 0 } else { 1 });
        }
    }
    sys::exit(1)
}

fn unavailable(step: &str, error: &str) -> Report {
    let fix = match step {
        "create namespaces" | "map the inner user" => {
            "allow unprivileged user namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), \
             sysctl user.max_user_namespaces=15000, or start the container with --security-opt seccomp=unconfined"
        }
        "mount proc" => "the container masks /proc: start it with --security-opt systempaths=unconfined",
        "restrict by Landlock" => "use Linux 5.13 or newer with landlock in the kernel's lsm= list",
        _ => "check that this machine and its container allow it",
    };
    Report {
        end: End::Unavailable { cause: format!("cannot {step}: {error}"), fix: fix.into() },
        usage: Usage::default(),
        isolation: None,
    }
}
