//! Documents about this machine: what it gives, what is missing, the broker, the settings; and what the guard says of a
//! program. Whatever is said was found out by trying.

use base::{Action, Choice, Code, Document, Finding, FindingInLine, Problem, Severity};
use flow::Store;
use guard::python;
use sandbox::{BrokerStatus, Environment, Facility, FacilityStatus, Set, probe};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::settings::{Setting, Settings};

/// What this machine gives and what is missing.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Doctor {
    /// Whether nothing that is required is missing.
    pub ok: bool,
    /// One for each thing that was tried.
    pub checks: Vec<Check>,
}

impl Document for Doctor {
    const KIND: &'static str = "doctor";
}

/// One thing that was tried.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Check {
    /// Such as `sandbox.memory`.
    pub id: &'static str,
    /// How it is.
    pub status: CheckStatus,
    /// Whether nothing runs without it.
    pub required: bool,
    /// What was found.
    pub found: String,
    /// What that means.
    pub message: String,
    /// What to do about it.
    pub fix: Option<String>,
    /// The same for a front door, which adds to `fix` how it is done there.
    #[serde(skip)]
    pub actions: Vec<Action>,
}

/// How something is that was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum CheckStatus {
    Ok,
    Degraded,
    Missing,
}

impl CheckStatus {
    /// The word in the machine interface.
    pub fn as_str(self) -> &'static str {
        match self {
            CheckStatus::Ok => "ok",
            CheckStatus::Degraded => "degraded",
            CheckStatus::Missing => "missing",
        }
    }
}

impl Check {
    fn ok(id: &'static str, found: &str, message: &str) -> Check {
        let (found, message) = (found.to_string(), message.to_string());
        Check { id, status: CheckStatus::Ok, required: true, found, message, fix: None, actions: Vec::new() }
    }

    fn missing(id: &'static str, found: &str, problem: &Problem) -> Check {
        Check {
            status: CheckStatus::Missing,
            fix: problem.hint.clone(),
            actions: problem.actions.clone(),
            ..Check::ok(id, found, &problem.message)
        }
    }
}

impl Doctor {
    /// Tries everything.
    pub async fn examine(app: &App) -> Doctor {
        let mut checks = vec![data_dir(app), store(app).await];
        checks.extend(cells(app).await);
        checks.push(broker(app).await);
        checks.push(model(app));
        checks.push(memory(app));
        Doctor { ok: holds(&checks), checks }
    }
}

fn holds(checks: &[Check]) -> bool {
    !checks.iter().any(|check| check.status == CheckStatus::Missing && check.required)
}

fn data_dir(app: &App) -> Check {
    let directory = &app.settings.data_dir;
    let shown = directory.display().to_string();
    match warehouse::private_folder(directory) {
        Ok(()) => Check::ok("data_dir", &shown, "datasets, runs and artifacts live here"),
        Err(problem) => Check::missing("data_dir", &shown, &problem),
    }
}

async fn store(app: &App) -> Check {
    match Store::open(&app.settings.data_dir).await {
        Ok(_) => Check::ok("store", "SQLite", "the journal can be read and written"),
        Err(problem) => Check::missing("store", "", &problem),
    }
}

/// The resident broker is a convenience: without one, kernels start cold.
async fn broker(app: &App) -> Check {
    let absent = |found: &str, message: &str| Check {
        status: CheckStatus::Missing,
        required: false,
        ..Check::ok("broker", found, message)
    };
    if !app.settings.broker {
        return Check { actions: vec![Choice::Broker.into()], ..absent("off", "kernels start cold") };
    }
    let sandbox = app.warehouse().sandbox().await.ok();
    match sandbox.and_then(|sandbox| sandbox.broker()) {
        None => absent("none", "kernels start cold"),
        Some(broker) => match broker.status().await {
            Some(status) => {
                let found = format!("{} idle workers", status.idle);
                Check { required: false, ..Check::ok("broker", &found, "warm kernels are resident") }
            }
            None => absent("none", "the next command that runs something starts it"),
        },
    }
}

