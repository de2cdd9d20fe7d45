//! A question cut into tokens: words, numbers, quoted texts and the few marks that mean something.
//!
//! Nothing of the text is dropped here except white space and closing punctuation, so that "every word is accounted for"
//! can be decided later on the tokens alone.

use crate::words::Forms;

/// How long a question may be.
pub const TOKENS_MAX: usize = 60;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Word,
    /// Its value, and whether a percent sign followed it.
    Number {
        value: f64,
        percent: bool,
        money: bool,
    },
    /// A text in quotation marks, which can only be a value.
    Quoted,
    Comma,
}

/// One token with the forms it is looked up by.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// As written.
    pub text: String,
    /// In lower case.
    pub fold: String,
    /// Lower case and singular.
    pub singular: String,
    /// Light stem.
    pub stem: String,
    pub kind: Kind,
}

impl Token {
    /// The number it is, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self.kind {
            Kind::Number { value, .. } => Some(value),
            _ => None,
        }
    }
}

/// Cuts a question into tokens.
pub fn tokenize(question: &str, forms: &Forms) -> Vec<Token> {
    let characters: Vec<char> = question.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let c = characters[at];
        if let Some(end) = quoted_end(&characters, at) {
            tokens.push(quoted(characters[at + 1..end].iter().collect(), forms));
            at = end + 1;
        } else if starts_number(&characters, at) {
            at = number(&characters, at, &mut tokens, forms);
        } else if c.is_alphanumeric() || c == '_' {
            let end = word_end(&characters, at);
            push_word(characters[at..end].iter().collect(), &mut tokens, forms);
            at = end;
        } else {
            at = mark(&characters, at, &mut tokens);
        }
    }
    tokens
}

fn quoted_end(characters: &[char], at: usize) -> Option<usize> {
    let close = match characters[at] {
        '"' => '"',
        '“' => '”',
        '`' => '`',
        '\'' if at == 0 || characters[at - 1].is_whitespace() => '\'',
        _ => return None,
    };
    let end = (at + 1..characters.len()).find(|&i| characters[i] == close)?;
    (end > at + 1).then_some(end)
}

fn quoted(text: String, forms: &Forms) -> Token {
    let fold = fold(&text);
    let singular = phrase(&fold, |word| forms.singular(word));
    let stem = phrase(&fold, |word| forms.stem(word));
    Token { text, fold, singular, stem, kind: Kind::Quoted }
}

/// Lower case with runs of other characters as one space: the form values are indexed by.
pub fn fold(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '\'' | '%')))
        .map(|word| word.trim_matches(['.', '\'']).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// The folded word at a position, empty where there is none.
pub fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.fold.as_str())
}

/// Several words, in lower case.
pub fn folded(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.fold.as_str()).collect::<Vec<_>>().join(" ")
}

/// Several words as they are written.
pub fn written(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// Each word of a folded phrase through `form`.
pub fn phrase(folded: &str, form: impl Fn(&str) -> String) -> String {
    folded.split(' ').map(form).collect::<Vec<_>>().join(" ")
}

fn starts_number(characters: &[char], at: usize) -> bool {
    let digit = |i: usize| characters.get(i).is_some_and(char::is_ascii_digit);
    let fresh = at == 0 || !characters[at - 1].is_alphanumeric();
    let signed = matches!(characters[at], '-' | '$' | '€' | '£' | '.') && digit(at + 1);
    fresh && (digit(at) || signed)
}

/// A number with its sign, currency, thousands separators, percent sign and magnitude; a date stays one token.
fn number(characters: &[char], start: usize, tokens: &mut Vec<Token>, forms: &Forms) -> usize {
    let mut at = start;
    let money = matches!(characters[at], '$' | '€' | '£');
    if money {
        at += 1;
    }
    let mut digits = String::new();
    if characters[at] == '-' {
        digits.push('-');
        at += 1;
    }
    let is_digit = |i: usize| characters.get(i).is_some_and(char::is_ascii_digit);
    while at < characters.len() {
        let c = characters[at];
        let thousands = c == ',' && (1..=3).all(|i| is_digit(at + i)) && !is_digit(at + 4);
        if c.is_ascii_digit() || (c == '.' && is_digit(at + 1)) {
            digits.push(c);
        } else if !thousands {
            break;
        }
        at += 1;
    }
    let rest_is_word = characters.get(at).is_some_and(|c| c.is_alphabetic() || *c == '_');
    let dated = matches!(characters.get(at), Some('-' | '/' | ':')) && is_digit(at + 1);
    if rest_is_word || dated {
        let joined = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | ':');
        let end = (at..characters.len()).find(|&i| !joined(characters[i])).unwrap_or(characters.len());
        let text: String = characters[start..end].iter().collect();
        match magnitude(&text.replace([',', '$', '€', '£'], "")) {
            Some(value) => tokens.push(number_token(text, value, false, money)),
            None => push_whole(text, tokens, forms),
        }
        return end;
    }
    let percent = characters.get(at) == Some(&'%');
    if percent {
        at += 1;
    }
    let text: String = characters[start..at].iter().collect();
    match digits.parse() {
        Ok(value) => tokens.push(number_token(text, value, percent, money)),
        Err(_) => push_whole(text, tokens, forms),
    }
    at
}

/// `50k`, `1.5m`, `3bn`; ordinals such as `90th` are plain numbers too.
fn magnitude(text: &str) -> Option<f64> {
    let split = text.find(|c: char| c.is_alphabetic())?;
    let factor = match text[split..].to_lowercase().as_str() {
        "k" => 1e3,
        "m" | "mn" => 1e6,
        "bn" => 1e9,
        "st" | "nd" | "rd" | "th" => 1.0,
        _ => return None,
    };
    text[..split].parse::<f64>().ok().map(|value| value * factor)
}

