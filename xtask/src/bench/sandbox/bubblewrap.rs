//! Debian's bubblewrap: the one on the search path, or its package unpacked below the target directory, which needs no
//! root and leaves the system as it is.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::workspace::output;

const FOLDER: &str = "bench/bubblewrap";

/// The program, and what it says of itself. Nothing where it cannot be had, and then that is said.
pub fn provide(target: &Path) -> anyhow::Result<Option<(PathBuf, String)>> {
    let folder = target.join(FOLDER);
    let unpacked = folder.join("usr/bin/bwrap");
    let version = |program: &Path| output(Command::new(program).arg("--version")).ok();
    for program in [Path::new("bwrap"), &unpacked] {
        if let Some(version) = version(program) {
            return Ok(Some((program.to_path_buf(), version.trim().to_string())));
        }
    }
    println!("no bubblewrap here: fetching Debian's package into `{}`", folder.display());
    if let Err(error) = fetch(&folder) {
        println!("bubblewrap: not measured: {error:#}");
        return Ok(None);
    }
    let version = version(&unpacked).context("the unpacked bubblewrap does not start")?;
    Ok(Some((unpacked, version.trim().to_string())))
}

fn fetch(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    output(Command::new("apt-get").args(["download", "bubblewrap"]).current_dir(folder))?;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "deb") {
            output(Command::new("dpkg-deb").arg("--extract").arg(&path).arg(folder))?;
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}
