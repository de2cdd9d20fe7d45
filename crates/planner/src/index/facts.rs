//! What a column's name and profile say about it: its words without the unit, whether it is an identifier, two-valued,
//! or adds up over rows.

use base::{Cell, Type};
use data::dataset::ColumnInfo;

use super::{Index, magnitudes, units};
use crate::build::number_of;
use crate::lexicon::Unit;
use crate::words::split_name;

/// What planning needs to know of one column.
#[derive(Clone, Debug)]
pub struct Facts {
    /// All words of its name as written.
    pub written: Vec<String>,
    /// All words of its name, abbreviations spelled out.
    pub words: Vec<String>,
    /// Its words without unit and without marks such as `is` and `flag`.
    pub core: Vec<String>,
    /// The verb behind a date: `resolved` of `resolved_at`; empty for other columns and for a bare `date`.
    pub event: Vec<String>,
    /// The cell that means yes, where a column has two values.
    pub yes: Option<Cell>,
    /// Whether its values name things rather than measure them.
    pub identifier: bool,
    /// Whether its values add up over rows.
    pub additive: bool,
    /// Whether its numbers tell apart or place things, and are no amounts: codes, years, coordinates.
    pub mark: bool,
    /// Whether "how much" adds up its values.
    pub extensive: bool,
    /// Whether its whole numbers are calendar years.
    pub years: bool,
    /// Whether each of its numbers says how many of the rows' things a row stands for.
    pub tally: bool,
    /// Whether its name says that it holds a number of something: `No. of cases`.
    pub counted: bool,
    /// Whether it is a text whose cells are mostly numbers.
    pub digits: bool,
    /// Whether many of its cells hold several things each.
    pub lists: bool,
    /// In what its numbers are measured.
    pub unit: Option<Unit>,
    /// Of what each of its numbers is for one unit: a tonne in `Price (EUR/t)`.
    pub per: Option<Unit>,
    /// How much one of its numbers stands for: a million in `Budget ($M)`.
    pub scale: f64,
}

impl Facts {
    /// Whether it is told in a currency.
    pub fn is_money(&self) -> bool {
        self.unit.as_ref().is_some_and(Unit::is_money)
    }

    /// Whether its name has a word.
    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own == word)
    }

    /// Whether its name has one of some words.
    pub fn has_any(&self, words: &[impl AsRef<str>]) -> bool {
        words.iter().any(|word| self.has(word.as_ref()))
    }

    /// Whether the numbers of several rows make one number together.
    pub fn adds_up(&self) -> bool {
        self.extensive || self.additive
    }
}

/// The facts of every column, table by table.
pub fn all(index: &Index) -> Vec<Vec<Facts>> {
    let tables = index.dataset.tables.iter();
    tables
        .map(|table| {
            let daily = table.columns.iter().any(|column| column.ty == Type::Date && column.unique);
            let last = |column: &ColumnInfo| split_name(&column.name).pop().unwrap_or_default();
            let bounds = table.columns.iter().any(|column| matches!(last(column).as_str(), "max" | "maximum"));
            let alone = |column: &ColumnInfo| {
                let stem = units::before(&column.name);
                table.columns.iter().filter(|other| stem.is_some() && units::before(&other.name) == stem).count() == 1
            };
            let persons =
                table.columns.iter().any(|column| split_name(&column.name).iter().any(|word| is_of_a_person(word)));
            let rows: Vec<String> = split_name(&table.name).iter().map(|word| index.forms.singular(word)).collect();
            let linked = |column: &ColumnInfo| {
                index.dataset.relations.iter().any(|relation| {
                    (&relation.from_table, &relation.from_column) == (&table.name, &column.name)
                        || (&relation.to_table, &relation.to_column) == (&table.name, &column.name)
                })
            };
            let around = |column: &ColumnInfo| Around {
                daily,
                bounds,
                persons,
                alone: alone(column),
                linked: linked(column),
                rows: rows.clone(),
            };
            table.columns.iter().map(|column| facts(index, column, around(column))).collect()
        })
        .collect()
}

/// What the other columns of its table say about a column.
struct Around {
    /// Each row is a day.
    daily: bool,
    /// One of them is the highest of something.
    bounds: bool,
    /// The rows are persons.
    persons: bool,
    /// No other has its name with another unit.
    alone: bool,
    /// It leads to rows of another table, or those lead to it.
    linked: bool,
    /// What its rows are called after their file.
    rows: Vec<String>,
}

/// Whether only a person has what a word of a column's name says.
fn is_of_a_person(word: &str) -> bool {
    matches!(word, "gender" | "sex" | "dob" | "birth" | "birthday" | "born" | "surname" | "age" | "salary")
}

