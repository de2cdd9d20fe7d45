//! What the program tells of its own work: lines of the log, metrics, and spans for a collector; that it is enough to find
//! one's way by, and that no secret, no question and no data is in any of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::models::{Scripted, python};
use crate::support::Place;
use crate::support::http::Site;
use crate::support::started::until;

const KEY: &str = "sk-canary-91be";
const CELL: &str = "cellcanary4711";
const ASKED: &str = "askedcanary0815";
const COLLECTOR_KEY: &str = "collectorcanary23";

/// A collector on this machine, which keeps what it is sent.
struct Collector {
    address: String,
    heard: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Collector {
    fn new() -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heard: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
        let kept = heard.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = kept.clone();
                std::thread::spawn(move || while take(&stream, &kept).is_some() {});
            }
        });
        Collector { address, heard }
    }

    /// Every span that came, as it was sent.
    fn spans(&self) -> Vec<Value> {
        let heard = self.heard.lock().unwrap();
        heard
            .iter()
            .flat_map(|(_, body)| body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone())
            .collect()
    }
}

/// One request of a connection that may bring several.
fn take(mut stream: &TcpStream, kept: &Mutex<Vec<(String, Value)>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    kept.lock().unwrap().push((head, serde_json::from_slice(&body).expect("OTLP in JSON")));
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}").ok()
}

fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
    let found = span["attributes"].as_array().unwrap().iter().find(|one| one["key"] == key);
    found.map_or(&Value::Null, |one| &one["value"])
}

fn lines(site: &Site) -> Vec<Value> {
    site.started.stderr().lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// A server that is told secrets in every way there is, and asked something that a model answers.
fn busy(place: &Place, collector: &Collector) -> (Site, Value) {
    let (one, two) = (python("sales['amount'].sum()"), python("total = sum(sales['amount'])\ntotal"));
    let model = Scripted::saying(&[&one, &two, "YES, it adds up every amount"]);
    let token = place.json(0, &["token", "create", "all"]);
    let token = token["token"].as_str().unwrap().to_string();
    let serve = place.assay(["serve", "--listen", "127.0.0.1:0", "--log", "trace"]);
    let serve = serve.env("OPENAI_BASE_URL", &model.address).env("OPENAI_API_KEY", KEY);
    let serve = serve.env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.address);
    let site = Site::starting(serve.env("OTEL_EXPORTER_OTLP_HEADERS", format!("x-key={COLLECTOR_KEY}")));
    let bearer = format!("Bearer {token}");
    let rows = format!("day,region,amount\n2026-01-01,{CELL},10\n2026-01-02,south,20\n2026-01-03,south,70\n");
    let sent = site.upload(&[("Authorization", &bearer)], &[("name", "sales")], &[("sales.csv", rows.as_bytes())]);
    sent.is(201);
    let body = json!({ "dataset_id": "sales", "message": format!("what did we take {ASKED} in all"), "model": "chat:scripted" });
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), ("traceparent", trace)];
    let answer = site.send("POST", "/chat", &headers, body.to_string().as_bytes()).is(200).json();
    assert_eq!((&answer["source"], &answer["table"]["rows"]), (&json!("model"), &json!([[100]])), "{answer:#}");
    site.as_bearer(&token.replace('a', "b"), "GET", "/runs?q=querycanary7", None).problem(401, "token_invalid");
    let refused = json!({ "dataset_id": "sales", "message": format!("SQL: SELECT {ASKED} FROM sales") });
    site.as_bearer(&token, "POST", "/chat", Some(&refused)).is(200);
    (site, json!({ "token": token, "run": answer["run_id"] }))
}

