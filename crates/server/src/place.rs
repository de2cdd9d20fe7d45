//! An owner's place: a data directory with everything the owner made, and the engine over it. The place of whoever runs
//! the server is the data directory itself; those of others lie in its folder `of/`.
//!
//! Invariant: a caller is lent one place, so that what another owner made is not hidden from it but not there.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use app::tokens::{LOCAL, is_owner};
use app::{App, Asked, ServeLimits, Settings};
use base::{Code, Problem, RunId};
use flow::{Request, Runs, Slot, Slots, Spawned, Start, Worker};
use serde_json::Value;
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;
use warehouse::{DataNames, Progress};

use crate::counters::Counters;
use crate::uploads;

/// How long a caller who waits for an answer waits beside the queue, which costs a commit.
const PATIENCE: Duration = Duration::from_secs(1);
/// Where the places of others lie.
const FOLDER: &str = "of";
/// How often it is looked whether a broker was missed.
const WARM_EVERY: Duration = Duration::from_secs(2);
/// More owners are not served by one process.
const PLACES_MAX: usize = 256;

/// Everything one owner has.
pub struct Place {
    /// Whose it is.
    pub owner: String,
    /// Settings, data and engine.
    pub app: App,
    /// What is counted, for all owners together.
    pub counters: Arc<Counters>,
    slots: Slots,
}

/// A run that goes on, and how to hear of its end.
pub struct Begun {
    /// The run.
    pub run: RunId,
    spawned: Option<Spawned>,
}

impl Place {
    /// What callers may call data: names of datasets, and no spelling of a file.
    pub fn names(&self) -> DataNames {
        DataNames::only(self.app.warehouse().datasets())
    }

    /// What callers may take.
    pub fn limits(&self) -> &ServeLimits {
        &self.app.settings.serve
    }

    /// The owner's runs.
    pub async fn runs(&self) -> Result<&Runs, Problem> {
        Ok(self.app.engine().await?.runs())
    }

    /// Begins a run, which goes on whether or not anybody waits for it. Where as many as may are at work, it waits in the
    /// queue.
    pub async fn begin(&self, request: Request) -> Result<Begun, Problem> {
        self.begin_in(self.slots.take(), request).await
    }

    /// The same for a caller who waits for the end in any case, and for a moment until the run begins.
    pub async fn begin_soon(&self, request: Request) -> Result<Begun, Problem> {
        self.begin_in(self.slots.take_within(PATIENCE).await, request).await
    }

    async fn begin_in(&self, slot: Option<Slot>, request: Request) -> Result<Begun, Problem> {
        let engine = self.app.engine().await?;
        if let Some(slot) = slot {
            let spawned = engine.spawn_in(&self.app.context, Start::Queued(request), Some(slot)).await?;
            return Ok(Begun { run: spawned.run.clone(), spawned: Some(spawned) });
        }
        let (waiting, _) = engine.runs().queue().await?;
        if usize::try_from(waiting).is_ok_and(|waiting| waiting >= self.limits().queue) {
            return Err(Problem::new(Code::TooManyRequests, format!("{waiting} runs wait already"))
                .hint("try again when some of them are over"));
        }
        let run = engine.enqueue(&request).await?;
        self.slots.one_waits();
        Ok(Begun { run, spawned: None })
    }

    /// What a run that was begun comes to, waited for: its document.
    pub async fn end_of(&self, begun: Begun) -> Result<Value, Problem> {
        if let Some(mut spawned) = begun.spawned {
            return Ok(spawned.ended().await?.result?.output);
        }
        let mut events = self.runs().await?.watch(&begun.run, 0);
        while let Some(event) = events.next().await? {
            if event.kind == "run.finished" {
                return match serde_json::from_value::<Option<Problem>>(event.data["problem"].clone()) {
                    Ok(Some(problem)) => Err(problem),
                    _ => Ok(event.data["output"].clone()),
                };
            }
        }
        Err(Problem::new(Code::Cancelled, "nobody works on the run any more").in_run(&begun.run))
    }

    /// A run was left to whoever takes it from the queue.
    pub fn one_waits(&self) {
        self.slots.one_waits();
    }

    /// How many runs are at work here, and how many may be.
    pub fn at_work(&self) -> (usize, usize) {
        self.slots.count()
    }
}

/// The places that are open.
pub struct Places {
    settings: Settings,
    progress: Progress,
    open: Mutex<HashMap<String, Arc<Place>>>,
    working: Mutex<JoinSet<()>>,
    stop: watch::Sender<bool>,
    /// What is counted, for all owners together.
    pub counters: Arc<Counters>,
}

