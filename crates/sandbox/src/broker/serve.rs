//! The broker's loop: one thread, one `poll`, no waiting for anybody.
//!
//! Orders are served first come, first served. A worker that is ready answers at once; otherwise the order waits in a
//! bounded queue. The pool refills itself, a few workers at a time, and never holds more cells than the machine carries.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

use base::Usage;
use serde::Serialize;

use super::inputs::Hub;
use super::slot::{Ends, LastWord, Slot, State, Work};
use super::wire::{BrokerSpec, BrokerStatus, Grant, ORDER_BYTES_MAX, Order, Wanted};
use super::zygote::{Said, Zygote};
use crate::isolate::Failure;
use crate::meter::{Meter, Sample};
use crate::policy::{Policy, Profile};
use crate::protocol::{DONE, End, Isolation, KilledBy, Report, frame, frame_length};
use crate::{sys, turnstile};

const IDLE_LIFE: Duration = Duration::from_secs(600);
const WATCH_INTERVAL: Duration = Duration::from_millis(10);
const LOOK_INTERVAL: Duration = Duration::from_secs(2);
/// A worker that is not ready by then never will be.
const FORMING_MAX: Duration = Duration::from_secs(20);
/// An order that is not complete by then is not an order.
const ORDER_TIME_MAX: Duration = Duration::from_secs(2);
/// Those beyond wait at the door.
const CALLERS_MAX: usize = 128;
/// Orders that may wait.
pub const WAITING_MAX: usize = 256;
const IDLE_WANTED: usize = 2;
const FORMING_AT_ONCE: usize = 2;
/// So many workers in a row that came to nothing show that none will.
const FAILURES_MAX: u32 = 8;
const PROFILES: [Profile; 2] = [Profile::Analysis, Profile::Task];

/// Everything the broker knows.
pub struct Broker {
    spec: BrokerSpec,
    listener: UnixListener,
    inode: u64,
    pid: u32,
    hub: Hub,
    zygote: Option<Zygote>,
    slots: BTreeMap<u64, Slot>,
    callers: Vec<Caller>,
    waiting: VecDeque<Waiting>,
    next: u64,
    cells_max: usize,
    memory_is_bounded: bool,
    started: Instant,
    last_order: Instant,
    last_look: Instant,
    last_sample: Instant,
    failures_in_a_row: u32,
    stopping: bool,
    status: BrokerStatus,
}

/// Somebody whose order is not complete yet.
struct Caller {
    stream: UnixStream,
    since: Instant,
    bytes: Vec<u8>,
    descriptors: Vec<OwnedFd>,
}

/// An order that waits for a worker.
struct Waiting {
    client: UnixStream,
    policy: Policy,
    inputs: Vec<Wanted>,
    store: Option<OwnedFd>,
}

/// What a descriptor of the last `poll` belongs to.
#[derive(Clone, Copy)]
enum Who {
    Listener,
    Zygote,
    Caller(RawFd),
    Waiting(RawFd),
    Slot(u64),
}

impl Broker {
    /// A broker whose zygote is starting.
    pub fn new(spec: BrokerSpec, listener: UnixListener, pid: u32) -> io::Result<Broker> {
        listener.set_nonblocking(true)?;
        let hub = Hub::make(&spec.door().hub())?;
        let inode = spec.door().inode()?;
        let trial = Meter::new(&Policy::task(), &format!("{pid}-trial"));
        let status = BrokerStatus { pid, memory: trial.name().into(), ..BrokerStatus::default() };
        let now = Instant::now();
        Ok(Broker {
            memory_is_bounded: trial.bounds_memory(),
            spec,
            listener,
            inode,
            pid,
            hub,
            zygote: None,
            slots: BTreeMap::new(),
            callers: Vec::new(),
            waiting: VecDeque::new(),
            next: 1,
            cells_max: turnstile::cells_max(),
            started: now,
            last_order: now,
            last_look: now,
            last_sample: now,
            failures_in_a_row: 0,
            stopping: false,
            status,
        })
    }

