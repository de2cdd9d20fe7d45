//! The three parts that are text: how a run is spelled in them, how they are read back, and whether they make sense
//! together. Pure; the same checks guard writing and reading.

use std::collections::{BTreeMap, BTreeSet};

use base::{Hash, RunId, Timestamp, shown};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use store::{ArtifactRecord, Content, Event, Journal, RunRecord, StepRecord};

use super::flaw::Flaw;
use super::{Capsule, EVENTS, INLINE_BYTES_MAX, JOURNAL, RUN};

/// The bytes of `run.json`, `journal.jsonl` and `events.jsonl`.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) run: Vec<u8>,
    pub(super) journal: Vec<u8>,
    pub(super) events: Vec<u8>,
}

/// What `run.json` holds.
#[derive(Serialize)]
struct RunDocument<'a> {
    v: u32,
    kind: &'a str,
    #[serde(flatten)]
    run: &'a RunRecord,
    artifacts: &'a [ArtifactRecord],
}

/// What `run.json` has beside the fields of the run.
#[derive(Deserialize)]
struct RunExtras {
    v: u32,
    kind: String,
    artifacts: Vec<ArtifactRecord>,
}

#[derive(Deserialize)]
struct EventLine {
    v: u32,
    run: RunId,
    seq: i64,
    at: Timestamp,
    #[serde(rename = "type")]
    kind: String,
    data: Value,
}

impl Texts {
    pub(super) fn of(capsule: &Capsule) -> Result<Texts, Flaw> {
        let Journal { run, steps, artifacts } = &capsule.journal;
        let run = pretty(RUN, &RunDocument { v: 1, kind: "run", run, artifacts })?;
        Ok(Texts { run, journal: to_lines(JOURNAL, steps)?, events: to_lines(EVENTS, &capsule.events)? })
    }

    /// Reads the run and its artifacts back, and checks what they say.
    pub(super) fn run(&self) -> Result<(RunRecord, Vec<ArtifactRecord>), Flaw> {
        let broken = |error: serde_json::Error| Flaw::in_part(RUN, format!("cannot be understood: {error}"));
        let run: RunRecord = serde_json::from_slice(&self.run).map_err(broken)?;
        let extras: RunExtras = serde_json::from_slice(&self.run).map_err(broken)?;
        if extras.v != 1 || extras.kind != "run" {
            return Err(Flaw::in_part(RUN, "is not a `run` document of version 1"));
        }
        check_run(&run, &extras.artifacts)?;
        Ok((run, extras.artifacts))
    }

    /// Reads the rest back, and checks what it says about this run.
    pub(super) fn capsule(&self, run: RunRecord, artifacts: Vec<ArtifactRecord>) -> Result<Capsule, Flaw> {
        let steps: Vec<StepRecord> = from_lines(JOURNAL, &self.journal)?;
        check_steps(&steps)?;
        let events = events_of(&run, from_lines(EVENTS, &self.events)?)?;
        check_told(&run, &steps, &events)?;
        Ok(Capsule { journal: Journal { run, steps, artifacts }, events })
    }
}

/// A document for people too, with a newline at its end.
pub(super) fn pretty(part: &str, document: &impl Serialize) -> Result<Vec<u8>, Flaw> {
    let text = serde_json::to_vec_pretty(document);
    let mut text = text.map_err(|error| Flaw::in_part(part, format!("cannot be spelled: {error}")))?;
    text.push(b'\n');
    Ok(text)
}

fn to_lines<T: Serialize>(part: &str, records: &[T]) -> Result<Vec<u8>, Flaw> {
    let mut text = Vec::new();
    for (index, record) in records.iter().enumerate() {
        serde_json::to_writer(&mut text, record)
            .map_err(|error| in_line(part, index, &format!("cannot be spelled: {error}")))?;
        text.push(b'\n');
    }
    Ok(text)
}

fn from_lines<T: DeserializeOwned>(part: &str, text: &[u8]) -> Result<Vec<T>, Flaw> {
    let Some((last, lines)) = text.split_last() else {
        return Ok(Vec::new());
    };
    if *last != b'\n' {
        return Err(Flaw::in_part(part, "ends in the middle of a line"));
    }
    let lines = lines.split(|byte| *byte == b'\n').enumerate();
    let records = lines.map(|(index, line)| {
        serde_json::from_slice(line).map_err(|error| in_line(part, index, &format!("cannot be understood: {error}")))
    });
    records.collect()
}

fn in_line(part: &str, index: usize, what: &str) -> Flaw {
    Flaw::in_part(part, format!("line {} {what}", index + 1))
}

