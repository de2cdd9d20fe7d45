//! Which columns and tables a plan reads. Columns are told by their qualified names, in the order in which they stand.

use std::collections::BTreeSet;

use super::{Expr, Measure, Plan, Pred};

impl Expr {
    /// The columns of the expression.
    pub fn columns(&self) -> Vec<&str> {
        match self {
            Expr::Col { col } => vec![col],
            Expr::Op { args, .. } => args.iter().flat_map(Expr::columns).collect(),
            Expr::Part { of, .. } => of.columns(),
            Expr::Lit { .. } | Expr::Ref { .. } => Vec::new(),
        }
    }
}

impl Pred {
    /// The columns that are tested of the rows themselves and of what they link to; `exists` tests other rows.
    pub fn columns(&self) -> Vec<&str> {
        match self {
            Pred::And { and: list } | Pred::Or { or: list } => list.iter().flat_map(Pred::columns).collect(),
            Pred::Not { not } => not.columns(),
            Pred::Test { expr, .. } => expr.columns(),
            Pred::Exists { .. } => Vec::new(),
        }
    }

    /// The tables that `exists` asks for rows of.
    fn other_tables(&self) -> Vec<&str> {
        match self {
            Pred::And { and: list } | Pred::Or { or: list } => list.iter().flat_map(Pred::other_tables).collect(),
            Pred::Not { not } => not.other_tables(),
            Pred::Test { .. } => Vec::new(),
            Pred::Exists { exists } => {
                let inner = exists.filter.iter().flat_map(|filter| filter.other_tables());
                std::iter::once(exists.table.as_str()).chain(inner).collect()
            }
        }
    }

    /// The columns that are tested of any rows.
    pub fn columns_of_any_rows(&self) -> Vec<&str> {
        match self {
            Pred::And { and: list } | Pred::Or { or: list } => {
                list.iter().flat_map(Pred::columns_of_any_rows).collect()
            }
            Pred::Not { not } => not.columns_of_any_rows(),
            Pred::Test { expr, .. } => expr.columns(),
            Pred::Exists { exists } => exists.filter.iter().flat_map(|filter| filter.columns_of_any_rows()).collect(),
        }
    }
}

impl Plan {
    /// Every column that it shows, groups by, computes from or tests.
    pub fn columns(&self) -> Vec<&str> {
        let shown = self.select.iter().map(|item| &item.expr).chain(self.group.iter().map(|group| &group.expr));
        let computed = self.measures.iter().flat_map(Measure::exprs);
        let exprs = shown.chain(computed).flat_map(Expr::columns);
        exprs.chain(self.conditions().flat_map(Pred::columns_of_any_rows)).collect()
    }

    /// The tables whose rows it reads: `from`, those of its columns, and those of its `exists`.
    pub fn tables(&self) -> BTreeSet<String> {
        let of_columns = self.columns().into_iter().filter_map(|column| column.split_once('.')).map(|(table, _)| table);
        let others = self.conditions().flat_map(Pred::other_tables);
        std::iter::once(self.from.as_str()).chain(of_columns).chain(others).map(str::to_string).collect()
    }

    fn conditions(&self) -> impl Iterator<Item = &Pred> {
        self.filter.iter().chain(self.measures.iter().filter_map(|measure| measure.filter.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_condition_on_other_rows_is_none_of_the_rows_themselves() {
        let pred: Pred = serde_json::from_value(json!({"and": [
            {"test": "eq", "expr": {"col": "orders.state"}, "values": ["open"]},
            {"not": {"exists": {"table": "lines", "where": {"test": "gt", "expr": {"op": "mul", "args": [
                {"col": "lines.price"}, {"col": "lines.quantity"}]}, "values": [5]}}}},
        ]}))
        .expect("a condition");
        assert_eq!(pred.columns(), ["orders.state"]);
        assert_eq!(pred.columns_of_any_rows(), ["orders.state", "lines.price", "lines.quantity"]);
        assert_eq!(pred.other_tables(), ["lines"]);
    }
}
