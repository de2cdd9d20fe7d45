//! Datasets, plans, the compiler and the oracle.
//!
//! Everything here is a pure function of values: no files, no clock, no processes. A [`Dataset`] describes named tables
//! of one content version ([`metadata`] is what its owner says of it), a [`plan::Plan`] says what to compute over them,
//! [`compile`] prints it as SQL, [`describe`] in words, [`chart`] chooses and draws a picture of the result, [`agree`]
//! compares two results. What runs inside a kernel (ingest, SQL, the oracle) is shipped as Python text. It does not know
//! what a question means, nor who runs what it prints.

pub mod agree;
pub mod bins;
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
pub mod periods;
pub mod plan;
pub mod profile;
mod stand_ins;
pub mod units;

pub use dataset::Dataset;
