//! Settings and where each comes from: flag, environment, project file, user file, default, in that order.
//!
//! This is the only place that reads the environment. A project file may lie in a folder that came from a stranger, so
//! it cannot name a program to run, nor a place from which prepared data or an environment would be trusted.

pub(crate) mod chosen;
mod models;
mod searches;
mod serving;
mod telling;
mod weights;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{Choice, Code, Problem, nearest};
use flow::Fault;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::serving::ServeLimits;
pub use self::telling::Collector;
use crate::telemetry::LogFilter;

/// Shorter, and a busy machine looks dead; longer, and a dead one looks busy.
const LEASE_MS: RangeInclusive<u64> = 500..=3_600_000;
/// A century.
const RETENTION_DAYS_MAX: u64 = 36_500;
/// More is no bound.
const CACHE_BYTES_MAX: u64 = 1 << 50;
/// More is no budget.
const AMOUNT_MAX: u64 = 1 << 50;
/// More examples tell a model nothing new.
const MODEL_ROWS: RangeInclusive<u64> = 0..=20;
/// A day.
const MODELS_IDLE_SECONDS_MAX: u64 = 86_400;
/// The table of budgets, whose settings have dots in their names.
const BUDGET: &str = "budget";
/// The table of the server's limits, likewise.
const SERVE: &str = "serve";
const SERVE_DOT: &str = "serve.";
/// The table of models in the user's file.
const MODELS: &str = "models";
/// The table of what models may look in, in the user's file.
const SEARCH: &str = "search";
/// The table of weights in the user's file.
const WEIGHTS: &str = "weights";
/// The file beside the user's data.
const PROJECT_FILE: &str = "assay.toml";

/// The name that stands for no model.
pub const MODEL_OFF: &str = "off";

struct Known {
    name: &'static str,
    variable: &'static str,
    in_project: bool,
    about: &'static str,
}

