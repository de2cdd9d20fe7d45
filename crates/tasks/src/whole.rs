//! Every row of a result as a file of the run: a listing shows the first rows, what people take with them is whole.

use std::fs;
use std::path::Path;

use base::{Code, Problem};
use data::Dataset;
use flow::Run;
use sandbox::{CallError, CellOptions, End, Input, KilledBy, Policy, Stop};
use serde::{Deserialize, Serialize};
use serde_json::json;
use warehouse::{Prepared, Warehouse, unreadable};

use crate::program::Job;
use crate::query::{FILE_INSIDE, UNLESS_LOST, checked, open_in};
use crate::task::internal;

/// How a result is written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileForm {
    /// Text, one line for each row.
    Csv,
    /// Typed, for programs.
    Parquet,
}

impl FileForm {
    /// What the file is called among those of its run.
    pub fn file_name(self) -> &'static str {
        match self {
            FileForm::Csv => "result.csv",
            FileForm::Parquet => "result.parquet",
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            FileForm::Csv => "text/csv",
            FileForm::Parquet => "application/vnd.apache.parquet",
        }
    }

    /// Whether a file is needed beside the listing: one of text can be made from a listing that is whole.
    pub(crate) fn is_needed(self, listing_is_cut: bool) -> bool {
        listing_is_cut || self == FileForm::Parquet
    }
}

/// What was written, for whoever looks at the step.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Written {
    rows: u64,
}

/// Writes every row of a statement to a file of the run, as one step.
pub async fn write(
    run: &mut Run,
    warehouse: &Warehouse,
    prepared: &Prepared,
    sql: &str,
    form: FileForm,
) -> Result<(), Problem> {
    let input = json!({ "dataset": prepared.dataset.version, "sql": sql, "form": form });
    let folder = warehouse.data_dir.join("jobs").join(format!("{}-{}", run.id(), run.attempt()));
    let shelf = run.shelf();
    let effect = || async {
        let job = Job::enter(folder.clone()).await?;
        let rows = write_in_cell(warehouse, prepared, sql, form, &job.folder).await?;
        let path = job.folder.join(form.file_name());
        let contents = fs::read(&path).map_err(|error| unreadable(&path, &error))?;
        shelf.put(form.file_name(), form.media_type(), contents).await?;
        Ok(Written { rows })
    };
    let _: Written = run.step_under(UNLESS_LOST, "write", &input, effect).await?;
    Ok(())
}

/// In a cell of its own, which may take as long as reading the same data may.
async fn write_in_cell(
    warehouse: &Warehouse,
    prepared: &Prepared,
    sql: &str,
    form: FileForm,
    folder: &Path,
) -> Result<u64, Problem> {
    /// A database holds values in fewer bytes than their text has.
    const TEXT_PER_BYTE: u64 = 8;
    let options = CellOptions {
        inputs: vec![Input { name: FILE_INSIDE.into(), path: prepared.file.clone() }],
        out: Some(folder.to_path_buf()),
        ..CellOptions::of(Policy::ingest(TEXT_PER_BYTE.saturating_mul(prepared.bytes())))
    };
    let mut cell = warehouse.sandbox().await?.cell(options).await?;
    let said = async {
        let parsed = cell.call("sql.parse", &json!({ "sql": sql })).await?;
        let checked = checked(sql, &parsed, &prepared.dataset).map_err(|_| CallError::Ended)?;
        open_in(&mut cell).await?;
        let out = format!("/work/out/{}", form.file_name());
        cell.call("whole.write", &json!({ "sql": checked.text(), "out": out, "form": form })).await
    };
    let said = said.await;
    let finished = cell.finish(if said.is_ok() { Stop::WhenDone } else { Stop::Now }).await;
    let end = finished.report.as_ref().map(|report| report.end.clone());
    match said {
        Ok(written) if finished.harvest.files.iter().any(|file| file == form.file_name()) => {
            let written: Written = serde_json::from_value(written).map_err(internal)?;
            Ok(written.rows)
        }
        Err(CallError::Raised(raised)) => {
            Err(Problem::new(Code::TooLarge, format!("cannot be written: {}", raised.message))
                .hint("ask for fewer rows or columns"))
        }
        _ => Err(unwritten(end)),
    }
}

fn unwritten(end: Option<End>) -> Problem {
    match end {
        Some(End::Killed { by: KilledBy::Time | KilledBy::Memory | KilledBy::Output }) => {
            Problem::new(Code::TooLarge, "the result is too large to be written").hint("ask for fewer rows or columns")
        }
        _ => Problem::new(Code::SandboxLost, "the cell that wrote the result was lost").hint("try again"),
    }
}

/// The statement of a plan without the limit that cuts what is listed.
pub fn unlimited(plan: &data::plan::Plan, dataset: &Dataset) -> Option<String> {
    let whole = data::plan::Plan { limit: u32::MAX, ..plan.clone() };
    data::compile::duckdb(&whole, dataset).ok()
}
