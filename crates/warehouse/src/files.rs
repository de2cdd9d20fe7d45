//! Files and folders of the user's and of ours: looked at before they are opened, private where they are ours.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use base::{Choice, Code, Digest, Hash, Problem, nearest};

use crate::file_state::FileState;

/// The largest file that is read.
pub const FILE_BYTES_MAX: u64 = 20 << 30;
const READ_BYTES: usize = 1 << 20;
/// `O_NONBLOCK` of Linux on x86-64, the one platform there is a sandbox for: opening a pipe must not wait for a writer.
const NONBLOCK: i32 = 0o4000;

/// Makes a folder that nobody else can enter, and its parents likewise where they are not there yet.
pub fn private_folder(path: &Path) -> Result<(), Problem> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| unwritable(path, &error))
}

/// Opens a regular file of bounded size, and nothing else, whatever takes its place meanwhile.
pub fn open_regular(path: &Path) -> Result<(File, FileState), Problem> {
    let failed = |error: io::Error| unreadable(path, &error);
    // Looked at before it is opened as well: opening a device may do something.
    let metadata = fs::metadata(path).map_err(failed)?;
    let file = match metadata.is_file() {
        true => Some(OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path).map_err(failed)?),
        false => None,
    };
    let metadata = file.as_ref().map_or(Ok(metadata), File::metadata).map_err(failed)?;
    let Some(file) = file.filter(|_| metadata.is_file()) else {
        return Err(Problem::new(Code::FileUnreadable, format!("`{}` is not a regular file", path.display()))
            .hint("give a file that can be read twice"));
    };
    if metadata.len() > FILE_BYTES_MAX {
        return Err(Problem::new(Code::FileFormat, format!("`{}` has {} bytes", path.display(), metadata.len()))
            .hint(format!("files up to {FILE_BYTES_MAX} bytes are read")));
    }
    Ok((file, FileState::of(&metadata)))
}

/// The digest of a regular file, bounded.
pub fn hash_file(path: &Path) -> Result<Hash, Problem> {
    let (mut file, _) = open_regular(path)?;
    hash_reader(&mut file, &mut |_| {}).map_err(|error| unreadable(path, &error))
}

/// The digest of everything that can be read; `seen` is told each part.
pub fn hash_reader(from: &mut impl Read, seen: &mut dyn FnMut(&[u8])) -> io::Result<Hash> {
    let mut digest = Digest::new();
    let mut buffer = vec![0; READ_BYTES];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(digest.finish()),
            count => {
                digest.update(&buffer[..count]);
                seen(&buffer[..count]);
            }
        }
    }
}

/// Copies a regular file to a new one and gives the digest of what was copied: one reading does both.
pub fn copy_hashed(from: &Path, to: &Path) -> Result<Hash, Problem> {
    let (mut file, _) = open_regular(from)?;
    let failed = |error: io::Error| unwritable(to, &error);
    let mut copy = File::create_new(to).map_err(failed)?;
    let mut trouble = None;
    let hash = hash_reader(&mut file, &mut |part| {
        if trouble.is_none() {
            trouble = copy.write_all(part).err();
        }
    });
    match trouble {
        Some(error) => Err(failed(error)),
        None => hash.map_err(|error| unreadable(from, &error)),
    }
}

/// Writes a file that is there whole or not at all: beside its place, and then renamed.
pub fn write_whole(path: &Path, text: &[u8]) -> io::Result<()> {
    let part = path.with_extension(format!("{}.part", base::RunId::fresh()));
    let written = File::create_new(&part).and_then(|mut file| {
        file.write_all(text)?;
        file.sync_all()
    });
    let placed = written.and_then(|()| fs::rename(&part, path));
    if placed.is_err() {
        let _ = fs::remove_file(&part);
    }
    placed?;
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// The text of a small file that its owner wrote by hand.
pub fn read_small(path: &Path) -> Result<String, Problem> {
    const BYTES_MAX: u64 = 1 << 20;
    let (file, state) = open_regular(path)?;
    if state.size > BYTES_MAX {
        return Err(Problem::new(Code::FileFormat, format!("`{}` has {} bytes", path.display(), state.size))
            .hint(format!("it may have up to {BYTES_MAX}")));
    }
    let mut bytes = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|_| {
        Problem::new(Code::FileFormat, format!("`{}` is not UTF-8 text", path.display())).hint("save it as UTF-8")
    })
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
            (Code::DiskFull, "free some space and try again, or use another data directory")
        }
        _ => (Code::StoreReadonly, "make the data directory writable, or use another"),
    };
    Problem::new(code, format!("cannot write below `{}`: {error}", path.display())).hint(hint).action(Choice::DataDir)
}
