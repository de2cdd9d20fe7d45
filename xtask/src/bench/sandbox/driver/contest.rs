//! Who is measured, one at a time. Every result is looked at: a time for a wrong one is no measurement.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::{Context, anyhow, ensure};
use sandbox::{CallError, CellOptions, Execution, Input, Outcome, Policy, Sandbox, Stop};
use serde_json::{Value, json};

use crate::bare::{self, Bubblewrap, OpenProcess, Residence, ms_since, timed};
use crate::pool::Pool;
use crate::setup::{Part, Setup};
use crate::{Sample, note};

/// A program that does nothing.
pub const PASS: &str = "pass";
/// A program that needs pandas.
pub const SUM: &str = "import pandas as pd; print(pd.DataFrame({\"a\": range(1000)}).a.sum())";
const SUM_PRINTED: &str = "499500";
const CHART: &str = include_str!("../chart.py");
const MAKE_ROWS: &str = include_str!("../make_rows.py");
const ROWS: u64 = 10_000_000;
const ROWS_QUICK: u64 = 1_000_000;
const QUERY: &str = "SELECT k, sum(d) AS s, count(*) AS n, max(v) AS m FROM t GROUP BY k ORDER BY k";
const QUESTION: &str = "What is the total revenue by category?";
/// What `timing_ms` names.
const PHASES: &[&str] = &["plan", "execute", "verify", "total"];
/// Cells start their interpreter so, which saves time that has nothing to do with isolation.
const WITHOUT_SITE: &[&str] = &["-I", "-S"];
const FILE_INSIDE: &str = "data.duckdb";

/// One contestant in one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrant {
    ColdPass,
    BubblewrapPass,
    BarePass,
    BubblewrapWithoutSite,
    BareWithoutSite,
    WarmSum,
    BareSum,
    WarmQuery,
    OpenQuery,
    OpenQueryTwoThreads,
    WarmChart,
    BareChart,
    AskResident,
    AskCold,
    AssayVersion,
    BareImport,
}

/// All of them; ours first in each case.
pub const ENTRANTS: &[Entrant] = &[
    Entrant::ColdPass,
    Entrant::BubblewrapPass,
    Entrant::BarePass,
    Entrant::BubblewrapWithoutSite,
    Entrant::BareWithoutSite,
    Entrant::WarmSum,
    Entrant::BareSum,
    Entrant::WarmQuery,
    Entrant::OpenQuery,
    Entrant::OpenQueryTwoThreads,
    Entrant::WarmChart,
    Entrant::BareChart,
    Entrant::AskResident,
    Entrant::AskCold,
    Entrant::AssayVersion,
    Entrant::BareImport,
];

impl Entrant {
    /// What it is measured for.
    pub fn part(self) -> Part {
        match self {
            Entrant::ColdPass | Entrant::BubblewrapPass | Entrant::BarePass => Part::Cold,
            Entrant::BubblewrapWithoutSite | Entrant::BareWithoutSite => Part::Cold,
            Entrant::WarmSum | Entrant::BareSum => Part::Sum,
            Entrant::WarmQuery | Entrant::OpenQuery | Entrant::OpenQueryTwoThreads => Part::Query,
            Entrant::WarmChart | Entrant::BareChart => Part::Chart,
            Entrant::AskResident | Entrant::AskCold | Entrant::AssayVersion | Entrant::BareImport => Part::Ask,
        }
    }

    /// How often in one round: what takes little time is measured more often.
    pub fn times(self) -> usize {
        match self {
            Entrant::WarmSum => 8,
            Entrant::WarmChart | Entrant::AskResident | Entrant::AssayVersion => 4,
            Entrant::ColdPass | Entrant::BubblewrapPass | Entrant::BarePass => 4,
            Entrant::BubblewrapWithoutSite | Entrant::BareWithoutSite => 2,
            _ => 1,
        }
    }
}