/// Models on this machine are for whoever wants them: nothing else needs one.
fn model(app: &App) -> Check {
    let local = &app.local;
    let there: Vec<&str> =
        local.models().filter(|weights| local.is_there(weights)).map(|one| one.name.as_str()).collect();
    let found = if there.is_empty() { "no weights".to_string() } else { there.join(", ") };
    let folder = local.directory.display();
    if there.is_empty() {
        let first = local.models().next().map(|weights| Action::PullModel { model: weights.name.clone() });
        return Check {
            status: CheckStatus::Missing,
            required: false,
            fix: Some("none is needed where the planner, or a model elsewhere, answers".to_string()),
            actions: first.into_iter().collect(),
            ..Check::ok("model", &found, &format!("no model is on this machine; weights go to {folder}"))
        };
    }
    if !local.can_run() {
        let pull = Action::PullModel { model: there[0].to_string() };
        return Check {
            status: CheckStatus::Degraded,
            required: false,
            fix: Some("what runs them is fetched with the first question".to_string()),
            actions: vec![pull],
            ..Check::ok("model", &found, &format!("weights are in {folder}, and what runs them is not there"))
        };
    }
    let message = format!("can be asked as local:NAME; weights are in {folder}");
    Check { required: false, ..Check::ok("model", &found, &message) }
}

/// A table of vectors is for whoever wants lessons found that share no word with what is looked for.
fn memory(app: &App) -> Check {
    let local = &app.local;
    match local.table() {
        Some(file) => {
            let message =
                format!("lessons are found by words and by what they are about; the table is {}", file.display());
            Check { required: false, ..Check::ok("memory", "words and vectors", &message) }
        }
        None => Check {
            status: CheckStatus::Missing,
            required: false,
            fix: Some("none is needed: lessons are found by task, by error and by words".to_string()),
            actions: local
                .tables()
                .next()
                .map(|weights| Action::PullModel { model: weights.name.clone() })
                .into_iter()
                .collect(),
            ..Check::ok("memory", "words", "no table of vectors is on this machine")
        },
    }
}

/// The environment and the layers of a cell. A layer that is missing must not be blamed on Python, nor the other way.
async fn cells(app: &App) -> Vec<Check> {
    const LAYERS: [&str; 4] = ["sandbox.namespaces", "sandbox.landlock", "sandbox.seccomp", "sandbox.memory"];
    let directory = app.settings.env_dir.display().to_string();
    let provided = [
        Check::ok("python", "3.11", "the interpreter that cells use was copied"),
        Check::ok("environment", &directory, &installed(app)),
    ];
    let all = |ids: &[&'static str], problem: &Problem| -> Vec<Check> {
        ids.iter().map(|id| Check::missing(id, "", problem)).collect()
    };
    match app.warehouse().sandbox().await {
        Ok(sandbox) => provided.into_iter().chain(probe(sandbox).await.iter().map(facility)).collect(),
        Err(problem) if problem.code == Code::SandboxUnavailable => {
            provided.into_iter().chain(all(&LAYERS, &problem)).collect()
        }
        Err(problem) => {
            let untried = Problem::new(problem.code, "cannot be tried without the environment").hint("mend that first");
            all(&["python", "environment"], &problem).into_iter().chain(all(&LAYERS, &untried)).collect()
        }
    }
}

fn installed(app: &App) -> String {
    let set = Environment::locate(&app.settings.env_dir).map_or("core", |environment| environment.set().name());
    format!("the packages of `{set}` are installed, hashes were checked")
}

fn facility(status: &FacilityStatus) -> Check {
    let (id, message) = match status.facility {
        Facility::Namespaces => ("sandbox.namespaces", "own users, files, processes and network"),
        Facility::Landlock => ("sandbox.landlock", "writes only in scratch space"),
        Facility::Seccomp => ("sandbox.seccomp", "only listed system calls"),
        Facility::Memory if status.degraded => ("sandbox.memory", "memory is watched, not bounded by the kernel"),
        Facility::Memory => ("sandbox.memory", "memory is bounded"),
    };
    let word = match (status.holds, status.degraded) {
        (false, _) => CheckStatus::Missing,
        (true, true) => CheckStatus::Degraded,
        (true, false) => CheckStatus::Ok,
    };
    let actions = if status.degraded && status.fix.is_some() { vec![Action::StopBroker] } else { Vec::new() };
    Check { status: word, fix: status.fix.clone(), actions, ..Check::ok(id, &status.found, message) }
}

/// Which isolation this machine gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Probe {
    /// Whether a cell can be made.
    pub ok: bool,
    /// By which means; null where none can.
    #[schemars(extend("enum" = ["namespaces", "landlock", "docker", "kubernetes", null]))]
    pub tier: Option<&'static str>,
    /// What bounds memory.
    pub memory: Option<String>,
    /// One for each layer.
    pub checks: Vec<Check>,
}

