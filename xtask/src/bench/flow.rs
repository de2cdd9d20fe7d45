//! `cargo xtask bench flow`: what a durable step costs here, beside DBOS for Python and beside the disk itself.
//!
//! Every round takes each setting in turn and in it every contestant, another one first each time, so that all meet the
//! same load. Each contestant is a process that warms up, times itself, and prints numbers only for right results.

mod places;
mod postgres;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use self::places::{Ground, is_open_to_all};
use self::postgres::{Programs, Server};
use self::table::{Cell, Contestant, DISK_1, DISK_8, GOALS, Place, Sample, Setting, TMPFS_1};
use super::{load, python};
use crate::workspace::{Workspace, exit_code, output};

const ROUNDS: usize = 5;
const STEPS: usize = 5;
const FLOOR_COMMITS: usize = 2000;
const CONTESTANTS: &[Contestant] =
    &[Contestant::Assay, Contestant::DbosSqlite, Contestant::DbosPostgres, Contestant::Floor];
const SETTINGS: &[Setting] = &[DISK_1, DISK_8, TMPFS_1];
const BUILD: &[&str] = &["build", "--release", "--locked", "-p", "flow", "--example", "steps"];
const FLOOR: &str = include_str!("flow/floor.py");
/// The peer and the version that is measured.
const PEER_PACKAGE: &str = "dbos==3.3.0";
const PEER: &str = include_str!("flow/dbos_peer.py");

/// How many runs are timed: enough for a median, and for us, who need less time for each, enough for the CPU clock.
fn runs_of(contestant: Contestant, setting: Setting) -> usize {
    match (contestant, setting.concurrency) {
        (Contestant::Assay, 1) => 600,
        (Contestant::Assay, _) => 1000,
        (Contestant::DbosSqlite, 1) => 40,
        (Contestant::DbosSqlite, _) => 80,
        (Contestant::DbosPostgres, 1) => 60,
        (Contestant::DbosPostgres, _) => 120,
        (Contestant::Floor, _) => FLOOR_COMMITS,
    }
}

/// Everything that is needed to measure one contestant in one setting.
struct Contest {
    driver: PathBuf,
    python: PathBuf,
    /// What a step of ours writes to its rows, and the floor to its one.
    step_bytes: u64,
    /// Stopped before the folders they lie in are removed.
    servers: Vec<(Place, Server)>,
    grounds: Vec<Ground>,
}

/// Measures and prints; the numbers do not change the exit code.
pub fn run(workspace: &Workspace) -> anyhow::Result<u8> {
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    let contest = Contest::prepare(workspace.target()?)?;
    contest.introduce(workspace)?;
    println!("{}", table::heading());
    let mut rounds = Vec::new();
    for number in 1..=ROUNDS {
        rounds.push(contest.round(number)?);
    }
    println!("\nmedians of {ROUNDS} rounds\n{}", table::heading());
    let all: Vec<&Cell> = rounds.iter().flatten().collect();
    for middle in table::middles(&all) {
        println!("{}", table::row("p50", &middle));
    }
    println!("\nratios of the medians");
    for goal in GOALS {
        println!("{}", goal.line(&rounds));
    }
    Ok(0)
}

impl Contest {
    fn prepare(target: &Path) -> anyhow::Result<Contest> {
        let python = python::provide(target, PEER_PACKAGE)?;
        let driver = target.join("release/examples/steps");
        let mut grounds = vec![Ground::disk(target)?];
        match Ground::tmpfs()? {
            Some(ground) => grounds.push(ground),
            None => println!("tmpfs: not measured: this machine has none in the usual place"),
        }
        let mut contest = Contest { driver, python, step_bytes: 0, servers: Vec::new(), grounds };
        contest.servers = contest.start_servers()?;
        let (_, line) = contest.measure(Contestant::Assay, DISK_1, "rehearsal")?;
        contest.step_bytes = line["step_bytes"].as_u64().context("the driver did not say how much a step writes")?;
        Ok(contest)
    }

    fn start_servers(&self) -> anyhow::Result<Vec<(Place, Server)>> {
        let Some(programs) = Programs::find()? else {
            println!("{}: not measured: no Postgres", Contestant::DbosPostgres);
            return Ok(Vec::new());
        };
        println!("{}: {}, default durability (fsync on)", Contestant::DbosPostgres, programs.version()?);
        let mut servers = Vec::new();
        for ground in &self.grounds {
            let folder = ground.folder.path();
            if programs.are_another_users() && !is_open_to_all(folder) {
                println!("not measured there: another user than root cannot reach `{}`", folder.display());
                continue;
            }
            servers.push((ground.place, programs.start(folder)?));
        }
        Ok(servers)
    }