/// Every setting, once.
const SETTINGS: &[Known] = &[
    Known { name: "data_dir", variable: "ASSAY_DATA_DIR", in_project: false, about: "datasets, runs and artifacts" },
    Known { name: "env_dir", variable: "ASSAY_ENV_DIR", in_project: false, about: "the Python environment of cells" },
    Known { name: "python", variable: "ASSAY_PYTHON", in_project: false, about: "the Python 3.11 to make it from" },
    Known {
        name: "lease_ms",
        variable: "ASSAY_LEASE_MS",
        in_project: false,
        about: "how long a process may give no sign of life before its runs are taken from it",
    },
    Known {
        name: "broker",
        variable: "ASSAY_BROKER",
        in_project: false,
        about: "on: warm kernels stay ready for ten minutes; off: each process makes its own",
    },
    Known { name: "color", variable: "ASSAY_COLOR", in_project: true, about: "auto, always or never" },
    Known {
        name: "retention_days",
        variable: "ASSAY_RETENTION_DAYS",
        in_project: false,
        about: "how long ago a run must have ended to be deleted when old runs are cleared away",
    },
    Known {
        name: "retention_keep",
        variable: "ASSAY_RETENTION_KEEP",
        in_project: false,
        about: "how many of the latest runs to end are kept then however old they are",
    },
    Known {
        name: "cache_bytes",
        variable: "ASSAY_CACHE_BYTES",
        in_project: false,
        about: "what prepared datasets may take together; those not used for longest go first and are made again",
    },
    Known {
        name: "model",
        variable: "ASSAY_MODEL",
        in_project: false,
        about: "who reads what the planner does not: anthropic:MODEL, openai:MODEL, chat:MODEL, ollama:MODEL, command:PROGRAM, a name of yours or off",
    },
    Known {
        name: "model_rows",
        variable: "ASSAY_MODEL_ROWS",
        in_project: false,
        about: "how many rows of each table a model is shown, without columns that look personal; 0 shows none",
    },
    Known {
        name: "models_dir",
        variable: "ASSAY_MODELS_DIR",
        in_project: false,
        about: "the weights of models on this machine",
    },
    Known {
        name: "models_mirror",
        variable: "ASSAY_MODELS_MIRROR",
        in_project: false,
        about: "an address that has what the public hub of weights has, asked instead of it",
    },
    Known {
        name: "models_idle_seconds",
        variable: "ASSAY_MODELS_IDLE_SECONDS",
        in_project: false,
        about: "how long a model on this machine stays loaded after a question",
    },
    Known {
        name: "budget.run.tokens",
        variable: "ASSAY_BUDGET_RUN_TOKENS",
        in_project: false,
        about: "tokens that a model may use for one run at most",
    },
    Known {
        name: "budget.run.usd",
        variable: "ASSAY_BUDGET_RUN_USD",
        in_project: false,
        about: "dollars that a model with prices may cost for one run at most",
    },
    Known {
        name: "budget.run.seconds",
        variable: "ASSAY_BUDGET_RUN_SECONDS",
        in_project: false,
        about: "seconds that a model may take for one run at most",
    },
    Known {
        name: "budget.day.tokens",
        variable: "ASSAY_BUDGET_DAY_TOKENS",
        in_project: false,
        about: "tokens that models may use in a day (UTC) at most",
    },
    Known {
        name: "budget.day.usd",
        variable: "ASSAY_BUDGET_DAY_USD",
        in_project: false,
        about: "dollars that models with prices may cost in a day (UTC) at most",
    },
    Known {
        name: "log",
        variable: "ASSAY_LOG",
        in_project: false,
        about: "what is told on stderr of the work: off, error, warn, info, debug or trace, also by part (info,model=debug)",
    },
    Known {
        name: "otlp_endpoint",
        variable: "OTEL_EXPORTER_OTLP_ENDPOINT",
        in_project: false,
        about: "the collector that spans of the work are sent to (OTLP over HTTP, JSON), such as http://localhost:4318",
    },
    Known {
        name: "serve.body_bytes",
        variable: "ASSAY_SERVE_BODY_BYTES",
        in_project: false,
        about: "what a request to the server may hold, files apart",
    },
    Known {
        name: "serve.upload_bytes",
        variable: "ASSAY_SERVE_UPLOAD_BYTES",
        in_project: false,
        about: "what the files of one request may hold together",
    },
    Known {
        name: "serve.rows",
        variable: "ASSAY_SERVE_ROWS",
        in_project: false,
        about: "how many runs one answer of the server lists at most",
    },
    Known {
        name: "serve.body_seconds",
        variable: "ASSAY_SERVE_BODY_SECONDS",
        in_project: false,
        about: "how long a body, or a part of a file, may take to come",
    },
    Known {
        name: "serve.runs",
        variable: "ASSAY_SERVE_RUNS",
        in_project: false,
        about: "how many runs of one owner the server works on at once",
    },
    Known {
        name: "serve.queue",
        variable: "ASSAY_SERVE_QUEUE",
        in_project: false,
        about: "how many runs of one owner may wait",
    },
    Known {
        name: "serve.connections",
        variable: "ASSAY_SERVE_CONNECTIONS",
        in_project: false,
        about: "how many connections the server has at once; more wait",
    },
    Known {
        name: "serve.readers",
        variable: "ASSAY_SERVE_READERS",
        in_project: false,
        about: "how many readers of live events the server has at once",
    },
];

/// One setting as it was decided.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Setting {
    /// Its name in files.
    pub name: &'static str,
    /// Its value; absent means none.
    pub value: Option<String>,
    /// Such as `flag` or `environment ASSAY_DATA_DIR`.
    pub origin: String,
    /// What it is for.
    pub about: &'static str,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Where the output is a terminal.
    Auto,
    /// Also in files.
    Always,
    /// Nowhere.
    Never,
}

/// What a caller decides itself, before every other place.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Where datasets, runs and artifacts live.
    pub data_dir: Option<PathBuf>,
    /// When to use colour.
    pub color: Option<Color>,
    /// What is told of the work.
    pub log: Option<String>,
}

