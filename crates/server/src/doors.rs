//! Every address there is, in one table: how it is asked, what for, who may, what it takes and what it gives. The router and
//! the OpenAPI document are both made of it, so that neither tells of what the other does not have.

use app::documents::memory::LessonChange;
use app::tokens::Scope;
use axum::routing::{MethodRouter, delete, get, post, put};
use base::{Document, schema_of};
use serde_json::Value;

use crate::answers::{BegunRun, FollowUps, Health, Limits, Messages, RunStatus, Session, Spending, ThreadList};
use crate::serve::Site;
use crate::{chat, datasets, health, lessons, limits, memory, metrics, openapi, requests, runs, session, threads};

/// One way to ask one address.
pub struct Door {
    /// GET, POST, PUT or DELETE, in small letters.
    pub method: &'static str,
    /// With its parameters in braces.
    pub path: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// What a caller has to be allowed; nothing where nobody is asked for a token.
    pub scope: Option<Scope>,
    /// What may stand behind the question mark.
    pub query: &'static [&'static str],
    /// The body.
    pub takes: Takes,
    /// The status of what is done, and what comes back.
    pub gives: (u16, Gives),
    /// Who serves it.
    pub serve: MethodRouter<Site>,
}

/// A body that comes in.
pub enum Takes {
    /// None.
    Nothing,
    /// JSON of this schema.
    Json(fn() -> Value),
    /// The same, or none.
    JsonOrNothing(fn() -> Value),
    /// Files and fields as a form sends them.
    Files,
}

/// A body that goes out.
pub enum Gives {
    /// One of the documents of the command line.
    Document(&'static [&'static str]),
    /// JSON of this schema.
    Json(fn() -> Value),
    /// Something else, of this media type.
    Other(&'static str),
}

fn door(method: &'static str, path: &'static str, about: &'static str, serve: MethodRouter<Site>) -> Door {
    let scope = if method == "get" { Scope::Read } else { Scope::Ask };
    let gives = (200, Gives::Other("application/json"));
    Door { method, path, about, scope: Some(scope), query: &[], takes: Takes::Nothing, gives, serve }
}

impl Door {
    fn of(self, scope: Option<Scope>) -> Door {
        Door { scope, ..self }
    }

    fn asks(self, query: &'static [&'static str]) -> Door {
        Door { query, ..self }
    }

    fn takes(self, takes: Takes) -> Door {
        Door { takes, ..self }
    }

    fn gives(self, status: u16, gives: Gives) -> Door {
        Door { gives: (status, gives), ..self }
    }

    fn document(self, kinds: &'static [&'static str]) -> Door {
        self.gives(200, Gives::Document(kinds))
    }
}

/// All of them.
pub fn all() -> Vec<Door> {
    [about_the_server(), about_data(), about_asking(), about_runs(), about_memory()].into_iter().flatten().collect()
}

fn about_the_server() -> Vec<Door> {
    let health = || Gives::Json(schema_of::<Health>);
    let session = || Gives::Json(schema_of::<Session>);
    vec![
        door("get", "/health", "Whether the server lives", get(health::live)).of(None).gives(200, health()),
        door("get", "/healthz", "The same, as others call it", get(health::live)).of(None).gives(200, health()),
        door("get", "/readyz", "Whether it can serve", get(health::ready)).of(None).gives(200, health()),
        door("get", "/metrics", "What was done and how it stands, for Prometheus", get(metrics::show))
            .of(None)
            .gives(200, Gives::Other("text/plain")),
        door("get", "/openapi.json", "This document", get(openapi::document)).of(None),
        door("get", "/docs", "The same for people", get(openapi::page)).of(None).gives(200, Gives::Other("text/html")),
        door("get", "/session", "Who is signed in", get(session::show)).gives(200, session()),
        door("post", "/session", "Signs in with a token", post(session::begin))
            .of(None)
            .takes(Takes::Json(openapi::body_of::<session::SignIn>))
            .gives(200, session()),
        door("delete", "/session", "Signs out", delete(session::end)).of(None).gives(200, session()),
        door("get", "/tokens", "Who may call, without what they send", get(session::tokens))
            .of(Some(Scope::Admin))
            .document(&["tokens"]),
        door("delete", "/tokens/{id}", "Makes a token worth nothing", delete(session::revoke))
            .of(Some(Scope::Admin))
            .document(&["token_revoked"]),
        door("get", "/settings", "How the server is set up", get(memory::settings))
            .of(Some(Scope::Admin))
            .document(&["config"]),
        door("get", "/models", "Who can be asked what the planner does not read", get(memory::models))
            .document(&["models"]),
        door("post", "/models/test", "Asks a model for one thing after the other", post(memory::try_model))
            .of(Some(Scope::Write))
            .takes(Takes::Json(openapi::body_of::<memory::Tried>))
            .document(&["model_test"]),
        door("get", "/spending", "What models may use and have used", get(memory::spending))
            .gives(200, Gives::Json(schema_of::<Spending>)),
        door("get", "/limits", "How much of everything a caller may have", get(limits::show))
            .gives(200, Gives::Json(schema_of::<Limits>)),
        door("get", "/isolation", "What isolates the programs that are run here", get(memory::isolation))
            .of(Some(Scope::Admin))
            .document(&["probe"]),
    ]
}

