//! What the system says of a file without reading it: enough to know that it is still the one that was read.
//!
//! Whoever changes a file changes its `ctime`, which nobody can set back. The clock behind it is coarse, so a change
//! right after another may leave the same `ctime`: only a file that has not changed for a while is *settled*, and only
//! of a settled file does an equal state mean equal contents.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// How long a file must have been left alone.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// A file as the system knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// The file system.
    pub device: u64,
    /// The file within it.
    pub inode: u64,
    /// In bytes.
    pub size: u64,
    /// When its contents changed, as its owner wants it said.
    pub mtime_ns: i64,
    /// When anything about it changed.
    pub ctime_ns: i64,
}

/// Who may read a file, in the system's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its permission bits.
    pub mode: u32,
    /// Its owner.
    pub owner: u32,
    /// Who asks.
    pub own: u32,
}

/// How a cell gets to read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The user's own file is shown to it.
    InPlace,
    /// It gets a copy, whose contents are checked while it is made.
    Copied,
}

impl FileState {
    /// What these metadata say.
    pub fn of(metadata: &Metadata) -> FileState {
        let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        FileState {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            ctime_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Whether it had been left alone for a while at that moment.
    pub fn is_settled(&self, now: SystemTime) -> bool {
        let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64);
        self.ctime_ns.saturating_add(SETTLED_AFTER.as_nanos() as i64) <= now
    }
}

impl Access {
    /// The inner user of a cell is who runs the program, or nobody at all where that is root.
    fn is_readable_inside(self) -> bool {
        match self.own {
            0 => self.mode & 0o444 == 0o444,
            own if own == self.owner => self.mode & 0o400 != 0,
            _ => self.mode & 0o004 != 0,
        }
    }
}

/// A file that may be changing, or that the cell's user cannot read, is copied.
pub fn way(state: &FileState, access: Access, now: SystemTime) -> Way {
    if state.is_settled(now) && access.is_readable_inside() { Way::InPlace } else { Way::Copied }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(ctime_ns: i64) -> FileState {
        FileState { device: 1, inode: 2, size: 3, mtime_ns: 0, ctime_ns }
    }

    fn at(milliseconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_file_is_settled_two_seconds_after_its_last_change() {
        assert!(!state(5_000_000_000).is_settled(at(6_999)));
        assert!(state(5_000_000_000).is_settled(at(7_000)));
        assert!(!state(5_000_000_000).is_settled(at(1_000)), "a clock that went back proves nothing");
    }

    #[test]
    fn only_what_the_cells_user_can_read_is_read_in_place() {
        let (settled, now) = (state(0), at(10_000));
        let cases = [
            (0o600, 7, 7, Way::InPlace),
            (0o044, 7, 7, Way::Copied),
            (0o600, 7, 8, Way::Copied),
            (0o604, 7, 8, Way::InPlace),
            (0o600, 0, 0, Way::Copied),
            (0o644, 0, 0, Way::InPlace),
        ];
        for (mode, owner, own, expected) in cases {
            let access = Access { mode, owner, own };
            assert_eq!(way(&settled, access, now), expected, "{access:?}");
            assert_eq!(way(&state(9_000_000_000), access, now), Way::Copied, "just changed, {access:?}");
        }
    }
}
