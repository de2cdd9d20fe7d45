//! Learned weights by the name of their feature, read from a sorted text that two versions can be compared by.
//!
//! Looked up by a digest of the name's parts, so that no name is put together while planning.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

/// What a feature adds to the log of the odds of a candidate.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    by_digest: HashMap<u64, f64, BuildHasherDefault<Digest>>,
}

/// The separator between the parts of a feature's name.
pub const SEPARATOR: &str = " ";

impl Weights {
    /// The weights that come with the planner.
    pub fn built_in() -> &'static Weights {
        static BUILT_IN: LazyLock<Weights> = LazyLock::new(|| {
            Weights::parse(include_str!("weights.tsv")).expect("the weights that come with the planner are well formed")
        });
        &BUILT_IN
    }

    /// Reads lines of name, tab, number; lines that begin with `#` are comments.
    pub fn parse(text: &str) -> Result<Weights, String> {
        let mut weights = Weights::default();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let at = at + 1;
            let (name, number) =
                line.split_once('\t').ok_or_else(|| format!("line {at} of the weights has no tab: `{line}`"))?;
            let number: f64 = number
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite())
                .ok_or_else(|| format!("line {at} of the weights has no number: `{line}`"))?;
            if weights.by_digest.insert(digest(&[name]), number).is_some() {
                return Err(format!("line {at} of the weights repeats `{name}`"));
            }
        }
        Ok(weights)
    }

    /// From names and numbers as they are learned.
    pub fn of_lines(lines: &[(String, f64)]) -> Weights {
        Weights { by_digest: lines.iter().map(|(name, number)| (digest(&[name]), *number)).collect() }
    }

    /// The weight of a feature, 0 where none was learned.
    pub fn of(&self, parts: &[&str]) -> f64 {
        self.by_digest.get(&digest(parts)).copied().unwrap_or(0.0)
    }
}

/// How many letters of a name with its separators count.
const LETTERS_MAX: usize = 128;

/// A digest of the parts with their separators, eight letters at a time: a ranking asks for thousands.
fn digest(parts: &[&str]) -> u64 {
    let mut letters = [0_u8; LETTERS_MAX];
    let mut length = 0;
    let mut write = |text: &str| {
        let text = &text.as_bytes()[..text.len().min(LETTERS_MAX - length)];
        letters[length..length + text.len()].copy_from_slice(text);
        length += text.len();
    };
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            write(SEPARATOR);
        }
        write(part);
    }
    let (eights, _) = letters[..length.next_multiple_of(8)].as_chunks::<8>();
    let mixed = eights.iter().fold(length as u64, |digest, eight| {
        (digest.rotate_left(5) ^ u64::from_le_bytes(*eight)).wrapping_mul(0x517c_c1b7_2722_0a95)
    });
    // A table takes the low bits, and a product is mixed best in its high ones.
    mixed.rotate_left(26)
}

/// The keys are digests already.
#[derive(Clone, Copy, Debug, Default)]
struct Digest(u64);

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_by_its_parts() {
        let weights = Weights::parse("# why\nselect wh who text\t1.5\nselect position\t-0.25\n").expect("well formed");
        assert_eq!(weights.of(&["select", "wh", "who", "text"]), 1.5);
        assert_eq!(weights.of(&["select", "position"]), -0.25);
        assert_eq!(weights.of(&["select"]), 0.0);
    }

    #[test]
    fn a_damaged_line_is_named() {
        assert!(Weights::parse("a\t1\nb 2\n").is_err_and(|message| message.contains("line 2")));
        assert!(Weights::parse("a\tnan\n").is_err());
        assert!(Weights::parse("a\t1\na\t2\n").is_err_and(|message| message.contains("repeats `a`")));
    }

    #[test]
    fn the_built_in_weights_are_well_formed() {
        assert!(Weights::parse(include_str!("weights.tsv")).is_ok());
    }
}
