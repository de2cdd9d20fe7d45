//! The others: bare Python, bubblewrap, a process that has the file open, and the `assay` command from the shell.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use crate::setup::Setup;

const OPEN_PROCESS: &str = include_str!("../open_process.py");

/// Milliseconds since.
pub fn ms_since(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}

/// A whole process, from before its start until its output is read; and what it printed.
pub fn timed(command: &mut Command) -> anyhow::Result<(f64, String)> {
    let begun = Instant::now();
    let output = command.output().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let ms = ms_since(begun);
    if !output.status.success() {
        bail!("{:?} failed: {}", command.get_program(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok((ms, String::from_utf8(output.stdout)?))
}

/// The interpreter with the environment's packages. They are compiled already; nothing may be written beside them.
pub fn python(setup: &Setup) -> Command {
    let mut command = Command::new(&setup.python);
    command.env("PYTHONPATH", &setup.packages).env("PYTHONDONTWRITEBYTECODE", "1");
    // Fonts are looked for once and remembered, but not in the user's home.
    command.env("MPLCONFIGDIR", setup.scratch.join("matplotlib"));
    command
}

/// The same interpreter in a sandbox as people usually ask bubblewrap for it.
pub struct Bubblewrap {
    program: PathBuf,
    python: PathBuf,
    /// What must be seen inside at the same place: the interpreter's own tree, and the system's libraries.
    trees: Vec<PathBuf>,
}

impl Bubblewrap {
    /// Nothing where it is not at hand.
    pub fn of(setup: &Setup) -> anyhow::Result<Option<Bubblewrap>> {
        let Some(program) = setup.bubblewrap.clone() else { return Ok(None) };
        let (_, prefix) = timed(Command::new(&setup.python).args(["-c", "import sys; print(sys.base_prefix)"]))?;
        let mut trees = vec![PathBuf::from("/usr")];
        trees.extend(Some(PathBuf::from(prefix.trim())).filter(|prefix| !prefix.starts_with("/usr")));
        Ok(Some(Bubblewrap { program, python: setup.python.clone(), trees }))
    }

    /// The interpreter in it.
    pub fn python(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["--unshare-all", "--die-with-parent", "--new-session"]);
        for tree in &self.trees {
            command.arg("--ro-bind").arg(tree).arg(tree);
        }
        for folder in ["bin", "lib", "lib64"] {
            command.args(["--symlink", &format!("usr/{folder}"), &format!("/{folder}")]);
        }
        command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]).arg(&self.python);
        command
    }
}

/// A process that has the file open.
pub struct OpenProcess {
    process: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl OpenProcess {
    /// Back when it is ready.
    pub fn start(setup: &Setup, file: &Path, threads: usize) -> anyhow::Result<OpenProcess> {
        let mut command = python(setup);
        command.args(["-c", OPEN_PROCESS]).arg(file).arg(threads.to_string());
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = process.stdin.take().expect("stdin was piped above");
        let stdout = BufReader::new(process.stdout.take().expect("stdout was piped above"));
        let mut open = OpenProcess { process, stdin, stdout };
        ensure!(open.answer()? == "ready", "the open process said something else");
        Ok(open)
    }

    /// How long a statement takes, and its rows.
    pub fn query(&mut self, sql: &str) -> anyhow::Result<(f64, Value)> {
        let begun = Instant::now();
        self.stdin.write_all(format!("{sql}\n").as_bytes())?;
        self.stdin.flush()?;
        let rows = self.answer()?;
        Ok((ms_since(begun), rows))
    }

    fn answer(&mut self) -> anyhow::Result<Value> {
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        serde_json::from_str(&line).context("the open process gave no answer")
    }
}

impl Drop for OpenProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Whether commands take warm cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residence {
    /// From the driver's broker.
    Resident,
    /// They make their own.
    Cold,
}

/// The command as a shell starts it.
pub fn assay(setup: &Setup, residence: Residence) -> Command {
    let mut command = Command::new(&setup.assay);
    command.env("XDG_RUNTIME_DIR", setup.runtime()).env("ASSAY_ENV_DIR", &setup.environment);
    command.env("ASSAY_BROKER", if residence == Residence::Resident { "on" } else { "off" });
    command
}