#[test]
fn every_line_and_span_says_where_it_belongs_and_none_holds_a_secret_or_data() {
    let (place, collector) = (Place::new(), Collector::new());
    let (site, made) = busy(&place, &collector);
    let run = made["run"].as_str().unwrap();
    let metrics = site.get("/metrics").is(200).text();
    until("the spans of the run came", || {
        collector.spans().iter().any(|span| span["name"] == "run sql/1").then_some(())
    });
    let lines = lines(&site);
    let of_run: Vec<&Value> = lines.iter().filter(|line| line["run"] == run).collect();
    let request = &of_run[0]["request_id"];
    assert!(request.as_str().is_some_and(|id| id.len() == 32), "{lines:#?}");
    assert!(of_run.iter().all(|line| line["request_id"] == *request), "{of_run:#?}");
    let of_part = |part: &str| of_run.iter().filter(|line| line["part"] == part).count();
    for (part, least) in [("run", 2), ("step", 4), ("cell", 2), ("model", 3)] {
        assert!(of_part(part) >= least, "{part}: {of_run:#?}");
    }
    assert!(of_run.iter().all(|line| line["part"] == "run" || line["part"] == "cell" || line["step"].is_string()));
    assert!(lines.iter().any(|line| line["part"] == "journal"), "{lines:#?}");
    let asked = lines.iter().find(|line| line["event"] == "request" && line["request_id"] == *request);
    let asked = asked.expect("a line for the request");
    assert_eq!((&asked["method"], &asked["path"], &asked["status"]), (&json!("POST"), &json!("/chat"), &json!(200)));

    let (heard, told) = (format!("{:?}", collector.heard.lock().unwrap()), site.started.stderr());
    let secret = made["token"].as_str().unwrap().rsplit('_').next().unwrap().to_string();
    for canary in [KEY, CELL, ASKED, &secret, &secret.replace('a', "b"), "querycanary7", "amount", "adds up", "SELECT"]
    {
        for (place, text) in [("the log", &told), ("the spans", &heard), ("the metrics", &metrics)] {
            assert!(!text.contains(canary), "{canary} is in {place}:\n{text}");
        }
    }
    assert!(!told.contains(COLLECTOR_KEY) && !metrics.contains(COLLECTOR_KEY));
    assert!(heard.to_lowercase().contains(&format!("x-key: {COLLECTOR_KEY}")), "the collector is not shown its key");
}

#[test]
fn spans_make_one_trace_and_a_models_are_named_as_the_conventions_do() {
    let (place, collector) = (Place::new(), Collector::new());
    let (site, made) = busy(&place, &collector);
    let named = |name: &'static str| move |span: &&Value| span["name"] == name;
    until("the request's span came", || collector.spans().iter().filter(named("POST /chat")).nth(1).map(|_| ()));
    let all = collector.spans();
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let ours: Vec<&Value> = all.iter().filter(|span| span["traceId"] == trace).collect();
    let one = |name: &'static str| {
        *ours.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("no {name}: {ours:#?}"))
    };
    let (request, run, model) = (one("POST /chat"), one("run ask/1"), one("chat chat:scripted"));
    let step = one("step model");
    assert_eq!(request["parentSpanId"], "b7ad6b7169203331", "the caller's own span");
    for (child, parent) in [(run, request), (step, run), (model, step)] {
        assert_eq!(child["parentSpanId"], parent["spanId"], "{child}");
    }
    assert_eq!((&request["kind"], &run["kind"], &model["kind"]), (&json!(2), &json!(1), &json!(3)));
    assert_eq!(attribute(run, "assay.run.id")["stringValue"], made["run"]);
    for (key, kind, value) in [
        ("gen_ai.operation.name", "stringValue", "chat"),
        ("gen_ai.provider.name", "stringValue", "chat"),
        ("gen_ai.request.model", "stringValue", "chat:scripted"),
        ("gen_ai.usage.input_tokens", "intValue", "100"),
        ("gen_ai.usage.output_tokens", "intValue", "10"),
    ] {
        assert_eq!(attribute(model, key)[kind], value, "{key}: {model}");
    }
    assert_eq!(attribute(request, "http.response.status_code")["intValue"], "200");
    let mut ids = BTreeSet::new();
    for span in &all {
        let is_hexadecimal = |key: &str, length: usize| {
            span[key].as_str().is_some_and(|id| id.len() == length && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        assert!(is_hexadecimal("traceId", 32) && is_hexadecimal("spanId", 16), "{span}");
        assert!(ids.insert(span["spanId"].to_string()), "two spans of one name: {span}");
        let at = |key: &str| span[key].as_str().unwrap().parse::<u128>().unwrap();
        assert!(at("startTimeUnixNano") > 1_700_000_000_000_000_000, "{span}");
        assert!(at("startTimeUnixNano") <= at("endTimeUnixNano"), "{span}");
    }
    let refused = all.iter().find(|span| attribute(span, "http.response.status_code")["intValue"] == "401").unwrap();
    assert!(
        refused["parentSpanId"].is_null()
            && attribute(refused, "assay.request.id")["stringValue"] == refused["traceId"]
    );
    drop(site);
}

#[test]
fn a_collector_that_is_not_there_or_never_answers_holds_nobody_up() {
    let place = Place::new();
    let ask = |endpoint: Option<&str>| {
        let call = place.assay(["ask", "support", "how many tickets are there", "--json", "--no-cache"]);
        let call = endpoint.into_iter().fold(call, |call, endpoint| call.env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint));
        let began = Instant::now();
        let answer = call.run().exits(0);
        assert!(answer.stderr.is_empty() || !answer.stderr.contains("collector"), "{}", answer.stderr);
        (answer.document()["table"].clone(), began.elapsed())
    };
    ask(None);
    let (expected, usual) = ask(None);
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    // It takes connections into its queue and never says a word.
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    for address in [gone, deaf.local_addr().unwrap()] {
        let (answered, took) = ask(Some(&format!("http://{address}")));
        assert_eq!(answered, expected);
        // A request to it may take seconds; nobody waits for that.
        assert!(took < usual * 3 + Duration::from_secs(2), "{took:?} instead of {usual:?}");
    }
    let serve = place.assay(["serve", "--listen", "127.0.0.1:0"]);
    let site = Site::starting(serve.env("OTEL_EXPORTER_OTLP_ENDPOINT", format!("http://{gone}")));
    site.chat("support", "how many tickets are there");
    until("spans are counted as lost", || (samples(&site, "assay_spans_lost_total")[""] >= 2.0).then_some(()));
    let told = site.started.stderr();
    assert!(told.lines().all(|line| line.starts_with("listening") || line.starts_with("open")), "{told}");
    let wrong = place.assay(["ask", "support", "how many"]).env("OTEL_EXPORTER_OTLP_ENDPOINT", "no address");
    assert!(wrong.run().exits(2).stderr.contains("collector"));
}

