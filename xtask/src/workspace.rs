//! Where the workspace is, what is in it, and how its commands are started.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

/// A text file of the workspace.
pub struct File {
    /// From the root, with `/`.
    pub path: String,
    /// Its contents.
    pub text: String,
}

/// The workspace this command was started in.
pub struct Workspace {
    /// The folder of the root manifest.
    pub root: PathBuf,
    /// What `cargo metadata` says about every package of the lock file.
    pub metadata: Value,
}

impl Workspace {
    /// Asks cargo, which looks from the current folder upwards.
    pub fn find() -> anyhow::Result<Workspace> {
        let text = output(cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
        let metadata: Value = serde_json::from_str(&text).context("cargo metadata wrote something else than JSON")?;
        let root = metadata["workspace_root"].as_str().context("cargo metadata names no workspace root")?;
        Ok(Workspace { root: PathBuf::from(root), metadata })
    }

    /// Where cargo builds.
    pub fn target(&self) -> anyhow::Result<&Path> {
        let target = self.metadata["target_directory"].as_str();
        target.map(Path::new).context("cargo metadata names no target directory")
    }

    /// The binary as the dev profile builds it.
    pub fn assay(&self) -> anyhow::Result<PathBuf> {
        Ok(self.target()?.join("debug/assay"))
    }

    /// Every text file that is in version control, or would be with the next `git add`.
    pub fn files(&self) -> anyhow::Result<Vec<File>> {
        let mut git = Command::new("git");
        git.current_dir(&self.root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let mut paths = match git.output() {
            Ok(listed) if listed.status.success() => {
                String::from_utf8(listed.stdout)?.split_terminator('\0').map(str::to_string).collect()
            }
            // An unpacked archive has no history, and its files count all the same.
            _ => {
                let mut paths = Vec::new();
                collect(&self.root, "", &mut paths)?;
                paths
            }
        };
        paths.sort();
        paths.dedup();
        // What is no UTF-8 is no text; what was deleted is still listed until that is committed.
        let read = |path: String| std::fs::read_to_string(self.root.join(&path)).ok().map(|text| File { path, text });
        Ok(paths.into_iter().filter_map(read).collect())
    }

    /// A cargo command in the root.
    pub fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root).args(arguments);
        command
    }
}

fn collect(folder: &Path, below: &str, paths: &mut Vec<String>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().unwrap_or_default();
        let kind = entry.file_type()?;
        if kind.is_file() {
            paths.push(format!("{below}{name}"));
        } else if kind.is_dir() && !matches!(name.as_str(), ".git" | "target") {
            collect(&entry.path(), &format!("{below}{name}/"), paths)?;
        }
    }
    Ok(())
}

fn cargo() -> Command {
    // Cargo names itself to what it runs, so that the same one goes on.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What it says of this package would be read by build scripts of others, which would run anew at every change between here
    // and a shell.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs a command that must succeed and gives what it wrote on stdout.
pub fn output(command: &mut Command) -> anyhow::Result<String> {
    let shown = command.get_program().display().to_string();
    let output = command.output().with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{shown}` failed ({}): {}", output.status, said.trim());
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` wrote something else than text"))
}

/// Runs a command in the open and gives its exit code as a shell would.
pub fn exit_code(command: &mut Command) -> anyhow::Result<u8> {
    let shown = command.get_program().display().to_string();
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    Ok(u8::try_from(code).unwrap_or(u8::MAX))
}
