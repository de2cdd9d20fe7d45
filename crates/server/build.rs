//! Embeds `web/`: a sorted table of its files, and one hash over all of them, which is the folder they are served under.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest, Sha256};

/// How many digits of the hash name the folder.
const DIGITS: usize = 16;

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the crate is")).join("web");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let (mut hash, mut table) = (Sha256::new(), String::new());
    for file in &files {
        let name = file.strip_prefix(&root).expect("it was found there").to_string_lossy().into_owned();
        let contents = fs::read(file)?;
        for part in [name.as_bytes(), &contents] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let _ = writeln!(table, "    ({name:?}, include_bytes!({:?})),", file.display().to_string());
    }
    let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).take(DIGITS / 2).collect();
    let source = format!(
        "/// Over all files.\npub const HASH: &str = {digest:?};\n/// Where they lie while this program is written.\n\
         pub const FOLDER: &str = {:?};\n/// Each by its path.\npub const FILES: &[(&str, &[u8])] = &[\n{table}];\n",
        root.display().to_string()
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo says where to write"));
    fs::write(out.join("web.rs"), source)
}

/// Every file that is part of the page: what only its tests need stays out.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_left_out = name.starts_with('.')
            || ["node_modules", "tests", "types"].contains(&name.as_str())
            || (name.ends_with(".json") && !name.ends_with(".webmanifest"));
        if is_left_out {
            continue;
        }
        // One by one: what the tests install beside the page is not to build anything again.
        println!("cargo::rerun-if-changed={}", path.display());
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
