//! An evaluation as one page that needs nothing beside it: the figures, the curve, and each failure with what was
//! expected and what was answered side by side.
//!
//! Questions, cells and names are strangers' words: each goes through [`escaped`] on its way into the page.

use std::fmt::Write;

use serde_json::Value;
use tasks::{CaseResult, Status};

use super::{cell, curve, is_failure};
use crate::printer::is_unfit;

/// Failures that a page holds at most.
const FAILURES_MAX: usize = 1_000;
/// Rows of each that are shown.
const ROWS_MAX: usize = 20;
/// Letters of a cell that are shown.
const CELL_MAX: usize = 200;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#5b6570;--line:#d5dae0;--paper:#fff;--card:#f6f8fa;--mark:#1f6feb;\
--good:#1a7f37;--bad:#b3261e}\
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--soft:#9aa4af;--line:#363d46;--paper:#14171b;--card:#1c2127;\
--mark:#6ea8fe;--good:#57c878;--bad:#ff8a80}}\
*{box-sizing:border-box}\
body{margin:0 auto;padding:2rem 1rem 4rem;max-width:64rem;background:var(--paper);color:var(--ink);\
font:16px/1.5 system-ui,sans-serif}\
h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:2.5rem 0 .75rem}\
.soft,figcaption{color:var(--soft)}\
dl.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.75rem;margin:1.25rem 0}\
dl.figures div{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.6rem .8rem}\
dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-size:1.3rem;font-variant-numeric:tabular-nums}\
figure{margin:0}svg{width:100%;max-width:44rem;height:auto}svg text{fill:var(--soft);font-size:12px}\
.grid{stroke:var(--line);fill:none}.line{stroke:var(--mark);stroke-width:2;fill:none}circle{fill:var(--mark)}\
article{border:1px solid var(--line);border-radius:8px;padding:.9rem 1rem;margin:0 0 1rem}\
article h3{font-size:1rem;margin:0 0 .4rem;overflow-wrap:anywhere}\
.id{color:var(--soft);font-weight:400;margin-right:.6rem}.good{color:var(--good)}.bad{color:var(--bad)}\
.sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:1rem;margin:.6rem 0}\
.sides>div{overflow-x:auto}\
table{border-collapse:collapse;font-size:.9rem}th,td{border-bottom:1px solid var(--line);padding:.15rem .7rem .15rem 0;\
text-align:left;vertical-align:top;overflow-wrap:anywhere}\
p{margin:.3rem 0}pre{background:var(--card);padding:.7rem;border-radius:6px;overflow-x:auto;font-size:.8rem;\
white-space:pre-wrap;overflow-wrap:anywhere}summary{cursor:pointer;color:var(--soft)}";

