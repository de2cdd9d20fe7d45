//! The plan language: what a question becomes before any SQL exists.
//!
//! `from` fixes the grain and joins are many-to-one, so an aggregate cannot count a row twice. These are the canonical
//! types; [`Plan`] serialises to the canonical JSON (defaults are left out only where the language says so).

mod addable;
mod arithmetic;
mod canonical;
mod check;
mod fields;
pub(crate) mod kind;
mod limits;
pub(crate) mod literal;
pub(crate) mod name;
mod node;
pub(crate) mod output;
mod problem;
mod read;
mod reads;
mod schema;
mod short;

use base::Cell;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use arithmetic::parse_arithmetic;
pub use limits::*;
pub use output::output;
pub use problem::PlanProblem;
pub use read::{dataset_name, read};
pub use schema::schema;

/// The language's version.
pub const VERSION: u32 = 1;
/// Rows a plan returns unless it says otherwise.
pub const LIMIT_DEFAULT: u32 = 200;
/// Rows a plan returns at most.
pub const LIMIT_MAX: u32 = 1000;

/// A typed query over one dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The language's version, 1.
    pub v: u32,
    /// The dataset's name.
    pub dataset: String,
    /// The table whose rows are counted.
    pub from: String,
    /// Links `a.x->b.y` that decide between several join paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<String>,
    /// Which rows.
    #[serde(rename = "where", default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Pred>,
    /// Columns of a list; excludes `group` and `measures`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub select: Vec<Select>,
    /// Whether equal rows of a list are one.
    #[serde(default)]
    pub distinct: bool,
    /// What the rows are grouped by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub group: Vec<Group>,
    /// What is computed per group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<Measure>,
    /// What is computed from measures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compute: Vec<Compute>,
    /// Which groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub having: Option<Pred>,
    /// The first n by a value, overall or per group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<Top>,
    /// Aggregates over the rows that are left after `top`: where there are any, they alone are the result, which is one
    /// row. Excludes `select` and `order`; `limit` cuts the result, never the rows that are aggregated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<Over>,
    /// How the result is sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<Order>,
    /// At most this many rows.
    #[serde(default = "limit_default")]
    pub limit: u32,
}

fn limit_default() -> u32 {
    LIMIT_DEFAULT
}

impl Plan {
    /// A plan that lists nothing yet.
    pub fn new(dataset: impl Into<String>, from: impl Into<String>) -> Plan {
        Plan {
            v: VERSION,
            dataset: dataset.into(),
            from: from.into(),
            via: Vec::new(),
            filter: None,
            select: Vec::new(),
            distinct: false,
            group: Vec::new(),
            measures: Vec::new(),
            compute: Vec::new(),
            having: None,
            top: None,
            over: Vec::new(),
            order: Vec::new(),
            limit: LIMIT_DEFAULT,
        }
    }
}

impl Measure {
    /// The numbers it is made from: none where it counts rows, two where they are correlated.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.expr.iter().chain(&self.with)
    }
}

/// One column of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Select {
    #[serde(rename = "as")]
    pub name: String,
    pub expr: Expr,
}

/// One column rows are grouped by; a grain cuts time into periods.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Group {
    #[serde(rename = "as")]
    pub name: String,
    pub expr: Expr,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grain: Option<Grain>,
}

/// One aggregate; `where` limits the rows it sees, `q` is the quantile, `with` the other number of a correlation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Measure {
    #[serde(rename = "as")]
    pub name: String,
    pub agg: Agg,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expr: Option<Expr>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<Expr>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<f64>,
    #[serde(rename = "where", default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Pred>,
}

/// A value computed from measures, after grouping.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Compute {
    #[serde(rename = "as")]
    pub name: String,
    pub op: ComputeOp,
    pub args: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along: Option<String>,
}

/// The first `n` by a value; `per` restarts the count, `ties` keeps equals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Top {
    pub n: u32,
    pub by: String,
    pub dir: Dir,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per: Vec<String>,
    #[serde(default)]
    pub ties: bool,
}

