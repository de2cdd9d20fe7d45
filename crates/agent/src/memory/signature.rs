//! What tells an error of Python from others, whatever names, numbers and paths it holds: the key under which the same
//! mistake is found again in another program.
//!
//! Names that mean the same everywhere (builtins, modules, methods, types) stay: they tell a missing import from a
//! misspelt variable.

/// The signature of an error, from its last line that names one; none where none is named.
pub fn signature(error: &str) -> Option<String> {
    let (kind, message) = error.lines().rev().find_map(named)?;
    if kind == "KeyError" {
        return Some("KeyError: <key>".to_string());
    }
    let message = normalised(without_tail(message), kind);
    Some(if message.is_empty() { kind.to_string() } else { format!("{kind}: {message}") })
}

const KIND_ENDINGS: [&str; 6] = ["Error", "Exception", "Warning", "Interrupt", "Iteration", "Exit"];

/// An error's type without its module, and its message.
fn named(line: &str) -> Option<(&str, &str)> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let mut from = 0;
    while let Some(start) = line[from..].find(is_part).map(|at| from + at) {
        let end = line[start..].find(|letter| !is_part(letter)).map_or(line.len(), |at| start + at);
        let word = line[start..end].trim_end_matches('.');
        let kind = word.rsplit('.').next().unwrap_or(word);
        let rest = &line[end..];
        let is_kind = KIND_ENDINGS.iter().any(|ending| kind.ends_with(ending)) && kind.starts_with(char::is_uppercase);
        if is_kind && (rest.is_empty() || rest.starts_with([':', ' '])) {
            return Some((kind, rest.trim_start_matches(':').trim()));
        }
        from = end;
    }
    None
}

/// Without advice and without the place in the program that our own runner adds.
fn without_tail(message: &str) -> &str {
    let message = message.split(" (line ").next().unwrap_or(message);
    message.split("Did you mean").next().unwrap_or(message).trim().trim_end_matches('.')
}

fn normalised(message: &str, kind: &str) -> String {
    let mut told = String::new();
    let mut rest = message;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '\'' | '"' | '`' if !told.ends_with(char::is_alphanumeric) => match quoted(rest, letter) {
                Some(length) => {
                    told.push_str(&stand_in(&rest[letter.len_utf8()..length - letter.len_utf8()], kind, &told));
                    length
                }
                None => keep(&mut told, letter),
            },
            '/' if !told.ends_with(char::is_alphanumeric) && rest[1..].starts_with(char::is_alphanumeric) => {
                told.push_str("<path>");
                rest.find(char::is_whitespace).unwrap_or(rest.len())
            }
            _ if letter.is_ascii_digit() && !told.ends_with(|before: char| before.is_alphabetic() || before == '_') => {
                let is_address = rest.starts_with("0x");
                told.push_str(if is_address { "<addr>" } else { "<n>" });
                let fits = |letter: char| {
                    if is_address { letter.is_ascii_alphanumeric() } else { letter.is_ascii_digit() || letter == '.' }
                };
                rest.find(|letter| !fits(letter)).unwrap_or(rest.len())
            }
            _ if letter.is_alphabetic() || letter == '_' => word(rest, &mut told),
            _ => keep(&mut told, letter),
        };
        rest = &rest[length..];
    }
    told
}

fn keep(told: &mut String, letter: char) -> usize {
    told.push(letter);
    letter.len_utf8()
}

/// A bare word; what is called is a function of somebody's, unless everybody has it.
fn word(rest: &str, told: &mut String) -> usize {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
    let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
    let name = &rest[..length];
    let last = name.rsplit('.').next().unwrap_or(name);
    if rest[length..].starts_with("()") && !is_known(last) {
        told.push_str("<fn>");
    } else {
        told.push_str(name);
    }
    length
}

/// How long a quoted text is, with its quotes.
fn quoted(text: &str, quote: char) -> Option<usize> {
    text[quote.len_utf8()..].find(quote).map(|at| at + 2 * quote.len_utf8())
}

fn stand_in(inside: &str, kind: &str, before: &str) -> String {
    let is_name = inside.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && inside.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '.');
    let is_literal = kind == "ValueError" && before.contains("literal for");
    if is_literal {
        "<str>".to_string()
    } else if is_known(inside.split('.').next().unwrap_or(inside))
        || inside.chars().all(|letter| letter.is_ascii_punctuation())
    {
        format!("'{inside}'")
    } else if inside.contains('/') || [".py", ".csv", ".json", ".txt"].iter().any(|end| inside.ends_with(end)) {
        "<path>".to_string()
    } else if is_name {
        "<id>".to_string()
    } else {
        "<str>".to_string()
    }
}

