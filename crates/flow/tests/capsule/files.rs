//! Files that fail while they are read or written, and runs that cannot become a capsule.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use base::{Code, Hash, Problem, Timestamp};
use flow::capsule::{self, Capsule};
use serde_json::json;

use crate::kit::{CHART, content, origin, sample, written};

/// A file that fails after some bytes, when read or when written.
struct Failing<'f> {
    file: Cursor<&'f mut Vec<u8>>,
    left: usize,
    kind: io::ErrorKind,
}

impl Failing<'_> {
    fn spend(&mut self, bytes: usize) -> io::Result<()> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| io::Error::from(self.kind))?;
        Ok(())
    }
}

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.spend(buffer.len())?;
        self.file.read(buffer)
    }
}

impl Write for Failing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.spend(bytes.len())?;
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Failing<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[test]
fn a_file_that_fails_is_not_called_damaged() {
    let mut whole = written(&sample());
    for left in (0..whole.len()).step_by(61) {
        let file = Failing { file: Cursor::new(&mut whole), left, kind: io::ErrorKind::TimedOut };
        assert_eq!(capsule::verify(file).expect_err("it fails").code, Code::FileUnreadable, "after {left} bytes");
    }
    for left in (0..whole.len()).step_by(61) {
        let mut out = Vec::new();
        let file = Failing { file: Cursor::new(&mut out), left, kind: io::ErrorKind::StorageFull };
        let problem = capsule::write(file, &sample(), &origin(), &mut content).expect_err("the disk is full");
        assert_eq!(problem.code, Code::DiskFull, "after {left} bytes");
        assert!(capsule::verify(Cursor::new(out)).is_err());
    }
}

#[test]
fn contents_that_changed_after_the_check_are_not_handed_on() {
    let directory = tempfile::tempdir().expect("a folder");
    let path = directory.path().join("run.zip");
    let file = written(&sample());
    std::fs::write(&path, &file).expect("written");
    let (_, mut contents) = capsule::read(std::fs::File::open(&path).expect("opened")).expect("whole");
    std::fs::write(&path, vec![0; file.len()]).expect("changed");
    let problem = contents.load(&Hash::of(CHART)).expect_err("other contents");
    assert_eq!((problem.code, problem.path), (Code::CapsuleDamaged, Some(format!("artifacts/{}", Hash::of(CHART)))));
}

#[test]
fn what_could_not_be_read_back_is_not_written() {
    let unwritable = |words: &str, change: &dyn Fn(&mut Capsule)| {
        let mut capsule = sample();
        change(&mut capsule);
        let problem = capsule::write(Cursor::new(Vec::new()), &capsule, &origin(), &mut content).expect_err(words);
        assert_eq!(
            (problem.code, problem.run.as_ref()),
            (Code::JournalDamaged, Some(&capsule.journal.run.id)),
            "{problem}"
        );
        assert!(problem.message.contains(words), "{words}: {problem}");
    };
    unwritable("the run's last is 9", &|capsule| capsule.journal.run.last_seq = 9);
    unwritable("line 1 cannot be understood", &|capsule| capsule.journal.steps[0].duration_ms = f64::NAN);
    unwritable("line 2 is step 2", &|capsule| drop(capsule.journal.steps.remove(1)));
    unwritable("not the hash of its output", &|capsule| capsule.journal.steps[0].output_hash = Hash::of(b""));
    unwritable("is no time", &|capsule| capsule.journal.run.created_at = Timestamp(i64::MAX));
    unwritable("no spelling in JSON", &|capsule| capsule.journal.run.here.recoveries = 1);
    unwritable("cannot be understood", &|capsule| capsule.events[1].seq = None);
    unwritable("another length", &|capsule| capsule.journal.artifacts[0].bytes = 5);
    unwritable("recursion", &|capsule| {
        let deep = (0..127).fold(json!(1), |value, _| json!([value]));
        capsule.journal.run.input_hash = None;
        capsule.journal.run.input = deep;
    });
    let mut forged = |_: &Hash| Ok(b"forged".to_vec());
    let problem =
        capsule::write(Cursor::new(Vec::new()), &sample(), &origin(), &mut forged).expect_err("forged contents");
    assert!(problem.message.contains("other contents than its name says"), "{problem}");
    let mut gone = |_: &Hash| Err(Problem::new(Code::JournalDamaged, "the artifact is gone"));
    let problem = capsule::write(Cursor::new(Vec::new()), &sample(), &origin(), &mut gone).expect_err("no contents");
    assert_eq!(problem.message, "the artifact is gone");
}
