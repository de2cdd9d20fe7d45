//! What was measured, as rows, medians and the ratios to reach. Pure: numbers in, text out.

use std::fmt;

use serde_json::Value;

use crate::bench::median;

/// Who was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contestant {
    /// Our engine.
    Assay,
    /// DBOS for Python on its SQLite.
    DbosSqlite,
    /// DBOS for Python on Postgres.
    DbosPostgres,
    /// A bare insert and synced commit of a step's bytes.
    Floor,
}

/// Where and how many at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The file system.
    pub place: Place,
    /// How many runs at a time.
    pub concurrency: usize,
}

/// A kind of file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A real one.
    Disk,
    /// Memory, where a sync costs nothing.
    Tmpfs,
}

pub const DISK_1: Setting = Setting { place: Place::Disk, concurrency: 1 };
pub const DISK_8: Setting = Setting { place: Place::Disk, concurrency: 8 };
pub const TMPFS_1: Setting = Setting { place: Place::Tmpfs, concurrency: 1 };

/// What one contestant came to in one setting; of the floor a run is one commit.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub runs_per_s: f64,
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub p99_ms: f64,
    pub zero_step_p50_ms: f64,
    pub per_step_ms: f64,
    pub cpu_ms_per_run: f64,
}

/// A sample and whose it is.
pub struct Cell {
    pub contestant: Contestant,
    pub setting: Setting,
    pub sample: Sample,
}

impl Sample {
    /// From a contestant's JSON line; the error is the field that is missing.
    pub fn read(line: &Value) -> Result<Sample, &'static str> {
        let number = |name: &'static str| line[name].as_f64().ok_or(name);
        Ok(Sample {
            runs_per_s: number("runs_per_s")?,
            p50_ms: number("p50_ms")?,
            p95_ms: number("p95_ms")?,
            p99_ms: number("p99_ms")?,
            zero_step_p50_ms: number("zero_step_p50_ms")?,
            per_step_ms: number("per_step_ms")?,
            cpu_ms_per_run: number("cpu_ms_per_run")?,
        })
    }

    /// The median of each number on its own; nothing of nothing.
    fn middle_of(samples: &[&Sample]) -> Option<Sample> {
        let of = |number: fn(&Sample) -> f64| median(samples.iter().map(|sample| number(sample)).collect());
        Some(Sample {
            runs_per_s: of(|sample| sample.runs_per_s)?,
            p50_ms: of(|sample| sample.p50_ms)?,
            p95_ms: of(|sample| sample.p95_ms)?,
            p99_ms: of(|sample| sample.p99_ms)?,
            zero_step_p50_ms: of(|sample| sample.zero_step_p50_ms)?,
            per_step_ms: of(|sample| sample.per_step_ms)?,
            cpu_ms_per_run: of(|sample| sample.cpu_ms_per_run)?,
        })
    }
}

impl fmt::Display for Contestant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Contestant::Assay => "assay",
            Contestant::DbosSqlite => "DBOS SQLite",
            Contestant::DbosPostgres => "DBOS Postgres",
            Contestant::Floor => "floor",
        })
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.place == Place::Disk { "disk" } else { "tmpfs" };
        formatter.pad(&format!("{place} c={}", self.concurrency))
    }
}

/// The names of the columns of [`row`].
pub fn heading() -> String {
    format!(
        "{:>6}  {:<9} {:<14}{:>9}{:>10}{:>10}{:>10}{:>12}{:>13}{:>13}",
        "round", "where", "who", "runs/s", "p50 ms", "p95 ms", "p99 ms", "0 steps ms", "per step ms", "CPU ms/run"
    )
}

/// One line; the label is a round's number or what stands for all of them.
pub fn row(label: &str, cell: &Cell) -> String {
    let Cell { contestant, setting, sample } = cell;
    format!(
        "{label:>6}  {setting:<9} {contestant:<14}{:>9.1}{:>10.2}{:>10.2}{:>10.2}{:>12.2}{:>13.3}{:>13.3}",
        sample.runs_per_s,
        sample.p50_ms,
        sample.p95_ms,
        sample.p99_ms,
        sample.zero_step_p50_ms,
        sample.per_step_ms,
        sample.cpu_ms_per_run
    )
}

