//! One cell of the pool: from its first clone to its last process.
//!
//! ```text
//! Entering --isolated--> Joining --ready, verified--> Idle --order--> Running --end--> Dying --reaped--> gone
//!  (init shuts itself in)  (the zygote forks a worker into it)                          (killed, if need be a moment later)
//! ```

use std::fs;
use std::io::{self, PipeReader, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::inputs::Hub;
use super::wire::{Breadth, BrokerSpec};
use super::zygote::{Zygote, ceiling, default_policy};
use crate::isolate::{self, Failure, INNER_ID, Inputs, Inside, Site, Step};
use crate::layers;
use crate::meter::Meter;
use crate::policy::{ADDRESS_SPACE_EXTRA_BYTES, Policy, Profile};
use crate::protocol::Report;
use crate::{supervisor, sys};

/// What a worker is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What it may do and use.
    pub profile: Profile,
    /// What it has imported.
    pub breadth: Breadth,
}

/// One cell of the pool.
pub struct Slot {
    /// Its number.
    pub id: u64,
    /// What it is for.
    pub kind: Kind,
    /// Process 1 of the cell.
    pub init: i32,
    /// Process 1 of the cell.
    pub pidfd: OwnedFd,
    /// What it uses.
    pub meter: Meter,
    /// The worker, as soon as it is known.
    pub worker: Option<i32>,
    /// When it was begun.
    pub begun: Instant,
    /// How far it is.
    pub state: State,
    /// When a dying cell that is not killed yet will be.
    pub kill_at: Option<Instant>,
    channel: UnixStream,
    out: Option<OwnedFd>,
}

/// How far a cell is.
pub enum State {
    /// Its init shuts itself in.
    Entering,
    /// A worker is forked into it and warms up.
    Joining(Ends),
    /// A worker waits.
    Idle(Ends),
    /// An order is being worked on.
    Running(Work),
    /// It is killed, or will be in a moment, and not reaped yet. Who waits for its files hears of them then: nothing can change them any more.
    Dying(Option<LastWord>),
}

/// What is still to be said of a cell.
pub struct LastWord {
    /// Who ordered it.
    pub client: UnixStream,
    /// What became of it.
    pub report: Report,
}

/// The outer ends of a worker.
pub struct Ends {
    /// To its kernel.
    pub kernel: UnixStream,
    /// What it prints.
    pub stdout: PipeReader,
    /// What it prints.
    pub stderr: PipeReader,
}

/// An order that is being worked on.
pub struct Work {
    /// Who ordered it.
    pub client: UnixStream,
    /// What it may use.
    pub policy: Policy,
    /// When it began.
    pub started: Instant,
}

impl Work {
    /// When its time is over.
    pub fn deadline(&self) -> Instant {
        self.started + Duration::from_millis(self.policy.wall_ms)
    }
}

impl Slot {
    /// Clones an init that begins to shut itself in.
    pub fn begin(spec: &BrokerSpec, hub: &Hub, id: u64, name: &str, kind: Kind) -> Result<Slot, Failure> {
        let begun = Instant::now();
        let policy = default_policy(kind.profile);
        let folder = hub.open(id).step("make the folder of inputs")?;
        // The init of a warm cell is not counted: its worker is what is attached.
        let meter = Meter::new(&Policy { processes: policy.processes - 1, ..policy }, name);
        let (channel, inner) = UnixStream::pair().step("make a channel to the cell")?;
        let site = Site {
            image: &spec.image,
            kernel: &spec.kernel,
            inputs: Inputs::Later(&folder),
            policy: &ceiling(kind.profile),
            memory_is_bounded: meter.bounds_memory(),
            without: &[],
        };
        let cloned = sys::clone_process(layers::namespaces(&[]), None).step("create namespaces")?;
        let sys::Cloned::Parent { pid: init, pidfd } = cloned else { be_init(&site, &inner) };
        let state = State::Entering;
        let slot = Slot { id, kind, init, pidfd, meter, worker: None, begun, state, kill_at: None, channel, out: None };
        let outer_id = if spec.inner_id_is_mapped { INNER_ID } else { 0 };
        let released = supervisor::map_ids(init, outer_id, outer_id)
            .step("map the inner user")
            .and_then(|()| (&slot.channel).write_all(b"m").step("release the cell"));
        match released {
            Ok(()) => Ok(slot),
            Err(failure) => {
                sys::kill(&slot.pidfd);
                let _ = sys::wait(init);
                hub.close(id);
                Err(failure)
            }
        }
    }

    /// What to wait for: the descriptor on which something happens next.
    pub fn awaited(&self) -> i32 {
        match &self.state {
            State::Entering => self.channel.as_raw_fd(),
            State::Joining(ends) | State::Idle(ends) => ends.kernel.as_raw_fd(),
            State::Running(work) => work.client.as_raw_fd(),
            State::Dying(_) => self.pidfd.as_raw_fd(),
        }
    }

