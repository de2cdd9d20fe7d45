//! A model's words as what they propose.
//!
//! Small models make no tool calls: what they propose stands between fences, or is the whole reply. Nothing here is
//! believed; what is found is only looked at by the guard.

use crate::machine::{Answer, Code, Language, Verdict};

/// What a model wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// Code in the language that was asked for, or in another one that it names.
    Code(Code),
    /// That the data cannot answer, and why.
    Cannot(String),
    /// Anything else.
    Neither,
}

/// How a model says that the data cannot answer.
const CANNOT: &str = "CANNOT:";
/// Of the reasons that are kept of a model.
pub const REASON_CHARACTERS_MAX: usize = 400;
/// How a model proposes a note.
const NOTE: &str = "NOTE:";

/// Finds the code in a model's reply: the last fenced block of that language, or of a plan, or without a name, or of another
/// language; else the whole reply where it has no fence and does not read like prose.
pub fn read(reply: &str, language: Language) -> Written {
    let blocks = fenced(reply);
    let named = |names: &[&str]| {
        let fits = |(name, _): &&(String, String)| names.contains(&name.as_str());
        blocks.iter().rev().find(fits).map(|(_, text)| text.clone())
    };
    let in_language = |language: Language| Some((language, named(names(language))?));
    let code = |(language, text): (Language, String)| {
        let text = if language == Language::Python { ending_with_a_value(text) } else { text };
        Written::Code(Code { language, text })
    };
    let plan = || Some((Language::Plan, named(&["plan"])?));
    let unnamed = || Some((language, named(&[""])?));
    let other = || in_language(Language::Sql).or_else(|| in_language(Language::Python));
    if let Some(found) = in_language(language).or_else(plan).or_else(unnamed).or_else(other) {
        return code(found);
    }
    if let Some(why) = reply.lines().find_map(|line| line.trim().trim_matches('*').strip_prefix(CANNOT)) {
        return Written::Cannot(why.trim().chars().take(REASON_CHARACTERS_MAX).collect());
    }
    let text = reply.trim();
    let is_bare = blocks.is_empty() && !text.is_empty() && looks_like_code(text, language);
    if is_bare { code((language, text.to_string())) } else { Written::Neither }
}

/// Finds the program in a model's reply and the lines of words before it: of its blocks the longest that defines something,
/// else the last one; the whole reply where it has no fence and does not read like prose.
pub fn read_program(reply: &str) -> (Vec<String>, Option<String>) {
    let mut blocks = fenced(reply);
    blocks.retain(|(name, _)| name.is_empty() || names(Language::Python).contains(&name.as_str()));
    let longest = blocks.iter().filter(|(_, text)| defines(text)).max_by_key(|(_, text)| text.len());
    if let Some((_, text)) = longest.or(blocks.last()) {
        return (words_before_code(reply), Some(text.clone()));
    }
    let bare = reply.trim();
    let is_bare = !reply.lines().any(is_fence) && defines(bare) && !begins_as_prose(bare);
    if is_bare { (Vec::new(), Some(bare.to_string())) } else { (words_before_code(reply), None) }
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

fn words_before_code(reply: &str) -> Vec<String> {
    let lines = reply.lines().take_while(|line| !is_fence(line));
    let lines = lines.map(|line| line.trim().trim_start_matches(['-', '*', '#', ' '])).filter(|line| !line.is_empty());
    lines.map(|line| line.chars().take(REASON_CHARACTERS_MAX).collect()).collect()
}

fn defines(text: &str) -> bool {
    text.lines().any(|line| ["def ", "class ", "async def "].iter().any(|word| line.starts_with(word)))
}

/// Whether the first line cannot begin a program.
fn begins_as_prose(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let begins = ["def ", "class ", "import ", "from ", "async def ", "@", "#", "\"\"\"", "'''"];
    !begins.iter().any(|word| first.starts_with(word)) && !first.contains('=')
}

fn names(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python => &["python", "py", "python3"],
        Language::Sql => &["sql", "duckdb"],
        Language::Plan => &["plan", "json"],
    }
}

/// A program whose last statement names its result or prints it instead of being it, as small models like to end:
/// `result = …`, `print(result)`. The name is added as the last line; what would be printed stands there alone.
fn ending_with_a_value(text: String) -> String {
    let Some(last) = last_statement(&text) else { return text };
    let bare = text.trim_end();
    if let Some(printed) = only_printed(last).filter(|_| bare.ends_with(last.trim_end())) {
        return format!("{}{printed}", &bare[..bare.len() - last.trim_end().len()]);
    }
    let named = last.split_once('=').and_then(|(name, value)| {
        let name = name.trim_end();
        let is_name = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        (is_name && !value.starts_with('=')).then_some(name)
    });
    match named {
        Some(name) => format!("{bare}\n{name}"),
        None => text,
    }
}

