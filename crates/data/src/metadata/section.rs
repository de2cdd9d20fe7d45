//! Reading one section of a `dataset.toml` key by key, so that a refusal can say where it is and what was meant; and
//! the spelling of keys and texts when one is written.

use base::nearest;

/// The keys of one section that nobody has taken yet.
pub(super) struct Section {
    /// Where it is, in words that end a sentence: `` in table `orders` ``; empty at the top.
    place: String,
    /// What it is, in words that begin a sentence.
    title: String,
    kind: &'static str,
    entries: toml::Table,
}

impl Section {
    /// The whole file.
    pub(super) fn root(text: &str) -> Result<Section, String> {
        let entries = text.parse::<toml::Table>().map_err(|error| {
            let before = error.span().map_or("", |span| text.get(..span.start).unwrap_or(text));
            format!("line {}: {}", before.matches('\n').count() + 1, error.message().replace('\n', ", "))
        })?;
        Ok(Section { place: String::new(), title: String::new(), kind: "file", entries })
    }

    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        match self.entries.remove(key) {
            None => Ok(None),
            Some(toml::Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{key}`{} must be a text", self.place)),
        }
    }

    pub(super) fn texts(&mut self, key: &str) -> Result<Vec<String>, String> {
        let wrong = format!("`{key}`{} must be a list of texts", self.place);
        match self.entries.remove(key) {
            None => Ok(Vec::new()),
            Some(toml::Value::Array(values)) => values
                .into_iter()
                .map(|value| value.as_str().map(str::to_string).ok_or_else(|| wrong.clone()))
                .collect(),
            Some(_) => Err(wrong),
        }
    }

    /// One of a closed set of words.
    pub(super) fn word<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Result<Option<T>, String> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning);
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        found.map(Some).ok_or_else(|| format!("`{key}`{} cannot be `{text}`; {}", self.place, advice(&text, &names)))
    }

    /// The name of a table or measure, by which its other refusals call it.
    pub(super) fn name(&mut self) -> Result<String, String> {
        let name = self.text("name")?.ok_or_else(|| format!("{} has no `name`", self.title))?;
        self.title = format!("{} `{name}`", self.kind);
        self.place = format!(" in {}", self.title);
        Ok(name)
    }

    /// The sections headed `[[kind]]`, in order.
    pub(super) fn sections(&mut self, kind: &'static str) -> Result<Vec<Section>, String> {
        let wrong = || format!("`{kind}` must be a list of sections, each headed `[[{kind}]]`");
        let values = match self.entries.remove(kind) {
            None => return Ok(Vec::new()),
            Some(toml::Value::Array(values)) => values,
            Some(_) => return Err(wrong()),
        };
        let section = |(index, value)| match value {
            toml::Value::Table(entries) => {
                let title = format!("{kind} {}", index + 1);
                Ok(Section { place: format!(" in {title}"), title, kind, entries })
            }
            _ => Err(wrong()),
        };
        values.into_iter().enumerate().map(section).collect()
    }

    /// The named sections below a key: the columns of a table.
    pub(super) fn entries(&mut self, key: &str) -> Result<Vec<(String, Section)>, String> {
        let entries = match self.entries.remove(key) {
            None => return Ok(Vec::new()),
            Some(toml::Value::Table(entries)) => entries,
            Some(_) => return Err(format!("`{key}`{} must be a section", self.place)),
        };
        let section = |(name, value)| match value {
            toml::Value::Table(entries) => {
                let title = format!("column `{name}` of {}", self.title);
                Ok((name, Section { place: format!(" in {title}"), title, kind: "column", entries }))
            }
            _ => Err(format!("column `{name}` of {} must be a section such as {{ unit = \"EUR\" }}", self.title)),
        };
        entries.into_iter().map(section).collect()
    }

    /// Refuses whatever was not taken.
    pub(super) fn finish(self, known: &[&str]) -> Result<(), String> {
        match self.entries.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!("unknown key `{key}`{}; {}", self.place, advice(key, known))),
        }
    }
}

/// What was probably meant, or all that is known.
pub(super) fn advice(wanted: &str, known: &[&str]) -> String {
    match nearest(wanted, known.iter().copied()).first() {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known are {}", known.join(", ")),
    }
}

/// A TOML basic string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\U{:08X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(super) fn quoted_list(values: &[String]) -> String {
    format!("[{}]", values.iter().map(|value| quoted(value)).collect::<Vec<_>>().join(", "))
}

/// A key, bare where TOML allows it.
pub(super) fn quoted_key(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { key.to_string() } else { quoted(key) }
}
