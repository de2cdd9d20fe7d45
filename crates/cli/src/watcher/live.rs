//! What a model writes, shown as it comes: the last lines of the text in one block of a terminal, which whatever is printed
//! next takes the place of. Nothing of it stays: the answer tells all that is worth keeping.

use std::time::{Duration, Instant};

use crate::printer::{Printer, is_unfit};

/// Lines of the text that stand at once.
const LINES_MAX: usize = 8;
/// Of the text that is kept; more than any block shows.
const KEPT_BYTES_MAX: usize = 16 << 10;
/// Drawn more often, it flickers and costs more than it tells.
const PAUSE: Duration = Duration::from_millis(60);

/// The text that is being written.
#[derive(Default)]
pub struct Live {
    channel: String,
    text: String,
    drawn: Option<Instant>,
}

impl Live {
    /// Another reply begins.
    pub fn begin(&mut self) {
        *self = Live::default();
    }

    /// Takes a piece and draws it; the empty one says that the reply comes again from its start.
    pub fn take(&mut self, channel: &str, piece: &str, printer: &Printer) {
        if self.channel != channel || piece.is_empty() {
            *self = Live { channel: channel.to_string(), ..Live::default() };
        }
        self.text.push_str(piece);
        if self.text.len() > KEPT_BYTES_MAX {
            let from = (self.text.len() - KEPT_BYTES_MAX / 2..).find(|at| self.text.is_char_boundary(*at));
            self.text.drain(..from.unwrap_or_default());
        }
        let is_due = self.drawn.is_none_or(|at| at.elapsed() >= PAUSE);
        if is_due {
            self.drawn = Some(Instant::now());
            printer.block(&self.lines());
        }
    }

    fn lines(&self) -> Vec<String> {
        let writes = match self.channel.as_str() {
            "critique" => "the model judges the result",
            "answer" => "the model sums up",
            "reflection" => "what running it showed",
            "plan" => "the model plans",
            _ => "the model writes",
        };
        let clean = |line: &str| -> String {
            line.replace('\t', "    ").chars().map(|letter| if is_unfit(letter) { '·' } else { letter }).collect()
        };
        let lines: Vec<String> = self.text.lines().map(clean).collect();
        let last = lines.len().saturating_sub(LINES_MAX);
        std::iter::once(format!("{writes}…"))
            .chain(lines.into_iter().skip(last).map(|line| format!("  {line}")))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_stand_and_no_stranger_commands_the_terminal() {
        let text: String = (0..20).map(|n| format!("line {n}\n")).collect();
        let live = Live { channel: "code".into(), text: text + "\x1b[2J", drawn: None };
        let lines = live.lines();
        assert_eq!((lines.len(), lines[0].as_str()), (LINES_MAX + 1, "the model writes…"));
        assert_eq!(lines[LINES_MAX], "  ·[2J");
    }
}