#[test]
fn a_filter_chooses_what_people_read_and_a_wrong_one_is_refused() {
    let place = Place::new();
    let ask = |filter: &[&str]| {
        let call = place.assay(["ask", "support", "how many tickets are there", "--quiet"]);
        filter.iter().fold(call, |call, word| call.arg(word)).run()
    };
    let quiet = ask(&[]).exits(0);
    assert!(!quiet.stderr.contains("run began"), "{}", quiet.stderr);
    let usual = ask(&["--log"]).exits(0);
    assert!(usual.stderr.contains("run began") && !usual.stderr.contains(" step "), "{}", usual.stderr);
    let steps = ask(&["--log", "off,step=debug"]).exits(0).stderr;
    assert!(!steps.contains("run began") && !steps.starts_with('{'), "{steps}");
    let setting =
        place.assay(["ask", "support", "how many tickets are there", "--no-cache"]).env("ASSAY_LOG", "step=debug");
    let told = setting.run().exits(0).stderr;
    assert!(told.lines().any(|line| line.contains(" debug step ") && line.contains(" step=execute")), "{told}");
    let wrong = ask(&["--log", "hyper=trace"]).exits(2);
    assert!(wrong.stderr.contains("the log has no part `hyper`"), "{}", wrong.stderr);
}

/// The numbers of a family by their labels, from a text every line of which is held against the format.
fn samples(site: &Site, family: &str) -> BTreeMap<String, f64> {
    let reply = site.get("/metrics").is(200);
    assert_eq!(reply.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = reply.text();
    assert!(text.ends_with('\n'), "the last line has no end");
    let (mut types, mut seen, mut found) = (BTreeMap::new(), BTreeSet::new(), BTreeMap::new());
    let mut begun: Option<String> = None;
    for line in text.lines() {
        let name_end = |text: &str| text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, about) = help.split_once(' ').expect("a family has a line of help");
            assert!(!about.is_empty() && seen.insert(name.to_string()), "{name} comes twice");
            begun = Some(name.to_string());
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').expect("a family has a type");
            assert_eq!(begun.as_deref(), Some(name), "the type follows the help");
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
            types.insert(name.to_string(), kind.to_string());
        } else {
            let end = name_end(line).unwrap_or_else(|| panic!("no number: {line}"));
            let (name, rest) = line.split_at(end);
            let of = begun.clone().expect("a family begins with its help");
            let parts = ["_bucket", "_sum", "_count"].map(|part| format!("{of}{part}"));
            let fits = if types[&of] == "histogram" { parts.iter().any(|part| part == name) } else { name == of };
            assert!(fits, "{name} is no sample of {of}");
            let (labels, value) = match rest.strip_prefix('{') {
                Some(rest) => rest.rsplit_once("} ").unwrap_or_else(|| panic!("its labels have no end: {line}")),
                None => ("", rest.trim_start()),
            };
            let value: f64 = value.parse().unwrap_or_else(|_| panic!("no number: {line}"));
            if !labels.is_empty() {
                for label in labels.split("\",") {
                    let (name, value) =
                        label.split_once("=\"").unwrap_or_else(|| panic!("no label: {label} in {line}"));
                    assert!(name_end(name).is_none() && !value.trim_end_matches('"').contains('"'), "{line}");
                }
            }
            assert!(value >= 0.0, "{line}");
            if name == family {
                assert!(found.insert(labels.to_string(), value).is_none(), "{line} comes twice");
            }
        }
    }
    assert_eq!(types.len(), seen.len(), "each family has a type");
    found
}

