//! Where a byte of a text is, in the words of people and editors.

/// A line and a column, both counted from one; a column is a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// The position of a byte. Lines end as Python's do: with a line feed, a carriage return, or both.
pub fn position(text: &str, offset: usize) -> Position {
    let offset = (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let before = text[..offset].trim_start_matches('\u{feff}');
    let pairs = before.matches("\r\n").count();
    // Between the halves of a pair the line has not ended yet.
    let halved = usize::from(before.ends_with('\r') && text[offset..].starts_with('\n'));
    let line = 1 + before.matches(['\n', '\r']).count() - pairs - halved;
    let begin = before[..before.len() - halved].rfind(['\n', '\r']).map_or(0, |end| end + 1);
    Position { line, column: 1 + before[begin..].chars().count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_pythons_do_and_columns_are_characters() {
        let at = |text: &str, offset| {
            let Position { line, column } = position(text, offset);
            (line, column)
        };
        assert_eq!([at("ab\ncd", 0), at("ab\ncd", 4), at("ab\rcd", 3)], [(1, 1), (2, 2), (2, 1)]);
        assert_eq!([at("a\r\nb", 2), at("a\r\nb", 3), at("ä = 1", 3)], [(1, 3), (2, 1), (1, 3)]);
        assert_eq!([at("\u{feff}x", 3), at("ä", 1), at("", 9)], [(1, 1), (1, 1), (1, 1)]);
    }
}
