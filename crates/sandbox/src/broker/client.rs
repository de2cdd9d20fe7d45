//! The command's side of the broker: asks for a warm cell, and starts a broker where there is none.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base::Digest;
use tokio::net::UnixStream;

use super::launch::BROKER_ARGUMENT;
use super::orders::unfit;
use super::wire::{Breadth, BrokerSpec, BrokerStatus, GRANT_BYTES_MAX, Grant, Order, Shelf, Wanted};
use crate::capture::Source;
use crate::cell::{Cell, CellOptions, into_tokio, read_message, source};
use crate::policy::Profile;
use crate::protocol::{Input, PROTOCOL_VERSION, frame, write_frame};
use crate::{Error, Sandbox, sys};

/// A broker that says nothing for so long is frozen, or none.
const FIRST_WORD_TIME_MAX: Duration = Duration::from_secs(5);

/// Where a command finds its broker.
#[derive(Debug)]
pub struct Broker {
    spec: BrokerSpec,
    program: PathBuf,
    data_dir: PathBuf,
    absent: AtomicBool,
}

/// What came of asking for a warm cell.
pub enum Asked {
    /// A cell.
    Cell(Box<Cell>),
    /// A cold one must do.
    Cold(CellOptions),
}

impl Broker {
    /// The broker of this program, of this environment, of this user. Its socket lies in `runtime_dir`, else in `data_dir`.
    pub fn of(sandbox: &Sandbox, runtime_dir: Option<&Path>, data_dir: &Path) -> io::Result<Broker> {
        // Somebody who became another user may still have the folder of who he was.
        let is_ours = |folder: &&Path| fs::metadata(folder).is_ok_and(|found| found.uid() == sys::effective_ids().0);
        let (base, folder) = match runtime_dir.filter(is_ours) {
            Some(runtime) => (runtime, "assay"),
            None => (data_dir, "broker"),
        };
        let own = fs::metadata(&sandbox.program)?;
        let mut digest = Digest::new();
        for number in [u64::from(PROTOCOL_VERSION), own.dev(), own.ino(), own.size(), own.mtime() as u64] {
            digest.part(&number.to_be_bytes());
        }
        for path in [&sandbox.image, &sandbox.kernel] {
            digest.part(path.as_os_str().as_encoded_bytes());
        }
        let spec = BrokerSpec {
            v: PROTOCOL_VERSION,
            base: std::path::absolute(base)?,
            folder: folder.into(),
            name: format!("broker-{}.sock", digest.finish().short()),
            image: std::path::absolute(&sandbox.image)?,
            kernel: std::path::absolute(&sandbox.kernel)?,
            inner_id_is_mapped: false,
        };
        let data_dir = std::path::absolute(data_dir)?;
        Ok(Broker { spec, program: sandbox.program.clone(), data_dir, absent: AtomicBool::new(false) })
    }

    /// Where its socket is, or would be.
    pub fn socket(&self) -> PathBuf {
        self.spec.base.join(&self.spec.folder).join(&self.spec.name)
    }

    /// Asks for a warm cell. Whatever stands in the way of one is no error: a cold one is slower, not weaker.
    pub(crate) async fn ask(&self, options: CellOptions) -> Result<Asked, Error> {
        if !options.without.is_empty() || unfit(&options.policy).is_some() {
            return Ok(Asked::Cold(options));
        }
        let Some(inputs) = options.inputs.iter().map(|input| self.wanted(input)).collect::<Option<Vec<_>>>() else {
            return Ok(Asked::Cold(options));
        };
        let breadth = if options.policy.profile == Profile::Analysis { Breadth::Full } else { options.breadth };
        let order = Order::Cell { policy: options.policy.clone(), inputs, breadth };
        match self.order(&order).await {
            Ok((Grant::Cell, descriptors, control)) => match joined(descriptors, control) {
                Ok((control, kernel, stdout, stderr)) => {
                    let cell = Cell::joined(None, control, kernel, stdout, stderr, options);
                    Ok(Asked::Cell(Box::new(cell)))
                }
                Err(_) => Ok(Asked::Cold(options)),
            },
            Ok((Grant::Busy { reason }, ..)) => Err(Error::Busy(reason)),
            Ok(_) => Ok(Asked::Cold(options)),
            Err(_) => {
                self.absent.store(true, Ordering::Relaxed);
                Ok(Asked::Cold(options))
            }
        }
    }

