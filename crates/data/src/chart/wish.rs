//! What a question says about its picture, and the kind of chart that this and the shape of the result give.

use serde::{Deserialize, Serialize};

use super::Kind;

/// A chart that is asked for in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wish {
    /// `plot`: whichever helps.
    Any,
    /// `as a bar chart`.
    Bar,
    /// `horizontal bars`.
    Lying,
    /// `line chart`, `trend`.
    Line,
    /// `area chart`.
    Area,
    /// `pie chart`.
    Pie,
    /// `stacked bars`.
    Stacked,
    /// `histogram`, `distribution` of a number.
    Histogram,
    /// `scatter plot of weight and price`.
    Scatter,
    /// `plot price against weight`: the first is measured upwards.
    Against,
}

impl Wish {
    /// All of them.
    pub const ALL: &[Wish] = &[
        Wish::Any,
        Wish::Bar,
        Wish::Lying,
        Wish::Line,
        Wish::Area,
        Wish::Pie,
        Wish::Stacked,
        Wish::Histogram,
        Wish::Scatter,
        Wish::Against,
    ];

    /// The word in lexicons.
    pub fn as_str(self) -> &'static str {
        match self {
            Wish::Any => "any",
            Wish::Bar => "bar",
            Wish::Lying => "lying",
            Wish::Line => "line",
            Wish::Area => "area",
            Wish::Pie => "pie",
            Wish::Stacked => "stacked",
            Wish::Histogram => "histogram",
            Wish::Scatter => "scatter",
            Wish::Against => "against",
        }
    }

    /// What is meant where both are said: the first that says more than "a chart", and of "stacked bar chart" the whole.
    #[must_use]
    pub fn beside(self, earlier: Option<Wish>) -> Wish {
        match earlier {
            None | Some(Wish::Any) => self,
            Some(Wish::Bar) if matches!(self, Wish::Lying | Wish::Stacked) => self,
            Some(earlier) => earlier,
        }
    }
}

/// What runs along a grouped result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// Texts and truths, and whatever is ranked.
    Names,
    /// Periods.
    Time,
    /// Numbers that are not keys.
    Numbers,
}

/// What a grouped result looks like to whoever draws it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What runs along.
    pub along: Runs,
    /// How many places there are along.
    pub places: usize,
    /// Whether a second group gives each place several numbers.
    pub several: bool,
    /// Whether the numbers are parts of one whole: sums, counts and shares, none below zero.
    pub adds_up: bool,
    /// Whether each number holds those before it.
    pub running: bool,
}

/// Fewer periods are compared, not followed.
const LINE_PLACES_MIN: usize = 3;

/// The kind of chart for a grouped result, and what to say where it is not the one that was asked for.
pub fn kind(shape: Shape, wish: Option<Wish>) -> (Kind, Option<&'static str>) {
    let follows = shape.along != Runs::Names;
    let usual = match shape.along {
        Runs::Time if shape.running && !shape.several => Kind::Area,
        Runs::Time if shape.places >= LINE_PLACES_MIN => Kind::Line,
        _ if shape.several && shape.adds_up => Kind::Stacked,
        _ => Kind::Bar,
    };
    match wish {
        None | Some(Wish::Any) => (usual, None),
        Some(Wish::Bar | Wish::Lying) => (Kind::Bar, None),
        Some(Wish::Line) if follows => (Kind::Line, None),
        Some(Wish::Area) if follows && !shape.several => (Kind::Area, None),
        Some(Wish::Stacked) if shape.several && shape.adds_up => (Kind::Stacked, None),
        Some(Wish::Histogram) if shape.along == Runs::Numbers && !shape.several && shape.adds_up => {
            (Kind::Histogram, None)
        }
        Some(Wish::Pie) => {
            let kind = if usual == Kind::Stacked { Kind::Stacked } else { Kind::Bar };
            (kind, Some("bars instead of a pie: lengths are easier to compare than angles"))
        }
        Some(Wish::Line | Wish::Area) if follows => {
            (Kind::Line, Some("lines instead of areas, which would hide each other"))
        }
        Some(Wish::Line | Wish::Area) => {
            (usual, Some("bars instead of a line, which needs time or numbers to run along"))
        }
        Some(Wish::Stacked) if shape.several => (usual, Some("not stacked: these numbers are no parts of a whole")),
        Some(Wish::Stacked) => (usual, Some("not stacked: there is one number for each bar")),
        Some(Wish::Histogram) => (usual, Some("no histogram: it counts the values of one number")),
        Some(Wish::Scatter | Wish::Against) => (usual, Some("no dots: they need two numbers of each row")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: Shape = Shape { along: Runs::Names, places: 5, several: false, adds_up: true, running: false };

    #[track_caller]
    fn check(shape: Shape, wish: Option<Wish>, expected: Kind, as_asked: bool) {
        let (kind, why) = kind(shape, wish);
        assert_eq!((kind, why.is_none()), (expected, as_asked), "{why:?}");
    }

    #[test]
    fn words_choose_among_what_the_shape_allows() {
        let months = Shape { along: Runs::Time, places: 12, ..NAMES };
        let ages = Shape { along: Runs::Numbers, places: 60, ..NAMES };
        let parts = Shape { several: true, ..NAMES };
        let averages = Shape { adds_up: false, ..parts };
        check(NAMES, None, Kind::Bar, true);
        check(NAMES, Some(Wish::Line), Kind::Bar, false);
        check(NAMES, Some(Wish::Pie), Kind::Bar, false);
        check(NAMES, Some(Wish::Stacked), Kind::Bar, false);
        check(NAMES, Some(Wish::Scatter), Kind::Bar, false);
        check(NAMES, Some(Wish::Histogram), Kind::Bar, false);
        check(months, None, Kind::Line, true);
        check(months, Some(Wish::Bar), Kind::Bar, true);
        check(months, Some(Wish::Area), Kind::Area, true);
        check(Shape { places: 2, ..months }, None, Kind::Bar, true);
        check(Shape { places: 2, ..months }, Some(Wish::Line), Kind::Line, true);
        check(Shape { running: true, ..months }, None, Kind::Area, true);
        check(Shape { several: true, ..months }, Some(Wish::Area), Kind::Line, false);
        check(Shape { several: true, ..months }, Some(Wish::Stacked), Kind::Stacked, true);
        check(ages, None, Kind::Bar, true);
        check(ages, Some(Wish::Line), Kind::Line, true);
        check(ages, Some(Wish::Histogram), Kind::Histogram, true);
        check(parts, None, Kind::Stacked, true);
        check(parts, Some(Wish::Bar), Kind::Bar, true);
        check(parts, Some(Wish::Pie), Kind::Stacked, false);
        check(averages, None, Kind::Bar, true);
        check(averages, Some(Wish::Stacked), Kind::Bar, false);
    }

    #[test]
    fn the_word_that_says_more_counts() {
        assert_eq!(Wish::Line.beside(Some(Wish::Any)), Wish::Line);
        assert_eq!(Wish::Any.beside(Some(Wish::Line)), Wish::Line);
        assert_eq!(Wish::Stacked.beside(Some(Wish::Bar)), Wish::Stacked);
        assert_eq!(Wish::Bar.beside(Some(Wish::Stacked)), Wish::Stacked);
    }
}
