//! `assay chat DATA`: questions one after the other over the same data. Each is a run like any other and may continue the one
//! before, in a thread; what goes wrong is said and the session goes on.
//!
//! A line is a question, the number of a reading that was offered, or a command that begins with a colon ([`Line`]).

mod line;
mod prompt;

use std::future::Future;
use std::path::Path;

use base::{Code, Problem, RunId};
use data::plan::Plan;
use serde_json::Value;
use tasks::{SQL, SqlInput};
use warehouse::{Prepared, Resolved};

use self::line::{COMMANDS, Line};
use self::prompt::{Prompt, Typed};
use crate::args::{self, Chat, Command};
use crate::commands::chart::{self, ChartFile, Written};
use crate::commands::{ask, sql};
use crate::rows::Rows;
use crate::terminal::Terminal;

/// How many questions are offered to begin with.
const FIRST_MAX: usize = 3;
/// Columns and values on one line are cut here.
const WIDTH: usize = 100;

/// Talks until the user leaves.
pub async fn run(terminal: &Terminal, chat: &Chat) -> Result<u8, Problem> {
    let resolved = terminal.resolve(&chat.data).await?;
    let prepared = resolved.prepare(terminal.app.warehouse()).await?;
    let thread = chat.thread.clone().unwrap_or_else(|| format!("chat-{}", RunId::fresh().short()));
    let history = terminal.app.settings.data_dir.join("chat_history");
    let mut prompt = Prompt::new(&prepared.dataset, &history)?;
    let mut session = Session { terminal, chat, resolved, prepared, thread, last: None };
    session.greet();
    loop {
        match prompt.read()? {
            Typed::Line(text) => match Line::read(&text, session.offered()) {
                Line::Nothing => {}
                Line::Quit => break,
                line => {
                    if let Err(problem) = session.take(line).await {
                        terminal.problem(&problem);
                    }
                }
            },
            Typed::Interrupted => terminal.printer.remark("hint", ":quit or Ctrl-D leaves"),
            Typed::End => break,
        }
    }
    Ok(0)
}

/// One conversation.
struct Session<'a> {
    terminal: &'a Terminal,
    chat: &'a Chat,
    resolved: Resolved,
    prepared: Prepared,
    thread: String,
    /// The question that was asked last, and its answer.
    last: Option<(String, Value)>,
}

