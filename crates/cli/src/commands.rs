//! One module per command: gather the input, perform, print, say the exit code.

pub mod ask;
pub mod cache;
pub mod chart;
pub mod chat;
pub mod completions;
pub mod config;
pub mod data;
pub mod demo;
pub mod doctor;
pub mod document;
pub mod eval;
pub mod guard;
pub mod mcp;
pub mod memory;
pub mod models;
pub mod plan;
pub mod runs;
pub mod sandbox;
pub mod schema;
pub mod serve;
pub mod solve;
pub mod sql;
pub mod threads;
pub mod token;
pub mod worker;
