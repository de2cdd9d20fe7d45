//! Pairs of a world and a plan, and the cell in which up to three interpreters compute them.

use std::fs;
use std::thread;
use std::time::Duration;

use base::Table;
use data::plan::Plan;
use data::{agree, compile, plan};
use serde_json::{Value, json};

use super::plans;
use super::random::Random;
use super::worlds::World;
use crate::support::Place;

/// The programs of the cell: the interpreters that are tested are the modules that a kernel loads.
const PROGRAMS: &[(&str, &str)] = &[
    ("interpreters.py", include_str!("interpreters.py")),
    ("third.py", include_str!("third.py")),
    ("third_values.py", include_str!("third_values.py")),
    ("wire.py", include_str!("../../../../sandbox/kernel/wire.py")),
];
/// Plans over one world: making tables costs more than a plan.
const PLANS_PER_WORLD: usize = 4;

/// A plan over a world, read and compiled by the program's own code.
#[derive(Clone)]
pub struct Pair {
    pub world: World,
    pub plan: Value,
    pub sql: String,
}

impl Pair {
    /// `None` where the plan is not one.
    pub fn of(world: &World, written: &Value) -> Option<Pair> {
        let dataset = world.dataset();
        let plan = plan::read(written, &dataset).ok()?;
        let sql = compile::duckdb(&plan, &dataset).expect("what is read can be compiled");
        Some(Pair { world: world.clone(), plan: plan.canonical(), sql })
    }

    /// As a report shows it: a plan in canonical JSON, its SQL, and the tables.
    pub fn shown(&self) -> String {
        let mut text = format!("plan {}\nsql\n{}\n", self.plan, self.sql);
        for table in &self.world.tables {
            let columns: Vec<String> =
                table.columns.iter().map(|column| format!("{:?} {}", column.name, column.engine)).collect();
            text += &format!("table {} ({})\n", table.name, columns.join(", "));
            table.rows.iter().for_each(|row| text += &format!("  {}\n", json!(row)));
        }
        text + &format!("links {}\n", json!(self.world.relations))
    }
}

/// So many pairs that begin with this seed. A random plan that is refused is a fault of the parser, or of ours.
pub fn pairs(seed: u64, count: usize) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for number in 0..count.div_ceil(PLANS_PER_WORLD) as u64 {
        let mut random = Random::new(seed.wrapping_mul(1_000_000) + number);
        let world = World::random(&mut random);
        for _ in 0..PLANS_PER_WORLD {
            let written = plans::plan(&mut random, &world);
            let pair = Pair::of(&world, &written);
            pairs.push(
                pair.unwrap_or_else(|| panic!("refused: {:?}\n{written}", plan::read(&written, &world.dataset()))),
            );
        }
    }
    pairs
}

/// What an interpreter made of a plan.
#[derive(Clone, Debug)]
pub enum Said {
    Table(Table),
    Failed(String),
    /// It was not asked.
    Nothing,
}

/// What was made of one pair.
pub struct Answer {
    pub plan: Plan,
    /// One for each statement.
    pub engine: Vec<Said>,
    pub oracle: Said,
    pub third: Said,
    /// Whether the result hangs on the last digits of a float.
    pub undecided: bool,
}

/// How the answers to one pair compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Agree,
    /// The language leaves open what comes out.
    Undecided,
    /// The engine says that a number has no room in its widest type: no answer, and no wrong one.
    OutOfRange,
    Differ(String),
}

impl Answer {
    /// Compares all that were asked, the engine by its first statement.
    pub fn verdict(&self) -> Verdict {
        match (&self.engine[0], &self.oracle, &self.third) {
            (Said::Failed(error), Said::Table(_), _) if is_out_of_range(error) => Verdict::OutOfRange,
            (Said::Failed(error), _, _) => Verdict::Differ(format!("the engine failed: {error}")),
            (_, Said::Failed(error), _) => Verdict::Differ(format!("the oracle failed: {error}")),
            (_, _, Said::Failed(error)) => Verdict::Differ(format!("the third interpreter failed: {error}")),
            (Said::Table(engine), Said::Table(oracle), third) => {
                let apart = difference("the engine", &self.plan, oracle, engine).or_else(|| match third {
                    Said::Table(third) => difference("the third interpreter", &self.plan, oracle, third),
                    _ => None,
                });
                match apart {
                    None => Verdict::Agree,
                    Some(_) if self.undecided => Verdict::Undecided,
                    Some(apart) => Verdict::Differ(apart),
                }
            }
            _ => Verdict::Differ("an interpreter said nothing".to_string()),
        }
    }
}