impl Document for Probe {
    const KIND: &'static str = "probe";
}

impl Probe {
    /// Makes a cell and looks at what it is made of.
    pub async fn examine(app: &App) -> Probe {
        let checks = cells(app).await;
        let ok = holds(&checks);
        let memory = checks.iter().find(|check| check.id == "sandbox.memory").map(|check| check.found.clone());
        Probe { ok, tier: ok.then_some("namespaces"), memory, checks }
    }
}

/// The resident broker; where none is, only `running_broker` and `socket` are there.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Broker {
    /// Whether there is one.
    pub running_broker: bool,
    /// Where it listens, or would.
    pub socket: Option<String>,
    /// How it is.
    #[serde(flatten)]
    pub status: Option<BrokerStatus>,
}

impl Document for Broker {
    const KIND: &'static str = "broker";
}

impl Broker {
    /// Asks it.
    pub async fn examine(app: &App) -> Result<Broker, Problem> {
        let broker = app.warehouse().sandbox().await?.broker();
        let status = match broker {
            Some(broker) => broker.status().await,
            None => None,
        };
        let socket = broker.map(|broker| broker.socket().display().to_string());
        Ok(Broker { running_broker: status.is_some(), socket, status })
    }
}

/// Whether there was a broker to end.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct BrokerStop {
    /// Whether it ends now.
    pub stopped: bool,
}

impl Document for BrokerStop {
    const KIND: &'static str = "broker_stop";
}

impl BrokerStop {
    /// Ends it, once what runs has ended.
    pub async fn stop(app: &App) -> Result<BrokerStop, Problem> {
        let stopped = match app.warehouse().sandbox().await?.broker() {
            Some(broker) => broker.stop().await,
            None => false,
        };
        Ok(BrokerStop { stopped })
    }
}

/// Packages that programs can import now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Installed {
    /// The set they are of.
    pub set: &'static str,
    /// Where they are.
    pub packages: String,
}

impl Document for Installed {
    const KIND: &'static str = "installed";
}

impl Installed {
    /// Makes the environment with a set; from then on every cell has it.
    pub async fn install(app: &App, set: Set) -> Result<Installed, Problem> {
        let environment = app.warehouse().install(set).await?;
        Ok(Installed { set: environment.set().name(), packages: environment.packages().display().to_string() })
    }
}

/// Each setting with its value and where it comes from.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Config {
    /// In order.
    pub settings: Vec<Setting>,
}

impl Document for Config {
    const KIND: &'static str = "config";
}

impl From<&Settings> for Config {
    fn from(settings: &Settings) -> Config {
        Config { settings: settings.all.clone() }
    }
}

/// How an assistant is told of the tools that this program lends it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct McpSetup {
    /// Which assistant.
    pub client: String,
    /// Where the text goes.
    pub file: String,
    /// What to put there, or to run.
    pub text: String,
}

impl Document for McpSetup {
    const KIND: &'static str = "mcp_setup";
}

/// What the guard says of a program.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Guard {
    /// As the user named it.
    pub file: String,
    /// Which rules apply.
    #[schemars(extend("enum" = ["analysis", "task"]))]
    pub profile: &'static str,
    /// Whether it would be let through.
    pub ok: bool,
    /// In the order of the text.
    pub findings: Vec<PlacedFinding>,
}

impl Document for Guard {
    const KIND: &'static str = "guard";
}

/// A finding with its place as editors count it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlacedFinding {
    /// The remark and its line.
    #[serde(flatten)]
    pub finding: FindingInLine,
    /// Counted from 1.
    pub column: Option<usize>,
}

impl Guard {
    /// Looks at a program without running it.
    pub fn check(file: &str, text: &str, profile: python::Profile) -> Guard {
        let findings = python::findings(text, profile);
        let place = |finding: Finding| {
            let position = finding.span.map(|span| guard::position(text, span.start));
            let line = position.map(|position| position.line);
            PlacedFinding { finding: FindingInLine { finding, line }, column: position.map(|position| position.column) }
        };
        Guard {
            file: file.to_string(),
            profile: profile.name(),
            ok: !findings.iter().any(|finding| finding.severity == Severity::Error),
            findings: findings.into_iter().map(place).collect(),
        }
    }
}