/// Everything that was decided outside the program.
#[derive(Clone, Debug)]
pub struct Settings {
    /// All of them, in order.
    pub all: Vec<Setting>,
    /// Where datasets, runs and artifacts live.
    pub data_dir: PathBuf,
    /// Where the Python environment lives.
    pub env_dir: PathBuf,
    /// The interpreter to make it from.
    pub python: Option<PathBuf>,
    /// How long a process may give no sign of life.
    pub lease: Duration,
    /// Whether kernels may stay resident.
    pub broker: bool,
    /// Where sockets of this login live.
    pub runtime_dir: Option<PathBuf>,
    /// When to use colour.
    pub color: Color,
    /// How long ago a run must have ended to be pruned.
    pub retention: Duration,
    /// How many of the latest runs to end are not pruned.
    pub retention_keep: u32,
    /// What prepared datasets may take together.
    pub cache_bytes: u64,
    /// The value of `PATH`.
    pub search_path: String,
    /// Where to die, for tests.
    pub fault: Option<Fault>,
    /// The file of the user's own settings, whether or not it is there.
    pub user_file: Option<PathBuf>,
    /// Who reads what the planner does not.
    pub model: Option<String>,
    /// How many rows of each table a model is shown.
    pub model_rows: u32,
    /// Where models are, and the keys to them.
    pub models: model::Directory,
    /// Where the weights of models on this machine live.
    pub models_dir: PathBuf,
    /// Those that can be had.
    pub weights: Vec<model::Weights>,
    /// Who is asked for them instead of the public hub.
    pub models_mirror: Option<String>,
    /// How long such a model stays loaded after a question.
    pub models_idle: Duration,
    /// What a model may cost for one run where nothing else is said.
    pub budget_run: tasks::Budget,
    /// What models may cost in a day.
    pub budget_day: tasks::DayBudget,
    /// Which lines of the log are wanted, if any.
    pub log: Option<LogFilter>,
    /// Who is sent the spans of the work, if anybody.
    pub otlp: Option<Collector>,
    /// What callers of a server may take.
    pub serve: ServeLimits,
    /// Where models may look something up.
    pub searches: tasks::Searches,
}

impl Settings {
    /// Decides every setting.
    pub fn read(flags: &Overrides) -> Result<Settings, Problem> {
        let environment: BTreeMap<String, String> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        decide(flags, &environment, &|path| std::fs::read_to_string(path).ok())
    }
}

type ReadFile<'a> = &'a dyn Fn(&Path) -> Option<String>;

