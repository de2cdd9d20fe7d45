//! Keeps what this process holds: renews the leases of its runs, and notices when a run is to stop or is lost.
//!
//! It works on a thread and a connection of its own, so that neither a task that computes for long nor a queue of
//! commits can make this process look dead. A command that ends within moments never gets to that: the thread first
//! sleeps.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base::Problem;
use store::{Fence, Lease, Store};
use tokio::sync::{oneshot, watch};

use crate::owner::Owner;

/// How often it looks whether a run is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How much of a lease passes before it is renewed.
const RENEW_AFTER: f64 = 1.0 / 3.0;

/// What a run at work is told from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    GoOn,
    /// A user asked for its end.
    Cancel,
    /// Another process has it now.
    Lost,
    /// This process is about to end; another may go on with it.
    HandBack,
}

/// This process's hold on its runs. Dropping it gives them up.
pub(crate) struct Keeper {
    owner: Owner,
    lease: Lease,
    held: Arc<Mutex<Holdings>>,
    /// The thread ends when this is dropped.
    _thread: oneshot::Sender<()>,
}

/// By attempt: a process may take a run again that was taken from it.
type Holdings = BTreeMap<Fence, watch::Sender<Signal>>;

/// A hold on one run; letting go of it ends the renewal.
pub(crate) struct Grip {
    fence: Fence,
    signal: watch::Receiver<Signal>,
    held: Arc<Mutex<Holdings>>,
}

impl Keeper {
    /// Enters this process among the living and begins to keep.
    pub(crate) fn enter(data_dir: &Path, program: &str, lease_for: Duration) -> Result<Keeper, Problem> {
        let owner = Owner::enter(data_dir)?;
        let lease =
            Lease { owner: owner.id().to_string(), program: program.to_string(), for_ms: lease_for.as_millis() as i64 };
        let held = Arc::new(Mutex::new(Holdings::new()));
        let (thread, ended) = oneshot::channel();
        let watch = Watch { data_dir: data_dir.to_path_buf(), lease: lease.clone(), lease_for, held: held.clone() };
        std::thread::spawn(move || watch.run(ended));
        Ok(Keeper { owner, lease, held, _thread: thread })
    }

    pub(crate) fn lease(&self) -> &Lease {
        debug_assert_eq!(self.lease.owner, self.owner.id());
        &self.lease
    }

    /// Holds a run that this process has just begun an attempt of.
    pub(crate) fn hold(&self, fence: Fence) -> Grip {
        let (tell, signal) = watch::channel(Signal::GoOn);
        lock(&self.held).insert(fence.clone(), tell);
        Grip { fence, signal, held: self.held.clone() }
    }

    /// Tells every run that this process is about to end.
    pub(crate) fn hand_back(&self) {
        tell(&lock(&self.held), |_| true, Signal::HandBack);
    }

    /// What this process holds, whatever the clock says.
    pub(crate) fn held(&self) -> Vec<Fence> {
        lock(&self.held).keys().cloned().collect()
    }
}

impl Grip {
    /// What is held.
    pub(crate) fn fence(&self) -> &Fence {
        &self.fence
    }

    /// Comes back when the run shall not go on, and says why.
    pub(crate) async fn stopped(&mut self) -> Signal {
        let told = self.signal.wait_for(|signal| *signal != Signal::GoOn).await.map(|signal| *signal);
        match told {
            Ok(signal) => signal,
            // Nobody keeps the run any more, so nobody will ever tell.
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for Grip {
    fn drop(&mut self) {
        lock(&self.held).remove(&self.fence);
    }
}

/// Nothing panics while it is held; a poisoned lock still guards a whole value.
fn lock(held: &Mutex<Holdings>) -> MutexGuard<'_, Holdings> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the thread works with.
struct Watch {
    data_dir: PathBuf,
    lease: Lease,
    lease_for: Duration,
    held: Arc<Mutex<Holdings>>,
}

impl Watch {
    fn run(self, mut ended: oneshot::Receiver<()>) {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            tokio::select! {
                _ = &mut ended => {}
                () = self.keep() => {}
            }
        });
    }

    /// Never comes back. A store that does not answer is asked again: until the lease lapses nothing is lost, and then
    /// the fence decides.
    async fn keep(&self) {
        let mut store = None;
        let (mut renewed_at, mut seen) = (Instant::now(), None);
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let fences = self.fences();
            if fences.is_empty() {
                renewed_at = Instant::now();
                continue;
            }
            if store.is_none() {
                store = Store::open(&self.data_dir).await.ok();
            }
            let Some(store) = &store else { continue };
            if renewed_at.elapsed() >= self.lease_for.mul_f64(RENEW_AFTER) {
                if self.renew(store, fences).await.is_ok() {
                    renewed_at = Instant::now();
                }
            } else if let Ok(version) = store.version().await
                && seen.replace(version) != Some(version)
                && let Ok(requests) = store.cancel_requests(&self.lease.owner).await
            {
                self.tell(|fence| requests.contains(&fence.run), Signal::Cancel);
            }
        }
    }

    fn fences(&self) -> Vec<Fence> {
        lock(&self.held).keys().cloned().collect()
    }

    async fn renew(&self, store: &Store, fences: Vec<Fence>) -> Result<(), store::Error> {
        let ours = store.renew_leases(fences.clone(), &self.lease).await?;
        let told_to_stop = |fence: &Fence| ours.iter().any(|held| held.fence == *fence && held.cancel_requested);
        let lost = |fence: &Fence| fences.contains(fence) && !ours.iter().any(|held| held.fence == *fence);
        self.tell(told_to_stop, Signal::Cancel);
        self.tell(lost, Signal::Lost);
        Ok(())
    }

    fn tell(&self, whom: impl Fn(&Fence) -> bool, signal: Signal) {
        tell(&lock(&self.held), whom, signal);
    }
}

/// The first word stands: a run that is cancelled is not handed back too.
fn tell(held: &Holdings, whom: impl Fn(&Fence) -> bool, signal: Signal) {
    for (_, tell) in held.iter().filter(|(fence, _)| whom(fence)) {
        tell.send_if_modified(|told| {
            let first = *told == Signal::GoOn;
            if first {
                *told = signal;
            }
            first
        });
    }
}
