//! One analysis kernel over one prepared dataset: parse, check, query, recompute.
//!
//! The order is the security argument: a fresh kernel parses the text before anything else has run there, the guard
//! reads that tree, and only what it lets through is executed. SQL that we compiled ourselves takes the same door.

pub(crate) mod batch;

use std::path::Path;

use base::{Code, Finding, Problem, Table, Usage};
use data::Dataset;
use data::plan::Plan;
use flow::StepPolicy;
use guard::{Checked, Sql};
use sandbox::{CallError, Cell, CellOptions, End, Input, Isolation, KilledBy, Outcome, Policy, Raised, Stop};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use warehouse::{Kept, Prepared, Warehouse};

use crate::whole::unlimited;

/// Rows that an answer carries at most.
pub const ROWS_MAX: usize = 1_000;
/// Rows of a result that what is said and drawn of it is computed from. Beyond, no least or greatest is told, and no
/// chart is drawn.
pub const WHOLE_ROWS_MAX: usize = 50_000;
const BYTES_MAX: usize = 16 << 20;
/// Rows that the oracle is given at most: beyond, recomputing in plain Python takes longer than people wait.
pub const ORACLE_ROWS_MAX: u64 = 200_000;
pub(crate) const FILE_INSIDE: &str = "data.duckdb";
/// A cell that is lost says nothing about what it was to compute, and computing reads only.
pub const UNLESS_LOST: StepPolicy = StepPolicy::tries(3);

/// What became of one statement; a recorded outcome, so it holds everything a document needs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Queried {
    /// How it came out.
    pub outcome: Outcome,
    /// The limit it reached.
    pub killed_by: Option<KilledBy>,
    /// The result. A journal may come with a stranger's capsule, so its shape is looked at when it is read back.
    #[serde(default, deserialize_with = "regular")]
    pub table: Option<Table>,
    /// Why it failed.
    pub error: Option<Raised>,
    /// Why the guard refused it.
    pub findings: Vec<Finding>,
    /// How many rows there are, where the plan's limit cut the table.
    #[serde(default)]
    pub total: Option<u64>,
    /// All rows, where the table has only the first of them; as many as are looked at.
    #[serde(default, deserialize_with = "regular_whole", skip_serializing_if = "Option::is_none")]
    pub whole: Option<Table>,
    /// What it used.
    pub usage: Usage,
    /// How it was isolated.
    pub isolation: Option<Isolation>,
}

impl Queried {
    /// An outcome of which nothing else is known.
    fn of(outcome: Outcome) -> Queried {
        Queried {
            outcome,
            killed_by: None,
            table: None,
            error: None,
            findings: Vec::new(),
            total: None,
            whole: None,
            usage: Usage::default(),
            isolation: None,
        }
    }
}

/// What the oracle said of a plan.
pub enum Recomputed {
    /// The same plan, computed another way.
    Table(Table),
    /// It did not get to an end; the reason.
    Nothing(String),
}

/// A cell that is started when it is first needed.
pub struct Kernel<'a> {
    warehouse: &'a Warehouse,
    file: &'a Path,
    dataset: &'a Dataset,
    cell: Option<Kept>,
    opened: bool,
    /// Whether its cell may have served others of the same owner, and may serve others after it.
    shares: bool,
}

