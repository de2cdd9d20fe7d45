//! Room on a file system.

use std::io;
use std::mem::MaybeUninit;
use std::path::Path;

use super::{c_path, check};

/// How many bytes an ordinary user can still write where this path is.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let path = c_path(path)?;
    let mut found = MaybeUninit::<libc::statvfs>::zeroed();
    // SAFETY: the path ends in a zero byte, and the structure outlives the call that fills it.
    check(unsafe { libc::statvfs(path.as_ptr(), found.as_mut_ptr()) }.into())?;
    // SAFETY: all its fields are numbers, and it was zeroed before it was filled.
    let found = unsafe { found.assume_init() };
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}