fn is_known(name: &str) -> bool {
    KNOWN.split_ascii_whitespace().any(|known| known == name)
}

/// Builtins, types, modules, methods and keywords that mean the same in every program.
const KNOWN: &str = "\
abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod \
enumerate eval exec filter float format frozenset getattr globals hasattr hash help hex id input int isinstance \
issubclass iter len list locals map max memoryview min next object oct open ord pow print property range repr reversed \
round set setattr slice sorted staticmethod str sum super tuple type vars zip None True False NoneType function method \
builtin_function_or_method module generator coroutine dict_keys dict_values dict_items list_iterator \
append extend insert remove pop clear index count sort reverse copy keys values items get update setdefault add discard \
union intersection difference split join strip lstrip rstrip replace startswith endswith lower upper title find rfind \
encode decode format isdigit isalpha read write close readline readlines group match search \
array ast asyncio base64 bisect calendar collections concurrent contextlib copy csv dataclasses datetime decimal difflib \
enum fractions functools glob hashlib heapq html http importlib inspect io itertools json logging math multiprocessing \
operator os pathlib pickle platform pprint queue random re secrets shutil signal socket sqlite3 statistics string struct \
subprocess sys tempfile textwrap threading time timeit traceback typing unicodedata unittest urllib uuid warnings \
weakref xml zipfile zlib numpy np pandas pd matplotlib scipy sklearn pyarrow duckdb pytest \
Counter defaultdict deque namedtuple OrderedDict List Dict Tuple Set Optional Union Any Callable Iterable Decimal \
Fraction Path DataFrame Series Index Timestamp ndarray int64 float64 float32 int32 object \
and as assert async await break class continue def del elif else except finally for from global if import in is lambda \
nonlocal not or pass raise return try while with yield self";

#[cfg(test)]
mod tests {
    use super::signature;

    fn check(error: &str, expected: &str) {
        assert_eq!(signature(error).as_deref(), Some(expected), "{error}");
    }

    #[test]
    fn names_numbers_and_paths_of_a_program_do_not_count() {
        check("NameError: name 'amout' is not defined. Did you mean: 'amount'?", "NameError: name <id> is not defined");
        check("NameError: name 'math' is not defined", "NameError: name 'math' is not defined");
        check("KeyError: 'amout'", "KeyError: <key>");
        check("f(2): IndexError: list index out of range (line 3: return x[5])", "IndexError: list index out of range");
        check(
            "ValueError: invalid literal for int() with base 10: 'x7'",
            "ValueError: invalid literal for int() with base <n>: <str>",
        );
        check(
            "TypeError: parse() takes 1 positional argument but 2 were given",
            "TypeError: <fn>() takes <n> positional argument but <n> were given",
        );
        check(
            "TypeError: unsupported operand type(s) for +: 'int' and 'str'",
            "TypeError: unsupported operand type(s) for +: 'int' and 'str'",
        );
        check(
            "AttributeError: 'list' object has no attribute 'push'",
            "AttributeError: 'list' object has no attribute <id>",
        );
        check(
            "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/a b.csv'",
            "FileNotFoundError: [Errno <n>] No such file or directory: <path>",
        );
        check(
            "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
            "JSONDecodeError: Expecting value: line <n> column <n> (char <n>)",
        );
        check(
            "Traceback (most recent call last):\n  File \"a.py\", line 2\nZeroDivisionError: division by zero",
            "ZeroDivisionError: division by zero",
        );
        check("<x at 0x7f00aa>: RuntimeError: <x at 0x7f00aa>", "RuntimeError: <x at <addr>>");
        check("StopIteration", "StopIteration");
    }

    #[test]
    fn what_names_no_error_has_no_signature() {
        for text in ["f(2) gave 3, expected 4", "", "it was killed: it reached the limit of time", "an Errors list"] {
            assert_eq!(signature(text), None, "{text}");
        }
        for odd in ["ValueError: 'é", "ValueError: `", "E\u{301}Error: 1é2", "KeyError"] {
            assert!(signature(odd).is_some(), "{odd}");
        }
    }
}