    /// Serves until nobody has asked for a while, it is told to stop, or its door is gone.
    pub fn serve(mut self) {
        while !self.is_over() {
            self.keep_zygote();
            self.refill();
            self.watch_time();
            let (who, descriptors): (Vec<Who>, Vec<RawFd>) = self.awaited().into_iter().unzip();
            let ready = sys::poll(&descriptors, self.patience().as_millis() as i32 + 1);
            let ready = ready.unwrap_or_else(|_| vec![false; who.len()]);
            for who in who.into_iter().zip(ready).filter_map(|(who, ready)| ready.then_some(who)) {
                match who {
                    Who::Listener => self.accept(),
                    Who::Zygote => self.hear_zygote(),
                    Who::Caller(descriptor) => self.read_order(descriptor),
                    // Nothing is to be said before a cell is there: whoever speaks has gone.
                    Who::Waiting(fd) => self.waiting.retain(|order| order.client.as_raw_fd() != fd),
                    Who::Slot(id) => self.look_at(id),
                }
            }
            self.reap();
            self.serve_waiting();
        }
        for slot in self.slots.values() {
            sys::kill(&slot.pidfd);
        }
    }

    fn is_over(&mut self) -> bool {
        let hopeless = self.failures_in_a_row >= FAILURES_MAX;
        if hopeless || self.stopping {
            self.turn_away(if hopeless { "no worker can be made" } else { "the broker is stopping" });
        }
        let awaited = |slot: &Slot| matches!(slot.state, State::Running(_) | State::Dying(Some(_)));
        let busy = self.slots.values().any(awaited) || !self.waiting.is_empty();
        if self.last_look.elapsed() >= LOOK_INTERVAL {
            self.last_look = Instant::now();
            self.stopping |= !self.spec.door().still_shows(self.inode);
        }
        let unused = self.last_order.elapsed() >= IDLE_LIFE;
        !busy && (self.stopping || unused || hopeless)
    }

    /// Those who wait get a cold cell sooner than one from here.
    fn turn_away(&mut self, why: &str) {
        for Waiting { client, .. } in self.waiting.drain(..) {
            tell(&client, &Grant::Unfit { reason: why.into() }, &[]);
        }
    }

    /// How long the next `poll` may wait.
    fn patience(&self) -> Duration {
        let working = self.slots.values().any(|slot| matches!(slot.state, State::Running(_)));
        if working { WATCH_INTERVAL } else { LOOK_INTERVAL }
    }

    fn awaited(&self) -> Vec<(Who, RawFd)> {
        let mut awaited = Vec::new();
        if self.callers.len() < CALLERS_MAX {
            awaited.push((Who::Listener, self.listener.as_raw_fd()));
        }
        awaited.extend(self.waiting.iter().map(|order| order.client.as_raw_fd()).map(|fd| (Who::Waiting(fd), fd)));
        awaited.extend(self.zygote.iter().map(|zygote| (Who::Zygote, zygote.link.as_raw_fd())));
        awaited.extend(self.callers.iter().map(|caller| caller.stream.as_raw_fd()).map(|fd| (Who::Caller(fd), fd)));
        awaited.extend(self.slots.values().map(|slot| (Who::Slot(slot.id), slot.awaited())));
        awaited
    }

    fn keep_zygote(&mut self) {
        if self.zygote.is_some() || self.failures_in_a_row >= FAILURES_MAX {
            return;
        }
        self.status.zygotes += 1;
        match Zygote::start(&self.spec.image, &self.spec.kernel, self.memory_is_bounded) {
            Ok(zygote) => self.zygote = Some(zygote),
            Err(failure) => self.note(&failure.to_string()),
        }
    }

