//! Which sums count a row twice. Joins are many-to-one, so a value of a table that is joined to stands beside each row
//! of `from` that leads to it, and a sum would add it once for each of them.
//!
//! A term is at the grain where it has a factor of `from` itself (`quantity * products.price`); a sum needs that of each
//! of its terms. Where the link is unique on both sides, a row is met once and its values are as good as `from`'s own.

use super::{Expr, Op};
use crate::dataset::{Dataset, TableInfo};
use crate::join;

/// What a sum would meet, and how often.
enum Term<'e> {
    /// A number that is the same for all rows.
    Fixed,
    /// A value of each row of `from`.
    Own,
    /// A column that is met once for each row that leads to it.
    Repeated(&'e str),
}

/// The column that a sum of this expression over the rows of `from` would add more than once.
pub(super) fn repeated<'e>(expr: &'e Expr, dataset: &Dataset, from: &TableInfo, via: &[String]) -> Option<&'e str> {
    match term(expr, &|column| is_met_once(column, dataset, from, via)) {
        Term::Repeated(column) => Some(column),
        Term::Fixed | Term::Own => None,
    }
}

fn term<'e>(expr: &'e Expr, met_once: &dyn Fn(&str) -> bool) -> Term<'e> {
    match expr {
        Expr::Lit { .. } | Expr::Ref { .. } => Term::Fixed,
        Expr::Col { col } if met_once(col) => Term::Own,
        Expr::Col { col } => Term::Repeated(col),
        Expr::Part { of, .. } => term(of, met_once),
        Expr::Op { op, args } => {
            let mut own = false;
            let mut repeated = None;
            for arg in args {
                match term(arg, met_once) {
                    Term::Fixed => {}
                    Term::Own => own = true,
                    Term::Repeated(column) => repeated = repeated.or(Some(column)),
                }
            }
            let each_for_itself = matches!(op, Op::Add | Op::Sub);
            match repeated {
                Some(column) if each_for_itself || !own => Term::Repeated(column),
                _ if own => Term::Own,
                _ => Term::Fixed,
            }
        }
    }
}

fn is_met_once(column: &str, dataset: &Dataset, from: &TableInfo, via: &[String]) -> bool {
    let table = column.split_once('.').map_or(column, |(table, _)| table);
    let unique = |table: &str, column: &str| {
        let column = dataset.table(table).and_then(|table| table.columns.iter().find(|known| known.name == column));
        column.is_some_and(|column| column.unique)
    };
    let path = join::path(dataset, &from.name, table, via);
    path.is_ok_and(|path| path.iter().all(|link| unique(&link.from_table, &link.from_column)))
}
