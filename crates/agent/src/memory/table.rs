//! What a text is about, as a direction: the mean of its pieces' rows in a static table. No network of neurons runs.
//!
//! A table is one file: a tensor of 256 half-precision numbers a row as `safetensors` writes it, and after it the
//! vocabulary of the rows as the JSON of a byte-pair tokenizer whose pieces keep a word's beginning as `▁`. Which two pieces
//! are joined first follows from the vocabulary alone: those that make the piece with the smallest number. No piece spans
//! two words, so each word is cut for itself.

use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::words::without_beginning;

/// Numbers in a row.
pub const DIMENSIONS: usize = 256;
/// More of a text is not looked at.
const WORDS_MAX: usize = 400;
const WORD_BYTES_MAX: usize = 64;
const HEADER_BYTES_MAX: u64 = 1 << 16;
const BEGINS_WORD: char = '▁';

/// A static table of vectors.
pub struct Table {
    file: Vec<u8>,
    /// Where the rows are in it.
    rows: Range<usize>,
    pieces: FxHashMap<String, u32>,
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

#[derive(Deserialize)]
struct Tokenizer {
    model: Pieces,
}

#[derive(Deserialize)]
struct Pieces {
    vocab: FxHashMap<String, u32>,
}

impl Table {
    /// Reads a table; says why not where it is none.
    pub fn read(file: Vec<u8>) -> Result<Table, String> {
        let length = file.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)).unwrap_or_default();
        if length == 0 || length > HEADER_BYTES_MAX {
            return Err("it does not begin as a tensor does".to_string());
        }
        let begin = 8 + length as usize;
        let header = file.get(8..begin).ok_or("it ends before its rows")?;
        let tensors: FxHashMap<String, Tensor> =
            serde_json::from_slice(header).map_err(|error| format!("its header cannot be read: {error}"))?;
        let mut tensors = tensors.into_values();
        let (Some(tensor), None) = (tensors.next(), tensors.next()) else {
            return Err("it has not one tensor".to_string());
        };
        let (from, to) = tensor.data_offsets;
        let is_whole = matches!(tensor.shape[..], [count, DIMENSIONS]
            if tensor.dtype == "F16" && from == 0 && count.checked_mul(2 * DIMENSIONS) == Some(to));
        let end = begin.checked_add(to).filter(|end| is_whole && *end <= file.len());
        let end = end.ok_or_else(|| format!("its rows are not {DIMENSIONS} half-precision numbers each"))?;
        let Tokenizer { model } =
            serde_json::from_slice(&file[end..]).map_err(|error| format!("its vocabulary cannot be read: {error}"))?;
        let rows = (end - begin) / (2 * DIMENSIONS);
        if model.vocab.values().any(|row| *row as usize >= rows) {
            return Err("its vocabulary has more pieces than there are rows".to_string());
        }
        Ok(Table { file, rows: begin..end, pieces: model.vocab })
    }

    /// The direction of a text, of length 1; none where no piece of it is known.
    pub fn embed(&self, text: &str) -> Option<[f32; DIMENSIONS]> {
        let text = without_beginning(text);
        let mut sum = [0.0; DIMENSIONS];
        for word in text.split_whitespace().take(WORDS_MAX) {
            self.pieces_of(word, |row| self.add(row, &mut sum));
        }
        let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
        (length > 0.0 && length.is_finite()).then(|| sum.map(|number| number / length))
    }

    fn add(&self, row: u32, sum: &mut [f32; DIMENSIONS]) {
        const BYTES: usize = 2 * DIMENSIONS;
        let row = &self.file[self.rows.clone()][row as usize * BYTES..][..BYTES];
        for (sum, bytes) in sum.iter_mut().zip(row.chunks_exact(2)) {
            *sum += single(u16::from_le_bytes([bytes[0], bytes[1]]));
        }
    }

    /// Cuts a word into pieces, as the table was made for.
    fn pieces_of(&self, word: &str, mut tell: impl FnMut(u32)) {
        let word = &word[..word.floor_char_boundary(WORD_BYTES_MAX)];
        let text: String = [BEGINS_WORD].into_iter().chain(word.chars()).collect();
        let cut = |(at, letter): (usize, char)| at..at + letter.len_utf8();
        let mut cuts: Vec<Range<usize>> = text.char_indices().map(cut).collect();
        loop {
            let joined = |at: usize| self.pieces.get(&text[cuts[at].start..cuts[at + 1].end]).copied();
            let best = (0..cuts.len().saturating_sub(1)).filter_map(|at| Some((joined(at)?, at))).min();
            let Some((_, at)) = best else { break };
            cuts[at].end = cuts[at + 1].end;
            cuts.remove(at + 1);
        }
        for cut in cuts {
            let piece = &text[cut];
            match self.pieces.get(piece) {
                Some(row) => tell(*row),
                // A letter that has no row has rows for its bytes, if any.
                None => piece
                    .bytes()
                    .filter_map(|byte| self.pieces.get(&format!("<0x{byte:02X}>")))
                    .for_each(|row| tell(*row)),
            }
        }
    }
}

