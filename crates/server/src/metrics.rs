//! What the server did, as counters, and how it stands, as gauges, in the text that Prometheus reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use app::tokens::Scope;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::Response;
use base::{Code, Problem};

use crate::caller::known;
use crate::refusal::{Answered, Refusal};
use crate::serve::Site;

/// Statuses come in five classes.
const CLASSES: usize = 5;
/// Upper bounds of how long requests take, in milliseconds.
const BOUNDS_MS: [u64; 8] = [1, 5, 10, 50, 100, 500, 2_000, 10_000];

/// What was counted since the start.
#[derive(Debug, Default)]
pub struct Counters {
    by_class: [AtomicU64; CLASSES],
    by_bound: [AtomicU64; BOUNDS_MS.len()],
    microseconds: AtomicU64,
}

impl Counters {
    /// A request was answered, so fast.
    pub fn answered(&self, status: u16, took: Duration) {
        let class = usize::from(status / 100).clamp(1, CLASSES) - 1;
        self.by_class[class].fetch_add(1, Ordering::Relaxed);
        self.microseconds.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        for (bound, count) in BOUNDS_MS.iter().zip(&self.by_bound) {
            if took.as_millis() < u128::from(*bound) {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn write(&self, out: &mut Text) {
        out.head("assay_requests_total", "counter", "requests by the class of their status");
        let mut all = 0;
        for (class, count) in self.by_class.iter().enumerate() {
            let count = count.load(Ordering::Relaxed);
            all += count;
            out.line("assay_requests_total", &[("class", &format!("{}xx", class + 1))], count as f64);
        }
        out.head("assay_request_seconds", "histogram", "how long requests took until their answer began");
        for (bound, count) in BOUNDS_MS.iter().zip(&self.by_bound) {
            let bound = (*bound as f64 / 1_000.0).to_string();
            out.line("assay_request_seconds_bucket", &[("le", &bound)], count.load(Ordering::Relaxed) as f64);
        }
        out.line("assay_request_seconds_bucket", &[("le", "+Inf")], all as f64);
        out.line("assay_request_seconds_sum", &[], self.microseconds.load(Ordering::Relaxed) as f64 / 1e6);
        out.line("assay_request_seconds_count", &[], all as f64);
    }
}

/// The text under way.
#[derive(Default)]
struct Text(String);

impl Text {
    fn head(&mut self, name: &str, kind: &str, about: &str) {
        let _ = writeln!(self.0, "# HELP {name} {about}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The metrics; on loopback for everybody.
pub async fn show(State(site): State<Site>, headers: HeaderMap) -> Answered<Response> {
    if !site.address.ip().is_loopback() && known(&site, &Method::GET, &headers).await?.scope < Scope::Admin {
        return Err(Refusal::new(Code::Forbidden, "the token does not allow to admin", "use one whose scope is wider"));
    }
    let mut response = Response::new(Body::from(text(&site).await?));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

async fn text(site: &Site) -> Result<String, Problem> {
    let mut out = Text::default();
    site.counters.write(&mut out);
    let mut runs: BTreeMap<(String, String), i64> = BTreeMap::new();
    let (mut waiting, mut used, mut most, mut commits, mut owners) = (0, 0, 0, 0, 0);
    for place in site.places.all().await {
        for (task, state, count) in place.app.store().await?.tally().await? {
            *runs.entry((task, state)).or_default() += count;
        }
        waiting += place.runs().await?.queue().await?.0;
        let (at_work, may_be) = place.at_work();
        (used, most, owners) = (used + at_work, most + may_be, owners + 1);
        commits += place.app.store().await?.commits();
    }
    out.head("assay_runs", "gauge", "recorded runs by task and state");
    for ((task, state), count) in &runs {
        out.line("assay_runs", &[("task", task), ("state", state)], *count as f64);
    }
    let gauges = [
        ("assay_queue_waiting", "runs that wait for a slot", waiting as f64),
        ("assay_slots_used", "runs at work", used as f64),
        ("assay_slots", "runs that may be at work at once", most as f64),
        ("assay_owners", "owners whose places are open", f64::from(owners)),
    ];
    for (name, about, value) in gauges {
        out.head(name, "gauge", about);
        out.line(name, &[], value);
    }
    out.head("assay_journal_commits_total", "counter", "transactions that this process committed");
    out.line("assay_journal_commits_total", &[], commits as f64);
    Ok(out.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_cannot_end_its_line_and_a_histogram_adds_up() {
        let counters = Counters::default();
        counters.answered(200, Duration::from_millis(3));
        counters.answered(404, Duration::from_secs(60));
        let mut out = Text::default();
        counters.write(&mut out);
        for line in [
            "assay_requests_total{class=\"2xx\"} 1",
            "assay_requests_total{class=\"4xx\"} 1",
            "assay_request_seconds_bucket{le=\"0.001\"} 0",
            "assay_request_seconds_bucket{le=\"0.005\"} 1",
            "assay_request_seconds_bucket{le=\"+Inf\"} 2",
        ] {
            assert!(out.0.lines().any(|one| one == line), "{line} in\n{}", out.0);
        }
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
