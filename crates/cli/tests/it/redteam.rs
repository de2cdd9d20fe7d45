//! SQL that means harm, through the command and with layers switched off.
//!
//! The statements are data (`redteam/statements.txt`, and where it lies beside the project the shared corpus). Three
//! layers stand behind each other: the guard refuses by the parse tree; the engine has its file read-only, its
//! configuration locked and external access off; the cell has no file of the host, no network and limits. `reject` is
//! refused by the first, `bounded` ends at a limit, `allow` works. With the guard off the kernel's `sql.query` gets the
//! text as it is, and with the engine's settings off too, a bare engine does: each line of the table names what stops it
//! then.
//!
//! | word | what stopped it |
//! |---|---|
//! | `read-only` | the file, opened read-only by us; with our settings off, mounted so by the cell |
//! | `locked` | the configuration is locked |
//! | `access` | external access is off |
//! | `engine` | the engine itself knows no such thing, or not in this place |
//! | `no file`, `no network` | the cell: there is nothing of the host in it |
//! | `harmless` | nothing; it ran, and told or changed nothing outside its cell |

mod served;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::tables::rows;
use crate::support::{Place, Ran};

const STATEMENTS: &str = include_str!("redteam/statements.txt");
const LAYERS: &str = include_str!("redteam/layers.py");
const MARKER: &str = "only-the-host-knows-this";
/// What a bounded statement may take, from the start of the command to its end.
const BOUND: Duration = Duration::from_secs(5);
const CLOCK: Duration = Duration::from_secs(13);
/// How many statements of a class there are at least: a suite must not shrink unnoticed.
const CLASS_MIN: usize = 5;
const CLASSES: [&str; 10] =
    ["legit", "file-read", "file-write", "dml", "attach", "ext", "config", "indirection", "leak", "dos"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Must {
    Reject,
    Bounded,
    Allow,
}

#[derive(Clone, Debug, Deserialize)]
struct Statement {
    #[serde(rename = "cat")]
    class: String,
    #[serde(rename = "expect")]
    must: Must,
    sql: String,
    /// What stops it with the guard off, and with the engine's settings off too.
    #[serde(skip)]
    behind: Option<[String; 2]>,
}

/// A place with the table that all statements are about, and things of the host that none may reach.
struct Ground {
    place: Place,
    secret: PathBuf,
    folder: PathBuf,
    database: PathBuf,
}

impl Ground {
    fn new() -> Ground {
        let place = Place::new();
        let row = |id: u32| format!("{id},{},{}.5\n", ["North", "South", "East"][id as usize % 3], id * 37 % 50);
        let table: String = (1..=60).map(row).collect();
        place.file("orders.csv", format!("id,region,amount\n{table}"));
        let secret = place.file("host/secret.csv", format!("word\n{MARKER}\n"));
        let database = place.file("host/other.duckdb", MARKER);
        let folder = place.folder("host/open");
        Ground { place, secret, folder, database }
    }

    fn statements(&self) -> Vec<Statement> {
        let mut class = "";
        let mut statements = Vec::new();
        for line in STATEMENTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix("class ") {
                class = name;
                continue;
            }
            let parts: Vec<&str> = line.splitn(4, " | ").collect();
            let [must, guard, engine, sql] = parts[..] else { panic!("not four parts: {line}") };
            let behind = (guard != "-").then(|| [guard.to_string(), engine.to_string()]);
            let must = serde_json::from_value(json!(must)).expect("one of three words");
            statements.push(Statement { class: class.into(), must, sql: self.filled(sql), behind });
        }
        statements
    }

    fn filled(&self, sql: &str) -> String {
        let text = |path: &Path| path.to_str().expect("a plain path").to_string();
        sql.replace("{secret}", &text(&self.secret))
            .replace("{folder}", &text(&self.folder))
            .replace("{database}", &text(&self.database))
    }

    /// What is wrong with how a statement ended.
    fn wrong(&self, statement: &Statement) -> Option<String> {
        let ran = self.place.assay(["sql", "orders.csv", &statement.sql, "--json"]).run();
        let document = ran.document();
        let shown = document.to_string().chars().take(600).collect::<String>();
        let held = match statement.must {
            Must::Reject => {
                ran.code == Some(1)
                    && document["outcome"] == "refused"
                    && document["table"].is_null()
                    && points(&document)
            }
            Must::Bounded => {
                is_bounded(&ran, &document) && ["ok", "failed", "killed", "refused"].contains(&word(&document))
            }
            Must::Allow => ran.code == Some(0) && !rows(&document["table"]).is_empty(),
        };
        let sql: String = statement.sql.chars().take(120).collect();
        (!held).then(|| format!("{:?} in {:?}: {sql}\n    {shown}", statement.must, ran.elapsed))
    }

    fn all_hold(&self, statements: &[Statement]) {
        // Reads the file once, before two do.
        self.place.json(0, &["sql", "orders.csv", "SELECT count(*) FROM orders"]);
        let wrong = in_halves(statements, |statement| self.wrong(statement));
        assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), statements.len(), wrong.join("\n"));
        self.is_untouched();
    }

    fn is_untouched(&self) {
        assert!(fs::read_dir(&self.folder).expect("our folder").next().is_none(), "something was written");
        assert_eq!(fs::read_to_string(&self.secret).expect("our file"), format!("word\n{MARKER}\n"));
        let count = self.place.json(0, &["sql", "orders.csv", "SELECT count(*), sum(id) FROM orders"]);
        assert_eq!(rows(&count["table"]), [[json!(60), json!(1830)]]);
    }
}

