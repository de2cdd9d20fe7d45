//! `assay doctor`: what this machine gives and what is missing, found out by trying.

use base::Problem;
use flow::Store;
use sandbox::{Layer, probe};
use serde_json::{Value, json};

use crate::app::App;

/// Checks everything; 1 if something required is missing.
pub async fn run(app: &App) -> Result<u8, Problem> {
    let mut checks = vec![data_dir(app), store(app).await];
    match app.context.sandbox().await {
        Ok(sandbox) => {
            checks.push(check("python", "ok", true, "3.11", "the interpreter of cells", None));
            let directory = app.settings.env_dir.display().to_string();
            checks.push(check("environment", "ok", true, &directory, "packages are installed, hashes were checked", None));
            for layer in probe(sandbox).await {
                let status = match (layer.holds, layer.degraded) {
                    (false, _) => "missing",
                    (true, true) => "degraded",
                    (true, false) => "ok",
                };
                let (id, message) = match layer.layer {
                    Layer::Namespaces => ("sandbox.namespaces", "own users, files, processes and network"),
                    Layer::Landlock => ("sandbox.landlock", "writes only in scratch space"),
                    Layer::Seccomp => ("sandbox.seccomp", "only listed system calls"),
                    Layer::Memory => ("sandbox.memory", "memory is bounded"),
                };
                checks.push(check(id, status, true, &layer.found, message, layer.fix.as_deref()));
            }
        }
        Err(problem) => {
            let hint = problem.hint.as_deref();
            checks.push(check("python", "missing", true, "", &problem.message, hint));
            checks.push(check("environment", "missing", true, "", &problem.message, hint));
            for id in ["sandbox.namespaces", "sandbox.landlock", "sandbox.seccomp", "sandbox.memory"] {
                checks.push(check(id, "missing", true, "", "cannot be tried without the environment", hint));
            }
        }
    }
    let later = "kernels start cold in this version; there is no resident broker yet";
    checks.push(check("broker", "missing", false, "none", later, None));
    let ok = !checks.iter().any(|check| check["status"] == "missing" && check["required"] == true);
    let document = json!({ "v": 1, "kind": "doctor", "ok": ok, "checks": checks });
    app.show(&document, |printer| {
        for check in &checks {
            let text = |field: &str| check[field].as_str().unwrap_or_default().to_string();
            printer.line(&format!("{:<9} {:<19} {} ({})", text("status"), text("id"), text("message"), text("found")));
            if let Some(fix) = check["fix"].as_str() {
                printer.line(&format!("{:<30}fix: {fix}", ""));
            }
        }
    });
    Ok(u8::from(!ok))
}

fn check(id: &str, status: &str, required: bool, found: &str, message: &str, fix: Option<&str>) -> Value {
    json!({ "id": id, "status": status, "required": required, "found": found, "message": message, "fix": fix })
}

fn data_dir(app: &App) -> Value {
    let directory = &app.settings.data_dir;
    let shown = directory.display().to_string();
    match std::fs::create_dir_all(directory) {
        Ok(()) => check("data_dir", "ok", true, &shown, "datasets, runs and artifacts live here", None),
        Err(error) => {
            let fix = "name another with --data-dir or ASSAY_DATA_DIR";
            check("data_dir", "missing", true, &shown, &error.to_string(), Some(fix))
        }
    }
}

async fn store(app: &App) -> Value {
    match Store::open(&app.settings.data_dir).await {
        Ok(_) => check("store", "ok", true, "SQLite", "the journal can be read and written", None),
        Err(problem) => check("store", "missing", true, "", &problem.message, problem.hint.as_deref()),
    }
}
