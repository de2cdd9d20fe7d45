//! Questions that look something up in one table, where the grammar has no reading: candidates, and weights that order
//! them.
//!
//! `scene -> candidates -> features -> rank -> certainty -> answer`, one file each. A candidate is one column, an
//! aggregate of it or none, and conditions on other columns. The weights are learned (`cargo xtask train`); features name
//! closed-class words and the structure of question and table, never a word of any data, so that what was learned holds
//! for tables never seen.

mod answer;
mod beside;
mod candidates;
mod certainty;
mod classes;
mod features;
pub mod learn;
mod rank;
mod scene;
mod table;
mod weights;
mod words;

pub(crate) use answer::instead;
pub(crate) use beside::beside;
pub(crate) use table::Table;
pub use weights::Weights;