fn number_token(text: String, value: f64, percent: bool, money: bool) -> Token {
    let fold = text.to_lowercase();
    let bare = fold.trim_end_matches('%').to_string();
    Token { text, singular: bare.clone(), stem: bare, fold, kind: Kind::Number { value, percent, money } }
}

fn word_end(characters: &[char], start: usize) -> usize {
    let mut at = start;
    while at < characters.len() {
        let c = characters[at];
        let letter_follows = characters.get(at + 1).is_some_and(|next| next.is_alphanumeric());
        let inner = matches!(c, '\'' | '’' | '.') && letter_follows && at > start;
        if !(c.is_alphanumeric() || c == '_' || inner) {
            break;
        }
        at += 1;
    }
    at
}

/// A word; `snake_case` falls into its words, number words become numbers.
fn push_word(text: String, tokens: &mut Vec<Token>, forms: &Forms) {
    for part in text.split('_').filter(|part| !part.is_empty()) {
        match number_word(&part.to_lowercase()) {
            Some(value) => tokens.push(number_token(part.to_string(), value, false, false)),
            None => push_whole(part.to_string(), tokens, forms),
        }
    }
}

fn push_whole(text: String, tokens: &mut Vec<Token>, forms: &Forms) {
    let fold = text.to_lowercase().replace('’', "'");
    // "Last month's revenue" is that of last month.
    let owned = fold
        .strip_suffix("'s")
        .filter(|noun| matches!(*noun, "day" | "week" | "month" | "quarter" | "year" | "today" | "yesterday"));
    let fold = forms.spelled(owned.unwrap_or(&fold)).to_string();
    let (singular, stem) = (forms.singular(&fold), forms.stem(&fold));
    tokens.push(Token { text, fold, singular, stem, kind: Kind::Word });
}

fn number_word(word: &str) -> Option<f64> {
    const WORDS: [&str; 12] =
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"];
    const TENS: [(&str, f64); 10] = [
        ("twenty", 20.0),
        ("thirty", 30.0),
        ("forty", 40.0),
        ("fifty", 50.0),
        ("hundred", 100.0),
        ("thousand", 1000.0),
        ("million", 1e6),
        ("billion", 1e9),
        ("zero", 0.0),
        ("one", 1.0),
    ];
    let position = WORDS.iter().position(|known| *known == word);
    position.map(|i| i as f64 + 2.0).or_else(|| TENS.iter().find(|(known, _)| *known == word).map(|(_, value)| *value))
}

/// Commas and comparison signs mean something, other marks end here.
fn mark(characters: &[char], at: usize, tokens: &mut Vec<Token>) -> usize {
    let plain = |text: &str, kind: Kind| {
        let text = text.to_string();
        Token { fold: text.clone(), singular: text.clone(), stem: text.clone(), text, kind }
    };
    let pair: String = characters[at..(at + 2).min(characters.len())].iter().collect();
    if matches!(pair.as_str(), ">=" | "<=" | "!=" | "<>" | "==") {
        tokens.push(plain(&pair, Kind::Word));
        return at + 2;
    }
    match characters[at] {
        ',' | ';' => tokens.push(plain(",", Kind::Comma)),
        c @ ('>' | '<' | '=' | '&' | '%' | '+' | '*') => tokens.push(plain(&c.to_string(), Kind::Word)),
        '≥' => tokens.push(plain(">=", Kind::Word)),
        '≤' => tokens.push(plain("<=", Kind::Word)),
        _ => {}
    }
    at + 1
}

/// Merges what people write as several tokens: `1.5 million`, `two hundred`, `two and a half`.
pub fn merge_magnitudes(tokens: Vec<Token>) -> Vec<Token> {
    let mut merged: Vec<Token> = Vec::new();
    for token in tokens {
        let factor = match token.fold.as_str() {
            "hundred" => Some(100.0),
            "thousand" => Some(1e3),
            "million" => Some(1e6),
            "billion" => Some(1e9),
            _ => None,
        };
        let length = merged.len();
        if token.fold == "half"
            && length > 2
            && merged[length - 2].fold == "and"
            && matches!(merged[length - 1].fold.as_str(), "a" | "one")
            && let Kind::Number { value, .. } = &mut merged[length - 3].kind
        {
            *value += 0.5;
            merged[length - 3].text.push_str(" and a half");
            merged.truncate(length - 2);
            continue;
        }
        match (factor, merged.last_mut()) {
            (Some(factor), Some(Token { kind: Kind::Number { value, .. }, text, .. })) => {
                *value *= factor;
                text.push(' ');
                text.push_str(&token.text);
            }
            _ => merged.push(token),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(question: &str) -> Vec<String> {
        merge_magnitudes(tokenize(question, Forms::built_in())).into_iter().map(|token| token.fold).collect()
    }

    #[test]
    fn words_numbers_dates_and_marks_are_kept() {
        assert_eq!(texts("How many orders?"), ["how", "many", "orders"]);
        assert_eq!(texts("stock >= 1,200 on 2026-05-03"), ["stock", ">=", "1,200", "on", "2026-05-03"]);
        assert_eq!(texts("out-of-stock sla_met"), ["out", "of", "stock", "sla", "met"]);
        assert_eq!(texts("name is 'Acme Corp', ok"), ["name", "is", "acme corp", ",", "ok"]);
    }

    #[test]
    fn numbers_have_their_value() {
        let values: Vec<f64> = merge_magnitudes(tokenize("1,234.5 $50 10% 50k 1.5 million five", Forms::built_in()))
            .iter()
            .filter_map(Token::number)
            .collect();
        assert_eq!(values, [1234.5, 50.0, 10.0, 50_000.0, 1_500_000.0, 5.0]);
    }
}
