//! A throw-away Postgres: its own cluster in a folder, on a free loopback port, as durable as it comes.
//!
//! It is a child of this process and told to end with it, so that no way of stopping the measurement leaves it behind.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::places::is_root;
use crate::workspace::output;

const START_MAX: Duration = Duration::from_secs(30);
const STOP_MAX: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(50);
/// Postgres refuses to be root. Debian's package makes the first; everybody has the second.
const UNPRIVILEGED: &[&str] = &["postgres", "nobody"];

/// The programs of an installed Postgres, and who runs them.
pub struct Programs {
    folder: PathBuf,
    user: Option<User>,
}

struct User {
    uid: u32,
    gid: u32,
}

/// A server that ends with this value.
pub struct Server {
    process: Child,
    port: u16,
}

impl Programs {
    /// Those on the search path or where Debian puts them; as root on Debian they are installed if need be. Nothing
    /// where there are none to be had.
    pub fn find() -> anyhow::Result<Option<Programs>> {
        let mut folder = installed();
        if folder.is_none() && is_root() && Path::new("/usr/bin/apt-get").exists() {
            println!("no Postgres here: installing Debian's with apt-get");
            let mut install = Command::new("apt-get");
            install.args(["install", "-y", "--no-install-recommends", "postgresql"]);
            if let Err(error) = output(install.env("DEBIAN_FRONTEND", "noninteractive")) {
                println!("that failed: {error:#}");
            }
            folder = installed();
        }
        let Some(folder) = folder else { return Ok(None) };
        if !is_root() {
            return Ok(Some(Programs { folder, user: None }));
        }
        let user = UNPRIVILEGED.iter().find_map(|name| User::named(name));
        let user = user.with_context(|| format!("none of the users {UNPRIVILEGED:?} exists to run Postgres as"))?;
        Ok(Some(Programs { folder, user: Some(user) }))
    }

    /// What it says of itself, such as `postgres (PostgreSQL) 15.3`.
    pub fn version(&self) -> anyhow::Result<String> {
        Ok(output(Command::new(self.folder.join("postgres")).arg("--version"))?.trim().to_string())
    }

    /// Whether its files belong to another user than ours, who must be able to reach the folder.
    pub fn are_another_users(&self) -> bool {
        self.user.is_some()
    }

    /// Makes a cluster in a new folder below this one and starts it; back when it answers.
    pub fn start(&self, below: &Path) -> anyhow::Result<Server> {
        let cluster = below.join("postgres");
        std::fs::create_dir(&cluster).with_context(|| format!("cannot make `{}`", cluster.display()))?;
        if let Some(user) = &self.user {
            std::os::unix::fs::chown(&cluster, Some(user.uid), Some(user.gid))?;
        }
        let mut initdb = self.command("initdb", below);
        output(initdb.args(["--username=bench", "--auth=trust", "--encoding=UTF8", "--locale=C", "-D"]).arg(&cluster))?;
        let port = free_port()?;
        let log = std::fs::File::create(below.join("postgres.log"))?;
        let mut server = self.command("postgres", below);
        server.args(["-h", "127.0.0.1", "-c", "unix_socket_directories=", "-p", &port.to_string(), "-D"]).arg(&cluster);
        server.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let server = Server { process: server.spawn().context("cannot start postgres")?, port };
        let begun = Instant::now();
        let is_ready = self.folder.join("pg_isready");
        let ready = || output(Command::new(&is_ready).args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()])).is_ok();
        while !ready() {
            if begun.elapsed() > START_MAX {
                let said = std::fs::read_to_string(below.join("postgres.log")).unwrap_or_default();
                bail!("postgres does not answer after {} s: {}", START_MAX.as_secs(), said.trim());
            }
            std::thread::sleep(POLL);
        }
        Ok(server)
    }

    /// A command as the unprivileged user that gets the signal for a fast shutdown when this process ends.
    fn command(&self, program: &str, folder: &Path) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "INT"]).current_dir(folder);
        if let Some(user) = &self.user {
            command.args([format!("--reuid={}", user.uid), format!("--regid={}", user.gid), "--clear-groups".into()]);
        }
        command.arg(self.folder.join(program));
        command
    }
}

impl User {
    fn named(name: &str) -> Option<User> {
        let number = |flag: &str| output(Command::new("id").args([flag, name])).ok()?.trim().parse().ok();
        Some(User { uid: number("-u")?, gid: number("-g")? })
    }
}

impl Server {
    /// The address of a database in it.
    pub fn url(&self, database: &str) -> String {
        format!("postgresql://bench@127.0.0.1:{}/{database}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Std has no signal but SIGKILL, which would leave the server's own children and shared memory to others.
        let asked = output(Command::new("kill").args(["-INT", &self.process.id().to_string()]));
        let begun = Instant::now();
        while asked.is_ok() && begun.elapsed() < STOP_MAX {
            if !matches!(self.process.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(POLL);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).filter_map(|folder| folder.join("initdb").canonicalize().ok());
    let mut folders: Vec<PathBuf> = on_path.filter_map(|found| found.parent().map(Path::to_path_buf)).collect();
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().filter_map(Result::ok);
    let mut versions: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    versions.sort();
    folders.extend(versions.into_iter().rev());
    let whole = |folder: &PathBuf| ["initdb", "postgres", "pg_isready"].iter().all(|name| folder.join(name).is_file());
    folders.into_iter().find(whole)
}

fn free_port() -> anyhow::Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("no free loopback port")?;
    Ok(listener.local_addr()?.port())
}
