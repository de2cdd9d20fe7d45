//! Files and folders of the user's and of ours: looked at before they are opened, private where they are ours.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use base::{Code, Digest, Hash, Problem, nearest};
use flow::Run;

const FILE_BYTES_MAX: u64 = 1 << 30;

/// Makes a folder that nobody else can enter, and its parents likewise where they are not there yet.
pub fn private_folder(path: &Path) -> Result<(), Problem> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| unwritable(path, &error))
}

/// The digest and the size of a regular file, bounded.
pub fn hash_file(path: &Path) -> Result<(Hash, u64), Problem> {
    let failed = |error: io::Error| unreadable(path, &error);
    // Looked at before it is opened: opening a named pipe waits for a writer.
    let metadata = fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(Problem::new(Code::FileUnreadable, format!("`{}` is not a regular file", path.display()))
            .hint("give a file that can be read twice"));
    }
    if metadata.len() > FILE_BYTES_MAX {
        return Err(Problem::new(Code::FileFormat, format!("`{}` has {} bytes", path.display(), metadata.len()))
            .hint(format!("files up to {FILE_BYTES_MAX} bytes are read for now")));
    }
    let mut file = File::open(path).map_err(failed)?;
    let mut digest = Digest::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok((digest.finish(), metadata.len())),
            count => digest.update(&buffer[..count]),
        }
    }
}

/// The problem of a file that cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> Problem {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => match sibling(path) {
            Some(name) => format!("did you mean `{name}`?"),
            None => "check the path".to_string(),
        },
        io::ErrorKind::PermissionDenied => "check the file's permissions".to_string(),
        _ => "check the path and the file".to_string(),
    };
    let said = error.to_string();
    let said = said.split(" (os error").next().unwrap_or_default().to_lowercase();
    Problem::new(Code::FileUnreadable, format!("cannot read `{}`: {said}", path.display())).hint(hint)
}

/// The file beside it that is called most like it.
fn sibling(path: &Path) -> Option<String> {
    const FILES_MAX: usize = 1_000;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(folder).ok()?.flatten().take(FILES_MAX);
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    nearest(path.file_name()?.to_str()?, names.iter().map(String::as_str)).into_iter().next()
}

/// The problem of a place of ours that cannot be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Problem {
    let (code, hint) = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            (Code::DiskFull, "free some space and try again, or name another data directory with --data-dir")
        }
        _ => (Code::StoreReadonly, "make the data directory writable, or name another with --data-dir"),
    };
    Problem::new(code, format!("cannot write below `{}`: {error}", path.display())).hint(hint)
}

/// A run from a stranger's capsule may be continued here, but it does not choose where files are written.
pub fn no_stranger_writes(run: &Run) -> Result<(), Problem> {
    if !run.is_imported() {
        return Ok(());
    }
    Err(Problem::new(Code::Usage, "the run came from a capsule and wants to write to a place of its choice")
        .hint("start the same anew to have it done here"))
}
