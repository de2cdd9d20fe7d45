//! The Python environments of the contestants that are written in it, each made once below the target directory.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::workspace::output;

/// Written last: an environment without it was interrupted and is made anew.
const WHOLE: &str = "assay-whole";

/// The interpreter of an environment that has the peer: `name==version`, as pip takes it.
pub fn provide(target: &Path, peer: &str) -> anyhow::Result<PathBuf> {
    provide_all(target, &peer.replace("==", "-"), &[peer])
}

/// The same of several packages, in an environment of that name. It is made anew where other versions are wanted.
pub fn provide_all(target: &Path, name: &str, packages: &[&str]) -> anyhow::Result<PathBuf> {
    let folder = target.join("bench").join(name);
    let python = folder.join("bin/python");
    let wanted = packages.join(" ");
    if std::fs::read_to_string(folder.join(WHOLE)).is_ok_and(|has| has == wanted) && python.exists() {
        return Ok(python);
    }
    println!("making a Python environment with {wanted} in `{}`", folder.display());
    let made = output(Command::new(find(&wanted)?).args(["-m", "venv", "--clear"]).arg(&folder));
    made.context("cannot make a Python environment (Debian has it in python3-venv)")?;
    let installed = output(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages));
    installed.with_context(|| format!("cannot install {wanted}: pip needs a package index that it can reach"))?;
    std::fs::write(folder.join(WHOLE), wanted).with_context(|| format!("cannot write in `{}`", folder.display()))?;
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
