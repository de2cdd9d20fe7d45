//! The fields of every object of the language: what the readers accept and what the published schema says.

pub(super) const PLAN: &[&str] = &[
    "v", "dataset", "from", "via", "where", "select", "distinct", "group", "measures", "compute", "having", "top",
    "over", "order", "limit",
];
pub(super) const SELECT: &[&str] = &["as", "expr"];
pub(super) const GROUP: &[&str] = &["as", "expr", "grain"];
pub(super) const MEASURE: &[&str] = &["as", "agg", "expr", "with", "q", "where"];
pub(super) const COMPUTE: &[&str] = &["as", "op", "args", "per", "along"];
pub(super) const TOP: &[&str] = &["n", "by", "dir", "per", "ties"];
pub(super) const OVER: &[&str] = &["as", "agg", "of"];
pub(super) const ORDER: &[&str] = &["by", "dir"];

pub(super) const COL: &[&str] = &["col"];
pub(super) const LIT: &[&str] = &["lit"];
pub(super) const OP: &[&str] = &["op", "args"];
pub(super) const PART: &[&str] = &["part", "of"];
pub(super) const REF: &[&str] = &["ref"];
/// What tells an expression's forms apart.
pub(super) const EXPR_FORMS: [&str; 5] = ["col", "lit", "op", "part", "ref"];

pub(super) const AND: &[&str] = &["and"];
pub(super) const OR: &[&str] = &["or"];
pub(super) const NOT: &[&str] = &["not"];
pub(super) const TEST: &[&str] = &["test", "expr", "values"];
pub(super) const EXISTS: &[&str] = &["exists"];
pub(super) const EXISTS_OF: &[&str] = &["table", "where"];
/// What tells a condition's forms apart.
pub(super) const PRED_FORMS: [&str; 5] = ["and", "or", "not", "test", "exists"];

pub(super) const SHORT_PLAN: &[&str] =
    &["dataset_id", "dataset", "table", "select", "filters", "group_by", "order_by", "limit", "notes"];
pub(super) const SHORT_ITEM: &[&str] = &["column", "expr", "with", "agg", "func", "as", "alias", "q"];
pub(super) const SHORT_FILTER: &[&str] = &["column", "op", "value"];
pub(super) const SHORT_ORDER: &[&str] = &["expr", "column", "dir", "direction"];
