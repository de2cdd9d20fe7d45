//! The resident broker as an attacker, a crowd and a bad day meet it: who may come in and what is let through the door
//! (`door`, `impostors`, `frames`), who waits and who is turned away (`queue`, `crowd`), what happens when a part dies
//! (`recovery`), what is left after ten thousand programs (`lasting`), and who uses it at all (`choice`).
//!
//! What a command gives must never depend on the broker: every check ends with an honest command and its right result.

mod choice;
mod crowd;
mod door;
mod frames;
mod impostors;
mod lasting;
mod queue;
mod recovery;
