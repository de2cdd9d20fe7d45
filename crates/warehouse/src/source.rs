//! What the user named as data: a dataset, files, or folders of files.

use std::path::PathBuf;

use base::{Code, Problem};
use data::profile::Remark;

use crate::added_datasets::Added;
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

/// A name as part of a message: one line, not endless, and without what stands before the `@` of an address.
pub fn shown(name: &str) -> String {
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
