//! Reading a capsule: first every byte, then what the bytes say, then the contents one by one.
//!
//! The parts are laid out again as the manifest lists them, with the contents the file has where they should be. The
//! file is whole if the contents have the listed digests and everything around them is equal. Parts are gone through in
//! order, so the first that is wrong is the one that is named.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};

use base::{Code, Digest, Hash, Problem};
use zip::result::ZipError;

use super::container::{Layout, Original, fill};
use super::document::Texts;
use super::flaw::{Flaw, unreadable};
use super::manifest::Refusal;
use super::write::digest_text;
use super::{
    CONTAINER_BYTES_MAX, Capsule, EVENTS, FORMAT, JOURNAL, MANIFEST, MANIFEST_BYTES_MAX, MANIFEST_DIGEST, Manifest,
    Part, RUN,
};

const PART_MAGIC: &[u8] = b"PK\x03\x04";
/// How much of a part is in memory while it is checked.
const CHUNK_BYTES: usize = 64 * 1024;
/// Above any header of a part, so that a damaged one cannot make us read on without end.
const HEADER_BYTES_MAX: u64 = 256 * 1024;

/// Checks a capsule as [`read`] does: every byte of it, and that what it says makes sense.
pub fn verify<R: Read + Seek>(file: R) -> Result<Manifest, Problem> {
    read(file).map(|(_, contents)| contents.manifest)
}

/// Checks a capsule and gives the run in it, and access to the contents of its artifacts.
pub fn read<R: Read + Seek>(file: R) -> Result<(Capsule, Contents<R>), Problem> {
    let file = RefCell::new(file);
    let length = length_of(&mut *file.borrow_mut())?;
    let manifest_text = manifest_text(&mut *file.borrow_mut())?;
    let manifest = Manifest::parse(&manifest_text).map_err(|refusal| match refusal {
        Refusal::Flawed(flaw) => flaw.damaged(),
        Refusal::Format(format) => unknown_format(format),
    })?;
    let checked = check_bytes(&file, length, &manifest_text, &manifest).map_err(Trouble::into_problem)?;
    let capsule = capsule_of(&checked.texts, &manifest).map_err(Flaw::damaged)?;
    Ok((capsule, Contents { file: file.into_inner(), places: checked.places, manifest }))
}

/// The contents of a capsule's artifacts, loaded one at a time.
#[derive(Debug)]
pub struct Contents<R> {
    file: R,
    places: BTreeMap<Hash, Place>,
    manifest: Manifest,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    at: u64,
    bytes: u64,
}

impl<R: Read + Seek> Contents<R> {
    /// What the capsule says about itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The hashes of all contents, in order.
    pub fn hashes(&self) -> impl Iterator<Item = &Hash> {
        self.places.keys()
    }

    /// The contents with this hash, checked once more: the file may have changed since it was opened.
    pub fn load(&mut self, sha256: &Hash) -> Result<Vec<u8>, Problem> {
        let Some(place) = self.places.get(sha256) else {
            return Err(Problem::new(Code::Internal, format!("the capsule has no contents `{sha256}`")));
        };
        let mut contents = Vec::new();
        let read = self.file.seek(SeekFrom::Start(place.at));
        read.and_then(|_| (&mut self.file).take(place.bytes).read_to_end(&mut contents))
            .map_err(|error| unreadable(&error))?;
        if Hash::of(&contents) != *sha256 {
            return Err(Flaw::in_part(&format!("{}{sha256}", super::ARTIFACTS), "changed while it was read").damaged());
        }
        Ok(contents)
    }
}

fn capsule_of(texts: &Texts, manifest: &Manifest) -> Result<Capsule, Flaw> {
    let (run, artifacts) = texts.run()?;
    manifest.check_run(&run)?;
    let capsule = texts.capsule(run, artifacts)?;
    manifest.check_contents(&capsule)?;
    Ok(capsule)
}

fn unknown_format(format: u32) -> Problem {
    Problem::new(Code::FileFormat, format!("the capsule has format {format}, this program knows {FORMAT}"))
        .hint("use a program of the version that exported it")
        .at(MANIFEST)
}

/// Damage, or a file that does not let itself be read.
enum Trouble {
    Flaw(Flaw),
    Io(io::Error),
}

