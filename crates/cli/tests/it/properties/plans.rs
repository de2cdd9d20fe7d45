//! Random plans over a world: valid by construction, over the whole language.

use base::Type;
use data::{Dataset, join};
use serde_json::{Value, json};

use super::random::Random;
use super::worlds::World;

/// Something a plan can speak of, with values worth comparing it to.
#[derive(Clone)]
struct Term {
    expr: Value,
    ty: Type,
    weekday: bool,
    pool: Vec<String>,
    flavour: &'static str,
}

impl Term {
    fn new(expr: Value, ty: Type) -> Term {
        Term { expr, ty, weekday: false, pool: Vec::new(), flavour: "" }
    }
}

/// An output column.
#[derive(Clone)]
struct Named {
    name: String,
    term: Term,
    grain: Option<&'static str>,
}

/// A random plan, as JSON.
pub fn plan(random: &mut Random, world: &World) -> Value {
    let dataset = world.dataset();
    // The last of the many sides has the most rows.
    let from = match random.chance(75) {
        true => world.tables[0].name.clone(),
        false => random.pick(&world.tables).name.clone(),
    };
    let via = via(random, world);
    let walks = random.chance(20);
    let mut maker = Maker { random, world, dataset: &dataset, via: &via, walks };
    let mut plan = json!({ "v": 1, "dataset": "world", "from": from });
    if !via.is_empty() {
        plan["via"] = json!(via);
    }
    if !walks && maker.random.chance(35) {
        plan["where"] = maker.pred(&Scope::Rows(from.clone()), 0);
    }
    let outputs = match !walks && maker.random.chance(30) {
        true => maker.list(&mut plan, &from),
        false => maker.groups(&mut plan, &from),
    };
    maker.finish(&mut plan, &outputs);
    once_each(plan, &dataset)
}

/// A sum that would add a joined value more than once is refused: its average is taken instead.
fn once_each(mut plan: Value, dataset: &Dataset) -> Value {
    for problem in data::plan::read(&plan, dataset).err().unwrap_or_default() {
        let measure = problem.path.strip_suffix("/expr").filter(|_| problem.message.contains("the sum would add"));
        if let Some(measure) = measure.and_then(|path| plan.pointer_mut(path)) {
            measure["agg"] = json!("avg");
        }
    }
    plan
}

/// Links that decide, now and then, also where nothing is to be decided.
fn via(random: &mut Random, world: &World) -> Vec<String> {
    let links: Vec<String> = world.relations.iter().map(join::link).collect();
    if random.chance(60) { random.some(&links, 2) } else { Vec::new() }
}

/// Whether an expression speaks of the rows' own columns only.
fn is_of_the_grain(expr: &Value, scope: &Scope) -> bool {
    match (expr, scope) {
        (Value::Object(fields), Scope::Rows(from)) => match fields.get("col").and_then(Value::as_str) {
            Some(column) => column.split('.').next() == Some(from),
            None => fields.values().all(|part| is_of_the_grain(part, scope)),
        },
        (Value::Array(parts), _) => parts.iter().all(|part| is_of_the_grain(part, scope)),
        _ => true,
    }
}

/// Where an expression stands.
enum Scope {
    Rows(String),
    Results(Vec<Named>),
}

/// The words of a text, to pick from; one that stands twice is picked twice as often.
/// What measures are made with, the more usual ones more often.
const AGGREGATES: &str =
    "count count count_distinct sum sum sum avg avg min max median median stddev quantile corr corr";

#[test]
fn every_aggregate_is_drawn() {
    let drawn = words(AGGREGATES);
    assert!(data::plan::Agg::ALL.iter().all(|agg| drawn.contains(&agg.as_str())), "{drawn:?}");
}

fn words(text: &'static str) -> Vec<&'static str> {
    text.split(' ').collect()
}

const NUMBERS: [Type; 3] = [Type::Int, Type::Float, Type::Decimal];
const MOMENTS: [Type; 2] = [Type::Date, Type::Timestamp];
const ANY: [Type; 9] = [
    Type::Bool,
    Type::Int,
    Type::Float,
    Type::Decimal,
    Type::Text,
    Type::Date,
    Type::Time,
    Type::Timestamp,
    Type::Json,
];

struct Maker<'a> {
    random: &'a mut Random,
    world: &'a World,
    dataset: &'a Dataset,
    via: &'a [String],
    /// Whether it is about periods that follow one another.
    walks: bool,
}

