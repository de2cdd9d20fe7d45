//! The resident broker: keeps a few warm, isolated, idle workers, so that a program begins in a millisecond.
//!
//! It knows nothing of runs, data or secrets. A command that finds no broker makes a cold cell itself and starts one for
//! the next; the broker ends by itself after ten idle minutes. A worker serves one order and never changes its owner.

mod client;
mod door;
mod inputs;
mod launch;
mod orders;
mod pool;
mod serve;
mod slot;
mod wire;
mod zygote;

pub(crate) use client::Asked;
pub use client::Broker;
pub(crate) use door::{Claim, Door};
pub(crate) use launch::free_bytes as free_memory_bytes;
pub use launch::{BROKER_ARGUMENT, be_broker};
pub use wire::{Breadth, BrokerStatus};