/// What is wrong with each, two at a time.
fn in_halves(statements: &[Statement], wrong: impl Fn(&Statement) -> Option<String> + Sync) -> Vec<String> {
    thread::scope(|scope| {
        let (one, other) = statements.split_at(statements.len() / 2);
        let halves = [one, other].map(|half| scope.spawn(|| half.iter().filter_map(&wrong).collect::<Vec<_>>()));
        halves.into_iter().flat_map(|half| half.join().expect("no panic")).collect()
    })
}

/// Whether a command ends in time. While other tests want the processors too, a cell waits for its own; what it would
/// have taken alone is what counts, and it never takes more than the cell's limit on the clock.
fn is_bounded(ran: &Ran, document: &Value) -> bool {
    let used = |field: &str| Duration::from_secs_f64(document["usage"][field].as_f64().unwrap_or_default() / 1e3);
    let waited = used("wall_ms").saturating_sub(used("cpu_ms"));
    ran.elapsed.saturating_sub(waited) < BOUND && ran.elapsed < CLOCK
}

fn word(document: &Value) -> &str {
    document["outcome"].as_str().unwrap_or_default()
}

/// Whether a refusal says where and why; what is too deep or too long has no token of its own.
fn points(document: &Value) -> bool {
    let findings = document["findings"].as_array().expect("findings");
    let said = |finding: &Value| {
        finding["message"].as_str().is_some_and(|message| !message.is_empty())
            && (finding["span"].is_object() || finding["rule"] == "sql/limit")
    };
    !findings.is_empty() && findings.iter().all(said)
}

fn only(ground: &Ground, must: &[Must]) -> Vec<Statement> {
    ground.statements().into_iter().filter(|statement| must.contains(&statement.must)).collect()
}

#[test]
fn no_class_is_thin() {
    let statements = Ground::new().statements();
    for class in CLASSES {
        let count = statements.iter().filter(|statement| statement.class == class).count();
        assert!(count >= CLASS_MIN, "{class} has {count}");
    }
    assert!(statements.iter().all(|statement| CLASSES.contains(&statement.class.as_str())));
    assert!(statements.len() >= 60, "only {}", statements.len());
}

#[test]
fn attackers_are_refused_and_people_are_served() {
    let ground = Ground::new();
    ground.all_hold(&only(&ground, &[Must::Reject, Must::Allow]));
}

/// None of our bombs would end by itself, so each ends at a limit.
#[test]
fn bombs_end_by_a_limit() {
    let ground = Ground::new();
    let bombs = only(&ground, &[Must::Bounded]);
    let limit = |bomb: &Statement| {
        let ran = ground.place.assay(["sql", "orders.csv", &bomb.sql, "--json"]).run().exits(1);
        let document = ran.document();
        let limit = document["killed_by"].as_str().or(document["error"]["type"].as_str()).unwrap_or_default();
        let held = ["time", "memory", "LimitError"].contains(&limit) && is_bounded(&ran, &document);
        (!held).then(|| format!("{:?}: {document}", ran.elapsed))
    };
    let wrong = in_halves(&bombs, limit);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    ground.is_untouched();
}