impl Maker<'_> {
    fn list(&mut self, plan: &mut Value, from: &str) -> Vec<Named> {
        let scope = Scope::Rows(from.to_string());
        let count = self.random.between(1, 5);
        let outputs: Vec<Named> = (0..count)
            .map(|index| {
                let term = self.term(&scope, &ANY, 0).expect("every table has a key");
                Named { name: self.name("c", index), term, grain: None }
            })
            .collect();
        plan["select"] = outputs.iter().map(|output| json!({"as": output.name, "expr": output.term.expr})).collect();
        plan["distinct"] = json!(self.random.chance(35));
        outputs
    }

    fn groups(&mut self, plan: &mut Value, from: &str) -> Vec<Named> {
        let scope = Scope::Rows(from.to_string());
        let mut outputs = Vec::new();
        let mut groups: Vec<Value> = Vec::new();
        let counts: &[usize] = if self.walks { &[1, 1, 2] } else { &[0, 1, 1, 1, 2, 2, 3] };
        let group_count = *self.random.pick(counts);
        for index in 0..group_count {
            let first_of_walk = self.walks && index == 0;
            let wanted: &[Type] = if first_of_walk || self.random.chance(45) { &MOMENTS } else { &ANY };
            let term = self.term(&scope, wanted, 0).or_else(|| self.term(&scope, &ANY, 0)).expect("a key");
            let term = if self.random.chance(25) { self.bin(&term).unwrap_or(term) } else { term };
            let mut output = Named { name: self.name("g", index), term, grain: None };
            let mut group = json!({"as": output.name, "expr": output.term.expr});
            if MOMENTS.contains(&output.term.ty) && (first_of_walk || self.random.chance(75)) {
                let grains: &[&str] = match output.term.ty {
                    Type::Date => &["year", "quarter", "month", "week", "day"],
                    _ => &["year", "quarter", "month", "week", "day", "hour"],
                };
                let suits =
                    grains.iter().find(|grain| **grain == output.term.flavour).filter(|_| self.random.chance(65));
                let grain = *suits.unwrap_or_else(|| self.random.pick(grains));
                group["grain"] = json!(grain);
                output.grain = Some(grain);
                output.term.ty = if grain == "hour" { Type::Timestamp } else { Type::Date };
            }
            groups.push(group);
            outputs.push(output);
        }
        let count = self.random.between(usize::from(group_count == 0), 3);
        let measures: Vec<Value> = (0..count).map(|index| self.measure(&scope, index, &mut outputs)).collect();
        let mut computed: Vec<Value> = Vec::new();
        for index in 0..self.random.below(3).max(usize::from(self.walks)) {
            computed.extend(self.computed(index, group_count, &mut outputs));
        }
        for (field, items) in [("group", groups), ("measures", measures), ("compute", computed)] {
            if !items.is_empty() {
                plan[field] = json!(items);
            }
        }
        if !self.walks && self.random.chance(20) {
            plan["having"] = self.pred(&Scope::Results(outputs.clone()), 1);
        }
        outputs
    }

    fn measure(&mut self, scope: &Scope, index: usize, outputs: &mut Vec<Named>) -> Value {
        let agg = *self.random.pick(&words(AGGREGATES));
        let wanted: &[Type] = match agg {
            "count" | "count_distinct" => &ANY,
            "sum" | "avg" => &[Type::Int, Type::Float, Type::Decimal, Type::Bool],
            "min" | "max" => &ANY[..8],
            _ => &NUMBERS,
        };
        let over = match agg {
            "count" if self.random.chance(60) => None,
            _ => self.term(scope, wanted, 0),
        };
        let over = over.filter(|term| !(term.weekday && matches!(agg, "min" | "max")));
        let agg = match &over {
            None => "count",
            // What is joined stands beside many rows: a sum would add it as often, and is refused.
            Some(term) if agg == "sum" && term.ty != Type::Bool && !is_of_the_grain(&term.expr, scope) => "avg",
            Some(_) => agg,
        };
        let mut measure = json!({"as": self.name("m", index), "agg": agg});
        let ty = match (&over, agg) {
            (_, "count" | "count_distinct") | (None, _) => Type::Int,
            (Some(term), "min" | "max") => term.ty,
            (Some(term), "sum") if term.ty == Type::Bool => Type::Int,
            (Some(term), "sum") => term.ty,
            _ => Type::Float,
        };
        if let Some(term) = &over {
            measure["expr"] = term.expr.clone();
        }
        if agg == "corr" {
            measure["with"] = self.term(scope, &NUMBERS, 0).or(over.clone()).expect("it has one").expr;
        }
        if agg == "quantile" {
            measure["q"] = json!(*self.random.pick(&[0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]));
        }
        if self.random.chance(25) {
            measure["where"] = self.pred(scope, 1);
        }
        let name = measure["as"].as_str().expect("a name").to_string();
        let pool = over.filter(|_| matches!(agg, "min" | "max")).map_or_else(Vec::new, |term| term.pool);
        outputs.push(Named { name, term: Term { pool, ..Term::new(Value::Null, ty) }, grain: None });
        measure
    }

    fn computed(&mut self, index: usize, groups: usize, outputs: &mut Vec<Named>) -> Option<Value> {
        let (keys, measures) = outputs.split_at(groups);
        let numbers: Vec<Named> = measures.iter().filter(|output| output.term.ty.is_number()).cloned().collect();
        let first = (!numbers.is_empty()).then(|| self.random.pick(&numbers).clone())?;
        let second = self.random.pick(&numbers).clone();
        let walkable: Vec<&Named> =
            keys.iter().filter(|key| key.grain.is_some() || key.term.ty == Type::Date).collect();
        let ops = match walkable.is_empty() {
            true => "ratio diff share",
            false if self.walks => "change change_pct cumulative",
            false => "ratio diff share change change change_pct change_pct cumulative cumulative",
        };
        let op = *self.random.pick(&words(ops));
        let name = self.name("x", index);
        let names: Vec<String> = keys.iter().map(|key| key.name.clone()).collect();
        let mut compute = json!({"as": name, "op": op, "args": [first.name]});
        let ty = match op {
            "ratio" | "diff" => {
                compute["args"] = json!([first.name, second.name]);
                let both = [first.term.ty, second.term.ty];
                let widest = [Type::Float, Type::Decimal].into_iter().find(|ty| both.contains(ty));
                if op == "ratio" { Type::Float } else { widest.unwrap_or(Type::Int) }
            }
            "share" => {
                let per = self.random.some(&names, 2);
                if !per.is_empty() {
                    compute["per"] = json!(per);
                }
                Type::Float
            }
            _ => {
                let along = self.random.pick(&walkable).name.clone();
                let others: Vec<&String> = names.iter().filter(|name| **name != along).collect();
                compute["along"] = json!(along);
                if !others.is_empty() && self.random.chance(60) {
                    compute["per"] = json!(others);
                }
                if op == "change_pct" { Type::Float } else { first.term.ty }
            }
        };
        outputs.push(Named { name, term: Term::new(Value::Null, ty), grain: None });
        Some(compute)
    }

    fn finish(&mut self, plan: &mut Value, outputs: &[Named]) {
        let names: Vec<String> = outputs.iter().map(|output| output.name.clone()).collect();
        let dir = |random: &mut Random| if random.chance(50) { "asc" } else { "desc" };
        if self.random.chance(30) {
            let per = if self.random.chance(50) { self.random.some(&names, 2) } else { Vec::new() };
            let (n, by) = (self.random.between(1, 4), self.random.pick(&names).clone());
            plan["top"] = json!({"n": n, "by": by, "dir": dir(self.random), "ties": self.random.chance(50)});
            if !per.is_empty() {
                plan["top"]["per"] = json!(per);
            }
        }
        let is_measured = |output: &Named| output.term.expr.is_null();
        if plan.get("select").is_none() && self.random.chance(20) {
            let measured: Vec<Named> = outputs.iter().filter(|output| is_measured(output)).cloned().collect();
            let count = self.random.between(1, 3);
            plan["over"] = (0..count).map(|index| self.over(index, &measured)).collect();
        }
        let ordered = plan.get("over").is_none() && self.random.chance(55);
        let order = if ordered { self.random.some(&names, 3) } else { Vec::new() };
        if !order.is_empty() {
            plan["order"] = order.iter().map(|by| json!({"by": by, "dir": dir(self.random)})).collect();
        }
        if self.random.chance(25) {
            plan["limit"] = json!(self.random.between(1, 6));
        }
    }

    /// An aggregate over groups; where none of the measures suits, their number.
    fn over(&mut self, index: usize, measured: &[Named]) -> Value {
        let name = self.name("o", index);
        let agg = *self.random.pick(&words("count sum avg avg min max median"));
        let suits = |output: &&Named| match agg {
            "sum" | "avg" => output.term.ty.is_number() || output.term.ty == Type::Bool,
            "median" => output.term.ty.is_number(),
            "min" | "max" => output.term.ty != Type::Json,
            _ => false,
        };
        let suited: Vec<&Named> = measured.iter().filter(suits).collect();
        match suited.is_empty() {
            true => json!({"as": name, "agg": "count"}),
            false => json!({"as": name, "agg": agg, "of": self.random.pick(&suited).name}),
        }
    }

    /// Names that are taken elsewhere, need quotes, or look like nothing.
    fn name(&mut self, letter: &str, index: usize) -> String {
        match self.random.below(8) {
            0 => format!("{letter}{index} \"quoted\""),
            1 => format!("{letter}{index} o'clock"),
            2 if letter == "m" => format!("place{}", if index == 0 { String::new() } else { format!("_{index}") }),
            3 if letter == "g" && index == 0 => self.world.tables[0].columns[0].name.clone(),
            4 => format!("Überschrift {letter}{index}"),
            _ => format!("{letter}{index}"),
        }
    }

    /// The columns that rows of a table see.
    fn columns(&self, table: &str) -> Vec<Term> {
        let mut terms = Vec::new();
        for other in &self.world.tables {
            if join::path(self.dataset, table, &other.name, self.via).is_err() {
                continue;
            }
            for column in &other.columns {
                let expr = json!({"col": format!("{}.{}", other.name, column.name)});
                terms.push(Term { pool: column.pool.clone(), flavour: column.flavour, ..Term::new(expr, column.ty) });
            }
        }
        terms
    }

    /// An expression of one of these types, if there is one.
    fn term(&mut self, scope: &Scope, types: &[Type], depth: usize) -> Option<Term> {
        let makes_numbers = NUMBERS.iter().any(|ty| types.contains(ty));
        if depth < 3
            && makes_numbers
            && self.random.chance(35)
            && let Some(term) = self.operation(scope, types, depth)
        {
            return Some(term);
        }
        if depth < 3
            && types.contains(&Type::Text)
            && self.random.chance(12)
            && let Some(of) = self.term(scope, &MOMENTS, depth + 1)
        {
            let expr = json!({"part": "weekday", "of": of.expr});
            let days = ["Monday", "tuesday", "Sunday", "Thursday"].map(str::to_string).to_vec();
            return Some(Term { weekday: true, pool: days, ..Term::new(expr, Type::Text) });
        }
        let known: Vec<Term> = match scope {
            Scope::Rows(table) => self.columns(table),
            Scope::Results(outputs) => {
                outputs.iter().map(|output| Term { expr: json!({"ref": output.name}), ..output.term.clone() }).collect()
            }
        };
        let fitting: Vec<Term> = known.into_iter().filter(|term| types.contains(&term.ty)).collect();
        (!fitting.is_empty()).then(|| self.random.pick(&fitting).clone())
    }

    fn operation(&mut self, scope: &Scope, types: &[Type], depth: usize) -> Option<Term> {
        let float = |expr: Value| Term::new(expr, Type::Float);
        let made = match self.random.below(10) {
            0 | 5 => {
                let mut of = self.term(scope, &[Type::Text], depth + 1).filter(|of| !of.weekday)?;
                if let (Scope::Rows(table), true) = (scope, of.flavour != "number") {
                    of = self.columns(table).into_iter().find(|term| term.flavour == "number").unwrap_or(of);
                }
                float(json!({"op": "to_number", "args": [of.expr]}))
            }
            1 => {
                let of = self.term(scope, &MOMENTS, depth + 1)?;
                let parts: &[&str] = match of.ty {
                    Type::Date => &["year", "quarter", "month", "week", "day"],
                    _ => &["year", "quarter", "month", "week", "day", "hour"],
                };
                Term::new(json!({"part": self.random.pick(parts), "of": of.expr}), Type::Int)
            }
            2 => {
                let (a, b) = (self.moment(scope, depth)?, self.moment(scope, depth)?);
                let op = self.random.pick(&["elapsed_minutes", "elapsed_hours", "elapsed_days"]);
                float(json!({"op": op, "args": [a, b]}))
            }
            6 => {
                let of = self.number(scope, depth)?;
                self.bin(&of)?
            }
            3 | 4 => {
                let (a, b) = (self.number(scope, depth)?, self.number(scope, depth)?);
                float(json!({"op": "div", "args": [a.expr, b.expr]}))
            }
            _ => {
                let op = *self.random.pick(&["add", "sub", "mul"]);
                let count = if op == "sub" { 2 } else { *self.random.pick(&[2, 2, 2, 3]) };
                let args: Vec<Term> = (0..count).map(|_| self.number(scope, depth)).collect::<Option<_>>()?;
                let is = |ty: Type| args.iter().any(|arg| arg.ty == ty);
                let widest = [Type::Float, Type::Decimal].into_iter().find(|ty| is(*ty)).unwrap_or(Type::Int);
                let args: Vec<Value> = args.into_iter().map(|arg| arg.expr).collect();
                Term::new(json!({"op": op, "args": args}), widest)
            }
        };
        Some(made).filter(|term| types.contains(&term.ty))
    }

    /// The bin of a number that is in none yet.
    fn bin(&mut self, of: &Term) -> Option<Term> {
        let whole = self.random.chance(60);
        let width = match whole {
            true => json!(*self.random.pick(&[1, 2, 3, 5, 10, 100])),
            false => json!(*self.random.pick(&[0.1, 0.25, 0.3, 0.5, 2.5])),
        };
        let ty = if whole && of.ty == Type::Int { Type::Int } else { Type::Float };
        let fits = of.ty.is_number() && !of.expr.to_string().contains("\"bin\"");
        fits.then(|| Term::new(json!({"op": "bin", "args": [of.expr, {"lit": width}]}), ty))
    }

    fn number(&mut self, scope: &Scope, depth: usize) -> Option<Term> {
        if self.random.chance(20) {
            let whole = self.random.chance(60);
            let lit = if whole {
                json!(*self.random.pick(&[0, 1, 2, 100, -3]))
            } else {
                json!(*self.random.pick(&[0.5, 1.25, 0.1]))
            };
            return Some(Term::new(json!({"lit": lit}), if whole { Type::Int } else { Type::Float }));
        }
        self.term(scope, &NUMBERS, depth + 1)
    }

    fn moment(&mut self, scope: &Scope, depth: usize) -> Option<Value> {
        match self.random.chance(25) {
            true => {
                Some(json!({"lit": *self.random.pick(&["2024-02-29", "2025-01-01T00:00:01", "1999-12-31 23:59:59.5"])}))
            }
            false => self.term(scope, &MOMENTS, depth + 1).map(|term| term.expr),
        }
    }

    fn pred(&mut self, scope: &Scope, depth: usize) -> Value {
        match self.random.below(10) {
            0 | 1 if depth < 3 => {
                let word = *self.random.pick(&["and", "or"]);
                let items: Vec<Value> = (0..self.random.between(1, 3)).map(|_| self.pred(scope, depth + 1)).collect();
                json!({ word: items })
            }
            2 if depth < 3 => json!({"not": self.pred(scope, depth + 1)}),
            3 | 4 if depth < 3 => self.exists(scope, depth).unwrap_or_else(|| self.test(scope)),
            _ => self.test(scope),
        }
    }

    fn exists(&mut self, scope: &Scope, depth: usize) -> Option<Value> {
        let Scope::Rows(one) = scope else { return None };
        let many: Vec<String> =
            self.world.tables.iter().map(|table| table.name.clone()).filter(|many| many != one).collect();
        let many: Vec<String> =
            many.into_iter().filter(|many| join::path(self.dataset, many, one, self.via).is_ok()).collect();
        let table = (!many.is_empty()).then(|| self.random.pick(&many).clone())?;
        let mut exists = json!({ "table": table });
        if self.random.chance(65) {
            exists["where"] = self.pred(&Scope::Rows(table), depth + 1);
        }
        Some(json!({ "exists": exists }))
    }

    fn test(&mut self, scope: &Scope) -> Value {
        let term = match scope {
            Scope::Rows(_) => self.term(scope, &ANY, 1),
            Scope::Results(outputs) => {
                let has_moments = outputs.iter().any(|output| MOMENTS.contains(&output.term.ty));
                let types: &[Type] = if has_moments || !self.random.chance(50) { &ANY } else { &NUMBERS };
                self.term(scope, types, 2).or_else(|| self.term(scope, &ANY, 2))
            }
        };
        let term = term.expect("there is always a column");
        let tests = match (term.ty, term.weekday) {
            (Type::Json, _) => "is_null",
            (Type::Bool, _) | (_, true) => "eq ne in is_null",
            (Type::Text, _) => "eq ne in is_null lt le gt ge between within contains contains starts_with ends_with",
            _ => "eq ne in is_null lt le le gt ge between between within",
        };
        let test = *self.random.pick(&words(tests));
        let count = match test {
            "is_null" => 0,
            "in" => self.random.between(2, 5),
            "between" | "within" => 2,
            _ => 1,
        };
        let searches = matches!(test, "contains" | "starts_with" | "ends_with");
        let mut values: Vec<Value> = (0..count).map(|_| self.value(&term, searches)).collect();
        if count == 2 && self.random.chance(85) {
            // A range whose end comes before its beginning is empty.
            values.sort_by(|a, b| (a.as_f64(), a.as_str()).partial_cmp(&(b.as_f64(), b.as_str())).expect("no NaN"));
        }
        match values.is_empty() {
            true if self.random.chance(65) => json!({"not": {"test": test, "expr": term.expr}}),
            true => json!({"test": test, "expr": term.expr}),
            false => json!({"test": test, "expr": term.expr, "values": values}),
        }
    }

    /// A value to compare with: often one that is there.
    fn value(&mut self, term: &Term, searches: bool) -> Value {
        let known = (!term.pool.is_empty()).then(|| self.random.pick(&term.pool).clone());
        match term.ty {
            Type::Bool => json!(self.random.chance(50)),
            Type::Text if searches => {
                let text = known.unwrap_or_default();
                let letters: Vec<char> = text.chars().collect();
                let start = if self.random.chance(40) { 0 } else { self.random.below(letters.len() + 1) };
                let end =
                    if self.random.chance(40) { letters.len() } else { self.random.between(start, letters.len()) };
                let piece: String = letters[start..end].iter().collect();
                json!(match self.random.below(3) {
                    0 => piece.to_uppercase(),
                    1 => piece.to_lowercase(),
                    _ => piece,
                })
            }
            Type::Text => json!(known.unwrap_or_else(|| "North".to_string())),
            Type::Date | Type::Time | Type::Timestamp => {
                let other = match term.ty {
                    Type::Date => "2024-12-31",
                    Type::Time => "09:30",
                    _ => "2024-12-31T23:59:59.999999Z",
                };
                json!(known.filter(|text| fits(text, term.ty)).unwrap_or_else(|| other.to_string()))
            }
            _ => {
                let number = known.filter(|_| self.random.chance(70)).and_then(|text| number(&text));
                number.unwrap_or_else(|| json!(*self.random.pick(&[0.0, 1.0, 2.0, -1.0, 0.5, 10.0, 0.1])))
            }
        }
    }
}

/// A pool may be that of the value a period was cut from.
fn fits(text: &str, ty: Type) -> bool {
    match ty {
        Type::Date => text.len() == 10,
        Type::Time => text.contains(':'),
        _ => text.len() >= 10,
    }
}

/// As a whole number where it is one, else as a float; not every number of a pool can stand in JSON.
fn number(text: &str) -> Option<Value> {
    let whole = text.parse::<i64>().ok().map(Value::from);
    whole.or_else(|| text.parse::<f64>().ok().filter(|float| float.is_finite()).map(Value::from))
}
