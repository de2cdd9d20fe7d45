//! How many cold cells there may be at once: as many as there are files to lock, over all processes that share an
//! environment. Warm cells are bounded by their broker.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::Error;

/// Beyond, whoever asks is told that there are too many.
const WAIT_MAX: Duration = Duration::from_secs(60);
const PAUSE_FIRST: Duration = Duration::from_millis(2);
const PAUSE_MAX: Duration = Duration::from_millis(50);

/// A place among those who may have a cell; free again when everybody who holds its file has let go of it.
#[derive(Debug)]
pub struct Pass {
    /// Locked; none where nothing is counted.
    pub file: Option<File>,
}

/// As many cells as a machine with that many processors carries.
pub fn cells_max() -> usize {
    let processors = std::thread::available_parallelism().map_or(2, |processors| processors.get());
    (4 * processors).clamp(8, 64)
}

/// Waits for a place.
pub async fn pass(environment: &Path) -> Result<Pass, Error> {
    let folder = environment.join("cells");
    // An environment that others made for us cannot be written; then nothing is counted.
    if fs::create_dir_all(&folder).is_err() {
        return Ok(Pass { file: None });
    }
    let until = Instant::now() + WAIT_MAX;
    let mut pause = PAUSE_FIRST;
    loop {
        match first_free(&folder) {
            Ok(Some(file)) => return Ok(Pass { file: Some(file) }),
            Err(_) => return Ok(Pass { file: None }),
            Ok(None) if Instant::now() >= until => {
                return Err(Error::Busy(format!("{} programs run already", cells_max())));
            }
            Ok(None) => sleep(pause).await,
        }
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// Begins somewhere else in each process, so that they do not all try the same file.
fn first_free(folder: &Path) -> io::Result<Option<File>> {
    let (count, offset) = (cells_max(), std::process::id() as usize);
    for place in 0..count {
        let path: PathBuf = folder.join(((place + offset) % count).to_string());
        let file = File::options().create(true).write(true).truncate(false).open(path)?;
        if file.try_lock().is_ok() {
            return Ok(Some(file));
        }
    }
    Ok(None)
}
