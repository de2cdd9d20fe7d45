//! Static checks before anything generated is executed.
//!
//! The one idea: [`Checked`] has no public constructor, so every statement that the engine runs has passed through here.
//! Checks are pure: they read text and what a parser said of it, and answer with the checked text or with findings that
//! point at the token; of a user's own Python program they only say what they found, and the task decides. No files, no
//! processes, no clock. The sandbox stays the boundary; this is the door.

mod checked;
mod position;
pub mod python;
pub mod sql;

pub use checked::{Checked, Python, Report, Sql};
pub use position::{Position, position};
