//! A reading in the making: what the words consumed so far ask for, before any table is chosen.

use data::chart::Wish;
use data::plan::{Agg, ComputeOp, Dir, Grain, Op, Part, Test};

use crate::Assumption;
use crate::index::{ColId, Interval, MeasureId, ThingId};
use crate::lexicon::{Ask, Unit};
use crate::period::When;
use crate::score::{self, Feature};

/// Columns of one name; which of them is meant depends on the table the plan starts from.
pub type Columns = Vec<ColId>;

/// What the words ask for. Two drafts are equal if they ask for the same by names that fit alike: whichever costs less
/// stands for both.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    pub ask: Option<Ask>,
    /// What is asked for, in order.
    pub heads: Vec<Head>,
    /// An aggregate that waits for its target.
    pub pending: Option<Pending>,
    pub groups: Vec<Target>,
    /// Whether a group is said to be a number of something: "by number of guests".
    pub numbered: bool,
    pub filters: Vec<Filter>,
    pub having: Vec<Having>,
    pub rank: Option<Rank>,
    pub sort: Option<(Head, Dir)>,
    pub direction: Option<Dir>,
    pub limit: Option<u32>,
    /// The date that a verb before a group names: "created per day".
    pub dated: Option<Columns>,
    /// The relation by which tables with several links are joined, where a word says it: "ended at".
    pub link: Option<usize>,
    /// Things named only to say what the heads are about: "the price of products".
    pub scopes: Vec<ThingId>,
    pub share: bool,
    /// How many conditions come before the words that ask for a share.
    pub share_from: usize,
    /// Whether "and" with a verb of its own joined conditions of a share: "include breakfast and were cancelled".
    pub coordinated: bool,
    /// Whether conditions from here on say of what the share is taken: "out of all that have a rating".
    pub whole: bool,
    pub distribution: bool,
    /// Whether each group's number is told as its share.
    pub percent: bool,
    pub distinct: bool,
    /// Whether the number that things are ranked by is asked for too.
    pub with_number: bool,
    pub series: Option<ComputeOp>,
    /// Where two sides are compared, how many conditions come before the word between them.
    pub contrast: Option<usize>,
    /// Whether the difference of the two sides is asked for: how much higher the first is, or how much lower.
    pub difference: Option<Dir>,
    /// How the answer is to be drawn.
    pub chart: Option<Wish>,
    /// Whether a number along time is asked for without a period being said.
    pub trend: bool,
    /// Whether it is asked how a number changed, which takes at least two of them.
    pub changes: bool,
    /// Whether the sentence has passed its verb or a relative pronoun after the head.
    pub predicate: bool,
    /// Whether a preposition came before, and only conditions since: a thing that follows belongs to the head.
    pub connected: bool,
    /// Whether "and" or a comma came just before.
    pub joined: bool,
    pub features: Vec<Feature>,
    /// What the words leave open and was taken for granted.
    pub granted: Vec<Assumption>,
    /// Whether no strict reading was found, so that words may be passed and numbers settled by what is usual.
    pub lenient: bool,
}

impl PartialEq for Draft {
    fn eq(&self, other: &Draft) -> bool {
        let Draft {
            ask,
            heads,
            pending,
            groups,
            numbered,
            filters,
            having,
            rank,
            sort,
            direction,
            limit,
            dated,
            link,
            scopes,
            share,
            share_from,
            coordinated,
            whole,
            distribution,
            percent,
            distinct,
            with_number,
            series,
            contrast,
            difference,
            chart,
            trend,
            changes,
            predicate,
            connected,
            joined,
            features,
            granted: _,
            lenient,
        } = other;
        self.filters == *filters
            && self.heads == *heads
            && self.groups == *groups
            && self.rank == *rank
            && self.having == *having
            && (self.ask, self.pending, self.numbered, self.direction) == (*ask, *pending, *numbered, *direction)
            && (self.limit, self.link, self.share_from, self.contrast) == (*limit, *link, *share_from, *contrast)
            && (self.share, self.coordinated, self.whole) == (*share, *coordinated, *whole)
            && (self.distribution, self.percent, self.distinct) == (*distribution, *percent, *distinct)
            && (self.with_number, self.trend, self.changes) == (*with_number, *trend, *changes)
            && (self.predicate, self.connected, self.joined) == (*predicate, *connected, *joined)
            && (self.series, self.chart, self.lenient) == (*series, *chart, *lenient)
            && self.difference == *difference
            && (&self.sort, &self.dated, &self.scopes) == (sort, dated, scopes)
            && score::fit_of_names(&self.features) == score::fit_of_names(features)
    }
}

/// An aggregate that waits for its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pending {
    Agg(Agg, Option<f64>),
    /// "How much": the sum of what adds up.
    Much,
}

/// Something that can be asked for, grouped by or ranked.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    Thing(ThingId),
    Columns(Columns),
    Measure(MeasureId),
    /// Rows where a two-valued column says yes.
    Flag(Columns),
    Grain(Grain),
    Part(Part),
    /// A grain that fits the length of the data.
    OverTime,
    /// Rows of whatever table is meant.
    Rows,
    /// How long a row took, and in what unit it is told.
    Elapsed(Interval, Op),
    /// One number for each unit of another: "fare per km".
    Ratio(Box<(Head, Head)>),
    /// Two numbers of a row put together: "quantity times price".
    Formula(Formula),
    /// Two numbers of a row, and how they go together.
    Correlation(Box<(Columns, Columns)>),
    /// Ranges of numbers, of one width: the width may be left to the program.
    Bins(Columns, Option<f64>),
    /// Ten years each, of a date or a year, if one is named.
    Decades(Columns),
}

impl Target {
    /// Whether rows are meant, and no number or kind of them.
    pub fn is_rows(&self) -> bool {
        matches!(self, Target::Thing(_) | Target::Rows)
    }
}