fn about_data() -> Vec<Door> {
    vec![
        door("get", "/datasets", "Every dataset there is", get(datasets::list)).document(&["datasets"]),
        door("post", "/datasets", "Takes files in and reads them", post(datasets::add))
            .of(Some(Scope::Write))
            .takes(Takes::Files)
            .gives(201, Gives::Document(&["dataset"])),
        door("get", "/datasets/{id}", "What is known about one", get(datasets::show)).document(&["dataset"]),
        door("delete", "/datasets/{id}", "Forgets one that was added", delete(datasets::remove))
            .of(Some(Scope::Write))
            .document(&["removed"]),
        door("get", "/datasets/{id}/schema", "Tables, columns, questions to begin with", get(datasets::schema))
            .document(&["dataset_schema"]),
        door("get", "/datasets/{id}/profile", "What was measured of it", get(datasets::profile)).document(&["profile"]),
    ]
}

fn about_asking() -> Vec<Door> {
    let question = || Takes::Json(openapi::body_of::<requests::Question>);
    vec![
        door("post", "/chat", "Answers a question, `SQL: …` or `PYTHON: …`", post(chat::chat))
            .takes(question())
            .document(&["answer", "sql", "execution"]),
        door("post", "/chat/stream", "The same as it happens", post(chat::chat_stream))
            .takes(question())
            .gives(200, Gives::Other("text/event-stream")),
        door("get", "/threads", "Conversations, latest first", get(threads::list))
            .asks(&["limit"])
            .gives(200, Gives::Json(schema_of::<ThreadList>)),
        door("delete", "/threads/{id}", "Forgets one, not its runs", delete(threads::forget))
            .of(Some(Scope::Write))
            .document(&["thread_forgotten"]),
        door("get", "/threads/{id}/messages", "What was asked and answered", get(threads::messages))
            .gives(200, Gives::Json(schema_of::<Messages>)),
    ]
}

