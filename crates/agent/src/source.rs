//! What the user named as data: a dataset, files, or folders of files.

use std::fs;
use std::path::{Path, PathBuf};

use base::{Code, Problem, nearest};
use data::builtin;

/// What the user named as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A built-in dataset.
    Builtin(&'static str),
    /// CSV files, each a table.
    Files {
        /// The dataset's name, from the file or folder.
        id: String,
        /// Tables with their files, in order.
        tables: Vec<(String, PathBuf)>,
        /// A `dataset.toml` beside them.
        metadata: Option<PathBuf>,
    },
}

impl Source {
    /// Reads what the user wrote: one name of a dataset, or paths.
    pub fn parse(data: &[String]) -> Result<Source, Problem> {
        if let [name] = data
            && let Some(known) = builtin::names().iter().find(|known| *known == name)
        {
            return Ok(Source::Builtin(known));
        }
        if let Some(name) = data.iter().find(|name| builtin::names().contains(&name.as_str())) {
            return Err(Problem::new(
                Code::Usage,
                format!("the dataset `{name}` cannot be asked together with others"),
            )
            .hint("name one dataset, or files and folders"));
        }
        let mut files = Vec::new();
        let mut metadata = None;
        for name in data {
            let path = Path::new(name);
            if path.is_dir() {
                files.extend(csv_files(path)?);
                let declared = path.join("dataset.toml");
                metadata = metadata.or(declared.is_file().then_some(declared));
            } else if looks_like_path(name) || path.exists() {
                files.push(path.to_path_buf());
            } else {
                return Err(unknown(name));
            }
        }
        let id = data.first().map(|name| table_name(Path::new(name))).unwrap_or_default();
        Ok(Source::Files { id, tables: named(files), metadata })
    }
}

fn looks_like_path(name: &str) -> bool {
    // An address is not read yet, and must not be repeated as if it were a file's name.
    !name.contains("://") && (name.contains('/') || Path::new(name).extension().is_some())
}

fn unknown(name: &str) -> Problem {
    let problem = Problem::new(Code::DatasetUnknown, format!("no dataset and no file is called `{}`", shown(name)));
    let close = nearest(name, builtin::names().iter().copied());
    match close.first() {
        Some(close) => problem.hint(format!("did you mean `{close}`?")),
        None => problem.hint(format!("datasets: {}; or give the path of a CSV file", builtin::names().join(", "))),
    }
}

/// A name as part of a message: one line, not endless, and without what stands before the `@` of an address.
fn shown(name: &str) -> String {
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

fn csv_files(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let unreadable = |error: std::io::Error| {
        Problem::new(Code::FileUnreadable, format!("cannot read the folder `{}`: {error}", folder.display()))
            .hint("check the path and its permissions")
    };
    let entries = fs::read_dir(folder).map_err(unreadable)?.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
    let mut files: Vec<PathBuf> = entries
        .into_iter()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(Problem::new(Code::FileFormat, format!("no CSV file in `{}`", folder.display()))
            .hint("give a folder that holds .csv files, or name the files themselves"));
    }
    Ok(files)
}

fn named(files: Vec<PathBuf>) -> Vec<(String, PathBuf)> {
    let mut tables: Vec<(String, PathBuf)> = Vec::new();
    for path in files {
        let stem = table_name(&path);
        let taken = |name: &str, tables: &[(String, PathBuf)]| tables.iter().any(|(other, _)| other == name);
        let mut name = stem.clone();
        let mut count = 2;
        while taken(&name, &tables) {
            name = format!("{stem}_{count}");
            count += 1;
        }
        tables.push((name, path));
    }
    tables
}

/// The file's stem, lower-cased, every run of other characters an `_`, `t_` before a leading digit.
fn table_name(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let mut name = String::new();
    for letter in stem.chars() {
        match letter {
            'a'..='z' | '0'..='9' => name.push(letter),
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    let name = name.trim_matches('_');
    match name.chars().next() {
        None => "table".to_string(),
        Some(first) if first.is_ascii_digit() => format!("t_{name}"),
        Some(_) => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_named_after_their_files() {
        let name = |path: &str| table_name(Path::new(path));
        assert_eq!(name("/x/Sales 2024 (final).csv"), "sales_2024_final");
        assert_eq!(name("2014_q4.csv"), "t_2014_q4");
        assert_eq!(name("héllo.csv"), "h_llo");
        let twice = named(vec!["a/x.csv".into(), "b/X.csv".into()]);
        assert_eq!(twice.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["x", "x_2"]);
    }

    #[test]
    fn a_password_in_an_address_is_not_repeated() {
        let address = "postgres://me:secret@host/db".to_string();
        let problem = Source::parse(&[address]).expect_err("no such source yet");
        assert!(problem.message.contains("postgres://…@host/db") && !problem.message.contains("secret"), "{problem}");
    }

    #[test]
    fn a_misspelt_dataset_is_suggested() {
        let problem = Source::parse(&["ecomerce".to_string()]).expect_err("there is none");
        assert_eq!(problem.code, Code::DatasetUnknown);
        assert_eq!(problem.hint.as_deref(), Some("did you mean `ecommerce`?"));
    }
}
