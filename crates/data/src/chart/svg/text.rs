//! Texts on a picture: how wide they are, how they are cut and wrapped, and what is safe to write.

/// The size of all letters but the title's.
pub const FONT: f64 = 12.0;
const TITLE_LINES_MAX: usize = 3;

/// About how wide a text is, in DejaVu Sans; others are narrower.
pub fn width(text: &str, size: f64) -> f64 {
    let letter = |letter: char| match letter {
        'i' | 'j' | 'l' | 'I' | '|' | '\'' => 0.29,
        '.' | ',' | ':' | ';' | ' ' | '!' => 0.33,
        'f' | 't' | 'r' | '-' | '(' | ')' | '/' => 0.41,
        'm' | 'M' | 'W' | '%' | '@' => 0.98,
        'w' | 'O' | 'Q' | '&' | '…' => 0.85,
        'A'..='Z' => 0.72,
        letter if is_mark(letter) => 0.0,
        letter if is_wide(letter) => 1.1,
        _ => 0.64,
    };
    text.chars().map(letter).sum::<f64>() * size
}

/// Letters as wide as two, such as Chinese ones and pictures.
pub fn is_wide(letter: char) -> bool {
    matches!(letter as u32,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f | 0xff00..=0xff60
        | 0xffe0..=0xffe6 | 0x1f300..=0x1f64f | 0x1f680..=0x1f6ff | 0x1f900..=0x1f9ff | 0x20000..=0x3fffd)
}

/// Marks that stand on the letter before them, and signs that show nothing.
pub fn is_mark(letter: char) -> bool {
    matches!(letter as u32,
        0x300..=0x36f | 0x483..=0x489 | 0x591..=0x5bd | 0x5bf..=0x5c7 | 0x610..=0x61a | 0x64b..=0x65f | 0x200b..=0x200f
        | 0x2060..=0x2064 | 0x2066..=0x2069 | 0xfe00..=0xfe0f | 0x1ab0..=0x1aff | 0x20d0..=0x20ff)
}

/// A text from right to left, kept from turning round what stands beside it.
pub fn isolated(text: &str) -> String {
    let turns =
        |letter: char| matches!(letter as u32, 0x590..=0x8ff | 0xfb1d..=0xfdff | 0xfe70..=0xfeff | 0x10800..=0x10fff);
    if text.contains(turns) { format!("\u{2068}{text}\u{2069}") } else { text.to_string() }
}

/// At most so many letters; never between a letter and its marks.
pub fn shortened(text: &str, letters_max: usize) -> String {
    let letters = || text.chars().filter(|letter| !is_mark(*letter));
    if letters().count() <= letters_max {
        return text.to_string();
    }
    let mut kept = 0;
    let begin = text.chars().take_while(|letter| {
        kept += usize::from(!is_mark(*letter));
        kept < letters_max
    });
    begin.collect::<String>().trim_end().to_string() + "…"
}

pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Lines of at most a width; at most three, the last cut.
pub fn wrapped(text: &str, room: f64, size: f64) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let word = cut_to(word, room, size);
        let last = lines.last_mut().expect("there is a first line");
        let longer = if last.is_empty() { word.clone() } else { format!("{last} {word}") };
        if width(&longer, size) <= room || last.is_empty() {
            *last = longer;
        } else if lines.len() == TITLE_LINES_MAX {
            lines.last_mut().expect("there is a first line").push('…');
            return lines;
        } else {
            lines.push(word);
        }
    }
    lines
}

/// A text that is no wider than there is room.
pub fn cut_to(text: &str, room: f64, size: f64) -> String {
    if width(text, size) <= room {
        return text.to_string();
    }
    let letters = text.chars().count();
    let fits = |letters: &usize| width(&shortened(text, *letters), size) <= room;
    (2..letters).rev().find(fits).map_or_else(|| "…".to_string(), |letters| shortened(text, letters))
}

/// Text inside XML; what XML cannot hold, and what turns the letters around it, becomes a mark.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' | '\u{202a}'..='\u{202e}' => out.push('\u{fffd}'),
            letter if letter.is_control() => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}
