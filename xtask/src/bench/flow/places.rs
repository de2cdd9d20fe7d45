//! Where the contestants write: a real file system, and memory.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tempfile::TempDir;

use super::table::Place;

const TMPFS: &str = "/dev/shm";
/// Where everybody may write and what is written outlives a restart, hence hardly ever memory.
const OPEN_TO_ALL: &str = "/var/tmp";

/// A folder for one place, removed at the end.
pub struct Ground {
    pub place: Place,
    /// The kind of file system, as the kernel names it.
    pub file_system: String,
    pub folder: TempDir,
}

impl Ground {
    /// A folder beside the target directory. Where that is closed to other users and we are root, a folder open to
    /// all, so that a Postgres that must not be root writes to the same file system as everybody else.
    pub fn disk(target: &Path) -> anyhow::Result<Ground> {
        let beside = target.parent().unwrap_or(target).to_path_buf();
        let closed = is_root() && !is_open_to_all(&beside);
        let candidates = if closed { vec![PathBuf::from(OPEN_TO_ALL), beside] } else { vec![beside] };
        let mounts = mounts()?;
        for candidate in &candidates {
            let file_system = file_system_of(&mounts, &candidate.canonicalize().unwrap_or_default());
            match file_system {
                Some(file_system) if !matches!(file_system.as_str(), "tmpfs" | "ramfs") => {
                    return Ground::make(Place::Disk, file_system, candidate);
                }
                _ => {}
            }
        }
        bail!("none of {candidates:?} is on a disk; set CARGO_TARGET_DIR to a folder that is")
    }

    /// Nothing where the machine has no tmpfs in the usual place.
    pub fn tmpfs() -> anyhow::Result<Option<Ground>> {
        let folder = Path::new(TMPFS);
        match file_system_of(&mounts()?, folder) {
            Some(file_system) if file_system == "tmpfs" && folder.is_dir() => {
                Ground::make(Place::Tmpfs, file_system, folder).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn make(place: Place, file_system: String, below: &Path) -> anyhow::Result<Ground> {
        let folder = tempfile::Builder::new().prefix("assay-bench-flow-").tempdir_in(below);
        let folder = folder.with_context(|| format!("cannot make a folder in `{}`", below.display()))?;
        // Postgres may run as another user, who has to pass through.
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o711))?;
        Ok(Ground { place, file_system, folder })
    }
}

/// Whether this process belongs to root.
pub fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// Whether any user can reach what is in the folder.
pub fn is_open_to_all(folder: &Path) -> bool {
    const OTHERS_PASS: u32 = 0o001;
    let passable = |folder: &Path| std::fs::metadata(folder).is_ok_and(|found| found.mode() & OTHERS_PASS != 0);
    folder.ancestors().all(passable)
}

fn mounts() -> anyhow::Result<String> {
    std::fs::read_to_string("/proc/mounts").context("cannot read /proc/mounts, which tells a disk from memory")
}

/// The kind of the file system that an absolute path without links lies on. The deepest mount counts, and of several
/// on one folder the last.
fn file_system_of(mounts: &str, path: &Path) -> Option<String> {
    let lines = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        Some((Path::new(words.next()?), words.next()?))
    });
    let over = lines.filter(|(mounted, _)| path.starts_with(mounted));
    over.max_by_key(|(mounted, _)| mounted.components().count()).map(|(_, kind)| kind.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_mount_names_the_file_system() {
        let mounts = "overlay / overlay rw 0 0\n/dev/a /data ext4 rw 0 0\ntmpfs /data/fast tmpfs rw 0 0\n\
                      /dev/b /data/fast xfs rw 0 0\n";
        let kind = |path: &str| file_system_of(mounts, Path::new(path));
        assert_eq!(kind("/data/target").as_deref(), Some("ext4"));
        assert_eq!(kind("/data/fast/x").as_deref(), Some("xfs"));
        assert_eq!(kind("/database").as_deref(), Some("overlay"));
        assert_eq!(kind(""), None);
    }

    #[test]
    fn a_folder_is_open_only_if_all_above_it_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).expect("made");
        std::fs::set_permissions(&inner, PermissionsExt::from_mode(0o755)).expect("set");
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o700)).expect("set");
        assert!(!is_open_to_all(&inner));
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o711)).expect("set");
        let above = folder.path().parent().expect("it lies in one");
        assert_eq!(is_open_to_all(&inner), is_open_to_all(above));
    }
}
