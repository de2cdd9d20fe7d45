//! Sends closed spans to a collector, on a thread of its own: what is told to it is put into a bounded queue and never
//! waited for. What does not fit, or what the collector does not take, is lost and counted; nothing is sent twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use base::{Code, Problem};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url, redirect};
use tokio::sync::oneshot;

use super::otlp::Traces;
use super::watch::SpanFacts;
use crate::settings::Collector;

/// How many spans may wait.
const QUEUE_MAX: usize = 4_096;
/// How many are sent at once, and how long the first of them waits for others.
const BATCH_MAX: usize = 512;
const BATCH_AGE_MAX: Duration = Duration::from_secs(1);
/// How long the collector may take.
const SEND_TIME_MAX: Duration = Duration::from_secs(5);
/// How long the end of a command waits for what is left.
const FINISH_TIME_MAX: Duration = Duration::from_millis(250);

/// What became of spans.
#[derive(Debug, Default)]
pub struct Exported {
    sent: AtomicU64,
    lost: AtomicU64,
}

impl Exported {
    /// How many the collector took.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// How many were lost.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

/// The near end of the queue. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Exporter {
    queue: SyncSender<Told>,
    exported: Arc<Exported>,
}

enum Told {
    Closed(Box<SpanFacts>),
    /// Everything that came before is to be sent now.
    Finish(oneshot::Sender<()>),
}

impl Exporter {
    pub(crate) fn start(collector: &Collector) -> Result<Exporter, Problem> {
        let sender = Sender::to(collector)?;
        let (queue, told) = sync_channel(QUEUE_MAX);
        let exported = sender.exported.clone();
        let begun = std::thread::Builder::new().name("spans".to_string()).spawn(move || sender.run(&told));
        begun.map_err(|error| Problem::new(Code::Internal, format!("spans cannot be sent: {error}")))?;
        Ok(Exporter { queue, exported })
    }

    /// Leaves a span to the thread, or loses it.
    pub(crate) fn send(&self, facts: SpanFacts) {
        if self.queue.try_send(Told::Closed(Box::new(facts))).is_err() {
            self.exported.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn exported(&self) -> Arc<Exported> {
        self.exported.clone()
    }

    pub(crate) async fn finish(&self) {
        let (tell, told) = oneshot::channel();
        if self.queue.try_send(Told::Finish(tell)).is_ok() {
            let _ = tokio::time::timeout(FINISH_TIME_MAX, told).await;
        }
    }
}

/// The far end.
struct Sender {
    address: Url,
    service: String,
    headers: HeaderMap,
    exported: Arc<Exported>,
}

impl Sender {
    fn to(collector: &Collector) -> Result<Sender, Problem> {
        let invalid = |what: &str| {
            Problem::new(Code::SettingInvalid, format!("the collector of spans cannot be reached: {what}"))
                .hint("give an address such as http://localhost:4318, and headers as NAME=VALUE,NAME=VALUE")
        };
        let address = Url::parse(&collector.address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let address = address.ok_or_else(|| invalid("its address is none"))?;
        let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        for (name, value) in &collector.headers {
            let (name, value) = (HeaderName::try_from(name.as_str()), HeaderValue::from_str(value.expose()));
            let (Ok(name), Ok(mut value)) = (name, value) else { return Err(invalid("a header is none")) };
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(Sender { address, service: collector.service.clone(), headers, exported: Arc::default() })
    }

    /// Ends when nobody can tell anything any more.
    fn run(&self, told: &Receiver<Told>) {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        // Made when there is something to send: it reads the system's certificates.
        let mut client = None;
        let mut over = false;
        while !over {
            let (batch, finish, is_last) = gather(told);
            over = is_last;
            if !batch.is_empty() {
                let count = batch.len() as u64;
                let taken = runtime.block_on(self.post(&mut client, batch));
                let counter = if taken { &self.exported.sent } else { &self.exported.lost };
                counter.fetch_add(count, Ordering::Relaxed);
            }
            if let Some(finish) = finish {
                let _ = finish.send(());
            }
        }
    }

    /// Whether the collector took them.
    async fn post(&self, client: &mut Option<Client>, batch: Vec<SpanFacts>) -> bool {
        if client.is_none() {
            model::provide_cryptography();
            let built = Client::builder().redirect(redirect::Policy::none()).no_proxy().timeout(SEND_TIME_MAX).build();
            *client = built.ok();
        }
        let (Some(client), Ok(body)) = (client, serde_json::to_vec(&Traces::of(&self.service, batch))) else {
            return false;
        };
        let request = client.post(self.address.clone()).headers(self.headers.clone()).body(body);
        matches!(request.send().await, Ok(response) if response.status().is_success())
    }
}

/// What came together, who waits for it to be sent, and whether nothing comes any more.
fn gather(told: &Receiver<Told>) -> (Vec<SpanFacts>, Option<oneshot::Sender<()>>, bool) {
    let mut batch = Vec::new();
    let mut until = None;
    while batch.len() < BATCH_MAX {
        let next = match until {
            None => told.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(until) => told.recv_timeout(Instant::saturating_duration_since(&until, Instant::now())),
        };
        match next {
            Ok(Told::Closed(facts)) => batch.push(*facts),
            Ok(Told::Finish(tell)) => return (batch, Some(tell), false),
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return (batch, None, true),
        }
        until.get_or_insert_with(|| Instant::now() + BATCH_AGE_MAX);
    }
    (batch, None, false)
}
