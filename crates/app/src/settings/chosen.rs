//! Writes the one setting that a command changes, `model`, and leaves the rest of the user's file as it is.

use base::{Code, Problem};
use serde_json::Value;

/// The text of a settings file in which `model` is `name`. Whatever else it says stays, to the letter.
pub(crate) fn with_model(text: &str, name: &str) -> Result<String, Problem> {
    let before = parsed(text)?;
    // JSON spells a text in a way that TOML reads.
    let line = format!("model = {}", Value::from(name));
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_string).collect();
    // Tables come last: what stands behind the first one's head belongs to it.
    let head = lines.iter().position(|line| line.trim_start().starts_with('[')).unwrap_or(lines.len());
    match lines[..head].iter().position(|line| is_of_model(line)) {
        Some(at) => lines[at] = line + after_value(&lines[at]),
        None => {
            if head > 0 && !lines[head - 1].ends_with('\n') {
                lines[head - 1].push('\n');
            }
            lines.insert(head, line + "\n");
        }
    }
    let written = lines.concat();
    let mut expected = before;
    expected.insert("model".to_string(), name.into());
    // TOML has more ways to spell a key than are looked for here.
    if written.parse::<toml::Table>().ok().as_ref() == Some(&expected) {
        return Ok(written);
    }
    Err(Problem::new(Code::SettingInvalid, "the settings file spells `model` in a way that is not changed here")
        .hint(format!("write the line `model = {}` yourself", Value::from(name))))
}

fn parsed(text: &str) -> Result<toml::Table, Problem> {
    text.parse().map_err(|error: toml::de::Error| Problem::new(Code::SettingInvalid, error.message().to_string()))
}

fn is_of_model(line: &str) -> bool {
    line.trim_start().strip_prefix("model").is_some_and(|rest| rest.trim_start().starts_with('='))
}

/// What stands behind the value: a remark, the end of the line.
fn after_value(line: &str) -> &str {
    let value = line.split_once('=').map_or("", |(_, value)| value.trim_start());
    let quote = value.chars().next().filter(|letter| matches!(letter, '"' | '\''));
    let end = quote.and_then(|quote| {
        let mut escaped = false;
        value.char_indices().skip(1).find_map(|(at, letter)| {
            let ends = letter == quote && !escaped;
            escaped = quote == '"' && letter == '\\' && !escaped;
            ends.then_some(at + 1)
        })
    });
    end.map_or("\n", |end| &value[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_changes_and_the_rest_stays() {
        for (text, expected) in [
            ("", "model = \"n\"\n"),
            ("color = \"never\"", "color = \"never\"\nmodel = \"n\"\n"),
            (
                "# mine\nmodel = \"a\\\"b\"  # why\ncolor = \"auto\"\n",
                "# mine\nmodel = \"n\"  # why\ncolor = \"auto\"\n",
            ),
            ("  model='a'\r\n[models.a]\nmodel = \"m\"\n", "model = \"n\"\r\n[models.a]\nmodel = \"m\"\n"),
            ("[budget.run]\ntokens = 1\n", "model = \"n\"\n[budget.run]\ntokens = 1\n"),
        ] {
            assert_eq!(with_model(text, "n").expect(text), expected);
        }
        assert_eq!(with_model("", "command:a \"b\"").expect("any name"), "model = \"command:a \\\"b\\\"\"\n");
        for text in ["\"model\" = \"a\"\n", "model = \n"] {
            assert_eq!(with_model(text, "n").expect_err(text).code, Code::SettingInvalid);
        }
    }
}