fn decide(
    flags: &Overrides,
    environment: &BTreeMap<String, String>,
    read_file: ReadFile<'_>,
) -> Result<Settings, Problem> {
    let home = environment.get("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let base = |variable: &str, below_home: &str| {
        let given = environment.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        given.or_else(|| home.as_ref().map(|home| home.join(below_home)))
    };
    let user_file = base("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("assay/config.toml"));
    let project = read_settings(Path::new(PROJECT_FILE), read_file, true)?;
    let mut user =
        user_file.as_ref().map(|path| read_settings(path, read_file, false)).transpose()?.unwrap_or_default();
    let around =
        user_file.as_ref().map(|file| models::Surroundings { file, home: home.as_deref(), environment, read_file });
    let defined = match (user.models.take(), &around) {
        (Some(models), Some(around)) => models::definitions(models, around)?,
        _ => BTreeMap::new(),
    };
    let searches = match (user.search.take(), &around) {
        (Some(table), Some(around)) => searches::searches(table, around)?,
        _ => tasks::Searches::default(),
    };
    let weights = weights::weights(user.weights.take(), user_file.as_deref())?;
    let flag = |name: &str| match name {
        "data_dir" => flags.data_dir.as_ref().map(|path| path.display().to_string()),
        "color" => flags.color.map(|choice| format!("{choice:?}").to_lowercase()),
        "log" => flags.log.clone(),
        _ => None,
    };
    let data_default = base("XDG_DATA_HOME", ".local/share").map(|folder| folder.join("assay"));
    let cache = base("XDG_CACHE_HOME", ".cache").map(|folder| folder.join("assay"));
    let in_cache = |name: &str| cache.as_ref().map(|folder| folder.join(name).display().to_string());
    let mut all = Vec::new();
    for known in SETTINGS {
        let default = match known.name {
            "data_dir" => data_default.as_ref().map(|path| path.display().to_string()),
            "env_dir" => in_cache("env"),
            "models_dir" => in_cache("models"),
            "models_idle_seconds" => Some("600".to_string()),
            "lease_ms" => Some("10000".to_string()),
            "broker" => Some("on".to_string()),
            "retention_days" => Some("30".to_string()),
            "retention_keep" => Some("100".to_string()),
            "model_rows" => Some(tasks::EXAMPLE_ROWS.to_string()),
            "cache_bytes" => Some(warehouse::CACHE_BYTES_DEFAULT.to_string()),
            "log" => Some("off".to_string()),
            name if name.starts_with(SERVE_DOT) => serving::default_of(name).map(|number| number.to_string()),
            "color" => {
                let refused = environment.get("NO_COLOR").is_some_and(|value| !value.is_empty());
                Some(if refused { "never" } else { "auto" }.to_string())
            }
            _ => None,
        };
        let of_environment = environment.get(known.variable).filter(|value| !value.is_empty());
        let (value, origin) = if let Some(value) = flag(known.name) {
            (Some(value), "flag".to_string())
        } else if let Some(value) = of_environment {
            (Some(value.clone()), format!("environment {}", known.variable))
        } else if let Some(value) = project.values.get(known.name) {
            (Some(value.clone()), format!("project file {PROJECT_FILE}"))
        } else if let Some(value) = user.values.get(known.name) {
            (Some(value.clone()), "user file".to_string())
        } else {
            (default, "default".to_string())
        };
        all.push(Setting { name: known.name, value, origin, about: known.about });
    }
    let value = |name: &str| all.iter().find(|setting| setting.name == name).and_then(|setting| setting.value.clone());
    // Cells are made by a process with another working directory.
    let place =
        |name: &str| value(name).filter(|text| !text.is_empty()).and_then(|text| std::path::absolute(text).ok());
    let data_dir = place("data_dir").ok_or_else(|| {
        Problem::new(Code::SettingInvalid, "no place for data: HOME is not set")
            .hint("set HOME or ASSAY_DATA_DIR")
            .action(Choice::DataDir)
    })?;
    let color = match value("color").as_deref() {
        Some("always") => Color::Always,
        Some("never") => Color::Never,
        Some("auto") | None => Color::Auto,
        Some(other) => {
            return Err(Problem::new(Code::SettingInvalid, format!("the setting color cannot be `{other}`"))
                .hint("use auto, always or never"));
        }
    };
    let broker = match value("broker").as_deref() {
        Some("off") => false,
        Some("on") | None => true,
        Some(other) => {
            return Err(Problem::new(Code::SettingInvalid, format!("the setting broker cannot be `{other}`"))
                .hint("use on or off"));
        }
    };
    let whole = |name: &str, allowed: RangeInclusive<u64>| whole_number(name, value(name), allowed);
    Ok(Settings {
        lease: Duration::from_millis(whole("lease_ms", LEASE_MS)?),
        retention: Duration::from_secs(whole("retention_days", 0..=RETENTION_DAYS_MAX)? * 24 * 60 * 60),
        retention_keep: whole("retention_keep", 0..=u64::from(u32::MAX))? as u32,
        cache_bytes: whole("cache_bytes", 0..=CACHE_BYTES_MAX)?,
        models_dir: place("models_dir").unwrap_or_else(|| data_dir.join("models")),
        weights,
        models_mirror: value("models_mirror").filter(|address| !address.trim().is_empty()),
        models_idle: Duration::from_secs(whole("models_idle_seconds", 1..=MODELS_IDLE_SECONDS_MAX)?),
        env_dir: place("env_dir").unwrap_or_else(|| data_dir.join("env")),
        python: value("python").map(PathBuf::from),
        broker,
        runtime_dir: environment.get("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute()),
        search_path: environment.get("PATH").cloned().unwrap_or_default(),
        fault: environment
            .get("ASSAY_FAULT")
            .filter(|text| !text.is_empty())
            .map(|text| Fault::parse(text))
            .transpose()?,
        model: value("model").filter(|name| !name.is_empty() && name != MODEL_OFF),
        model_rows: whole("model_rows", MODEL_ROWS)? as u32,
        models: model::Directory { defined, ..providers(environment) },
        budget_run: tasks::Budget {
            tokens_max: amount("budget.run.tokens", value("budget.run.tokens"))?,
            usd_max: dollars("budget.run.usd", value("budget.run.usd"))?,
            seconds_max: amount("budget.run.seconds", value("budget.run.seconds"))?,
        },
        budget_day: tasks::DayBudget {
            tokens_max: amount("budget.day.tokens", value("budget.day.tokens"))?,
            usd_max: dollars("budget.day.usd", value("budget.day.usd"))?,
        },
        log: LogFilter::parse(&value("log").unwrap_or_default())?,
        otlp: telling::collector(value("otlp_endpoint"), environment),
        serve: ServeLimits::read(&|name| whole(name, serving::allowed(name)))?,
        searches,
        data_dir,
        color,
        all,
        user_file,
    })
}

/// Where models are, by the variables that their providers' own programs read.
fn providers(environment: &BTreeMap<String, String>) -> model::Directory {
    let text = |name: &str| environment.get(name).filter(|value| !value.trim().is_empty()).cloned();
    let key = |name: &str| text(name).map(model::Secret::new);
    model::Directory {
        anthropic_key: key("ANTHROPIC_API_KEY"),
        anthropic_base: text("ANTHROPIC_BASE_URL"),
        openai_key: key("OPENAI_API_KEY"),
        openai_base: text("OPENAI_BASE_URL"),
        ollama_host: text("OLLAMA_HOST"),
        read_recorded: Some(|file| flow::recorded(file, "model")),
        run_program: Some(|words, text| Box::pin(sandbox::run_own_program(words, text))),
        ..model::Directory::default()
    }
}

fn whole_number(name: &str, value: Option<String>, allowed: RangeInclusive<u64>) -> Result<u64, Problem> {
    let value = value.unwrap_or_default();
    value.parse().ok().filter(|number| allowed.contains(number)).ok_or_else(|| {
        Problem::new(Code::SettingInvalid, format!("the setting {name} cannot be `{value}`")).hint(format!(
            "use a number between {} and {}",
            allowed.start(),
            allowed.end()
        ))
    })
}

fn amount(name: &str, value: Option<String>) -> Result<Option<u64>, Problem> {
    value.map(|value| whole_number(name, Some(value), 0..=AMOUNT_MAX)).transpose()
}

fn dollars(name: &str, value: Option<String>) -> Result<Option<f64>, Problem> {
    let Some(value) = value else { return Ok(None) };
    let usd = value.parse().ok().filter(|usd: &f64| usd.is_finite() && *usd >= 0.0);
    let invalid = || Problem::new(Code::SettingInvalid, format!("the setting {name} cannot be `{value}`"));
    usd.map(Some).ok_or_else(|| invalid().hint("use an amount of US dollars, such as 2.5"))
}

/// What a file says.
#[derive(Default)]
struct FileSettings {
    values: BTreeMap<String, String>,
    /// The table of models as it stands there.
    models: Option<toml::Value>,
    /// And of weights.
    weights: Option<toml::Value>,
    /// And of what models may look in.
    search: Option<toml::Value>,
}

fn read_settings(path: &Path, read_file: ReadFile<'_>, in_project: bool) -> Result<FileSettings, Problem> {
    let Some(text) = read_file(path) else { return Ok(FileSettings::default()) };
    let invalid = |message: String| Problem::new(Code::SettingInvalid, format!("`{}`: {message}", path.display()));
    let mut table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        invalid(error.message().to_string()).hint("write `name = \"value\"` lines")
    })?;
    let (models, weights, search) = (table.remove(MODELS), table.remove(WEIGHTS), table.remove(SEARCH));
    if in_project && search.is_some() {
        return Err(invalid("what models may look in cannot come from a project".to_string())
            .hint("write [search.web] or [search.files] into your own file"));
    }
    if in_project && (models.is_some() || weights.is_some()) {
        return Err(invalid("models cannot come from a project".to_string())
            .hint("define them in your own file: a model is sent your data, and a key is sent to it"));
    }
    let mut values = BTreeMap::new();
    for (name, value) in flattened(table) {
        let Some(known) = SETTINGS.iter().find(|known| known.name == name) else {
            let names = SETTINGS.iter().map(|known| known.name);
            let close = nearest(&name, names.clone());
            let hint = match close.first() {
                Some(close) => format!("did you mean `{close}`?"),
                None => format!("settings: {}", names.collect::<Vec<_>>().join(", ")),
            };
            return Err(invalid(format!("there is no setting `{name}`")).hint(hint));
        };
        if in_project && !known.in_project {
            return Err(invalid(format!("the setting `{name}` cannot come from a project"))
                .hint(format!("set it in your own file or with {}", known.variable)));
        }
        let value = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            _ => {
                return Err(
                    invalid(format!("the setting `{name}` must be a text or a number")).hint("put it in quotes")
                );
            }
        };
        values.insert(name, value);
    }
    Ok(FileSettings { values, models, weights, search })
}

