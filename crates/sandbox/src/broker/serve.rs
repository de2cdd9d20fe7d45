//! The broker's loop: one thread, one `poll`, no waiting for anybody.
//!
//! Orders are served first come, first served. A worker that is ready answers at once; otherwise the order waits in a
//! bounded queue. The pool refills itself, a few workers at a time, and never holds more cells than the machine carries.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use base::Usage;

use super::inputs::Hub;
use super::orders::{CALLERS_MAX, Caller, ORDER_TIME_MAX, Waiting};
use super::pool::{FAILURES_MAX, FORMING_MAX, IDLE_WANTED, KINDS};
use super::slot::{Slot, State};
use super::wire::{Breadth, BrokerSpec, BrokerStatus};
use super::zygote::Zygote;
use crate::meter::Meter;
use crate::policy::Policy;
use crate::protocol::{End, KilledBy};
use crate::{sys, turnstile};

const IDLE_LIFE: Duration = Duration::from_secs(600);
const WATCH_INTERVAL: Duration = Duration::from_millis(10);
const LOOK_INTERVAL: Duration = Duration::from_secs(2);

/// Everything the broker knows.
pub struct Broker {
    pub(super) spec: BrokerSpec,
    pub(super) listener: UnixListener,
    pub(super) inode: u64,
    pub(super) pid: u32,
    pub(super) hub: Hub,
    pub(super) zygotes: Vec<Zygote>,
    pub(super) slots: BTreeMap<u64, Slot>,
    pub(super) callers: Vec<Caller>,
    pub(super) waiting: VecDeque<Waiting>,
    pub(super) next: u64,
    pub(super) cells_max: usize,
    pub(super) memory_is_bounded: bool,
    pub(super) started: Instant,
    pub(super) last_order: Instant,
    pub(super) last_look: Instant,
    pub(super) last_sample: Instant,
    pub(super) last_dispatch: Instant,
    pub(super) failures_in_a_row: u32,
    pub(super) stopping: bool,
    pub(super) status: BrokerStatus,
}

/// What a descriptor of the last `poll` belongs to.
#[derive(Clone, Copy)]
enum Who {
    Listener,
    Zygote(Breadth),
    Caller(RawFd),
    Waiting(RawFd),
    Slot(u64),
}

impl Broker {
    /// A broker whose zygotes are starting.
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
            zygotes: Vec::new(),
            slots: BTreeMap::new(),
            callers: Vec::new(),
            waiting: VecDeque::new(),
            next: 1,
            // Idle workers of one kind must not keep out those of another.
            cells_max: turnstile::cells_max() + IDLE_WANTED,
            started: now,
            last_order: now,
            last_look: now,
            last_sample: now,
            last_dispatch: now,
            failures_in_a_row: 0,
            stopping: false,
            status,
        })
    }

    /// Serves until nobody has asked for a while, it is told to stop, or its door is gone.
    pub fn serve(mut self) {
        while !self.is_over() {
            self.keep_zygotes();
            self.refill();
            self.kill_the_spent();
            self.watch_time();
            let (who, descriptors): (Vec<Who>, Vec<RawFd>) = self.awaited().into_iter().unzip();
            let ready = sys::poll(&descriptors, self.patience().as_millis() as i32 + 1);
            let ready = ready.unwrap_or_else(|_| vec![false; who.len()]);
            for who in who.into_iter().zip(ready).filter_map(|(who, ready)| ready.then_some(who)) {
                match who {
                    Who::Listener => self.accept(),
                    Who::Zygote(breadth) => self.hear_zygote(breadth),
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

    /// How long the next `poll` may wait.
    fn patience(&self) -> Duration {
        let working = self.slots.values().any(|slot| matches!(slot.state, State::Running(_)));
        let watched = if working { WATCH_INTERVAL } else { LOOK_INTERVAL };
        [self.next_refill(), self.next_kill()].into_iter().flatten().fold(watched, Duration::min)
    }

    fn awaited(&self) -> Vec<(Who, RawFd)> {
        let mut awaited = Vec::new();
        if self.callers.len() < CALLERS_MAX {
            awaited.push((Who::Listener, self.listener.as_raw_fd()));
        }
        awaited.extend(self.waiting.iter().map(|order| order.client.as_raw_fd()).map(|fd| (Who::Waiting(fd), fd)));
        awaited.extend(self.zygotes.iter().map(|zygote| (Who::Zygote(zygote.breadth), zygote.link.as_raw_fd())));
        awaited.extend(self.callers.iter().map(|caller| caller.stream.as_raw_fd()).map(|fd| (Who::Caller(fd), fd)));
        awaited.extend(self.slots.values().map(|slot| (Who::Slot(slot.id), slot.awaited())));
        awaited
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

    pub(super) fn status(&self) -> BrokerStatus {
        let count = |test: fn(&Slot) -> bool| self.slots.values().filter(|slot| test(slot)).count();
        let idle = self.slots.values().filter(|slot| matches!(slot.state, State::Idle(_)));
        let private: Vec<u64> = idle.map(Slot::private_bytes).collect();
        BrokerStatus {
            uptime_s: self.started.elapsed().as_secs_f64(),
            ready: KINDS.iter().all(|kind| self.ready_zygote(kind.breadth).is_some()),
            idle: private.len(),
            forming: count(Slot::is_forming),
            running: count(|slot| matches!(slot.state, State::Running(_))),
            waiting: self.waiting.len(),
            worker_bytes: private.iter().sum::<u64>() / private.len().max(1) as u64,
            ..self.status.clone()
        }
    }
}
