//! The `assay` command: reads the command line, builds everything once, and hands it to one function per command.
//!
//! It knows terminals, settings and the shape of documents, and not how anything is computed: every answer is a document
//! that a task of `agent` made.
//!
//! Exit codes: 0 done, 1 finished but negative, 2 error, 4 a key is missing, 130 interrupted.

mod advice;
mod args;
mod commands;
mod files;
mod grid;
mod printer;
mod rows;
mod terminal;
mod told;
mod watcher;
mod when;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use app::telemetry::{Form, Telemetry};
use app::{Color, Settings};
use base::{Action, Code, Problem};
use clap::Parser;
use clap::error::ErrorKind;
use tokio::sync::oneshot;

use crate::args::{Cli, Command, Global};
use crate::printer::Printer;
use crate::terminal::Terminal;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    match arguments.next().as_deref() {
        Some(sandbox::SUPERVISOR_ARGUMENT) => sandbox::supervise(),
        Some(sandbox::BROKER_ARGUMENT) => sandbox::be_broker(&arguments.next().unwrap_or_default()),
        Some(sandbox::RESIDENT_ARGUMENT) => sandbox::be_resident(),
        _ => {}
    }
    if let Some(code) = commands::completions::answered() {
        return code;
    }
    if std::env::args_os().len() == 1 {
        Printer::new(&Global::default(), Color::Never).data(args::BEGIN);
        return ExitCode::SUCCESS;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misunderstood(&error),
    };
    let interrupted = match &cli.command {
        // A session is left by its own words; Ctrl-C stops what it does.
        Command::Chat(_) => oneshot::channel().1,
        _ => watch_interrupts(),
    };
    let runtime = match &cli.command {
        // One that serves many uses every processor; a command is over sooner on one thread.
        Command::Serve(_) => tokio::runtime::Builder::new_multi_thread().enable_all().build(),
        _ => tokio::runtime::Builder::new_current_thread().enable_all().build(),
    };
    let runtime = runtime.expect("a runtime needs nothing but memory and an epoll descriptor");
    let code = runtime.block_on(run(cli, interrupted));
    // Cells that are still ending are their supervisors' affair, not a reason to wait.
    runtime.shutdown_background();
    code
}

/// Waits for Ctrl-C on a thread of its own, because the main one may be busy with something that blocks. The first asks
/// for an orderly end; one that does not come, or a second Ctrl-C, ends the program here.
fn watch_interrupts() -> oneshot::Receiver<()> {
    const PATIENCE: Duration = Duration::from_secs(2);
    let (tell, interrupted) = oneshot::channel();
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            if tokio::signal::ctrl_c().await.is_ok() {
                let _ = tell.send(());
                let _ = tokio::time::timeout(PATIENCE, tokio::signal::ctrl_c()).await;
                std::process::exit(i32::from(Code::Cancelled.exit_code()));
            }
        });
    });
    interrupted
}

async fn run(cli: Cli, interrupted: oneshot::Receiver<()>) -> ExitCode {
    let told = Settings::read(&cli.global.overrides()).and_then(|settings| {
        let printer = Arc::new(Printer::new(&cli.global, settings.color));
        let telemetry = tell(&cli, &settings, &printer)?;
        Ok((printer, settings, telemetry))
    });
    let (printer, settings, telemetry) = match told {
        Ok(told) => told,
        Err(problem) => {
            Printer::new(&cli.global, Color::Never).problem(&problem);
            return ExitCode::from(problem.code.exit_code());
        }
    };
    let code = work(&cli, printer, settings, &telemetry, interrupted).await;
    telemetry.finish().await;
    code
}

/// Begins to tell what the program does, to whoever wants to know. Programs read what a server says, people the rest.
fn tell(cli: &Cli, settings: &Settings, printer: &Arc<Printer>) -> Result<Telemetry, Problem> {
    let form = if matches!(cli.command, Command::Serve(_)) { Form::Json } else { Form::Text };
    let printer = printer.clone();
    Telemetry::start(settings, form, Arc::new(move |line: &str| printer.aside(line)))
}

