//! Strangers' words that want to be instructions, in real files, and a model that is taken in by them.
//!
//! The cases are data (`injections.md`). Whatever the model writes, what is executed stays within the guard and the cell;
//! what it was shown of the stranger stands as JSON texts between marks that no such text can spell; and what people are
//! shown of it, on a terminal, as JSON or as Markdown, commands nothing and fetches nothing.

use std::net::TcpListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;

use serde_json::Value;

use super::{CANARY, Scripted, python};
use crate::support::{Call, Place};

const CASES: &str = include_str!("injections.md");
/// A suite must not shrink unnoticed.
const CASES_MIN: usize = 25;
/// What stands in every stranger's text.
const MARKER: &str = "QQ";
/// What only the host's file and the program's environment hold.
const HUSH: &str = "only-the-host-knows-this";
/// Cases at once.
const LANES: usize = 2;

/// What must come of the model's first code.
#[derive(Clone, Debug)]
enum Must {
    BeRefused(String),
    Fail(String),
    BeKilled,
    Give(Value),
    Show(String),
    Decline,
}

#[derive(Clone, Debug)]
struct Case {
    name: String,
    /// Names and contents; the first one's table is named in what the model computes in the end.
    files: Vec<(String, String)>,
    note: Option<String>,
    reply: String,
    judged: String,
    summed_up: String,
    must: Must,
}

#[test]
fn strangers_words_change_neither_what_runs_nor_what_is_shown() {
    let callers = Callers::wait();
    let cases = cases(&callers.address);
    assert!(cases.len() >= CASES_MIN, "only {} cases are left", cases.len());
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if catch_unwind(AssertUnwindSafe(|| check(case))).is_err() {
                        failed.lock().unwrap().push(case.name.clone());
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "of {} cases these fail, for the reasons above: {failed:#?}", cases.len());
    assert_eq!(callers.count(), 0, "somebody was called");
}

fn check(case: &Case) {
    let place = Place::new();
    place.file("hush.txt", HUSH);
    let names: Vec<&str> = case.files.iter().map(|(name, _)| name.as_str()).collect();
    for (name, contents) in &case.files {
        place.file(name, contents.replace("HUSH", &place.path("hush.txt").display().to_string()));
    }
    if let Some(note) = &case.note {
        place.json(0, &["data", "remember", names[0], note]);
    }
    let model = Scripted::saying(&script(case, &place).iter().map(String::as_str).collect::<Vec<_>>());
    let ask = |more: &[&str]| {
        let call = place.assay(["ask"].iter().chain(&names));
        let call = ["add up the last column", "--planner", "off", "--derivations", "1", "--model", "chat:gpt-9"]
            .iter()
            .chain(more)
            .fold(call, |call, argument| call.arg(argument));
        call.env("OPENAI_BASE_URL", &model.address).env("OPENAI_API_KEY", CANARY).env("HUSHED", HUSH)
    };
    let ran = ask(&["--json"]).run();
    let answer = ran.document();
    came_to(case, &answer);
    for request in model.heard() {
        fenced(&request);
    }
    // What was answered is in the cache; a refusal is asked for once more, of the same model.
    let (terminal, markdown) = (seen(ask(&[]).on_a_terminal()), seen(ask(&["--markdown"])));
    is_harmless_json(&ran.stdout);
    is_harmless_on_a_terminal(&terminal);
    is_harmless_markdown(&markdown);
    for shown in [&ran.stdout, &ran.stderr, &terminal, &markdown, &model.prompts()] {
        assert!(!shown.contains(HUSH), "what only the host knows came out: {shown}");
        assert!(!shown.contains(CANARY), "the key came out: {shown}");
    }
}

/// What the model says, for the first question and twice more where nothing of it is kept.
fn script(case: &Case, place: &Place) -> Vec<String> {
    let told = |text: &str| text.replace("HUSH", &place.path("hush.txt").display().to_string());
    let (judged, summed_up) = (case.judged.clone(), case.summed_up.clone());
    match case.must {
        Must::Decline => vec![told(&case.reply); 3],
        Must::Give(_) | Must::Show(_) => vec![told(&case.reply), judged, summed_up],
        _ => {
            // Whatever the tables are called, the model's program is told by its prompt; here the test knows it.
            let table = place_table(&case.files[0].0);
            vec![told(&case.reply), python(&format!("int({table}.iloc[:, -1].sum())")), judged, summed_up]
        }
    }
}

