//! What the driver is told: programs, folders, and how long to measure.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::Value;

/// What the driver is told.
pub struct Setup {
    /// The binary that cells are made by.
    pub assay: PathBuf,
    /// Where environments live.
    pub environment: PathBuf,
    /// The packages of the newest one.
    pub packages: PathBuf,
    /// The bare interpreter.
    pub python: PathBuf,
    /// Where there is one.
    pub bubblewrap: Option<PathBuf>,
    /// HumanEval, where it is at hand.
    pub tasks: Option<PathBuf>,
    /// A folder for everything, which others remove.
    pub scratch: PathBuf,
    /// Whether to show only that everything runs.
    pub quick: bool,
    /// The one part to measure; all without.
    pub only: Option<Part>,
}

/// What can be measured by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Cold,
    Sum,
    Query,
    Chart,
    Ask,
    Crowd,
}

impl Part {
    fn read(name: &str) -> anyhow::Result<Part> {
        Ok(match name {
            "cold" => Part::Cold,
            "sum" => Part::Sum,
            "query" => Part::Query,
            "chart" => Part::Chart,
            "ask" => Part::Ask,
            "crowd" => Part::Crowd,
            _ => bail!("`{name}` is no part of this measurement; they are cold, sum, query, chart, ask and crowd"),
        })
    }
}

impl Setup {
    /// Reads the JSON of the other side.
    pub fn read(text: &str) -> anyhow::Result<Setup> {
        let value: Value = serde_json::from_str(text).context("the setup is not JSON")?;
        let path = |name: &str| value[name].as_str().map(PathBuf::from);
        let needed = |name: &str| path(name).with_context(|| format!("the setup names no `{name}`"));
        Ok(Setup {
            assay: needed("assay")?,
            environment: needed("environment")?,
            packages: needed("packages")?,
            python: needed("python")?,
            bubblewrap: path("bubblewrap"),
            tasks: path("tasks"),
            scratch: needed("scratch")?,
            quick: value["quick"] == true,
            only: value["only"].as_str().map(Part::read).transpose()?,
        })
    }

    /// Whether that part is to be measured.
    pub fn wants(&self, part: Part) -> bool {
        self.only.is_none_or(|only| only == part)
    }

    /// A folder below the scratch folder, made if need be.
    pub fn folder(&self, name: &str) -> anyhow::Result<PathBuf> {
        let folder = self.scratch.join(name);
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        Ok(folder)
    }

    /// The data directory of the commands; the driver has its own, with only its files in it.
    pub fn data_of_commands(&self) -> PathBuf {
        self.scratch.join("data")
    }

    /// Where the broker's socket lies.
    pub fn runtime(&self) -> PathBuf {
        self.scratch.join("run")
    }

    /// The driver's own data directory.
    pub fn data(&self) -> PathBuf {
        self.scratch.join("own")
    }

    /// The file that queries read, where warm cells may be given it.
    pub fn rows(&self) -> PathBuf {
        Path::new(&self.data()).join("datasets/bench/data.duckdb")
    }
}