    /// Whether a cell had to be cold because no broker answered.
    pub fn was_absent(&self) -> bool {
        self.absent.load(Ordering::Relaxed)
    }

    /// Starts a broker beside everything else; it is of use to the next command.
    pub fn start(&self) -> io::Result<()> {
        self.absent.store(false, Ordering::Relaxed);
        let mut launcher = Command::new(&self.program)
            .arg(BROKER_ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut stdin = launcher.stdin.take().expect("stdin was piped above");
        write_frame(&mut stdin, &self.spec)?;
        // It leaves as soon as the broker stands; nobody needs to wait for that.
        std::thread::spawn(move || launcher.wait());
        Ok(())
    }

    /// How the broker is; nothing when there is none.
    pub async fn status(&self) -> Option<BrokerStatus> {
        match self.order(&Order::Status).await {
            Ok((Grant::Status(status), ..)) => Some(status),
            _ => None,
        }
    }

    /// Has the broker end, once what runs has ended; whether there was one.
    pub async fn stop(&self) -> bool {
        matches!(self.order(&Order::Stop).await, Ok((Grant::Stopping, ..)))
    }

    async fn order(&self, order: &Order) -> io::Result<(Grant, Vec<OwnedFd>, UnixStream)> {
        let stream = self.spec.door().connect()?;
        let store = match order {
            Order::Cell { inputs, .. } if !inputs.is_empty() => {
                let flags = libc::O_PATH | libc::O_DIRECTORY;
                Some(File::options().read(true).custom_flags(flags).open(&self.data_dir)?)
            }
            _ => None,
        };
        send(&stream, &frame(order)?, store.as_ref())?;
        let mut stream = into_tokio(stream)?;
        let first = tokio::time::timeout(FIRST_WORD_TIME_MAX, read_message(&mut stream, GRANT_BYTES_MAX));
        let (mut grant, mut descriptors) = first.await.map_err(|_| io::ErrorKind::TimedOut)??;
        if matches!(grant, Grant::Later) {
            (grant, descriptors) = read_message(&mut stream, GRANT_BYTES_MAX).await?;
        }
        Ok((grant, descriptors, stream))
    }

    /// An input, named by what it belongs to.
    fn wanted(&self, Input { name, path }: &Input) -> Option<Wanted> {
        let below = path.strip_prefix(&self.data_dir).ok()?;
        let mut parts = Vec::new();
        for part in below.components() {
            let Component::Normal(part) = part else { return None };
            parts.push(part.to_str()?.to_string());
        }
        let shelf = [Shelf::Datasets, Shelf::Jobs]
            .into_iter()
            .find(|shelf| parts.first().map(String::as_str) == Some(shelf.folder()))?;
        parts.remove(0);
        Some(Wanted { name: name.clone(), shelf, parts })
    }
}

/// An order is shorter than a socket's buffer, so it goes in one piece.
fn send(stream: &StdUnixStream, bytes: &[u8], store: Option<&File>) -> io::Result<()> {
    let lent: Vec<_> = store.map(AsRawFd::as_raw_fd).into_iter().collect();
    let sent = sys::send(stream.as_raw_fd(), bytes, &lent)?;
    if sent == bytes.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

type Joined = (UnixStream, UnixStream, Source, Source);

fn joined(descriptors: Vec<OwnedFd>, control: UnixStream) -> io::Result<Joined> {
    let Ok([kernel, stdout, stderr]) = <[OwnedFd; 3]>::try_from(descriptors) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let kernel = into_tokio(StdUnixStream::from(kernel))?;
    Ok((control, kernel, source(stdout)?, source(stderr)?))
}