/// Arithmetic with two columns, as it is said.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    pub op: Op,
    pub left: Columns,
    pub right: Columns,
    /// What the result is multiplied by, where it is told in another unit than that of the two: kilometres in an hour.
    pub factor: f64,
}

/// A target and how it becomes a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    pub target: Target,
    pub agg: Option<Agg>,
    pub quantile: Option<f64>,
    /// Whether "most", "how much" or a group without an aggregate word asks for a sum or count.
    pub amount: bool,
}

impl Head {
    /// A target without an aggregate.
    pub fn plain(target: Target) -> Head {
        Head { target, agg: None, quantile: None, amount: false }
    }

    /// How many there are of a target.
    pub fn count_of(target: Target) -> Head {
        Head { agg: Some(Agg::Count), ..Head::plain(target) }
    }

    /// How many of a thing there are.
    pub fn counted(thing: ThingId) -> Head {
        Head::count_of(Target::Thing(thing))
    }
}

/// Where in the sentence a condition stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    BeforeHead,
    AfterHead,
    Predicate,
}

/// A condition on rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub condition: Condition,
    pub negated: bool,
    pub zone: Zone,
}

/// The kinds of conditions on rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Cells by the columns they may be in; `all` when "and" joins them.
    Values {
        cells: Vec<(ColId, Vec<String>)>,
        all: bool,
    },
    Flag(Columns),
    /// `implied` when the column was not named, only its unit.
    Compare {
        columns: Columns,
        test: Test,
        amounts: Vec<Amount>,
        implied: bool,
    },
    /// How long a row took.
    Elapsed {
        interval: Interval,
        test: Test,
        amounts: Vec<Amount>,
    },
    /// Two numbers, or two moments, of one row.
    Columns {
        left: Columns,
        test: Test,
        right: Columns,
    },
    /// A text that holds another one.
    Contains {
        columns: Columns,
        text: String,
    },
    /// Nothing there: null, or zero where a number has no nulls.
    Empty(Columns),
    /// The cell is not filled; a zero is.
    Missing(Columns),
    /// `verb` when a participle without a date of its own comes just before: "closed in May".
    Time {
        columns: Option<Columns>,
        when: When,
        verb: bool,
    },
    /// Any of several periods; only made while a plan is built.
    AnyTime {
        columns: Option<Columns>,
        whens: Vec<When>,
    },
    /// One thing by its number.
    Key {
        thing: ThingId,
        number: f64,
    },
    /// A row of another table that belongs to it.
    Related(ThingId),
}

/// A number with what was said about its unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount {
    pub number: f64,
    pub percent: bool,
    pub money: bool,
    pub unit: Option<Unit>,
}

impl Amount {
    /// A number of which nothing more was said.
    pub fn bare(number: f64) -> Amount {
        Amount { number, percent: false, money: false, unit: None }
    }
}

/// A condition on groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Having {
    pub head: Head,
    /// What is said of the rows that are counted for it, and of no others: "at least 50 rated tickets".
    pub kind: Vec<Filter>,
    pub test: Test,
    pub amounts: Vec<Amount>,
}

/// The first by a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Rank {
    pub kind: RankKind,
    pub dir: Dir,
    pub number: Option<u32>,
    pub by: Option<Head>,
    /// Whether the next target is what it ranks by.
    pub open: bool,
}

/// The kinds of ranking words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankKind {
    /// `top 5`: says what is ranked, not by what.
    Top,
    /// `highest`.
    Extreme,
    /// `most`.
    Amount,
    /// `latest`.
    Recent,
    /// `oldest`, `cheapest`: the word names the column.
    Adjective,
}

impl Draft {
    /// What the draft costs so far.
    pub fn cost(&self) -> f64 {
        crate::score::cost(&self.features)
    }

    /// The same draft after one more phrase with a meaning of its own.
    pub fn with(&self, change: impl FnOnce(&mut Draft)) -> Draft {
        let mut draft = self.clone();
        draft.features.push(Feature::Mention);
        change(&mut draft);
        draft.joined = false;
        draft
    }

    /// The same draft with something taken for granted, which its features say the price of.
    pub fn granting(&self, feature: Feature, code: &str, text: String) -> Draft {
        let mut draft = self.clone();
        draft.features.push(feature);
        draft.granted.push(Assumption { code: code.to_string(), text });
        draft
    }

    /// Whether no word has given it a meaning yet.
    pub fn is_fresh(&self) -> bool {
        self.features.is_empty()
            && self.granted.is_empty()
            && *self == Draft { lenient: self.lenient, ..Draft::default() }
    }

    /// Notes how words were taken that can be taken in another way, so that the answer is not called verified.
    pub fn assume(&mut self, code: &str, text: impl Into<String>) {
        self.features.push(Feature::OpenChoice);
        self.granted.push(Assumption { code: code.to_string(), text: text.into() });
    }

    /// Whether rows are ranked by the share of them that a condition holds for, without a noun for them: "the highest
    /// share of women".
    pub fn ranks_by_share(&self) -> bool {
        let open = self.rank.as_ref().is_some_and(|rank| rank.open && rank.by.is_none());
        self.share && open && self.pending.is_none() && self.filters.len() > self.share_from
    }

    /// Where a condition consumed now stands.
    pub fn zone(&self) -> Zone {
        if self.whole || self.heads.is_empty() && !(self.share && self.predicate) {
            Zone::BeforeHead
        } else if self.predicate {
            Zone::Predicate
        } else {
            Zone::AfterHead
        }
    }

    /// Whether a word still waits for what it belongs to.
    pub fn is_open(&self) -> bool {
        self.pending.is_some() || self.rank.as_ref().is_some_and(|rank| rank.open)
    }
}