fn about_runs() -> Vec<Door> {
    let begun = || Gives::Json(schema_of::<BegunRun>);
    let status = || Gives::Json(schema_of::<RunStatus>);
    vec![
        door("get", "/runs", "What was done, newest first", get(runs::list))
            .asks(&["task", "state", "limit", "cursor"])
            .document(&["runs"]),
        door("post", "/runs", "Begins a run; the same Idempotency-Key is the same run", post(runs::begin))
            .takes(Takes::Json(openapi::body_of::<runs::Asked>))
            .gives(202, begun()),
        door("post", "/runs/import", "Takes a run in from a capsule", post(runs::import))
            .of(Some(Scope::Write))
            .takes(Takes::Files)
            .gives(201, Gives::Document(&["import"])),
        door("get", "/runs/{id}", "One with its steps", get(runs::show)).document(&["run"]),
        door("get", "/runs/{id}/status", "Where it stands", get(runs::status)).gives(200, status()),
        door("get", "/runs/{id}/follow-ups", "Questions that continue its answer in the thread", get(runs::follow_ups))
            .gives(200, Gives::Json(schema_of::<FollowUps>)),
        door("get", "/runs/{id}/events", "Its events, as they happen; 204 when all were heard", get(runs::events))
            .asks(&["after"])
            .gives(200, Gives::Other("text/event-stream")),
        door("get", "/runs/{id}/artifacts/{*name}", "One of its files", get(runs::artifact))
            .gives(200, Gives::Other("application/octet-stream")),
        door("get", "/runs/{id}/capsule", "All of it as a file that can be checked", get(runs::capsule))
            .gives(200, Gives::Other("application/zip")),
        door("get", "/runs/{id}/chart.svg", "The chart of its answer", get(runs::chart))
            .asks(&["theme", "width"])
            .gives(200, Gives::Other("image/svg+xml")),
        door("post", "/runs/{id}/cancel", "Stops it", post(runs::cancel)).document(&["run"]),
        door("post", "/runs/{id}/approve", "Allows what it asks", post(runs::approve))
            .takes(Takes::JsonOrNothing(openapi::body_of::<runs::Decided>))
            .document(&["run"]),
        door("post", "/runs/{id}/deny", "Denies what it asks", post(runs::deny))
            .takes(Takes::JsonOrNothing(openapi::body_of::<runs::Decided>))
            .document(&["run"]),
        door("post", "/runs/{id}/resume", "Goes on with it", post(runs::resume)).gives(202, Gives::Document(&["run"])),
        door("post", "/runs/{id}/replay", "Holds its code against its journal", post(runs::replay)).document(&["run"]),
        door("post", "/runs/{id}/fork", "A new run with its first steps", post(runs::fork))
            .takes(Takes::JsonOrNothing(openapi::body_of::<runs::From>))
            .gives(202, Gives::Document(&["run"])),
    ]
}

fn about_memory() -> Vec<Door> {
    vec![
        door("get", "/notes", "What is remembered about a dataset", get(memory::notes))
            .asks(&["dataset_id"])
            .document(&["notes"]),
        door("get", "/lessons", "What was learned from runs", get(lessons::list))
            .asks(&["q", "limit"])
            .document(&["lessons"]),
        door("post", "/lessons", "Remembers something for later runs", post(lessons::add))
            .of(Some(Scope::Write))
            .takes(Takes::Json(openapi::body_of::<lessons::Note>))
            .gives(201, Gives::Document(&["lessons"])),
        door("get", "/lessons/{id}", "One lesson", get(lessons::show)).document(&["lessons"]),
        door("put", "/lessons/{id}", "Says one otherwise", put(lessons::edit))
            .of(Some(Scope::Write))
            .takes(Takes::Json(openapi::body_of::<LessonChange>))
            .document(&["lessons"]),
        door("delete", "/lessons/{id}", "Forgets one", delete(lessons::forget))
            .of(Some(Scope::Write))
            .document(&["lessons_forgotten"]),
        door("post", "/notes", "Remembers something", post(memory::remember))
            .of(Some(Scope::Write))
            .takes(Takes::Json(openapi::body_of::<memory::Text>))
            .gives(201, Gives::Document(&[app::documents::data::Remembered::KIND])),
        door("put", "/notes/{dataset}/{number}", "Says a note otherwise", put(memory::edit))
            .of(Some(Scope::Write))
            .takes(Takes::Json(openapi::body_of::<memory::Words>))
            .document(&[app::documents::data::Remembered::KIND]),
        door("delete", "/notes/{dataset}/{number}", "Remembers a note no more", delete(memory::forget))
            .of(Some(Scope::Write))
            .document(&[app::documents::data::Remembered::KIND]),
        door("post", "/notes/{dataset}/{number}/accept", "Remembers what a model proposed", post(memory::accept))
            .of(Some(Scope::Write))
            .document(&[app::documents::data::Remembered::KIND]),
        door("post", "/notes/{dataset}/{number}/reject", "Drops what a model proposed", post(memory::reject))
            .of(Some(Scope::Write))
            .document(&[app::documents::data::Remembered::KIND]),
    ]
}
