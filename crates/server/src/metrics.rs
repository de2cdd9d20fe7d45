//! `/metrics`: what the server did since its start, and how it stands, in the text that Prometheus reads.
//!
//! No label holds what a caller made up: doors are those of the table, models are bounded in number, and no owner, run or
//! dataset is named.

use std::collections::BTreeMap;
use std::time::Duration;

use app::tokens::Scope;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Extensions, HeaderMap, HeaderValue, Method, header};
use axum::response::Response;
use base::{Code, Durations, Problem};
use sandbox::BrokerStatus;

use crate::caller::{known, peer};
use crate::exposition::Exposition;
use crate::place::Place;
use crate::refusal::{Answered, Refusal};
use crate::serve::Site;

/// A broker that does not say how it is within this time is left out.
const BROKER_TIME_MAX: Duration = Duration::from_millis(200);

/// The metrics; on loopback for everybody.
pub async fn show(State(site): State<Site>, at: Extensions, headers: HeaderMap) -> Answered<Response> {
    let needed = || known(&site, &Method::GET, &headers, peer(&at));
    if !site.address.ip().is_loopback() && needed().await?.scope < Scope::Admin {
        return Err(Refusal::new(Code::Forbidden, "the token does not allow to admin", "use one whose scope is wider"));
    }
    let mut response = Response::new(Body::from(text(&site).await?));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

async fn text(site: &Site) -> Result<String, Problem> {
    let mut out = Exposition::default();
    requests(site, &mut out);
    let stands = Stands::of(site).await?;
    stands.write(&mut out);
    models(site, &mut out);
    if let Some(spans) = &site.spans {
        out.one("assay_spans_sent_total", "counter", "spans that the collector took", spans.sent() as f64);
        out.one("assay_spans_lost_total", "counter", "spans that it did not", spans.lost() as f64);
    }
    Ok(out.text())
}

fn requests(site: &Site, out: &mut Exposition) {
    let counters = &site.places.counters;
    let doors = counters.doors();
    out.family("assay_requests_total", "counter", "requests by door, method and status");
    for at in &doors {
        for (status, count) in &at.statuses {
            let labels = [("door", at.door.as_str()), ("method", at.method), ("status", &status.to_string())];
            out.line("assay_requests_total", &labels, *count as f64);
        }
    }
    out.family("assay_request_seconds", "histogram", "how long requests took until their answer began");
    for at in &doors {
        out.durations("assay_request_seconds", &[("door", &at.door), ("method", at.method)], &at.times);
    }
    let (readers, most) = counters.readers();
    out.one("assay_event_readers", "gauge", "readers of live events", readers as f64);
    out.one("assay_event_readers_max", "gauge", "how many there may be", most as f64);
    out.one("assay_upload_bytes_total", "counter", "bytes of files that were sent", counters.uploads() as f64);
}

fn models(site: &Site, out: &mut Exposition) {
    let asked = site.places.asked();
    out.family("assay_model_seconds", "histogram", "how long models took to reply, those that failed included");
    asked.iter().for_each(|one| out.durations("assay_model_seconds", &[("model", &one.name)], &one.times));
    out.family("assay_model_calls_total", "counter", "requests to models");
    for one in &asked {
        let done = one.times.count().saturating_sub(one.failed);
        for (outcome, count) in [("replied", done), ("failed", one.failed)] {
            out.line("assay_model_calls_total", &[("model", &one.name), ("outcome", outcome)], count as f64);
        }
    }
    out.family("assay_model_tokens_total", "counter", "tokens that replies used, each counted once");
    for one in &asked {
        let tokens = &one.tokens;
        let kinds = [
            ("input", tokens.input),
            ("cache_read", tokens.cache_read),
            ("cache_write", tokens.cache_write),
            ("output", tokens.output),
            ("reasoning", tokens.reasoning),
        ];
        for (kind, count) in kinds {
            out.line("assay_model_tokens_total", &[("model", &one.name), ("kind", kind)], count as f64);
        }
    }
    out.family("assay_model_usd_total", "counter", "what replies of models with prices cost");
    asked.iter().for_each(|one| out.line("assay_model_usd_total", &[("model", &one.name)], one.usd));
}

/// How all owners' places stand together.
#[derive(Default)]
struct Stands {
    runs: BTreeMap<(String, String), i64>,
    waiting: i64,
    waiting_seconds: f64,
    at_work: usize,
    slots: usize,
    owners: usize,
    commits: Durations,
    warm: Durations,
    cold: Durations,
    refused: u64,
    brokers: BTreeMap<std::path::PathBuf, BrokerStatus>,
}

impl Stands {
    async fn of(site: &Site) -> Result<Stands, Problem> {
        let mut all = Stands::default();
        for place in site.places.all().await {
            all.add(&place).await?;
        }
        Ok(all)
    }

    async fn add(&mut self, place: &Place) -> Result<(), Problem> {
        let (store, runs) = (place.app.store().await?, place.runs().await?);
        for (task, state, count) in store.tally().await? {
            *self.runs.entry((task, state)).or_default() += count;
        }
        self.waiting += runs.queue().await?.0;
        if let Some(since) = runs.waiting_since().await? {
            let waited_ms = (runs.now().await?.0 - since.0).max(0);
            self.waiting_seconds = self.waiting_seconds.max(waited_ms as f64 / 1e3);
        }
        let (at_work, slots) = place.at_work();
        (self.at_work, self.slots, self.owners) = (self.at_work + at_work, self.slots + slots, self.owners + 1);
        self.commits.add(&store.commit_times());
        if let Some(sandbox) = place.app.warehouse().sandbox_in_use() {
            let tally = sandbox.tally();
            self.warm.add(&tally.warm());
            self.cold.add(&tally.cold());
            self.refused += tally.refusals();
            // Owners may share a broker.
            if let Some(broker) = sandbox.broker().filter(|broker| !self.brokers.contains_key(&broker.socket()))
                && let Ok(Some(status)) = tokio::time::timeout(BROKER_TIME_MAX, broker.status()).await
            {
                self.brokers.insert(broker.socket(), status);
            }
        }
        Ok(())
    }

    fn write(&self, out: &mut Exposition) {
        out.family("assay_runs", "gauge", "recorded runs by task and state");
        for ((task, state), count) in &self.runs {
            out.line("assay_runs", &[("task", task), ("state", state)], *count as f64);
        }
        let broker = |count: fn(&BrokerStatus) -> usize| self.brokers.values().map(count).sum::<usize>() as f64;
        let gauges = [
            ("assay_queue_waiting", "runs that wait for a slot", self.waiting as f64),
            ("assay_queue_waiting_seconds", "how long the oldest of them has waited", self.waiting_seconds),
            ("assay_slots_used", "runs at work", self.at_work as f64),
            ("assay_slots", "runs that may be at work at once", self.slots as f64),
            ("assay_owners", "owners whose places are open", self.owners as f64),
            ("assay_cells_idle", "warm kernels that wait for something to do", broker(|status| status.idle)),
            ("assay_cells_forming", "warm kernels that are being made", broker(|status| status.forming)),
            ("assay_cells_running", "warm cells at work", broker(|status| status.running)),
            ("assay_cells_waiting", "orders that wait for a warm kernel", broker(|status| status.waiting)),
        ];
        for (name, about, value) in gauges {
            out.one(name, "gauge", about, value);
        }
        out.family("assay_cell_wait_seconds", "histogram", "how long was waited for a cell, warm or cold");
        out.durations("assay_cell_wait_seconds", &[("cell", "warm")], &self.warm);
        out.durations("assay_cell_wait_seconds", &[("cell", "cold")], &self.cold);
        out.one("assay_cells_refused_total", "counter", "how often no cell was to be had", self.refused as f64);
        let commits = self.commits.count() as f64;
        out.one("assay_journal_commits_total", "counter", "transactions that this process committed", commits);
        out.family("assay_journal_commit_seconds", "histogram", "how long they took until they were synced");
        out.durations("assay_journal_commit_seconds", &[], &self.commits);
    }
}
