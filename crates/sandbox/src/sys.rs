//! The system calls a cell is made of, each behind a safe function that names what failed.
//!
//! All `unsafe` of the workspace is in this module. Nothing here decides anything.

#![allow(unsafe_code)]

mod descriptors;
mod mounts;
mod processes;
mod rights;
mod space;

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub use descriptors::*;
pub use mounts::*;
pub use processes::*;
pub use rights::*;
pub use space::*;

fn check(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}
