//! The walk over the parse tree: every node, every field, nothing skipped.
//!
//! Invariants: a node is visited once and its fields are either walked or refused; a table name is a common table
//! expression only where SQL would resolve it to one (after it was defined, and inside itself only when recursive),
//! because elsewhere the engine would look for a table or file of that name.

use base::{Finding, Span, nearest};
use serde_json::{Map, Value};

use super::tokens::Tokens;
use super::{DEPTH_MAX, FINDINGS_MAX, lists, statement};

type Node = Map<String, Value>;

/// Everything wrong with a tree whose one statement the parser accepted.
pub fn walk(nodes: &[Value], tokens: &Tokens, tables: &[&str]) -> Vec<Finding> {
    let mut walk =
        Walk { nodes, tokens, tables, seen: vec![false; nodes.len()], scope: Vec::new(), findings: Vec::new() };
    if let Some(root) = nodes.first().and_then(Value::as_object) {
        walk.fields(root, 0);
    }
    let mut findings = walk.findings;
    findings.sort_by_key(|finding| finding.span.map_or(usize::MAX, |span| span.start));
    findings.dedup_by(|a, b| a.rule == b.rule && a.span == b.span);
    findings.truncate(FINDINGS_MAX);
    findings
}

struct Walk<'a> {
    nodes: &'a [Value],
    tokens: &'a Tokens<'a>,
    tables: &'a [&'a str],
    seen: Vec<bool>,
    /// Names of common table expressions, innermost last.
    scope: Vec<String>,
    findings: Vec<Finding>,
}

