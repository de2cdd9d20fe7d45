//! What steps of a name were asked and gave, from a run that was exported: for somebody who answers from it again.
//!
//! A capsule is checked in every byte. A journal alone holds no inputs, so one is read where its capsule was unpacked, with
//! the other parts beside it; each file there must have the hash it is called by.

use std::fs;
use std::io::{Read, Seek};
use std::path::Path;

use base::{Code, Hash, Problem};
use serde::Deserialize;
use serde_json::Value;
use store::{ArtifactRecord, Content, StepRecord, StepState};

use crate::capsule::{self, Contents};
use crate::run::input_name;
use crate::transfer::open;

/// Above any journal that we write.
const JOURNAL_BYTES_MAX: u64 = 32 << 20;

/// The inputs and outputs of steps of that name which kept their input and did not fail, in order.
pub fn recorded(file: &Path, name: &str) -> Result<Vec<(Value, Value)>, Problem> {
    let mut opened = open(file)?;
    let mut magic = [0; 2];
    let is_capsule = opened.read_exact(&mut magic).is_ok() && &magic == b"PK";
    if is_capsule {
        opened.rewind().map_err(|error| unreadable(file, &error.to_string()))?;
        let (capsule, mut contents) = capsule::read(opened)?;
        let load = |sha256: &Hash| Contents::load(&mut contents, sha256);
        return pairs(&capsule.journal.steps, &capsule.journal.artifacts, name, load);
    }
    let folder = file.parent().unwrap_or(Path::new(""));
    let journal = read_text(file)?;
    let steps = journal.lines().map(serde_json::from_str::<StepRecord>).collect::<Result<Vec<_>, _>>();
    let steps = steps.map_err(|error| {
        unreadable(file, &format!("it is neither a capsule nor a journal: {error}"))
            .hint("name the file of an exported run, or the journal of one that was unpacked")
    })?;
    let run = folder.join("run.json");
    let run: RunArtifacts =
        serde_json::from_str(&read_text(&run)?).map_err(|error| unreadable(&run, &error.to_string()))?;
    pairs(&steps, &run.artifacts, name, |sha256| {
        let path = folder.join("artifacts").join(sha256.as_str());
        let contents = fs::read(&path).map_err(|error| unreadable(&path, &error.to_string()))?;
        if Hash::of(&contents) == *sha256 { Ok(contents) } else { Err(unreadable(&path, "it was changed")) }
    })
}

#[derive(Deserialize)]
struct RunArtifacts {
    artifacts: Vec<ArtifactRecord>,
}

fn pairs(
    steps: &[StepRecord],
    artifacts: &[ArtifactRecord],
    name: &str,
    mut load: impl FnMut(&Hash) -> Result<Vec<u8>, Problem>,
) -> Result<Vec<(Value, Value)>, Problem> {
    let damaged = |error: serde_json::Error| Problem::new(Code::CapsuleDamaged, format!("a step is no JSON: {error}"));
    let mut found = Vec::new();
    for step in steps.iter().filter(|step| step.name == name && step.state == StepState::Ok) {
        let input = input_name(usize::try_from(step.position).unwrap_or_default());
        let Some(kept) = artifacts.iter().find(|artifact| artifact.name == input) else { continue };
        let input = serde_json::from_slice(&load(&kept.sha256)?).map_err(damaged)?;
        let output = match &step.output {
            Content::Inline(text) => serde_json::from_str(text).map_err(damaged)?,
            Content::Artifact(sha256) => serde_json::from_slice(&load(sha256)?).map_err(damaged)?,
        };
        found.push((input, output));
    }
    Ok(found)
}

fn read_text(path: &Path) -> Result<String, Problem> {
    let mut text = String::new();
    let read = open(path)?.take(JOURNAL_BYTES_MAX).read_to_string(&mut text);
    read.map_err(|error| unreadable(path, &error.to_string()))?;
    Ok(text)
}

fn unreadable(path: &Path, why: &str) -> Problem {
    Problem::new(Code::FileUnreadable, format!("cannot read `{}`: {why}", path.display())).hint("check the path")
}
