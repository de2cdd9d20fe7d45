//! The pool: the zygotes, and the cells that are made, handed out and let go.

use std::io::Read;
use std::os::fd::{AsRawFd, RawFd};
use std::time::{Duration, Instant};

use base::Usage;

use super::orders::tell;
use super::serve::Broker;
use super::slot::{Kind, LastWord, Slot, State, Work};
use super::wire::Breadth;
use super::zygote::{Said, Zygote};
use crate::isolate::Failure;
use crate::meter::Sample;
use crate::policy::Profile;
use crate::protocol::{End, Isolation, Report};
use crate::{supervisor, sys};

/// A worker that is not ready by then never will be.
pub(super) const FORMING_MAX: Duration = Duration::from_secs(20);
/// So many workers in a row that came to nothing show that none will.
pub(super) const FAILURES_MAX: u32 = 8;
/// What there are workers for. Whoever analyses has data.
pub(super) const KINDS: [Kind; 3] = [
    Kind { profile: Profile::Analysis, breadth: Breadth::Full },
    Kind { profile: Profile::Task, breadth: Breadth::Full },
    Kind { profile: Profile::Task, breadth: Breadth::Light },
];
/// In all: two of each kind, and one more for questions, which take two at once.
pub(super) const IDLE_WANTED: usize = 7;
/// About as long as a short program lasts.
const REFILL_PAUSE: Duration = Duration::from_millis(8);
/// About as long as a question lasts.
const REFILL_PAUSE_WITH_SPARE: Duration = Duration::from_millis(60);
/// To take a large process apart keeps a processor for milliseconds, which whoever has let go of it may need more.
const KILL_PAUSE: Duration = Duration::from_millis(25);
/// Of each kind.
const FORMING_AT_ONCE: usize = 2;

impl Broker {
    pub(super) fn keep_zygotes(&mut self) {
        for breadth in [Breadth::Full, Breadth::Light] {
            let present = self.zygotes.iter().any(|zygote| zygote.breadth == breadth);
            if present || self.failures_in_a_row >= FAILURES_MAX {
                continue;
            }
            self.status.zygotes += 1;
            match Zygote::start(&self.spec.image, &self.spec.kernel, breadth, self.memory_is_bounded) {
                Ok(zygote) => self.zygotes.push(zygote),
                Err(failure) => self.note(&failure.to_string()),
            }
        }
    }

    /// The zygote of that breadth, if it is up.
    pub(super) fn ready_zygote(&self, breadth: Breadth) -> Option<&Zygote> {
        self.zygotes.iter().find(|zygote| zygote.breadth == breadth && zygote.ready)
    }

