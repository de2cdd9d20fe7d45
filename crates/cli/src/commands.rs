//! One module per command: gather the input, perform, print, say the exit code.

pub mod ask;
pub mod broker;
pub mod cache;
pub mod capsule;
pub mod chart;
pub mod completions;
pub mod config;
pub mod data;
pub mod data_profile;
pub mod demo;
pub mod demo_plan;
pub mod doctor;
pub mod document;
pub mod eval;
pub mod guard;
pub mod plan;
pub mod runs;
pub mod sandbox;
pub mod sql;
pub mod threads;
pub mod worker;