/// The line that the last statement begins with: one that a word begins, or outside of all brackets another value.
fn last_statement(text: &str) -> Option<&str> {
    let mut last = None;
    let mut depth = 0i32;
    for line in text.lines() {
        let is_word = line.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
        let is_value = line.starts_with(|letter: char| letter.is_ascii_digit() || "{[(\"'-~".contains(letter));
        if is_word || depth <= 0 && is_value {
            last = Some(line);
        }
        for letter in line.chars() {
            depth += i32::from("([{".contains(letter)) - i32::from(")]}".contains(letter));
        }
    }
    last
}

/// The one value that a statement prints, where it is no text made for people.
fn only_printed(statement: &str) -> Option<&str> {
    let inside = statement.trim_end().strip_prefix("print(")?.strip_suffix(')')?.trim();
    let mut depth = 0i32;
    for letter in inside.chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => return None,
            '"' | '\'' if depth == 0 => return None,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    (!inside.is_empty() && depth == 0).then_some(inside)
}

/// Finds YES or NO at the begin of a reply, and takes the rest as the reason.
pub fn read_verdict(reply: &str) -> Option<Verdict> {
    let text = reply.trim().trim_start_matches(['*', '"', '`']);
    let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
    let verdict = match word.to_ascii_uppercase().as_str() {
        "YES" => Answer::Yes,
        "NO" => Answer::No,
        _ => return None,
    };
    let rest = text[word.len()..].trim_start_matches(|letter: char| !letter.is_alphanumeric()).trim();
    Some(Verdict { verdict, reason: rest.chars().take(REASON_CHARACTERS_MAX).collect() })
}

/// The paragraph of a reply and, where it has one, a note with the query that shows it: the line that begins with `NOTE:` and
/// the SQL of the block after it.
pub fn read_paragraph(reply: &str) -> (String, Option<(String, String)>) {
    let ends = |line: &&str| line.trim_start_matches(['*', ' ']).starts_with(NOTE) || is_fence(line);
    let paragraph: Vec<&str> = reply.lines().take_while(|line| !ends(line)).collect();
    let rest: Vec<&str> = reply.lines().skip(paragraph.len()).collect();
    let note = rest.first().map(|line| line.trim_matches(['*', ' '])).and_then(|line| line.strip_prefix(NOTE));
    let note = note.map(|note| note.trim_matches(['*', ' '])).filter(|note| !note.is_empty());
    let sql = fenced(&rest.join("\n")).into_iter().find(|(name, _)| names(Language::Sql).contains(&name.as_str()));
    (paragraph.join("\n"), note.zip(sql).map(|(note, (_, sql))| (note.to_string(), sql)))
}

/// Blocks between fences with the names of their languages; the last one may lack its end.
fn fenced(reply: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, Vec<&str>)> = None;
    for line in reply.lines() {
        let fence = line.trim_start().strip_prefix("```");
        match (fence, open.take()) {
            (Some(name), None) => open = Some((name.trim().to_ascii_lowercase(), Vec::new())),
            (Some(_), Some((name, lines))) => blocks.push((name, lines.join("\n"))),
            (None, Some((name, mut lines))) => {
                lines.push(line);
                open = Some((name, lines));
            }
            (None, None) => {}
        }
    }
    blocks.extend(open.map(|(name, lines)| (name, lines.join("\n"))));
    blocks.retain(|(_, text)| !text.trim().is_empty());
    blocks
}

