//! Measurements: they print every round and assert nothing about time.

pub mod ask_loop;
pub mod flow;
