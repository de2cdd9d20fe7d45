//! Files that a user asked for: whether they can be there is known before anything is computed.

use std::io::ErrorKind;
use std::path::Path;

use base::{Code, Problem};

/// Refuses a file whose folder is not there; `option` names what asks for it.
pub fn check_folder(path: &Path, option: &str) -> Result<(), Problem> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        None => Ok(()),
        Some(folder) => Err(Problem::new(Code::FileUnreadable, format!("there is no folder `{}`", folder.display()))
            .hint(format!("make it first, or name another file with {option}"))),
    }
}

/// Writes a whole file; the hint is for whoever now has to do without it.
pub fn write(path: &Path, contents: &[u8], hint: &str) -> Result<(), Problem> {
    std::fs::write(path, contents).map_err(|error| {
        let code = if error.kind() == ErrorKind::StorageFull { Code::DiskFull } else { Code::FileUnreadable };
        Problem::new(code, format!("cannot write `{}`: {error}", path.display())).hint(hint)
    })
}
