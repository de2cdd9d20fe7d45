//! The Python environments of the contestants that are written in it, each made once below the target directory.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::workspace::output;

/// Written last: an environment without it was interrupted and is made anew.
const WHOLE: &str = "assay-whole";

/// The interpreter of an environment that has the peer: `name==version`, as pip takes it.
pub fn provide(target: &Path, peer: &str) -> anyhow::Result<PathBuf> {
    provide_all(target, &[peer])
}

/// The same for a peer and what it needs beside; the first names the environment.
pub fn provide_all(target: &Path, peers: &[&str]) -> anyhow::Result<PathBuf> {
    let peer = peers.first().context("no peer is named")?;
    let all = peers.join(" ");
    let folder = target.join("bench").join(peer.replace("==", "-"));
    let python = folder.join("bin/python");
    // One that was made for less is made anew.
    if std::fs::read_to_string(folder.join(WHOLE)).is_ok_and(|made| made == all) && python.exists() {
        return Ok(python);
    }
    println!("making a Python environment with {peer} in `{}`", folder.display());
    let made = output(Command::new(find(peer)?).args(["-m", "venv", "--clear"]).arg(&folder));
    made.context("cannot make a Python environment (Debian has it in python3-venv)")?;
    let installed = output(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(peers));
    installed.with_context(|| format!("cannot install {peer}: pip needs a package index that it can reach"))?;
    std::fs::write(folder.join(WHOLE), &all).with_context(|| format!("cannot write in `{}`", folder.display()))?;
    Ok(python)
}

/// What is in the environment, for the record.
pub fn versions(python: &Path, packages: &[&str]) -> anyhow::Result<String> {
    const PROGRAM: &str = "
import sqlite3, sys
from importlib.metadata import version
packages = [f'{name} {version(name)}' for name in sys.argv[1:]]
print(', '.join([f'Python {sys.version.split()[0]}', f'SQLite {sqlite3.sqlite_version}', *packages]))";
    Ok(output(Command::new(python).args(["-s", "-c", PROGRAM]).args(packages))?.trim().to_string())
}

fn find(peer: &str) -> anyhow::Result<&'static str> {
    const NEW_ENOUGH: &str = "import sys; print(sys.version_info >= (3, 10))";
    for python in ["python3", "python3.11", "python3.12", "python3.13"] {
        if output(Command::new(python).args(["-s", "-c", NEW_ENOUGH])).is_ok_and(|said| said.trim() == "True") {
            return Ok(python);
        }
    }
    bail!("no Python of at least 3.10 found, which {peer} needs")
}
