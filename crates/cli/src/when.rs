//! Times as people type them: an age such as `30d`, a date, or a moment in RFC 3339; and ages as people read them.
//!
//! Whose clock an age counts from is the caller's affair. Dates are UTC, like every time the program prints.

use std::time::Duration;

use base::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

const SECOND_MS: u64 = 1_000;
const MINUTE_MS: u64 = 60 * SECOND_MS;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const DAY_MS: u64 = 24 * HOUR_MS;

/// A moment, absolute or counted back from now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// So long ago.
    Ago(Duration),
    /// Then.
    At(Timestamp),
}

impl When {
    /// Reads `2d`, `2026-11-01` or `2026-11-01T09:30:00Z`.
    pub fn parse(text: &str) -> Result<When, String> {
        if let Ok(ago) = duration(text) {
            return Ok(When::Ago(ago));
        }
        moment(text).map(When::At).ok_or_else(|| {
            "give an age such as 2d, 12h, 90m or 45s, a date such as 2026-11-01, or a time such as 2026-11-01T09:30:00Z"
                .to_string()
        })
    }

    /// The moment, if it is now `now`.
    pub fn at(self, now: Timestamp) -> Timestamp {
        match self {
            When::Ago(ago) => Timestamp(now.0.saturating_sub(i64::try_from(ago.as_millis()).unwrap_or(i64::MAX))),
            When::At(at) => at,
        }
    }
}

/// Reads a whole number with its unit: s, m, h, d or w.
pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit_ms = match &text[digits.len()..] {
        "s" => Some(SECOND_MS),
        "m" => Some(MINUTE_MS),
        "h" => Some(HOUR_MS),
        "d" => Some(DAY_MS),
        "w" => Some(7 * DAY_MS),
        _ => None,
    };
    // `parse` would take a sign.
    let number = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse::<u64>().ok()).flatten();
    let ms = unit_ms.zip(number).and_then(|(unit_ms, number)| number.checked_mul(unit_ms));
    ms.map(Duration::from_millis).ok_or_else(|| "give a time such as 30d, 12h, 90m or 45s".to_string())
}

/// A date's first moment, or a moment with its offset; a time without one would mean another moment elsewhere.
pub fn moment(text: &str) -> Option<Timestamp> {
    const DATE_LENGTH: usize = "2026-11-01".len();
    let moment = if text.len() == DATE_LENGTH {
        text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp()
    } else {
        text.parse::<jiff::Timestamp>().ok()?
    };
    Some(Timestamp(moment.as_millisecond()))
}

/// How long ago a moment was, in its largest unit; what lies ahead, by a clock that was set back, is now.
pub fn age(at: Timestamp, now: Timestamp) -> String {
    let ms = u64::try_from(now.0.saturating_sub(at.0)).unwrap_or(0);
    let units = [(DAY_MS, "d"), (HOUR_MS, "h"), (MINUTE_MS, "m"), (SECOND_MS, "s")];
    let (unit_ms, unit) = units.into_iter().find(|(unit_ms, _)| ms >= *unit_ms).unwrap_or((SECOND_MS, "s"));
    format!("{}{unit}", ms / unit_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_strictly() {
        let read = |text: &str| duration(text).ok().map(|read| read.as_secs());
        let good = [("45s", 45), ("90m", 5_400), ("12h", 43_200), ("30d", 2_592_000), ("2w", 1_209_600), ("0s", 0)];
        for (text, seconds) in good {
            assert_eq!(read(text), Some(seconds), "{text}");
        }
        for text in
            ["", "d", "30", "30 d", "-1d", "+1d", "1.5h", "30D", "30days", "1h30m", "٣d", "99999999999999999999s"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read("18446744073709551615d"), None, "more than can be counted");
    }

    #[test]
    fn moments_are_read_strictly() {
        let at = |text: &str| moment(text).map(Timestamp::to_rfc3339);
        let good = [
            ("2026-11-01", "2026-11-01T00:00:00.000Z"),
            ("2026-11-01T09:30:00Z", "2026-11-01T09:30:00.000Z"),
            ("2026-11-01T09:30:00.250+02:00", "2026-11-01T07:30:00.250Z"),
        ];
        for (text, moment) in good {
            assert_eq!(at(text).as_deref(), Some(moment), "{text}");
        }
        for text in ["", "today", "2026-11", "2026-13-01", "2026-02-30", "2026-11-01T09:30:00", "99999-01-01T00:00:00Z"]
        {
            assert_eq!(at(text), None, "{text}");
        }
    }

    #[test]
    fn an_age_counts_back_as_far_as_time_goes() {
        let now = Timestamp(10 * DAY_MS as i64);
        assert_eq!(When::parse("2d").map(|when| when.at(now)), Ok(Timestamp(8 * DAY_MS as i64)));
        assert_eq!(When::parse("1970-01-02").map(|when| when.at(now)), Ok(Timestamp(DAY_MS as i64)));
        assert_eq!(When::Ago(Duration::MAX).at(Timestamp(-5)), Timestamp(i64::MIN));
        assert!(When::parse("soon").is_err());
    }

    #[test]
    fn ages_are_told_in_their_largest_unit() {
        let told =
            [0, 999, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000 * 400].map(|ms| age(Timestamp(0), Timestamp(ms)));
        assert_eq!(told, ["0s", "0s", "59s", "1m", "59m", "1h", "400d"]);
        assert_eq!(age(Timestamp(i64::MAX), Timestamp(i64::MIN)), "0s");
    }
}
