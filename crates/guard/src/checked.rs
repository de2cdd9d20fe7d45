//! The proof that a text was checked, and what a refusal looks like.

use base::Finding;

/// Something that passed its checks; only this crate can make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked<T>(T);

impl<T> Checked<T> {
    pub(crate) fn new(value: T) -> Checked<T> {
        Checked(value)
    }
}

/// One SQL statement that reads the dataset's tables and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sql {
    pub(crate) text: String,
}

impl Checked<Sql> {
    /// The statement, as it was written.
    pub fn text(&self) -> &str {
        &self.0.text
    }
}

/// One Python program in which the rules of its profile found no error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Python {
    pub(crate) text: String,
}

impl Checked<Python> {
    /// The program, as it was written.
    pub fn text(&self) -> &str {
        &self.0.text
    }
}

/// Why a text was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// At least one error, in the order of the text.
    pub findings: Vec<Finding>,
}
