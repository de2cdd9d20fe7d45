//! The days a dataset covers, spelled once.

use jiff::ToSpan;
use jiff::civil::Date;

pub(super) const SECONDS_PER_DAY: i64 = 86_400;

/// Consecutive days that end with a fixed one.
pub(super) struct Calendar {
    days: Vec<Date>,
    spelled: Vec<String>,
}

impl Calendar {
    pub(super) fn ending(last: Date, count: i64) -> Calendar {
        let days: Vec<Date> = (0..count).rev().map(|back| last.saturating_sub(back.days())).collect();
        let spelled = days.iter().map(Date::to_string).collect();
        Calendar { days, spelled }
    }

    /// The ISO spelling of the day at this index.
    pub(super) fn day(&self, index: usize) -> &str {
        &self.spelled[index]
    }

    /// 0 for Monday to 6 for Sunday.
    pub(super) fn weekday(&self, index: usize) -> usize {
        self.days[index].weekday().to_monday_zero_offset() as usize
    }

    /// The moment that many seconds after the first midnight, as `YYYY-MM-DD HH:MM:SS`.
    pub(super) fn moment(&self, seconds: i64) -> String {
        let second = seconds % SECONDS_PER_DAY;
        let day = self.day((seconds / SECONDS_PER_DAY) as usize);
        format!("{day} {:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_end_with_the_last_one() {
        let calendar = Calendar::ending(jiff::civil::date(2026, 3, 2), 3);
        assert_eq!(calendar.day(0), "2026-02-28");
        assert_eq!(calendar.weekday(2), 0);
        assert_eq!(calendar.moment(2 * SECONDS_PER_DAY + 3661), "2026-03-02 01:01:01");
    }
}
