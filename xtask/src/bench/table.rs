//! What was measured, as percentiles and the ratios to reach. Pure: numbers in, text out.

use anyhow::Context;
use serde_json::Value;

use crate::bench::median;

/// All samples of one contestant in one case, in milliseconds; or of one rate, in runs per second.
struct Series {
    case: String,
    who: String,
    unit: String,
    values: Vec<f64>,
}

/// Everything that was measured, in the order in which it first came.
#[derive(Default)]
pub struct Measured {
    series: Vec<Series>,
}

impl Measured {
    /// Takes one number.
    pub fn add_value(&mut self, case: &str, who: &str, unit: &str, value: f64) {
        match self.series.iter_mut().find(|series| (series.case.as_str(), series.who.as_str()) == (case, who)) {
            Some(series) => series.values.push(value),
            None => {
                let (case, who, unit) = (case.to_string(), who.to_string(), unit.to_string());
                self.series.push(Series { case, who, unit, values: vec![value] });
            }
        }
    }

    /// Takes one line of the driver's: {case, who, unit, value}.
    pub fn add(&mut self, line: &Value) -> anyhow::Result<()> {
        let text = |name: &str| line[name].as_str().with_context(|| format!("there is no `{name}`"));
        let (case, who, unit) = (text("case")?, text("who")?, text("unit")?);
        self.add_value(case, who, unit, line["value"].as_f64().context("there is no `value`")?);
        Ok(())
    }

    /// One line for each contestant. The ratio is to the first of the same case.
    pub fn rows(&self) -> Vec<String> {
        let first = |case: &str| self.series.iter().find(|series| series.case == case);
        let mut cases: Vec<&str> = Vec::new();
        for series in &self.series {
            if !cases.contains(&series.case.as_str()) {
                cases.push(&series.case);
            }
        }
        let of_case = |case| self.series.iter().filter(move |series| series.case == case);
        let sorted = cases.into_iter().flat_map(of_case);
        sorted.map(|series| row(series, first(&series.case).map_or(f64::NAN, Series::p50))).collect()
    }

    fn p50(&self, case: &str, who: &str) -> Option<f64> {
        let series = self.series.iter().find(|series| (series.case.as_str(), series.who.as_str()) == (case, who))?;
        Some(series.p50())
    }
}

impl Series {
    fn p50(&self) -> f64 {
        median(self.values.clone()).unwrap_or(f64::NAN)
    }

    /// The nearest rank; with less than a hundred samples that is the largest.
    fn p99(&self) -> f64 {
        let mut values = self.values.clone();
        values.sort_by(f64::total_cmp);
        let rank = (values.len() * 99).div_ceil(100).max(1);
        values.get(rank - 1).copied().unwrap_or(f64::NAN)
    }
}

/// Prints everything, and what was to be reached.
pub fn print(measured: &Measured, goals: &[Goal]) {
    println!("\n{}", heading());
    for row in measured.rows() {
        println!("{row}");
    }
    if !goals.is_empty() {
        println!("\nto reach");
    }
    for goal in goals {
        println!("{}", goal.line(measured));
    }
}

/// The names of the columns of a row.
fn heading() -> String {
    format!("{:<22}{:<32}{:>6}{:>11}{:>11}  {:<7}{:>9}", "what", "who", "n", "p50", "p99", "unit", "ratio")
}

fn row(series: &Series, first: f64) -> String {
    let Series { case, who, unit, values } = series;
    let (p50, p99) = (series.p50(), series.p99());
    format!("{case:<22}{who:<32}{:>6}{p50:>11.2}{p99:>11.2}  {unit:<7}{:>9.2}", values.len(), p50 / first)
}

/// A number of ours, alone or beside the same of another.
pub struct Goal {
    /// What is measured.
    pub case: &'static str,
    /// Which contestant is ours.
    pub ours: &'static str,
    /// How much it may be.
    pub bound: Bound,
}