    fn hear_zygote(&mut self) {
        let Some(zygote) = &mut self.zygote else { return };
        match zygote.hear() {
            Ok(Said::Ready) => zygote.ready = true,
            Ok(Said::Broken { error }) => {
                self.lose_zygote();
                self.status.trouble = Some(error);
            }
            Ok(Said::Forked { cell, pid }) => {
                let Some(slot) = self.slots.get_mut(&cell) else { return };
                slot.worker = Some(pid);
                if let Err(error) = slot.meter.attach(pid) {
                    self.give_up(cell, &format!("count the worker: {error}"));
                }
            }
            Ok(Said::Failed { cell, error }) => self.give_up(cell, &error),
            Ok(Said::Ended { pid, exit_code, signal, cpu_ms, memory_peak_bytes }) => {
                let Some(id) = self.slots.values().find(|slot| slot.worker == Some(pid)).map(|slot| slot.id) else {
                    return;
                };
                let used = Usage { wall_ms: 0.0, cpu_ms, memory_peak_bytes };
                self.end(id, End::Exited { exit_code, signal }, used);
            }
            Err(_) => self.lose_zygote(),
        }
    }

    /// Its workers cannot be waited for any more: all of them go, and who waits for one hears that it is lost.
    fn lose_zygote(&mut self) {
        if let Some(zygote) = self.zygote.take() {
            sys::kill(&zygote.pidfd);
            self.note("the zygote ended");
        }
        let all: Vec<u64> = self.slots.keys().copied().collect();
        all.into_iter().for_each(|id| self.kill(id));
        self.turn_away("the zygote ended");
    }

    /// Begins new cells where too few are ready.
    fn refill(&mut self) {
        if self.stopping
            || self.failures_in_a_row >= FAILURES_MAX
            || !self.zygote.as_ref().is_some_and(|zygote| zygote.ready)
        {
            return;
        }
        for profile in PROFILES {
            let of_profile = || self.slots.values().filter(move |slot| slot.profile == profile);
            let forming = of_profile().filter(|slot| slot.is_forming()).count();
            let idle = of_profile().filter(|slot| matches!(slot.state, State::Idle(_))).count();
            let waiting = self.waiting.iter().filter(|order| order.policy.profile == profile).count();
            let wanted = (IDLE_WANTED + waiting).saturating_sub(idle).min(FORMING_AT_ONCE);
            for _ in forming..wanted {
                if self.slots.len() < self.cells_max {
                    self.begin(profile);
                }
            }
        }
    }

    fn begin(&mut self, profile: Profile) {
        let id = self.next;
        self.next += 1;
        let name = format!("{}-{id}", self.pid);
        match Slot::begin(&self.spec, &self.hub, id, &name, profile) {
            Ok(slot) if slot.meter.bounds_memory() == self.memory_is_bounded => drop(self.slots.insert(id, slot)),
            Ok(slot) => {
                self.slots.insert(id, slot);
                self.give_up(id, "its control group could not be made");
            }
            Err(failure) => {
                self.hub.close(id);
                self.note(&failure.to_string());
            }
        }
    }

