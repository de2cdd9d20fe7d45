//! The asker's side: finds the resident kernel or starts it, hands over an order, and hears the answer.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use base::Digest;
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep, timeout};

use super::{Order, RESIDENT_ARGUMENT, ResidentOptions, ResidentSpec, ResidentStatus, VERSION, Word};
use crate::cell::{into_tokio, read_message};
use crate::policy::Policy;
use crate::protocol::{FRAME_BYTES_MAX, Raised, frame, write_frame};
use crate::{Sandbox, sys};

/// One that says nothing for so long is frozen, or none.
const FIRST_WORD_TIME_MAX: Duration = Duration::from_secs(5);
/// So long a process takes to stand, on a machine that is very busy.
const START_TIME_MAX: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(20);
/// One that ends by itself while it is asked is started again so often.
const TRIES: usize = 3;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ResidentError {
    /// It could not be started or reached.
    #[error("it cannot be started: {0}")]
    Start(String),
    /// It ended or fell silent in the middle.
    #[error("it was lost")]
    Lost,
    /// Too many wait already.
    #[error("{0} others wait already")]
    Busy(usize),
    /// Its module raised.
    #[error("{}", .0.message)]
    Raised(Raised),
    /// It gave the order up.
    #[error("{0}")]
    Failed(String),
}

/// Where a resident kernel is found, and how it is started.
#[derive(Clone, Debug)]
pub struct Resident {
    spec: ResidentSpec,
    program: PathBuf,
}

impl Sandbox {
    /// The resident kernel of this environment with that module and file, whether or not it runs.
    pub fn resident(&self, options: ResidentOptions) -> io::Result<Resident> {
        // Somebody who became another user may still have the folder of who he was.
        let is_ours = |folder: &&PathBuf| fs::metadata(folder).is_ok_and(|found| found.uid() == sys::effective_ids().0);
        let (base, folder) = match options.runtime_dir.as_ref().filter(is_ours) {
            Some(runtime) => (runtime, "assay"),
            None => (&options.folder, "resident"),
        };
        let mut digest = Digest::new();
        digest.part(&VERSION.to_be_bytes());
        for path in [&self.image, &self.kernel, &options.input.path] {
            digest.part(path.as_os_str().as_encoded_bytes());
        }
        digest.part(options.arguments.to_string().as_bytes());
        let spec = ResidentSpec {
            v: VERSION,
            base: std::path::absolute(base)?,
            folder: folder.into(),
            name: format!("{}-{}.sock", options.name, digest.finish().short()),
            image: std::path::absolute(&self.image)?,
            kernel: std::path::absolute(&self.kernel)?,
            input: options.input,
            module: options.module.to_string(),
            arguments: options.arguments,
            policy: Policy::resident(options.memory_bytes),
            idle_ms: options.idle_ms,
            order_ms_max: options.order_ms_max,
        };
        Ok(Resident { spec, program: self.program.clone() })
    }
}

impl Resident {
    /// Where its socket is, or would be.
    pub fn socket(&self) -> PathBuf {
        self.spec.base.join(&self.spec.folder).join(&self.spec.name)
    }

    /// Has its module answer, which may wait until others are served. To let go of the future gives the order up.
    pub async fn answer(
        &self,
        arguments: &Value,
        heard: &mut (dyn FnMut(Value) + Send),
    ) -> Result<Value, ResidentError> {
        let order = frame(&Order::Answer { arguments: arguments.clone() });
        let order = order.map_err(|error| ResidentError::Failed(error.to_string()))?;
        for _ in 0..TRIES {
            let mut stream = self.reach().await?;
            // One that had just decided to end closes without a word.
            if let Ok(first) = said_first(&mut stream, &order).await {
                return hear(stream, first, heard).await;
            }
        }
        Err(ResidentError::Lost)
    }

    /// How it is; nothing where it does not run.
    pub async fn status(&self) -> Option<ResidentStatus> {
        let mut stream = into_tokio(self.spec.door().connect().ok()?).ok()?;
        match said_first(&mut stream, &frame(&Order::Status).ok()?).await {
            Ok(Word::Status(status)) => Some(status),
            _ => None,
        }
    }

    /// Has it end at once; whether there was one.
    pub async fn stop(&self) -> bool {
        let Ok(stream) = self.spec.door().connect() else { return false };
        let (Ok(mut stream), Ok(order)) = (into_tokio(stream), frame(&Order::Stop)) else { return false };
        matches!(said_first(&mut stream, &order).await, Ok(Word::Stopping))
    }

    /// A connection to the one that runs, or to one that is started now. Several may start at once: one of them stays.
    async fn reach(&self) -> Result<UnixStream, ResidentError> {
        let failed = |error: io::Error| ResidentError::Start(error.to_string());
        let deadline = Instant::now() + START_TIME_MAX;
        let mut started = false;
        loop {
            match self.spec.door().connect() {
                Ok(stream) => return into_tokio(stream).map_err(failed),
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(failed(error)),
                Err(error) if Instant::now() >= deadline => return Err(failed(error)),
                Err(_) if started => sleep(PAUSE).await,
                Err(_) => {
                    fs::create_dir_all(&self.spec.base).map_err(failed)?;
                    self.start().map_err(failed)?;
                    started = true;
                }
            }
        }
    }

    fn start(&self) -> io::Result<()> {
        let mut process = Command::new(&self.program)
            .arg(RESIDENT_ARGUMENT)
            .env_clear()
            .current_dir(Path::new("/"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut stdin = process.stdin.take().expect("stdin was piped above");
        write_frame(&mut stdin, &self.spec)?;
        // It outlives us; while we live, its end is noticed, so that nothing is left of it.
        std::thread::spawn(move || process.wait());
        Ok(())
    }
}

async fn said_first(stream: &mut UnixStream, order: &[u8]) -> io::Result<Word> {
    let talk = async {
        stream.write_all(order).await?;
        Ok(read_message::<Word>(stream, FRAME_BYTES_MAX).await?.0)
    };
    timeout(FIRST_WORD_TIME_MAX, talk).await.map_err(|_| io::ErrorKind::TimedOut)?
}

async fn hear(
    mut stream: UnixStream,
    mut word: Word,
    heard: &mut (dyn FnMut(Value) + Send),
) -> Result<Value, ResidentError> {
    loop {
        match word {
            Word::Taken => {}
            Word::Piece { value } => heard(value),
            Word::Whole { value } => return Ok(value),
            Word::Raised { error } => return Err(ResidentError::Raised(error)),
            Word::Failed { why } => return Err(ResidentError::Failed(why)),
            Word::Busy { waiting } => return Err(ResidentError::Busy(waiting)),
            Word::Status(_) | Word::Stopping => return Err(ResidentError::Lost),
        }
        word = read_message(&mut stream, FRAME_BYTES_MAX).await.map_err(|_| ResidentError::Lost)?.0;
    }
}