#[test]
fn metrics_count_what_was_done_in_a_text_that_can_be_read() {
    let (place, collector) = (Place::new(), Collector::new());
    let (site, made) = busy(&place, &collector);
    let of = |family: &str| samples(&site, family);
    let requests = of("assay_requests_total");
    assert_eq!(requests["door=\"/chat\",method=\"POST\",status=\"200\""], 2.0, "{requests:?}");
    assert_eq!(requests["door=\"/runs\",method=\"GET\",status=\"401\""], 1.0, "{requests:?}");
    let times = of("assay_request_seconds_bucket");
    let mut chat: Vec<(f64, f64)> = Vec::new();
    for (labels, count) in times.iter().filter(|(labels, _)| labels.starts_with("door=\"/chat\",method=\"POST\"")) {
        let bound = labels.rsplit("le=\"").next().unwrap().trim_end_matches('"');
        chat.push((bound.replace("+Inf", "inf").parse().unwrap(), *count));
    }
    chat.sort_by(|one, other| one.0.total_cmp(&other.0));
    assert!(chat.is_sorted_by(|one, other| one.1 <= other.1), "{chat:?}");
    assert_eq!(chat.last(), Some(&(f64::INFINITY, 2.0)));
    assert_eq!(of("assay_request_seconds_count")["door=\"/chat\",method=\"POST\""], 2.0);
    assert_eq!(of("assay_runs")["task=\"ask/1\",state=\"succeeded\""], 1.0);
    assert_eq!(of("assay_model_calls_total")["model=\"chat:scripted\",outcome=\"replied\""], 3.0);
    assert_eq!(of("assay_model_tokens_total")["model=\"chat:scripted\",kind=\"input\""], 300.0);
    assert_eq!(of("assay_model_usd_total")["model=\"chat:scripted\""], 0.0);
    let cells = of("assay_cell_wait_seconds_count");
    assert!(cells["cell=\"cold\""] >= 3.0 && cells["cell=\"warm\""] == 0.0, "{cells:?}");
    assert_eq!(of("assay_journal_commits_total")[""], of("assay_journal_commit_seconds_count")[""]);
    assert!(of("assay_journal_commits_total")[""] >= 8.0);
    assert!(of("assay_upload_bytes_total")[""] >= 60.0);
    assert_eq!((of("assay_queue_waiting")[""], of("assay_queue_waiting_seconds")[""]), (0.0, 0.0));
    assert_eq!(of("assay_event_readers")[""], 0.0);
    let program = json!({ "task": "python", "input": { "code": "import time\ntime.sleep(30)" } });
    let begun = site.as_bearer(made["token"].as_str().unwrap(), "POST", "/runs", Some(&program)).is(202).json();
    let bearer = format!("Bearer {}", made["token"].as_str().unwrap());
    let reading = site.stream("GET", begun["events_url"].as_str().unwrap(), &[("Authorization", &bearer)], None);
    until("a reader is counted", || (of("assay_event_readers")[""] == 1.0).then_some(()));
    drop(reading);
    assert!(of("assay_slots_used")[""] >= 1.0);
    let odd = site.send("BREW", "/no/such/door", &[], b"");
    assert!(odd.status >= 400);
    assert_eq!(of("assay_requests_total").iter().filter(|(labels, _)| labels.contains("method=\"other\"")).count(), 1);
}