    /// Something happened on a slot's descriptor.
    fn look_at(&mut self, id: u64) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        let hurry = self.waiting.iter().any(|order| order.policy.profile == slot.profile);
        let looked: Result<(), Failure> = match (&mut slot.state, &self.zygote) {
            (State::Entering, Some(zygote)) => slot.entered(zygote, hurry),
            (State::Joining(_), _) => return self.joined(id),
            // A worker that says something unasked, or is gone.
            (State::Entering, None) | (State::Idle(_), _) => {
                Err(Failure { step: "wait".into(), error: "the worker spoke unasked or ended".into() })
            }
            (State::Running(work), _) => {
                let mut word = [0; 2];
                let end = match work.client.read(&mut word) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                    Ok(2) if word[0] == DONE => End::Exited { exit_code: Some(word[1].into()), signal: None },
                    _ => End::Stopped,
                };
                return self.end(id, end, Usage::default());
            }
            (State::Dying(_), _) => return,
        };
        if let Err(failure) = looked {
            self.give_up(id, &failure.to_string());
        }
    }

    fn joined(&mut self, id: u64) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        let State::Joining(ends) = &mut slot.state else { return };
        if slot.worker.is_none() {
            // The zygote's word that it was forked is still under way.
            return;
        }
        let mut byte = [0];
        if ends.kernel.read_exact(&mut byte).is_err() || byte != *b"R" {
            return self.give_up(id, "the worker did not become ready");
        }
        if let Err(failure) = slot.verify() {
            return self.give_up(id, &failure.to_string());
        }
        let State::Joining(ends) = std::mem::replace(&mut slot.state, State::Dying(None)) else { return };
        slot.state = State::Idle(ends);
        self.failures_in_a_row = 0;
        self.status.made += 1;
        self.status.refill_ms = slot.begun.elapsed().as_secs_f64() * 1e3;
    }

    fn accept(&mut self) {
        while self.callers.len() < CALLERS_MAX {
            let Ok((stream, _)) = self.listener.accept() else { break };
            // Our own user is root in here; everybody else has no name.
            let ours = sys::peer_uid(stream.as_raw_fd()).is_ok_and(|uid| uid == 0);
            if ours && stream.set_nonblocking(true).is_ok() {
                let descriptor = stream.as_raw_fd();
                let caller = Caller { stream, since: Instant::now(), bytes: Vec::new(), descriptors: Vec::new() };
                self.callers.push(caller);
                // Most say at once what they want.
                self.read_order(descriptor);
            }
        }
    }

    fn read_order(&mut self, descriptor: RawFd) {
        let Some(index) = self.callers.iter().position(|caller| caller.stream.as_raw_fd() == descriptor) else {
            return;
        };
        match self.callers[index].read() {
            Ok(None) => {}
            Ok(Some(order)) => {
                let Caller { stream, mut descriptors, .. } = self.callers.swap_remove(index);
                self.obey(order, stream, descriptors.pop());
            }
            Err(_) => drop(self.callers.swap_remove(index)),
        }
    }

    fn obey(&mut self, order: Order, client: UnixStream, store: Option<OwnedFd>) {
        match order {
            Order::Status => tell(&client, &Grant::Status(self.status()), &[]),
            Order::Stop => {
                self.stopping = true;
                tell(&client, &Grant::Stopping, &[]);
            }
            Order::Cell { policy, inputs } => {
                self.last_order = Instant::now();
                let reason = if self.stopping {
                    Some("the broker is stopping".to_string())
                } else if !self.zygote.as_ref().is_some_and(|zygote| zygote.ready) {
                    Some("the zygote is not ready".to_string())
                } else {
                    unfit(&policy).or_else(|| (store.is_none() && !inputs.is_empty()).then(|| "no store".to_string()))
                };
                if let Some(reason) = reason {
                    return tell(&client, &Grant::Unfit { reason }, &[]);
                }
                if self.waiting.len() >= WAITING_MAX {
                    self.status.refused += 1;
                    let reason = format!("{WAITING_MAX} programs wait already");
                    return tell(&client, &Grant::Busy { reason }, &[]);
                }
                let hit = self.waiting.is_empty() && self.idle(policy.profile).is_some();
                *if hit { &mut self.status.hits } else { &mut self.status.misses } += 1;
                if !hit {
                    tell(&client, &Grant::Later, &[]);
                }
                self.waiting.push_back(Waiting { client, policy, inputs, store });
                self.serve_waiting();
            }
        }
    }

    fn idle(&self, profile: Profile) -> Option<u64> {
        let idle = |slot: &&Slot| slot.profile == profile && matches!(slot.state, State::Idle(_));
        self.slots.values().find(idle).map(|slot| slot.id)
    }

    /// Hands idle workers to those who wait, in the order in which they came.
    fn serve_waiting(&mut self) {
        for profile in PROFILES {
            while let Some(id) = self.idle(profile) {
                let first = self.waiting.iter().position(|order| order.policy.profile == profile);
                let Some(order) = first.and_then(|first| self.waiting.remove(first)) else { break };
                self.dispatch(id, order);
            }
        }
    }

    fn dispatch(&mut self, id: u64, order: Waiting) {
        let Waiting { client, policy, inputs, store } = order;
        let Some(slot) = self.slots.get_mut(&id) else { return };
        let shown = store.as_ref().map_or(Ok(()), |store| self.hub.show(id, store, &inputs));
        let taken = shown.and_then(|()| slot.take(&policy));
        match taken {
            Ok(Ends { kernel, stdout, stderr }) => {
                let started = Instant::now();
                let lent = [kernel.as_raw_fd(), stdout.as_raw_fd(), stderr.as_raw_fd()];
                tell(&client, &Grant::Cell, &lent);
                slot.state = State::Running(Work { client, policy, started });
            }
            Err(error) => {
                tell(&client, &Grant::Unfit { reason: error.to_string() }, &[]);
                self.kill(id);
            }
        }
    }

    /// Looks at everything that has a limit.
    fn watch_time(&mut self) {
        let now = Instant::now();
        self.callers.retain(|caller| now - caller.since < ORDER_TIME_MAX);
        let late = |slot: &&Slot| slot.is_forming() && now - slot.begun > FORMING_MAX;
        let late: Vec<u64> = self.slots.values().filter(late).map(|slot| slot.id).collect();
        late.into_iter().for_each(|id| self.give_up(id, "the worker was not ready in time"));
        if now - self.last_sample < WATCH_INTERVAL {
            return;
        }
        self.last_sample = now;
        let mut ended = Vec::new();
        for slot in self.slots.values_mut() {
            let State::Running(work) = &slot.state else { continue };
            let exceeded = slot.meter.sample().exceeded(&work.policy);
            let over = (now >= work.deadline()).then_some(KilledBy::Time);
            ended.extend(exceeded.or(over).map(|by| (slot.id, End::Killed { by })));
        }
        ended.into_iter().for_each(|(id, end)| self.end(id, end, Usage::default()));
    }

    /// A cell's work is over: says so and kills what is left. Files are looked at by whoever ordered them, so with files
    /// the word waits until nothing in the cell can change them any more.
    fn end(&mut self, id: u64, end: End, used: Usage) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        match slot.state {
            State::Running(_) => {}
            State::Dying(_) => return,
            _ => return self.give_up(id, "the worker ended before its time"),
        }
        let sample = slot.meter.sample();
        let State::Running(Work { client, policy, started }) = std::mem::replace(&mut slot.state, State::Dying(None))
        else {
            return;
        };
        let end = match (sample.exceeded(&policy), end) {
            (Some(by), End::Exited { .. }) => End::Killed { by },
            (_, end) => end,
        };
        sys::kill(&slot.pidfd);
        let awaits_files = end != End::Stopped && slot.left_files();
        let isolation = Isolation { tier: "namespaces".into(), memory: slot.meter.name().into(), warm: true };
        let report = Report { end, usage: usage(started, sample, used), isolation: Some(isolation) };
        if awaits_files {
            slot.state = State::Dying(Some(LastWord { client, report }));
        } else {
            tell(&client, &report, &[]);
        }
    }

    /// A cell that came to nothing.
    fn give_up(&mut self, id: u64, why: &str) {
        self.status.failed += 1;
        self.note(why);
        self.kill(id);
    }

    fn note(&mut self, trouble: &str) {
        self.failures_in_a_row += 1;
        self.status.trouble = Some(trouble.to_string());
    }

    fn kill(&mut self, id: u64) {
        if let Some(slot) = self.slots.get_mut(&id) {
            sys::kill(&slot.pidfd);
            if !matches!(slot.state, State::Dying(_)) {
                slot.state = State::Dying(None);
            }
        }
    }

    /// A cell is dead, whole: says what was still to be said.
    fn forget(&mut self, id: u64) {
        let Some(slot) = self.slots.remove(&id) else { return };
        if let State::Dying(Some(LastWord { client, report })) = &slot.state {
            let lent: Vec<RawFd> = slot.out().map(AsRawFd::as_raw_fd).into_iter().collect();
            tell(client, report, &lent);
        }
        self.hub.close(id);
    }

    /// Lets go of what has ended. A cell's init ends after everything in it.
    fn reap(&mut self) {
        while let Some(pid) = sys::reap() {
            if self.zygote.as_ref().is_some_and(|zygote| zygote.pid == pid) {
                self.lose_zygote();
            }
            let Some(id) = self.slots.values().find(|slot| slot.init == pid).map(|slot| slot.id) else { continue };
            if !matches!(self.slots[&id].state, State::Dying(_)) {
                self.give_up(id, "the cell's init ended");
            }
            self.forget(id);
        }
    }

    fn status(&self) -> BrokerStatus {
        let count = |test: fn(&Slot) -> bool| self.slots.values().filter(|slot| test(slot)).count();
        let idle = self.slots.values().filter(|slot| matches!(slot.state, State::Idle(_)));
        let private: Vec<u64> = idle.map(Slot::private_bytes).collect();
        BrokerStatus {
            uptime_s: self.started.elapsed().as_secs_f64(),
            ready: self.zygote.as_ref().is_some_and(|zygote| zygote.ready),
            idle: private.len(),
            forming: count(Slot::is_forming),
            running: count(|slot| matches!(slot.state, State::Running(_))),
            waiting: self.waiting.len(),
            worker_bytes: private.iter().sum::<u64>() / private.len().max(1) as u64,
            ..self.status.clone()
        }
    }
}

