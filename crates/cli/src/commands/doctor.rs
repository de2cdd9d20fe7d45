//! `assay doctor`: what this machine gives and what is missing, found out by trying.

use base::{Code, Problem};
use flow::Store;
use sandbox::{Layer, LayerStatus, probe};
use serde_json::{Value, json};

use crate::app::App;

/// Checks everything; 1 if something required is missing.
pub async fn run(app: &App) -> Result<u8, Problem> {
    let mut checks = vec![data_dir(app), store(app).await];
    checks.extend(cells(app).await);
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

/// The environment and the layers of a cell. A layer that is missing must not be blamed on Python, nor the other way.
async fn cells(app: &App) -> Vec<Value> {
    const LAYERS: [&str; 4] = ["sandbox.namespaces", "sandbox.landlock", "sandbox.seccomp", "sandbox.memory"];
    let directory = app.settings.env_dir.display().to_string();
    let provided = [
        check("python", "ok", true, "3.11", "the interpreter that cells use was copied", None),
        check("environment", "ok", true, &directory, "packages are installed, hashes were checked", None),
    ];
    let all = |ids: &[&str], problem: &Problem| -> Vec<Value> {
        let missing = |id: &&str| check(id, "missing", true, "", &problem.message, problem.hint.as_deref());
        ids.iter().map(missing).collect()
    };
    match app.context.sandbox().await {
        Ok(sandbox) => provided.into_iter().chain(probe(sandbox).await.iter().map(layer)).collect(),
        Err(problem) if problem.code == Code::SandboxUnavailable => {
            provided.into_iter().chain(all(&LAYERS, &problem)).collect()
        }
        Err(problem) => {
            let untried = Problem::new(problem.code, "cannot be tried without the environment").hint("mend that first");
            all(&["python", "environment"], &problem).into_iter().chain(all(&LAYERS, &untried)).collect()
        }
    }
}

fn layer(layer: &LayerStatus) -> Value {
    let status = match (layer.holds, layer.degraded) {
        (false, _) => "missing",
        (true, true) => "degraded",
        (true, false) => "ok",
    };
    let (id, message) = match layer.layer {
        Layer::Namespaces => ("sandbox.namespaces", "own users, files, processes and network"),
        Layer::Landlock => ("sandbox.landlock", "writes only in scratch space"),
        Layer::Seccomp => ("sandbox.seccomp", "only listed system calls"),
        Layer::Memory if layer.degraded => ("sandbox.memory", "memory is watched, not bounded by the kernel"),
        Layer::Memory => ("sandbox.memory", "memory is bounded"),
    };
    check(id, status, true, &layer.found, message, layer.fix.as_deref())
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
