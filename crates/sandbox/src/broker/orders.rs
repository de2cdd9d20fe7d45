//! Orders: who comes in, what is wanted, who waits, and who gets which worker. First come, first served.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::pool::KINDS;
use super::serve::Broker;
use super::slot::{Ends, Kind, Slot, State, Work};
use super::wire::{Grant, ORDER_BYTES_MAX, Order, Wanted};
use crate::policy::{Policy, Profile};
use crate::protocol::{frame, frame_length};
use crate::sys;

/// An order that is not complete by then is not an order.
pub(super) const ORDER_TIME_MAX: Duration = Duration::from_secs(2);
/// Those beyond wait at the door.
pub(super) const CALLERS_MAX: usize = 128;
/// Orders that may wait for a worker.
const WAITING_MAX: usize = 256;

/// Somebody whose order is not complete yet.
pub(super) struct Caller {
    pub(super) stream: UnixStream,
    pub(super) since: Instant,
    pub(super) bytes: Vec<u8>,
    pub(super) descriptors: Vec<OwnedFd>,
}

/// An order that waits for a worker.
pub(super) struct Waiting {
    pub(super) client: UnixStream,
    pub(super) kind: Kind,
    pub(super) policy: Policy,
    pub(super) inputs: Vec<Wanted>,
    pub(super) store: Option<OwnedFd>,
}

impl Broker {
    pub(super) fn accept(&mut self) {
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

    pub(super) fn read_order(&mut self, descriptor: RawFd) {
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

    pub(super) fn obey(&mut self, order: Order, client: UnixStream, store: Option<OwnedFd>) {
        match order {
            Order::Status => tell(&client, &Grant::Status(self.status()), &[]),
            Order::Stop => {
                self.stopping = true;
                tell(&client, &Grant::Stopping, &[]);
            }
            Order::Cell { policy, inputs, breadth } => {
                self.last_order = Instant::now();
                let kind = Kind { profile: policy.profile, breadth };
                let reason = if self.stopping {
                    Some("the broker is stopping".to_string())
                } else if self.ready_zygote(breadth).is_none() {
                    Some("the zygote is not ready".to_string())
                } else if !KINDS.contains(&kind) {
                    Some("there are no workers of that kind".to_string())
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
                let hit = self.waiting.is_empty() && self.idle(kind).is_some();
                *if hit { &mut self.status.hits } else { &mut self.status.misses } += 1;
                if !hit {
                    tell(&client, &Grant::Later, &[]);
                }
                self.waiting.push_back(Waiting { client, kind, policy, inputs, store });
                self.serve_waiting();
            }
        }
    }

    pub(super) fn idle(&self, kind: Kind) -> Option<u64> {
        let idle = |slot: &&Slot| slot.kind == kind && matches!(slot.state, State::Idle(_));
        self.slots.values().rev().find(idle).map(|slot| slot.id)
    }

    /// Hands idle workers to those who wait, in the order in which they came.
    pub(super) fn serve_waiting(&mut self) {
        for kind in KINDS {
            while let Some(id) = self.idle(kind) {
                let first = self.waiting.iter().position(|order| order.kind == kind);
                let Some(order) = first.and_then(|first| self.waiting.remove(first)) else { break };
                self.dispatch(id, order);
            }
        }
    }

    pub(super) fn dispatch(&mut self, id: u64, order: Waiting) {
        let Waiting { client, policy, inputs, store, .. } = order;
        let Some(slot) = self.slots.get_mut(&id) else { return };
        let shown = store.as_ref().map_or(Ok(()), |store| self.hub.show(id, store, &inputs));
        let taken = shown.and_then(|()| slot.take(&policy));
        match taken {
            Ok(Ends { kernel, stdout, stderr }) => {
                let started = Instant::now();
                // What has just begun has used nothing yet.
                (self.last_dispatch, self.last_sample) = (started, started);
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

    /// Those who wait get a cold cell sooner than one from here.
    pub(super) fn turn_away(&mut self, why: &str) {
        for Waiting { client, .. } in self.waiting.drain(..) {
            tell(&client, &Grant::Unfit { reason: why.into() }, &[]);
        }
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

/// Messages fit the socket's buffer; who does not read them has gone.
pub(super) fn tell(client: &UnixStream, message: &impl Serialize, descriptors: &[RawFd]) {
    if let Ok(bytes) = frame(message) {
        let _ = sys::send(client.as_raw_fd(), &bytes, descriptors);
    }
}
