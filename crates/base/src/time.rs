//! Moments as milliseconds since the epoch, spelled as RFC 3339 in UTC.

use serde::{Serialize, Serializer};

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
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_rfc3339())
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
}
