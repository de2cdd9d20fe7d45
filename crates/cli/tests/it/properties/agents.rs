//! The whole agent against the oracle: random files, random plans over them, and a model that writes right, wrong and broken
//! code for each.
//!
//! What a plan gives is computed by the program itself and recomputed by the oracle. The model is scripted: right code is the
//! plan's statement, or a pandas program where the plan is simple; wrong code is the same with a fault of [`faults`]. Whatever
//! it says, what is answered is right or is not told as `checked`; only where two derivations were made with the same mistake
//! can nobody tell, and these are counted.

use serde_json::{Value, json};

use super::faults::FAULTS;
use super::plans;
use super::random::Random;
use super::worlds::{Column, Table, World};
use crate::models::{Scripted, python};
use crate::support::{Place, slow_is_wanted};

const SEED: u64 = 23;
/// Files, and questions about each.
const FAST: (usize, usize) = (5, 7);
const SLOW: (usize, usize) = (40, 12);
/// Plans that are tried for one whose result can be an answer.
const TRIES_MAX: usize = 12;
/// Replies that a question may take: a first try, three repairs, three derivations, a verdict.
const REPLIES_MAX: usize = 8;

/// Code that the model writes, and which mistake is in it.
#[derive(Clone, Debug)]
struct Written {
    text: String,
    /// None where it is right, or does not run.
    mistake: Option<String>,
}

struct Question {
    /// What is asked, which says nothing: the model knows what to write.
    text: String,
    rows: Value,
    script: Vec<Written>,
}

#[derive(Debug, Default)]
struct Counts {
    answered: usize,
    checked: usize,
    right: usize,
    refused: usize,
    /// Wrong and `checked`, because two derivations were written with the same mistake.
    same_mistake: usize,
    /// The same by two mistakes that come to the same here.
    same_result: usize,
}

#[test]
fn what_an_agent_calls_checked_is_what_the_oracle_says() {
    hold(SEED, FAST);
}

#[test]
fn what_an_agent_calls_checked_is_what_the_oracle_says_of_many() {
    if slow_is_wanted("what_an_agent_calls_checked_is_what_the_oracle_says_of_many") {
        hold(SEED + 1, SLOW);
    }
}

fn hold(seed: u64, (worlds, questions): (usize, usize)) {
    let mut counts = Counts::default();
    for number in 0..worlds as u64 {
        let mut random = Random::new(seed.wrapping_mul(1_000_000) + number);
        let place = Place::new();
        let world = written(&place, &mut random);
        let asked: Vec<Question> =
            (0..questions).filter_map(|at| question(&place, &world, &mut random, &format!("case {at}"))).collect();
        ask(&place, &asked, &mut counts);
    }
    eprintln!("{counts:?}");
    let asked = counts.answered + counts.refused;
    assert!(asked >= worlds * questions * 2 / 3, "only {asked} plans had a result to ask for");
    assert!(counts.checked >= asked / 8 && counts.refused > 0, "the scripts do not try everything: {counts:?}");
    assert!(counts.right < counts.answered, "no wrong answer was given, so nothing was shown: {counts:?}");
}

/// One random table as a file, as the program has read it.
fn written(place: &Place, random: &mut Random) -> World {
    loop {
        let table = World::random(random).tables.swap_remove(0);
        if table.rows.len() < 3 {
            continue;
        }
        place.file("facts.csv", csv(&table));
        let shown = place.json_any(&["data", "show", "facts.csv"]);
        let Some(columns) = shown["tables"][0]["columns"].as_array() else { continue };
        let read = columns.iter().filter_map(|column| {
            let name = column["name"].as_str()?;
            let source = table.columns.iter().find(|source| source.name == name)?;
            let ty = serde_json::from_value(column["type"].clone()).ok()?;
            Some(Column { ty, ..source.clone() })
        });
        let columns: Vec<Column> = read.collect();
        if columns.len() >= 3 {
            let table = Table { name: "facts".to_string(), columns, rows: table.rows };
            return World { tables: vec![table], relations: Vec::new() };
        }
    }
}

fn csv(table: &Table) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let header = line(table.columns.iter().map(|column| quoted(&column.name)).collect());
    let cell = |cell: &Option<String>| cell.as_deref().map_or(String::new(), quoted);
    table.rows.iter().fold(header, |text, row| text + &line(row.iter().map(cell).collect()))
}

