//! Every row of a result for whoever takes it along: on stdout as CSV, or in a file. What a document lists is cut; what is
//! taken along is not.

use std::path::{Path, PathBuf};

use base::{Code, Problem, RunId, Table};
use flow::Runs;
use serde_json::Value;
use tasks::FileForm;

use crate::files;

/// What was asked for.
#[derive(Default)]
pub struct Rows {
    /// Whether stdout is CSV.
    pub on_stdout: bool,
    file: Option<(PathBuf, FileForm)>,
}

impl Rows {
    /// Refused before anything is computed if it is not clear what to write, or where.
    pub fn asked(on_stdout: bool, out: Option<&Path>) -> Result<Rows, Problem> {
        let Some(path) = out else { return Ok(Rows { on_stdout, file: None }) };
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase);
        let form = match extension.as_deref() {
            Some("csv") => FileForm::Csv,
            Some("parquet") => FileForm::Parquet,
            _ => {
                let message = format!("`{}` does not say what kind of file to write", path.display());
                return Err(Problem::new(Code::Usage, message).hint("give a file that ends in .csv or .parquet"));
            }
        };
        if on_stdout && form == FileForm::Parquet {
            return Err(Problem::new(Code::Usage, "CSV on stdout and a Parquet file are two results")
                .hint("ask for one of them"));
        }
        files::check_folder(path, "--out")?;
        Ok(Rows { on_stdout, file: Some((path.to_path_buf(), form)) })
    }

    /// What the run is to write.
    pub fn form(&self) -> Option<FileForm> {
        let of_file = self.file.as_ref().map(|(_, form)| *form);
        of_file.or(self.on_stdout.then_some(FileForm::Csv))
    }

    /// All rows of a document's table, as CSV where that is asked for on stdout; the file is written.
    pub async fn take(&self, runs: &Runs, document: &Value) -> Result<Option<Vec<u8>>, Problem> {
        let Some(form) = self.form() else { return Ok(None) };
        let contents = contents(runs, document, form).await?;
        if let Some((path, _)) = &self.file {
            files::write(path, &contents, "name another file with --out")?;
        }
        Ok(self.on_stdout.then_some(contents))
    }
}

/// The run's file, or the listing where that is whole.
async fn contents(runs: &Runs, document: &Value, form: FileForm) -> Result<Vec<u8>, Problem> {
    if let Ok(table) = serde_json::from_value::<Table>(document["table"].clone())
        && !table.truncated
        && form == FileForm::Csv
    {
        return Ok(data::csv::write(&table).into_bytes());
    }
    if document["source"] == "model" {
        let message = "what a model's code gives is kept up to 1,000 rows, and written as CSV only";
        return Err(Problem::new(Code::TooLarge, message).hint("ask for fewer rows, or write to a .csv file"));
    }
    let run = document["run"].as_str().and_then(RunId::parse);
    let run = run.ok_or_else(|| Problem::new(Code::Internal, "the result names no run"))?;
    runs.artifact(&run, form.file_name()).await
}