/// With the guard off, and then with the engine's settings off too, in a cell as a user's own program gets it.
#[test]
fn each_statement_is_stopped_by_the_layer_behind() {
    let ground = Ground::new();
    let statements: Vec<Statement> = ground.statements().into_iter().filter(|one| one.behind.is_some()).collect();
    let asked: Vec<Value> = statements.iter().map(|one| json!({ "class": one.class, "sql": one.sql })).collect();
    let home = std::env::var("HOME").unwrap_or("/root".into());
    let words = json!([MARKER, ground.place.path(""), home]);
    ground.place.file("layers.py", LAYERS);
    let values = [format!("statements={}", json!(asked)), format!("words={words}")];
    let arguments = ["sandbox", "run", "layers.py", "--data", "orders.csv", "--time", "180s", "--json"];
    let call = ground.place.assay(arguments).arg("--value").arg(&values[0]).arg("--value").arg(&values[1]);
    // It takes nine seconds alone, and many times that beside everything else that is tested at the same time.
    let run = call.time_max(Duration::from_secs(240)).run().exits(0);
    let told = run.document();
    let lines = told["stdout"].as_str().expect("what it printed").lines();
    let found: Vec<Value> = lines.map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!(found.len(), 2 * statements.len(), "{told}");
    let mut wrong = Vec::new();
    let mut table = String::from("| class | statement | guard off | engine's settings off |\n|---|---|---|---|\n");
    for (statement, pair) in statements.iter().zip(found.chunks(2)) {
        let behind = statement.behind.as_ref().expect("they were chosen by it");
        let came = [&pair[0]["word"], &pair[1]["word"]].map(|word| word.as_str().unwrap_or_default());
        table += &format!("| {} | {} | {} | {} |\n", statement.class, statement.sql, came[0], came[1]);
        if came != [behind[0].as_str(), behind[1].as_str()] {
            wrong.push(format!("{}\n  must be {behind:?}\n  came to {came:?}: {:?}", statement.sql, pair));
        }
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    ground.is_untouched();
}

/// Without any limit of ours in the engine, the cell's own end the same bombs.
#[test]
fn a_cell_ends_bombs_that_the_engine_would_not() {
    let ground = Ground::new();
    let bombs = only(&ground, &[Must::Bounded]);
    for bomb in bombs.iter().take(3) {
        let program = "import _duckdb\n_duckdb.connect(':memory:').execute(statement).fetchall()\n";
        ground.place.file("bomb.py", program);
        let value = format!("statement={}", json!(bomb.sql));
        let limits = ["sandbox", "run", "bomb.py", "--time", "2s", "--memory", "512M", "--json", "--value"];
        let ran = ground.place.assay(limits).arg(value).run().exits(1);
        let document = ran.document();
        let ended = document["outcome"] == "killed" || document["error"]["type"] == "OutOfMemoryException";
        assert!(ended && is_bounded(&ran, &document), "{} took {:?}: {document}", bomb.sql, ran.elapsed);
    }
}

fn corpus(test: &str, must: &[Must]) {
    let path = std::env::current_dir()
        .expect("tests run in their crate's folder")
        .join("../../../shared/data/redteam/sql.json");
    let Ok(text) = fs::read_to_string(&path) else {
        return eprintln!("skipped: {test}: {} is not there", path.display());
    };
    let all: Vec<Statement> = serde_json::from_str(&text).expect("a list of statements");
    let chosen: Vec<Statement> = all.into_iter().filter(|one| must.contains(&one.must)).collect();
    assert!(!chosen.is_empty());
    Ground::new().all_hold(&chosen);
}

#[test]
fn the_corpus_is_refused_and_served() {
    corpus("the_corpus_is_refused_and_served", &[Must::Reject, Must::Allow]);
}

#[test]
fn the_corpus_is_bounded() {
    corpus("the_corpus_is_bounded", &[Must::Bounded]);
}