impl<'a> Kernel<'a> {
    /// No cell yet.
    pub fn new(warehouse: &'a Warehouse, prepared: &'a Prepared) -> Kernel<'a> {
        Kernel::over(warehouse, &prepared.file, &prepared.dataset)
    }

    /// The same over some tables of a prepared file.
    pub(crate) fn over(warehouse: &'a Warehouse, file: &'a Path, dataset: &'a Dataset) -> Kernel<'a> {
        Kernel { warehouse, file, dataset, cell: None, opened: false, shares: false }
    }

    /// One whose cell serves many statements, where cells are kept: for what we compiled ourselves.
    pub(crate) fn sharing(warehouse: &'a Warehouse, prepared: &'a Prepared) -> Kernel<'a> {
        Kernel { shares: warehouse.kept.are_wanted(), ..Kernel::new(warehouse, prepared) }
    }

    /// Starts the cell, so that it comes up while the caller plans.
    pub async fn start(&mut self) -> Result<&mut Cell, Problem> {
        if self.cell.is_none() {
            let kept = if self.shares { self.warehouse.kept.take(Some(self.file)) } else { None };
            self.opened = kept.is_some();
            self.cell = match kept {
                None => Some(Kept::fresh(cell_over(self.warehouse, self.file, Policy::analysis()).await?)),
                kept => kept,
            };
        }
        Ok(&mut self.cell.as_mut().expect("it was started just above").cell)
    }

    /// Whether it has a cell that was ready when it was asked for.
    pub(crate) fn is_warm(&self) -> bool {
        self.cell.as_ref().is_some_and(|kept| kept.cell.ends_by_itself())
    }

    /// Whether others may have been in its cell. Cold ones are kept for nobody.
    fn is_shared(&self) -> bool {
        self.shares && self.is_warm()
    }

    /// Parses, checks and runs one statement. A fresh cell is used for the parse: a tree is only believed when nothing
    /// else has run in its kernel.
    pub async fn query(&mut self, sql: &str) -> Result<Queried, Problem> {
        self.query_rows(sql, ROWS_MAX).await
    }

    async fn query_rows(&mut self, sql: &str, rows_max: usize) -> Result<Queried, Problem> {
        if self.is_shared()
            && let Some(table) = self.query_shared(sql, rows_max).await?
        {
            return Ok(Queried { table: Some(table), ..Queried::of(Outcome::Ok) });
        }
        if self.opened {
            self.retire();
        }
        let parsed = match self.start().await?.call("sql.parse", &json!({ "sql": sql })).await {
            Ok(parsed) => parsed,
            Err(error) => return self.stopped(error).await,
        };
        let checked = match checked(sql, &parsed, self.dataset) {
            Ok(checked) => checked,
            Err(report) => {
                let mut queried = self.end(Stop::Now).await?;
                queried.outcome = Outcome::Refused;
                queried.findings = report.findings;
                return Ok(queried);
            }
        };
        match self.run(&checked, rows_max).await {
            Ok(table) => Ok(Queried { table: Some(table), ..Queried::of(Outcome::Ok) }),
            Err(error) => self.stopped(error).await,
        }
    }

    /// The same in cells that serve many: one in which nothing but parsing ever runs, and one in which nothing is parsed. What
    /// comes to no table there says nothing, since others were there before; it is tried alone then.
    async fn query_shared(&mut self, sql: &str, rows_max: usize) -> Result<Option<Table>, Problem> {
        let mut parser = match self.warehouse.kept.take(None) {
            Some(parser) => parser,
            None => {
                let options = CellOptions::of(Policy::analysis());
                Kept::fresh(self.warehouse.sandbox().await?.cell(options).await?)
            }
        };
        let parsed = parser.cell.call("sql.parse", &json!({ "sql": sql })).await;
        let checked = parsed.ok().and_then(|parsed| {
            if let Some(cell) = self.warehouse.kept.put(None, parser) {
                self.warehouse.retire(cell);
            }
            checked(sql, &parsed, self.dataset).ok()
        });
        if let Some(checked) = checked {
            self.start().await?;
            if let Ok(table) = self.run(&checked, rows_max).await {
                return Ok(Some(table));
            }
        }
        self.alone();
        Ok(None)
    }

    /// From here on nothing is shared, and nobody gets its cell.
    fn alone(&mut self) {
        self.shares = false;
        self.retire();
    }

    /// Runs a plan's statement and, where its limit cut the result, once more without it: what is said of a result is
    /// computed from all of it.
    pub async fn query_plan(&mut self, plan: &Plan, sql: &str) -> Result<Queried, Problem> {
        let mut queried = self.query(sql).await?;
        let rows = queried.table.as_ref().map_or(0, |table| table.rows.len());
        if rows >= plan.limit as usize
            && let Some(all) = unlimited(plan, self.dataset)
        {
            let whole = self.query_rows(&all, WHOLE_ROWS_MAX).await?;
            if let Some(error) = whole.error {
                return Ok(Queried { error: Some(error), ..whole });
            }
            queried.total = whole.table.as_ref().map(|table| table.row_count);
            queried.whole = whole.table.filter(|table| table.row_count > rows as u64);
        }
        Ok(queried)
    }

    /// The only way to the engine: it takes what the guard has checked.
    async fn run(&mut self, sql: &Checked<Sql>, rows_max: usize) -> Result<Table, CallError> {
        self.open().await?;
        query_in(&mut self.cell.as_mut().ok_or(CallError::Ended)?.cell, sql, rows_max).await
    }

    /// Opens the prepared file, once. Not in a cell that is still to parse.
    pub(crate) async fn open(&mut self) -> Result<(), CallError> {
        if !self.opened {
            open_in(&mut self.cell.as_mut().ok_or(CallError::Ended)?.cell).await?;
            self.opened = true;
        }
        Ok(())
    }

    /// Computes a plan with the interpreter that knows no SQL.
    pub async fn recompute(&mut self, plan: &Plan) -> Result<Recomputed, Problem> {
        self.recompute_rows(plan, ROWS_MAX).await
    }

    /// The same without the limit that cuts what is listed.
    pub async fn recompute_whole(&mut self, plan: &Plan) -> Result<Recomputed, Problem> {
        self.recompute_rows(&Plan { limit: WHOLE_ROWS_MAX as u32, ..plan.clone() }, WHOLE_ROWS_MAX).await
    }

    async fn recompute_rows(&mut self, plan: &Plan, rows_max: usize) -> Result<Recomputed, Problem> {
        self.start().await?;
        let is_shared = self.is_shared();
        let said = async {
            self.open().await?;
            recompute_in(&mut self.cell.as_mut().ok_or(CallError::Ended)?.cell, plan, self.dataset, rows_max).await
        };
        match said.await {
            Ok(table) => Ok(Recomputed::Table(table)),
            Err(_) if is_shared => {
                self.alone();
                Box::pin(self.recompute_rows(plan, rows_max)).await
            }
            Err(CallError::Raised(raised)) => Ok(Recomputed::Nothing(raised.message)),
            Err(CallError::Ended) => {
                let ended = self.end(Stop::WhenDone).await?;
                let by = ended.killed_by.map_or("it was lost".to_string(), |by| format!("it reached a limit: {by:?}"));
                Ok(Recomputed::Nothing(by.to_lowercase()))
            }
        }
    }

    /// Says how a statement ended that gave no table.
    async fn stopped(&mut self, error: CallError) -> Result<Queried, Problem> {
        match error {
            CallError::Raised(raised) => {
                let mut queried = self.end(Stop::Now).await?;
                queried.outcome = Outcome::Failed;
                queried.error = Some(raised);
                Ok(queried)
            }
            CallError::Ended => self.end(Stop::WhenDone).await,
        }
    }

    /// Ends the cell and reports what it used; the outcome is that of a cell that gave nothing. A cell that is lost is a
    /// problem and not an outcome: the same step may well succeed when the run is resumed.
    pub async fn end(&mut self, stop: Stop) -> Result<Queried, Problem> {
        let mut queried = Queried::of(Outcome::Lost);
        let Some(Kept { cell, .. }) = self.cell.take() else { return Ok(queried) };
        self.opened = false;
        let Some(report) = cell.finish(stop).await.report else { return Err(lost()) };
        queried.usage = report.usage;
        queried.isolation = report.isolation;
        match report.end {
            End::Unavailable { cause, fix } => return Err(sandbox::Error::Unavailable { cause, fix }.into()),
            // Its work was done: whether it ended by itself, by us or by a limit when it was let go says nothing.
            _ if stop == Stop::Now => {}
            End::Killed { by } => {
                queried.outcome = Outcome::Killed;
                queried.killed_by = Some(by);
            }
            End::Exited { exit_code, signal } => {
                let how = signal.map_or(format!("status {exit_code:?}"), |signal| format!("signal {signal}"));
                queried.outcome = Outcome::Failed;
                queried.error = Some(Raised::ours("EngineCrash", format!("the engine ended by {how}")));
            }
            End::Stopped => return Err(lost()),
        }
        Ok(queried)
    }

    /// Lets the cell go without waiting for its end.
    pub fn retire(&mut self) {
        if let Some(kept) = self.cell.take() {
            let cell = match self.shares && self.opened {
                true => self.warehouse.kept.put(Some(self.file), kept),
                false => Some(kept.cell),
            };
            if let Some(cell) = cell {
                self.warehouse.retire(cell);
            }
        }
        self.opened = false;
    }
}

