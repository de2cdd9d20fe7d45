//! Datasets, plans, the compiler and the oracle.
//!
//! Everything here is a pure function of values: no files, no clock, no processes. A [`Dataset`] describes named tables
//! of one content version, a [`plan::Plan`] says what to compute over them, `compile` prints it as SQL. What runs inside
//! a kernel (ingest, SQL, the oracle) is shipped as Python text.

pub mod agree;
pub mod builtin;
pub mod chart;
pub mod compile;
pub mod csv;
pub mod dataset;
pub mod describe;
pub mod figures;
pub mod join;
pub mod kernel;
pub mod metadata;
pub mod plan;
pub mod profile;
pub mod units;

pub use dataset::Dataset;
