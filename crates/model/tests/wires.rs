//! The wires against a server on this machine that speaks them and misbehaves on command.

#[path = "wires/faults.rs"]
mod faults;
#[path = "server/frames.rs"]
mod frames;
#[path = "server/loopback.rs"]
mod loopback;
#[path = "wires/streams.rs"]
mod streams;

use std::sync::Mutex;
use std::time::Duration;

use base::Problem;
use loopback::Server;
use model::{Connections, Endpoint, Limits, Message, Reply, Request, Secret, Wire, connect};

const WIRES: [Wire; 3] = [Wire::Messages, Wire::Responses, Wire::Chat];
const KEY: &str = "sk-canary-0123456789";

fn request() -> Request {
    Request {
        system: "Be brief.".into(),
        messages: vec![Message::User { text: "hello".into() }],
        tools: vec![],
        schema: None,
        output_tokens_max: 100,
        temperature: None,
        seed: None,
        stop: vec![],
    }
}

/// Short enough for a test to wait for.
fn limits() -> Limits {
    Limits {
        first_byte: Duration::from_millis(400),
        idle: Duration::from_millis(400),
        whole: Duration::from_secs(20),
        tries_max: 3,
        pause_first: Duration::from_millis(5),
        pause_max: Duration::from_secs(2),
        ..Limits::default()
    }
}

fn endpoint(wire: Wire, model: &str, url: &str) -> Endpoint {
    let key = Some(Secret::new(KEY));
    Endpoint { name: "test:m".into(), wire, model: model.into(), base_url: url.into(), key, allow_http: false }
}

/// Asks the server and gives what came and what was heard.
async fn ask(endpoint: Endpoint, request: &Request, limits: Limits) -> (Result<Reply, Problem>, Vec<String>) {
    let model = connect(endpoint, limits, &Connections::default()).expect("a model");
    let heard = Mutex::new(Vec::new());
    let listen = |piece: &str| heard.lock().expect("no test panics with it").push(piece.to_string());
    let reply = model.reply(request, &listen).await;
    (reply, heard.into_inner().expect("as above"))
}

/// The same with what every test of a fault has in common.
async fn ask_plainly(wire: Wire, server: &Server) -> Result<Reply, Problem> {
    ask(endpoint(wire, "m", &server.url), &request(), limits()).await.0
}