async fn work(
    cli: &Cli,
    printer: Arc<Printer>,
    settings: Settings,
    telemetry: &Telemetry,
    interrupted: oneshot::Receiver<()>,
) -> ExitCode {
    if let Command::Serve(serve) = &cli.command {
        return commands::serve::run(printer, settings, serve, telemetry.exported(), interrupted).await;
    }
    if let Command::Mcp(args::Mcp { action: None }) = &cli.command {
        return commands::mcp::serve(printer, settings, interrupted).await;
    }
    let terminal = Terminal::new(printer, settings);
    let outcome = match &cli.command {
        // A worker ends in its own way: it hands back what it has not finished.
        Command::Worker(worker) => commands::worker::run(&terminal, worker, interrupted).await,
        command => tokio::select! {
            outcome = dispatch(&terminal, command) => outcome,
            Ok(()) = interrupted => Err(interruption(&terminal)),
        },
    };
    let code = match outcome {
        Ok(code) => code,
        Err(problem) => {
            terminal.problem(&problem);
            problem.code.exit_code()
        }
    };
    terminal.close().await;
    ExitCode::from(code)
}

/// What a user is told who stopped a command.
fn interruption(terminal: &Terminal) -> Problem {
    let problem = Problem::new(Code::Cancelled, "interrupted");
    match terminal.watcher.under_way() {
        Some(run) => problem.action(Action::ResumeRun { run: run.clone() }).in_run(&run),
        None => problem.hint("nothing was under way that could be resumed"),
    }
}

/// The whole program.
async fn dispatch(terminal: &Terminal, command: &Command) -> Result<u8, Problem> {
    match command {
        Command::Ask(ask) => commands::ask::run(terminal, ask).await,
        Command::Chat(chat) => commands::chat::run(terminal, chat).await,
        Command::Eval(eval) => commands::eval::run(terminal, eval).await,
        Command::Solve(solve) | Command::Run(solve) => commands::solve::run(terminal, solve).await,
        Command::Sql(sql) => commands::sql::run(terminal, sql).await,
        Command::Plan(plan) => commands::plan::run(terminal, plan).await,
        Command::Sandbox(sandbox) => commands::sandbox::run(terminal, sandbox).await,
        Command::Guard(guard) => commands::guard::run(terminal, guard),
        Command::Data(data) => commands::data::run(terminal, data).await,
        Command::Mcp(mcp) => commands::mcp::run(terminal, mcp),
        Command::Token(token) => commands::token::run(terminal, token).await,
        Command::Threads(threads) => commands::threads::run(terminal, threads).await,
        Command::Cache(cache) => commands::cache::run(terminal, cache).await,
        Command::Memory(memory) => commands::memory::run(terminal, memory).await,
        Command::Runs(runs) => commands::runs::run(terminal, runs).await,
        Command::Demo(demo) => commands::demo::run(terminal, demo).await,
        Command::Worker(_) | Command::Serve(_) => unreachable!("`run` has its own way with what goes on until stopped"),
        Command::Model(model) => commands::models::run(terminal, model).await,
        Command::Doctor => commands::doctor::run(terminal).await,
        Command::Config(config) => commands::config::run(terminal, config),
        Command::Schema(schema) => commands::schema::run(terminal, schema),
        Command::Completions(completions) => commands::completions::run(terminal, completions),
    }
}

/// Help and version are answers; everything else about the command line is a problem.
fn misunderstood(error: &clap::Error) -> ExitCode {
    let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let json = std::env::args_os().any(|argument| argument == "--json");
    let flags = Global { json, ..Global::default() };
    let printer = Printer::new(&flags, Color::Never);
    let text = error.render().to_string();
    if asked_for {
        printer.data(&text);
        return ExitCode::SUCCESS;
    }
    let shown = text.trim_start_matches("error: ");
    let message = shown.split("\n\n").next().unwrap_or(shown).split_whitespace().collect::<Vec<_>>().join(" ");
    let message = if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        "a command is missing".to_string()
    } else {
        message
    };
    let line = |start: &str| text.lines().map(str::trim).find_map(|line| line.strip_prefix(start));
    // What looks like an option is rarely meant as a value.
    let tip = line("tip: ").filter(|tip| !tip.starts_with("to pass"));
    let command = line("Usage: ").unwrap_or("assay").split(' ').take_while(|word| !word.starts_with(['<', '[', '-']));
    let command = command.collect::<Vec<_>>().join(" ");
    let hint = tip.map_or_else(|| format!("see `{command} --help`"), str::to_string);
    printer.problem(&Problem::new(Code::Usage, message).hint(hint));
    ExitCode::from(Code::Usage.exit_code())
}