/// The medians over the rounds, in the order in which the settings and contestants first came.
pub fn middles(cells: &[&Cell]) -> Vec<Cell> {
    let mut middles: Vec<Cell> = Vec::new();
    for cell in cells {
        let (contestant, setting) = (cell.contestant, cell.setting);
        let seen = middles.iter().any(|seen| (seen.contestant, seen.setting) == (contestant, setting));
        if !seen && let Some(sample) = Sample::middle_of(&samples(cells, contestant, setting)) {
            middles.push(Cell { contestant, setting, sample });
        }
    }
    middles
}

fn samples<'a>(cells: &[&'a Cell], contestant: Contestant, setting: Setting) -> Vec<&'a Sample> {
    let own = cells.iter().filter(|cell| (cell.contestant, cell.setting) == (contestant, setting));
    own.map(|cell| &cell.sample).collect()
}

/// A number of ours beside the same of another.
pub struct Goal {
    what: &'static str,
    number: fn(&Sample) -> f64,
    setting: Setting,
    other: Contestant,
    bound: Bound,
}

#[derive(Clone, Copy)]
enum Bound {
    /// Ours is so many times smaller.
    TimesLess(f64),
    /// Ours is so many times larger.
    TimesMore(f64),
    /// Ours is at most so many times as large.
    AtMostTimes(f64),
}

const PER_STEP: fn(&Sample) -> f64 = |sample| sample.per_step_ms;
const CPU: fn(&Sample) -> f64 = |sample| sample.cpu_ms_per_run;
const RUNS: fn(&Sample) -> f64 = |sample| sample.runs_per_s;

const fn goal(
    what: &'static str,
    number: fn(&Sample) -> f64,
    setting: Setting,
    other: Contestant,
    bound: Bound,
) -> Goal {
    Goal { what, number, setting, other, bound }
}

/// What is to be reached.
pub const GOALS: &[Goal] = &[
    goal("cost per step", PER_STEP, DISK_1, Contestant::DbosSqlite, Bound::TimesLess(3.0)),
    goal("cost per step", PER_STEP, DISK_1, Contestant::DbosPostgres, Bound::TimesLess(3.0)),
    goal("runs per second", RUNS, DISK_8, Contestant::DbosSqlite, Bound::TimesMore(20.0)),
    goal("CPU per run", CPU, DISK_1, Contestant::DbosSqlite, Bound::TimesLess(20.0)),
    goal("CPU per run", CPU, DISK_1, Contestant::DbosPostgres, Bound::TimesLess(20.0)),
    goal("CPU per run", CPU, DISK_8, Contestant::DbosSqlite, Bound::TimesLess(20.0)),
    goal("CPU per run", CPU, DISK_8, Contestant::DbosPostgres, Bound::TimesLess(20.0)),
    goal("cost per step", PER_STEP, TMPFS_1, Contestant::DbosSqlite, Bound::TimesLess(20.0)),
    goal("cost per step", PER_STEP, DISK_1, Contestant::Floor, Bound::AtMostTimes(1.5)),
];

impl Bound {
    fn ratio(self, ours: f64, other: f64) -> f64 {
        match self {
            Bound::TimesLess(_) => other / ours,
            Bound::TimesMore(_) | Bound::AtMostTimes(_) => ours / other,
        }
    }

    fn is_reached(self, ratio: f64) -> bool {
        match self {
            Bound::TimesLess(least) | Bound::TimesMore(least) => ratio >= least,
            Bound::AtMostTimes(most) => ratio <= most,
        }
    }

    fn asked(self) -> String {
        match self {
            Bound::TimesLess(times) => format!("at least {times} times less"),
            Bound::TimesMore(times) => format!("at least {times} times more"),
            Bound::AtMostTimes(times) => format!("at most {times} times"),
        }
    }
}

impl Goal {
    /// One line: the ratio of the medians over all rounds, and the range it had in single rounds.
    pub fn line(&self, rounds: &[Vec<Cell>]) -> String {
        let all = rounds.iter().flatten();
        let what = format!("{:<16} {:<9} beside {:<14}", self.what, self.setting, self.other);
        let asked = format!("to reach: {}", self.bound.asked());
        let Some(ratio) = self.ratio(all) else { return format!("{what} {:>8}  {asked}: not measured", "") };
        let verdict = if self.bound.is_reached(ratio) { "reached" } else { "not reached" };
        let single: Vec<f64> = rounds.iter().filter_map(|round| self.ratio(round.iter())).collect();
        let least = single.iter().copied().fold(f64::INFINITY, f64::min);
        let most = single.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        format!("{what} {ratio:>7.2}x  {asked}: {verdict} (in single rounds {least:.2} to {most:.2})")
    }

