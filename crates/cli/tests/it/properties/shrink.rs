//! Making a failing pair small: every step takes something away and keeps what still fails.
//!
//! Plans are JSON and the parser refuses what is no plan, so taking away is blind to the language: an item of a list, a
//! field, or everything around an inner part.

use serde_json::Value;

use super::cell::Pair;
use super::worlds::World;

/// Steps that are taken at most.
const STEPS_MAX: usize = 60;
/// Smaller pairs that are looked at in one step.
const TRIES_MAX: usize = 120;

/// The smallest pair that still fails; `fails` judges many at once.
pub fn shrink(pair: &Pair, fails: &dyn Fn(&[Pair]) -> Vec<bool>) -> Pair {
    let mut smallest = pair.clone();
    for _ in 0..STEPS_MAX {
        let tries = smaller(&smallest);
        let failing = fails(&tries).into_iter().position(|fails| fails);
        match failing {
            Some(index) => smallest = tries[index].clone(),
            None => break,
        }
    }
    smallest
}

/// Pairs with a little less, those that lack most first.
fn smaller(pair: &Pair) -> Vec<Pair> {
    let worlds = smaller_worlds(pair);
    let mut plans = smaller_values(&pair.plan);
    plans.sort_by_key(|plan| plan.to_string().len());
    let rows = worlds.iter().filter_map(|world| Pair::of(world, &pair.plan));
    let parts = plans.iter().filter_map(|plan| Pair::of(&pair.world, plan)).filter(|other| other.plan != pair.plan);
    parts.chain(rows).take(TRIES_MAX).collect()
}

fn smaller_worlds(pair: &Pair) -> Vec<World> {
    let world = &pair.world;
    let plan = pair.plan.to_string();
    let mut worlds = Vec::new();
    let mut bare = world.clone();
    for table in &mut bare.tables {
        let (name, relations) = (table.name.clone(), &world.relations);
        let needed = |column: &str| {
            let linked = relations.iter().any(|link| {
                (link.from_table == name && link.from_column == column)
                    || (link.to_table == name && link.to_column == column)
            });
            linked || plan.contains(&Value::from(format!("{name}.{column}")).to_string())
        };
        let kept: Vec<bool> = table.columns.iter().map(|column| needed(&column.name)).collect();
        if kept.contains(&true) {
            let keep = |items: &[bool], index: usize| items[index];
            table.columns = std::mem::take(&mut table.columns)
                .into_iter()
                .enumerate()
                .filter(|(at, _)| keep(&kept, *at))
                .map(|(_, column)| column)
                .collect();
            for row in &mut table.rows {
                *row = std::mem::take(row)
                    .into_iter()
                    .enumerate()
                    .filter(|(at, _)| keep(&kept, *at))
                    .map(|(_, cell)| cell)
                    .collect();
            }
        }
    }
    let width = |world: &World| world.tables.iter().map(|table| table.columns.len()).sum::<usize>();
    if width(&bare) < width(world) {
        worlds.push(bare);
    }
    for index in 0..world.tables.len() {
        let mut without = world.clone();
        let gone = without.tables.remove(index).name;
        without.relations.retain(|link| link.from_table != gone && link.to_table != gone);
        worlds.push(without);
    }
    for index in 0..world.relations.len() {
        let mut without = world.clone();
        without.relations.remove(index);
        worlds.push(without);
    }
    for index in 0..world.tables.len() {
        let count = world.tables[index].rows.len();
        let halves = if count > 3 { vec![0..count / 2, count / 2..count] } else { Vec::new() };
        for gone in halves.into_iter().chain((0..count).map(|row| row..row + 1)) {
            let mut without = world.clone();
            without.tables[index].rows.drain(gone);
            worlds.push(without);
        }
    }
    worlds
}

/// The value with one thing less, at any depth.
fn smaller_values(value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Array(items) => {
            for index in 0..items.len() {
                let mut without = items.clone();
                without.remove(index);
                all.push(Value::Array(without));
                for inner in smaller_values(&items[index]) {
                    let mut with = items.clone();
                    with[index] = inner;
                    all.push(Value::Array(with));
                }
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                let mut without = fields.clone();
                without.shift_remove(name);
                all.push(Value::Object(without));
                // What stands inside may do without what is around it.
                match field {
                    Value::Object(_) => all.push(field.clone()),
                    Value::Array(items) => all.extend(items.iter().filter(|item| item.is_object()).cloned()),
                    _ => {}
                }
                for inner in smaller_values(field) {
                    let mut with = fields.clone();
                    with[name] = inner;
                    all.push(Value::Object(with));
                }
            }
        }
        _ => {}
    }
    all
}
