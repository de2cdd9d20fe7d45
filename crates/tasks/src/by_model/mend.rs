//! What our own code mends before a model is asked again: names of columns that a program spells with other blanks or
//! case, an import that it forgot, a file that it reads though its table is there. What comes out goes through the guard
//! like anything else.

use data::Dataset;

/// How often one program is mended; each time another name may be missing.
pub const MENDS_MAX: usize = 3;

/// Names that programs use without an import, and where they are from.
const IMPORTS: &[(&str, &str)] = &[
    ("pd", "import pandas as pd"),
    ("np", "import numpy as np"),
    ("scipy", "import scipy.stats"),
    ("stats", "from scipy import stats"),
    ("pearsonr", "from scipy.stats import pearsonr"),
    ("ttest_ind", "from scipy.stats import ttest_ind"),
    ("shapiro", "from scipy.stats import shapiro"),
    ("skew", "from scipy.stats import skew"),
    ("kurtosis", "from scipy.stats import kurtosis"),
    ("zscore", "from scipy.stats import zscore"),
    ("sklearn", "import sklearn"),
    ("LinearRegression", "from sklearn.linear_model import LinearRegression"),
    ("LogisticRegression", "from sklearn.linear_model import LogisticRegression"),
    ("RandomForestClassifier", "from sklearn.ensemble import RandomForestClassifier"),
    ("RandomForestRegressor", "from sklearn.ensemble import RandomForestRegressor"),
    ("StandardScaler", "from sklearn.preprocessing import StandardScaler"),
    ("MinMaxScaler", "from sklearn.preprocessing import MinMaxScaler"),
    ("LabelEncoder", "from sklearn.preprocessing import LabelEncoder"),
    ("train_test_split", "from sklearn.model_selection import train_test_split"),
    ("mean_squared_error", "from sklearn.metrics import mean_squared_error"),
    ("accuracy_score", "from sklearn.metrics import accuracy_score"),
    ("math", "import math"),
    ("statistics", "import statistics"),
    ("re", "import re"),
];
/// What programs call the one table that there is.
const TABLE_NAMES: &[&str] = &["df", "data"];
/// How programs read a file into a table.
const READERS: &[&str] = &["pd.read_csv(", "pandas.read_csv(", "pd.read_excel(", "pd.read_parquet("];

/// The program without what an error says is wrong with it, where that is plain; nothing where it is not.
pub fn mended(error: &str, code: &str, dataset: &Dataset) -> Option<String> {
    let table = match dataset.tables.as_slice() {
        [only] => Some(only.name.as_str()),
        _ => None,
    };
    headers(error, code, dataset).or_else(|| names(error, code, table)).or_else(|| files(error, code, table))
}

/// With what a name stands for that was not there.
fn names(error: &str, code: &str, table: Option<&str>) -> Option<String> {
    let name = error.strip_prefix("NameError: name '")?.split('\'').next()?;
    let line = match IMPORTS.iter().find(|(known, _)| *known == name) {
        Some((_, import)) => import.to_string(),
        None if TABLE_NAMES.contains(&name) => format!("{name} = {}", table?),
        None => return None,
    };
    let is_there = code.lines().any(|other| other.trim() == line);
    (!is_there).then(|| format!("{line}\n{code}"))
}

/// With the table itself where a program reads the file that it was made of.
fn files(error: &str, code: &str, table: Option<&str>) -> Option<String> {
    if !error.starts_with("FileNotFoundError") {
        return None;
    }
    let table = table?;
    let mut out = String::new();
    let mut rest = code;
    while let Some((begin, reader)) = READERS.iter().filter_map(|reader| Some((rest.find(reader)?, *reader))).min() {
        let inside = &rest[begin + reader.len()..];
        let end = end_of_call(inside)?;
        out.push_str(&rest[..begin]);
        // A copy, as reading the file would have given one.
        out.push_str(&format!("{table}.copy()"));
        rest = &inside[end..];
    }
    out.push_str(rest);
    (out != code).then_some(out)
}

/// Where the call ends whose arguments these are; nothing where brackets stand in its texts.
fn end_of_call(arguments: &str) -> Option<usize> {
    let mut depth = 1;
    for (at, letter) in arguments.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// The program with the real names of the columns that an error says are not there; nothing where that changes nothing.
fn headers(error: &str, code: &str, dataset: &Dataset) -> Option<String> {
    if !error.starts_with("KeyError") {
        return None;
    }
    let said = error.split_once(". Facts:").map_or(error, |(said, _)| said);
    let mended = literals(said).into_iter().fold(code.to_string(), |code, literal| {
        let key = &said[literal.begin..literal.end];
        match real_name(key, dataset) {
            Some(name) => renamed(&code, key, name),
            None => code,
        }
    });
    (mended != code).then_some(mended)
}

/// The one column that a name is meant to be.
fn real_name<'d>(key: &str, dataset: &'d Dataset) -> Option<&'d str> {
    let columns = || dataset.tables.iter().flat_map(|table| &table.columns).map(|column| column.name.as_str());
    if columns().any(|name| name == key) {
        return None;
    }
    let mut alike = columns().filter(|name| folded(name) == folded(key));
    let first = alike.next()?;
    alike.all(|other| other == first).then_some(first)
}

fn folded(name: &str) -> String {
    name.chars().filter(|letter| !letter.is_whitespace() && *letter != '_').flat_map(char::to_lowercase).collect()
}