fn looks_like_code(text: &str, language: Language) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    match language {
        Language::Sql => ["select", "with", "from"].contains(&first.to_ascii_lowercase().as_str()),
        Language::Plan => first.starts_with('{'),
        Language::Python => {
            let is_import = matches!(first, "import" | "from");
            is_import || text.lines().last().is_some_and(|line| line.contains(['=', '(', '[']) && !line.ends_with('.'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(reply: &str) -> String {
        match read(reply, Language::Python) {
            Written::Code(code) => code.text,
            Written::Cannot(why) => format!("cannot: {why}"),
            Written::Neither => "neither".to_string(),
        }
    }

    #[test]
    fn code_is_found_between_fences_or_bare() {
        assert_eq!(python("Sure!\n```python\nimport pandas\nx\n```\nThat is it."), "import pandas\nx");
        assert_eq!(python("```\nx = 1\nx\n```"), "x = 1\nx");
        assert_eq!(python("```python\na\n```\nor better\n```python\nb\n```"), "b", "the last word counts");
        assert_eq!(python("```python\ncut off"), "cut off");
        assert_eq!(python("import pandas as pd\nsales.sum()"), "import pandas as pd\nsales.sum()");
        assert_eq!(python("```json\n{}\n```"), "neither", "JSON is no plan where none was asked for");
        assert_eq!(python("The answer is 42."), "neither");
        assert_eq!(python(""), "neither");
    }

    #[test]
    fn a_plan_or_another_language_is_taken_where_it_is_named() {
        let language = |reply: &str, asked| match read(reply, asked) {
            Written::Code(code) => Some(code.language),
            _ => None,
        };
        assert_eq!(language("```plan\n{}\n```", Language::Python), Some(Language::Plan));
        assert_eq!(language("```sql\nSELECT 1\n```", Language::Python), Some(Language::Sql));
        assert_eq!(language("```python\nx\n```", Language::Sql), Some(Language::Python));
        assert_eq!(language("```plan\n{}\n```\n```python\nx\n```", Language::Python), Some(Language::Python));
        assert_eq!(language("```json\n{}\n```", Language::Plan), Some(Language::Plan));
    }

    #[test]
    fn a_result_that_is_only_named_becomes_the_last_line() {
        assert_eq!(python("```python\nresult = {\n    'a': 1,\n}\n```"), "result = {\n    'a': 1,\n}\nresult");
        assert_eq!(python("```python\nr = {\n'a': 1,\n}\n```"), "r = {\n'a': 1,\n}\nr");
        for whole in
            ["x == 1", "f(a=1)", "x = 1\nx", "for y in z:\n    x = y", "x['a'] = 1", "x = 1\n{'a': x}", "x = f(1)\n-x"]
        {
            assert_eq!(python(&format!("```python\n{whole}\n```")), whole);
        }
    }

    #[test]
    fn a_result_that_is_printed_is_the_last_line() {
        assert_eq!(python("```python\nx = 1\nprint(x)\n```"), "x = 1\nx");
        assert_eq!(python("```python\nprint({'a': f(1, 2)})\n```"), "{'a': f(1, 2)}");
        for whole in ["print('mean:', x)", "print(f'{x}')", "print(x, y)", "print()", "print(a) + print(b)"] {
            assert_eq!(python(&format!("```python\n{whole}\n```")), whole);
        }
    }

    #[test]
    fn a_note_stands_after_the_paragraph_with_its_query() {
        let note = |text: &str, sql: &str| Some((text.to_string(), sql.to_string()));
        let said = "It is 5.\n\nNOTE: North sells 5.\n```sql\nSELECT 5\n```";
        assert_eq!(read_paragraph(said), ("It is 5.\n".to_string(), note("North sells 5.", "SELECT 5")));
        let bold = "It is 5.\n**NOTE:** North sells 5.\n```sql\nSELECT 5\n```";
        assert_eq!(read_paragraph(bold).1, note("North sells 5.", "SELECT 5"));
        for none in ["It is 5.", "It is 5.\nNOTE: North sells 5.", "It is 5.\n```sql\nSELECT 5\n```", ""] {
            assert_eq!(read_paragraph(none).1, None, "{none}");
            assert!(read_paragraph(none).0.trim_end().ends_with("It is 5.") || none.is_empty(), "{none}");
        }
    }

    #[test]
    fn that_it_cannot_is_heard_unless_there_is_code() {
        assert_eq!(python("CANNOT: there is no column for profit"), "cannot: there is no column for profit");
        assert_eq!(python("**CANNOT: no dates**"), "cannot: no dates");
        assert_eq!(python("CANNOT: x\n```python\ny\n```"), "y");
    }

    #[test]
    fn a_program_is_the_longest_block_that_defines_something_and_words_stand_before_it() {
        let reply = "Plan:\n- add\n- print\n```python\ndef f():\n    return 1\n```\nUse it:\n```python\nf()\n```";
        let (words, code) = read_program(reply);
        assert_eq!((words.join("|").as_str(), code.as_deref()), ("Plan:|add|print", Some("def f():\n    return 1")));
        assert_eq!(read_program("```\nX = 1\n```").1.as_deref(), Some("X = 1"), "nothing is added to it");
        assert_eq!(read_program("def f():\n    return 1").1.as_deref(), Some("def f():\n    return 1"));
        assert_eq!(read_program("First\nthink (a lot)"), (vec!["First".into(), "think (a lot)".into()], None));
        assert_eq!(read_program("```json\n{}\n```").1, None);
    }

    #[test]
    fn a_verdict_is_a_word_and_a_reason() {
        let verdict = read_verdict("NO, it counts rows and not orders").expect("one");
        assert_eq!((verdict.verdict, verdict.reason.as_str()), (Answer::No, "it counts rows and not orders"));
        assert_eq!(read_verdict("**YES**").map(|verdict| verdict.verdict), Some(Answer::Yes));
        assert_eq!(read_verdict("Nobody knows"), None);
        assert_eq!(read_verdict(""), None);
    }
}
