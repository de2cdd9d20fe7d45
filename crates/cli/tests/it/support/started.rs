//! A command that is at work while the test goes on, and waiting for what it does.
//!
//! Every wait is for something that was seen, never for a time that should suffice.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::{Call, Ran};

const PATIENCE: Duration = Duration::from_secs(40);

/// Waits until something is seen.
#[track_caller]
pub fn until<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(begin.elapsed() < PATIENCE, "never came true: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A command at work. It does not outlive the test, also not when it is frozen.
pub struct Started {
    child: Child,
    begin: Instant,
    stdout: Stream,
    stderr: Stream,
}

struct Stream {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Stream {
    /// Reads all the time, so that a full pipe never holds the command up.
    fn of(mut pipe: impl Read + Send + 'static) -> Stream {
        let bytes: Arc<Mutex<Vec<u8>>> = Arc::default();
        let kept = bytes.clone();
        let reader = thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                kept.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        Stream { bytes, reader: Some(reader) }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }
}

impl Started {
    pub fn of(call: Call) -> Started {
        let mut child = call.start();
        let stdout = Stream::of(child.stdout.take().unwrap());
        let stderr = Stream::of(child.stderr.take().unwrap());
        Started { child, begin: Instant::now(), stdout, stderr }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn stdout(&self) -> String {
        self.stdout.text()
    }

    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    #[track_caller]
    pub fn signal(&mut self, name: &str) {
        assert!(self.child.try_wait().unwrap().is_none(), "it has ended: {}{}", self.stdout(), self.stderr());
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.pid().to_string()).status();
        assert!(sent.unwrap().success(), "{name} cannot be sent");
    }

    /// Dies like a process whose machine lost power.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// What it did, once it has ended by itself.
    #[track_caller]
    pub fn ends(&mut self) -> Ran {
        let shown = format!("process {}", self.pid());
        let limit = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < limit, "{shown} does not end: {}{}", self.stdout(), self.stderr());
            thread::sleep(Duration::from_millis(5));
        };
        let elapsed = self.begin.elapsed();
        for reader in [&mut self.stdout, &mut self.stderr].into_iter().filter_map(|stream| stream.reader.take()) {
            reader.join().unwrap();
        }
        let (stdout, stderr) = (self.stdout(), self.stderr());
        assert!(!stderr.contains("panicked"), "{shown} panicked: {stderr}");
        Ran { shown, code: status.code(), signal: status.signal(), stdout, stderr, elapsed }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.kill();
    }
}