/// A half-precision number as a single one: the same digits below another exponent. A table has no infinite numbers.
fn single(half: u16) -> f32 {
    const EXPONENTS_APART: f32 = 5.192_297e33; // 2^112
    let (sign, rest) = (u32::from(half & 0x8000) << 16, u32::from(half & 0x7fff) << 13);
    f32::from_bits(sign | rest) * EXPONENTS_APART
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A table in which each of these pieces has a direction of its own, but that `like` are those of others.
    pub(crate) fn table(pieces: &[(&str, usize)]) -> Table {
        Table::read(file(pieces)).expect("it is one")
    }

    fn file(pieces: &[(&str, usize)]) -> Vec<u8> {
        const ONE: u16 = 0x3c00;
        let size = pieces.len() * 2 * DIMENSIONS;
        let shape = [pieces.len(), DIMENSIONS];
        let header = format!("{{\"rows\":{{\"dtype\":\"F16\",\"shape\":{shape:?},\"data_offsets\":[0,{size}]}}}}");
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.bytes());
        for (_, direction) in pieces {
            file.extend((0..DIMENSIONS).flat_map(|at| if at == *direction { ONE } else { 0 }.to_le_bytes()));
        }
        let vocabulary: Vec<String> =
            pieces.iter().enumerate().map(|(at, (piece, _))| format!("\"{piece}\":{at}")).collect();
        file.extend(format!("{{\"model\":{{\"vocab\":{{{}}}}}}}", vocabulary.join(",")).bytes());
        file
    }

    #[test]
    fn words_are_cut_as_the_vocabulary_says() {
        let table = table(&[("▁", 0), ("a", 1), ("b", 2), ("ab", 3), ("▁a", 4), ("▁ab", 5), ("bb", 6), ("<0xC3>", 7)]);
        let pieces = |word: &str| {
            let mut rows = Vec::new();
            table.pieces_of(word, |row| rows.push(row));
            rows
        };
        // `ab` has a smaller number than `▁a` and is joined first; then `▁ab`.
        assert_eq!(pieces("ab"), [5]);
        assert_eq!(pieces("abb"), [5, 2]);
        assert_eq!(pieces("bab"), [0, 2, 3]);
        assert_eq!(pieces("bé"), [0, 2, 7], "a letter without a row stands as its bytes, as far as they have some");
        let embedded = table.embed("ab  ab\nbb").expect("all is known");
        assert!((embedded.iter().map(|number| number * number).sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(embedded[5] > embedded[6] && embedded[6] > 0.0 && embedded[1] == 0.0);
        assert!(table.embed("").is_none());
    }

    #[test]
    fn halves_become_singles() {
        for (half, single_is) in [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0, 0.0), (1, 5.960_464_5e-8)]
        {
            assert!((single(half) - single_is).abs() <= f32::EPSILON * single_is.abs(), "{half:x}");
        }
    }

    #[test]
    fn what_is_no_table_is_none() {
        let whole = file(&[("▁", 0), ("a", 1)]);
        assert!(Table::read(whole.clone()).is_ok());
        for cut in [0, 5, 12, 100, 600, whole.len() - 1] {
            assert!(Table::read(whole[..cut].to_vec()).is_err(), "{cut}");
        }
        let text = String::from_utf8_lossy(&whole).replace("\"▁\":0", "\"▁\":9");
        assert!(Table::read(text.into_bytes()).is_err());
    }
}