    pub(super) fn hear_zygote(&mut self, breadth: Breadth) {
        let Some(zygote) = self.zygotes.iter_mut().find(|zygote| zygote.breadth == breadth) else { return };
        match zygote.hear() {
            Ok(Said::Ready) => zygote.ready = true,
            Ok(Said::Broken { error }) => {
                self.lose_zygote(breadth);
                self.status.trouble = Some(error);
            }
            Ok(Said::Forked { cell, pid }) => {
                if let Some(slot) = self.slots.get_mut(&cell) {
                    slot.worker = Some(pid);
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
            Err(_) => self.lose_zygote(breadth),
        }
    }

    /// Its workers cannot be waited for any more: all of them go, and who waits for one hears that it is lost.
    pub(super) fn lose_zygote(&mut self, breadth: Breadth) {
        let lost = self.zygotes.iter().position(|zygote| zygote.breadth == breadth);
        if let Some(lost) = lost {
            sys::kill(&self.zygotes.swap_remove(lost).pidfd);
            self.note("a zygote ended");
        }
        let its: Vec<u64> =
            self.slots.values().filter(|slot| slot.kind.breadth == breadth).map(|slot| slot.id).collect();
        for id in its {
            // A program that has said its last word is not lost with whoever forked it.
            if matches!(self.slots.get(&id).map(|slot| &slot.state), Some(State::Running(_))) {
                self.look_at(id);
            }
            self.kill(id);
        }
        self.turn_away("a zygote ended");
    }

    /// Begins new cells where too few are ready.
    pub(super) fn refill(&mut self) {
        if self.stopping || self.failures_in_a_row >= FAILURES_MAX {
            return;
        }
        for kind in KINDS {
            if self.ready_zygote(kind.breadth).is_none() || self.refill_pause(kind).is_some() {
                continue;
            }
            let of_kind = || self.slots.values().filter(move |slot| slot.kind == kind);
            let forming = of_kind().filter(|slot| slot.is_forming()).count();
            let idle = of_kind().filter(|slot| matches!(slot.state, State::Idle(_))).count();
            let waiting = self.waiting.iter().filter(|order| order.kind == kind).count();
            let wanted = (kind.idle_wanted() + waiting).saturating_sub(idle).min(FORMING_AT_ONCE);
            for _ in forming..wanted {
                if self.slots.len() < self.cells_max {
                    self.begin(kind);
                }
            }
        }
    }

    /// How long making new workers of a kind has to wait: programs that have just begun need the processors more, unless
    /// others wait already.
    fn refill_pause(&self, kind: Kind) -> Option<Duration> {
        let pause = if self.idle(kind).is_some() { REFILL_PAUSE_WITH_SPARE } else { REFILL_PAUSE };
        pause.checked_sub(self.last_dispatch.elapsed()).filter(|_| self.waiting.is_empty())
    }

    /// When the next kind may be refilled.
    pub(super) fn next_refill(&self) -> Option<Duration> {
        KINDS.into_iter().filter_map(|kind| self.refill_pause(kind)).min()
    }

    pub(super) fn begin(&mut self, kind: Kind) {
        // Where the door was cleared away, the place of its inputs may be another broker's by now.
        self.stopping |= !self.spec.door().still_shows(self.inode);
        if self.stopping {
            return;
        }
        let id = self.next;
        self.next += 1;
        let name = format!("{}-{id}", self.pid);
        match Slot::begin(&self.spec, &self.hub, id, &name, kind) {
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
    pub(super) fn look_at(&mut self, id: u64) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        let hurry = self.waiting.iter().any(|order| order.kind == slot.kind);
        let zygote = self.zygotes.iter().find(|zygote| zygote.breadth == slot.kind.breadth);
        let looked: Result<(), Failure> = match (&mut slot.state, zygote) {
            (State::Entering, Some(zygote)) => slot.entered(zygote, hurry),
            (State::Joining(_), _) => return self.joined(id),
            // A worker that says something unasked, or is gone.
            (State::Entering, None) | (State::Idle(_), _) => {
                Err(Failure { step: "wait".into(), error: "the worker spoke unasked or ended".into() })
            }
            (State::Running(work), _) => {
                let told = supervisor::told_by(&mut work.client);
                return told.into_iter().for_each(|end| self.end(id, end, Usage::default()));
            }
            (State::Dying(_), _) => return,
        };
        if let Err(failure) = looked {
            self.give_up(id, &failure.to_string());
        }
    }

    pub(super) fn joined(&mut self, id: u64) {
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

    /// A cell's work is over: says so and kills what is left. Files are looked at by whoever ordered them, so with files
    /// the word waits until nothing in the cell can change them any more.
    pub(super) fn end(&mut self, id: u64, end: End, used: Usage) {
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
        let awaits_files = end != End::Stopped && slot.left_files();
        let isolation = Isolation { tier: "namespaces".into(), memory: slot.meter.name().into(), warm: true };
        let report = Report { end, usage: usage(started, sample, used), isolation: Some(isolation) };
        let let_go = report.end == End::Stopped;
        if awaits_files {
            slot.state = State::Dying(Some(LastWord { client, report }));
        } else {
            tell(&client, &report, &[]);
        }
        if let_go && self.waiting.is_empty() {
            slot.kill_at = Some(Instant::now() + KILL_PAUSE);
        } else {
            sys::kill(&slot.pidfd);
        }
    }

    /// Kills the cells that were let go a while ago, or all of them where their places are wanted.
    pub(super) fn kill_the_spent(&mut self) {
        let (now, wanted) = (Instant::now(), !self.waiting.is_empty());
        for slot in self.slots.values_mut() {
            if slot.kill_at.take_if(|at| wanted || *at <= now).is_some() {
                sys::kill(&slot.pidfd);
            }
        }
    }

    /// When the next of them is to be killed.
    pub(super) fn next_kill(&self) -> Option<Duration> {
        let next = self.slots.values().filter_map(|slot| slot.kill_at).min();
        next.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// A cell that came to nothing.
    pub(super) fn give_up(&mut self, id: u64, why: &str) {
        self.status.failed += 1;
        self.note(why);
        self.kill(id);
    }

    pub(super) fn note(&mut self, trouble: &str) {
        self.failures_in_a_row += 1;
        self.status.trouble = Some(trouble.to_string());
    }

    pub(super) fn kill(&mut self, id: u64) {
        if let Some(slot) = self.slots.get_mut(&id) {
            sys::kill(&slot.pidfd);
            if !matches!(slot.state, State::Dying(_)) {
                slot.state = State::Dying(None);
            }
        }
    }

    /// A cell is dead, whole: says what was still to be said.
    pub(super) fn forget(&mut self, id: u64) {
        let Some(slot) = self.slots.remove(&id) else { return };
        if let State::Dying(Some(LastWord { client, report })) = &slot.state {
            let lent: Vec<RawFd> = slot.out().map(AsRawFd::as_raw_fd).into_iter().collect();
            tell(client, report, &lent);
        }
        self.hub.close(id);
    }

    /// Lets go of what has ended. A cell's init ends after everything in it.
    pub(super) fn reap(&mut self) {
        while let Some(pid) = sys::reap() {
            if let Some(zygote) = self.zygotes.iter().find(|zygote| zygote.pid == pid) {
                self.lose_zygote(zygote.breadth);
            }
            let Some(id) = self.slots.values().find(|slot| slot.init == pid).map(|slot| slot.id) else { continue };
            if !matches!(self.slots[&id].state, State::Dying(_)) {
                self.give_up(id, "the cell's init ended");
            }
            self.forget(id);
        }
    }
}

impl Kind {
    fn idle_wanted(self) -> usize {
        if self.profile == Profile::Analysis { 3 } else { 2 }
    }
}

impl Slot {
    pub(super) fn is_forming(&self) -> bool {
        matches!(self.state, State::Entering | State::Joining(_))
    }
}

fn usage(started: Instant, sample: Sample, used: Usage) -> Usage {
    Usage {
        wall_ms: started.elapsed().as_secs_f64() * 1e3,
        cpu_ms: if sample.cpu_ms > 0.0 { sample.cpu_ms } else { used.cpu_ms },
        memory_peak_bytes: if sample.memory_peak_bytes > 0 { sample.memory_peak_bytes } else { used.memory_peak_bytes },
    }
}
