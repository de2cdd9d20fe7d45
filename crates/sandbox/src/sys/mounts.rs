//! Mounts and files: detached copies, attributes, roots, and opening without being led astray.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::path::Path;

use super::{c_path, check};

/// A detached copy of the mount at `path`, to be attached elsewhere.
pub fn open_tree(path: &Path) -> io::Result<OwnedFd> {
    let path = c_path(path)?;
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC;
    // SAFETY: the path is null-terminated; the result is a fresh descriptor.
    unsafe {
        let fd = check(libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags))?;
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// A detached copy of the mount of what a descriptor names; it must be one of our own mounts.
pub fn open_tree_of(file: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_EMPTY_PATH as libc::c_uint;
    // SAFETY: the path is a null-terminated constant; the result is a fresh descriptor.
    unsafe {
        let fd = check(libc::syscall(libc::SYS_open_tree, file.as_raw_fd(), c"".as_ptr(), flags))?;
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// Sets attributes such as `MOUNT_ATTR_RDONLY` on a detached mount.
pub fn mount_attributes(tree: &OwnedFd, set: u64) -> io::Result<()> {
    // SAFETY: zeroed mount_attr is valid and its size is passed along.
    unsafe {
        let mut attributes: libc::mount_attr = std::mem::zeroed();
        attributes.attr_set = set;
        check(libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        ))?;
    }
    Ok(())
}

/// Attaches a detached mount at `target`.
pub fn move_mount(tree: &OwnedFd, target: &Path) -> io::Result<()> {
    const MOVE_MOUNT_F_EMPTY_PATH: libc::c_uint = 4;
    let target = c_path(target)?;
    // SAFETY: both paths are null-terminated.
    check(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            target.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    })?;
    Ok(())
}

/// The classic mount call, for file systems made on the spot and for changes of propagation.
pub fn mount(source: &str, target: &Path, kind: &str, flags: libc::c_ulong, options: &str) -> io::Result<()> {
    let text = |text: &str| CString::new(text).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL));
    let (source, target, kind, options) = (text(source)?, c_path(target)?, text(kind)?, text(options)?);
    // SAFETY: all four are null-terminated and outlive the call.
    check(unsafe {
        libc::mount(source.as_ptr(), target.as_ptr(), kind.as_ptr(), flags, options.as_ptr().cast()) as libc::c_long
    })?;
    Ok(())
}

/// Makes the current directory the root and keeps the old one at `scratch`.
pub fn pivot_beside() -> io::Result<()> {
    // SAFETY: constant null-terminated paths.
    unsafe {
        check(libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c"scratch".as_ptr()))?;
        check(libc::chdir(c"/".as_ptr()) as libc::c_long)?;
    }
    Ok(())
}

/// Makes the current directory the root and lets go of the old one.
pub fn pivot_here() -> io::Result<()> {
    // SAFETY: constant null-terminated paths.
    unsafe {
        check(libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()))?;
        check(libc::umount2(c".".as_ptr(), libc::MNT_DETACH) as libc::c_long)?;
        check(libc::chdir(c"/".as_ptr()) as libc::c_long)?;
    }
    Ok(())
}

/// Lets go of the mount at `target`; it lives on where it is bound elsewhere.
pub fn unmount(target: &Path) -> io::Result<()> {
    let target = c_path(target)?;
    // SAFETY: null-terminated path.
    check(unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH) } as libc::c_long)?;
    Ok(())
}

/// Opens `name` below `directory` without following a link at any place and without leaving the file system.
pub fn open_beneath(directory: RawFd, name: &Path, flags: libc::c_int) -> io::Result<OwnedFd> {
    let name = c_path(name)?;
    // SAFETY: zeroed open_how is valid and its size is passed along; the result is a fresh descriptor.
    unsafe {
        let mut how: libc::open_how = std::mem::zeroed();
        how.flags = (flags | libc::O_CLOEXEC) as u64;
        how.resolve = libc::RESOLVE_BENEATH | libc::RESOLVE_NO_SYMLINKS | libc::RESOLVE_NO_XDEV;
        let fd = check(libc::syscall(
            libc::SYS_openat2,
            directory,
            name.as_ptr(),
            &raw const how,
            size_of::<libc::open_how>(),
        ))?;
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// How many bytes are in use on the file system that `file` lies on.
pub fn bytes_used(file: &OwnedFd) -> io::Result<u64> {
    // SAFETY: zeroed statfs is valid and lives on our stack.
    let stat = unsafe {
        let mut stat: libc::statfs = std::mem::zeroed();
        check(libc::fstatfs(file.as_raw_fd(), &mut stat) as libc::c_long)?;
        stat
    };
    Ok((stat.f_blocks - stat.f_bfree) * stat.f_bsize as u64)
}
