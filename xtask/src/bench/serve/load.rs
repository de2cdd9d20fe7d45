//! Asks a server as fast as it answers: so many clients, each on one connection that is kept, for so long. Prints how many
//! answers came and how long they took, as one line of JSON.
//!
//! Started with `{"address","clients","seconds","headers":{…},"requests":[{"method","path","body"}]}`. Whatever is no 200
//! is counted as failed, and its beginning shown.

use std::io::{BufRead, BufReader, Error, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(30);

fn main() {
    let setup: Value = std::env::args().nth(1).and_then(|text| text.parse().ok()).expect("one argument, of JSON");
    let clients = setup["clients"].as_u64().expect("clients");
    let until = Instant::now() + Duration::from_secs_f64(setup["seconds"].as_f64().expect("seconds"));
    let began = Instant::now();
    let all: Vec<Client> = thread::scope(|scope| {
        let asking: Vec<_> = (0..clients)
            .map(|number| {
                scope.spawn({
                    let setup = &setup;
                    move || Client::of(setup, number as usize, until)
                })
            })
            .collect();
        asking.into_iter().map(|one| one.join().expect("a client does not panic")).collect()
    });
    let seconds = began.elapsed().as_secs_f64();
    let mut took: Vec<f64> = all.iter().flat_map(|client| client.took_ms.iter().copied()).collect();
    took.sort_by(f64::total_cmp);
    let at = |share: f64| took.get(((took.len() as f64 * share) as usize).min(took.len().saturating_sub(1))).copied();
    let failed: usize = all.iter().map(|client| client.failed).sum();
    let example = all.iter().find_map(|client| client.example.clone());
    println!(
        "{}",
        json!({
            "answers": took.len(), "failed": failed, "example": example, "seconds": seconds,
            "per_second": took.len() as f64 / seconds, "p50_ms": at(0.5), "p99_ms": at(0.99),
        })
    );
}

/// What one client saw.
#[derive(Default)]
struct Client {
    took_ms: Vec<f64>,
    failed: usize,
    example: Option<String>,
}

impl Client {
    fn of(setup: &Value, number: usize, until: Instant) -> Client {
        let address = setup["address"].as_str().expect("address");
        let requests: Vec<Vec<u8>> =
            setup["requests"].as_array().expect("requests").iter().map(|one| written(setup, one)).collect();
        let mut client = Client::default();
        let mut connection = None;
        for request in requests.iter().cycle().skip(number) {
            if Instant::now() >= until {
                break;
            }
            let began = Instant::now();
            let answered = match &mut connection {
                Some(open) => answer(open, request),
                closed => connect(address).and_then(|open| answer(closed.insert(open), request)),
            };
            match answered {
                Ok((200, _)) => client.took_ms.push(began.elapsed().as_secs_f64() * 1e3),
                other => {
                    client.failed += 1;
                    client.example.get_or_insert_with(|| shown(other));
                    connection = None;
                }
            }
        }
        client
    }
}

fn shown(answered: Result<(u16, Vec<u8>), Error>) -> String {
    match answered {
        Ok((status, body)) => {
            format!("{status} {}", String::from_utf8_lossy(&body).chars().take(200).collect::<String>())
        }
        Err(error) => error.to_string(),
    }
}

/// A request as it goes over the wire.
fn written(setup: &Value, request: &Value) -> Vec<u8> {
    let body = request["body"].as_object().map(|body| json!(body).to_string()).unwrap_or_default();
    let (method, path) = (request["method"].as_str().expect("method"), request["path"].as_str().expect("path"));
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", setup["address"].as_str().expect("address"));
    for (name, value) in setup["headers"].as_object().into_iter().flatten() {
        text += &format!("{name}: {}\r\n", value.as_str().unwrap_or_default());
    }
    if !body.is_empty() {
        text += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    }
    format!("{text}\r\n{body}").into_bytes()
}

fn connect(address: &str) -> Result<BufReader<TcpStream>, Error> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(BufReader::with_capacity(1 << 16, stream))
}

/// Sends a request and reads the whole answer, which says how long it is.
fn answer(connection: &mut BufReader<TcpStream>, request: &[u8]) -> Result<(u16, Vec<u8>), Error> {
    connection.get_mut().write_all(request)?;
    let mut line = String::new();
    connection.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    let mut length = 0;
    loop {
        line.clear();
        connection.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().map_err(Error::other)?;
        }
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body)?;
    Ok((status, body))
}