/// A cell that sees a prepared file, and in which nothing has run.
async fn cell_over(warehouse: &Warehouse, file: &Path, policy: Policy) -> Result<Cell, Problem> {
    let inputs = vec![Input { name: FILE_INSIDE.into(), path: file.to_path_buf() }];
    Ok(warehouse.sandbox().await?.cell(CellOptions { inputs, ..CellOptions::of(policy) }).await?)
}

/// Holds a statement's tree against the policy and the tables there are.
pub(crate) fn checked(sql: &str, parsed: &Value, dataset: &Dataset) -> Result<Checked<Sql>, guard::Report> {
    let tables: Vec<&str> = dataset.tables.iter().map(|table| table.name.as_str()).collect();
    guard::sql::check(sql, parsed, &tables)
}

pub(crate) async fn open_in(cell: &mut Cell) -> Result<(), CallError> {
    cell.call("sql.open", &json!({ "path": format!("/work/input/{FILE_INSIDE}") })).await.map(drop)
}

async fn query_in(cell: &mut Cell, sql: &Checked<Sql>, rows_max: usize) -> Result<Table, CallError> {
    let arguments = json!({ "sql": sql.text(), "rows_max": rows_max, "bytes_max": BYTES_MAX });
    decode(cell.call("sql.query", &arguments).await?, rows_max)
}

