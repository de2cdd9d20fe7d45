//! How single values are spelled inside a capsule, and read back strictly: what is not spelled exactly so is refused.

use base::{Hash, RunId, Timestamp};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;
use store::{Mode, RunState, StepState};

/// A value with one spelling. `#[serde(with = "word")]` uses it for a field.
pub(super) trait Word: Sized {
    const KIND: &'static str;
    fn spell(&self) -> String;
    fn parse(text: &str) -> Option<Self>;
}

pub(super) fn serialize<T: Word, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&value.spell())
}

pub(super) fn deserialize<'de, T: Word, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    strictly(&String::deserialize(deserializer)?)
}

fn strictly<T: Word, E: Error>(text: &str) -> Result<T, E> {
    let value = T::parse(text).filter(|value| value.spell() == text);
    value.ok_or_else(|| E::custom(format!("`{}` is no {}", shown(text), T::KIND)))
}

/// A stranger's text as it may stand in a message.
pub(super) fn shown(text: &str) -> String {
    const CHARS_MAX: usize = 100;
    let start: String = text.chars().take(CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(CHARS_MAX).is_some() { start + "…" } else { start }
}

/// The same for a field that may be null.
pub(super) mod optional {
    use super::{Deserialize, Deserializer, Serializer, Word, strictly};

    pub(in super::super) fn serialize<T: Word, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.serialize_str(&value.spell()),
            None => serializer.serialize_none(),
        }
    }

    pub(in super::super) fn deserialize<'de, T: Word, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        Option::<String>::deserialize(deserializer)?.map(|text| strictly(&text)).transpose()
    }
}

impl Word for Hash {
    const KIND: &'static str = "hash";
    fn spell(&self) -> String {
        self.as_str().to_string()
    }
    fn parse(text: &str) -> Option<Hash> {
        Hash::parse(text)
    }
}

impl Word for RunId {
    const KIND: &'static str = "run's id";
    fn spell(&self) -> String {
        self.as_str().to_string()
    }
    fn parse(text: &str) -> Option<RunId> {
        RunId::parse(text)
    }
}

macro_rules! closed_set {
    ($($name:ty: $kind:literal,)*) => {$(
        impl Word for $name {
            const KIND: &'static str = $kind;
            fn spell(&self) -> String {
                self.as_str().to_string()
            }
            fn parse(text: &str) -> Option<$name> {
                <$name>::parse(text)
            }
        }
    )*};
}

closed_set! {
    RunState: "run's state",
    StepState: "step's state",
    Mode: "run's mode",
}

impl Word for Timestamp {
    const KIND: &'static str = "time";

    fn spell(&self) -> String {
        self.to_rfc3339()
    }

    /// Such as `2026-01-31T09:15:00.250Z`. Only the arithmetic is here: that the text was well formed and named a real
    /// day shows when the moment is spelled again.
    fn parse(text: &str) -> Option<Timestamp> {
        const DAYS_BEFORE_MONTH: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
        const DAYS_BEFORE_1970: i64 = 719_162;
        let number = |from: usize, to: usize| text.get(from..to)?.parse::<u16>().ok().map(i64::from);
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second, millisecond) = (number(11, 13)?, number(14, 16)?, number(17, 19)?, number(20, 23)?);
        let past = year - 1;
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = 365 * past + past / 4 - past / 100 + past / 400 - DAYS_BEFORE_1970
            + DAYS_BEFORE_MONTH.get(usize::try_from(month - 1).ok()?)?
            + i64::from(leap && month > 2)
            + day
            - 1;
        Some(Timestamp((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millisecond))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Timestamp> {
        strictly::<Timestamp, serde_json::Error>(text).ok()
    }

    #[test]
    fn a_moment_is_read_back_on_every_day() {
        const DAY_MS: i64 = 86_400_000;
        for day in -100_000..1_000_000 {
            let moment = Timestamp(day * DAY_MS + (day * 7_919).rem_euclid(DAY_MS));
            assert_eq!(read(&moment.to_rfc3339()), Some(moment), "{}", moment.to_rfc3339());
        }
    }

    #[test]
    fn what_is_not_spelled_exactly_so_is_no_moment() {
        assert!(read("2026-01-31T09:15:00.250Z").is_some());
        for wrong in [
            "",
            "2026-01-31",
            "2026-02-29T09:15:00.250Z",
            "2026-13-01T09:15:00.250Z",
            "2026-00-01T09:15:00.250Z",
            "2026-01-31T24:15:00.250Z",
            "2026-01-31T09:15:00.25Z",
            "2026-01-31T09:15:00.250+00:00",
            "2026-01-31 09:15:00.250Z",
            "2026-01-31T09:15:00.250Zx",
            "+026-01-31T09:15:00.250Z",
            "０026-01-31T09:15:00.250Z",
            "@99999999999999999ms",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_id_has_one_spelling() {
        let id = RunId::fresh();
        assert!(strictly::<RunId, serde_json::Error>(id.as_str()).is_ok());
        assert!(strictly::<RunId, serde_json::Error>(&id.as_str().to_uppercase()).is_err());
        assert!(strictly::<RunId, serde_json::Error>("../../run").is_err());
    }

    #[test]
    fn a_strangers_text_cannot_reach_the_terminal_raw() {
        assert_eq!(shown("a\u{1b}[31m\n"), "a\\u{1b}[31m\\n");
        assert_eq!(shown(&"x".repeat(101)), "x".repeat(100) + "…");
    }
}
