//! How many cold cells there may be at once: as many as there are files to lock, over all processes that share an
//! environment. Who finds none free takes a seat, of which there is a number too, and waits for its turn: the system
//! gives a lock to whoever asked for it first. Warm cells are bounded by their broker.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::Error;

/// So many may wait; the next is told that there are too many.
const WAITING_MAX: usize = 256;
/// And none longer than this.
const WAIT_MAX: Duration = Duration::from_secs(60);
const PAUSE_FIRST: Duration = Duration::from_millis(2);
const PAUSE_MAX: Duration = Duration::from_millis(20);
/// The file that the first of those who wait has locked.
const TURN: &str = "turn";

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
    let uncounted = Pass { file: None };
    if fs::create_dir_all(&folder).is_err() {
        return Ok(uncounted);
    }
    let nobody_waits = open(&folder, TURN).is_ok_and(|turn| turn.try_lock().is_ok());
    if nobody_waits {
        match first_free(&folder, "", cells_max()) {
            Ok(Some(file)) => return Ok(Pass { file: Some(file) }),
            Ok(None) => {}
            Err(_) => return Ok(uncounted),
        }
    }
    let Ok(seat) = first_free(&folder, "seat-", WAITING_MAX) else { return Ok(uncounted) };
    let _seat = seat.ok_or_else(|| Error::Busy(format!("{WAITING_MAX} programs wait already")))?;
    let too_long = |_| Error::Busy(format!("{} programs run already", cells_max()));
    timeout(WAIT_MAX, wait_in_turn(folder)).await.map_err(too_long)
}

/// Waits until everybody who came before has a place, then for one.
async fn wait_in_turn(folder: PathBuf) -> Pass {
    let (tell, told) = oneshot::channel();
    let place = folder.clone();
    // A thread that nobody waits for: who gives up, or ends, must not wait until it has the lock.
    std::thread::spawn(move || tell.send(open(&place, TURN).and_then(|turn| turn.lock().map(|()| turn))));
    let Ok(Ok(_turn)) = told.await else { return Pass { file: None } };
    let mut pause = PAUSE_FIRST;
    loop {
        match first_free(&folder, "", cells_max()) {
            Ok(Some(file)) => return Pass { file: Some(file) },
            Ok(None) => sleep(pause).await,
            Err(_) => return Pass { file: None },
        }
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// Begins somewhere else in each process, so that they do not all try the same file.
fn first_free(folder: &Path, kind: &str, count: usize) -> io::Result<Option<File>> {
    let offset = std::process::id() as usize;
    for place in 0..count {
        let file = open(folder, &format!("{kind}{}", (place + offset) % count))?;
        if file.try_lock().is_ok() {
            return Ok(Some(file));
        }
    }
    Ok(None)
}

fn open(folder: &Path, name: &str) -> io::Result<File> {
    File::options().create(true).write(true).truncate(false).open(folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_waits_gets_a_place_in_turn() {
        let environment = tempfile::tempdir().expect("a folder");
        let mut taken = Vec::new();
        for _ in 0..cells_max() {
            taken.push(pass(environment.path()).await.expect("a place"));
        }
        let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
        for number in 0..5 {
            let (tell, path) = (tell.clone(), environment.path().to_path_buf());
            tokio::spawn(async move {
                let pass = pass(&path).await.expect("a place in the end");
                tell.send((number, pass)).expect("somebody listens");
            });
            // Until this one waits for the lock.
            sleep(Duration::from_millis(50)).await;
        }
        assert!(told.try_recv().is_err(), "every place is taken");
        for expected in 0..5 {
            taken.pop();
            let (number, pass) = told.recv().await.expect("the next in turn");
            assert_eq!(number, expected);
            taken.push(pass);
            taken.rotate_right(1);
        }
    }

    #[tokio::test]
    async fn too_many_who_wait_are_told_so() {
        let environment = tempfile::tempdir().expect("a folder");
        let folder = environment.path().join("cells");
        fs::create_dir(&folder).expect("a folder");
        let files = |kind: &str, count: usize| -> Vec<File> {
            (0..count).map(|_| first_free(&folder, kind, count).expect("a file").expect("a free one")).collect()
        };
        let _taken = (files("", cells_max()), files("seat-", WAITING_MAX));
        let refused = pass(environment.path()).await.expect_err("no seat is left");
        assert!(matches!(refused, Error::Busy(reason) if reason.contains("wait")));
    }
}