impl Slot {
    fn is_forming(&self) -> bool {
        matches!(self.state, State::Entering | State::Joining(_))
    }
}

impl Caller {
    /// Reads what is there; an order when it is complete.
    fn read(&mut self) -> io::Result<Option<Order>> {
        let mut buffer = [0; 4096];
        loop {
            match sys::receive(self.stream.as_raw_fd(), &mut buffer) {
                Ok((0, _)) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok((count, descriptors)) => {
                    self.bytes.extend_from_slice(&buffer[..count]);
                    self.descriptors.extend(descriptors);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error),
            }
            if self.descriptors.len() > 1 {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let Some((header, body)) = self.bytes.split_first_chunk::<4>() else { continue };
            let length = frame_length(*header, ORDER_BYTES_MAX)?;
            if body.len() > length {
                return Err(io::ErrorKind::InvalidData.into());
            }
            if body.len() == length {
                return Ok(Some(serde_json::from_slice(body)?));
            }
        }
    }
}

/// What a warm cell cannot be; a cold one can.
pub fn unfit(policy: &Policy) -> Option<String> {
    let default = match policy.profile {
        Profile::Analysis => Policy::analysis(),
        Profile::Task => Policy::task(),
        Profile::Ingest => return Some("files are read in by cells of their own".into()),
    };
    let Policy { wall_ms, cpu_ms, memory_bytes, .. } = *policy;
    let same = *policy == Policy { wall_ms, cpu_ms, memory_bytes, ..default };
    if !same || policy.excess().is_some() { Some("its limits are none of a profile".into()) } else { None }
}

fn usage(started: Instant, sample: Sample, used: Usage) -> Usage {
    Usage {
        wall_ms: started.elapsed().as_secs_f64() * 1e3,
        cpu_ms: if sample.cpu_ms > 0.0 { sample.cpu_ms } else { used.cpu_ms },
        memory_peak_bytes: if sample.memory_peak_bytes > 0 { sample.memory_peak_bytes } else { used.memory_peak_bytes },
    }
}

/// Messages fit the socket's buffer; who does not read them has gone.
fn tell(client: &UnixStream, message: &impl Serialize, descriptors: &[RawFd]) {
    if let Ok(bytes) = frame(message) {
        let _ = sys::send(client.as_raw_fd(), &bytes, descriptors);
    }
}
