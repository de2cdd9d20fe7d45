//! Which files of a folder are tables, what they are called, and what was passed over.
//!
//! A folder may come from a stranger: only regular files that lie in it are taken, by what their names end in. Links are
//! not followed, folders inside are not entered, and whatever is passed over is said.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base::{Code, Problem};
use data::profile::Remark;

/// What a file's name ends in, and how ingest is to read it; `None` is found out from the contents.
const KINDS: [(&str, Option<&str>); 18] = [
    ("csv", Some("csv")),
    ("psv", Some("csv")),
    ("tsv", Some("tsv")),
    ("txt", None),
    ("parquet", Some("parquet")),
    ("pq", Some("parquet")),
    ("json", Some("json")),
    ("jsonl", Some("jsonl")),
    ("ndjson", Some("jsonl")),
    ("xlsx", Some("excel")),
    ("xls", Some("excel")),
    ("xlsb", Some("excel")),
    ("ods", Some("excel")),
    ("duckdb", Some("duckdb")),
    ("ddb", Some("duckdb")),
    ("db", None),
    ("sqlite", Some("sqlite")),
    ("sqlite3", Some("sqlite")),
];
/// Each is a mount of the cell that reads them.
pub const FILES_MAX: usize = 256;
const ENTRIES_MAX: usize = 100_000;

/// What a file's name says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named<'a> {
    /// The name without what says its kind.
    pub stem: &'a str,
    /// How it is to be read, where the name says it.
    pub format: Option<&'static str>,
    /// Whether the name is that of a table.
    pub is_table: bool,
    /// The kind's own letters, for the name inside a cell: `csv.gz`.
    pub ending: &'a str,
}

/// Takes a file's name apart.
pub fn named(name: &str) -> Named<'_> {
    let known = |text: &str| KINDS.iter().find(|(ending, _)| text.eq_ignore_ascii_case(ending)).copied();
    let cut = |text: &'_ str| text.rfind('.').filter(|at| *at > 0);
    let Some(at) = cut(name) else { return Named { stem: name, format: None, is_table: false, ending: "" } };
    let (outer, packed) = (&name[at + 1..], &name[..at]);
    if let Some((_, format)) = known(outer) {
        return Named { stem: packed, format, is_table: true, ending: outer };
    }
    let (gzip, zip) = (outer.eq_ignore_ascii_case("gz"), outer.eq_ignore_ascii_case("zip"));
    match cut(packed).filter(|_| gzip || zip).and_then(|inner| Some((inner, known(&packed[inner + 1..])?))) {
        // What a zip holds is for its members to say.
        Some((inner, (_, format))) => {
            Named { stem: &name[..inner], format: format.filter(|_| gzip), is_table: true, ending: &name[inner + 1..] }
        }
        None => Named { stem: packed, format: None, is_table: zip, ending: if zip { outer } else { "" } },
    }
}

/// How ingest is to read a file, where its name says it.
pub fn format_of(path: &Path) -> Option<&'static str> {
    path.file_name().and_then(|name| named(name.to_str()?).format)
}

/// A text as the name of a table or a dataset: lower-cased, every run of other characters an `_`, `t_` before a leading
/// digit. `None` if nothing is left.
pub fn plain_name(text: &str) -> Option<String> {
    let mut name = String::new();
    for letter in text.to_lowercase().chars() {
        match letter {
            'a'..='z' | '0'..='9' => name.push(letter),
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    let name = name.trim_matches('_');
    match name.chars().next()? {
        first if first.is_ascii_digit() => Some(format!("t_{name}")),
        _ => Some(name.to_string()),
    }
}

/// The name of the table that a file becomes.
pub fn table_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    plain_name(named(&name).stem).unwrap_or_else(|| "table".to_string())
}

/// The name of the dataset that a folder becomes.
pub fn folder_name(path: &Path) -> String {
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    plain_name(&name).unwrap_or_else(|| "folder".to_string())
}

/// Names tables after their files; the second of one name gets `_2`.
pub fn tables_of(files: Vec<PathBuf>) -> Vec<(String, PathBuf)> {
    let mut tables: Vec<(String, PathBuf)> = Vec::new();
    for path in files {
        let stem = table_name(&path);
        let numbered = (2..).map(|count| format!("{stem}_{count}"));
        let free = |name: &String| tables.iter().all(|(other, _)| other != name);
        let name = std::iter::once(stem.clone()).chain(numbered).find(free).expect("numbers do not end");
        tables.push((name, path));
    }
    tables
}

/// The tables of a folder, and what was passed over.
#[derive(Debug, Default)]
pub struct Listing {
    /// In the order of their names.
    pub files: Vec<PathBuf>,
    /// Why what was not taken.
    pub skipped: Vec<Remark>,
    /// The owner's words about them.
    pub metadata: Option<PathBuf>,
}

/// Why a member of a folder is no table of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Skipped {
    Kind,
    Folder,
    Link,
    Device,
    Name,
}