/// A plan that has a result, and what the model will write for it.
fn question(place: &Place, world: &World, random: &mut Random, text: &str) -> Option<Question> {
    for _ in 0..TRIES_MAX {
        let simple = random.chance(50);
        let (mut plan, pandas) = if simple { simple_plan(random, world) } else { (plans::plan(random, world), None) };
        plan["dataset"] = json!("facts");
        place.file("plan.json", plan.to_string());
        let told = place.json_any(&["plan", "run", "plan.json", "--data", "facts.csv"]);
        let rows = told["table"]["rows"].clone();
        let cells = rows.as_array().into_iter().flatten().filter_map(Value::as_array).flatten();
        let is_answer = told["known"]["by"] == "oracle" && !cells.clone().all(Value::is_null);
        if let (true, Some(sql)) = (is_answer, told["sql"].as_str()) {
            let script = script(random, sql, pandas);
            return Some(Question { text: text.to_string(), rows, script });
        }
    }
    None
}

/// Groups and aggregates, as a plan and as a program.
fn simple_plan(random: &mut Random, world: &World) -> (Value, Option<String>) {
    let table = &world.tables[0];
    let of = |numbers: bool| -> Vec<&Column> {
        table.columns.iter().filter(|column| column.ty.is_number() == numbers).collect()
    };
    let (numbers, others) = (of(true), of(false));
    let expr = |column: &Column| json!({ "col": format!("facts.{}", column.name) });
    let name = |column: &Column| Value::from(column.name.as_str()).to_string();
    let mut plan = json!({ "v": 1, "from": "facts", "measures": [{ "as": "m0", "agg": "count" }] });
    let mut measures = vec!["'m0': [len(part)]".to_string()];
    for (at, column) in random.some(&numbers, 2).into_iter().enumerate() {
        let agg = *random.pick(&["sum", "avg", "min", "max"]);
        let measure = json!({ "as": format!("m{}", at + 1), "agg": agg, "expr": expr(column) });
        plan["measures"].as_array_mut().expect("a list").push(measure);
        let call = match agg {
            "sum" => "sum(min_count=1)",
            "avg" => "astype(float).mean()",
            "min" => "min()",
            _ => "max()",
        };
        measures.push(format!("'m{}': [part[{}].{call}]", at + 1, name(column)));
    }
    let made = format!("pd.DataFrame({{{}}})", measures.join(", "));
    let group = random.some(&others, 1);
    let Some(column) = group.first() else {
        return (plan, Some(format!("import pandas as pd\npart = facts\n{made}")));
    };
    plan["group"] = json!([{ "as": "g", "expr": expr(column) }]);
    let program = format!(
        "import pandas as pd\nparts = []\nfor key, part in facts.groupby({}, dropna=False):\n    made = {made}\n    \
         made.insert(0, 'g', key)\n    parts.append(made)\npd.concat(parts)",
        name(column)
    );
    (plan, Some(program))
}

/// What the model will say, in order: mostly one try and one derivation more, now and then with mistakes and broken code.
fn script(random: &mut Random, sql: &str, pandas: Option<String>) -> Vec<Written> {
    let of_fault = FAULTS.iter().map(|fault| (fault.name, fault.apply(sql))).filter(|(_, faulty)| faulty != sql);
    // One that every statement can have.
    let lost = ("the first row is lost", format!("SELECT * FROM (\n{sql}\n) AS result OFFSET 1"));
    let faulty: Vec<(&str, String)> = of_fault.chain([lost]).collect();
    // Mistakes come again: a model that misreads a question misreads it twice.
    let usual = (!faulty.is_empty()).then(|| random.below(faulty.len()));
    let misread = *random.pick(&[10, 40, 80]);
    let statement = |text: &str, note: usize| format!("```sql\n{text}\n-- {note}\n```");
    (0..REPLIES_MAX)
        .map(|at| match random.below(120) {
            0..20 => Written { text: broken(random, at), mistake: None },
            chance if usual.is_some() && chance < 20 + misread => {
                let usual = usual.unwrap_or_default();
                let (name, text) = &faulty[if random.chance(60) { usual } else { random.below(faulty.len()) }];
                Written { text: statement(text, at), mistake: Some(name.to_string()) }
            }
            _ => match &pandas {
                Some(program) if random.chance(60) => Written {
                    text: python(&format!("# {at}\n{program}")),
                    // Written by hand for this test, so it may be wrong as well.
                    mistake: Some("the program".to_string()),
                },
                _ => Written { text: statement(sql, at), mistake: None },
            },
        })
        .collect()
}

