//! The small process that makes one cell, watches its limits and reports its end.
//!
//! It is this same program, executed again with one argument, so that the namespaces are cloned from a process with one
//! thread and little memory. It is started with four descriptors and an empty environment:
//!
//! ```text
//! 0 control (Spec in, Report out; closed by the command = kill)   1, 2 the cell's stdout and stderr   3 the kernel's channel
//!
//! supervisor --clone--> init (pid 1 of the cell) --fork--> python
//!     |  <-- descriptor of /work/out, when it is isolated
//!     |  --> go, after a look at its /proc/<pid>/status from outside
//!     |  <-- how python ended
//! ```

use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use base::Usage;
use serde::{Deserialize, Serialize};

use crate::isolate::{self, Failure, INNER_ID, Inputs, Inside, Site};
use crate::layers::{self, Layer};
use crate::meter::{self, Meter, Sample};
use crate::protocol::{End, Isolation, KilledBy, PROTOCOL_VERSION, Report, Spec, frame, read_frame, write_frame};
use crate::sys;

/// The hidden argument that makes this program a supervisor.
pub const SUPERVISOR_ARGUMENT: &str = "__cell";

/// Outside, a cell of root runs as this user, who owns nothing.
pub(crate) const OUTER_ID_OF_ROOT: u32 = 1_912_345_678;
const WATCH_INTERVAL: Duration = Duration::from_millis(10);
const KERNEL_CHANNEL: i32 = 3;

/// How init says that python ended.
#[derive(Serialize, Deserialize)]
struct Ended {
    exit_code: Option<i32>,
    signal: Option<i32>,
    cpu_ms: f64,
    memory_peak_bytes: u64,
}

/// Runs one cell to its end. Never returns to the caller's `main`.
///
/// `kernel_channel` is the descriptor the command left open for it, as text.
pub fn supervise(kernel_channel: &str) -> ! {
    let placed = kernel_channel.parse().map_err(io::Error::other).and_then(|fd| sys::place(fd, KERNEL_CHANNEL));
    if placed.is_err() || sys::close_from(KERNEL_CHANNEL + 1).is_err() {
        sys::exit(1);
    }
    let mut control = UnixStream::from(sys::inherited(0));
    let (report, out) = match read_frame::<Spec>(&mut control) {
        Ok(spec) if spec.v != PROTOCOL_VERSION => {
            (unavailable("understand the command", "it is of another version"), None)
        }
        Ok(spec) => run(&spec, &control),
        Err(error) => (unavailable("read the cell's specification", &error.to_string()), None),
    };
    let told = frame(&report).and_then(|bytes| {
        // A report fits the socket's buffer.
        sys::send(control.as_raw_fd(), &bytes, out.iter().map(AsRawFd::as_raw_fd).collect::<Vec<_>>().as_slice())
    });
    sys::exit(if told.is_ok() { 0 } else { 1 })
}

fn run(spec: &Spec, control: &UnixStream) -> (Report, Option<OwnedFd>) {
    let started = Instant::now();
    let name = format!("{}-{}", std::process::id(), started_nanos());
    let mut meter =
        if spec.without.contains(&Layer::Meter) { Meter::nothing() } else { Meter::new(&spec.policy, &name) };
    let mut cell = match launch(spec, &mut meter) {
        Ok(cell) => cell,
        Err(failure) => return (unavailable(&failure.step, &failure.error), None),
    };
    // What killed supervisors left, looked for while the cell's interpreter starts.
    meter::sweep();
    let (end, ended) = watch(spec, control, &mut meter, &mut cell, started);
    let sample = meter.sample();
    sys::kill(&cell.pidfd);
    let _ = sys::wait(cell.init);
    let isolation = Isolation { tier: "namespaces".into(), memory: meter.name().into(), warm: false };
    let report = Report { end, usage: usage(started.elapsed(), sample, ended), isolation: Some(isolation) };
    (report, Some(cell.out))
}