impl Skipped {
    const ALL: [(Skipped, &'static str); 5] = [
        (Skipped::Kind, "skipped, because their names do not end like those of tables"),
        (Skipped::Folder, "folders inside are not entered"),
        (Skipped::Link, "links in a folder are not followed; name one itself to have it read"),
        (Skipped::Device, "skipped, because they are no regular files"),
        (Skipped::Name, "skipped, because their names are not UTF-8 text"),
    ];
}

/// Looks through a folder.
pub fn list(folder: &Path) -> Result<Listing, Problem> {
    let unreadable = |error: io::Error| {
        let said = error.to_string();
        let said = said.split(" (os error").next().unwrap_or_default().to_lowercase();
        Problem::new(Code::FileUnreadable, format!("cannot read the folder `{}`: {said}", folder.display()))
            .hint("check the path and its permissions")
    };
    let mut listing = Listing::default();
    let mut skipped: Vec<(Skipped, String)> = Vec::new();
    for (count, entry) in fs::read_dir(folder).map_err(unreadable)?.enumerate() {
        let entry = entry.map_err(unreadable)?;
        let (name, kind) = (entry.file_name(), entry.file_type().map_err(unreadable)?);
        if count >= ENTRIES_MAX {
            return Err(too_many(folder, ENTRIES_MAX));
        }
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let reason = match name.to_str() {
            _ if kind.is_symlink() => Some(Skipped::Link),
            _ if kind.is_dir() => Some(Skipped::Folder),
            _ if !kind.is_file() => Some(Skipped::Device),
            None => Some(Skipped::Name),
            Some("dataset.toml") => {
                listing.metadata = Some(entry.path());
                continue;
            }
            Some(name) => (!named(name).is_table).then_some(Skipped::Kind),
        };
        match reason {
            Some(reason) => skipped.push((reason, name.to_string_lossy().into_owned())),
            None => listing.files.push(entry.path()),
        }
    }
    listing.files.sort();
    skipped.sort_by(|one, other| one.1.cmp(&other.1));
    let label = folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into());
    listing.skipped = Skipped::ALL.iter().filter_map(|(why, said)| remark(&label, *why, said, &skipped)).collect();
    if listing.files.is_empty() {
        let problem = Problem::new(Code::FileFormat, format!("no table in the folder `{}`", folder.display()));
        return Err(match listing.skipped.first() {
            Some(remark) => problem.hint(remark.message.clone()),
            None => problem.hint("give a folder that holds files such as .csv, .parquet, .json or .xlsx"),
        });
    }
    if listing.files.len() > FILES_MAX {
        return Err(too_many(folder, FILES_MAX));
    }
    Ok(listing)
}

fn too_many(folder: &Path, most: usize) -> Problem {
    Problem::new(Code::FileFormat, format!("the folder `{}` holds more than {most} files", folder.display()))
        .hint("name the files themselves")
}

/// One remark for all that were passed over for one reason.
fn remark(label: &str, why: Skipped, said: &str, skipped: &[(Skipped, String)]) -> Option<Remark> {
    const NAMES_MAX: usize = 5;
    const CHARACTERS_MAX: usize = 60;
    let names: Vec<&str> = skipped.iter().filter(|(other, _)| *other == why).map(|(_, name)| name.as_str()).collect();
    let short = |name: &&str| format!("`{}`", name.chars().take(CHARACTERS_MAX).collect::<String>().escape_debug());
    let mut shown = names.iter().take(NAMES_MAX).map(short).collect::<Vec<_>>().join(", ");
    if names.len() > NAMES_MAX {
        shown.push_str(&format!(" and {} more", names.len() - NAMES_MAX));
    }
    (!names.is_empty()).then(|| Remark {
        file: Some(label.to_string()),
        code: "members_skipped".into(),
        message: format!("`{}`: {said}: {shown}", label.escape_debug()),
        count: Some(names.len() as u64),
        ..Remark::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_named_after_their_files() {
        let cases = [
            ("/x/Sales 2024 (final).csv", "sales_2024_final"),
            ("2014_q4.csv", "t_2014_q4"),
            ("héllo.csv", "h_llo"),
            ("sales.csv.gz", "sales"),
            ("Sales.CSV.GZ", "sales"),
            ("sales.v2.parquet", "sales_v2"),
            ("sales.csv.zip", "sales"),
            ("all.zip", "all"),
            ("report.final.gz", "report_final"),
            ("noending", "noending"),
            (".csv", "csv"),
            ("-rf.csv", "rf"),
            ("…", "table"),
        ];
        for (path, expected) in cases {
            assert_eq!(table_name(Path::new(path)), expected, "{path}");
        }
        let twice = tables_of(vec!["a/x.csv".into(), "b/X.csv".into(), "x_2.csv".into()]);
        assert_eq!(twice.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["x", "x_2", "x_2_2"]);
    }

    #[test]
    fn the_ending_says_how_a_file_is_read() {
        let cases = [
            ("a.csv", Some("csv"), true),
            ("a.TSV", Some("tsv"), true),
            ("a.txt", None, true),
            ("a.json.gz", Some("json"), true),
            ("a.json.zip", None, true),
            ("a.db", None, true),
            ("a.xlsb", Some("excel"), true),
            ("a.gz", None, false),
            ("a.pdf", None, false),
            ("a.pdf.gz", None, false),
            ("csv", None, false),
        ];
        for (name, format, is_table) in cases {
            let found = named(name);
            assert_eq!((found.format, found.is_table), (format, is_table), "{name}");
        }
    }
}