    /// The init is shut in: has a worker forked into its cell.
    pub fn entered(&mut self, zygote: &Zygote, hurry: bool) -> Result<(), Failure> {
        let told = sys::receive(self.channel.as_raw_fd(), &mut [0]);
        let (_, descriptors) = told.step("hear from the cell")?;
        let Ok([out, ruleset]) = <[OwnedFd; 2]>::try_from(descriptors) else {
            return Err(supervisor::failure_told_by(&self.channel));
        };
        let made: io::Result<Ends> = (|| {
            self.meter.watch_scratch(&out)?;
            let doors = self.meter.doors()?;
            let (kernel, kernel_inner) = UnixStream::pair()?;
            let (stdout, stdout_inner) = io::pipe()?;
            let (stderr, stderr_inner) = io::pipe()?;
            let mut lent = vec![
                self.pidfd.as_raw_fd(),
                ruleset.as_raw_fd(),
                stdout_inner.as_raw_fd(),
                stderr_inner.as_raw_fd(),
                kernel_inner.as_raw_fd(),
            ];
            lent.extend(doors.iter().map(AsRawFd::as_raw_fd));
            zygote.fork(self.id, self.kind.profile, hurry, &lent)?;
            Ok(Ends { kernel, stdout, stderr })
        })();
        self.out = Some(out);
        self.state = State::Joining(made.step("have a worker forked")?);
        Ok(())
    }

    /// Trusts nothing the worker says about itself: looks at it from outside, also whether it is counted.
    pub fn verify(&mut self) -> Result<(), Failure> {
        let refuse = |error: String| Failure { step: "verify the worker from outside".into(), error };
        let worker = self.worker.ok_or_else(|| refuse("its process is not known".into()))?;
        supervisor::verify_from_outside(worker, &[]).map_err(refuse)?;
        supervisor::verify_same_namespaces(worker, self.init).map_err(refuse)?;
        self.meter.counts(worker).map_err(refuse)?;
        // Opens what is read at the end of its work, when somebody waits.
        self.meter.sample();
        Ok(())
    }

    /// Gives the idle worker its limits and takes its ends out, to be handed over.
    pub fn take(&mut self, policy: &Policy) -> io::Result<Ends> {
        let worker = self.worker.ok_or(io::ErrorKind::NotFound)?;
        self.meter.begin(policy.memory_bytes)?;
        sys::limit_of(worker, libc::RLIMIT_AS, policy.memory_bytes + ADDRESS_SPACE_EXTRA_BYTES)?;
        sys::limit_of(worker, libc::RLIMIT_CPU, policy.cpu_ms.div_ceil(1000) + 2)?;
        match std::mem::replace(&mut self.state, State::Dying(None)) {
            State::Idle(ends) => Ok(ends),
            other => {
                self.state = other;
                Err(io::ErrorKind::NotFound.into())
            }
        }
    }

    /// The directory of the files that come back.
    pub fn out(&self) -> Option<&OwnedFd> {
        self.out.as_ref()
    }

    /// Whether there are any.
    pub fn left_files(&self) -> bool {
        self.out.as_ref().is_some_and(supervisor::holds_files)
    }

    /// What the worker holds for itself alone.
    pub fn private_bytes(&self) -> u64 {
        let text = self.worker.and_then(|pid| fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok());
        let text = text.unwrap_or_default();
        let lines = text.lines().filter(|line| line.starts_with("Private_"));
        lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum::<u64>() * 1024
    }
}

/// Process 1 of a cell of the pool: shuts itself in and stays until it is killed, and everything in the cell with it.
fn be_init(site: &Site, channel: &UnixStream) -> ! {
    const CHANNEL: i32 = 3;
    let placed = sys::place(channel.as_raw_fd(), CHANNEL);
    let nulls = [0, 1, 2].into_iter().try_for_each(sys::place_null);
    if placed.and(nulls).is_err() || sys::close_from(CHANNEL + 1).is_err() {
        sys::exit(1);
    }
    let _ = sys::die_with_parent();
    let _ = sys::new_session();
    sys::forget_the_caller();
    let mut channel = UnixStream::from(sys::inherited(CHANNEL));
    if io::Read::read_exact(&mut channel, &mut [0]).is_err() {
        sys::exit(1);
    }
    match isolate::enter(site) {
        Ok(Inside { out, ruleset }) => {
            let lent = [out.as_raw_fd(), ruleset.as_raw_fd()];
            if sys::die_with_parent().is_err() || sys::send(CHANNEL, &[1], &lent).is_err() {
                sys::exit(1);
            }
        }
        Err(Failure { step, error }) => {
            let _ = channel.write_all(format!("\0{step}\n{error}").as_bytes());
            sys::exit(1);
        }
    }
    drop(channel);
    // Whoever loses its parent in the cell becomes our child, and of a child that nobody waits for nothing is left.
    sys::leave_no_zombies();
    loop {
        sys::pause();
    }
}
