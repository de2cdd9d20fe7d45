//! `cargo xtask web`: the page's types, the tools by the usual client of MCP, and the page's tests in a browser, against
//! the program that was just built.
//!
//! What it needs of this machine (Node, npm, a Chromium) is not needed to build the program, so that where it cannot be had,
//! what is not tested is named and counted instead of failing. `--shots DIR` makes the pictures of the README the same way.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use crate::ci::BUILD;
use crate::workspace::{Workspace, exit_code};

/// Below the workspace.
const WEB: &str = "crates/server/web";
const LOCK: &str = "package-lock.json";
/// What each check is called where it is skipped.
const CHECKS: [&str; 3] =
    ["types of the page (tsc --checkJs)", "tools by their usual client (MCP)", "the page in a browser"];
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const PACKAGES: [&str; 3] = ["chromium", "fonts-inter", "fonts-jetbrains-mono"];

/// What to do with the page.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// Check and test it.
    Tests,
    /// Pictures of it, into this folder.
    Shots(&'a str),
}

/// Provides what the page's tests need, and starts them.
pub fn run(workspace: &Workspace, wanted: Wanted) -> anyhow::Result<u8> {
    let web = workspace.root.join(WEB);
    ensure_plain(&web.join(LOCK))?;
    if let Some(reason) = provide_packages(&web)? {
        return Ok(skipped(&CHECKS, &reason));
    }
    if let Wanted::Tests = wanted {
        let mut types = Command::new("node");
        let code = exit_code(types.current_dir(&web).args(["node_modules/typescript/bin/tsc", "-p", "jsconfig.json"]))?;
        if code != 0 {
            eprintln!("error: the page's types do not hold");
            return Ok(code);
        }
    }
    let code = exit_code(&mut workspace.cargo(BUILD))?;
    if code != 0 {
        return Ok(code);
    }
    if let Wanted::Tests = wanted {
        let mut tools = Command::new("node");
        tools.current_dir(&web).env("ASSAY", workspace.assay()?);
        let code = exit_code(tools.args(["--test", "--test-reporter=spec", "tests/mcp.test.mjs"]))?;
        if code != 0 {
            return Ok(code);
        }
    }
    let Some(browser) = browser() else {
        return Ok(skipped(&CHECKS[2..], "there is no Chromium (CHROMIUM can name one)"));
    };
    let mut node = Command::new("node");
    node.current_dir(&web).env("ASSAY", workspace.assay()?).env("CHROMIUM", browser);
    match wanted {
        Wanted::Tests => node.args(["--test", "--test-reporter=spec", "tests/page.test.mjs", "tests/solve.test.mjs"]),
        Wanted::Shots(folder) => node.arg("tests/shots.mjs").arg(std::path::absolute(folder)?),
    };
    exit_code(&mut node)
}

/// Says what is not tested, and why.
fn skipped(checks: &[&str], reason: &str) -> u8 {
    println!("web: skipped {} of {} checks, because {reason}: {}", checks.len(), CHECKS.len(), checks.join("; "));
    0
}

/// A lock file that says where packages lie would be wrong for everybody who gets them elsewhere.
fn ensure_plain(lock: &Path) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(lock).with_context(|| format!("cannot read {}", lock.display()))?;
    ensure!(
        !text.contains("\"resolved\""),
        "{} names addresses: write it with `omit-lockfile-registry-resolved`",
        LOCK
    );
    Ok(())
}

/// Installs the packages of the lock file, unless they are there; why not, where that cannot be.
fn provide_packages(web: &Path) -> anyhow::Result<Option<String>> {
    for program in ["node", "npm"] {
        if !works(program) {
            return Ok(Some(format!("there is no `{program}`")));
        }
    }
    let installed = web.join("node_modules/.package-lock.json");
    let time = |path: &Path| std::fs::metadata(path).and_then(|known| known.modified()).ok();
    if time(&installed).is_some_and(|then| Some(then) >= time(&web.join(LOCK))) {
        return Ok(None);
    }
    let mut npm = Command::new("npm");
    npm.current_dir(web).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
    let code = exit_code(&mut npm)?;
    Ok((code != 0).then(|| "`npm ci` cannot get the packages of the tests".to_string()))
}

/// The browser that `CHROMIUM` names, or one that is installed, or one that root can install.
fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(PathBuf::from(named));
    }
    installed().or_else(|| {
        install();
        installed()
    })
}

fn installed() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let paths = BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    paths.into_iter().find(|path| path.is_file())
}

/// Only a machine that is ours (a container of CI) has no need to be asked.
fn install() {
    if !(works("apt-get") && is_root()) {
        return;
    }
    println!("web: installing {} with apt-get", PACKAGES.join(", "));
    let quiet = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        apt.args(arguments).args(PACKAGES.iter().filter(|_| arguments[0] == "install"));
        apt.env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let is_done = quiet(&["update"]) && quiet(&["install", "-y", "--no-install-recommends"]);
    if !is_done {
        println!("web: apt-get could not");
    }
}

fn is_root() -> bool {
    let asked = Command::new("id").arg("-u").output();
    asked.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).trim() == "0")
}

fn works(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
