//! Decides what reaches stdout and what reaches stderr. stdout is data; progress, errors and advice go to stderr.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use app::Color;
use base::Problem;
use serde_json::{Value, json};

use crate::advice;
use crate::args::Global;

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One document.
    Json,
    /// Events.
    JsonLines,
}

/// The one way to the terminal.
pub struct Printer {
    /// How results are printed.
    pub format: Format,
    /// Columns of the terminal; none when stdout is no terminal.
    pub width: Option<usize>,
    quiet: bool,
    color: bool,
    progress: Mutex<Shown>,
}

/// Which progress people have seen.
#[derive(Default)]
struct Shown {
    /// How many lines of it stand on the terminal and must be wiped.
    stands: usize,
    /// What was said last without its percentage, and when.
    last: Option<(String, Instant)>,
}

impl Printer {
    /// A printer for these flags.
    pub fn new(flags: &Global, color: Color) -> Printer {
        let terminal = io::stdout().is_terminal();
        let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Printer {
            format: match (flags.json, flags.jsonl) {
                (true, _) => Format::Json,
                (_, true) => Format::JsonLines,
                _ => Format::Text,
            },
            width: width.filter(|_| terminal),
            quiet: flags.quiet,
            color: match color {
                Color::Always => true,
                Color::Never => false,
                Color::Auto => terminal,
            },
            progress: Mutex::default(),
        }
    }

