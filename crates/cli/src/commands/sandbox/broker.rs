//! `assay sandbox probe|status|stop`: what isolation this machine gives, and the resident broker.

use app::documents::machine::{Broker, BrokerStop, Probe};
use base::{Document, Problem};

use crate::advice;
use crate::commands::doctor;
use crate::terminal::Terminal;

/// Makes a cell and says what it is made of; 1 where this machine gives none.
pub async fn probe(terminal: &Terminal) -> Result<u8, Problem> {
    let mut probe = Probe::examine(&terminal.app).await;
    advice::mended(&mut probe.checks);
    terminal.show(&probe.to_json(), |printer| {
        let tier = probe.tier.unwrap_or("none; nothing of a stranger's will be run");
        printer.line(&format!("tier: {tier}"));
        doctor::print(printer, &probe.checks);
    });
    Ok(u8::from(!probe.ok))
}

/// Shows the broker; 1 where there is none.
pub async fn status(terminal: &Terminal) -> Result<u8, Problem> {
    let broker = Broker::examine(&terminal.app).await?;
    terminal.show(&broker.to_json(), |printer| match &broker.status {
        None if !terminal.app.settings.broker => printer.line("no broker is resident: the setting broker is off"),
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
    Ok(u8::from(!broker.running_broker))
}

/// Ends the broker; 0 also where there was none.
pub async fn stop(terminal: &Terminal) -> Result<u8, Problem> {
    let stop = BrokerStop::stop(&terminal.app).await?;
    terminal.show(&stop.to_json(), |printer| {
        printer.line(if stop.stopped { "the broker ends" } else { "no broker is resident" });
    });
    Ok(0)
}