/// Only the widest types may be too narrow.
fn is_out_of_range(error: &str) -> bool {
    let is_wide = ["HUGEINT", "INT128", "DECIMAL(", "the DECIMAL type"].iter().any(|ty| error.contains(ty));
    is_wide && (error.starts_with("OutOfRangeException") || error.starts_with("ConversionException"))
}

/// What is different from the oracle's table.
pub fn difference(who: &str, plan: &Plan, oracle: &Table, other: &Table) -> Option<String> {
    let apart = agree::agree(plan, oracle, other).err()?;
    Some(format!("{who} differs from the oracle: {apart}\noracle {}\nother  {}", json!(oracle.rows), json!(other.rows)))
}

/// One question to the cell: statements to run, beside what the plan gives.
pub struct Question<'a> {
    pub pair: &'a Pair,
    pub sql: Vec<String>,
}

/// Cells at once.
const CELLS: usize = 2;
/// Questions of one cell; more take longer than a cell may live.
const QUESTIONS_PER_CELL: usize = 3_000;

/// Computes everything, in several cells.
pub fn ask(questions: &[Question<'_>], with_third: bool) -> Vec<Answer> {
    let size = questions.len().div_ceil(CELLS).clamp(1, QUESTIONS_PER_CELL);
    let mut answers = Vec::new();
    for round in questions.chunks(size * CELLS) {
        thread::scope(|scope| {
            let cells: Vec<_> =
                round.chunks(size).map(|part| scope.spawn(move || ask_cell(part, with_third))).collect();
            answers.extend(cells.into_iter().flat_map(|cell| cell.join().expect("the cell answers")));
        });
    }
    answers
}

fn ask_cell(questions: &[Question<'_>], with_third: bool) -> Vec<Answer> {
    let place = Place::new();
    let given = batch(questions, with_third).to_string();
    let mut call = place.assay(["sandbox", "run", "interpreters.py", "--json", "--time", "9m", "--memory", "2G"]);
    call = call.arg("--out").arg(place.folder("out")).arg("--input");
    for (name, text) in PROGRAMS.iter().chain(data::kernel::MODULES) {
        call = call.arg(place.file(name, text));
    }
    call = call.arg(place.file("batch.json", given));
    let ran = call.time_max(Duration::from_secs(580)).run();
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout.chars().take(3_000).collect::<String>(), ran.stderr);
    let results = fs::read_to_string(place.path("out/results.json")).expect("the program wrote its results");
    let results: Vec<Vec<Value>> = serde_json::from_str(&results).expect("results are JSON");
    let answers: Vec<Answer> =
        results.into_iter().flatten().zip(questions).map(|(value, question)| answer(value, question)).collect();
    assert_eq!(answers.len(), questions.len());
    answers
}

/// Neighbours over the same world share its tables.
fn batch(questions: &[Question<'_>], with_third: bool) -> Value {
    let mut worlds: Vec<Value> = Vec::new();
    let mut last: Option<Value> = None;
    for Question { pair, sql } in questions {
        let world = pair.world.document();
        if last.as_ref() != Some(&world) {
            let mut with_pairs = world.clone();
            with_pairs["pairs"] = json!([]);
            worlds.push(with_pairs);
            last = Some(world);
        }
        let pairs = worlds.last_mut().and_then(|world| world["pairs"].as_array_mut()).expect("made just above");
        pairs.push(json!({ "plan": pair.plan, "sql": sql, "oracle": true }));
    }
    json!({ "third": with_third, "worlds": worlds })
}

fn answer(mut value: Value, question: &Question<'_>) -> Answer {
    let undecided = value["third"]["undecided"] == true;
    let engine = value["engine"].as_array_mut().expect("a list").iter_mut().map(|said| self::said(said.take()));
    Answer {
        plan: serde_json::from_value(question.pair.plan.clone()).expect("a canonical plan"),
        engine: engine.collect(),
        oracle: said(value["oracle"].take()),
        third: said(value["third"].take()),
        undecided,
    }
}

fn said(mut value: Value) -> Said {
    match (value.get("table").is_some(), value["error"].as_str()) {
        (true, _) => Said::Table(serde_json::from_value(value["table"].take()).expect("a table")),
        (false, Some(error)) => Said::Failed(format!("{error}\n{}", value["trace"].as_str().unwrap_or_default())),
        (false, None) => Said::Nothing,
    }
}
