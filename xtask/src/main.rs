//! `cargo xtask`: what the project checks, tests and measures about itself.
//!
//! Rules are pure functions over texts (`tidy/*`), but for formatting, which cargo knows; everything else performs effects.

mod bench;
mod cases;
mod ci;
mod guard;
mod pictures;
mod suite;
mod tidy;
mod train;
mod web;
mod workspace;

use std::process::ExitCode;

use crate::bench::sandbox::Length;
use crate::workspace::Workspace;

const USAGE: &str = "\
usage: cargo xtask tidy          layout, layers, licences, forbidden calls, formatting
       cargo xtask ci [--slow]   everything that must hold on every change; --slow adds the long tests
       cargo xtask cases NAME OUT [FROM]
                                 a public benchmark (wikisql, geoquery, unanswerable, dabench) as files for `assay eval`;
                                 FROM is the folder that holds the benchmarks, else ../shared/data
       cargo xtask suite         the project's own questions over 52 datasets, answers held against pandas
       cargo xtask guard         what the SQL policy has of the engine, asked of it anew
       cargo xtask pictures      the pictures of the README, from what the program answers
       cargo xtask web [--shots DIR]
                                 the page's types and its tests in a browser; --shots takes pictures of it instead
       cargo xtask train [--out FILE] [--folds N] [--ablate]
                                 learns the planner's weights; --folds measures them, on tables they were not learned from
       cargo xtask bench ask [--only PART]
                                 what a question costs, beside NL4DV; PART is planning or shell, or one of those that take
                                 long: risk (draws docs/risk-coverage.svg) or ablation
       cargo xtask bench loop    one question from the shell, beside bare Python with pandas
       cargo xtask bench flow    the cost of a durable step, beside DBOS for Python and the bare disk
       cargo xtask bench charts  how often we choose the chart that people drew, on nvBench where it is at hand
       cargo xtask bench data    reading 10 million rows and asking about them, beside DuckDB and pandas
       cargo xtask bench memory [--count N]
                                 keeping and finding lessons, 100000 of them, beside ChromaDB on the same texts
       cargo xtask bench model [--model NAME] [--sample N | --all]
                                 what the loop of `ask` gains over one shot of a model, on DABench where it is at hand;
                                 60 questions and the local model where nothing else is said; goes on where it was stopped
       cargo xtask bench model --only cost | --only suite [--model NAME] [--sample N | --all]
                                 what our side of a turn and of a streamed token costs; or 150 questions of the suite that
                                 the planner refuses
       cargo xtask bench solve [--model NAME] [--sample N | --all] [--second] [--fresh]
                                 what the loop of `solve` gains over one shot of a model, on HumanEval where it is at hand;
                                 --second tries what failed once more, with lessons and by as many samples
       cargo xtask bench solve --only overhead
                                 what a step of a loop costs beside the model, beside LangGraph where its loop is at hand
       cargo xtask bench serve   answers over HTTP with tokens, journal and isolation, beside a FastAPI app with none of them
       cargo xtask bench sandbox [--quick | --only PART]
                                 the cost of isolation, beside bare Python and bubblewrap; --quick only shows that it runs;
                                 PART is cold, sum, query, chart, ask or crowd";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match perform(&words) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn perform(words: &[&str]) -> anyhow::Result<u8> {
    match words {
        ["tidy"] => tidy::run(&Workspace::find()?),
        ["ci"] => ci::run(&Workspace::find()?, ci::Ring::One),
        ["ci", "--slow"] => ci::run(&Workspace::find()?, ci::Ring::OneAndSlow),
        ["cases", name, out] => cases::run(name, out, &Workspace::find()?.root.join(cases::BENCHMARKS)),
        ["cases", name, out, from] => cases::run(name, out, std::path::Path::new(from)),
        ["suite"] => suite::run(&Workspace::find()?),
        ["guard"] => guard::run(&Workspace::find()?),
        ["pictures"] => pictures::run(&Workspace::find()?),
        ["web"] => web::run(&Workspace::find()?, web::Wanted::Tests),
        ["web", "--shots", folder] => web::run(&Workspace::find()?, web::Wanted::Shots(folder)),
        ["train", options @ ..] => train::run(&Workspace::find()?, options),
        ["bench", "ask"] => bench::ask::run(&Workspace::find()?, &["planning", "shell"]),
        ["bench", "ask", "--only", part] => bench::ask::run(&Workspace::find()?, &[part]),
        ["bench", "charts"] => bench::charts::run(&Workspace::find()?),
        ["bench", "data"] => bench::data::run(&Workspace::find()?),
        ["bench", "model", options @ ..] => bench::model::run(&Workspace::find()?, options),
        ["bench", "solve", options @ ..] => bench::solve::run(&Workspace::find()?, options),
        ["bench", "memory", options @ ..] => bench::memory::run(&Workspace::find()?, options),
        ["bench", "flow"] => bench::flow::run(&Workspace::find()?),
        ["bench", "sandbox"] => bench::sandbox::run(&Workspace::find()?, Length::Full, None),
        ["bench", "sandbox", "--quick"] => bench::sandbox::run(&Workspace::find()?, Length::Quick, None),
        ["bench", "sandbox", "--only", part] => bench::sandbox::run(&Workspace::find()?, Length::Full, Some(part)),
        ["bench", "serve"] => bench::serve::run(&Workspace::find()?),
        ["bench", "loop"] => bench::ask_loop::run(&Workspace::find()?),
        _ => {
            eprintln!("{USAGE}");
            Ok(2)
        }
    }
}
