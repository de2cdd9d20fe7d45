//! The proof that a text was checked, and what a refusal looks like.

use base::Finding;

use crate::python::Profile;

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

/// One Python program in which no rule of its profile found an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Python {
    pub(crate) text: String,
    pub(crate) profile: Profile,
    pub(crate) warnings: Vec<Finding>,
}

impl Checked<Python> {
    /// The program, as it was written.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// What it was held against.
    pub fn profile(&self) -> Profile {
        self.0.profile
    }

    /// What its reader should know all the same, in the order of the text.
    pub fn warnings(&self) -> &[Finding] {
        &self.0.warnings
    }
}

/// Why a text was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// At least one error, in the order of the text; of Python also the warnings.
    pub findings: Vec<Finding>,
}