/// The page.
pub fn draw(name: &str, document: &Value, results: &[CaseResult]) -> String {
    let name = escaped(name);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>\n"
    );
    let _ = writeln!(page, "<p class=\"soft\">run {}</p>", escaped(document["run"].as_str().unwrap_or_default()));
    figures(&mut page, document);
    if let Some(curve) = curve::draw(&document["curve"]) {
        let _ = writeln!(
            page,
            "<h2>Precision by coverage</h2>\n<figure>{curve}\n<figcaption>The part of the answers that is right, if only \
             the surest are given and the rest is refused.</figcaption></figure>"
        );
    }
    let failures: Vec<&CaseResult> = results.iter().filter(|result| is_failure(result)).collect();
    let _ = writeln!(page, "<h2>Failures: {}</h2>", failures.len());
    if failures.is_empty() {
        page.push_str("<p class=\"good\">None.</p>\n");
    }
    for result in failures.iter().take(FAILURES_MAX) {
        failure(&mut page, result);
    }
    if failures.len() > FAILURES_MAX {
        let _ = writeln!(page, "<p class=\"soft\">{} more are not shown.</p>", failures.len() - FAILURES_MAX);
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn figures(page: &mut String, document: &Value) {
    let percent =
        |name: &str| document[name].as_f64().map_or("–".to_string(), |share| format!("{:.1} %", 100.0 * share));
    let count = |name: &str| document[name].as_u64().unwrap_or_default().to_string();
    let time = |name: &str, rank: &str| {
        document[name][rank].as_f64().map_or("–".to_string(), |time| format!("{time:.1} ms"))
    };
    let figures = [
        ("accuracy", percent("accuracy")),
        ("precision", percent("precision")),
        ("coverage", percent("coverage")),
        ("cases", count("cases")),
        ("answered", count("answered")),
        ("right", count("right")),
        ("wrong", count("wrong")),
        ("refused", count("refused")),
        ("refused rightly", count("refused_right")),
        ("problems", count("problems")),
        ("planning, middle", time("plan_ms", "p50")),
        ("planning, 99 %", time("plan_ms", "p99")),
        ("in all, middle", time("total_ms", "p50")),
        ("in all, 99 %", time("total_ms", "p99")),
    ];
    page.push_str("<dl class=\"figures\">\n");
    for (name, figure) in figures {
        let _ = writeln!(page, "<div><dt>{name}</dt><dd>{figure}</dd></div>");
    }
    page.push_str("</dl>\n");
}

fn failure(page: &mut String, result: &CaseResult) {
    let question = result.question.as_deref().unwrap_or_default();
    let _ =
        writeln!(page, "<article>\n<h3><span class=\"id\">{}</span>{}</h3>", escaped(&result.id), escaped(question));
    if let Some(reading) = &result.reading {
        let _ = writeln!(
            page,
            "<p>read as: {} <span class=\"soft\">(confidence {:.3})</span></p>",
            escaped(reading),
            result.confidence
        );
    }
    let said = match result.status {
        Status::Answered => None,
        Status::Refused => Some("refused"),
        Status::Problem => Some("problem"),
    };
    if let Some(message) = &result.message {
        let label = said.unwrap_or("would be refused");
        let _ = writeln!(page, "<p><span class=\"bad\">{label}:</span> {}</p>", escaped(message));
    }
    page.push_str("<div class=\"sides\">\n");
    if let Some(expect) = &result.expect {
        page.push_str("<div><p class=\"good\">expected</p>\n");
        match (&expect.rows, &expect.values) {
            (Some(rows), _) => table(page, None, rows),
            (None, Some(values)) => {
                let rows: Vec<Vec<Value>> =
                    values.iter().map(|(name, value)| vec![Value::from(name.as_str()), value.clone()]).collect();
                table(page, None, &rows);
            }
            (None, None) => page.push_str("<p>a refusal</p>\n"),
        }
        page.push_str("</div>\n");
    }
    if let Some(rows) = &result.rows {
        page.push_str("<div><p class=\"bad\">answered</p>\n");
        table(page, result.columns.as_deref(), rows);
        page.push_str("</div>\n");
    }
    page.push_str("</div>\n");
    if let Some(plan) = &result.plan {
        let _ = writeln!(page, "<details><summary>plan</summary><pre>{}</pre></details>", escaped(&plan.to_string()));
    }
    page.push_str("</article>\n");
}

fn table(page: &mut String, columns: Option<&[String]>, rows: &[Vec<Value>]) {
    page.push_str("<table>\n");
    if let Some(columns) = columns {
        let cells: String = columns.iter().map(|name| format!("<th>{}</th>", escaped(name))).collect();
        let _ = writeln!(page, "<tr>{cells}</tr>");
    }
    for row in rows.iter().take(ROWS_MAX) {
        let cells: String = row.iter().map(|value| format!("<td>{}</td>", escaped(&shortened(&cell(value))))).collect();
        let _ = writeln!(page, "<tr>{cells}</tr>");
    }
    page.push_str("</table>\n");
    match rows.len() {
        0 => page.push_str("<p class=\"soft\">no rows</p>\n"),
        count if count > ROWS_MAX => {
            let _ = writeln!(page, "<p class=\"soft\">{} more rows</p>", count - ROWS_MAX);
        }
        _ => {}
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(CELL_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// A stranger's text as part of the page: it opens nothing, closes nothing and does not turn what follows around.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter if is_unfit(letter) => out.push('·'),
            letter => out.push(letter),
        }
    }
    out
}
