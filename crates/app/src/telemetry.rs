//! What the program tells of its own work: lines of a log on stderr, and spans for a collector (OTLP). One subscriber, made
//! here, hears both; where nobody wants either there is none, and a span costs the look at one number.
//!
//! ```text
//! tracing's macros --(targets `assay::…` only)--> Watch -+-> lines     (filter; text or JSON)
//!                                                        +-> exporter  (a thread of its own; bounded; never waited for)
//! ```
//!
//! Invariants
//! - Nothing of another crate's is heard: what libraries say of their work may hold what passes through them.
//! - Spans and events name runs, steps, models, doors, codes, counts and times. No message of a problem, no text of a
//!   prompt, a reply, a question or a cell, no key and no token is ever given to them.

mod export;
mod filter;
mod lines;
mod otlp;
mod watch;

use std::sync::Arc;

use base::{Code, Problem};
use tracing_subscriber::Registry;
use tracing_subscriber::layer::SubscriberExt;

pub use self::export::Exported;
use self::export::Exporter;
pub use self::filter::LogFilter;
pub use self::lines::{Form, Out};
use self::watch::Watch;
use crate::settings::Settings;

/// What of it is at work. Dropping it ends nothing.
pub struct Telemetry {
    exporter: Option<Exporter>,
}

impl Telemetry {
    /// Begins to tell, once in a process: lines to `out`, spans to the collector that the settings name.
    pub fn start(settings: &Settings, form: Form, out: Out) -> Result<Telemetry, Problem> {
        let lines = settings.log.clone().map(|filter| (filter, form, out));
        let exporter = settings.otlp.as_ref().map(Exporter::start).transpose()?;
        if lines.is_none() && exporter.is_none() {
            return Ok(Telemetry { exporter });
        }
        let watch = Watch::new(lines, exporter.clone());
        tracing::subscriber::set_global_default(Registry::default().with(watch))
            .map_err(|error| Problem::new(Code::Internal, format!("the log cannot be begun: {error}")))?;
        Ok(Telemetry { exporter })
    }

    /// What became of the spans that were meant for a collector, if there is one.
    pub fn exported(&self) -> Option<Arc<Exported>> {
        self.exporter.as_ref().map(Exporter::exported)
    }

    /// Sends what is left, unless that takes longer than anybody would wait for it.
    pub async fn finish(&self) {
        if let Some(exporter) = &self.exporter {
            exporter.finish().await;
        }
    }
}
