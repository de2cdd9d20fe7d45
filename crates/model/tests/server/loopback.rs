//! A tiny HTTP/1.1 server. The nth connection gets the nth turn of its script, further ones the last.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with one connection.
#[derive(Clone)]
pub enum Turn {
    /// A stream that ends as HTTP wants it.
    Stream(Vec<String>),
    /// A stream whose connection is cut.
    Cut(Vec<String>),
    /// A stream that is never ended nor cut.
    Hold(Vec<String>),
    /// The first piece, then the second again and again.
    Endless(String, String),
    /// Not even a status.
    Silence,
    /// A status line, more header lines, and a body.
    Answer(&'static str, String, String),
}

/// One request as it came.
#[derive(Clone)]
pub struct Seen {
    /// The first line and the headers, in lower case.
    pub head: String,
    /// The body.
    pub body: Value,
}

pub struct Server {
    pub url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub async fn start(turns: Vec<Turn>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&seen);
        tokio::spawn(async move {
            let mut place = 0;
            while let Ok((stream, _)) = listener.accept().await {
                let turn = turns[place.min(turns.len() - 1)].clone();
                place += 1;
                let noted = Arc::clone(&noted);
                // What a client does that hangs up is no matter of the server's.
                tokio::spawn(async move { serve(stream, turn, noted).await.ok() });
            }
        });
        Server { url, seen }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no test panics with it").clone()
    }
}

async fn serve(mut stream: TcpStream, turn: Turn, seen: Arc<Mutex<Vec<Seen>>>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let request = read(&mut stream).await?;
    seen.lock().expect("no test panics with it").push(request);
    match turn {
        Turn::Silence => tokio::time::sleep(Duration::from_secs(60)).await,
        Turn::Answer(status, headers, body) => {
            let head =
                format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).await?;
        }
        Turn::Stream(frames) => {
            send(&mut stream, &frames).await?;
            stream.write_all(b"0\r\n\r\n").await?;
        }
        Turn::Cut(frames) => send(&mut stream, &frames).await?,
        Turn::Hold(frames) => {
            send(&mut stream, &frames).await?;
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
        Turn::Endless(first, again) => {
            send(&mut stream, &[first]).await?;
            loop {
                chunk(&mut stream, again.as_bytes()).await?;
            }
        }
    }
    stream.shutdown().await
}

async fn read(stream: &mut TcpStream) -> std::io::Result<Seen> {
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).await?;
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_lowercase();
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")).and_then(|text| text.parse().ok());
        if count == 0 || body.len() >= length.unwrap_or(0) {
            return Ok(Seen { body: serde_json::from_str(body).unwrap_or_default(), head });
        }
    }
}

/// Each frame in two writes, in the midst of a character where it has one of several bytes; comments between.
async fn send(stream: &mut TcpStream, frames: &[String]) -> std::io::Result<()> {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    for frame in frames {
        let middle = (1..frame.len()).find(|at| !frame.is_char_boundary(*at)).unwrap_or(frame.len() / 2);
        let (first, second) = frame.as_bytes().split_at(middle);
        chunk(stream, b": a comment\n\n").await?;
        chunk(stream, first).await?;
        // Long enough for the client to read the first half by itself.
        tokio::time::sleep(Duration::from_millis(2)).await;
        chunk(stream, second).await?;
    }
    Ok(())
}

async fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    let mut framed = format!("{:x}\r\n", bytes.len()).into_bytes();
    framed.extend_from_slice(bytes);
    framed.extend_from_slice(b"\r\n");
    stream.write_all(&framed).await
}
