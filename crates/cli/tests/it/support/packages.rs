//! Programs of others that test ours, from the package index, in environments below the target directory.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Written last: an environment without it was interrupted and is made anew.
const WHOLE: &str = "assay-whole";

/// The folder with the programs of these packages, each pinned as pip takes it. Where they cannot be had, says by name which
/// test is not run.
pub fn programs(test: &str, packages: &[&str]) -> Option<PathBuf> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let built = Path::new(env!("CARGO_BIN_EXE_assay"));
    let target = built.ancestors().nth(2).expect("the program lies in a folder of the target directory");
    let folder = target.join("peers").join(packages.join("-").replace("==", "-"));
    if !folder.join(WHOLE).exists() {
        let done = |command: &mut Command| command.stdout(Stdio::null()).status().is_ok_and(|status| status.success());
        let made = done(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder));
        let pip = ["-m", "pip", "install", "--quiet", "--retries", "1", "--disable-pip-version-check"];
        if !made || !done(Command::new(folder.join("bin/python")).args(pip).args(packages)) {
            eprintln!("skipped: {test}: {} cannot be installed from the package index", packages.join(", "));
            return None;
        }
        std::fs::write(folder.join(WHOLE), "").expect("a file in the new environment");
    }
    Some(folder.join("bin"))
}