async fn recompute_in(cell: &mut Cell, plan: &Plan, dataset: &Dataset, rows_max: usize) -> Result<Table, CallError> {
    let tables: Value = dataset
        .tables
        .iter()
        .map(|table| {
            let columns: serde_json::Map<String, Value> =
                table.columns.iter().map(|column| (column.name.clone(), json!(column.ty))).collect();
            (table.name.clone(), json!({ "columns": columns }))
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    let arguments = json!({
        "plan": plan.canonical(), "tables": tables, "relations": dataset.relations, "rows_max": rows_max,
    });
    decode(cell.call("oracle.run", &arguments).await?, rows_max)
}

/// How many rows the tables of a plan have: what the oracle would have to go through.
pub fn rows_read(plan: &Plan, dataset: &Dataset) -> u64 {
    plan.tables().iter().filter_map(|name| dataset.table(name)).map(|table| table.rows).sum()
}

fn lost() -> Problem {
    Problem::new(Code::SandboxLost, "the cell was lost before it gave an answer").hint("try again, or resume the run")
}

/// A table whose shape later code can rely on.
fn decode(value: Value, rows_max: usize) -> Result<Table, CallError> {
    let not_one =
        |why: String| CallError::Raised(Raised::ours("ProtocolError", format!("the kernel's table is not one: {why}")));
    let table: Table = serde_json::from_value(value).map_err(|error| not_one(error.to_string()))?;
    if !is_regular(&table, rows_max) {
        return Err(not_one(IRREGULAR.to_string()));
    }
    Ok(table)
}

const IRREGULAR: &str = "rows are too many or of another width";

fn is_regular(table: &Table, rows_max: usize) -> bool {
    table.rows.len() <= rows_max && table.rows.iter().all(|row| row.len() == table.columns.len())
}

fn regular<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Table>, D::Error> {
    regular_within(ROWS_MAX, from)
}

fn regular_whole<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Table>, D::Error> {
    regular_within(WHOLE_ROWS_MAX, from)
}

fn regular_within<'de, D: serde::Deserializer<'de>>(rows_max: usize, from: D) -> Result<Option<Table>, D::Error> {
    let table: Option<Table> = Deserialize::deserialize(from)?;
    if table.as_ref().is_some_and(|table| !is_regular(table, rows_max)) {
        return Err(serde::de::Error::custom(IRREGULAR));
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_table_with_a_short_row_is_not_read_back() {
        let mut recorded = json!({
            "outcome": "ok", "killed_by": null, "error": null, "findings": [], "usage": Usage::default(),
            "isolation": null,
            "table": { "columns": [{ "name": "n", "type": "int" }], "rows": [[1]], "row_count": 1, "truncated": false },
        });
        assert!(serde_json::from_value::<Queried>(recorded.clone()).is_ok());
        recorded["table"]["rows"] = json!([[]]);
        let error = serde_json::from_value::<Queried>(recorded).expect_err("a row without its cell");
        assert!(error.to_string().contains(IRREGULAR), "{error}");
    }
}