fn broken(random: &mut Random, at: usize) -> String {
    match random.below(5) {
        0 => format!("I would need to think about it {at} times."),
        1 => python(&format!("facts['nothing {at}']")),
        2 => python(&format!("import os\nos.listdir('/{at}')")),
        3 => format!("```sql\nSELECT nothing_{at} FROM facts\n```"),
        _ => python(&format!("facts[\n{at}")),
    }
}

/// Asks everything in one evaluation and holds each answer against the oracle's.
fn ask(place: &Place, asked: &[Question], counts: &mut Counts) {
    let scripts: Vec<(String, Vec<String>)> = asked
        .iter()
        .map(|one| (format!("Question: {}\n", one.text), one.script.iter().map(|reply| reply.text.clone()).collect()))
        .collect();
    let model = Scripted::replying(move |request, earlier| {
        let text = request["messages"].to_string().replace("\\n", "\n");
        let script = scripts.iter().find(|(question, _)| text.contains(question.as_str()));
        if text.contains("YES or NO") {
            return "YES".to_string();
        }
        let (question, replies) = script.expect("every prompt holds its question");
        let is_of_it = |request: &&Value| {
            let text = request["messages"].to_string().replace("\\n", "\n");
            text.contains(question.as_str()) && !text.contains("YES or NO")
        };
        replies.get(earlier.iter().filter(is_of_it).count()).cloned().unwrap_or_default()
    });
    let case = |(at, one): (usize, &Question)| {
        let expect = json!({ "rows": one.rows, "ordered": false });
        format!(
            "{}\n",
            json!({ "id": at.to_string(), "dataset": ["facts.csv"], "question": one.text, "expect": expect })
        )
    };
    place.file("cases.jsonl", asked.iter().enumerate().map(case).collect::<String>());
    let eval =
        ["eval", "cases.jsonl", "--json", "--out", "results.jsonl", "--planner", "off", "--model", "chat:scripted"];
    place.assay(eval).env("OPENAI_BASE_URL", &model.address).run().exits(0);
    let results = std::fs::read_to_string(place.path("results.jsonl")).unwrap();
    for (line, one) in results.lines().zip(asked) {
        let result: Value = serde_json::from_str(line).unwrap();
        judge(place, one, &result, counts);
    }
}

fn judge(place: &Place, one: &Question, result: &Value, counts: &mut Counts) {
    if result["status"] != "answered" {
        assert_eq!(result["status"], "refused", "{result:#}");
        counts.refused += 1;
        return;
    }
    counts.answered += 1;
    let (is_right, is_checked) = (result["right"] == true, result["known"] == "checked");
    counts.right += usize::from(is_right);
    counts.checked += usize::from(is_checked);
    assert!(is_checked || result["known"] == "unverified", "{result:#}");
    if is_right || !is_checked {
        return;
    }
    // Each reply before the verdict was served; those with a mistake may have been equal to one another.
    let served = result["model"]["cost"]["calls"].as_u64().unwrap_or_default() as usize - 1;
    let wrong: Vec<&Written> = one.script.iter().take(served).filter(|reply| reply.mistake.is_some()).collect();
    let twice = |reply: &&&Written| wrong.iter().filter(|other| other.mistake == reply.mistake).count() > 1;
    if wrong.iter().any(|reply| twice(&reply)) {
        counts.same_mistake += 1;
    } else if two_come_to_the_same(place, &wrong) {
        counts.same_result += 1;
    } else {
        panic!("checked and wrong: {result:#}\nexpected {}\nscript {:#?}", one.rows, one.script);
    }
}

/// Whether two statements with mistakes of their own give the same rows.
fn two_come_to_the_same(place: &Place, wrong: &[&Written]) -> bool {
    let statement =
        |reply: &&&Written| reply.text.strip_prefix("```sql\n").map(|text| text.trim_end_matches('`').to_string());
    let rows = |sql: String| {
        let mut rows = place.json_any(&["sql", "facts.csv", &sql])["table"]["rows"].as_array().cloned()?;
        rows.sort_by_key(Value::to_string);
        Some(rows)
    };
    let given: Vec<Vec<Value>> = wrong.iter().filter_map(|reply| statement(&reply)).filter_map(rows).collect();
    (0..given.len()).any(|at| given[at + 1..].contains(&given[at]))
}
