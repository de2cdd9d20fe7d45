//! Which lines of the log are wanted: `info`, or `info,model=debug,journal=trace`.

use base::{Code, Problem, nearest, shown};
use tracing::Metadata;
use tracing::level_filters::LevelFilter;

/// What every target of ours begins with.
pub(crate) const TARGET: &str = "assay::";
/// The parts that tell something, as filters name them.
const PARTS: &[&str] = &["request", "run", "step", "cell", "model", "journal"];
const LEVELS: &[(&str, LevelFilter)] = &[
    ("off", LevelFilter::OFF),
    ("error", LevelFilter::ERROR),
    ("warn", LevelFilter::WARN),
    ("info", LevelFilter::INFO),
    ("debug", LevelFilter::DEBUG),
    ("trace", LevelFilter::TRACE),
];

/// Which lines of the log are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFilter {
    usual: LevelFilter,
    parts: Vec<(&'static str, LevelFilter)>,
}

impl LogFilter {
    /// Reads a filter; none where nothing is wanted.
    pub fn parse(text: &str) -> Result<Option<LogFilter>, Problem> {
        let mut filter = LogFilter { usual: LevelFilter::OFF, parts: Vec::new() };
        for word in text.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word.split_once('=') {
                Some((part, level)) => filter.parts.push((part_of(part.trim())?, level_of(level.trim())?)),
                None => filter.usual = level_of(word)?,
            }
        }
        Ok((filter.most() != LevelFilter::OFF).then_some(filter))
    }

    /// Whether a line is wanted.
    pub(crate) fn wants(&self, metadata: &Metadata<'_>) -> bool {
        let Some(part) = metadata.target().strip_prefix(TARGET) else { return false };
        let of_part = self.parts.iter().rev().find(|(named, _)| *named == part);
        *metadata.level() <= of_part.map_or(self.usual, |(_, level)| *level)
    }

    /// The most that any part may say.
    pub(crate) fn most(&self) -> LevelFilter {
        self.parts.iter().map(|(_, level)| *level).fold(self.usual, |most, level| most.max(level))
    }
}

fn level_of(word: &str) -> Result<LevelFilter, Problem> {
    let found = LEVELS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
    found.map(|(_, level)| *level).ok_or_else(|| unknown(word, "level", LEVELS.iter().map(|(name, _)| *name)))
}

fn part_of(word: &str) -> Result<&'static str, Problem> {
    let found = PARTS.iter().find(|part| **part == word);
    found.copied().ok_or_else(|| unknown(word, "part", PARTS.iter().copied()))
}

fn unknown<'a>(word: &str, what: &str, known: impl Iterator<Item = &'a str> + Clone) -> Problem {
    let problem = Problem::new(Code::SettingInvalid, format!("the log has no {what} `{}`", shown(word)));
    match nearest(word, known.clone()).first() {
        Some(close) => problem.hint(format!("did you mean `{close}`?")),
        None => problem.hint(format!(
            "a {what} is one of {}; such as `info` or `info,model=debug`",
            known.collect::<Vec<_>>().join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_names_levels_and_parts_and_what_is_none_is_said() {
        let filter = LogFilter::parse("info, model=trace,run=off").expect("read").expect("something is wanted");
        assert_eq!(filter.most(), LevelFilter::TRACE);
        assert_eq!(filter.parts, [("model", LevelFilter::TRACE), ("run", LevelFilter::OFF)]);
        assert_eq!(
            [LogFilter::parse("off"), LogFilter::parse(""), LogFilter::parse("run=off")],
            [Ok(None), Ok(None), Ok(None)]
        );
        let hint = |text: &str| LogFilter::parse(text).expect_err(text).hint.unwrap_or_default();
        assert_eq!(hint("inf"), "did you mean `info`?");
        assert_eq!(hint("modle=info"), "did you mean `model`?");
        assert!(hint("hyper=trace").contains("request, run, step"), "{}", hint("hyper=trace"));
    }
}
