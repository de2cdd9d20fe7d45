//! `cargo xtask tidy`: the rules of the project that a compiler does not know.
//!
//! Each rule is a pure function from texts or cargo's metadata to findings, so that its tests can show it failing.

mod ceiling;
mod code;
mod documents;
mod doors;
mod effects;
mod format;
mod headers;
mod layers;
mod licences;
mod places;

use std::fmt;

use crate::workspace::{File, Workspace};

/// Something to mend.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// From the workspace's root.
    pub path: String,
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}\n    hint: {}", self.path, self.line, self.message, self.hint)
    }
}

/// Prints every finding; 1 if there is one.
pub fn run(workspace: &Workspace) -> anyhow::Result<u8> {
    let files = workspace.files()?;
    let mut findings: Vec<Finding> = files.iter().flat_map(check_file).collect();
    findings.extend(ceiling::check(&files));
    findings.extend(layers::check(&workspace.metadata, &files));
    findings.extend(licences::check(&workspace.metadata, text_of(&files, "Cargo.lock")));
    findings.extend(format::check(workspace)?);
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    let packages = workspace.metadata["packages"].as_array().map_or(0, Vec::len);
    println!("tidy: {} findings in {} files and {packages} packages", findings.len(), files.len());
    Ok(u8::from(!findings.is_empty()))
}

fn check_file(file: &File) -> Vec<Finding> {
    let mut findings = headers::check(file);
    findings.extend(effects::check(file));
    findings.extend(places::check(file));
    findings.extend(doors::check(file));
    findings.extend(documents::check(file));
    findings
}

fn text_of<'a>(files: &'a [File], path: &str) -> &'a str {
    files.iter().find(|file| file.path == path).map_or("", |file| &file.text)
}

/// Whether a letter can be part of a name in code.
fn in_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