impl Trouble {
    fn into_problem(self) -> Problem {
        match self {
            Trouble::Flaw(flaw) => flaw.damaged(),
            Trouble::Io(error) => unreadable(&error),
        }
    }
}

impl From<Flaw> for Trouble {
    fn from(flaw: Flaw) -> Trouble {
        Trouble::Flaw(flaw)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        Trouble::Io(error)
    }
}

/// How long the file is, if it can be a capsule at all. Reads before it measures: a folder has a length, but no bytes.
fn length_of<R: Read + Seek>(file: &mut R) -> Result<u64, Problem> {
    let mut start = [0; 30 + MANIFEST.len()];
    let read = file.seek(SeekFrom::Start(0)).and_then(|_| fill(file, &mut start));
    let read = read.map_err(|error| unreadable(&error))?;
    let length = file.seek(SeekFrom::End(0)).map_err(|error| unreadable(&error))?;
    let refuse = |what: &str| Err(Flaw::in_container(what).damaged());
    if read == 0 {
        return refuse("the file is empty");
    }
    // Either of the two is enough, so that a capsule with a damaged first byte is still seen to be one.
    let begun = &start[..read];
    if !begun.starts_with(&PART_MAGIC[..read.min(4)]) && !begun.ends_with(MANIFEST.as_bytes()) {
        return refuse("the file does not begin as a capsule does; it is something else");
    }
    if length > CONTAINER_BYTES_MAX {
        return refuse(&format!("the file has {length} bytes; {CONTAINER_BYTES_MAX} are allowed"));
    }
    Ok(length)
}

/// The manifest's bytes, if they have the digest that `manifest.sha256` gives.
///
/// When they do not, the sums that a zip file keeps for each part tell which of the two was changed. If both are right,
/// somebody packed a changed manifest.
fn manifest_text<R: Read + Seek>(file: &mut R) -> Result<Vec<u8>, Problem> {
    file.seek(SeekFrom::Start(0)).map_err(|error| unreadable(&error))?;
    let manifest = first_part(file, MANIFEST, MANIFEST_BYTES_MAX).map_err(Trouble::into_problem)?;
    let digest_bytes = Hash::of(b"").as_str().len() as u64 + 1;
    let digest = first_part(file, MANIFEST_DIGEST, digest_bytes).map_err(Trouble::into_problem)?;
    if digest == digest_text(&manifest).as_bytes() {
        return Ok(manifest);
    }
    let is_digest = digest.strip_suffix(b"\n").and_then(|hex| std::str::from_utf8(hex).ok()).and_then(Hash::parse);
    let flaw = match is_digest {
        Some(_) => Flaw::in_part(MANIFEST, format!("does not have the digest that `{MANIFEST_DIGEST}` gives")),
        None => Flaw::in_part(MANIFEST_DIGEST, "is not a digest and a newline"),
    };
    Err(flaw.damaged())
}

/// Reads the part that begins here, as its header has it.
fn first_part<R: Read>(file: &mut R, path: &str, bytes_max: u64) -> Result<Vec<u8>, Trouble> {
    let wrong = |what: String| Trouble::from(Flaw::in_part(path, what));
    let mut bounded = file.take(HEADER_BYTES_MAX + bytes_max);
    let mut part = match zip::read::read_zipfile_from_stream(&mut bounded) {
        Ok(Some(part)) => part,
        Ok(None) => return Err(wrong("is missing".to_string())),
        Err(ZipError::Io(error)) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error.into()),
        Err(_) => return Err(wrong("has a damaged header".to_string())),
    };
    if part.name_raw() != path.as_bytes() {
        return Err(wrong("is not where it belongs".to_string()));
    }
    if part.compression() != zip::CompressionMethod::Stored {
        return Err(wrong("is compressed, as no part of a capsule is".to_string()));
    }
    if part.size() > bytes_max {
        return Err(wrong(format!("takes {} bytes; {bytes_max} are allowed", part.size())));
    }
    let mut contents = Vec::new();
    match part.read_to_end(&mut contents) {
        // One of these is how the zip crate reports a wrong sum.
        Err(error) if matches!(error.kind(), io::ErrorKind::Other | io::ErrorKind::InvalidData) => {
            Err(wrong("has changed".to_string()))
        }
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(wrong("is cut off".to_string())),
        Err(error) => Err(error.into()),
        Ok(read) if (read as u64) < part.size() => Err(wrong("is cut off".to_string())),
        Ok(_) => Ok(contents),
    }
}

