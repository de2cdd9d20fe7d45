//! Walking JSON by hand: a value together with the pointer that leads to it, so that every problem names its place.
//!
//! A field that is `null` counts as absent. Reading never stops at the first problem: what cannot be read is `None`,
//! the problem is kept, and the reader goes on.

use base::nearest;
use serde_json::{Map, Value};

use super::PlanProblem;

/// A value and the JSON pointer that leads to it.
#[derive(Clone, Debug)]
pub(super) struct Node<'v> {
    pub(super) value: &'v Value,
    pub(super) path: String,
}

impl<'v> Node<'v> {
    pub(super) fn root(value: &'v Value) -> Node<'v> {
        Node { value, path: String::new() }
    }

    /// The field of that name; `None` where it is absent or null.
    pub(super) fn field(&self, name: &str) -> Option<Node<'v>> {
        let value = self.value.get(name)?;
        (!value.is_null()).then(|| Node { value, path: pointer(&self.path, name) })
    }

    /// The first field that is there, of several spellings.
    pub(super) fn either(&self, names: &[&str]) -> Option<Node<'v>> {
        names.iter().find_map(|name| self.field(name))
    }
}

/// The pointer to a field or an item below `path`.
pub(super) fn pointer(path: &str, step: &str) -> String {
    format!("{path}/{}", step.replace('~', "~0").replace('/', "~1"))
}

/// What kind of JSON a value is, in words.
pub(super) fn describe(value: &Value) -> String {
    const SHOWN_MAX: usize = 40;
    let kind = match value {
        Value::Null => return "null".to_string(),
        Value::Array(_) => return "a list".to_string(),
        Value::Object(_) => return "an object".to_string(),
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "text",
    };
    let text = value.to_string();
    match text.chars().count() <= SHOWN_MAX {
        true => format!("{kind} `{text}`"),
        false => format!("{kind} `{}…`", text.chars().take(SHOWN_MAX).collect::<String>()),
    }
}

/// The problems found so far.
#[derive(Debug, Default)]
pub(super) struct Problems(pub(super) Vec<PlanProblem>);

impl Problems {
    pub(super) fn add(&mut self, problem: PlanProblem) {
        self.0.push(problem);
    }

    pub(super) fn invalid(&mut self, path: &str, message: impl Into<String>) {
        self.add(PlanProblem::invalid(path, message));
    }

    /// An object with no other fields than these.
    pub(super) fn object<'v>(
        &mut self,
        node: &Node<'v>,
        what: &str,
        fields: &[&str],
    ) -> Option<&'v Map<String, Value>> {
        let Value::Object(map) = node.value else {
            self.invalid(&node.path, format!("{what} is an object, not {}", describe(node.value)));
            return None;
        };
        for name in map.keys().filter(|name| !fields.contains(&name.as_str())) {
            let problem = PlanProblem::invalid(pointer(&node.path, name), format!("{what} has no field `{name}`"));
            self.add(problem.suggest(nearest(name, fields.iter().copied())));
        }
        Some(map)
    }

    /// A field that must be there.
    pub(super) fn required<'v>(&mut self, node: &Node<'v>, what: &str, field: &str) -> Option<Node<'v>> {
        let found = node.field(field);
        if found.is_none() && node.value.is_object() {
            self.invalid(&node.path, format!("{what} needs the field `{field}`"));
        }
        found
    }

    /// The items of a list that is no longer than `items_max`.
    pub(super) fn list<'v>(&mut self, node: &Node<'v>, what: &str, items_max: usize) -> Vec<Node<'v>> {
        let Value::Array(items) = node.value else {
            self.invalid(&node.path, format!("{what} is a list, not {}", describe(node.value)));
            return Vec::new();
        };
        if items.len() > items_max {
            self.invalid(&node.path, format!("{what} has {} items, at most {items_max} are allowed", items.len()));
        }
        let nodes = items.iter().enumerate().take(items_max);
        nodes.map(|(index, value)| Node { value, path: pointer(&node.path, &index.to_string()) }).collect()
    }

    /// The items of a list that may be absent.
    pub(super) fn optional_list<'v>(&mut self, node: &Node<'v>, field: &str, items_max: usize) -> Vec<Node<'v>> {
        match node.field(field) {
            Some(list) => self.list(&list, &format!("`{field}`"), items_max),
            None => Vec::new(),
        }
    }

    pub(super) fn text<'v>(&mut self, node: &Node<'v>, what: &str) -> Option<&'v str> {
        let text = node.value.as_str();
        if text.is_none() {
            self.invalid(&node.path, format!("{what} is text, not {}", describe(node.value)));
        }
        text
    }

    pub(super) fn truth(&mut self, node: &Node<'_>, what: &str) -> Option<bool> {
        let truth = node.value.as_bool();
        if truth.is_none() {
            self.invalid(&node.path, format!("{what} is true or false, not {}", describe(node.value)));
        }
        truth
    }

    /// A whole number between 1 and `max`.
    pub(super) fn count(&mut self, node: &Node<'_>, what: &str, max: u32) -> Option<u32> {
        let number = node.value.as_u64().and_then(|number| u32::try_from(number).ok());
        let count = number.filter(|number| (1..=max).contains(number));
        if count.is_none() {
            self.invalid(&node.path, format!("{what} is a whole number from 1 to {max}, not {}", describe(node.value)));
        }
        count
    }

    /// One word of a closed set.
    pub(super) fn word<W: Copy>(&mut self, node: &Node<'_>, what: &str, all: &[(&'static str, W)]) -> Option<W> {
        let text = self.text(node, what)?;
        let found = all.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let words: Vec<&str> = all.iter().map(|(word, _)| *word).collect();
            let message = format!("`{text}` is not {what}: {}", words.join(", "));
            self.add(PlanProblem::invalid(&node.path, message).suggest(near_words(text, &words)));
        }
        found
    }
}

/// The words most like the one written. Signs have no letters to compare: there, one that is part of what was written.
fn near_words(text: &str, words: &[&str]) -> Vec<String> {
    let is_sign = |word: &str| !word.contains(char::is_alphanumeric);
    if !is_sign(text) {
        return nearest(text, words.iter().copied().filter(|word| !is_sign(word)));
    }
    words.iter().filter(|word| is_sign(word) && text.contains(**word)).map(|word| word.to_string()).collect()
}