    /// Nothing where one of both was not measured, or so near to zero that its noise made it negative.
    fn ratio<'a>(&self, cells: impl Iterator<Item = &'a Cell> + Clone) -> Option<f64> {
        let middle = |contestant: Contestant| {
            let own = cells.clone().filter(|cell| (cell.contestant, cell.setting) == (contestant, self.setting));
            median(own.map(|cell| (self.number)(&cell.sample)).collect()).filter(|number| *number > 0.0)
        };
        Some(self.bound.ratio(middle(Contestant::Assay)?, middle(self.other)?))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cell(contestant: Contestant, setting: Setting, number: f64) -> Cell {
        let sample = Sample {
            runs_per_s: number,
            p50_ms: number,
            p95_ms: number,
            p99_ms: number,
            zero_step_p50_ms: number,
            per_step_ms: number,
            cpu_ms_per_run: number,
        };
        Cell { contestant, setting, sample }
    }

    fn line(goal: &Goal, rounds: &[(f64, f64)]) -> String {
        let round = |(ours, other): &(f64, f64)| {
            vec![cell(Contestant::Assay, goal.setting, *ours), cell(goal.other, goal.setting, *other)]
        };
        goal.line(&rounds.iter().map(round).collect::<Vec<_>>())
    }

    #[test]
    fn medians_are_of_one_contestant_in_one_setting() {
        let cells = [
            cell(Contestant::Assay, DISK_1, 1.0),
            cell(Contestant::Floor, DISK_1, 9.0),
            cell(Contestant::Assay, DISK_8, 7.0),
            cell(Contestant::Assay, DISK_1, 3.0),
        ];
        let found: Vec<_> =
            middles(&cells.each_ref()).iter().map(|m| (m.contestant, m.setting, m.sample.p50_ms)).collect();
        let expected =
            [(Contestant::Assay, DISK_1, 2.0), (Contestant::Floor, DISK_1, 9.0), (Contestant::Assay, DISK_8, 7.0)];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_ratio_is_taken_of_medians_and_judged_in_its_direction() {
        let less = goal("cost per step", PER_STEP, DISK_1, Contestant::DbosSqlite, Bound::TimesLess(3.0));
        let said = line(&less, &[(1.0, 3.0), (2.0, 4.0), (1.0, 5.0)]);
        assert_eq!(
            said,
            "cost per step    disk c=1  beside DBOS SQLite       4.00x  to reach: at least 3 times less: reached \
             (in single rounds 2.00 to 5.00)"
        );
        assert!(line(&less, &[(1.0, 2.9)]).contains(": not reached"));
        let more = goal("runs per second", RUNS, DISK_8, Contestant::DbosSqlite, Bound::TimesMore(20.0));
        assert!(line(&more, &[(20.0, 1.0)]).contains(": reached"));
        assert!(line(&more, &[(1.0, 20.0)]).contains(": not reached"));
        let floor = goal("cost per step", PER_STEP, DISK_1, Contestant::Floor, Bound::AtMostTimes(1.5));
        assert!(line(&floor, &[(1.5, 1.0)]).contains(": reached"));
        assert!(line(&floor, &[(1.6, 1.0)]).contains(": not reached"));
    }

    #[test]
    fn what_was_not_measured_is_not_judged() {
        let goal = goal("cost per step", PER_STEP, DISK_1, Contestant::DbosPostgres, Bound::TimesLess(3.0));
        assert!(goal.line(&[vec![cell(Contestant::Assay, DISK_1, 1.0)]]).ends_with(": not measured"));
        assert!(line(&goal, &[(-0.1, 3.0)]).ends_with(": not measured"));
    }

    #[test]
    fn rows_stand_under_their_heading() {
        let row = row("p50", &cell(Contestant::DbosPostgres, TMPFS_1, 12345.6));
        assert_eq!(row.len(), heading().len());
        assert!(row.starts_with("   p50  tmpfs c=1 DBOS Postgres   12345.6  12345.60"), "{row}");
    }

    #[test]
    fn a_sample_needs_every_number() {
        let mut line = json!({
            "runs_per_s": 1, "p50_ms": 2.5, "p95_ms": 3, "p99_ms": 4, "zero_step_p50_ms": 0, "per_step_ms": 0.5,
            "cpu_ms_per_run": 1,
        });
        assert_eq!(Sample::read(&line).map(|sample| sample.p50_ms), Ok(2.5));
        line["per_step_ms"] = json!(null);
        assert_eq!(Sample::read(&line), Err("per_step_ms"));
    }
}