fn check_run(run: &RunRecord, artifacts: &[ArtifactRecord]) -> Result<(), Flaw> {
    let wrong = |what: &str| Err(Flaw::in_part(RUN, what));
    if run.attempts < 0 || run.last_seq < 0 || run.forked_from.as_ref().is_some_and(|from| from.step < 0) {
        return wrong("has a count below zero");
    }
    if run.task.is_empty() {
        return wrong("names no task");
    }
    if run.input_hash.as_ref().is_some_and(|hash| *hash != Hash::of_json(&run.input)) {
        return wrong("has an `input_hash` that is not the hash of its input");
    }
    if run.problem.as_ref().is_some_and(|problem| !problem.is_object()) {
        return wrong("has a problem that is no document");
    }
    if let Some(output) = &run.output {
        check_inline(output).map_err(|what| Flaw::in_part(RUN, format!("has an output that {what}")))?;
    }
    let mut names = BTreeSet::new();
    for artifact in artifacts {
        let name = &artifact.name;
        if !is_harmless(name) {
            return wrong(&format!("has an artifact with the name `{}`", shown(name)));
        }
        if !names.insert(name) {
            return wrong(&format!("has two artifacts with the name `{}`", shown(name)));
        }
    }
    Ok(())
}

/// Whether a name stays where it is put, should anybody ever use it as a path.
fn is_harmless(name: &str) -> bool {
    let climbs = name.split(['/', '\\']).any(|component| component == "..");
    !name.is_empty() && !name.starts_with('/') && !name.contains('\0') && !climbs
}

/// Ten years.
const DURATION_MS_MAX: f64 = 10.0 * 366.0 * 86_400_000.0;

fn check_steps(steps: &[StepRecord]) -> Result<(), Flaw> {
    for (index, step) in steps.iter().enumerate() {
        let wrong = |what: &str| Err(in_line(JOURNAL, index, what));
        if usize::try_from(step.position) != Ok(index) {
            return wrong(&format!("is step {}, where step {index} belongs", step.position));
        }
        if step.attempts < 0 || !(0.0..=DURATION_MS_MAX).contains(&step.duration_ms) {
            return wrong("has a count that cannot be");
        }
        check_inline(&step.output).map_err(|what| in_line(JOURNAL, index, &format!("has an output that {what}")))?;
        let found = match &step.output {
            Content::Inline(text) => &Hash::of(text.as_bytes()),
            Content::Artifact(sha256) => sha256,
        };
        if *found != step.output_hash {
            return wrong("has an `output_hash` that is not the hash of its output");
        }
    }
    Ok(())
}

fn check_inline(output: &Content) -> Result<(), String> {
    match output {
        Content::Inline(text) if text.len() > INLINE_BYTES_MAX => {
            Err(format!("takes {} bytes of its line; {INLINE_BYTES_MAX} are allowed", text.len()))
        }
        Content::Inline(text) => {
            serde_json::from_str::<Value>(text).map(drop).map_err(|error| format!("is not JSON: {error}"))
        }
        Content::Artifact(_) => Ok(()),
    }
}

/// The events tell of the same steps and the same end as the journal and the run.
fn check_told(run: &RunRecord, steps: &[StepRecord], events: &[Event]) -> Result<(), Flaw> {
    let mut told: BTreeMap<i64, &Value> = BTreeMap::new();
    for event in events.iter().filter(|event| event.kind == "step.finished") {
        told.insert(event.data["index"].as_i64().unwrap_or(-1), &event.data["output_hash"]);
    }
    let recorded: BTreeMap<i64, Value> =
        steps.iter().map(|step| (step.position, Value::from(step.output_hash.as_str()))).collect();
    if !told.into_iter().eq(recorded.iter().map(|(position, hash)| (*position, hash))) {
        return Err(Flaw::in_part(EVENTS, "tells of other steps than the journal has"));
    }
    if !run.state.is_final() {
        return Ok(());
    }
    let output = run.output.as_ref().map_or(Value::Null, Content::document);
    let problem = run.problem.clone().unwrap_or(Value::Null);
    let same_end = events.last().is_some_and(|last| {
        let data = &last.data;
        let same = data["state"] == run.state.as_str() && data["output"] == output && data["problem"] == problem;
        last.kind == "run.finished" && same
    });
    if same_end { Ok(()) } else { Err(Flaw::in_part(EVENTS, "tells of another end than the run's")) }
}

fn events_of(run: &RunRecord, lines: Vec<EventLine>) -> Result<Vec<Event>, Flaw> {
    let mut last_seq = 0;
    let mut events = Vec::with_capacity(lines.len());
    for (index, line) in lines.into_iter().enumerate() {
        if line.v != 1 {
            return Err(in_line(EVENTS, index, "is not an event of version 1"));
        }
        if line.run != run.id {
            return Err(in_line(EVENTS, index, "belongs to another run"));
        }
        if line.seq != last_seq + 1 {
            return Err(in_line(EVENTS, index, &format!("has the number {} after {last_seq}", line.seq)));
        }
        last_seq = line.seq;
        events.push(Event { run: line.run, seq: Some(line.seq), at: line.at, kind: line.kind, data: line.data });
    }
    if last_seq != run.last_seq {
        let what = format!("ends with event {last_seq}, and the run's last is {}", run.last_seq);
        return Err(Flaw::in_part(EVENTS, what));
    }
    Ok(events)
}
