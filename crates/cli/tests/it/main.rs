//! The command as its users meet it: the real binary, a throw-away data directory, and the machine interface taken
//! literally. Every document that any test reads is also held against the interface (`support::contract`).
//!
//! Tests that take longer than ten seconds run only with `ASSAY_SLOW=1`. Sandbox classes run twice where that is
//! possible: as the user who runs the tests, and as an ordinary user when the tests run as root.

#![allow(clippy::unwrap_used)]

mod answers;
mod asked_first;
mod attacks;
mod awkward;
mod begin;
mod broker;
mod caching;
mod charts;
mod datasets;
mod demo_plan;
mod documents;
mod durability;
mod edges;
mod eval;
mod exec;
mod fanout;
mod files;
mod flow;
mod guard;
mod hostile;
mod journal;
mod journal_files;
mod libraries;
mod local;
mod models;
mod notes;
mod phrasings;
mod plans;
mod profiles;
mod programs;
mod properties;
mod readings;
mod readme;
mod redteam;
mod refusals;
mod runs;
mod same;
mod serve;
mod solve;
mod sql;
mod suite;
mod support;
mod telling;
mod threads;
mod torture;
mod totals;
mod views;
mod whole;
