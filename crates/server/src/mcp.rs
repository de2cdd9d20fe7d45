//! MCP: the same for another assistant, whose own model thinks while we run and check. One set of flat tools on stdio and
//! at `/mcp`; what they give is cut, and says how to ask for less.
//!
//! Invariant: a tool reaches what its caller's place has, and nothing else.

use std::sync::Arc;

use app::Settings;
use app::tokens::{LOCAL, Scope};
use axum::RequestExt;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base::{Code, Problem};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::json;
use warehouse::Progress;

use crate::caller::{known, peer};
use crate::place::{Place, Places};
use crate::serve::Site;
use crate::{advice, tools};

const INSTRUCTIONS: &str = "Answers questions about datasets with code that is run in a sandbox, checked and recorded. \
    Begin with list_datasets, then describe_dataset. ask_data answers plain questions and says how the answer is known; \
    where it refuses, write SQL for run_sql or Python for run_python. verify_answer recomputes a recorded run.";

/// Whoever calls tools, and the most it may do.
#[derive(Clone)]
struct Guest {
    place: Arc<Place>,
    scope: Scope,
}

/// The tools for one caller: known from the start on stdio, by its request over HTTP.
#[derive(Clone)]
pub struct Toolbox(Option<Guest>);

impl ServerHandler for Toolbox {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("assay", app::PROGRAM);
        info.instructions = Some(INSTRUCTIONS.to_string());
        info
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let of_request = || context.extensions.get::<axum::http::request::Parts>()?.extensions.get::<Guest>().cloned();
        let guest = self.0.clone().or_else(of_request);
        let guest = guest.ok_or_else(|| ErrorData::internal_error("nobody is known to call", None))?;
        let Some(needed) = tools::scope(&call.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", base::shown(&call.name)), None));
        };
        if guest.scope < needed {
            let problem = Problem::new(Code::Forbidden, format!("the token does not allow to {}", needed.as_str()))
                .hint("use one whose scope is wider");
            return Ok(refused(&problem).into());
        }
        let arguments = serde_json::Value::Object(call.arguments.unwrap_or_default());
        Ok(match tools::call(&guest.place, &call.name, arguments).await {
            Ok(said) => CallToolResult::structured(said).into(),
            Err(problem) => refused(&problem).into(),
        })
    }
}

/// What went wrong, and what to do about it.
fn refused(problem: &Problem) -> CallToolResult {
    let hint = advice::hint(problem);
    CallToolResult::structured_error(json!({ "code": problem.code_name(), "message": problem.message, "hint": hint }))
}

/// The door for assistants over HTTP: stateless, one JSON answer to one request.
pub fn service() -> StreamableHttpService<Toolbox, LocalSessionManager> {
    let mut config = StreamableHttpServerConfig::default();
    config.legacy_session_mode = false;
    config.json_response = true;
    // The outermost layer has looked at the Host header already, and knows where the server listens.
    StreamableHttpService::new(|| Ok(Toolbox(None)), Arc::default(), config.disable_allowed_hosts())
}

/// Finds out who calls before a tool is looked for.
pub async fn enter(State(site): State<Site>, mut request: Request, next: Next) -> Response {
    let bearer = match known(&site, request.method(), request.headers(), peer(request.extensions())).await {
        Ok(bearer) => bearer,
        Err(refusal) => return refusal.into_response(),
    };
    let place = match site.places.of(&bearer.owner).await {
        Ok(place) => place,
        Err(problem) => return crate::refusal::Refusal(problem).into_response(),
    };
    request.extensions_mut().insert(Guest { place, scope: bearer.scope });
    next.run(request.with_limited_body()).await
}

/// Serves tools on standard input and output until the other side hangs up.
pub async fn on_stdio(settings: Settings, progress: Progress) -> Result<(), Problem> {
    let places = Places::new(settings, progress);
    let place = places.of(LOCAL).await?;
    let broken = |error: String| Problem::new(Code::Internal, format!("the assistant cannot be spoken with: {error}"));
    let toolbox = Toolbox(Some(Guest { place, scope: Scope::Admin }));
    let served = match toolbox.serve(rmcp::transport::stdio()).await {
        Ok(serving) => serving.waiting().await.map(drop).map_err(|error| broken(error.to_string())),
        Err(error) => Err(broken(error.to_string())),
    };
    places.close().await;
    served
}