fn facts(index: &Index, column: &ColumnInfo, around: Around) -> Facts {
    let Around { daily, bounds, persons, alone, linked, rows } = around;
    let written = split_name(&column.name);
    let words: Vec<String> = written.iter().map(|word| index.lexicon.spoken(word).to_string()).collect();
    // Beside a `..._max`, `..._min` is the minimum and no minutes.
    let bound = bounds && words.last().is_some_and(|word| word == "min");
    let scale = magnitudes::scale(column);
    let told = magnitudes::without(words.clone(), scale);
    let unit = (column.ty.is_number() && !bound).then(|| without_unit(index, &told));
    let (mut unitless, named_unit) = unit.unwrap_or_else(|| (told.clone(), None));
    let per = units::per(index, &column.name).or_else(|| units::for_a_period(index, &column.name));
    let per = per.filter(|_| column.ty.is_number());
    // What stands in parentheses is a unit, known or not.
    let length = units::before(&column.name).map_or(0, |stem| split_name(stem).len());
    if column.ty.is_number() && alone && length > 0 && units::in_parentheses(index, &column.name) {
        unitless.truncate(length);
    }
    let declared = column.unit.as_deref().and_then(|unit| index.lexicon.unit(&unit.to_lowercase())).cloned();
    let yes = yes(column);
    let core = if yes.is_some() { without_marks(&unitless) } else { unitless };
    let (core, counted) = without_count(core);
    let core = magnitudes::without(core, scale);
    let identifier =
        is_identifier(column, &words) || linked && column.ty == Type::Int || is_running_number(column, &rows);
    let running = is_running(&words, daily) || column.running.is_some();
    let additive = column.ty.is_number()
        && !identifier
        && !running
        && words
            .iter()
            .any(|word| index.lexicon.is_additive(word) || index.lexicon.is_additive(&index.forms.singular(word)));
    let named_unit =
        if units::per(index, &column.name).is_some() { units::dividend(index, &column.name) } else { named_unit };
    let unit = declared.or(named_unit).map(|unit| of_wind(index, &core, unit));
    let extensive = column.ty.is_number()
        && !identifier
        && !running
        && (words.iter().any(|word| index.lexicon.is_extensive(word))
            || unit.as_ref().is_some_and(|unit| adds_up(unit, &core, persons))
            || column.ty == Type::Int && is_number_of(index, &core));
    // The price of a sale is no sale.
    let level = per.is_some() || core.last().is_some_and(|word| index.lexicon.is_level(word));
    let (additive, extensive) = (additive && !level, extensive && !level);
    let event = if column.ty.is_temporal() { event(&words) } else { Vec::new() };
    let tally = column.ty.is_number()
        && matches!(core[..].join(" ").as_str(), "count" | "counts" | "cnt" | "frequency" | "tally");
    let years = is_years(column, &words);
    let mark = identifier || is_mark(column, &words);
    let digits = is_digits(column);
    let lists = is_lists(column);
    // Shares of different wholes do not add up, whatever they are shares of.
    let additive = additive && unit.as_ref().is_none_or(|unit| unit.family != "percent");
    Facts {
        written,
        event,
        yes,
        identifier,
        additive,
        extensive,
        years,
        mark,
        tally,
        counted,
        digits,
        lists,
        unit,
        per,
        scale,
        core,
        words,
    }
}

/// Whether a number already holds what came before: then a sum over rows counts twice.
fn is_running(words: &[String], daily: bool) -> bool {
    let running =
        |word: &String| matches!(word.as_str(), "cumulative" | "running" | "cum" | "rate") || is_statistic(word);
    let to_date = words.windows(2).any(|pair| pair[0] == "to" && pair[1] == "date");
    words.iter().any(running) || to_date || daily && words.first().is_some_and(|word| word == "total")
}

/// What sums up several numbers does not add up itself.
fn is_statistic(word: &str) -> bool {
    matches!(word, "avg" | "average" | "mean" | "median" | "min" | "minimum" | "max" | "maximum" | "std" | "stdev")
}

/// Cuts off what only says that a number of something follows: `No. of cases`, `num_rooms`.
fn without_count(words: Vec<String>) -> (Vec<String>, bool) {
    let short = |word: &String| matches!(word.as_str(), "no" | "num" | "nr" | "number" | "n" | "nb");
    let length = match &words[..] {
        [first, of, _, ..] if short(first) && of == "of" => 2,
        [first, _, ..] if first == "num" || first == "n" => 1,
        _ => 0,
    };
    (words[length..].to_vec(), length > 0)
}