/// How a number of ours is judged.
pub enum Bound {
    /// Less than the other.
    Below(&'static str),
    /// So many times less than the other.
    TimesLess(&'static str, f64),
    /// At most so many times the other.
    AtMostTimes(&'static str, f64),
    /// At most so many times the other, and so many milliseconds more.
    AtMostTimesAndMore(&'static str, f64, f64),
    /// At least so many times the other.
    AtLeastTimes(&'static str, f64),
    /// So much, whatever others do.
    AtLeast(f64),
    /// No more than that, whatever others do.
    AtMost(f64),
}

impl Goal {
    /// One line: the ratio of the medians, and whether that is enough.
    pub fn line(&self, measured: &Measured) -> String {
        let Goal { case, ours, bound } = self;
        let (other, asked) = match bound {
            Bound::Below(other) => (Some(*other), "below".to_string()),
            Bound::TimesLess(other, times) => (Some(*other), format!("at least {times} times less")),
            Bound::AtMostTimes(other, times) => (Some(*other), format!("at most {times} times")),
            Bound::AtMostTimesAndMore(other, times, more) => {
                (Some(*other), format!("at most {times} times and {more} ms"))
            }
            Bound::AtLeastTimes(other, times) => (Some(*other), format!("at least {times} times")),
            Bound::AtLeast(least) => (None, format!("at least {least}")),
            Bound::AtMost(most) => (None, format!("at most {most}")),
        };
        let beside = other.map(|other| format!(" beside {other}")).unwrap_or_default();
        let what = format!("{:<74}", format!("{case}: {ours}{beside}"));
        let number = measured.p50(case, ours);
        let other = other.map_or(Some(1.0), |other| measured.p50(case, other));
        let (Some(number), Some(other)) = (number, other) else { return format!("{what} {asked}: not measured") };
        let (shown, reached) = match bound {
            Bound::Below(_) => (format!("{:.2}x", number / other), number < other),
            Bound::TimesLess(_, times) => (format!("{:.1}x less", other / number), other / number >= *times),
            Bound::AtMostTimes(_, times) => (format!("{:.2}x", number / other), number / other <= *times),
            Bound::AtMostTimesAndMore(_, times, more) => {
                let rest = number - times * other;
                (format!("{times}x {rest:+.0} ms"), rest <= *more)
            }
            Bound::AtLeastTimes(_, times) => (format!("{:.2}x", number / other), number / other >= *times),
            Bound::AtLeast(least) => (format!("{number:.1}"), number >= *least),
            Bound::AtMost(most) => (format!("{number:.1}"), number <= *most),
        };
        let verdict = if reached { "reached" } else { "not reached" };
        format!("{what} {shown:>12}  {asked}: {verdict}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn measured(samples: &[(&str, &str, f64)]) -> Measured {
        let mut measured = Measured::default();
        for (case, who, value) in samples {
            let line = json!({ "case": case, "who": who, "unit": "ms", "value": value });
            measured.add(&line).expect("a whole line");
        }
        measured
    }

    fn verdict(bound: Bound, ours: f64, other: f64) -> String {
        let goal = Goal { case: "c", ours: "we", bound };
        goal.line(&measured(&[("c", "we", ours), ("c", "they", other)])).trim().to_string()
    }

    #[test]
    fn bounds_are_judged_in_their_direction() {
        assert!(verdict(Bound::Below("they"), 1.0, 1.1).ends_with("0.91x  below: reached"));
        assert!(verdict(Bound::Below("they"), 1.0, 1.0).ends_with(": not reached"));
        assert!(
            verdict(Bound::TimesLess("they", 15.0), 2.0, 30.0).ends_with("15.0x less  at least 15 times less: reached")
        );
        assert!(verdict(Bound::TimesLess("they", 15.0), 2.0, 29.0).ends_with(": not reached"));
        assert!(verdict(Bound::AtMostTimes("they", 1.5), 3.0, 2.0).ends_with("1.50x  at most 1.5 times: reached"));
        assert!(verdict(Bound::AtMostTimes("they", 1.5), 3.1, 2.0).ends_with(": not reached"));
        let bound = || Bound::AtMostTimesAndMore("they", 1.2, 40.0);
        assert!(verdict(bound(), 160.0, 100.0).ends_with("1.2x +40 ms  at most 1.2 times and 40 ms: reached"));
        assert!(verdict(bound(), 161.0, 100.0).ends_with(": not reached"));
        assert!(verdict(Bound::AtLeast(100.0), 100.0, 0.0).ends_with("100.0  at least 100: reached"));
        assert!(verdict(Bound::AtLeast(100.0), 99.9, 0.0).ends_with(": not reached"));
        assert!(verdict(Bound::AtLeastTimes("they", 2.0), 4.0, 2.0).ends_with("2.00x  at least 2 times: reached"));
        assert!(verdict(Bound::AtLeastTimes("they", 2.0), 3.9, 2.0).ends_with(": not reached"));
        assert!(verdict(Bound::AtMost(60.0), 60.0, 0.0).ends_with("60.0  at most 60: reached"));
        assert!(verdict(Bound::AtMost(60.0), 60.1, 0.0).ends_with(": not reached"));
        assert!(verdict(Bound::Below("nobody"), 1.0, 1.0).ends_with(": not measured"));
    }

    #[test]
    fn rows_of_one_case_stand_together_with_their_percentiles() {
        let mut samples: Vec<(&str, &str, f64)> = (1..=200).map(|n| ("a", "we", f64::from(n))).collect();
        samples.extend([("b", "we", 7.0), ("a", "they", 201.0)]);
        let rows = measured(&samples).rows();
        let words: Vec<Vec<&str>> = rows.iter().map(|row| row.split_whitespace().collect()).collect();
        assert_eq!(words[0], ["a", "we", "200", "100.50", "198.00", "ms", "1.00"]);
        assert_eq!(words[1], ["a", "they", "1", "201.00", "201.00", "ms", "2.00"]);
        assert_eq!(words[2], ["b", "we", "1", "7.00", "7.00", "ms", "1.00"]);
        assert!(rows.iter().all(|row| row.len() == heading().len()), "{rows:#?}");
    }

    #[test]
    fn a_line_needs_every_field() {
        let line = json!({ "case": "a", "who": "b", "unit": "ms" });
        assert!(Measured::default().add(&line).is_err());
    }
}