#[test]
fn limits_of_the_server_are_settings_that_hold_and_are_shown() {
    let place = Place::new();
    let few = [
        ("ASSAY_SERVE_BODY_BYTES", "2048"),
        ("ASSAY_SERVE_UPLOAD_BYTES", "4096"),
        ("ASSAY_SERVE_ROWS", "2"),
        ("ASSAY_SERVE_READERS", "1"),
        ("ASSAY_SERVE_RUNS", "1"),
        ("ASSAY_SERVE_QUEUE", "1"),
    ];
    let with = |call: crate::support::Call| few.iter().fold(call, |call, (name, value)| call.env(name, value));
    let site = Site::starting(with(place.assay(["serve", "--listen", "127.0.0.1:0"])));
    let long = json!({ "dataset_id": "support", "message": "x".repeat(3_000) });
    site.post("/chat", &long).problem(413, "too_large");
    let file = vec![b'7'; 6_000];
    let sent = site.upload(&[], &[], &[("big.csv", &file)]).problem(413, "too_large");
    assert_eq!(sent["detail"], "send at most 4096 bytes at once");
    let program = json!({ "task": "python", "input": { "code": "import time\ntime.sleep(30)" } });
    let begun = site.post("/runs", &program).is(202).json();
    until("the first is at work", || {
        (site.get(begun["status_url"].as_str().unwrap()).json()["state"] == "running").then_some(())
    });
    let waits = site.post("/runs", &program).is(202).json();
    let status = site.get(waits["status_url"].as_str().unwrap()).json();
    assert_eq!((&status["state"], &status["position"]), (&json!("pending"), &json!(1)));
    let refused = site.post("/runs", &program);
    assert_eq!(refused.header("retry-after"), Some("1"));
    refused.problem(429, "too_many_requests");
    // Of the one that waits: it is there the longest.
    let reading = site.stream("GET", waits["events_url"].as_str().unwrap(), &[], None);
    let taken = "\nassay_event_readers 1\n";
    until("the first reader is taken", || site.get("/metrics").text().contains(taken).then_some(()));
    let mut stream = site.connect();
    let path = waits["events_url"].as_str().unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", site.address).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(String::from_utf8_lossy(&head), "HTTP/1.1 429");
    drop(reading);
    let listed = site.get("/runs?limit=1000").is(200).json();
    assert_eq!(listed["runs"].as_array().unwrap().len(), 2);
    for run in [&begun, &waits] {
        site.post(&format!("/runs/{}/cancel", run["run_id"].as_str().unwrap()), &json!({}));
    }
    let shown = |document: Value, name: &str| {
        let found = document["settings"].as_array().unwrap().iter().find(|one| one["name"] == name).cloned();
        found.unwrap_or_default()["value"].clone()
    };
    assert_eq!(shown(site.get("/settings").is(200).json(), "serve.queue"), "1");
    let config = with(place.assay(["config", "show", "--json"])).run().exits(0).document();
    assert_eq!(shown(config, "serve.body_bytes"), "2048");
    assert_eq!(shown(place.json(0, &["config", "show"]), "serve.queue"), "512");
    place.file(".config/assay/config.toml", "[serve]\nqueue = 7\n");
    assert_eq!(shown(place.json(0, &["config", "show"]), "serve.queue"), "7");
    let wrong = place.assay(["config", "show"]).env("ASSAY_SERVE_RUNS", "0").run().exits(2);
    assert!(wrong.stderr.contains("serve.runs"), "{}", wrong.stderr);
}

#[test]
fn whoever_sends_many_wrong_tokens_is_not_listened_to_for_a_while() {
    let place = Place::new();
    let [made, unseen] = ["one", "two"].map(|name| place.json(0, &["token", "create", name])["token"].clone());
    let site = Site::of(&place);
    site.as_bearer(made.as_str().unwrap(), "GET", "/runs", None).is(200);
    let began = Instant::now();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let guess = |number: usize| format!("assay_{number:016x}_{number:064x}");
        let guessing: Vec<_> = (0..60)
            .map(|number| {
                let site = &site;
                scope.spawn(move || site.as_bearer(&guess(number), "GET", "/runs", None).status)
            })
            .collect();
        guessing.into_iter().map(|one| one.join().unwrap()).collect()
    });
    // Those that were looked at were answered late; where the machine is slow, a few are forgotten meanwhile.
    let heard = statuses.iter().filter(|status| **status == 401).count();
    let forgotten = began.elapsed().as_secs() as usize / 3;
    assert!(began.elapsed() >= Duration::from_millis(300));
    assert!((20..=21 + forgotten).contains(&heard), "{statuses:?}");
    assert!(statuses.iter().all(|status| [401, 429].contains(status)), "{statuses:?}");
    let refused = site.as_bearer(unseen.as_str().unwrap(), "GET", "/runs", None);
    assert!(refused.header("retry-after").is_some());
    refused.problem(429, "too_many_requests");
    site.as_bearer(made.as_str().unwrap(), "GET", "/runs", None).is(200);
    site.get("/health").is(200);
}