impl Places {
    /// None is open yet.
    pub fn new(settings: Settings, progress: Progress) -> Places {
        let (open, working) = (Mutex::default(), Mutex::default());
        let counters = Arc::new(Counters::of(&settings.serve));
        Places { settings, progress, open, working, stop: watch::channel(false).0, counters }
    }

    /// What callers may take.
    pub fn limits(&self) -> &ServeLimits {
        &self.settings.serve
    }

    /// What was asked of models, for all owners together.
    pub fn asked(&self) -> Vec<Asked> {
        self.settings.models.tally.all()
    }

    /// An owner's place, opened on first need; what waits there is worked on from then on.
    pub async fn of(&self, owner: &str) -> Result<Arc<Place>, Problem> {
        let mut open = self.open.lock().await;
        if let Some(place) = open.get(owner) {
            return Ok(place.clone());
        }
        if open.len() >= PLACES_MAX {
            return Err(
                Problem::new(Code::TooManyRequests, "too many owners are served at once").hint("try again later")
            );
        }
        let mut settings = self.settings.clone();
        if owner != LOCAL {
            debug_assert!(is_owner(owner), "only such names are given to tokens");
            settings.data_dir = self.settings.data_dir.join(FOLDER).join(owner);
            // One broker serves all who have no folder for sockets.
            settings.runtime_dir = settings.runtime_dir.or_else(|| Some(self.settings.data_dir.clone()));
        }
        let slots = Slots::new(settings.serve.runs);
        let app = App::new(settings, self.progress.clone());
        let (datasets, whole) = app.warehouse().datasets().all();
        if whole {
            let named: Vec<_> = datasets.into_iter().flat_map(|dataset| dataset.paths).collect();
            uploads::sweep(&app.settings.data_dir, &named);
        }
        app.engine().await?;
        app.warehouse().kept.begin();
        let place = Arc::new(Place { owner: owner.to_string(), app, counters: self.counters.clone(), slots });
        let mut working = self.working.lock().await;
        working.spawn(work(place.clone(), self.stop.subscribe()));
        working.spawn(keep_warm(place.clone(), self.stop.subscribe()));
        open.insert(owner.to_string(), place.clone());
        Ok(place)
    }

    /// Opens the places of everybody who made something before, so that what waits there goes on.
    pub async fn reopen(&self) -> Result<(), Problem> {
        for entry in fs::read_dir(self.settings.data_dir.join(FOLDER)).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_owner(&name) && entry.path().join("store.db").is_file() {
                self.of(&name).await?;
            }
        }
        Ok(())
    }

    /// Those that are open now.
    pub async fn all(&self) -> Vec<Arc<Place>> {
        self.open.lock().await.values().cloned().collect()
    }

    /// Hands back what is not finished, and ends what is still running.
    pub async fn close(&self) {
        let _ = self.stop.send(true);
        for place in self.all().await {
            if let Ok(engine) = place.app.engine().await {
                engine.hand_back().await;
            }
        }
        let mut working = std::mem::take(&mut *self.working.lock().await);
        while working.join_next().await.is_some() {}
        for place in self.all().await {
            place.app.close().await;
        }
    }
}

/// Works on runs that wait: what an earlier server left, and what was queued.
async fn work(place: Arc<Place>, mut stop: watch::Receiver<bool>) {
    let Ok(engine) = place.app.engine().await else { return };
    let stop = async move { drop(stop.wait_for(|over| *over).await) };
    let worker = Worker { slots: place.slots.clone(), until_idle: false };
    let _ = engine.work_queue(&place.app.context, worker, stop, |_| {}).await;
}

/// Has a broker ready, and again whenever one was missed. Without one every cell is cold: slower, not weaker.
async fn keep_warm(place: Arc<Place>, mut stop: watch::Receiver<bool>) {
    let warehouse = place.app.warehouse();
    let keeping = async {
        if let Ok(sandbox) = warehouse.sandbox().await
            && let Some(broker) = sandbox.broker()
            && broker.status().await.is_none()
        {
            let _ = broker.start();
        }
        loop {
            tokio::time::sleep(WARM_EVERY).await;
            warehouse.provide_broker();
            warehouse.kept.sweep();
        }
    };
    tokio::select! {
        () = keeping => {}
        _ = stop.wait_for(|over| *over) => {}
    }
}
