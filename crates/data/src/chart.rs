//! Charts of results: which one helps, what is on it, and how it is drawn.
//!
//! A chart is made from the same table as the sentence and computes nothing but positions and the counts of a histogram.
//! [`kind`] decides from the shape of the result and the question's words, [`choose`] lays out what stands where, and
//! [`of_table`] does both for a table that no plan explains;
//! [`svg`] and [`terminal`] draw, [`Chart::spec`] says the same as Vega-Lite. Same result, same picture, to the byte.

mod bare;
mod bins;
mod choose;
mod sample;
mod scale;
mod spec;
pub mod svg;
pub mod terminal;
mod wish;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figures::Form;
use crate::plan::Grain;

pub use bare::of_table;
pub use choose::choose;
pub use wish::{Runs, Shape, Wish, kind};

/// A line whose least number is below this share of its greatest is drawn from zero on.
const ZERO_IN_REACH: f64 = 0.6;

/// The kinds of charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One bar for each name, or several side by side.
    Bar,
    /// A line along time or numbers.
    Line,
    /// A line with what is below it filled: running totals.
    Area,
    /// A dot for each row.
    Scatter,
    /// How many rows fall into each of equal ranges.
    Histogram,
    /// Bars whose parts add up.
    Stacked,
}

impl Kind {
    /// The word in the machine interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Bar => "bar",
            Kind::Line => "line",
            Kind::Area => "area",
            Kind::Scatter => "scatter",
            Kind::Histogram => "histogram",
            Kind::Stacked => "stacked",
        }
    }
}

/// What to draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// What it looks like.
    pub kind: Kind,
    /// Bars that lie, because their names are long or many.
    pub horizontal: bool,
    /// What is shown, in words.
    pub title: String,
    /// What runs along: names, periods or numbers.
    pub along: Along,
    /// How the measured numbers are written.
    pub form: Form,
    /// What is measured, in words.
    pub measured: String,
    /// One for each colour.
    pub series: Vec<Series>,
    /// Which periods the data covers only in part, by their place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<usize>,
    /// What is left out, if anything is.
    pub note: Option<String>,
}

/// What runs along a chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Along {
    /// In words.
    pub label: String,
    /// What its positions are.
    pub positions: Positions,
}

/// Where the points of a chart stand along it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Positions {
    /// In the order of the table.
    Names(Vec<String>),
    /// By the first moment of each period, in seconds, with its words.
    Times {
        /// Of what length.
        grain: Grain,
        /// In order.
        periods: Vec<(f64, String)>,
    },
    /// By number.
    Numbers(Form),
    /// The ranges of a histogram: where each begins, and where the last ends.
    Ranges(Vec<f64>, Form),
}

/// The points of one colour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Nothing where there is one series.
    pub name: Option<String>,
    /// In order; not every position has one.
    pub points: Vec<Point>,
}

/// One cell of the table on a chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Which name, period or range; or the number itself.
    pub at: f64,
    /// The measured number.
    pub value: f64,
    /// The cell as the table has it.
    pub exact: String,
}

impl Chart {
    /// The least and the greatest measured number; parts that stand on each other are added.
    fn extent(&self) -> (f64, f64) {
        let mut low = f64::INFINITY;
        let mut high = f64::NEG_INFINITY;
        if self.kind == Kind::Stacked {
            let mut ends: std::collections::BTreeMap<usize, (f64, f64)> = std::collections::BTreeMap::new();
            for point in self.series.iter().flat_map(|series| &series.points) {
                let (below, above) = ends.entry(point.at as usize).or_default();
                if point.value < 0.0 { *below += point.value } else { *above += point.value }
            }
            for (below, above) in ends.values() {
                (low, high) = (low.min(*below), high.max(*above));
            }
        } else {
            for point in self.series.iter().flat_map(|series| &series.points) {
                (low, high) = (low.min(point.value), high.max(point.value));
            }
        }
        (low, high)
    }

    /// A line's points between its gaps: where a period has no value, nothing is drawn that looks like one.
    fn unbroken<'a>(&self, series: &'a Series) -> Vec<&'a [Point]> {
        let by_place = matches!(self.along.positions, Positions::Times { .. });
        series.points.chunk_by(|left, right| !by_place || right.at - left.at < 1.5).collect()
    }

    /// Whether the axis holds zero: lengths are compared honestly only from there on, and heights of a line look as if
    /// they were. A line far from zero would be flat; its axis says where it begins.
    fn begins_at_zero(&self) -> bool {
        let (low, high) = self.extent();
        let in_reach = low >= 0.0 && low < ZERO_IN_REACH * high || high <= 0.0 && high > ZERO_IN_REACH * low;
        match self.kind {
            Kind::Bar | Kind::Area | Kind::Histogram | Kind::Stacked => true,
            Kind::Line => in_reach,
            Kind::Scatter => false,
        }
    }

    /// The numbers that the measuring axis must hold.
    fn measured_extent(&self) -> (f64, f64) {
        let (low, high) = self.extent();
        if self.begins_at_zero() { (low.min(0.0), high.max(0.0)) } else { (low, high) }
    }

    /// What a reader must know of a line's axis that does not hold zero.
    fn axis_note(&self, scale: &scale::Scale, marks: &[String]) -> Option<String> {
        let (first, last) = (marks.first()?, marks.last()?);
        match self.kind {
            Kind::Line if scale.low > 0.0 => Some(format!("the axis begins at {first}")),
            Kind::Line if scale.high < 0.0 => Some(format!("the axis ends at {last}")),
            _ => None,
        }
    }

    /// Whether the data covers the period of a point only in part.
    fn is_unfinished(&self, point: &Point) -> bool {
        self.unfinished.contains(&(point.at as usize))
    }
}
