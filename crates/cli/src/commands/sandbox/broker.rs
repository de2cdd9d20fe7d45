//! `assay sandbox probe|status|stop`: what isolation this machine gives, and the resident broker.

use base::Problem;
use sandbox::Broker;
use serde_json::{Value, json};

use crate::app::App;
use crate::commands::doctor;

/// Makes a cell and says what it is made of; 1 where this machine gives none.
pub async fn probe(app: &App) -> Result<u8, Problem> {
    let checks = doctor::cells(app).await;
    let ok = doctor::holds(&checks);
    let memory = checks.iter().find(|check| check["id"] == "sandbox.memory").map(|check| check["found"].clone());
    let tier = if ok { json!("namespaces") } else { Value::Null };
    let document = json!({ "v": 1, "kind": "probe", "ok": ok, "tier": tier, "memory": memory, "checks": checks });
    app.show(&document, |printer| {
        printer.line(&format!("tier: {}", if ok { "namespaces" } else { "none; nothing of a stranger's will be run" }));
        doctor::print(printer, &checks);
    });
    Ok(u8::from(!ok))
}

/// Shows the broker; 1 where there is none.
pub async fn status(app: &App) -> Result<u8, Problem> {
    let broker = broker(app).await?;
    let status = match broker {
        Some(broker) => broker.status().await,
        None => None,
    };
    let mut document = json!({ "v": 1, "kind": "broker", "running_broker": status.is_some() });
    document["socket"] = json!(broker.map(Broker::socket));
    let fields = status.as_ref().map(|status| json!(status)).unwrap_or_default();
    if let (Some(document), Value::Object(fields)) = (document.as_object_mut(), fields) {
        document.extend(fields);
    }
    app.show(&document, |printer| match &status {
        None if !app.settings.broker => printer.line("no broker is resident: the setting broker is off"),
        None => printer.line("no broker is resident; the next command that runs something starts it"),
        Some(status) => {
            let megabytes = status.worker_bytes as f64 / 1e6;
            printer.line(&format!("broker {} for {:.0} s, memory by {}", status.pid, status.uptime_s, status.memory));
            printer.line(&format!(
                "workers: {} idle ({megabytes:.1} MB each), {} forming, {} running; {} orders wait",
                status.idle, status.forming, status.running, status.waiting
            ));
            printer.line(&format!(
                "orders: {} hits, {} misses, {} refused; {} workers made in {:.0} ms, {} failed",
                status.hits, status.misses, status.refused, status.made, status.refill_ms, status.failed
            ));
            if let Some(trouble) = &status.trouble {
                printer.line(&format!("last trouble: {trouble}"));
            }
        }
    });
    Ok(u8::from(status.is_none()))
}

/// Ends the broker; 0 also where there was none.
pub async fn stop(app: &App) -> Result<u8, Problem> {
    let stopped = match broker(app).await? {
        Some(broker) => broker.stop().await,
        None => false,
    };
    app.show(&json!({ "v": 1, "kind": "broker_stop", "stopped": stopped }), |printer| {
        printer.line(if stopped { "the broker ends" } else { "no broker is resident" });
    });
    Ok(0)
}

async fn broker(app: &App) -> Result<Option<&Broker>, Problem> {
    Ok(app.context.sandbox().await?.broker())
}