impl<'a> Walk<'a> {
    fn value(&mut self, value: &'a Value, depth: usize) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.value(item, depth)),
            Value::Object(object) => match self.follow(object) {
                Some(node) => self.node(node, depth + 1),
                None => self.refuse("sql/clause", "the parser's answer is not a tree", None),
            },
            _ => {}
        }
    }

    /// The node a `{"$": index}` stands for; `None` unless it is one and was not seen before.
    fn follow(&mut self, object: &'a Node) -> Option<&'a Node> {
        let index = usize::try_from(object.get("$")?.as_u64()?).ok()?;
        let seen = self.seen.get_mut(index)?;
        (!std::mem::replace(seen, true)).then(|| self.nodes[index].as_object())?
    }

    /// The node a field holds, to look at; the walk itself visits it later.
    fn peek(&self, node: &'a Node, field: &str) -> Option<&'a Node> {
        let index = usize::try_from(node.get(field)?.get("$")?.as_u64()?).ok()?;
        self.nodes.get(index)?.as_object()
    }

    fn node(&mut self, node: &'a Node, depth: usize) {
        if depth > DEPTH_MAX {
            return self.refuse("sql/limit", "the statement is nested too deeply; write a flatter one", None);
        }
        let kind = text(node, "type");
        let allowed = match (node.get("class").map(|_| text(node, "class")), node.contains_key("type")) {
            (Some(class), _) => self.expression(node, class, kind),
            (None, true) => self.clause(node, kind),
            (None, false) => true,
        };
        if allowed {
            let outer = self.scope.len();
            self.common_tables(node, depth);
            if kind == "RECURSIVE_CTE_NODE" {
                self.recursion(node, depth);
            }
            self.fields(node, depth);
            self.scope.truncate(outer);
        }
    }

    fn fields(&mut self, node: &'a Node, depth: usize) {
        for (field, value) in node.iter().filter(|(_, value)| !is_empty(value)) {
            let visited = field == "cte_map" || (field == "left" && text(node, "type") == "RECURSIVE_CTE_NODE");
            if visited {
                continue;
            }
            let known = lists::FIELDS.contains(&field.as_str()) || (field == "error" && depth == 0);
            match value.as_str().filter(|word| known && !lists::is_word_of(field, word)) {
                Some(word) => self.refuse_node(node, word),
                None if known => self.value(value, depth),
                None => self.refuse_field(node, field),
            }
        }
    }

    /// Each common table expression sees the ones before it.
    fn common_tables(&mut self, node: &'a Node, depth: usize) {
        let Some(map) = node.get("cte_map").filter(|map| !is_empty(map)) else { return };
        let Some(map) = map.as_object().and_then(|object| self.follow(object)) else {
            return self.refuse("sql/clause", "the parser's answer is not a tree", None);
        };
        for (field, entries) in map {
            let Some(entries) = entries.as_array().filter(|_| field == "map") else {
                return self.refuse_field(node, field);
            };
            for entry in entries {
                let name = entry.as_object().and_then(|entry| usize::try_from(entry.get("$")?.as_u64()?).ok());
                let name = name.and_then(|index| self.nodes.get(index)).map(|entry| entry["key"].as_str());
                self.value(entry, depth + 1);
                self.scope.extend(name.flatten().map(str::to_string));
            }
        }
    }

    /// The first half of a recursion does not see its own name, the second does.
    fn recursion(&mut self, node: &'a Node, depth: usize) {
        if let Some(left) = node.get("left") {
            self.value(left, depth);
        }
        self.scope.push(text(node, "cte_name").to_string());
    }

    fn expression(&mut self, node: &'a Node, class: &str, kind: &str) -> bool {
        let known = lists::EXPRESSIONS.iter().any(|(known, kinds)| *known == class && kinds.contains(&kind));
        match class {
            _ if !known => self.refuse_node(node, if class == kind { class } else { kind }),
            "FUNCTION" | "WINDOW" => self.function(node),
            "COLUMN_REF" => self.column(node),
            "COLLATE" => self.collation(node),
            "TYPE" => self.cast_type(node),
            _ => {}
        }
        known
    }

    fn clause(&mut self, node: &'a Node, kind: &str) -> bool {
        if let Some(keyword) = kind.strip_suffix("_QUERY_NODE") {
            self.findings.push(statement(keyword, self.tokens.keyword(keyword)));
            return false;
        }
        if !lists::NODES.contains(&kind) {
            self.refuse_node(node, kind);
            return false;
        }
        match kind {
            "BASE_TABLE" => self.table(node),
            "SHOW_REF" => return self.show(node),
            "TABLE_FUNCTION" => return self.table_function(node),
            _ => {}
        }
        true
    }

    fn table(&mut self, node: &'a Node) {
        let name = text(node, "table_name");
        let path = self.path(node);
        let qualifiers = path.iter().rev().skip(1).copied();
        let named = [text(node, "catalog_name"), text(node, "schema_name")];
        let foreign = path.len() > 2
            || path.last() != Some(&name)
            || !named[0].is_empty()
            || qualifiers.chain([named[1]]).any(|qualifier| !qualifier.is_empty() && !is(qualifier, "main"));
        let in_scope = path.len() == 1 && named[1].is_empty() && self.scope.iter().any(|known| is(known, name));
        if !foreign && (in_scope || self.tables.iter().any(|table| is(table, name))) {
            return;
        }
        let span = self.table_span(node, name);
        let all = self.tables.join(", ");
        if foreign {
            let message = format!("`{}` is outside the dataset; its tables are: {all}", path.join("."));
            return self.refuse("sql/table", message, span);
        }
        let file = name.contains(['/', '\\', ':', '.', '*']);
        let message = match nearest(name, self.tables.iter().copied()).as_slice() {
            _ if file => format!("`{name}` is a file, not a table of the dataset; its tables are: {all}"),
            [] => format!("there is no table `{name}`; the tables are: {all}"),
            close => format!("there is no table `{name}`; did you mean `{}`?", close.join("` or `")),
        };
        self.refuse("sql/table", message, span);
    }

    /// DESCRIBE and SUMMARIZE of a query are answers about data; every other SHOW is about the engine.
    fn show(&mut self, node: &'a Node) -> bool {
        let about_data = ["DESCRIBE", "SUMMARY"].contains(&text(node, "show_type"))
            && node.get("query").is_some_and(|query| !is_empty(query))
            && self.path(node).is_empty()
            && text(node, "table_name").is_empty();
        if !about_data {
            let span = ["SHOW", "DESCRIBE", "DESC"].iter().find_map(|word| self.tokens.keyword(word));
            let message = "only DESCRIBE and SUMMARIZE of a table are allowed; write DESCRIBE and its name";
            self.refuse("sql/statement", message, span.or_else(|| self.tokens.first()));
        }
        about_data
    }

    fn table_function(&mut self, node: &'a Node) -> bool {
        let Some(function) = self.peek(node, "function") else {
            self.refuse_node(node, "TABLE_FUNCTION");
            return false;
        };
        let name = text(function, "function_name").to_ascii_lowercase();
        let known = lists::TABLE_FUNCTIONS.contains(&name.as_str()) && self.path(function).len() == 1;
        if !known {
            let instead = lists::instead(&name).map(str::to_string).unwrap_or_else(|| {
                format!("read one of the tables {}, or range, generate_series, unnest", self.tables.join(", "))
            });
            let message = format!("`{name}` cannot stand in FROM; {instead}");
            self.refuse("sql/function", message, self.name_span(function, &name));
        }
        known
    }

    fn function(&mut self, node: &'a Node) {
        let name = text(node, "function_name").to_ascii_lowercase();
        let qualified = self.path(node).len() != 1 || !text(node, "schema").is_empty();
        if !qualified && text(node, "catalog").is_empty() && lists::is_function(&name) {
            return self.arguments(node, &name);
        }
        let span = self.name_span(node, &name);
        if qualified || !text(node, "catalog").is_empty() {
            let message = format!("`{name}` is called with a name before it; write {name}(…) with the value inside");
            return self.refuse("sql/function", message, span);
        }
        let message = if lists::CLOCK.contains(&name.as_str()) {
            clock(&name)
        } else if let Some((_, instead)) = lists::CHANCE.iter().find(|(chance, _)| *chance == name) {
            format!("`{name}` is not allowed, the same question must give the same answer; {instead}")
        } else if let Some(instead) = lists::instead(&name) {
            format!("`{name}` is not among the functions that only compute; {instead}")
        } else {
            match nearest(&name, lists::functions()).as_slice() {
                [] => format!("`{name}` is not among the functions that only compute; leave it out"),
                close => format!("`{name}` is not among the functions that only compute; near: {}", close.join(", ")),
            }
        };
        self.refuse("sql/function", message, span);
    }

    /// Calls that are harmless or not by what they are given.
    fn arguments(&mut self, node: &'a Node, name: &str) {
        let arguments = node.get("arguments").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if name == "age" && arguments.len() < 2 {
            self.refuse("sql/function", clock("age with one argument"), self.name_span(node, name));
        }
        if lists::CALLS_BY_NAME.contains(&name) {
            let called = arguments.get(1).and_then(|argument| self.literal(argument)).map(str::to_ascii_lowercase);
            if !called.is_some_and(|called| lists::is_function(&called)) {
                let message =
                    format!("`{name}` does not say which aggregate it calls; write its name as text, such as 'sum'");
                self.refuse("sql/function", message, self.name_span(node, name));
            }
        }
    }

    /// The text of an argument that is a literal.
    fn literal(&self, argument: &'a Value) -> Option<&'a str> {
        let argument = self.nodes.get(usize::try_from(argument.get("$")?.as_u64()?).ok()?)?.as_object()?;
        let constant = self.peek(argument, "expression").filter(|node| text(node, "class") == "CONSTANT")?;
        Some(text(self.peek(constant, "literal")?, "text"))
    }

    fn column(&mut self, node: &'a Node) {
        let names = node.get("column_names").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let [Value::String(name)] = names else { return };
        let name = name.to_ascii_lowercase();
        if lists::is_bare_clock(&name) {
            let message = format!("{}; if it is a column, write table.{name}", clock(&name));
            self.refuse("sql/function", message, self.name_span(node, &name));
        } else if lists::SESSION.contains(&name.as_str()) {
            let message = format!("`{name}` is about the session, not the data; if it is a column, write table.{name}");
            self.refuse("sql/function", message, self.name_span(node, &name));
        }
    }

    fn cast_type(&mut self, node: &'a Node) {
        let name = text(node, "type_name").to_ascii_lowercase();
        let plain = self.path(node).len() == 1 && text(node, "schema").is_empty() && text(node, "catalog").is_empty();
        if !plain || !lists::TYPES.contains(&name.as_str()) {
            let message = match nearest(&name, lists::TYPES.iter().copied()).as_slice() {
                _ if !plain => format!("the type `{name}` is written with a name before it; write {name} alone"),
                [] => format!("`{name}` is not a type that values can be cast to; write one such as text, int or date"),
                close => format!("`{name}` is not a type that values can be cast to; near: {}", close.join(", ")),
            };
            let span = self.name_span(node, &name);
            self.refuse("sql/type", message, span);
        }
    }

    /// Several collations can be chained by dots; each has to be one of the engine's own.
    fn collation(&mut self, node: &'a Node) {
        let names = text(node, "collation");
        if let Some(name) = names.split('.').find(|name| !lists::is_collation(&name.to_ascii_lowercase())) {
            let message = format!("there is no collation `{names}`; write nocase, noaccent or a language such as de");
            let span = self.tokens.name(name, location(node).unwrap_or(0));
            self.refuse("sql/clause", message, span.or_else(|| self.tokens.name("collate", 0)));
        }
    }

    fn path(&self, node: &'a Node) -> Vec<&'a str> {
        let path = self.peek(node, "qualified_name").and_then(|name| name.get("path")?.as_array());
        path.into_iter().flatten().map(|part| part.as_str().unwrap_or_default()).collect()
    }

    /// The token that spells a node's name, from where the engine says the node is.
    fn name_span(&self, node: &Node, name: &str) -> Option<Span> {
        let from = location(node);
        let named = self.tokens.name(name, from.unwrap_or(0));
        named.or_else(|| from.and_then(|from| self.tokens.at(from)))
    }

    /// From where the engine says a table begins, qualifiers included, to the token that spells its name.
    fn table_span(&self, node: &Node, name: &str) -> Option<Span> {
        let from = location(node).and_then(|from| self.tokens.at(from));
        let named = self.tokens.name(name, from.map_or(0, |span| span.start));
        match (from, named) {
            (Some(from), Some(named)) => Some(Span { start: from.start, end: named.end }),
            (from, named) => named.or(from),
        }
    }

    fn refuse_node(&mut self, node: &'a Node, kind: &str) {
        let message = match kind {
            "PARAMETER" | "VALUE_PARAMETER" => "parameters have no value here; write the value itself".to_string(),
            "DEFAULT" | "VALUE_DEFAULT" => "a SELECT has no default values; write the value itself".to_string(),
            _ => format!("`{}` is not allowed in a checked statement; leave it out", kind.to_lowercase()),
        };
        let span = location(node).and_then(|from| self.tokens.at(from));
        self.refuse("sql/clause", message, span);
    }

    fn refuse_field(&mut self, node: &'a Node, field: &str) {
        let from = location(node).unwrap_or(0);
        let find = |words: &[&str]| words.iter().find_map(|word| self.tokens.name(word, from));
        let (message, span) = match field {
            "sample" => {
                let message = "a sample gives other rows each time; write ORDER BY … LIMIT n";
                (message.to_string(), find(&["tablesample", "sample"]))
            }
            "at_clause" => ("a table cannot be read as of another time; leave AT (…) out".to_string(), find(&["at"])),
            "export_state" => {
                let message = "the state of an aggregate cannot be read; leave EXPORT_STATE out";
                (message.to_string(), find(&["export_state"]))
            }
            "pivot_enum" => {
                let name = text(node, "pivot_enum");
                (format!("PIVOT … IN `{name}` names a type; list the values, as IN ('a', 'b')"), find(&[name]))
            }
            "named_param_map" => {
                ("parameters have no value here; write the value itself".to_string(), find(&["?", "$"]))
            }
            _ => (format!("`{field}` is not allowed in a checked statement; leave it out"), self.tokens.at(from)),
        };
        self.refuse("sql/clause", message, span);
    }

    fn refuse(&mut self, rule: &str, message: impl Into<String>, span: Option<Span>) {
        self.findings.push(Finding::error(rule, message, span));
    }
}

fn clock(name: &str) -> String {
    format!("`{name}` reads the clock, the same question must give the same answer; write a date, as DATE '2026-01-31'")
}

fn text<'a>(node: &'a Node, field: &str) -> &'a str {
    node.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Whether the engine takes two names for one: it folds ASCII letters only. Folding more would let a common table
/// called `K.csv` with the sign for kelvin vouch for the file `k.csv`.
fn is(name: &str, other: &str) -> bool {
    name.eq_ignore_ascii_case(other)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Where the engine says a node begins; it writes the largest number when it does not know.
fn location(node: &Node) -> Option<usize> {
    let position = node.get("query_location")?.as_u64()?;
    usize::try_from(position).ok().filter(|position| *position <= super::TEXT_BYTES_MAX)
}