/// `[budget.run]` with `tokens` below it is the setting `budget.run.tokens`.
fn flattened(table: toml::Table) -> Vec<(String, toml::Value)> {
    let mut flat = Vec::new();
    for (name, value) in table {
        match value {
            toml::Value::Table(below) if name == BUDGET || name == SERVE || name.starts_with("budget.") => {
                let below = below.into_iter().map(|(last, value)| (format!("{name}.{last}"), value));
                flat.extend(flattened(below.collect()));
            }
            value => flat.push((name, value)),
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(environment: &[(&str, &str)], files: &[(&str, &str)]) -> Result<Settings, Problem> {
        let flags = Overrides::default();
        let environment = environment.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let files: BTreeMap<PathBuf, String> =
            files.iter().map(|(path, text)| (PathBuf::from(path), text.to_string())).collect();
        decide(&flags, &environment, &|path| files.get(path).cloned())
    }

    #[test]
    fn the_nearer_source_wins_and_is_named() {
        let user = "color = \"never\"\ndata_dir = \"/user\"";
        let files = [("assay.toml", "color = \"always\""), ("/h/.config/assay/config.toml", user)];
        let settings = decided(&[("HOME", "/h")], &files).expect("all is well");
        assert_eq!(settings.data_dir, Path::new("/user"));
        let color = settings.all.iter().find(|setting| setting.name == "color").expect("it is one of them");
        assert_eq!(color.origin, "project file assay.toml");
        assert_eq!(settings.color, Color::Always);
        let settings = decided(&[("HOME", "/h"), ("ASSAY_DATA_DIR", "/e")], &files).expect("all is well");
        assert_eq!(settings.data_dir, Path::new("/e"));
    }

    #[test]
    fn a_project_cannot_name_a_program_or_a_place() {
        let model = "[models.a]\nprovider = \"command\"\nmodel = \"./evil\"";
        for text in ["python = \"./evil\"", "data_dir = \"./forged\"", "env_dir = \"./forged\"", model] {
            let problem = decided(&[("HOME", "/h")], &[("assay.toml", text)]).expect_err("refused");
            assert_eq!(problem.code, Code::SettingInvalid, "{text}");
        }
    }

    #[test]
    fn how_long_runs_are_kept_is_the_users_own_affair() {
        let settings = decided(&[("HOME", "/h")], &[]).expect("all is well");
        assert_eq!((settings.retention.as_secs(), settings.retention_keep), (30 * 86_400, 100));
        let user = [("/h/.config/assay/config.toml", "retention_days = 7\nretention_keep = \"5\"")];
        let settings = decided(&[("HOME", "/h"), ("ASSAY_RETENTION_KEEP", "0")], &user).expect("all is well");
        assert_eq!((settings.retention.as_secs(), settings.retention_keep), (7 * 86_400, 0));
        for text in ["retention_days = 0", "retention_keep = 0"] {
            let problem = decided(&[("HOME", "/h")], &[("assay.toml", text)]).expect_err("refused");
            assert_eq!(problem.code, Code::SettingInvalid, "{text}");
        }
        for days in ["-1", "1.5", "36501", "99999999999999999999", "many"] {
            let problem = decided(&[("HOME", "/h"), ("ASSAY_RETENTION_DAYS", days)], &[]).expect_err("refused");
            assert_eq!(problem.code, Code::SettingInvalid, "{days}");
        }
    }

    #[test]
    fn how_much_is_kept_prepared_is_a_number_of_bytes() {
        let settings = decided(&[("HOME", "/h")], &[]).expect("all is well");
        assert_eq!(settings.cache_bytes, 10 << 30);
        let settings = decided(&[("HOME", "/h"), ("ASSAY_CACHE_BYTES", "0")], &[]).expect("all is well");
        assert_eq!(settings.cache_bytes, 0);
        for wrong in ["10G", "-1", "1e9"] {
            let problem = decided(&[("HOME", "/h"), ("ASSAY_CACHE_BYTES", wrong)], &[]).expect_err("refused");
            assert_eq!(problem.code, Code::SettingInvalid, "{wrong}");
        }
    }

    #[test]
    fn budgets_stand_in_tables_of_their_own() {
        let file = "/h/.config/assay/config.toml";
        let user = [(file, "[budget.run]\ntokens = 5\nusd = 0.5\n[budget.day]\nusd = 2\n")];
        let settings = decided(&[("HOME", "/h"), ("ASSAY_BUDGET_DAY_TOKENS", "7")], &user).expect("all is well");
        let (run, day) = (settings.budget_run, settings.budget_day);
        assert_eq!((run.tokens_max, run.usd_max, run.seconds_max), (Some(5), Some(0.5), None));
        assert_eq!((day.tokens_max, day.usd_max), (Some(7), Some(2.0)));
        for wrong in ["[budget.run]\ntoken = 5", "[budget.run]\nusd = -1", "[budget]\nday = 5", "budget = 1"] {
            let problem = decided(&[("HOME", "/h")], &[(file, wrong)]).expect_err(wrong);
            assert_eq!(problem.code, Code::SettingInvalid, "{wrong}");
        }
        assert!(decided(&[("HOME", "/h")], &[("assay.toml", "[budget.run]\ntokens = 5")]).is_err());
    }

    #[test]
    fn models_look_nowhere_unless_the_user_says_where() {
        let file = "/h/.config/assay/config.toml";
        let decided = |text: &str| decided(&[("HOME", "/h")], &[(file, text)]);
        assert!(decided("").expect("all is well").searches.tools().is_empty());
        let web = "[search.web]\nurl = \"http://127.0.0.1:1/s\"\nhosts = { \"a.example\" = \"MIT\", b = \"\" }\n";
        let searches = decided(&format!("{web}[search.files]\nfolders = [\"~/notes\"]")).expect("right").searches;
        assert_eq!((searches.tools().len(), searches.folders), (2, vec![PathBuf::from("/h/notes")]));
        let hosts = searches.web.expect("a search engine").hosts;
        assert_eq!((hosts["a.example"].as_deref(), &hosts["b"]), (Some("MIT"), &None));
        for wrong in [
            "search = 1".to_string(),
            web.replace("127.0.0.1", "search.example"),
            web.replace("hosts = { \"a.example\" = \"MIT\", b = \"\" }", "hosts = {}"),
            web.replace("url", "adress"),
            "[search.files]\nfolders = \"a\"".to_string(),
        ] {
            assert_eq!(decided(&wrong).expect_err(&wrong).code, Code::SettingInvalid, "{wrong}");
        }
        let project = super::decide(&Overrides::default(), &BTreeMap::from([("HOME".into(), "/h".into())]), &|path| {
            (path == Path::new("assay.toml")).then(|| web.to_string())
        });
        assert!(project.is_err(), "a project names no place to look in");
    }

    #[test]
    fn without_a_home_a_place_must_be_named() {
        assert_eq!(decided(&[], &[]).expect_err("nowhere to go").code, Code::SettingInvalid);
    }
}
