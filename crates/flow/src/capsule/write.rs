//! Writing a capsule. Contents are loaded one at a time, twice: once for the manifest, which comes first, and once to be
//! written.

use std::io::{Seek, Write};

use base::{Hash, Problem};

use super::container::{Fresh, Layout};
use super::document::Texts;
use super::flaw::{Flaw, unwritable};
use super::{
    ARTIFACTS, CONTAINER_BYTES_MAX, Capsule, EVENTS, JOURNAL, MANIFEST, MANIFEST_DIGEST, Manifest, Origin, Part, RUN,
};

/// Writes a run as a capsule, from the file's beginning. `content` gives the contents of an artifact by its hash.
///
/// A run whose records do not go together is refused, as reading would refuse it. After a problem, what was written is
/// no capsule and should be removed.
pub fn write<W: Write + Seek>(
    out: W,
    capsule: &Capsule,
    origin: &Origin,
    content: &mut dyn FnMut(&Hash) -> Result<Vec<u8>, Problem>,
) -> Result<Manifest, Problem> {
    let refuse = |flaw: Flaw| flaw.not_exportable(&capsule.journal.run.id);
    let texts = readable_texts(capsule).map_err(refuse)?;
    let texts = [(RUN, &texts.run), (JOURNAL, &texts.journal), (EVENTS, &texts.events)];
    let contents = capsule.contents();
    let mut parts: Vec<Part> = texts.iter().map(|(path, text)| Part::of(path, text)).collect();
    for sha256 in &contents {
        parts.push(content_part(sha256, &content(sha256)?).map_err(refuse)?);
    }
    let manifest = Manifest::new(&capsule.journal.run, origin, parts).map_err(refuse)?;
    manifest.check_contents(capsule).map_err(refuse)?;
    let manifest_text = manifest.text().map_err(refuse)?;
    let digest = digest_text(&manifest_text);

    let mut layout = Layout::new(Fresh::new(out));
    let mut put = |path: &str, bytes: &[u8]| {
        layout.begin(path).and_then(|_| layout.add(bytes)).map_err(|error| unwritable(&error))
    };
    put(MANIFEST, &manifest_text)?;
    put(MANIFEST_DIGEST, digest.as_bytes())?;
    for (path, text) in texts {
        put(path, text)?;
    }
    for sha256 in &contents {
        let bytes = content(sha256)?;
        let part = content_part(sha256, &bytes).map_err(refuse)?;
        put(&part.path, &bytes)?;
    }
    let (mut file, bytes) = layout.finish().map_err(|error| unwritable(&error))?;
    file.flush().map_err(|error| unwritable(&error))?;
    if bytes > CONTAINER_BYTES_MAX {
        let what = format!("it takes {bytes} bytes; {CONTAINER_BYTES_MAX} are allowed");
        return Err(refuse(Flaw::in_container(what)));
    }
    Ok(manifest)
}

/// The texts, if reading them gives the capsule they were made from.
fn readable_texts(capsule: &Capsule) -> Result<Texts, Flaw> {
    let texts = Texts::of(capsule)?;
    let (run, artifacts) = texts.run()?;
    if texts.capsule(run, artifacts)? != *capsule {
        return Err(Flaw::in_container("some of its values have no spelling in JSON that keeps them"));
    }
    Ok(texts)
}

fn content_part(sha256: &Hash, contents: &[u8]) -> Result<Part, Flaw> {
    let part = Part::of(&format!("{ARTIFACTS}{sha256}"), contents);
    if part.sha256 != *sha256 {
        return Err(Flaw::in_part(&part.path, "would hold other contents than its name says"));
    }
    Ok(part)
}

/// What `manifest.sha256` holds.
pub(super) fn digest_text(manifest: &[u8]) -> String {
    format!("{}\n", Hash::of(manifest))
}
