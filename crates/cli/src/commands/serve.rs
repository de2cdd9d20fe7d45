//! `assay serve`: the same over HTTP, until it is told to stop.

use std::process::ExitCode;
use std::sync::Arc;

use app::Settings;
use app::telemetry::Exported;
use base::{Code, Problem};
use server::{Options, Server};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use warehouse::Progress;

use crate::args::Serve;
use crate::printer::Printer;

/// Serves until interrupted or terminated; runs that are not finished then are handed back.
pub async fn run(
    printer: Arc<Printer>,
    settings: Settings,
    serve: &Serve,
    spans: Option<Arc<Exported>>,
    interrupted: oneshot::Receiver<()>,
) -> ExitCode {
    let hosts = serve.host.clone();
    let options = Options { listen: serve.listen, require_token: serve.require_token, hosts, spans };
    match go_on(&printer, settings, serve.open, options, interrupted).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            printer.problem(&problem);
            ExitCode::from(problem.code.exit_code())
        }
    }
}

async fn go_on(
    printer: &Arc<Printer>,
    settings: Settings,
    open: bool,
    options: Options,
    interrupted: oneshot::Receiver<()>,
) -> Result<(), Problem> {
    let mut terminated = signal(SignalKind::terminate())
        .map_err(|error| Problem::new(Code::Internal, format!("cannot listen for the end: {error}")))?;
    let shown = printer.clone();
    let progress: Progress = Arc::new(move |text: &str| shown.progress(text));
    let server = Server::listen(settings, progress, &options).await?;
    if server.is_open().await? {
        let open = "no token was ever made, so whoever uses this machine may ask for anything; `assay token create NAME` ends that";
        printer.remark("open", open);
    }
    let address = format!("http://{}", server.address());
    printer.aside(&format!("listening on {address}"));
    if open {
        show_in_browser(printer.clone(), &address);
    }
    let stop = async move {
        tokio::select! {
            Ok(()) = interrupted => {}
            _ = terminated.recv() => {}
        }
    };
    server.run(stop).await
}

/// Asks the desktop to show an address. Where there is none, whoever reads the address opens it.
fn show_in_browser(printer: Arc<Printer>, address: &str) {
    let words = vec!["xdg-open".to_string(), address.to_string()];
    tokio::spawn(async move {
        if sandbox::run_own_program(words, String::new()).await.is_err() {
            printer.remark("note", "no browser could be opened: open the address yourself");
        }
    });
}
