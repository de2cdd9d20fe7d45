//! The container: how parts lie in a zip file, byte for byte.
//!
//! [`Layout`] is the only place that decides it. Writing lays the parts out into a file; checking lays them out against
//! the file that is there ([`Original`]) and notes where it differs.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Read, Seek, SeekFrom, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

/// How many differing bytes are noted before it no longer matters.
const DIFFERENCES_MAX: usize = 4096;

/// What a laid-out container goes to.
pub(super) trait Target {
    fn put(&mut self, at: u64, bytes: &[u8]) -> io::Result<()>;
}

/// A file to be written from its beginning.
pub(super) struct Fresh<W> {
    out: W,
    at: Option<u64>,
}

impl<W: Write + Seek> Fresh<W> {
    pub(super) fn new(out: W) -> Fresh<W> {
        Fresh { out, at: None }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write + Seek> Target for Fresh<W> {
    fn put(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        if self.at != Some(at) {
            self.out.seek(SeekFrom::Start(at))?;
        }
        self.out.write_all(bytes)?;
        self.at = Some(at + bytes.len() as u64);
        Ok(())
    }
}

/// A file that should hold the container already; nothing is written. A header is first laid out without its sum and
/// length and then again with them, so a difference counts only once its part is complete.
pub(super) struct Original<'f, R> {
    file: &'f RefCell<R>,
    differences: BTreeSet<u64>,
}

impl<'f, R: Read + Seek> Original<'f, R> {
    pub(super) fn new(file: &'f RefCell<R>) -> Original<'f, R> {
        Original { file, differences: BTreeSet::new() }
    }

    fn note(&mut self, at: u64, expected: &[u8], found: &[u8]) {
        let places = at..at + expected.len() as u64;
        // Contents are fed from the file itself, so almost always they are equal.
        if expected == found {
            self.differences.retain(|place| !places.contains(place));
            return;
        }
        for (index, place) in places.enumerate() {
            if found.get(index) == Some(&expected[index]) {
                self.differences.remove(&place);
            } else if self.differences.len() < DIFFERENCES_MAX {
                self.differences.insert(place);
            }
        }
    }

    /// Where the file first differs from what was laid out, or ends before it.
    pub(super) fn first_difference(&self) -> Option<u64> {
        self.differences.first().copied()
    }
}

impl<R: Read + Seek> Target for Original<'_, R> {
    fn put(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.file.borrow_mut();
        file.seek(SeekFrom::Start(at))?;
        let mut buffer = [0; 8192];
        let mut place = at;
        for expected in bytes.chunks(buffer.len()) {
            let found = fill(&mut *file, &mut buffer[..expected.len()])?;
            self.note(place, expected, &buffer[..found]);
            place += expected.len() as u64;
        }
        Ok(())
    }
}

/// Reads until the buffer is full or the file ends; says how much was read.
pub(super) fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Stands between the zip writer and the target, and never fails: a zip writer that met an error would still finish its
/// container when it is dropped, and complain on stderr. The first error is kept, and nothing is put after it.
struct Sink<T> {
    target: T,
    at: u64,
    end: u64,
    failed: Option<io::Error>,
}

impl<T: Target> Write for Sink<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.failed.is_none() {
            self.failed = self.target.put(self.at, bytes).err();
        }
        self.at += bytes.len() as u64;
        self.end = self.end.max(self.at);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<T> Seek for Sink<T> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
        };
        self.at = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

/// A container in the making: parts in the order they are begun, then the directory.
pub(super) struct Layout<T: Target> {
    zip: ZipWriter<Sink<T>>,
}

impl<T: Target> Layout<T> {
    pub(super) fn new(target: T) -> Layout<T> {
        Layout { zip: ZipWriter::new(Sink { target, at: 0, end: 0, failed: None }) }
    }

    /// Ends the part before and begins this one; says where its header is.
    pub(super) fn begin(&mut self, path: &str) -> io::Result<u64> {
        let start = self.position();
        // Everything that could depend on the machine, the clock or the zip crate's defaults is said here.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::DEFAULT)
            .system(System::Unix)
            .unix_permissions(0o644)
            .large_file(false);
        self.zip.start_file(path, options)?;
        self.checked()?;
        Ok(start)
    }

    /// Goes on with the part.
    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.zip.write_all(bytes)?;
        self.checked()
    }

    /// Where the next byte goes.
    pub(super) fn position(&self) -> u64 {
        self.sink().at
    }

    pub(super) fn target(&self) -> &T {
        &self.sink().target
    }

    /// Ends the last part and lays out the directory; says how long the container is.
    pub(super) fn finish(self) -> io::Result<(T, u64)> {
        let sink = self.zip.finish()?;
        match sink.failed {
            Some(error) => Err(error),
            None => Ok((sink.target, sink.end)),
        }
    }

    fn sink(&self) -> &Sink<T> {
        self.zip.get_ref().expect("a writer gives up its target only when it is finished")
    }

    fn checked(&self) -> io::Result<()> {
        match &self.sink().failed {
            Some(error) => Err(io::Error::new(error.kind(), error.to_string())),
            None => Ok(()),
        }
    }
}