/// Whether a text often holds several things in one cell: a cell that is one of them is not all there is of it.
fn is_lists(column: &ColumnInfo) -> bool {
    const ONE_IN: usize = 5;
    let several = |text: &&String| text.contains(", ") || text.contains("; ") || text.contains('|');
    let lists = column.values.iter().filter(several).count();
    column.ty == Type::Text && !column.unique && lists * ONE_IN > column.values.len()
}

/// Whether most cells of a text are numbers: what it counts or measures cannot be computed as it is.
fn is_digits(column: &ColumnInfo) -> bool {
    let number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let cells = column.values.iter().filter(|value| number(value)).count();
    let bound = |cell: &Option<Cell>| cell.as_ref().and_then(Cell::as_str).is_some_and(number);
    let mostly = cells * 2 > column.values.len() || column.values.is_empty() && bound(&column.min);
    column.ty == Type::Text && mostly
}

/// Whole numbers that are calendar years, in a column that says so.
fn is_years(column: &ColumnInfo, words: &[String]) -> bool {
    let named = words.last().is_some_and(|word| matches!(word.as_str(), "year" | "date" | "yr"));
    let bound = |cell: &Option<Cell>| cell.as_ref().and_then(Cell::as_f64);
    let calendar = |year: f64| (1500.0..=2200.0).contains(&year);
    named
        && column.ty == Type::Int
        && bound(&column.min).is_some_and(calendar)
        && bound(&column.max).is_some_and(calendar)
}

/// Whether a name is a plural alone: `seats`, `docks` are how many each row has.
fn is_number_of(index: &Index, core: &[String]) -> bool {
    let [noun] = core else { return false };
    noun.len() > 3 && index.forms.singular(noun) != *noun && !matches!(noun.as_str(), "years" | "status" | "stars")
}

/// Whether what is told in a unit is a part of a whole: energy, way, load, what a row brought in; not how tall or how warm
/// something is, what a thing weighs, what one of it costs or what a person is paid.
fn adds_up(unit: &Unit, core: &[String], persons: bool) -> bool {
    let says = |words: &[&str]| core.iter().any(|word| words.contains(&word.as_str()));
    match unit.family {
        "energy" | "miles" | "volume" => true,
        "mass" => unit.name == "tonne" || !says(&["weight", "mass", "capacity", "load"]) && !persons,
        "usd" | "eur" | "gbp" => {
            !persons && !says(&["price", "rate", "wage", "pay", "each", "limit", "rent", "balance"])
        }
        _ => unit.name == "kilometre",
    }
}

/// Cuts the unit off the end of a name: `temperature_c`, `vibration_mm_s`, `Height (cm)`.
fn without_unit(index: &Index, words: &[String]) -> (Vec<String>, Option<Unit>) {
    for length in [2, 1] {
        if words.len() > length {
            let (core, end) = words.split_at(words.len() - length);
            if let Some(unit) = index.lexicon.unit(&end.join(" ")) {
                return (core.to_vec(), Some(unit.clone()));
            }
        }
    }
    (words.to_vec(), leading_unit(index, words).or_else(|| sole_unit(index, words)))
}

/// How fast air or water moves is not told in milliseconds: `wind_avg_ms`.
fn of_wind(index: &Index, core: &[String], unit: Unit) -> Unit {
    let moves = |word: &String| matches!(word.as_str(), "wind" | "gust" | "gusts" | "speed" | "velocity" | "current");
    let metres = index.lexicon.unit("m/s").filter(|_| unit.name == "millisecond" && core.iter().any(moves));
    metres.cloned().unwrap_or(unit)
}

/// `kg`, `MWh`: a load or an energy that has no other name.
fn sole_unit(index: &Index, words: &[String]) -> Option<Unit> {
    let [word] = words else { return None };
    let unit = index.lexicon.unit(word)?;
    (matches!(unit.family, "energy" | "mass" | "volume" | "power") && word.len() > 1).then(|| unit.clone())
}

/// `minutes_stayed`, `days_absent`, `mins`, `Km Driven`: what is named first is what it is told in.
fn leading_unit(index: &Index, words: &[String]) -> Option<Unit> {
    let first = words.first()?;
    let unit = index.lexicon.unit(first)?;
    let time = unit.family == "time" && first.ends_with('s');
    let amount = matches!(unit.family, "energy" | "mass" | "volume" | "miles") || unit.name == "kilometre";
    (time || amount && first.len() > 1 && words.len() > 1).then(|| unit.clone())
}

fn without_marks(words: &[String]) -> Vec<String> {
    let mark = |word: &String| matches!(word.as_str(), "is" | "has" | "was" | "flag" | "flagged" | "indicator");
    let core: Vec<String> = words.iter().filter(|word| !mark(word)).cloned().collect();
    if core.is_empty() { words.to_vec() } else { core }
}

