//! What the user named as data: a dataset, files, or folders of files.

use std::path::{Path, PathBuf};

use base::{Code, Problem, nearest};
use data::builtin;
use data::profile::Remark;

use crate::added::{Added, Datasets};
use crate::folder::{self, FILES_MAX, folder_name, table_name, tables_of};

/// What the user named as data.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A built-in dataset.
    Builtin(&'static str),
    /// A dataset that was added under a name, in the version that was added.
    Added(Box<Added>),
    /// Files.
    Files(Files),
}

/// Files that together are a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct Files {
    /// The dataset's name, from the first file or folder.
    pub id: String,
    /// The tables that they become, with their files, in order. A file that holds several tables names them itself.
    pub tables: Vec<(String, PathBuf)>,
    /// A `dataset.toml` beside them.
    pub metadata: Option<PathBuf>,
    /// What was passed over.
    pub skipped: Vec<Remark>,
}

impl Source {
    /// Reads what the user wrote: one name of a dataset, or paths.
    pub fn parse(data: &[String], datasets: &Datasets) -> Result<Source, Problem> {
        if let [name] = data {
            if let Some(known) = builtin::names().iter().find(|known| *known == name) {
                return Ok(Source::Builtin(known));
            }
            if let Some(added) = datasets.find(name)? {
                return Ok(Source::Added(Box::new(added)));
            }
        }
        if let Some(name) = data.iter().find(|name| datasets.is_dataset(name)) {
            return Err(Problem::new(
                Code::Usage,
                format!("the dataset `{name}` cannot be asked together with others"),
            )
            .hint("name one dataset, or files and folders"));
        }
        match data.iter().find(|name| !looks_like_path(name) && !Path::new(name).exists()) {
            Some(name) => Err(unknown(name, datasets)),
            None => Ok(Source::Files(Files::at(&data.iter().map(PathBuf::from).collect::<Vec<_>>())?)),
        }
    }
}

impl Files {
    /// The files at these paths, and those in them that are folders.
    pub fn at(paths: &[PathBuf]) -> Result<Files, Problem> {
        let (mut files, mut metadata, mut skipped) = (Vec::new(), None, Vec::new());
        let mut id = String::new();
        for path in paths {
            let name = if path.is_dir() {
                let listing = folder::list(path)?;
                files.extend(listing.files);
                skipped.extend(listing.skipped);
                metadata = metadata.or(listing.metadata);
                folder_name(path)
            } else {
                files.push(path.clone());
                table_name(path)
            };
            if id.is_empty() {
                id = name;
            }
        }
        if files.len() > FILES_MAX {
            return Err(Problem::new(Code::FileFormat, format!("{} files are too many for one dataset", files.len()))
                .hint(format!("name up to {FILES_MAX}")));
        }
        Ok(Files { id, tables: tables_of(files), metadata, skipped })
    }
}

fn looks_like_path(name: &str) -> bool {
    // An address is not read yet, and must not be repeated as if it were a file's name.
    !name.contains("://") && (name.contains('/') || Path::new(name).extension().is_some())
}

fn unknown(name: &str, datasets: &Datasets) -> Problem {
    let problem = Problem::new(Code::DatasetUnknown, format!("no dataset and no file is called `{}`", shown(name)));
    let names = datasets.all_names();
    let close = nearest(name, names.iter().map(String::as_str));
    match close.first() {
        Some(close) => problem.hint(format!("did you mean `{close}`?")),
        None => problem.hint(format!("datasets: {}; or give the path of a file or folder", names.join(", "))),
    }
}

/// A name as part of a message: one line, not endless, and without what stands before the `@` of an address.
pub(crate) fn shown(name: &str) -> String {
    const CHARACTERS_MAX: usize = 80;
    let name = &match (name.split_once("://"), name.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://…@{host}"),
        _ => name.to_string(),
    };
    let mut text: String = name.chars().take(CHARACTERS_MAX).collect::<String>().escape_debug().to_string();
    if name.chars().count() > CHARACTERS_MAX {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str) -> Problem {
        let datasets = Datasets::of(Path::new("/nowhere/at/all"));
        Source::parse(&[name.to_string()], &datasets).expect_err("there is none")
    }

    #[test]
    fn a_password_in_an_address_is_not_repeated() {
        let problem = refusal("postgres://me:secret@host/db");
        assert!(problem.message.contains("postgres://…@host/db") && !problem.message.contains("secret"), "{problem}");
    }

    #[test]
    fn a_misspelt_dataset_is_suggested() {
        let problem = refusal("ecomerce");
        assert_eq!(problem.code, Code::DatasetUnknown);
        assert_eq!(problem.hint.as_deref(), Some("did you mean `ecommerce`?"));
    }
}
