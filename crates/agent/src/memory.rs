//! What is remembered is found by what it is about: [`signature`] makes one of an error, [`Index`] ranks texts by the words
//! they share and, where there is a [`Table`], by their directions.
//!
//! Pure: where lessons and tables are kept, and who may see them, is others' affair. Nothing is downloaded, and the same
//! texts are ranked alike on every machine.

mod nearest;
mod search;
mod signature;
mod table;
mod vectors;
mod words;

pub use search::{By, Hit, Index};
pub use signature::signature;
pub use table::Table;
pub use vectors::{Direction, Vectors};

/// Uses that did not help, beyond three times those that did, after which a lesson is hidden; and one from elsewhere.
pub const PATIENCE: (i64, i64) = (3, 1);

/// How much a lesson counts that was used so often and helped so often: what does not help sinks.
pub fn weight(used: i64, helped: i64, imported: bool) -> f64 {
    const FROM_ELSEWHERE: f64 = 0.8;
    let worth = (helped.max(0) + 2) as f64 / (used.max(0) + 2) as f64;
    worth * if imported { FROM_ELSEWHERE } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_help_sinks_and_what_comes_from_elsewhere_counts_less() {
        assert!(weight(0, 0, false) == 1.0 && weight(4, 4, false) == 1.0);
        assert!(weight(3, 0, false) < weight(3, 1, false) && weight(1, 0, false) < 1.0);
        assert!(weight(0, 0, true) < weight(0, 0, false));
    }
}
