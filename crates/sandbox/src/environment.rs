//! The Python environment of cells, made on first need: pinned packages, checked hashes, safe to interrupt.
//!
//! ```text
//! <directory>/<set>-<hash>/root           an image, complete once it has this name
//! <directory>/<set>-<hash>.part           one that is being made; thrown away by the next to try
//! <directory>/kernel-<hash>               our own modules, compiled
//! <directory>/lock                        held by whoever makes something here
//! ```

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use base::{Choice, Code, Digest, Problem};

use crate::Sandbox;
use crate::cell::CellOptions;
use crate::execution::{Outcome, execute};
use crate::image::{self, FACTS_PROGRAM, LAYOUT_VERSION, PACKAGES, Python};
use crate::leaving::Leaving;
use crate::policy::Policy;

/// Exact versions and hashes of what every cell has.
const CORE_LOCK: &str = include_str!("../environment/core.lock");
/// And of what those have who asked for it.
const ML_LOCK: &str = include_str!("../environment/ml.lock");
/// And of what cells have that hold a language model.
const LLAMA_LOCK: &str = include_str!("../environment/llama.lock");
const KERNEL_MODULES: &[(&str, &str)] = &[
    ("figures.py", include_str!("../kernel/figures.py")),
    ("footprint.py", include_str!("../kernel/footprint.py")),
    ("frames.py", include_str!("../kernel/frames.py")),
    ("program.py", include_str!("../kernel/program.py")),
    ("reduced.py", include_str!("../kernel/reduced.py")),
    ("results.py", include_str!("../kernel/results.py")),
    ("tables.py", include_str!("../kernel/tables.py")),
    ("values.py", include_str!("../kernel/values.py")),
    ("kernel.py", include_str!("../kernel/kernel.py")),
    ("wire.py", include_str!("../kernel/wire.py")),
    ("zygote.py", include_str!("../kernel/zygote.py")),
];
/// The packages in the lock are built for this interpreter.
const PYTHON_VERSION: (u32, u32) = (3, 11);

/// Where environments live and what they are made from.
#[derive(Clone, Debug)]
pub struct EnvironmentOptions {
    /// Holds environments of all versions.
    pub directory: PathBuf,
    /// The interpreter to copy; otherwise the first fitting one on `search_path`.
    pub python: Option<PathBuf>,
    /// The value of `PATH`.
    pub search_path: String,
}

/// What packages an environment has, in an image of its own. For programs, a larger one has everything of a smaller one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// For data: made on first need.
    Core,
    /// And for learning from data: scikit-learn, SciPy, joblib. Made when somebody asks for it.
    Ml,
    /// For running the weights of a language model, and nothing else. Made with the first weights.
    Llama,
}

impl Set {
    /// Those that programs may run in, the largest first.
    const FOR_PROGRAMS: [Set; 2] = [Set::Ml, Set::Core];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Set::Core => "core",
            Set::Ml => "ml",
            Set::Llama => "llama",
        }
    }

    /// Exact versions and hashes of all its packages.
    fn lock(self) -> String {
        match self {
            Set::Core => CORE_LOCK.to_string(),
            Set::Ml => [CORE_LOCK, ML_LOCK].concat(),
            Set::Llama => LLAMA_LOCK.to_string(),
        }
    }

    /// What its kernel modules are compiled for, which sets that differ only in packages share.
    fn kernel_base(self) -> Set {
        match self {
            Set::Core | Set::Ml => Set::Core,
            Set::Llama => Set::Llama,
        }
    }

    /// A module of it whose import shows that it works.
    fn touchstone(self) -> &'static str {
        match self {
            Set::Core | Set::Ml => "_duckdb",
            Set::Llama => "xllamacpp",
        }
    }

    fn folder(self) -> String {
        let mut digest = Digest::new();
        digest.part(self.lock().as_bytes());
        digest.part(&LAYOUT_VERSION.to_be_bytes());
        format!("{}-{}", self.name(), digest.finish().short())
    }

    fn image(self, directory: &Path) -> PathBuf {
        directory.join(self.folder()).join("root")
    }
}

/// A complete environment.
#[derive(Clone, Debug)]
pub struct Environment {
    directory: PathBuf,
    image: PathBuf,
    set: Set,
}

impl Environment {
    /// The largest environment for programs, of this program's locks, that has been made.
    pub fn locate(directory: &Path) -> Option<Environment> {
        Set::FOR_PROGRAMS.into_iter().find_map(|set| Environment::of(directory, set))
    }

    /// The environment with exactly that set, if it has been made.
    pub fn of(directory: &Path, set: Set) -> Option<Environment> {
        let image = set.image(directory);
        image.is_dir().then(|| Environment { directory: directory.to_path_buf(), image, set })
    }

    /// Finds an environment or makes the smallest, telling what it does.
    pub fn provide(options: &EnvironmentOptions, progress: &mut dyn FnMut(&str)) -> Result<Environment, Problem> {
        match Environment::locate(&options.directory) {
            Some(environment) => Ok(environment),
            None => Environment::install(options, Set::Core, progress),
        }
    }

