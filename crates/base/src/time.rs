//! Moments as milliseconds since the epoch, spelled as RFC 3339 in UTC.

use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::read_word;

/// A moment, in milliseconds since 1970-01-01 UTC. Who reads the clock passes it in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Such as `2026-01-31T09:15:00.250Z`.
    pub fn to_rfc3339(self) -> String {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(moment) => format!("{moment:.3}"),
            Err(_) => format!("@{}ms", self.0),
        }
    }

    /// Reads a moment back; `None` unless it is spelled exactly as [`Timestamp::to_rfc3339`] spells it.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let moment: jiff::Timestamp = text.parse().ok()?;
        Some(Timestamp(moment.as_millisecond())).filter(|moment| moment.to_rfc3339() == text)
    }
}

/// What is before 1970 counts as its beginning.
impl From<SystemTime> for Timestamp {
    fn from(moment: SystemTime) -> Timestamp {
        Timestamp(moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_rfc3339())
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time", "description": "A moment, RFC 3339 in UTC." })
    }
}

/// Refuses whatever [`Timestamp::parse`] does not take.
impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        read_word(deserializer, "time", Timestamp::parse)
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn the_epoch_is_spelled_in_utc() {
        assert_eq!(Timestamp(0).to_rfc3339(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp(1_769_850_900_250).to_rfc3339(), "2026-01-31T09:15:00.250Z");
    }

    #[test]
    fn a_moment_is_read_back_in_every_year() {
        const DAY_MS: i64 = 86_400_000;
        for day in (-700_000..2_900_000).step_by(101) {
            let moment = Timestamp(day * DAY_MS + (day * 7_919).rem_euclid(DAY_MS));
            assert_eq!(Timestamp::parse(&moment.to_rfc3339()), Some(moment), "{}", moment.to_rfc3339());
        }
    }

    #[test]
    fn what_is_not_spelled_exactly_so_is_no_moment() {
        assert!(Timestamp::parse("2026-01-31T09:15:00.250Z").is_some());
        for wrong in [
            "",
            "2026-01-31",
            "2026-02-29T09:15:00.250Z",
            "2026-13-01T09:15:00.250Z",
            "2026-00-01T09:15:00.250Z",
            "2026-01-31T24:15:00.250Z",
            "2026-06-30T23:59:60.000Z",
            "2026-01-31T09:15:00.25Z",
            "2026-01-31T09:15:00.2501Z",
            "2026-01-31T09:15:00.250+00:00",
            "2026-01-31 09:15:00.250Z",
            "2026-01-31t09:15:00.250z",
            "2026-01-31T09:15:00.250Zx",
            "2026-01-31T09:15:00.250Z[UTC]",
            "+026-01-31T09:15:00.250Z",
            "０026-01-31T09:15:00.250Z",
            "@99999999999999999ms",
        ] {
            assert_eq!(Timestamp::parse(wrong), None, "{wrong}");
        }
        let error = serde_json::from_str::<Timestamp>("\"yesterday\"").expect_err("no moment");
        assert!(error.to_string().starts_with("`yesterday` is no time"), "{error}");
    }
}