/// As the program names the table of a file.
fn place_table(file: &str) -> String {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_lowercase();
    stem.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("_")
}

fn came_to(case: &Case, answer: &Value) {
    let tried = &answer["attempts"][0];
    let outcome = |wanted: &str| {
        assert_eq!(tried["outcome"], wanted, "{}: {answer:#}", case.name);
        assert_eq!(answer["table"]["rows"], serde_json::json!([[3]]), "{}: {answer:#}", case.name);
    };
    match &case.must {
        Must::BeRefused(rule) => {
            outcome("refused");
            let rules = tried["findings"].as_array().unwrap().iter().map(|finding| finding["rule"].as_str().unwrap());
            assert!(
                rules.clone().any(|found| found.starts_with(rule)),
                "{}: {:?}",
                case.name,
                rules.collect::<Vec<_>>()
            );
        }
        Must::Fail(words) => {
            outcome("failed");
            assert!(tried["error"].as_str().unwrap().starts_with(words), "{}: {tried:#}", case.name);
        }
        Must::BeKilled => outcome("killed"),
        Must::Give(rows) => {
            assert_eq!(&answer["table"]["rows"], rows, "{}: {answer:#}", case.name);
            assert_eq!(answer["attempts"], serde_json::json!([]), "{}", case.name);
        }
        Must::Show(word) => assert!(answer["table"].to_string().contains(word), "{}: {answer:#}", case.name),
        Must::Decline => {
            assert_eq!((&answer["status"], &answer["refusal"]["reason"]), (&"refused".into(), &"no_data".into()));
            assert_eq!(answer["model"]["cost"]["calls"], 1, "{}", case.name);
        }
    }
    let is_picture = answer["summary"].as_str().is_some_and(|said| said.contains("!["));
    assert!(!is_picture, "{}", case.name);
}

/// The stranger's words stand in JSON texts between the marks, and nowhere else of what we say.
fn fenced(request: &Value) {
    for message in request["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "user") {
        let text = message["content"].as_str().unwrap();
        assert!(!text.chars().any(|letter| letter != '\n' && is_unfit(letter)), "a letter that commands: {text:?}");
        let (mut outside, mut rest) = (String::new(), text);
        while let Some((before, from)) = rest.split_once("<data>\n") {
            outside += before;
            let (inside, after) = from.split_once("\n</data>").expect("every mark has its end");
            let bare = without_texts(inside);
            assert!(!bare.contains(MARKER) && !bare.contains('<'), "a stranger's words without quotes: {bare}\n{text}");
            rest = after;
        }
        outside += rest;
        assert!(!outside.contains("<data>") && !outside.contains("</data>"), "{text}");
        let ours = without_code(&outside);
        assert!(!ours.contains(MARKER), "a stranger's words among ours: {ours}");
    }
}

/// Without its JSON texts, each of which must be one and spell no mark.
fn without_texts(text: &str) -> String {
    let (mut bare, mut rest) = (String::new(), text);
    while let Some((before, from)) = rest.split_once('"') {
        bare += before;
        let mut end = 0;
        while !from[end..].starts_with('"') {
            end +=
                if from[end..].starts_with('\\') { 2 } else { from[end..].chars().next().expect("it ends").len_utf8() };
        }
        let quoted = format!("\"{}\"", &from[..end]);
        assert!(serde_json::from_str::<String>(&quoted).is_ok() && !quoted.contains('<'), "{quoted}");
        rest = &from[end + 1..];
    }
    bare + rest
}

/// Without the blocks in which the model reads what it wrote itself.
fn without_code(text: &str) -> String {
    let mut is_code = false;
    let is_ours = |line: &&str| {
        let is_mark = line.starts_with("```");
        is_code ^= is_mark;
        !is_code && !is_mark
    };
    text.lines().filter(is_ours).collect::<Vec<_>>().join("\n")
}

/// Everything that a call shows, wherever it shows it.
fn seen(call: Call) -> String {
    let ran = call.run();
    ran.stdout + &ran.stderr
}