/// What was found while every byte was checked.
struct Checked {
    texts: Texts,
    places: BTreeMap<Hash, Place>,
}

fn check_bytes<R: Read + Seek>(
    file: &RefCell<R>,
    length: u64,
    manifest_text: &[u8],
    manifest: &Manifest,
) -> Result<Checked, Trouble> {
    let mut layout = Layout::new(Original::new(file));
    let mut checked = Checked { texts: Texts::default(), places: BTreeMap::new() };
    layout.begin(MANIFEST)?;
    layout.add(manifest_text)?;
    begin_after(&mut layout, MANIFEST, MANIFEST_DIGEST)?;
    layout.add(digest_text(manifest_text).as_bytes())?;
    let mut before = MANIFEST_DIGEST;
    for part in &manifest.parts {
        begin_after(&mut layout, before, &part.path)?;
        checked.check_part(file, &mut layout, part)?;
        before = &part.path;
    }
    let directory = layout.position();
    let (original, end) = layout.finish()?;
    match original.first_difference() {
        Some(place) if place < directory => Err(header_changed(before).into()),
        Some(place) if place >= length => {
            Err(Flaw::in_container("the file ends before the container's directory does").into())
        }
        Some(_) if file_has(file, directory, PART_MAGIC)? => {
            Err(Flaw::in_container("it has a part that its manifest does not list").into())
        }
        Some(_) => Err(Flaw::in_container("the container's directory has changed").into()),
        None if length != end => {
            Err(Flaw::in_container(format!("{} bytes follow the end of the container", length.abs_diff(end))).into())
        }
        None => Ok(checked),
    }
}

/// Begins a part, which completes the one before: from here on every difference in that one is real.
fn begin_after<R: Read + Seek>(layout: &mut Layout<Original<'_, R>>, before: &str, path: &str) -> Result<(), Trouble> {
    let start = layout.begin(path)?;
    match layout.target().first_difference() {
        Some(place) if place < start => Err(header_changed(before).into()),
        _ => Ok(()),
    }
}

fn header_changed(path: &str) -> Flaw {
    Flaw::in_part(path, "has a changed header")
}

impl Checked {
    /// Lays out the contents the file has where this part's should be, and compares their digest.
    fn check_part<R: Read + Seek>(
        &mut self,
        file: &RefCell<R>,
        layout: &mut Layout<Original<'_, R>>,
        part: &Part,
    ) -> Result<(), Trouble> {
        let place = Place { at: layout.position(), bytes: part.bytes };
        let mut text = match part.path.as_str() {
            RUN => Some(&mut self.texts.run),
            JOURNAL => Some(&mut self.texts.journal),
            EVENTS => Some(&mut self.texts.events),
            _ => None,
        };
        let mut digest = Digest::new();
        let mut buffer = vec![0; CHUNK_BYTES];
        let mut done = 0;
        while done < part.bytes {
            let wanted = usize::try_from(part.bytes - done).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
            let read = {
                let mut file = file.borrow_mut();
                file.seek(SeekFrom::Start(place.at + done))?;
                fill(&mut *file, &mut buffer[..wanted])?
            };
            if read < wanted {
                return Err(Flaw::in_part(&part.path, "is cut off").into());
            }
            let chunk = &buffer[..wanted];
            digest.update(chunk);
            layout.add(chunk)?;
            if let Some(text) = &mut text {
                text.extend_from_slice(chunk);
            }
            done += wanted as u64;
        }
        if digest.finish() != part.sha256 {
            return Err(Flaw::in_part(&part.path, "is not what the manifest says").into());
        }
        if part.is_artifact() {
            self.places.insert(part.sha256.clone(), place);
        }
        Ok(())
    }
}

fn file_has<R: Read + Seek>(file: &RefCell<R>, at: u64, bytes: &[u8]) -> io::Result<bool> {
    let mut file = file.borrow_mut();
    let mut found = vec![0; bytes.len()];
    file.seek(SeekFrom::Start(at))?;
    Ok(fill(&mut *file, &mut found)? == bytes.len() && found == bytes)
}