/// Everything that is needed to measure anyone.
pub struct Contest {
    /// What the driver was told.
    pub setup: Setup,
    /// Where cells come from.
    pub pool: Pool,
    bubblewrap: Option<Bubblewrap>,
    one_thread: OpenProcess,
    two_threads: OpenProcess,
    rows: u64,
    expected: Value,
    charts: usize,
}

impl Contest {
    /// Makes the file, starts the peers and the broker.
    pub async fn prepare(setup: Setup) -> anyhow::Result<Contest> {
        let file = setup.rows();
        setup.folder("own/datasets/bench")?;
        let rows = if setup.quick { ROWS_QUICK } else { ROWS };
        timed(bare::python(&setup).args(["-c", MAKE_ROWS]).arg(&file).arg(rows.to_string()))?;
        let bytes = std::fs::metadata(&file)?.len();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644))?;
        note(&format!("query: {QUERY}; {rows} rows, {:.0} MB", bytes as f64 / 1e6));
        let mut one_thread = OpenProcess::start(&setup, &file, 1)?;
        let two_threads = OpenProcess::start(&setup, &file, 2)?;
        let (_, expected) = one_thread.query(QUERY)?;
        let bubblewrap = Bubblewrap::of(&setup)?;
        let pool = Pool::start(&setup).await?;
        Ok(Contest { setup, pool, bubblewrap, one_thread, two_threads, rows, expected, charts: 0 })
    }

    /// Measures one contestant once; nothing of one that is not at hand.
    pub async fn measure(&mut self, entrant: Entrant) -> anyhow::Result<Vec<Sample>> {
        match entrant {
            Entrant::ColdPass => self.cold_pass().await,
            Entrant::BubblewrapPass => self.bubblewrap_pass("bubblewrap", &[]),
            Entrant::BubblewrapWithoutSite => self.bubblewrap_pass("bubblewrap, python -I -S", WITHOUT_SITE),
            Entrant::BarePass => self.bare_pass("bare python", &[]),
            Entrant::BareWithoutSite => self.bare_pass("bare python -I -S", WITHOUT_SITE),
            Entrant::WarmSum => self.warm_sum().await,
            Entrant::BareSum => {
                let (ms, printed) = timed(bare::python(&self.setup).args(["-c", SUM]))?;
                ensure!(printed.trim() == SUM_PRINTED, "bare python printed `{printed}`");
                Ok(vec![Sample::ms("pandas sum", "bare python", ms)])
            }
            Entrant::WarmQuery => self.warm_query().await,
            Entrant::OpenQuery => {
                let (ms, rows) = self.one_thread.query(QUERY)?;
                self.check_rows(&rows)?;
                Ok(vec![Sample::ms("query, 10 M rows", "open process, 1 thread", ms)])
            }
            Entrant::OpenQueryTwoThreads => {
                let (ms, rows) = self.two_threads.query(QUERY)?;
                self.check_rows(&rows)?;
                Ok(vec![Sample::ms("query, 10 M rows", "open process, 2 threads", ms)])
            }
            Entrant::WarmChart => self.warm_chart().await,
            Entrant::BareChart => {
                let folder = self.setup.folder("bare")?;
                self.setup.folder("bare/out")?;
                let (ms, _) = timed(bare::python(&self.setup).args(["-c", CHART]).current_dir(&folder))?;
                let file = folder.join("out/chart.png");
                check_png(&std::fs::read(&file)?)?;
                std::fs::remove_file(&file)?;
                Ok(vec![Sample::ms("matplotlib PNG", "bare python", ms)])
            }
            Entrant::AskResident => self.ask(Residence::Resident).await,
            Entrant::AskCold => self.ask(Residence::Cold).await,
            Entrant::AssayVersion => {
                let (ms, _) = timed(bare::assay(&self.setup, Residence::Resident).arg("--version"))?;
                Ok(vec![Sample::ms("ask", "assay --version", ms)])
            }
            Entrant::BareImport => {
                let (ms, _) = timed(bare::python(&self.setup).args(["-c", "import pandas"]))?;
                Ok(vec![Sample::ms("ask", "bare python import pandas", ms)])
            }
        }
    }

    async fn cold_pass(&self) -> anyhow::Result<Vec<Sample>> {
        let begun = Instant::now();
        let done = run(&self.pool.cold, PASS, CellOptions::of(Policy::task())).await?;
        let ms = ms_since(begun);
        ensure!(!is_warm(&done), "a cold cell was warm");
        Ok(vec![Sample::ms("cold pass", "assay cold", ms)])
    }

    fn bubblewrap_pass(&self, who: &str, flags: &[&str]) -> anyhow::Result<Vec<Sample>> {
        let Some(bubblewrap) = &self.bubblewrap else { return Ok(Vec::new()) };
        let (ms, _) = timed(bubblewrap.python().args(flags).args(["-c", PASS]))?;
        Ok(vec![Sample::ms("cold pass", who, ms)])
    }

    fn bare_pass(&self, who: &str, flags: &[&str]) -> anyhow::Result<Vec<Sample>> {
        let (ms, _) = timed(Command::new(&self.setup.python).args(flags).args(["-c", PASS]))?;
        Ok(vec![Sample::ms("cold pass", who, ms)])
    }

    async fn warm_sum(&self) -> anyhow::Result<Vec<Sample>> {
        let printed = Arc::new(Mutex::new(None));
        let noted = printed.clone();
        let listener = move |_, _: &str| {
            let now = Instant::now();
            noted.lock().expect("nobody panics while holding it").get_or_insert(now);
        };
        let options = CellOptions { listener: Some(Arc::new(listener)), ..CellOptions::of(Policy::task()) };
        let begun = Instant::now();
        let done = run(&self.pool.warm, SUM, options).await?;
        let ms = ms_since(begun);
        ensure!(is_warm(&done), "a warm cell was cold");
        ensure!(done.stdout.trim() == SUM_PRINTED, "a cell printed `{}`", done.stdout);
        let printed: Option<Instant> = *printed.lock().expect("nobody panics while holding it");
        let printed = printed.context("nobody was told of what was printed")?;
        Ok(vec![
            Sample::ms("pandas sum", "assay warm", ms),
            Sample::ms("pandas sum", "· until it is printed", (printed - begun).as_secs_f64() * 1e3),
            Sample::ms("pandas sum", "· by the broker's clock", done.usage.wall_ms),
            Sample::ms("pandas sum", "· CPU in the cell", done.usage.cpu_ms),
        ])
    }

    /// As an analysis does it: a fresh cell parses, opens the file and queries it.
    async fn warm_query(&self) -> anyhow::Result<Vec<Sample>> {
        let inputs = vec![Input { name: FILE_INSIDE.into(), path: self.setup.rows() }];
        let options = CellOptions { inputs, ..CellOptions::of(Policy::analysis()) };
        let open = json!({ "path": format!("/work/input/{FILE_INSIDE}") });
        let query = json!({ "sql": QUERY, "rows_max": 1_000, "bytes_max": 16 << 20 });
        let begun = Instant::now();
        let mut cell = self.pool.warm.cell(options).await?;
        let mut marks = vec![("assay warm", 0.0), ("· until the cell is granted", ms_since(begun))];
        let parsed = cell.call("sql.parse", &json!({ "sql": QUERY })).await.map_err(raised)?;
        marks.push(("· until it is parsed", ms_since(begun)));
        cell.call("sql.open", &open).await.map_err(raised)?;
        marks.push(("· until the file is open", ms_since(begun)));
        let table = cell.call("sql.query", &query).await.map_err(raised)?;
        marks[0].1 = ms_since(begun);
        let finished = cell.finish(Stop::Now).await;
        marks.push(("· until the cell is gone", ms_since(begun)));
        let isolation = finished.report.and_then(|report| report.isolation).context("the cell says nothing")?;
        ensure!(isolation.warm, "a warm cell was cold");
        ensure!(parsed["error"].is_null() && parsed["statements"] == 1, "the statement was parsed as {parsed}");
        self.check_rows(&table["rows"])?;
        Ok(marks.into_iter().map(|(who, ms)| Sample::ms("query, 10 M rows", who, ms)).collect())
    }

    /// Every row as the open process gave it first, whichever way a number is written.
    fn check_rows(&self, rows: &Value) -> anyhow::Result<()> {
        let numbers = |rows: &Value| -> Option<Vec<Vec<f64>>> {
            let number = |cell: &Value| cell.as_f64().or_else(|| cell.as_str()?.parse().ok());
            let row = |row: &Value| row.as_array()?.iter().map(number).collect::<Option<Vec<f64>>>();
            rows.as_array()?.iter().map(row).collect()
        };
        let found = numbers(rows).context("the rows are none")?;
        let counted: f64 = found.iter().filter_map(|row| row.get(2)).sum();
        ensure!(found.len() == 100 && counted == self.rows as f64, "{} groups, {counted} rows", found.len());
        ensure!(Some(found) == numbers(&self.expected), "the rows are others than before");
        Ok(())
    }

    async fn warm_chart(&mut self) -> anyhow::Result<Vec<Sample>> {
        self.charts += 1;
        let out = self.setup.folder(&format!("charts/{}", self.charts))?;
        let options = CellOptions { out: Some(out.clone()), ..CellOptions::of(Policy::task()) };
        let begun = Instant::now();
        let done = run(&self.pool.warm, CHART, options).await?;
        let ms = ms_since(begun);
        ensure!(is_warm(&done), "a warm cell was cold");
        ensure!(done.files.len() == 1, "{} files came back", done.files.len());
        check_png(&std::fs::read(out.join("chart.png"))?)?;
        std::fs::remove_dir_all(&out)?;
        Ok(vec![
            Sample::ms("matplotlib PNG", "assay warm", ms),
            Sample::ms("matplotlib PNG", "· CPU in the cell", done.usage.cpu_ms),
        ])
    }

    async fn ask(&self, residence: Residence) -> anyhow::Result<Vec<Sample>> {
        let before = self.pool.status().await?;
        let mut command = bare::assay(&self.setup, residence);
        command.args(["ask", "ecommerce", QUESTION, "--json", "--no-cache", "--data-dir"]);
        let (ms, answer) = timed(command.arg(self.setup.data_of_commands()))?;
        let answer: Value = serde_json::from_str(&answer)?;
        let after = self.pool.status().await?;
        ensure!(answer["status"] == "answered" && answer["cached"] == false, "no fresh answer, but: {answer}");
        let asked = (after.hits + after.misses) - (before.hits + before.misses);
        ensure!((asked > 0) == (residence == Residence::Resident), "{residence:?}: the broker had {asked} orders");
        if residence == Residence::Cold {
            return Ok(vec![Sample::ms("ask", "assay cold (broker off)", ms)]);
        }
        let phase = |name: &str| answer["timing_ms"][name].as_f64().unwrap_or(f64::NAN);
        let mut samples = vec![Sample::ms("ask", "assay resident", ms)];
        samples.extend(PHASES.iter().map(|name| Sample::ms("ask", format!("· timing_ms.{name}"), phase(name))));
        samples.push(Sample::ms("ask", "· the process around it", ms - phase("total")));
        Ok(samples)
    }
}

/// Runs a program that must come to a good end.
pub async fn run(sandbox: &Sandbox, code: &str, options: CellOptions) -> anyhow::Result<Execution> {
    let done = sandbox::execute(sandbox, code, "bench.py", options).await?;
    ensure!(done.outcome == Outcome::Ok, "a program came to {:?}: {:?} {}", done.outcome, done.error, done.stderr);
    Ok(done)
}

/// Whether its kernel was already running.
pub fn is_warm(done: &Execution) -> bool {
    done.isolation.as_ref().is_some_and(|isolation| isolation.warm)
}

fn raised(error: CallError) -> anyhow::Error {
    anyhow!("a kernel's function failed: {error:?}")
}

fn check_png(bytes: &[u8]) -> anyhow::Result<()> {
    ensure!(bytes.starts_with(b"\x89PNG\r\n") && bytes.len() > 2_000, "no picture, but {} bytes", bytes.len());
    Ok(())
}