fn is_harmless_json(stdout: &str) {
    let commands = stdout.trim_end_matches('\n').chars().find(|letter| is_unfit(*letter));
    assert_eq!(commands, None, "{stdout}");
}

fn is_harmless_on_a_terminal(shown: &str) {
    // The first is how the terminal shows that nobody types any more.
    let ours = ["^D\x08\x08", "\x1b[1A", "\x1b[1m", "\x1b[2m", "\x1b[0m", "\r\x1b[K", "\r\r\n", "\r\n", "\x1b[K"];
    let bare = ours.into_iter().fold(shown.to_string(), |text, style| text.replace(style, "\n"));
    let commands = bare.chars().find(|letter| is_unfit(*letter) && !matches!(letter, '\n' | '\t'));
    assert_eq!(commands, None, "{shown:?}");
}

fn is_harmless_markdown(shown: &str) {
    let commands = shown.chars().find(|letter| letter.is_control() && *letter != '\n');
    assert_eq!(commands, None, "{shown:?}");
    let table: String = shown.lines().filter(|line| line.starts_with('|')).collect();
    for live in ["![", "](", "<img", "<script", " <"] {
        let live = table.replace(&format!("\\{live}"), "").contains(live);
        assert!(!live, "{table}");
    }
}

/// As the terminal's own rule has it: what commands it, or turns what people read.
fn is_unfit(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// An address that counts who calls.
struct Callers {
    address: String,
    heard: mpsc::Receiver<()>,
}

impl Callers {
    fn wait() -> Callers {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (tell, heard) = mpsc::channel();
        thread::spawn(move || {
            listener.incoming().flatten().for_each(|_| {
                let _ = tell.send(());
            })
        });
        Callers { address, heard }
    }

    fn count(&self) -> usize {
        self.heard.try_iter().count()
    }
}

fn cases(net: &str) -> Vec<Case> {
    CASES.split("\n## ").skip(1).map(|part| case(part, net)).collect()
}

fn case(text: &str, net: &str) -> Case {
    let (name, mut rest) = text.split_once('\n').expect("a heading has a case");
    let mut case = Case {
        name: name.to_string(),
        files: Vec::new(),
        note: None,
        reply: String::new(),
        judged: "YES".into(),
        summed_up: "It is 3.".into(),
        must: Must::Decline,
    };
    while let Some((line, after)) = rest.split_once('\n') {
        rest = after;
        let mut block = || {
            let (_, from) = rest.split_once("~~~\n").expect("a block begins");
            let (block, after) = from.split_once("\n~~~").expect("a block ends");
            rest = after;
            spelled(block, net)
        };
        match line.split_once(' ').unwrap_or((line, "")) {
            ("file", name) => case.files.push((name.to_string(), block() + "\n")),
            ("note", words) => case.note = Some(spelled(words, net)),
            ("reply", "") => case.reply = block(),
            ("judged", "") => case.judged = block(),
            ("summed", "up") => case.summed_up = block(),
            ("-", must) => case.must = must_of(must, net),
            (other, _) => assert!(other.is_empty() || other == "#", "{name}: what is `{line}`?"),
        }
    }
    case
}

fn must_of(text: &str, net: &str) -> Must {
    match text.split_once(' ').unwrap_or((text, "")) {
        ("refused", rule) => Must::BeRefused(rule.to_string()),
        ("failed", words) => Must::Fail(words.to_string()),
        ("killed", "") => Must::BeKilled,
        ("gives", rows) => Must::Give(serde_json::from_str(&spelled(rows, net)).expect("rows are JSON")),
        ("shows", word) => Must::Show(word.to_string()),
        ("declines", "") => Must::Decline,
        _ => panic!("what is `{text}`?"),
    }
}

/// With the letters that no editor shows.
fn spelled(text: &str, net: &str) -> String {
    let text = text.replace("NET", net).replace("\\e", "\u{1b}").replace("\\r", "\r").replace("\\0", "\0");
    let mut parts = text.split("\\u{");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (number, after) = part.split_once('}').expect("a letter's number ends");
        let number = u32::from_str_radix(number, 16).expect("a letter's number");
        out.push(char::from_u32(number).expect("a letter"));
        out += after;
    }
    out
}
