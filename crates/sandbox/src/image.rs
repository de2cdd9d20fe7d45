//! The read-only root of a cell, put together from this machine's Python: interpreter, standard library, packages, the
//! shared libraries they need, `/bin/sh`, and nothing else of the host.
//!
//! Files are copied and not mounted, so that an upgrade of the host's Python cannot change a cell under its feet.

use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::elf;

/// Where packages are installed, inside.
pub const PACKAGES: &str = "usr/lib/packages";

/// Raised when an image is laid out differently.
pub const LAYOUT_VERSION: u32 = 2;

/// Parts of the standard library that no program in a cell can use.
const STDLIB_LEFT_OUT: &[&str] = &[
    "test",
    "tests",
    "idlelib",
    "tkinter",
    "turtledemo",
    "turtle.py",
    "ensurepip",
    "lib2to3",
    "site-packages",
    "dist-packages",
    "__pycache__",
    "pydoc_data",
];

const LIBRARY_FOLDERS: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/usr/lib64",
    "/lib64",
    "/usr/lib",
    "/lib",
    "/usr/local/lib",
];

/// What a Python interpreter says about itself.
#[derive(Clone, Debug, Deserialize)]
pub struct Python {
    /// As it was called.
    #[serde(skip)]
    pub command: PathBuf,
    /// Major, minor, patch.
    pub version: (u32, u32, u32),
    /// The real file.
    pub executable: PathBuf,
    /// The standard library.
    pub stdlib: PathBuf,
    /// Where its own shared library would be.
    pub libdir: Option<PathBuf>,
}

/// The program that makes an interpreter say it.
pub const FACTS_PROGRAM: &str = "import json, os, sys, sysconfig; print(json.dumps({\
    'version': sys.version_info[:3], 'executable': os.path.realpath(sys.executable), \
    'stdlib': os.path.dirname(os.__file__), 'libdir': sysconfig.get_config_var('LIBDIR')}))";

/// Makes the folders, links and device files that everything else is put into.
pub fn lay_out(root: &Path) -> io::Result<()> {
    for folder in ["usr/bin", "usr/lib64", PACKAGES, "proc", "tmp", "dev/shm", "work", "assay", "scratch", "etc"] {
        fs::create_dir_all(root.join(folder))?;
    }
    for (link, target) in [
        ("bin", "usr/bin"),
        ("lib", "usr/lib"),
        ("lib64", "usr/lib64"),
        ("dev/fd", "/proc/self/fd"),
        ("dev/stdin", "/proc/self/fd/0"),
        ("dev/stdout", "/proc/self/fd/1"),
        ("dev/stderr", "/proc/self/fd/2"),
    ] {
        symlink(target, root.join(link))?;
    }
    for device in ["null", "zero", "full", "random", "urandom"] {
        fs::write(root.join("dev").join(device), "")?;
    }
    // Programs ask who they are. Nobody of the host is named here.
    fs::write(root.join("etc/passwd"), "cell:x:1000:1000:cell:/tmp:/bin/sh\n")?;
    fs::write(root.join("etc/group"), "cell:x:1000:\n")
}

/// Copies the interpreter, its standard library and the shell.
pub fn copy_python(python: &Python, root: &Path) -> io::Result<()> {
    fs::copy(&python.executable, root.join("usr/bin/python3"))?;
    fs::copy("/bin/sh", root.join("usr/bin/sh"))?;
    // The locale that cells are set to; where the C library brings it along there is no such folder.
    let locale = Path::new("usr/lib/locale/C.utf8");
    if Path::new("/").join(locale).is_dir() {
        copy_tree(&Path::new("/").join(locale), &root.join(locale), &[])?;
    }
    let (major, minor, _) = python.version;
    copy_tree(&python.stdlib, &root.join(format!("usr/lib/python{major}.{minor}")), STDLIB_LEFT_OUT)
}

fn copy_tree(from: &Path, to: &Path, left_out: &[&str]) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if left_out.contains(&text.as_ref()) || text.starts_with("config-") || text.starts_with("_tkinter") {
            continue;
        }
        let (source, target) = (entry.path(), to.join(&name));
        if source.is_dir() {
            copy_tree(&source, &target, left_out)?;
        } else if source.is_file() {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

/// Removes what packages ship for their own developers.
pub fn prune_packages(root: &Path) -> io::Result<()> {
    let packages = root.join(PACKAGES);
    let _ = fs::remove_dir_all(packages.join("bin"));
    remove_named(&packages, "tests")
}

fn remove_named(folder: &Path, name: &str) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            continue;
        }
        if entry.file_name() == name {
            fs::remove_dir_all(entry.path())?;
        } else {
            remove_named(&entry.path(), name)?;
        }
    }
    Ok(())
}

/// Copies the shared libraries that the image's own files need and do not bring along.
pub fn copy_libraries(python: &Python, root: &Path) -> io::Result<()> {
    let own_folder = python.executable.parent().unwrap_or(Path::new("/")).to_path_buf();
    let mut folders: Vec<PathBuf> = python.libdir.iter().cloned().collect();
    folders.push(own_folder.join("../lib"));
    folders.extend(LIBRARY_FOLDERS.iter().map(PathBuf::from));
    let home = LIBRARY_FOLDERS.iter().find(|folder| Path::new(folder).join("libc.so.6").exists());
    let home = root.join(home.unwrap_or(&"/usr/lib64").trim_start_matches('/'));
    fs::create_dir_all(&home)?;

    let mut pending = VecDeque::from(binaries(root)?);
    let mut present: BTreeSet<String> = pending.iter().filter_map(|path| file_name(path)).collect();
    while let Some(path) = pending.pop_front() {
        let Some(needs) = elf::needs(&path) else { continue };
        if let Some(loader) = needs.interpreter {
            let target = root.join("usr").join(loader.strip_prefix("/").unwrap_or(&loader));
            if !target.exists() {
                fs::copy(&loader, &target)?;
                present.extend(file_name(&loader));
            }
        }
        for name in needs.libraries {
            let Some(source) = folders.iter().map(|folder| folder.join(&name)).find(|path| path.is_file()) else {
                continue;
            };
            if present.insert(name.clone()) {
                let target = home.join(&name);
                fs::copy(&source, &target)?;
                pending.push_back(target);
            }
        }
    }
    Ok(())
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name().and_then(|name| name.to_str()).map(str::to_string)
}

fn binaries(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = vec![root.join("usr/bin/python3"), root.join("usr/bin/sh")];
    let mut folders = vec![root.join("usr/lib")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if file_name(&path).is_some_and(|name| name.contains(".so")) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Lets the inner user, who owns nothing, read everything.
pub fn open_to_readers(root: &Path) -> io::Result<()> {
    fs::set_permissions(root, Permissions::from_mode(0o755))?;
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            open_to_readers(&entry.path())?;
        } else if kind.is_file() {
            let executable = entry.metadata()?.permissions().mode() & 0o100 != 0;
            fs::set_permissions(entry.path(), Permissions::from_mode(if executable { 0o755 } else { 0o644 }))?;
        }
    }
    Ok(())
}