    /// Says what is measured, with what and on what.
    fn introduce(&self, workspace: &Workspace) -> anyhow::Result<()> {
        println!("\nbench flow: runs of {STEPS} trivial steps, {ROUNDS} rounds, every commit synced");
        let version = |name: &str| {
            let packages = workspace.metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
            let found = packages.iter().find(|package| package["name"] == name);
            found.and_then(|package| package["version"].as_str()).unwrap_or("?").to_string()
        };
        let [rusqlite, sqlite] = [version("rusqlite"), version("libsqlite3-sys")];
        println!("assay: {} (release profile; rusqlite {rusqlite}, libsqlite3-sys {sqlite})", self.driver.display());
        println!("DBOS, floor: {}", python::versions(&self.python, &["dbos", "SQLAlchemy", "psycopg"])?);
        println!("floor: one row of {} bytes, what a step of ours leaves, inserted and committed", self.step_bytes);
        for ground in &self.grounds {
            let place = Setting { place: ground.place, concurrency: 1 };
            let folder = ground.folder.path().display();
            println!("{}: {} in `{folder}`", place.to_string().trim_end_matches(" c=1"), ground.file_system);
        }
        let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = processor.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        println!("machine: {cores} cores,{}, load average {}", processor.trim_start_matches(['\t', ':']), load());
        Ok(())
    }

    fn round(&self, number: usize) -> anyhow::Result<Vec<Cell>> {
        println!("{:>6}  load average {}", number, load());
        let mut cells = Vec::new();
        for setting in SETTINGS {
            for contestant in rotated(CONTESTANTS, number - 1) {
                if !self.takes_part(contestant, *setting) {
                    continue;
                }
                match self.measure(contestant, *setting, &number.to_string()) {
                    Ok((sample, _)) => {
                        let cell = Cell { contestant, setting: *setting, sample };
                        println!("{}", table::row(&number.to_string(), &cell));
                        cells.push(cell);
                    }
                    Err(error) if contestant == Contestant::Assay => return Err(error),
                    // A peer that gives up under load loses its round, not everybody's.
                    Err(error) => println!("{number:>6}  {setting:<9} {contestant:<14} failed: {error:#}"),
                }
            }
        }
        Ok(cells)
    }

    fn takes_part(&self, contestant: Contestant, setting: Setting) -> bool {
        let has_ground = self.grounds.iter().any(|ground| ground.place == setting.place);
        has_ground
            && match contestant {
                Contestant::Assay | Contestant::DbosSqlite => true,
                Contestant::DbosPostgres => self.servers.iter().any(|(place, _)| *place == setting.place),
                // One writer at a time: more would only wait for each other.
                Contestant::Floor => setting.concurrency == 1,
            }
    }

    /// In a folder, or a database, that nobody has used before.
    fn measure(&self, contestant: Contestant, setting: Setting, label: &str) -> anyhow::Result<(Sample, Value)> {
        let ground = self.grounds.iter().find(|ground| ground.place == setting.place).context("no such place")?;
        let folder = tempfile::tempdir_in(ground.folder.path()).context("cannot make a folder to measure in")?;
        let file = folder.path().to_str().context("the folder's name is no text")?;
        let runs = runs_of(contestant, setting).to_string();
        let numbers = [setting.concurrency.to_string(), runs.clone(), STEPS.to_string()];
        let mut command = match contestant {
            Contestant::Assay => {
                let mut command = Command::new(&self.driver);
                command.arg(folder.path().join("data")).args(numbers);
                command
            }
            Contestant::DbosSqlite => self.python(PEER, &format!("sqlite:///{file}/dbos.db"), &numbers),
            Contestant::DbosPostgres => {
                let server = self.servers.iter().find(|(place, _)| *place == setting.place);
                let (_, server) = server.context("no server there")?;
                let url = server.url(&format!("bench_{label}_{}", setting.concurrency));
                self.python(PEER, &url, &numbers)
            }
            Contestant::Floor => self.python(FLOOR, file, &[runs, self.step_bytes.to_string()]),
        };
        let said = output(&mut command).with_context(|| format!("{contestant} on {setting}"))?;
        let line: Value = match said.lines().last().map(serde_json::from_str) {
            Some(Ok(line)) => line,
            _ => bail!("{contestant} on {setting} did not print a JSON line, but: {}", said.trim()),
        };
        let sample = Sample::read(&line)
            .map_err(|name| anyhow::anyhow!("{contestant} on {setting} says nothing of `{name}`: {line}"))?;
        ensure!(sample.p50_ms > 0.0, "{contestant} on {setting} took no time: {line}");
        Ok((sample, line))
    }

    fn python(&self, program: &str, first: &str, numbers: &[String]) -> Command {
        let mut command = Command::new(&self.python);
        command.args(["-s", "-c", program, first]).args(numbers);
        command
    }
}

/// The same in the same order, beginning later.
fn rotated(contestants: &[Contestant], by: usize) -> impl Iterator<Item = Contestant> {
    let length = contestants.len();
    (0..length).map(move |place| contestants[(place + by) % length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_first_once_and_nobody_is_left_out() {
        let firsts: Vec<_> = (0..CONTESTANTS.len()).filter_map(|by| rotated(CONTESTANTS, by).next()).collect();
        assert_eq!(firsts, CONTESTANTS);
        for by in 0..ROUNDS {
            assert!(CONTESTANTS.iter().all(|one| rotated(CONTESTANTS, by).any(|other| other == *one)), "{by}");
        }
    }
}