    /// The environment with that set, made if it is not there.
    pub fn install(
        options: &EnvironmentOptions,
        set: Set,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Environment, Problem> {
        if let Some(environment) = Environment::of(&options.directory, set) {
            return Ok(environment);
        }
        let python = find_python(options)?;
        let made = make(options, set, &python, progress);
        made.map_err(|problem| problem.hint_if_none("mend the cause and try again; nothing is left behind"))
    }

    /// What it has.
    pub fn set(&self) -> Set {
        self.set
    }

    /// Where the libraries for data are, and what they bring along.
    pub fn packages(&self) -> PathBuf {
        self.image.join(PACKAGES)
    }

    /// A sandbox whose kernels can call these modules. Compiles them on first need.
    pub async fn sandbox(&self, program: PathBuf, modules: &[(&str, &str)]) -> Result<Sandbox, Problem> {
        let kernel = self.directory.join(kernel_name(self.set.kernel_base(), modules));
        let mut sandbox = Sandbox {
            program,
            image: self.image.clone(),
            kernel: kernel.clone(),
            broker: None,
            leaving: Leaving::default(),
            tally: Default::default(),
        };
        if !kernel.is_dir() {
            let held = hold_patiently(&self.directory).await.map_err(|error| unwritable(&self.directory, &error))?;
            if !kernel.is_dir() {
                let part = kernel.with_extension("part");
                sandbox.kernel = part.clone();
                compile_kernel(&sandbox, &part, modules, self.set.touchstone()).await?;
                fs::rename(&part, &kernel).map_err(|error| unwritable(&self.directory, &error))?;
                sandbox.kernel = kernel;
            }
            drop(held);
        }
        Ok(sandbox)
    }
}

trait HintIfNone {
    fn hint_if_none(self, hint: &str) -> Self;
}

impl HintIfNone for Problem {
    fn hint_if_none(self, hint: &str) -> Problem {
        if self.hint.is_some() { self } else { self.hint(hint) }
    }
}

fn kernel_name(base: Set, modules: &[(&str, &str)]) -> String {
    let mut digest = Digest::new();
    digest.part(base.folder().as_bytes());
    for (name, text) in KERNEL_MODULES.iter().chain(modules) {
        digest.part(name.as_bytes());
        digest.part(text.as_bytes());
    }
    format!("kernel-{}", digest.finish().short())
}

fn hold(directory: &Path) -> io::Result<File> {
    fs::create_dir_all(directory)?;
    let file = File::create(directory.join("lock"))?;
    file.lock()?;
    Ok(file)
}

/// The same without blocking the thread, on which other runs may go on and leases are renewed.
async fn hold_patiently(directory: &Path) -> io::Result<File> {
    const PAUSE: Duration = Duration::from_millis(20);
    fs::create_dir_all(directory)?;
    let file = File::create(directory.join("lock"))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(PAUSE).await,
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Problem {
    let code = if error.kind() == io::ErrorKind::StorageFull { Code::DiskFull } else { Code::EnvironmentMissing };
    Problem::new(code, format!("cannot write the Python environment below `{}`: {error}", path.display()))
        .hint("make the directory writable, or use another")
        .action(Choice::EnvDir)
}

pub(crate) fn find_python(options: &EnvironmentOptions) -> Result<Python, Problem> {
    let candidates: Vec<PathBuf> = match &options.python {
        Some(python) => vec![python.clone()],
        None => {
            let names = ["python3.11", "python3", "python"];
            let folders = || options.search_path.split(':').filter(|folder| folder.starts_with('/'));
            names.iter().flat_map(|name| folders().map(move |folder| Path::new(folder).join(name))).collect()
        }
    };
    let (major, minor) = PYTHON_VERSION;
    let fits = |python: &Python| (python.version.0, python.version.1) == PYTHON_VERSION;
    let found = candidates.iter().filter(|path| path.is_file()).filter_map(|path| ask_python(path)).find(fits);
    found.ok_or_else(|| {
        Problem::new(Code::EnvironmentMissing, format!("no Python {major}.{minor} found to make the environment from"))
            .hint(format!(
                "install Python {major}.{minor} with pip (Debian: apt install python3 python3-pip), or use one from another place"
            ))
            .action(Choice::Python)
    })
}

fn ask_python(command: &Path) -> Option<Python> {
    let output = Command::new(command).args(["-I", "-c", FACTS_PROGRAM]).stdin(Stdio::null()).output().ok()?;
    let mut python: Python = serde_json::from_slice(&output.stdout).ok()?;
    python.command = command.to_path_buf();
    Some(python)
}

fn make(
    options: &EnvironmentOptions,
    set: Set,
    python: &Python,
    progress: &mut dyn FnMut(&str),
) -> Result<Environment, Problem> {
    let directory = &options.directory;
    let failed = |error: io::Error| unwritable(directory, &error);
    progress("waiting for the environment's lock");
    let held = hold(directory).map_err(failed)?;
    if let Some(environment) = Environment::of(directory, set) {
        return Ok(environment);
    }
    let part = directory.join(format!("{}.part", set.folder()));
    if part.exists() {
        fs::remove_dir_all(&part).map_err(failed)?;
    }
    let root = part.join("root");
    image::lay_out(&root).map_err(failed)?;
    let lock = part.join("lock");
    fs::write(&lock, set.lock()).map_err(failed)?;
    install_packages(python, &lock, &root.join(PACKAGES), progress)?;
    progress("copying the interpreter and its libraries");
    image::copy_python(python, &root).map_err(failed)?;
    image::prune_packages(&root).map_err(failed)?;
    image::copy_libraries(python, &root).map_err(failed)?;
    progress("compiling");
    compile_packages(python, &root)?;
    image::open_to_readers(&root).map_err(failed)?;
    fs::rename(&part, directory.join(set.folder())).map_err(failed)?;
    drop(held);
    Environment::of(directory, set).ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
}

fn install_packages(
    python: &Python,
    lock: &Path,
    target: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<(), Problem> {
    let missing = |what: String| Problem::new(Code::EnvironmentMissing, what);
    let mut pip = Command::new(&python.command)
        // Isolated: a file `pip.py` in the current directory is not our pip.
        .args(["-I", "-m", "pip", "install", "--require-hashes", "--only-binary", ":all:", "--no-deps", "--no-compile"])
        .args(["--no-input", "--disable-pip-version-check", "--progress-bar", "off", "--no-warn-script-location"])
        .arg("--target")
        .arg(target)
        .arg("--requirement")
        .arg(lock)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| missing(format!("cannot start pip: {error}")))?;
    let mut stderr = pip.stderr.take().expect("stderr was piped above");
    let errors = std::thread::spawn(move || io::read_to_string(&mut stderr).unwrap_or_default());
    let total = io::read_to_string(File::open(lock).map_err(|error| unwritable(lock, &error))?).unwrap_or_default();
    let total = total.lines().filter(|line| line.contains("==")).count();
    let mut done = 0;
    let stdout = pip.stdout.take().expect("stdout was piped above");
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        if let Some(package) = line.strip_prefix("Collecting ") {
            done += 1;
            let name = package.split_whitespace().next().unwrap_or(package);
            progress(&format!("fetching {name} ({done} of {total})"));
        } else if line.starts_with("Installing collected") {
            progress("unpacking the packages");
        }
    }
    let status = pip.wait().map_err(|error| missing(format!("pip was lost: {error}")))?;
    let errors = errors.join().unwrap_or_default();
    if status.success() {
        return Ok(());
    }
    let reason = errors.lines().rev().find(|line| line.contains("rror") || line.contains("No module")).unwrap_or("");
    Err(missing(format!("pip could not install the environment's packages: {}", reason.trim()))
        .hint("check that this machine reaches a package index and that Python has pip, then try again"))
}

fn compile_packages(python: &Python, root: &Path) -> Result<(), Problem> {
    // Hash-based and unchecked: the image never changes, so no source needs to be looked at again.
    let status = Command::new(&python.command)
        .args(["-I", "-m", "compileall", "-q", "-j", "0", "--invalidation-mode", "unchecked-hash", "-s"])
        .arg(root)
        .args(["-p", "/"])
        .arg(root.join("usr/lib"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    // A package may ship a file that is no Python at all; it is then compiled never, or when it is used.
    status
        .map(drop)
        .map_err(|error| Problem::new(Code::EnvironmentMissing, format!("cannot compile packages: {error}")))
}

/// Writes the modules and compiles them inside a cell: that also shows that the environment works.
async fn compile_kernel(
    sandbox: &Sandbox,
    part: &Path,
    modules: &[(&str, &str)],
    touchstone: &str,
) -> Result<(), Problem> {
    const PROGRAM: &str = "import os, py_compile\n\
        for name in sorted(os.listdir('/assay')):\n\
        \x20   if name.endswith('.py'):\n\
        \x20       target = f'/work/out/{name[:-3]}.cpython-311.pyc'\n\
        \x20       mode = py_compile.PycInvalidationMode.UNCHECKED_HASH\n\
        \x20       py_compile.compile(f'/assay/{name}', target, doraise=True, invalidation_mode=mode)\n";
    let failed = |error: io::Error| unwritable(part, &error);
    if part.exists() {
        fs::remove_dir_all(part).map_err(failed)?;
    }
    fs::create_dir_all(part).map_err(failed)?;
    for (name, text) in KERNEL_MODULES.iter().chain(modules) {
        fs::write(part.join(name), text).map_err(failed)?;
    }
    image::open_to_readers(part).map_err(failed)?;
    let options = CellOptions { out: Some(part.join("__pycache__")), ..CellOptions::of(Policy::task()) };
    let program = format!("import {touchstone}\n{PROGRAM}");
    let execution = execute(sandbox, &program, "compile.py", options).await.map_err(Problem::from)?;
    if execution.outcome != Outcome::Ok {
        let said = execution.stderr.lines().last().unwrap_or("no word").to_string();
        return Err(Problem::new(Code::EnvironmentMissing, format!("the Python environment does not work: {said}"))
            .hint(format!("remove `{}` and try again", part.parent().unwrap_or(part).display())));
    }
    image::open_to_readers(part).map_err(failed)
}
