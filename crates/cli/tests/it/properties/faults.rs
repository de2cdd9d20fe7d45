//! Faults that a compiler could have, as edits of the SQL that it prints. Each changes what a plan means.

/// One fault.
pub struct Fault {
    pub name: &'static str,
    edit: Edit,
}

enum Edit {
    /// One text for another, wherever it stands.
    Text(&'static str, &'static str),
    /// Anything else.
    Rewrite(fn(&str) -> String),
}

impl Fault {
    /// The statement with the fault; unchanged where it does not apply.
    pub fn apply(&self, sql: &str) -> String {
        match self.edit {
            Edit::Text(from, to) => sql.replace(from, to),
            Edit::Rewrite(rewrite) => rewrite(sql),
        }
    }
}

const fn text(name: &'static str, from: &'static str, to: &'static str) -> Fault {
    Fault { name, edit: Edit::Text(from, to) }
}

const fn rewrite(name: &'static str, rewrite: fn(&str) -> String) -> Fault {
    Fault { name, edit: Edit::Rewrite(rewrite) }
}

pub const FAULTS: &[Fault] = &[
    text("a sum is an average", "sum(", "avg("),
    text("an average is a sum", "avg(", "sum("),
    text("the least is the greatest", "    min(", "    max("),
    text("distinct values are counted twice", "count(DISTINCT ", "count("),
    text("a sample is a population", "stddev_samp(", "stddev_pop("),
    text("a correlation is a covariance", "nullif(corr(", "nullif(covar_samp("),
    text("a correlation is with itself turned round", "nullif(corr(", "nullif(-corr("),
    text("what is at an edge is in the bin below", " * (1 + sign(", " * (1 - sign("),
    text("bins have their edge in the middle", "floor(", "round("),
    text("below zero bins grow towards it", " AS HUGEINT) % ", " AS HUGEINT) // "),
    text("a quantile does not interpolate", "quantile_cont(", "quantile_disc("),
    rewrite("a median keeps the scale of decimals", |sql| {
        each_call(sql, "median(CAST(", |call| {
            call.replace("median(CAST(", "median((").replacen(" AS DOUBLE))", "))", 1)
        })
    }),
    rewrite("a measure sees all rows", |sql| each_call(sql, " FILTER (", |_| String::new())),
    rewrite("rows are not filtered", |sql| without_lines(sql, |line| line.starts_with("  WHERE "))),
    text("a condition is turned round", "NOT (", "("),
    text("and is or", " AND ", " OR "),
    text("or is and", " OR ", " AND "),
    text("at most is less", " <= ", " < "),
    text("at least is more", " >= ", " > "),
    text("a range is what lies outside", " BETWEEN ", " NOT BETWEEN "),
    text("unequal is equal", " <> ", " = "),
    text("what is there is null", " IS NOT NULL", " IS NULL"),
    text("case counts in searches", "lower(", "("),
    text("a beginning may stand anywhere", "starts_with(", "contains("),
    text("an end may stand at the beginning", "ends_with(", "starts_with("),
    text("exists is not exists", " IN (SELECT ", " NOT IN (SELECT "),
    text("rows without a match are lost", "LEFT JOIN", "JOIN"),
    rewrite("a join has no condition", |sql| {
        let joined = |line: &str| match (line.trim_start().starts_with("LEFT JOIN"), line.split_once(" ON ")) {
            (true, Some((join, _))) => format!("{join} ON true"),
            _ => line.to_string(),
        };
        sql.lines().map(joined).collect::<Vec<_>>().join("\n")
    }),
    rewrite("division by zero is not null", |sql| {
        each_call(sql, "/ nullif(", |call| call.replacen("/ nullif(", "/ (", 1).replacen(", 0)", ")", 1))
    }),
    text("infinity is not a number", ", 'NaN')", ", NULL)"),
    text("nulls come first", "NULLS LAST", "NULLS FIRST"),
    text("the highest are the lowest", " DESC ", " ASC "),
    text("equals share no place", "rank()", "row_number()"),
    text("a shared place leaves no gap", "rank()", "dense_rank()"),
    rewrite("a place among equals is left to chance", |sql| {
        each_call(sql, "row_number() OVER (", |call| {
            let end = call.find("NULLS LAST").map_or(call.len(), |at| at + "NULLS LAST".len());
            format!("{})", &call[..end].trim_end_matches(')'))
        })
    }),
    rewrite("the order among equals is left to chance", |sql| {
        let Some((head, tail)) = sql.rsplit_once("ORDER BY\n") else { return sql.to_string() };
        let first = tail.lines().next().unwrap_or_default().trim_end_matches(',');
        let limit = tail.lines().last().unwrap_or_default();
        format!("{head}ORDER BY\n{first}\n{limit}")
    }),
    rewrite("one row too many", |sql| {
        let Some((head, limit)) = sql.rsplit_once("LIMIT ") else { return sql.to_string() };
        format!("{head}LIMIT {}", limit.trim().parse::<u32>().expect("a number") + 1)
    }),
    text("equal rows of a list stay", "SELECT DISTINCT", "SELECT"),
    rewrite("a window has no groups", |sql| {
        let mut left = sql.to_string();
        while let Some(start) = left.find("PARTITION BY ") {
            let rest = &left[start..];
            let end = [rest.find(" ORDER BY"), closing(rest)].into_iter().flatten().min().unwrap_or(rest.len());
            left.replace_range(start..start + end, "");
        }
        left
    }),
    text("a running sum is the whole", "AND CURRENT ROW", "AND UNBOUNDED FOLLOWING"),
    rewrite("the period before is the row before", |sql| {
        let mut left = sql.to_string();
        while let Some(at) = left.find(" - INTERVAL '") {
            let start = left[..at].rfind(" = ").expect("periods are compared");
            let end = at + left[at..].find(" THEN").expect("a case");
            left.replace_range(start..end, " IS NOT NULL");
        }
        left
    }),
    text("a month before is two", "INTERVAL '1 month'", "INTERVAL '2 months'"),
    text("a quarter is a month", "INTERVAL '3 months'", "INTERVAL '1 month'"),
    rewrite("weeks start on Sunday", |sql| {
        each_call(sql, "date_trunc('week', ", |call| {
            format!("({} + INTERVAL '1 day') - INTERVAL '1 day')", call.trim_end_matches(')'))
        })
    }),
    text("a quarter is cut as a year", "date_trunc('quarter'", "date_trunc('year'"),
    text("a month is cut as a quarter", "date_trunc('month'", "date_trunc('quarter'"),
    text("hours are cut as days", "date_trunc('hour'", "date_trunc('day'"),
    text("weekdays sort from Sunday", " WHEN 'Sunday' THEN 7", " WHEN 'Sunday' THEN 0"),
    text("a week's number is a day's", "week(", "day("),
    text("an hour has sixty hours", "3600e6", "60e6"),
    text("a sum is a difference", " + ", " - "),
    text("a product is a sum", " * ", " + "),
    text("thousands are of any length", "(,[0-9]{3})+", "(,[0-9]+)+"),
    text("a minus sign is a dash", "'\u{2212}', '-'", "'\u{2212}', ''"),
    text("equal groups are averaged once", "\n  avg(", "\n  avg(DISTINCT "),
    rewrite("the limit cuts groups that are aggregated", |sql| match sql.rsplit_once("\nFROM ") {
        Some((head, tail)) if !tail.contains("LIMIT ") => format!("{head}\nFROM (SELECT * FROM {tail} LIMIT 2)"),
        _ => sql.to_string(),
    }),
    text("groups are not filtered", "\nWHERE \"", "\nWHERE true OR \""),
];

/// Where the bracket that `text` is inside of closes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => return Some(at),
            (None, ')') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Rewrites every call that begins so, up to the bracket that closes the first one it leaves open.
fn each_call(sql: &str, begin: &str, rewrite: impl Fn(&str) -> String) -> String {
    let mut done = String::new();
    let mut rest = sql;
    let brackets = begin.match_indices('(').map(|(at, _)| at + 1);
    let open = { brackets }.find(|at| closing(&begin[*at..]).is_none()).expect("a call opens a bracket");
    while let Some(start) = rest.find(begin) {
        let opened = start + open;
        let end = opened + closing(&rest[opened..]).map_or(rest.len() - opened, |at| at + 1);
        done += &rest[..start];
        done += &rewrite(&rest[start..end]);
        rest = &rest[end..];
    }
    done + rest
}

fn without_lines(sql: &str, gone: impl Fn(&str) -> bool) -> String {
    let condition = |line: &&str| !gone(line) && !line.starts_with("    AND ");
    if sql.lines().any(&gone) { sql.lines().filter(condition).collect::<Vec<_>>().join("\n") } else { sql.to_string() }
}
