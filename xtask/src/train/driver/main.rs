//! Throw-away shape for now: reads the questions, learns, measures.

mod tables;

use std::collections::HashMap;
use std::time::Instant;

use data::plan::Agg;
use planner::lookup::learn::{Example, Names, Settings, Truth, learn};
use planner::lookup::{Scene, rank};
use planner::{Index, Weights};
use serde_json::Value;

fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let show = std::env::args().nth(2).map_or(0, |n| n.parse().unwrap());
    let started = Instant::now();
    let read = |name: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let strings = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_string()).collect()
    };
    let mut indices: HashMap<String, (usize, Index)> = HashMap::new();
    for (at, table) in read("tables.jsonl").iter().enumerate() {
        let id = table["t"].as_str().unwrap();
        let rows: Vec<Vec<String>> = table["r"].as_array().unwrap().iter().map(strings).collect();
        indices.insert(id.to_string(), (at, Index::new(&tables::dataset(id, &strings(&table["h"]), &rows))));
    }
    eprintln!("indexed {:?}", started.elapsed());
    let questions = read("questions.jsonl");
    let mut names = Names::default();
    let mut examples = Vec::new();
    for q in &questions {
        let (_, index) = &indices[q["t"].as_str().unwrap()];
        let conds = q["conds"].as_array().unwrap().iter().map(|c| {
            (c[0].as_u64().unwrap() as usize, c[1].as_str().unwrap().chars().next().unwrap(), c[2].as_str().map_or_else(|| c[2].to_string(), str::to_string))
        });
        let aggregate = match q["agg"].as_str().unwrap() {
            "MAX" => Some(Agg::Max), "MIN" => Some(Agg::Min), "COUNT" => Some(Agg::Count), "SUM" => Some(Agg::Sum), "AVG" => Some(Agg::Avg), _ => None,
        };
        let truth = Truth { column: q["sel"].as_u64().unwrap() as usize, aggregate, conditions: conds.collect() };
        examples.push((Example::new(&mut names, index, 0, q["q"].as_str().unwrap(), &truth), truth));
    }
    let reach = examples.iter().filter(|(e, _)| e.is_within_reach()).count();
    eprintln!("examples {:?}, within reach {reach}", started.elapsed());
    if show == 9999 {
        for ((e, _), q) in examples.iter().zip(&questions) {
            if !e.is_within_reach() { println!("{}\n   {} {} {} {}", q["q"], q["agg"], q["sel"], q["conds"], q["t"]); }
        }
        return;
    }
    // Folds by table, in the order of a digest of its id.
    let fold_of = |q: &Value| q["t"].as_str().unwrap().bytes().fold(7u32, |d, b| d.wrapping_mul(31) ^ u32::from(b)) % 5;
    let mut scored: Vec<(f64, bool, usize)> = Vec::new();
    let mut times = Vec::new();
    for fold in 0..5 {
        let training: Vec<&Example> = examples.iter().zip(&questions).filter(|(_, q)| fold_of(q) != fold).map(|((e, _), _)| e).collect();
        let at = Instant::now();
        let weights = learn(&training, &names, Settings::default(), |_| true);
        let text = names.text(&weights);
        let weights = Weights::parse(&text).unwrap();
        let (mut right, mut all) = (0, 0);
        for (place, ((e, _), q)) in examples.iter().zip(&questions).enumerate().filter(|(_, (_, q))| fold_of(q) == fold) {
            let (_, index) = &indices[q["t"].as_str().unwrap()];
            let at = Instant::now();
            let scene = Scene::new(index, 0, q["q"].as_str().unwrap());
            let ranked = rank(&scene, &weights).unwrap();
            times.push(at.elapsed().as_secs_f64() * 1e3);
            let ok = ranked.result == e.result;
            all += 1;
            right += usize::from(ok);
            scored.push((ranked.probability, ok, place));
            if !ok && fold == 0 && all < show {
                let t = &examples[place].1;
                println!("{:.2} {}\n   want {:?} {} {:?}\n   got {:?} {:?}", ranked.probability, q["q"], t.aggregate, t.column, t.conditions, ranked.best, ranked.sets[ranked.best.conditions].links.iter().map(|l| { let l = &scene.links[*l]; (l.column, l.relation, l.operand.clone()) }).collect::<Vec<_>>());
            }
        }
        eprintln!("fold {fold}: {right}/{all} = {:.4}, {} weights, {:?}", right as f64 / all as f64, text.lines().count(), at.elapsed());
    }
    let right = scored.iter().filter(|s| s.1).count();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    times.sort_by(f64::total_cmp);
    println!("accuracy {:.4}", right as f64 / scored.len() as f64);
    for share in [0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] {
        let n = (scored.len() as f64 * share) as usize;
        println!("precision at {share}: {:.4} (confidence {:.3})", scored[..n].iter().filter(|s| s.1).count() as f64 / n as f64, scored[n - 1].0);
    }
    println!("p50 {:.3} ms p99 {:.3} ms", times[times.len() / 2], times[times.len() * 99 / 100]);
}
