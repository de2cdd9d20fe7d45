//! What the words that somebody gives for data stand for. Who may name what is decided once, by how this is made: a user
//! at a terminal names datasets, files and folders; anybody else names datasets, and no spelling reaches a file.

use std::path::{Path, PathBuf};

use base::{Code, Problem, nearest};
use data::builtin;

use crate::added_datasets::Datasets;
use crate::source::{Files, Source, shown};

/// Words for data, as somebody who may use them gives them.
#[derive(Clone, Debug)]
pub struct DataNames {
    datasets: Datasets,
    reach: Reach,
}

/// What a word may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// Datasets by name, files and folders by path.
    NamesAndPaths,
    /// Datasets by name, and what was named by a path from the root.
    Recorded,
    /// Datasets by name.
    Names,
}

impl DataNames {
    /// For a user at a terminal, whose files they are.
    pub fn with_paths(datasets: Datasets) -> DataNames {
        DataNames { datasets, reach: Reach::NamesAndPaths }
    }

    /// For anybody else. The file system is not looked at but for the records of added datasets.
    pub fn only(datasets: Datasets) -> DataNames {
        DataNames { datasets, reach: Reach::Names }
    }

    /// For words that [`DataNames::lasting`] gave and a run recorded: whoever resumes it, wherever, a name stays a name.
    pub fn recorded(datasets: Datasets) -> DataNames {
        DataNames { datasets, reach: Reach::Recorded }
    }

    /// What the words stand for: one name of a dataset, or paths.
    pub fn source(&self, words: &[String]) -> Result<Source, Problem> {
        if let [name] = words {
            if let Some(known) = builtin::names().iter().find(|known| *known == name) {
                return Ok(Source::Builtin(known));
            }
            if let Some(added) = self.datasets.find(name)? {
                return Ok(Source::Added(Box::new(added)));
            }
        }
        if let Some(name) = words.iter().find(|name| self.datasets.is_dataset(name)) {
            return Err(Problem::new(
                Code::Usage,
                format!("the dataset `{name}` cannot be asked together with others"),
            )
            .hint(if self.reach == Reach::Names {
                "name one dataset"
            } else {
                "name one dataset, or files and folders"
            }));
        }
        match words.iter().find(|word| !self.may_be_path(word)) {
            Some(name) => Err(self.unknown(name)),
            None if words.is_empty() => Err(Problem::new(Code::Usage, "no data is named").hint("name a dataset")),
            None => Ok(Source::Files(Files::at(&words.iter().map(PathBuf::from).collect::<Vec<_>>())?)),
        }
    }

    /// Splits `DATA… LAST`, where the last word is what is wanted of the data: a question, a statement.
    pub fn split<'a>(&self, words: &'a [String], what: &str) -> Result<(&'a [String], &'a str), Problem> {
        let usage = |message: String| Problem::new(Code::Usage, message);
        let is_data = |word: &String| self.is_data(word);
        match words {
            [] | [_] => Err(usage(format!("name the data first, then the {what}"))),
            [first, .., last] if is_data(last) && !is_data(first) => {
                Err(usage(format!("`{last}` is data and comes first, then the {what}")))
            }
            [first, second, _, ..] if is_data(first) && !is_data(second) && !second.contains(['.', '/']) => {
                Err(usage(format!("the {what} is more than one word; put it in quotes")))
            }
            [data @ .., last] => Ok((data, last)),
        }
    }

    /// Whether a word stands for data that is there.
    pub fn is_data(&self, word: &str) -> bool {
        self.datasets.is_dataset(word) || (self.may_be_path(word) && Path::new(word).exists())
    }

    /// The same words, meaning the same from wherever a run is resumed.
    pub fn lasting(&self, words: &[String]) -> Vec<String> {
        let name = |text: &String| match std::path::absolute(text) {
            Ok(path) if self.may_be_path(text) && !self.datasets.is_dataset(text) && path.exists() => {
                path.display().to_string()
            }
            _ => text.clone(),
        };
        words.iter().map(name).collect()
    }

    fn may_be_path(&self, word: &str) -> bool {
        match self.reach {
            Reach::NamesAndPaths => looks_like_path(word) || Path::new(word).exists(),
            Reach::Recorded => word.starts_with('/'),
            Reach::Names => false,
        }
    }

    fn unknown(&self, name: &str) -> Problem {
        let (what, also) = match self.reach {
            Reach::NamesAndPaths => ("dataset and no file", "; or give the path of a file or folder"),
            Reach::Recorded | Reach::Names => ("dataset", ""),
        };
        let problem = Problem::new(Code::DatasetUnknown, format!("no {what} is called `{}`", shown(name)));
        let names = self.datasets.all_names();
        let close = nearest(name, names.iter().map(String::as_str));
        match close.first() {
            Some(close) => problem.hint(format!("did you mean `{close}`?")),
            None => problem.hint(format!("datasets: {}{also}", names.join(", "))),
        }
    }
}

fn looks_like_path(name: &str) -> bool {
    // An address is not read yet, and must not be repeated as if it were a file's name.
    !name.contains("://") && (name.contains('/') || Path::new(name).extension().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str) -> Problem {
        let datasets = Datasets::of(Path::new("/nowhere/at/all"));
        DataNames::with_paths(datasets).source(&[name.to_string()]).expect_err("there is none")
    }

    #[test]
    fn a_password_in_an_address_is_not_repeated() {
        let problem = refusal("postgres://me:secret@host/db");
        assert!(problem.message.contains("postgres://…@host/db") && !problem.message.contains("secret"), "{problem}");
    }

    #[test]
    fn the_last_word_is_what_is_wanted_of_the_data() {
        let names = DataNames::only(Datasets::of(Path::new("/nowhere/at/all")));
        let split = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
            match names.split(&words, "question") {
                Ok((data, last)) => format!("{} | {last}", data.join(" ")),
                Err(problem) => problem.message,
            }
        };
        assert_eq!(split(&["ecommerce", "how many orders"]), "ecommerce | how many orders");
        assert_eq!(split(&["a.csv", "b.csv", "how many"]), "a.csv b.csv | how many");
        assert_eq!(split(&["ecommerce"]), "name the data first, then the question");
        assert_eq!(split(&["how many", "ecommerce"]), "`ecommerce` is data and comes first, then the question");
        assert_eq!(split(&["ecommerce", "how", "many"]), "the question is more than one word; put it in quotes");
    }

    #[test]
    fn a_misspelt_dataset_is_suggested() {
        let problem = refusal("ecomerce");
        assert_eq!(problem.code, Code::DatasetUnknown);
        assert_eq!(problem.hint.as_deref(), Some("did you mean `ecommerce`?"));
    }
}
