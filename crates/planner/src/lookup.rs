//! Questions that look something up in one table, where the grammar has no reading: candidates, and weights that order
//! them.
//!
//! `scene -> candidates -> features -> rank`, one file each. A candidate is one column, an aggregate of it or none, and
//! conditions on other columns. The weights are learned (`cargo xtask train`); features name closed-class words and the
//! structure of question and table, never a word of any data, so that what was learned holds for tables never seen.

mod candidates;
mod classes;
mod features;
pub mod learn;
mod rank;
mod scene;
mod table;
mod weights;
mod words;

pub use rank::{Ranked, rank};
pub use scene::Scene;
pub use table::Table;
pub use weights::Weights;
