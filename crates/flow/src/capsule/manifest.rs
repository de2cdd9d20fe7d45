//! The manifest: what a capsule is, and the size and digest of every part.
//!
//! The list of parts is closed: three texts, then contents named by their hash. A manifest that lists anything else is
//! no manifest, so no name from a capsule is ever looked at twice.

use std::collections::BTreeMap;

use base::{Hash, RunId, Timestamp, shown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::RunRecord;

use super::document::pretty;
use super::flaw::Flaw;
use super::{
    ARTIFACTS, CONTAINER_BYTES_MAX, Capsule, EVENTS, FORMAT, JOURNAL, MANIFEST, MANIFEST_BYTES_MAX, PARTS_MAX, RUN,
    TEXT_BYTES_MAX,
};

/// Where and when a capsule is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// By the clock of whoever exports.
    pub exported_at: Timestamp,
    /// The version of the program that exports, which need not be the one that created the run.
    pub exporter: String,
    /// The version of the store's tables the run was read from.
    pub store: u32,
}

/// What `manifest.json` says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    v: u32,
    kind: String,
    /// The layout of the capsule.
    pub format: u32,
    /// The run inside.
    pub run: RunId,
    /// Its task.
    pub task: String,
    /// The version of the program that created the run.
    pub program: String,
    /// The version of the program that wrote the capsule.
    pub exporter: String,
    /// The version of the store's tables the run was read from; nothing depends on it.
    pub store: u32,
    /// When the capsule was written.
    pub exported_at: Timestamp,
    /// Every part but the two of the manifest, in order.
    pub parts: Vec<Part>,
}

/// One part of a capsule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Its name in the container.
    pub path: String,
    /// How long it is.
    pub bytes: u64,
    /// The hash of its contents.
    pub sha256: Hash,
}

impl Part {
    pub(super) fn of(path: &str, contents: &[u8]) -> Part {
        Part { path: path.to_string(), bytes: contents.len() as u64, sha256: Hash::of(contents) }
    }

    /// Whether its contents are an artifact's, and not a text we read.
    pub(super) fn is_artifact(&self) -> bool {
        self.path.starts_with(ARTIFACTS)
    }
}

/// What a manifest of any format has, so that one of the future is recognised as such.
#[derive(Deserialize)]
struct Kind {
    kind: String,
    format: u32,
}

/// Why a manifest is not one we read.
pub(super) enum Refusal {
    /// It says things that do not go together.
    Flawed(Flaw),
    /// It is whole, and has another format.
    Format(u32),
}

impl From<Flaw> for Refusal {
    fn from(flaw: Flaw) -> Refusal {
        Refusal::Flawed(flaw)
    }
}

impl Manifest {
    pub(super) fn new(run: &RunRecord, origin: &Origin, parts: Vec<Part>) -> Result<Manifest, Flaw> {
        let manifest = Manifest {
            v: 1,
            kind: "capsule".to_string(),
            format: FORMAT,
            run: run.id.clone(),
            task: run.task.clone(),
            program: run.program.clone(),
            exporter: origin.exporter.clone(),
            store: origin.store,
            exported_at: origin.exported_at,
            parts,
        };
        manifest.check()?;
        Ok(manifest)
    }

    pub(super) fn text(&self) -> Result<Vec<u8>, Flaw> {
        let text = pretty(MANIFEST, self)?;
        if text.len() as u64 > MANIFEST_BYTES_MAX {
            let what = format!("takes {} bytes; {MANIFEST_BYTES_MAX} are allowed", text.len());
            return Err(Flaw::in_part(MANIFEST, what));
        }
        Ok(text)
    }

    pub(super) fn parse(text: &[u8]) -> Result<Manifest, Refusal> {
        let broken = |error: serde_json::Error| Flaw::in_part(MANIFEST, format!("cannot be understood: {error}"));
        let Kind { kind, format } = serde_json::from_slice(text).map_err(broken)?;
        if kind != "capsule" {
            let what = format!("is about `{}` and not about a capsule", shown(&kind));
            return Err(Flaw::in_part(MANIFEST, what).into());
        }
        if format != FORMAT {
            return Err(Refusal::Format(format));
        }
        let manifest: Manifest = serde_json::from_slice(text).map_err(broken)?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), Flaw> {
        let wrong = |what: String| Err(Flaw::in_part(MANIFEST, what));
        if self.v != 1 {
            return wrong(format!("has version {}", self.v));
        }
        if self.parts.len() > PARTS_MAX {
            return wrong(format!("lists {} parts; {PARTS_MAX} are allowed", self.parts.len()));
        }
        let texts = [RUN, JOURNAL, EVENTS];
        let mut before = "";
        let mut bytes: u64 = 0;
        for (index, part) in self.parts.iter().enumerate() {
            let (path, named) = (part.path.as_str(), part.path.strip_prefix(ARTIFACTS));
            let in_place = match texts.get(index) {
                Some(text) => path == *text,
                None => named == Some(part.sha256.as_str()) && before < path,
            };
            if !in_place {
                return wrong(format!("lists `{}` in place {}, where it cannot be", shown(path), index + 1));
            }
            if index < texts.len() && part.bytes > TEXT_BYTES_MAX {
                return wrong(format!("gives `{path}` {} bytes; {TEXT_BYTES_MAX} are allowed", part.bytes));
            }
            // The texts need not be in alphabetical order, the contents after them are.
            before = if index < texts.len() { "" } else { path };
            bytes = bytes.saturating_add(part.bytes);
        }
        if self.parts.len() < texts.len() {
            return wrong(format!("does not list `{}`", texts[self.parts.len()]));
        }
        if bytes > CONTAINER_BYTES_MAX {
            return wrong(format!("lists {bytes} bytes; {CONTAINER_BYTES_MAX} are allowed"));
        }
        Ok(())
    }

    /// Whether it is about this run.
    pub(super) fn check_run(&self, run: &RunRecord) -> Result<(), Flaw> {
        if (&self.run, &self.task, &self.program) != (&run.id, &run.task, &run.program) {
            return Err(Flaw::in_part(RUN, "is about another run, task or program than the manifest"));
        }
        Ok(())
    }

    /// Whether it lists the contents that the run refers to, and no others.
    pub(super) fn check_contents(&self, capsule: &Capsule) -> Result<(), Flaw> {
        let mut wanted = capsule.contents();
        for part in self.parts.iter().filter(|part| part.is_artifact()) {
            if !wanted.remove(&part.sha256) {
                return Err(Flaw::in_part(&part.path, "is not used by the run"));
            }
        }
        if let Some(missing) = wanted.first() {
            return Err(Flaw::in_part(&format!("{ARTIFACTS}{missing}"), "is missing, and the run refers to it"));
        }
        let lengths: BTreeMap<&Hash, u64> = self.parts.iter().map(|part| (&part.sha256, part.bytes)).collect();
        for artifact in &capsule.journal.artifacts {
            if lengths.get(&artifact.sha256).copied() != u64::try_from(artifact.bytes).ok() {
                let what = format!("gives the artifact `{}` another length than it has", shown(&artifact.name));
                return Err(Flaw::in_part(RUN, what));
            }
        }
        Ok(())
    }
}
