//! Texts on a terminal: how many columns they take, and what of them fits. Chinese, Japanese and Korean letters and pictures take
//! two, marks that stand on another letter none.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many columns of a terminal a text takes.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// A text that takes at most so many columns, its end left out where it took more.
pub fn cut(text: &str, columns_max: usize) -> String {
    if columns(text) <= columns_max {
        return text.to_string();
    }
    let mut taken = 1;
    let begin = text.chars().take_while(|letter| {
        taken += letter.width().unwrap_or(0);
        taken <= columns_max
    });
    begin.collect::<String>() + "…"
}

/// A text with blanks behind it, up to so many columns.
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_take_two_columns_and_marks_none() {
        assert_eq!(
            ["Köln", "ko\u{308}ln", "北京", "서울", "とり", "🙂", "👩‍🔬", ""].map(columns),
            [4, 4, 4, 4, 4, 2, 2, 0]
        );
    }

    #[test]
    fn what_is_cut_is_never_too_wide() {
        assert_eq!(cut("a title", 7), "a title");
        assert_eq!(cut("a long title", 7), "a long…");
        assert_eq!(cut("北京市東城区", 7), "北京市…");
        assert_eq!(cut("北京市東城区", 8), "北京市…");
        assert_eq!(padded("北京", 6), "北京  ");
    }
}
