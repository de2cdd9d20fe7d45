//! Which shared libraries a file needs, read from the file itself: nothing is executed to find out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use object::elf::{self, FileHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::{Endianness, StringTable};

/// What the dynamic loader would look for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The loader itself; absent for a library.
    pub interpreter: Option<PathBuf>,
    /// Names such as `libm.so.6`.
    pub libraries: BTreeSet<String>,
}

/// Reads the needs of an ELF file; `None` for anything else.
pub fn needs(path: &Path) -> Option<Needs> {
    let bytes = fs::read(path).ok()?;
    parse(&bytes).ok().flatten()
}

fn parse(bytes: &[u8]) -> object::Result<Option<Needs>> {
    if !bytes.starts_with(&elf::ELFMAG) {
        return Ok(None);
    }
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let segments = header.program_headers(endian, bytes)?;
    let mut needs = Needs::default();
    for segment in segments {
        if let Some(path) = segment.interpreter(endian, bytes)? {
            needs.interpreter = Some(PathBuf::from(String::from_utf8_lossy(path).into_owned()));
        }
        let Some(entries) = segment.dynamic(endian, bytes)? else { continue };
        let value = |tag: u32| entries.iter().find(|entry| entry.tag32(endian) == Some(tag));
        let (Some(address), Some(size)) = (value(elf::DT_STRTAB), value(elf::DT_STRSZ)) else { continue };
        let (address, size) = (address.d_val(endian), size.d_val(endian));
        let loaded = |segment: &&elf::ProgramHeader64<Endianness>| {
            let start = segment.p_vaddr(endian);
            segment.p_type(endian) == elf::PT_LOAD && (start..start + segment.p_filesz(endian)).contains(&address)
        };
        let Some(holder) = segments.iter().find(loaded) else { continue };
        let offset = address - holder.p_vaddr(endian) + holder.p_offset(endian);
        let strings = StringTable::new(bytes, offset, offset + size);
        for entry in entries {
            let text = || {
                let name = entry.string(endian, strings).unwrap_or_default();
                String::from_utf8_lossy(name).into_owned()
            };
            if entry.tag32(endian) == Some(elf::DT_NEEDED) {
                needs.libraries.insert(text());
            }
        }
    }
    Ok(Some(needs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_binary_needs_the_c_library() {
        let own = needs(Path::new("/proc/self/exe")).expect("a test is an ELF file");
        assert!(own.libraries.contains("libc.so.6"), "{own:?}");
        assert!(own.interpreter.is_some());
    }

    #[test]
    fn text_needs_nothing() {
        assert_eq!(parse(b"#!/bin/sh\n").expect("not an error"), None);
    }
}