fn usage(wall: Duration, sample: Sample, ended: Option<Ended>) -> Usage {
    let (cpu_ms, peak) = ended.map_or((0.0, 0), |ended| (ended.cpu_ms, ended.memory_peak_bytes));
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
    out: OwnedFd,
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
    // Only root can, and only root's groups would matter: an ordinary user keeps what it has everywhere.
    let _ = sys::leave_groups();
    let (init, pidfd) =
        match sys::clone_process(layers::namespaces(&spec.without)).map_err(fail("create namespaces"))? {
            sys::Cloned::Child => {
                drop(channel);
                be_init(&site, inner)
            }
            sys::Cloned::Parent { pid, pidfd } => (pid, pidfd),
        };
    drop(inner);
    // Held open here, the cell's output and its kernel's channel would not show their end to the command.
    for descriptor in [1, 2, KERNEL_CHANNEL] {
        drop(sys::inherited(descriptor));
    }
    let prepared = (|| {
        if !spec.without.contains(&Layer::Users) {
            write_id_maps(init).map_err(fail("map the inner user"))?;
        }
        (&channel).write_all(b"m").map_err(fail("release the cell"))?;
        // The kernel takes its time to move a process; the cell isolates itself meanwhile and starts nothing before "g".
        meter.attach(init).map_err(fail("enter the control group"))?;
        let (_, descriptors) = sys::receive(channel.as_raw_fd(), &mut [0]).map_err(fail("hear from the cell"))?;
        let Some(out) = descriptors.into_iter().next() else { return Err(failure_told_by(&channel)) };
        meter.watch_scratch(&out).map_err(fail("watch the scratch space"))?;
        verify_from_outside(init, &spec.without)
            .map_err(|error| Failure { step: "verify the cell from outside".into(), error })?;
        (&channel).write_all(b"g").map_err(fail("start the cell"))?;
        Ok(out)
    })();
    match prepared {
        Ok(out) => Ok(Running { init, pidfd, channel, out }),
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
    control: &UnixStream,
    meter: &mut Meter,
    cell: &mut Running,
    started: Instant,
) -> (End, Option<Ended>) {
    let deadline = started + Duration::from_millis(spec.policy.wall_ms);
    let watched = [cell.channel.as_raw_fd(), control.as_raw_fd(), cell.pidfd.as_raw_fd()];
    loop {
        let rest = deadline.saturating_duration_since(Instant::now()).min(WATCH_INTERVAL);
        let ready = sys::poll(&watched, rest.as_millis() as i32 + 1).unwrap_or_else(|_| vec![false; watched.len()]);
        let exceeded = meter.sample().exceeded(&spec.policy);
        if ready[0] || ready[2] {
            let ended: Option<Ended> = read_frame(&mut cell.channel).ok();
            let end = match (exceeded, &ended) {
                (Some(by), _) => End::Killed { by },
                (None, Some(ended)) => End::Exited { exit_code: ended.exit_code, signal: ended.signal },
                (None, None) => End::Exited { exit_code: None, signal: Some(libc::SIGKILL) },
            };
            return (end, ended);
        }
        if let Some(by) = exceeded {
            return (End::Killed { by }, None);
        }
        if Instant::now() >= deadline {
            return (End::Killed { by: KilledBy::Time }, None);
        }
        if ready[1] {
            return (End::Stopped, None);
        }
    }
}

/// Process 1 of the cell: isolates itself, waits for the word, starts python and reaps until python ends.
fn be_init(site: &Site, channel: UnixStream) -> ! {
    let mut byte = [0];
    // The command's channel is none of the cell's business.
    drop(sys::inherited(0));
    let _ = sys::die_with_parent();
    let _ = sys::new_session();
    sys::reset_signals();
    if (&channel).read_exact(&mut byte).is_err() {
        sys::exit(1);
    }
    match isolate::enter(site) {
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
            let ended = Ended { exit_code: child.exit_code, signal: child.signal, cpu_ms, memory_peak_bytes };
            let told = write_frame(&mut channel, &ended);
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
        _ => "run `assay doctor` to see which layer this machine does not give",
    };
    Report {
        end: End::Unavailable { cause: format!("cannot {step}: {error}"), fix: fix.into() },
        usage: Usage::default(),
        isolation: None,
    }
}
