//! The place where command and broker, or a resident kernel, meet: a socket in a folder that is ours alone.
//!
//! The folder is opened without following a link, its owner and mode are looked at on the descriptor, and everything in
//! it is reached through that descriptor, so nobody can swap a part of the path between a check and a use.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use crate::sys;

const LOCK: &str = ".lock";
const HUB: &str = ".inputs";

/// Where a broker is found.
#[derive(Clone, Debug)]
pub struct Door {
    /// The folder its own folder lies in; it may be reached over links, it is the user's choice.
    pub base: PathBuf,
    /// The name of its folder.
    pub folder: String,
    /// The name of its socket.
    pub name: String,
}

/// A door that is held by the one broker behind it.
pub struct Claim {
    /// Where orders come in.
    pub listener: UnixListener,
    /// Held for as long as the broker lives.
    pub lock: File,
}

impl Door {
    /// Knocks: a stream to a broker of our own user.
    pub fn connect(&self) -> io::Result<UnixStream> {
        let folder = self.open_folder()?;
        let socket = inside(&folder, &self.name);
        let found = fs::symlink_metadata(&socket)?;
        if !found.file_type().is_socket() || found.uid() != sys::effective_ids().0 {
            return Err(refused("the broker's socket is not ours"));
        }
        let stream = UnixStream::connect(&socket)?;
        if sys::peer_uid(stream.as_raw_fd())? != sys::effective_ids().0 {
            return Err(refused("somebody else listens at the broker's socket"));
        }
        Ok(stream)
    }

    /// Takes the door, unless a broker has it already.
    pub fn claim(&self) -> io::Result<Option<Claim>> {
        match fs::DirBuilder::new().mode(0o700).create(self.base.join(&self.folder)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let folder = self.open_folder()?;
        let lock_path = inside(&folder, &self.lock_name());
        let mut open = File::options();
        open.write(true).create(true).truncate(false).mode(0o600).custom_flags(libc::O_NOFOLLOW);
        let lock = open.open(&lock_path)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The one before us takes its lock along; then ours is on a file that nobody finds.
        if !is_at(&lock, &lock_path) {
            return Ok(None);
        }
        sweep(&folder, &self.name);
        let socket = inside(&folder, &self.name);
        match fs::remove_file(&socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&socket)?;
        Ok(Some(Claim { listener, lock }))
    }

    /// Whether the socket that is found here is the one with that inode.
    pub fn still_shows(&self, inode: u64) -> bool {
        let path = self.base.join(&self.folder).join(&self.name);
        fs::symlink_metadata(path).is_ok_and(|found| found.ino() == inode)
    }

    /// The inode of the socket that is found here.
    pub fn inode(&self) -> io::Result<u64> {
        Ok(fs::symlink_metadata(self.base.join(&self.folder).join(&self.name))?.ino())
    }

    /// Takes socket and lock away, if the lock that is found here is ours: somebody may have cleared the place and another
    /// broker moved in.
    pub fn remove(&self, lock: &File) {
        let folder = self.base.join(&self.folder);
        let _ = sys::unmount(&self.hub());
        if is_at(lock, &folder.join(self.lock_name())) {
            clear(&folder, &self.name);
            let _ = fs::remove_dir(&folder);
        }
    }

    /// Makes the folder below which the broker mounts its inputs.
    pub fn make_hub(&self) -> io::Result<()> {
        let folder = self.open_folder()?;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(inside(&folder, &self.hub_name()))
    }

    /// The folder that the broker mounts its inputs below, seen by nobody else.
    pub fn hub(&self) -> PathBuf {
        self.base.join(&self.folder).join(self.hub_name())
    }

    fn hub_name(&self) -> String {
        format!("{}{HUB}", self.name)
    }

    fn lock_name(&self) -> String {
        format!("{}{LOCK}", self.name)
    }

    fn open_folder(&self) -> io::Result<OwnedFd> {
        let base = File::options().read(true).custom_flags(libc::O_DIRECTORY).open(&self.base)?;
        let flags = libc::O_DIRECTORY | libc::O_RDONLY;
        let folder = File::from(sys::open_beneath(base.as_raw_fd(), Path::new(&self.folder), flags)?);
        let found = folder.metadata()?;
        if found.uid() != sys::effective_ids().0 || found.mode() & 0o077 != 0 {
            return Err(refused("the broker's folder is not ours alone"));
        }
        Ok(folder.into())
    }
}

/// Removes what brokers of other builds left when they were killed: whatever has a lock that nobody holds.
fn sweep(folder: &OwnedFd, own: &str) {
    let here = inside(folder, "");
    for entry in fs::read_dir(&here).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(LOCK).filter(|name| *name != own) else { continue };
        let lock = File::options().write(true).custom_flags(libc::O_NOFOLLOW).open(entry.path());
        if lock.is_ok_and(|lock| lock.try_lock().is_ok() && is_at(&lock, &entry.path())) {
            clear(&here, name);
        }
    }
}

/// Removes everything of one socket's name, the lock last.
fn clear(folder: &Path, name: &str) {
    let _ = fs::remove_file(folder.join(name));
    let _ = fs::remove_dir(folder.join(format!("{name}{HUB}")));
    let _ = fs::remove_file(folder.join(format!("{name}{LOCK}")));
}

/// Whether a path leads to that very file.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(held), Ok(found)) => (held.dev(), held.ino()) == (found.dev(), found.ino()),
        _ => false,
    }
}

fn inside(folder: &OwnedFd, name: &str) -> PathBuf {
    Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name)
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why.to_string())
}
