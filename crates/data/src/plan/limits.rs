//! Named limits on the size of a plan.

/// Arguments of one operation.
pub const ARGS_MAX: usize = 16;
/// Values of one `in`.
pub const VALUES_MAX: usize = 1_000;
/// Nesting of expressions.
pub const EXPR_DEPTH_MAX: usize = 16;
/// Nesting of predicates.
pub const PRED_DEPTH_MAX: usize = 16;
/// Items of one `and` or `or`, and filters of the short form.
pub const PREDS_MAX: usize = 100;
/// Columns of a list.
pub const COLUMNS_MAX: usize = 1_000;
/// Columns rows are grouped by.
pub const GROUPS_MAX: usize = 16;
/// Measures, and values computed from them.
pub const MEASURES_MAX: usize = 64;
/// Links in `via`.
pub const LINKS_MAX: usize = 16;
/// Characters of an output's name.
pub const NAME_CHARS_MAX: usize = 200;
/// The narrowest bin.
pub const BIN_WIDTH_MIN: f64 = 1e-6;
/// The widest bin.
pub const BIN_WIDTH_MAX: f64 = 1e12;