    /// Prints data as it is. A reader that went away is not an error.
    pub fn data(&self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// The same for what need not be text.
    pub fn bytes(&self, bytes: &[u8]) {
        if let Err(error) = self.try_bytes(bytes) {
            self.give_up(&error);
        }
    }

    /// The same, for who has something to finish before the program ends.
    pub fn try_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        self.wipe();
        let mut out = io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush())
    }

    /// Ends the program, because nobody takes its output.
    pub fn give_up(&self, error: &io::Error) -> ! {
        if error.kind() == io::ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        self.remark("error", &format!("cannot write to stdout: {error}"));
        self.remark("hint", "check where the output goes");
        std::process::exit(2);
    }

    /// Prints one line of data.
    pub fn line(&self, text: &str) {
        self.data(&format!("{}\n", clean(text)));
    }

    /// Prints text of several lines in which a stranger may have a word.
    pub fn lines(&self, text: &str) {
        self.data(&clean_lines(text));
    }

    /// Prints one JSON document, on a line that commands no terminal.
    pub fn json(&self, document: &Value) {
        self.data(&format!("{}\n", json_line(document)));
    }

    /// Says what long work is doing; on a terminal the next line replaces it, elsewhere a new percentage is rarely worth
    /// a line.
    pub fn progress(&self, text: &str) {
        if self.quiet {
            return;
        }
        let text = clean(text);
        let mut shown = self.progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut err = io::stderr().lock();
        let _ = if io::stderr().is_terminal() {
            let before = std::mem::replace(&mut shown.stands, 1);
            write!(err, "{}{text}…", wiping(before.max(1))).and_then(|()| err.flush())
        } else if shown.is_worth_a_line(&text, Instant::now()) {
            writeln!(err, "{text}")
        } else {
            Ok(())
        };
    }

    /// Shows lines that whatever is printed next takes the place of, each cut to the width; only who reads along sees them.
    pub fn block(&self, lines: &[String]) {
        if !self.is_read_by_people() {
            return;
        }
        let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
        let cut = |line: &String| self.dim(&line.chars().take(width.saturating_sub(1)).collect::<String>());
        let text = lines.iter().map(cut).collect::<Vec<_>>().join("\r\n");
        let mut shown = self.progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let before = std::mem::replace(&mut shown.stands, lines.len());
        let mut err = io::stderr().lock();
        let _ = write!(err, "{}{text}", wiping(before)).and_then(|()| err.flush());
    }

    fn wipe(&self) {
        let mut shown = self.progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let stands = std::mem::take(&mut shown.stands);
        if stands > 0 {
            let _ = write!(io::stderr(), "{}", wiping(stands));
        }
    }

    /// Prints a remark on stderr.
    pub fn remark(&self, label: &str, text: &str) {
        self.wipe();
        let _ = writeln!(io::stderr(), "{label}: {}", clean(text));
    }

    /// Whether somebody reads the remarks as they come, and not a file or a program.
    pub fn is_read_by_people(&self) -> bool {
        self.format == Format::Text && !self.quiet && io::stderr().is_terminal()
    }

    /// Prints one line beside the data, on stderr.
    pub fn aside(&self, text: &str) {
        self.wipe();
        let _ = writeln!(io::stderr(), "{}", clean(text));
    }

    /// Prints one line of what is under way, on stderr, where people want to see it.
    pub fn narrate(&self, text: &str) {
        if !self.quiet {
            self.aside(text);
        }
    }

    /// Passes on what a program printed to stderr, as it is.
    pub fn pass_on(&self, text: &str) {
        self.wipe();
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Prints an error and its advice; with `--json` as the one document.
    pub fn problem(&self, problem: &Problem) {
        match self.format {
            Format::Json => self.json(&json!(advice::told(problem))),
            Format::Text | Format::JsonLines => {
                self.remark("error", &problem.message);
                if let Some(hint) = advice::hint(problem) {
                    self.remark("hint", &hint);
                }
                if let Some(run) = &problem.run {
                    self.remark("run", run.as_str());
                }
            }
        }
    }

    /// Text that stands back, where colour may be used.
    pub fn dim(&self, text: &str) -> String {
        if self.color { format!("\x1b[2m{text}\x1b[0m") } else { text.to_string() }
    }

    /// Text that stands out, where colour may be used.
    pub fn strong(&self, text: &str) -> String {
        if self.color { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// What takes so many lines off a terminal, the cursor being at the end of the last.
fn wiping(lines: usize) -> String {
    if lines == 0 { String::new() } else { "\r\x1b[K".to_string() + &"\x1b[1A\x1b[K".repeat(lines - 1) }
}

impl Shown {
    /// Whether this says something new, or the same is still going on after a while.
    fn is_worth_a_line(&mut self, text: &str, now: Instant) -> bool {
        const PAUSE: Duration = Duration::from_secs(5);
        let doing = text.trim_end_matches(" %").trim_end_matches(|letter: char| letter.is_ascii_digit()).trim_end();
        let same = self.last.as_ref().is_some_and(|(last, at)| last == doing && now < *at + PAUSE);
        if !same {
            self.last = Some((doing.to_string(), now));
        }
        !same
    }
}

/// Keeps the control characters of strangers' names and texts off the terminal; only our own two styles pass.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let style = STYLES.iter().find(|style| rest.starts_with(**style));
        let length = style.map_or(letter.len_utf8(), |style| style.len());
        match letter {
            _ if style.is_some() => out.push_str(&rest[..length]),
            // Our own texts may begin with an empty line; within, a line break could make a stranger's text look like ours.
            '\n' if out.chars().all(|before| before == '\n') => out.push(letter),
            _ if is_unfit(letter) => out.push('·'),
            _ => out.push(letter),
        }
        rest = &rest[length..];
    }
    out
}

/// The same for text whose lines are its own.
pub fn clean_lines(text: &str) -> String {
    let clean = |letter| if is_unfit(letter) && !matches!(letter, '\n' | '\t') { '·' } else { letter };
    text.chars().map(clean).collect()
}

/// Whether a letter is not for the terminal: it commands it, or changes what people read.
pub fn is_unfit(letter: char) -> bool {
    letter.is_control() || turns_text(letter)
}

/// Whether a letter changes the direction of what follows, and so what people read.
fn turns_text(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A document whose letters are spelled out where a terminal would obey them; what it says is the same.
pub fn json_line(document: &Value) -> String {
    let text = document.to_string();
    if !text.chars().any(is_unfit) {
        return text;
    }
    let spell =
        |letter: char| if is_unfit(letter) { format!("\\u{:04x}", u32::from(letter)) } else { letter.to_string() };
    text.chars().map(spell).collect()
}

const STYLES: [&str; 3] = ["\x1b[1m", "\x1b[2m", "\x1b[0m"];

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::{Value, json};

    use super::{Shown, clean, clean_lines, is_unfit, json_line};

    #[test]
    fn a_percentage_has_a_line_of_its_own_only_now_and_then() {
        let (mut shown, begun) = (Shown::default(), Instant::now());
        let mut told = |text: &str, seconds: u64| shown.is_worth_a_line(text, begun + Duration::from_secs(seconds));
        assert_eq!([told("reading a.csv 1 %", 0), told("reading a.csv 9 %", 1)], [true, false]);
        assert_eq!([told("reading a.csv 50 %", 6), told("reading b.csv 1 %", 7)], [true, true]);
    }

    #[test]
    fn a_document_says_the_same_in_letters_that_command_nothing() {
        let document = json!({ "a\u{9b}": "\u{1b}[2J\u{7f}\u{202e}é😀" });
        let line = json_line(&document);
        assert!(!line.chars().any(is_unfit), "{line}");
        assert_eq!(serde_json::from_str::<Value>(&line).expect("a document"), document);
    }

    #[test]
    fn a_stranger_cannot_speak_to_the_terminal() {
        assert_eq!(clean_lines("a\tb\r\n\x1b[2Jc\u{202e}\n"), "a\tb·\n·[2Jc·\n");
        assert_eq!(clean("cod\u{202e}gnp"), "cod·gnp");
        assert_eq!(clean("\na\x1b]0;evil\x07b\x1b[2mdim\x1b[0m\nknown"), "\na·]0;evil·b\x1b[2mdim\x1b[0m·known");
    }
}
