//! Files that are sent: each part with a file name is a file, the text field `name` is what the dataset is called.
//!
//! ```text
//! <place>/uploads/<id>/<plain file name>      there as long as its dataset, or gone when it was not read
//! ```
//! Invariant: a file is written under a plain name of ours in a folder of its own; what a sender calls it decides only how
//! it is read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use app::ServeLimits;
use axum::extract::Multipart;
use axum::extract::multipart::{Field, MultipartError};
use base::{Code, Problem, RunId};
use tokio::io::AsyncWriteExt;

use crate::place::Place;
use crate::refusal::Refusal;

const FILES_MAX: usize = 64;
const NAME_BYTES_MAX: usize = 256;
const FOLDER: &str = "uploads";
/// When files that belong to nothing were surely left behind.
const LEFT_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// Files that were received. They are removed unless they are kept.
pub struct Upload {
    folder: PathBuf,
    files: Vec<PathBuf>,
    /// What the dataset is to be called.
    pub name: String,
    kept: bool,
}

impl Upload {
    /// Where they are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Each of them.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// They belong to a dataset now.
    pub fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Receives the parts of a request.
pub async fn receive(place: &Place, mut parts: Multipart) -> Result<Upload, Refusal> {
    let limits = place.limits();
    let folder = place.app.settings.data_dir.join(FOLDER).join(RunId::fresh().as_str());
    fs::create_dir_all(&folder).map_err(|error| unwritable(&error))?;
    let mut upload = Upload { folder, files: Vec::new(), name: String::new(), kept: false };
    let mut files: Vec<String> = Vec::new();
    while let Some(part) = in_time(limits, parts.next_field()).await? {
        match part.file_name().map(str::to_string) {
            Some(name) => {
                let name = plain(&name)
                    .ok_or_else(|| usage("a file has no name that can be used", "name it, such as sales.csv"))?;
                if files.len() >= FILES_MAX || files.contains(&name) {
                    let message = format!("more than {FILES_MAX} files, or two of the same name");
                    return Err(usage(message, "send fewer at once, under different names"));
                }
                write(place, &upload.folder.join(&name), part).await?;
                files.push(name);
            }
            None if part.name() == Some("name") => upload.name = text(limits, part).await?,
            None => {}
        }
    }
    upload.files = files.iter().map(|name| upload.folder.join(name)).collect();
    let Some(first) = files.first() else {
        return Err(usage("no file was sent", "send each file as a part with a file name"));
    };
    if upload.name.trim().is_empty() {
        upload.name = first.split('.').next().unwrap_or_default().to_string();
    }
    Ok(upload)
}

/// Removes the files that were sent for a dataset; those that somebody named on the command line are not ours.
pub fn forget(data_dir: &Path, paths: &[PathBuf]) {
    let ours = data_dir.join(FOLDER);
    for path in paths.iter().filter(|path| path.parent() == Some(&ours)) {
        let _ = fs::remove_dir_all(path);
    }
}

/// Removes files that were being received when a server went away: those that no dataset names, once nobody can be sending
/// them any more.
pub fn sweep(data_dir: &Path, named: &[PathBuf]) {
    let old = |path: &Path| {
        let changed = fs::metadata(path).and_then(|found| found.modified());
        changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LEFT_AFTER))
    };
    for entry in fs::read_dir(data_dir.join(FOLDER)).into_iter().flatten().flatten() {
        let path = entry.path();
        if !named.contains(&path) && old(&path) {
            let _ = fs::remove_dir_all(path);
        }
    }
}

async fn write(place: &Place, path: &Path, mut part: Field<'_>) -> Result<(), Refusal> {
    let mut file = tokio::fs::File::create(path).await.map_err(|error| unwritable(&error))?;
    while let Some(chunk) = in_time(place.limits(), part.chunk()).await? {
        place.counters.uploaded(chunk.len());
        file.write_all(&chunk).await.map_err(|error| unwritable(&error))?;
    }
    file.flush().await.map_err(|error| unwritable(&error))
}

async fn text(limits: &ServeLimits, mut part: Field<'_>) -> Result<String, Refusal> {
    let mut bytes = Vec::new();
    while let Some(chunk) = in_time(limits, part.chunk()).await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > NAME_BYTES_MAX {
            return Err(usage(format!("the name has more than {NAME_BYTES_MAX} bytes"), "give a shorter one"));
        }
    }
    String::from_utf8(bytes).map_err(|_| usage("the name is not UTF-8", "give it as UTF-8"))
}

async fn in_time<T>(
    limits: &ServeLimits,
    coming: impl Future<Output = Result<T, MultipartError>>,
) -> Result<T, Refusal> {
    match tokio::time::timeout(limits.body_time, coming).await {
        Ok(came) => came.map_err(|error| match error.status().as_u16() {
            413 => {
                let hint = format!("send at most {} bytes at once", limits.upload_bytes);
                Refusal::new(Code::TooLarge, "the files are too large", &hint)
            }
            _ => usage("the parts cannot be read", "send multipart/form-data"),
        }),
        Err(_) => Err(Refusal::new(Code::TimedOut, "the files did not come in time", "send them faster")),
    }
}

/// The last part of a name, of letters that a file name may have everywhere; its ending says how it is read.
fn plain(name: &str) -> Option<String> {
    const CHARACTERS_MAX: usize = 120;
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_' | ' ' | '(' | ')');
    let clean: String = last.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
    let clean = clean.trim_start_matches('.').trim();
    let from = clean.chars().count().saturating_sub(CHARACTERS_MAX);
    let clean: String = clean.chars().skip(from).collect();
    let clean = clean.trim_start_matches('.').to_string();
    (!clean.is_empty()).then_some(clean)
}

fn usage(message: impl Into<String>, hint: &str) -> Refusal {
    Refusal::new(Code::Usage, message, hint)
}

fn unwritable(error: &std::io::Error) -> Refusal {
    let code = match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Code::DiskFull,
        _ => Code::Internal,
    };
    Refusal(Problem::new(code, format!("the files cannot be kept: {error}")).hint("try again later"))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_name_never_leaves_its_folder() {
        assert_eq!(plain("sales 2024.csv").as_deref(), Some("sales 2024.csv"));
        assert_eq!(plain("../../etc/passwd").as_deref(), Some("passwd"));
        assert_eq!(plain("C:\\data\\x.csv").as_deref(), Some("x.csv"));
        assert_eq!(plain("a\nb\0.csv").as_deref(), Some("a_b_.csv"));
        assert_eq!(plain(".hidden").as_deref(), Some("hidden"));
        assert_eq!((plain(".."), plain(""), plain("/")), (None, None, None));
        assert!(
            plain(&format!("{}.csv", "x".repeat(500))).is_some_and(|name| name.ends_with(".csv") && name.len() < 200)
        );
    }
}
