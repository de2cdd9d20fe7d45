//! `assay doctor`: what this machine gives and what is missing, found out by trying.

use base::{Code, Problem};
use flow::Store;
use sandbox::{Environment, Facility, FacilityStatus, probe};
use serde_json::{Value, json};

use crate::app::App;
use crate::printer::Printer;

/// Checks everything; 1 if something required is missing.
pub async fn run(app: &App) -> Result<u8, Problem> {
    let mut checks = vec![data_dir(app), store(app).await];
    checks.extend(cells(app).await);
    checks.push(broker(app).await);
    let ok = holds(&checks);
    let document = json!({ "v": 1, "kind": "doctor", "ok": ok, "checks": checks });
    app.show(&document, |printer| print(printer, &checks));
    Ok(u8::from(!ok))
}

/// Whether nothing that is required is missing.
pub fn holds(checks: &[Value]) -> bool {
    !checks.iter().any(|check| check["status"] == "missing" && check["required"] == true)
}

/// One line per check, and one for what mends it.
pub fn print(printer: &Printer, checks: &[Value]) {
    for check in checks {
        let text = |field: &str| check[field].as_str().unwrap_or_default().to_string();
        printer.line(&format!("{:<9} {:<19} {} ({})", text("status"), text("id"), text("message"), text("found")));
        if let Some(fix) = check["fix"].as_str() {
            printer.line(&format!("{:<30}fix: {fix}", ""));
        }
    }
}

/// The resident broker is a convenience: without one, kernels start cold.
async fn broker(app: &App) -> Value {
    if !app.settings.broker {
        return check(
            "broker",
            "missing",
            false,
            "off",
            "kernels start cold",
            Some("set ASSAY_BROKER=on, or unset it"),
        );
    }
    let sandbox = app.context.sandbox().await.ok();
    match sandbox.and_then(|sandbox| sandbox.broker()) {
        None => check("broker", "missing", false, "none", "kernels start cold", None),
        Some(broker) => match broker.status().await {
            Some(status) => {
                let found = format!("{} idle workers", status.idle);
                check("broker", "ok", false, &found, "warm kernels are resident", None)
            }
            None => check("broker", "missing", false, "none", "the next command that runs something starts it", None),
        },
    }
}

/// The environment and the layers of a cell. A layer that is missing must not be blamed on Python, nor the other way.
pub async fn cells(app: &App) -> Vec<Value> {
    const LAYERS: [&str; 4] = ["sandbox.namespaces", "sandbox.landlock", "sandbox.seccomp", "sandbox.memory"];
    let directory = app.settings.env_dir.display().to_string();
    let provided = [
        check("python", "ok", true, "3.11", "the interpreter that cells use was copied", None),
        check("environment", "ok", true, &directory, &installed(app), None),
    ];
    let all = |ids: &[&str], problem: &Problem| -> Vec<Value> {
        let missing = |id: &&str| check(id, "missing", true, "", &problem.message, problem.hint.as_deref());
        ids.iter().map(missing).collect()
    };
    match app.context.sandbox().await {
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

fn facility(status: &FacilityStatus) -> Value {
    let word = match (status.holds, status.degraded) {
        (false, _) => "missing",
        (true, true) => "degraded",
        (true, false) => "ok",
    };
    let (id, message) = match status.facility {
        Facility::Namespaces => ("sandbox.namespaces", "own users, files, processes and network"),
        Facility::Landlock => ("sandbox.landlock", "writes only in scratch space"),
        Facility::Seccomp => ("sandbox.seccomp", "only listed system calls"),
        Facility::Memory if status.degraded => ("sandbox.memory", "memory is watched, not bounded by the kernel"),
        Facility::Memory => ("sandbox.memory", "memory is bounded"),
    };
    check(id, word, true, &status.found, message, status.fix.as_deref())
}

fn check(id: &str, status: &str, required: bool, found: &str, message: &str, fix: Option<&str>) -> Value {
    json!({ "id": id, "status": status, "required": required, "found": found, "message": message, "fix": fix })
}

fn data_dir(app: &App) -> Value {
    let directory = &app.settings.data_dir;
    let shown = directory.display().to_string();
    match agent::private_folder(directory) {
        Ok(()) => check("data_dir", "ok", true, &shown, "datasets, runs and artifacts live here", None),
        Err(problem) => check("data_dir", "missing", true, &shown, &problem.message, problem.hint.as_deref()),
    }
}

async fn store(app: &App) -> Value {
    match Store::open(&app.settings.data_dir).await {
        Ok(_) => check("store", "ok", true, "SQLite", "the journal can be read and written", None),
        Err(problem) => check("store", "missing", true, "", &problem.message, problem.hint.as_deref()),
    }
}