/// The code with another content in the texts that are exactly `key`.
fn renamed(code: &str, key: &str, name: &str) -> String {
    let mut out = String::new();
    let mut from = 0;
    for Literal { begin, end, quote } in literals(code) {
        if &code[begin..end] != key {
            continue;
        }
        out.push_str(&code[from..begin]);
        for letter in name.chars() {
            if letter == quote || letter == '\\' {
                out.push('\\');
            }
            match letter {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                other => out.push(other),
            }
        }
        from = end;
    }
    out.push_str(&code[from..]);
    out
}

/// Where the content of a text in quotes stands.
struct Literal {
    begin: usize,
    end: usize,
    quote: char,
}

/// The texts of a program that stand in single or double quotes; those in three quotes, with a prefix or with an escape in
/// them are passed over, and so are comments.
fn literals(code: &str) -> Vec<Literal> {
    let letters: Vec<(usize, char)> = code.char_indices().collect();
    let letter = |at: usize| letters.get(at).map(|(_, letter)| *letter);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((_, quote)) = letters.get(at).copied() {
        if quote == '#' {
            at += letters[at..].iter().take_while(|(_, letter)| *letter != '\n').count();
            continue;
        }
        if !matches!(quote, '\'' | '"') {
            at += 1;
            continue;
        }
        let has_prefix = at > 0 && letter(at - 1).is_some_and(char::is_alphanumeric);
        if letter(at + 1) == Some(quote) && letter(at + 2) == Some(quote) {
            at = end_of_three(&letters, at + 3, quote);
            continue;
        }
        let (mut end, mut has_escape) = (at + 1, false);
        while let Some(next) = letter(end).filter(|next| *next != quote && *next != '\n') {
            has_escape |= next == '\\';
            end += if next == '\\' { 2 } else { 1 };
        }
        if let (Some((begin, _)), Some((stop, _))) = (letters.get(at + 1), letters.get(end))
            && !has_prefix
            && !has_escape
            && letter(end) == Some(quote)
        {
            found.push(Literal { begin: *begin, end: *stop, quote });
        }
        at = end + 1;
    }
    found
}

fn end_of_three(letters: &[(usize, char)], from: usize, quote: char) -> usize {
    let is_end = |three: &[(usize, char)]| three.iter().all(|(_, letter)| *letter == quote);
    let rest = letters.get(from..).unwrap_or_default();
    rest.windows(3).position(is_end).map_or(letters.len(), |at| from + at + 3)
}

/// The decimals that a question asks its numbers to be rounded to.
pub fn decimals_asked(question: &str) -> Option<i32> {
    const WORDS: &[&str] = &["zero", "one", "two", "three", "four", "five", "six"];
    let lower = question.to_lowercase();
    let words: Vec<&str> =
        lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let count = |word: &str| {
        let said = WORDS.iter().position(|name| *name == word).map(|at| at as i32);
        said.or_else(|| word.parse().ok()).filter(|decimals| (0..=12).contains(decimals))
    };
    words.windows(2).find_map(|two| two[1].starts_with("decimal").then(|| count(two[0])).flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_texts_are_renamed() {
        let code =
            "x = sales['fare']  # 'fare'\ny = f'fare' + \"fare\" + 'fare price' + '''fare'''\nz = 'it\\'s' + 'fare'";
        let expected = code.replacen("['fare']", "[' Fare']", 1).replacen("\"fare\"", "\" Fare\"", 1);
        let expected = format!("{}' Fare'", expected.strip_suffix("'fare'").expect("its end"));
        assert_eq!(renamed(code, "fare", " Fare"), expected);
        assert_eq!(renamed("a['x']", "x", "it's \\"), "a['it\\'s \\\\']");
        assert_eq!(renamed("a['x", "x", "y"), "a['x", "a text without its end");
    }

    #[test]
    fn a_forgotten_import_and_a_file_that_is_a_table_are_mended() {
        let one = Some("sales");
        let mend = |error: &str, code: &str| names(error, code, one).or_else(|| files(error, code, one));
        let missing = |name: &str| format!("NameError: name '{name}' is not defined (line 1)");
        assert_eq!(mend(&missing("stats"), "stats.x()").as_deref(), Some("from scipy import stats\nstats.x()"));
        assert_eq!(mend(&missing("stats"), "from scipy import stats\nstats.x()"), None, "it would fail again");
        assert_eq!(mend(&missing("df"), "df.x").as_deref(), Some("df = sales\ndf.x"));
        assert_eq!(mend(&missing("fare"), "fare"), None);
        assert_eq!(names(&missing("df"), "df.x", None), None, "there are several");
        let gone = "FileNotFoundError: [Errno 2] No such file or directory: 'a(1).csv' (line 1)";
        assert_eq!(mend(gone, "x = pd.read_csv('a.csv', sep=f(1))\nx").as_deref(), Some("x = sales.copy()\nx"));
        assert_eq!(mend(gone, "open('a.csv')"), None);
        assert_eq!(mend(gone, "pd.read_csv('a.csv'"), None, "a call without its end");
    }

    #[test]
    fn the_rounding_that_is_asked_for_is_heard() {
        assert_eq!(decimals_asked("mean fare, rounded to 2 decimal places"), Some(2));
        assert_eq!(decimals_asked("Round to two decimals."), Some(2));
        assert_eq!(decimals_asked("the number of decimals"), None);
        assert_eq!(decimals_asked("the mean of 3 columns"), None);
    }
}