/// Bools, complete yes/no texts, and 0/1 numbers that are named like a question or a participle.
fn yes(column: &ColumnInfo) -> Option<Cell> {
    if column.ty == Type::Bool {
        return Some(Cell::Bool(true));
    }
    if column.ty == Type::Text && column.values_complete && matches!(column.values.len(), 1..=2) {
        let pairs = [("yes", "no"), ("y", "n"), ("true", "false")];
        let fits = |pair: &(&str, &str)| {
            let known = |value: &String| [pair.0, pair.1].contains(&value.to_lowercase().as_str());
            column.values.iter().all(known)
        };
        let pair = pairs.iter().find(|pair| fits(pair))?;
        let yes = column.values.iter().find(|value| value.to_lowercase() == pair.0)?;
        return Some(Cell::String(yes.clone()));
    }
    let words = split_name(&column.name);
    let said = words.last().is_some_and(|word| {
        word.ends_with("ed") && word.len() > 4 || matches!(word.as_str(), "churn" | "fraud" | "smoker" | "diabetic")
    });
    let asked = words.iter().any(|word| matches!(word.as_str(), "is" | "has" | "flag"));
    let named = asked || said && column.distinct == 2 && column.nulls == 0;
    let zero_one = column.min == Some(Cell::from(0)) && column.max == Some(Cell::from(1));
    (column.ty == Type::Int && named && zero_one).then(|| Cell::from(1))
}

fn is_identifier(column: &ColumnInfo, words: &[String]) -> bool {
    let named =
        words.last().is_some_and(|word| matches!(word.as_str(), "id" | "uuid" | "guid" | "sku" | "isbn" | "zip"));
    matches!(column.ty, Type::Int | Type::Text) && (named || column.noun.is_some())
}

/// Whether numbers are a code, a calendar year or a coordinate by their name and range.
fn is_mark(column: &ColumnInfo, words: &[String]) -> bool {
    const CODES: &[&str] =
        &["code", "no", "nr", "badge", "zip", "zipcode", "postcode", "phone", "telephone", "fax", "fips", "ssn", "ean"];
    const OF_SOMETHING: &[&str] =
        &["phone", "badge", "account", "serial", "licence", "license", "plate", "house", "jersey", "card", "invoice"];
    let within = |low: f64, high: f64| {
        let bounds = [&column.min, &column.max].map(|cell| cell.as_ref().and_then(number_of));
        bounds.iter().all(|bound| bound.is_some_and(|bound| (low..=high).contains(&bound)))
    };
    let [whose @ .., last] = words else { return false };
    let numbered = last == "number" && whose.last().is_some_and(|word| OF_SOMETHING.contains(&word.as_str()));
    let code = (CODES.contains(&last.as_str()) || numbered) && (last != "no" || !whose.is_empty());
    let year = words.iter().any(|word| word == "year") && within(1500.0, 2200.0);
    let place = matches!(last.as_str(), "latitude" | "longitude" | "lat" | "lon" | "lng" | "long");
    match column.ty {
        Type::Int => code || year || place && within(-180.0, 180.0),
        Type::Text => last == "year",
        ty => ty.is_number() && place && within(-180.0, 180.0),
    }
}

/// Whether whole numbers only tell rows apart: `Tkt #`, `Emp No`, `Ticket` in a file of tickets, one to the last without a gap.
fn is_running_number(column: &ColumnInfo, rows: &[String]) -> bool {
    const ROWS_MIN: u64 = 20;
    let name = column.name.trim();
    let words = split_name(name);
    let marked =
        name.ends_with('#') || name.starts_with('#') || words.len() > 1 && words.last().is_some_and(|w| w == "no");
    let own = column.unique && !words.is_empty() && words.iter().all(|word| rows.contains(word));
    let bound = |cell: &Option<Cell>| cell.as_ref().and_then(Cell::as_f64);
    let gapless = match (bound(&column.min), bound(&column.max)) {
        (Some(min), Some(max)) => max - min + 1.0 == column.distinct as f64,
        _ => false,
    };
    let ordinal = |word: &String| {
        matches!(word.as_str(), "rank" | "position" | "place" | "year" | "week" | "day" | "month" | "column")
    };
    let consecutive = column.unique && gapless && column.distinct >= ROWS_MIN && !words.iter().any(ordinal);
    column.ty == Type::Int && (marked || own || consecutive)
}

fn event(words: &[String]) -> Vec<String> {
    let bare = |word: &String| {
        matches!(word.as_str(), "at" | "on" | "date" | "time" | "timestamp" | "datetime" | "day" | "of")
    };
    words.iter().filter(|word| !bare(word)).cloned().collect()
}