/// One aggregate over the rows that grouping left, such as how many customers have more than five orders.
///
/// `count` counts these rows and takes no `of`; every other aggregate needs it: the name of a measure or computed value.
/// Nulls are left out. Of no rows the count is 0 and everything else null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Over {
    #[serde(rename = "as")]
    pub name: String,
    pub agg: OverAgg,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// One sort key, naming an output column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Order {
    pub by: String,
    pub dir: Dir,
}

/// A value per row. `Ref` names an output column and is allowed in `having` only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[allow(missing_docs)]
pub enum Expr {
    Col {
        col: String,
    },
    Lit {
        lit: Cell,
    },
    Op {
        op: Op,
        args: Vec<Expr>,
    },
    Part {
        part: Part,
        of: Box<Expr>,
    },
    Ref {
        #[serde(rename = "ref")]
        name: String,
    },
}

impl Expr {
    /// The column `table.column`.
    pub fn col(qualified: impl Into<String>) -> Expr {
        Expr::Col { col: qualified.into() }
    }
}

/// A truth per row, three-valued as in SQL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[allow(missing_docs)]
pub enum Pred {
    And {
        and: Vec<Pred>,
    },
    Or {
        or: Vec<Pred>,
    },
    Not {
        not: Box<Pred>,
    },
    Exists {
        exists: Exists,
    },
    Test {
        test: Test,
        expr: Expr,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        values: Vec<Cell>,
    },
}

/// Whether a row on the many side of a link exists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct Exists {
    pub table: String,
    #[serde(rename = "where", default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Box<Pred>>,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[allow(missing_docs)]
        pub enum $name { $(#[serde(rename = $word)] $variant,)* }

        impl $name {
            /// Every word, in the order of the language's definition.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// The word in the plan language.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// Arithmetic over values of one row. `bin` is the lower edge of the range of a width that a number lies in.
    Op {
        Add = "add", Sub = "sub", Mul = "mul", Div = "div", Bin = "bin", ToNumber = "to_number",
        ElapsedMinutes = "elapsed_minutes", ElapsedHours = "elapsed_hours", ElapsedDays = "elapsed_days",
    }
}
words! {
    /// A part of a date or timestamp.
    Part {
        Year = "year", Quarter = "quarter", Month = "month", Week = "week", Day = "day", Weekday = "weekday", Hour = "hour",
    }
}
words! {
    /// The length of a period.
    Grain { Year = "year", Quarter = "quarter", Month = "month", Week = "week", Day = "day", Hour = "hour", }
}
words! {
    /// How rows become one value. `corr` is Pearson's correlation of two numbers, over the rows that have both.
    Agg {
        Count = "count", CountDistinct = "count_distinct", Sum = "sum", Avg = "avg", Min = "min", Max = "max",
        Median = "median", Stddev = "stddev", Quantile = "quantile", Corr = "corr",
    }
}
words! {
    /// How groups become one value.
    OverAgg { Count = "count", Sum = "sum", Avg = "avg", Min = "min", Max = "max", Median = "median", }
}

impl From<OverAgg> for Agg {
    fn from(agg: OverAgg) -> Agg {
        match agg {
            OverAgg::Count => Agg::Count,
            OverAgg::Sum => Agg::Sum,
            OverAgg::Avg => Agg::Avg,
            OverAgg::Min => Agg::Min,
            OverAgg::Max => Agg::Max,
            OverAgg::Median => Agg::Median,
        }
    }
}

words! {
    /// A test of one value.
    Test {
        Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge", In = "in", Between = "between",
        Within = "within", Contains = "contains", StartsWith = "starts_with", EndsWith = "ends_with", IsNull = "is_null",
    }
}
words! {
    /// What is computed from measures.
    ComputeOp {
        Ratio = "ratio", Diff = "diff", Share = "share", Change = "change", ChangePct = "change_pct",
        Cumulative = "cumulative",
    }
}
words! {
    /// Which way a sort runs.
    Dir { Asc = "asc", Desc = "desc", }
}