impl Session<'_> {
    fn greet(&self) {
        let printer = &self.terminal.printer;
        let dataset = &self.prepared.dataset;
        let rows: u64 = dataset.tables.iter().map(|table| table.rows).sum();
        let tables = match dataset.tables.len() {
            1 => "1 table".to_string(),
            several => format!("{several} tables"),
        };
        printer.line(&format!("{}: {tables}, {} rows", dataset.id, data::figures::grouped(&rows.to_string())));
        for question in self.prepared.first_questions().iter().take(FIRST_MAX) {
            printer.remark("try", question);
        }
        printer.line(&printer.dim(":help lists commands; Tab completes names; Ctrl-C stops a run, Ctrl-D leaves"));
    }

    /// How many readings the last refusal numbers.
    fn offered(&self) -> usize {
        let refusal = self.last.as_ref().map(|(_, answer)| &answer["refusal"]["readings"]);
        refusal.and_then(Value::as_array).map_or(0, Vec::len)
    }

    async fn take(&mut self, line: Line) -> Result<(), Problem> {
        match line {
            Line::Question(question) => self.ask(question, None).await,
            Line::Reading(number) => {
                let question = self.answered()?.0.clone();
                self.ask(question, Some(number)).await
            }
            Line::Sql(None) => self.show("statement", |answer| answer["sql"].as_str().map(str::to_string)),
            Line::Sql(Some(statement)) => {
                let words = [self.chat.data.clone(), vec![statement]].concat();
                let Command::Sql(mut sql) = args::typed(&["sql", "DATA", "SELECT"]) else {
                    unreachable!("it was typed")
                };
                sql.words = words;
                self.unless_stopped(sql::run(self.terminal, &sql)).await.map(drop)
            }
            Line::Plan => {
                self.show("plan", |answer| answer["plan"].is_object().then(|| format!("{:#}", answer["plan"])))
            }
            Line::Chart(file) => self.draw(file.as_deref()),
            Line::Export(file) => self.export(&file).await,
            Line::Columns => {
                self.list_columns();
                Ok(())
            }
            Line::Help => {
                self.help();
                Ok(())
            }
            Line::Unknown(name) => Err(Problem::new(Code::Usage, format!("`{name}` is no command of a session"))
                .hint(":help lists them; a question needs no colon")),
            Line::Incomplete(usage) => {
                Err(Problem::new(Code::Usage, "a file is missing").hint(format!("write {usage}")))
            }
            Line::Nothing | Line::Quit => Ok(()),
        }
    }

    fn help(&self) {
        for (name, about) in COMMANDS {
            self.terminal.printer.line(&format!("  {}  {about}", base::padded(name, line::NAME_WIDTH)));
        }
    }

    async fn ask(&mut self, question: String, reading: Option<u16>) -> Result<(), Problem> {
        let words = [self.chat.data.clone(), vec![question.clone()]].concat();
        let Command::Ask(mut ask) = args::typed(&["ask", "DATA", "QUESTION"]) else { unreachable!("it was typed") };
        (ask.words, ask.reading, ask.thread) = (words, reading, Some(self.thread.clone()));
        ask.model.choice = self.chat.model.clone();
        if let Some(answer) = self.unless_stopped(ask::perform(self.terminal, &ask)).await? {
            self.last = Some((question, answer));
        }
        Ok(())
    }

    /// Work that Ctrl-C stops, and not the session: its run ends as any that is stopped.
    async fn unless_stopped<T>(&self, work: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
        tokio::pin!(work);
        tokio::select! {
            done = &mut work => return done,
            _ = tokio::signal::ctrl_c() => {}
        }
        let Some(run) = self.terminal.watcher.under_way() else {
            return Err(Problem::new(Code::Cancelled, "stopped"));
        };
        let engine = self.terminal.app.engine().await?;
        let (_, done) = tokio::join!(engine.runs().cancel(&run), work);
        done
    }

    /// The last question with its answer.
    fn answered(&self) -> Result<&(String, Value), Problem> {
        self.last.as_ref().ok_or_else(|| {
            Problem::new(Code::Usage, "nothing was asked yet").hint("ask something first; :help lists the commands")
        })
    }

    fn show(&self, what: &str, part: impl Fn(&Value) -> Option<String>) -> Result<(), Problem> {
        match part(&self.answered()?.1) {
            Some(text) => self.terminal.printer.lines(&format!("{text}\n")),
            None => self.terminal.printer.remark("note", &format!("the last answer has no {what}")),
        }
        Ok(())
    }

    fn draw(&self, file: Option<&Path>) -> Result<(), Problem> {
        let printer = &self.terminal.printer;
        let drawn = app::pictures::chart_of(&self.answered()?.1);
        let file = ChartFile::asked(file, None, &self.terminal.app.settings.env_dir)?;
        match (file, &drawn) {
            (Some(file), _) => match file.write(drawn.as_ref())? {
                Written::Whole => printer.remark("written", &file.path().display().to_string()),
                Written::WithoutSomeLetters => printer.remark("note", chart::LETTERS_MISSING),
                Written::Nothing => printer.remark("note", chart::NO_CHART),
            },
            (None, Some(drawn)) => printer.lines(&chart::drawn(drawn, printer.width)),
            (None, None) => printer.remark("note", "no chart helps to read the last answer"),
        }
        Ok(())
    }

    /// Writes every row of the last answer: those that are listed, or where these are cut, all of them computed again.
    async fn export(&self, file: &Path) -> Result<(), Problem> {
        let (question, answer) = self.answered()?;
        if answer["table"].is_null() {
            return Err(Problem::new(Code::Usage, "the last question was not answered, so there are no rows to write"));
        }
        let rows = Rows::asked(false, Some(file))?;
        let plan = serde_json::from_value::<Plan>(answer["plan"].clone()).ok();
        let whole = plan.and_then(|plan| tasks::unlimited(&plan, &self.prepared.dataset));
        let runs = self.terminal.app.engine().await?.runs();
        match whole {
            Some(statement) => {
                let names = self.terminal.data_names();
                let input = app::requests::statement(&names, &self.chat.data, &self.resolved, &statement);
                let input = SqlInput { file: rows.form(), ..input };
                let request = app::request(SQL, &input, question, None)?;
                let ended = self.unless_stopped(self.terminal.follow(flow::Start::Request(request))).await?;
                rows.take(runs, &ended.result?.output).await?;
            }
            None => drop(rows.take(runs, answer).await?),
        }
        self.terminal.printer.remark("written", &file.display().to_string());
        Ok(())
    }

    fn list_columns(&self) {
        let printer = &self.terminal.printer;
        for table in &self.prepared.dataset.tables {
            printer.line(&printer.strong(&table.name));
            let width = table.columns.iter().map(|column| base::columns(&column.name)).max().unwrap_or(0);
            for column in &table.columns {
                let values = match column.values.as_slice() {
                    [] => [&column.min, &column.max].map(|end| end.as_ref().map(data::figures::exact)).into_iter(),
                    _ => [Some(column.values.join(", ")), None].into_iter(),
                };
                let values = values.flatten().collect::<Vec<_>>().join(" to ");
                let line = format!("  {}  {:<9}  {values}", base::padded(&column.name, width), column.ty.as_str());
                printer.line(base::cut(&line, printer.width.unwrap_or(WIDTH)).trim_end());
            }
        }
    }
}
