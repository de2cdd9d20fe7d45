//! A server at work and a caller that speaks to it over a bare connection, so that odd requests can be made as well.
//!
//! Every document that comes back is held against the machine interface, every problem against its shape.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::started::{Started, until};
use super::{Call, Place, contract};

const PATIENCE: Duration = Duration::from_secs(60);

/// A server that was started for a test, and ends with it.
pub struct Site {
    pub started: Started,
    pub address: String,
}

impl Site {
    pub fn of(place: &Place) -> Site {
        Site::with(place, &[])
    }

    /// With further arguments.
    pub fn with(place: &Place, arguments: &[&str]) -> Site {
        let all = ["serve", "--listen", "127.0.0.1:0"].iter().chain(arguments);
        Site::starting(place.assay(all))
    }

    /// The command that starts it, as whoever calls wants it.
    pub fn starting(serve: Call) -> Site {
        let started = Started::of(serve);
        let address = until("the server listens", || {
            let said = started.stderr();
            let line = said.lines().find_map(|line| line.strip_prefix("listening on http://"))?;
            Some(line.trim().to_string())
        });
        Site { started, address }
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], b"")
    }

    pub fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.send("POST", path, &[("Content-Type", "application/json")], body.to_string().as_bytes())
    }

    pub fn as_bearer(&self, token: &str, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let bearer = format!("Bearer {token}");
        let mut headers = vec![("Authorization", bearer.as_str())];
        if body.is_some() {
            headers.push(("Content-Type", "application/json"));
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        self.send(method, path, &headers, body.as_bytes())
    }

    /// A whole answer, which has to come with this status.
    #[track_caller]
    pub fn chat(&self, dataset: &str, message: &str) -> Value {
        let body = json!({ "dataset_id": dataset, "message": message });
        self.post("/chat", &body).is(200).json()
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            request += &format!("Host: {}\r\n", self.address);
        }
        headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
        let mut bytes = (request + "\r\n").into_bytes();
        bytes.extend_from_slice(body);
        self.raw(&bytes)
    }

    /// Files, and fields, as a form sends them.
    pub fn upload(&self, headers: &[(&str, &str)], fields: &[(&str, &str)], files: &[(&str, &[u8])]) -> Reply {
        self.upload_to("/datasets", headers, fields, files)
    }

    pub fn upload_to(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        fields: &[(&str, &str)],
        files: &[(&str, &[u8])],
    ) -> Reply {
        let mut body = Vec::new();
        for (name, value) in fields {
            body.extend(format!("--B\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n").bytes());
        }
        for (name, contents) in files {
            let head = "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=";
            body.extend(format!("{head}\"{name}\"\r\nContent-Type: application/octet-stream\r\n\r\n").bytes());
            body.extend_from_slice(contents);
            body.extend(b"\r\n");
        }
        body.extend(b"--B--\r\n");
        let kind = [("Content-Type", "multipart/form-data; boundary=B")];
        let headers: Vec<(&str, &str)> = kind.iter().chain(headers).copied().collect();
        self.send("POST", path, &headers, &body)
    }

    /// Whatever bytes; what comes back until the server has nothing more to say.
    pub fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // A server may have answered before it read everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Reply::of(&answer)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("the server takes connections");
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The events of a stream, one after another.
    pub fn stream(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&Value>) -> EventStream {
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
        if !body.is_empty() {
            request += "Content-Type: application/json\r\n";
        }
        let mut stream = self.connect();
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).unwrap();
        EventStream { lines: BufReader::new(stream) }
    }
}

/// A stream of events under way. Dropping it cuts the connection.
pub struct EventStream {
    lines: BufReader<TcpStream>,
}

/// One event as it was sent.
#[derive(Clone, Debug)]
pub struct Frame {
    pub id: Option<i64>,
    pub event: String,
    pub data: Value,
}

impl Iterator for EventStream {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        let (mut id, mut event) = (None, String::new());
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).expect("the stream goes on") == 0 {
                return None;
            }
            let line = line.trim_end();
            if let Some(number) = line.strip_prefix("id: ") {
                id = Some(number.parse().expect("a number"));
            } else if let Some(kind) = line.strip_prefix("event: ") {
                event = kind.to_string();
            } else if let Some(data) = line.strip_prefix("data: ") {
                let data: Value = serde_json::from_str(data).expect("an event is JSON");
                contract::event(&data);
                assert_eq!((id, event.as_str()), (data["seq"].as_i64(), data["type"].as_str().unwrap()), "{data}");
                return Some(Frame { id, event, data });
            }
        }
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    fn of(bytes: &[u8]) -> Reply {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(bytes.len());
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|word| word.parse().ok());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_string()))
            .collect();
        let body = bytes.get(end + 4..).unwrap_or_default().to_vec();
        let is_chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = if is_chunked { unchunked(&body) } else { body };
        Reply { status: status.unwrap_or(0), headers, body }
    }

    #[track_caller]
    pub fn is(self, status: u16) -> Reply {
        assert_eq!(self.status, status, "{:?}\n{}", self.headers, self.text());
        self
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The document, which must be what the interface says; or the problem, which must have its shape.
    #[track_caller]
    pub fn json(&self) -> Value {
        let value: Value = serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        if self.header("content-type") == Some("application/problem+json") {
            for field in ["code", "title", "request_id"] {
                assert!(value[field].as_str().is_some_and(|text| !text.is_empty()), "no `{field}`: {value}");
            }
            assert_eq!(value["status"], self.status, "{value}");
            assert!(value.as_object().unwrap().contains_key("detail"), "{value}");
            assert_eq!(self.header("x-request-id"), value["request_id"].as_str());
        } else if value["kind"].is_string() {
            contract::holds(&without_code(value.clone()));
        }
        value
    }

    /// A problem of this status and code.
    #[track_caller]
    pub fn problem(self, status: u16, code: &str) -> Value {
        let reply = self.is(status);
        assert_eq!(reply.header("content-type"), Some("application/problem+json"), "{}", reply.text());
        let problem = reply.json();
        assert_eq!(problem["code"], code, "{problem}");
        problem
    }
}

/// Over HTTP a document names what stopped it; on the command line nothing stands there.
fn without_code(mut document: Value) -> Value {
    for place in ["", "output"] {
        let part = if place.is_empty() { &mut document } else { &mut document[place] };
        if part.is_object() && part["error"]["code"].is_string() && part["outcome"] != "failed" {
            part["error"] = Value::Null;
        }
    }
    document
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(String::from_utf8_lossy(&rest[..end]).trim(), 16).unwrap_or(0);
        let from = end + 2;
        if size == 0 || from + size > rest.len() {
            break;
        }
        whole.extend_from_slice(&rest[from..from + size]);
        rest = rest.get(from + size + 2..).unwrap_or_default();
    }
    whole
}
