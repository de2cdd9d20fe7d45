//! The server: its addresses, its doors, and its end.

use std::future::Future;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use app::Settings;
use app::telemetry::Exported;
use app::tokens::LOCAL;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use base::{Action, Code, Problem};
use tokio::net::TcpListener;
use tokio::sync::watch;
use warehouse::Progress;

use crate::doors::Takes;
use crate::guesses::Guesses;
use crate::place::{Place, Places};
use crate::{doors, listening, mcp, outer, web};

/// How to serve.
#[derive(Clone)]
pub struct Options {
    /// Where to listen; port 0 picks one.
    pub listen: SocketAddr,
    /// Whether a token is needed even if none was ever made.
    pub require_token: bool,
    /// Names by which others reach it, through a proxy.
    pub hosts: Vec<String>,
    /// What becomes of spans, where they are sent to a collector.
    pub spans: Option<Arc<Exported>>,
}

/// A server that listens and does not answer yet.
pub struct Server {
    listener: TcpListener,
    site: Site,
}

/// What every door is lent. Cheap to clone.
#[derive(Clone)]
pub struct Site(Arc<Inside>);

/// See [`Site`].
pub struct Inside {
    /// Where it listens.
    pub address: SocketAddr,
    /// Names by which others reach it, through a proxy.
    pub hosts: Vec<String>,
    /// What every owner made.
    pub places: Places,
    /// The place of whoever runs the server, where tokens are kept.
    pub local: Arc<Place>,
    /// What becomes of spans, where they are sent to a collector.
    pub spans: Option<Arc<Exported>>,
    /// Who sent wrong tokens lately.
    pub guesses: Guesses,
    require_token: bool,
    /// Whether there ever was a token, once that is known: it stays so.
    has_tokens: AtomicBool,
}

impl Deref for Site {
    type Target = Inside;

    fn deref(&self) -> &Inside {
        &self.0
    }
}

impl Inside {
    /// Whether a caller needs a token: always, once there ever was one.
    pub async fn needs_token(&self) -> Result<bool, Problem> {
        if self.require_token || self.has_tokens.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let has_tokens = self.local.app.store().await?.has_tokens().await?;
        self.has_tokens.store(has_tokens, Ordering::Relaxed);
        Ok(has_tokens)
    }
}

impl Server {
    /// Listens, and opens the store. What answers others than this machine needs a token.
    pub async fn listen(settings: Settings, progress: Progress, options: &Options) -> Result<Server, Problem> {
        let taken = |error: std::io::Error| {
            Problem::new(Code::Usage, format!("cannot listen on {}: {error}", options.listen))
                .hint("choose another address, or port 0 for any that is free")
        };
        let places = Places::new(settings, progress);
        let local = places.of(LOCAL).await?;
        let is_for_others = !options.listen.ip().is_loopback() || !options.hosts.is_empty();
        if is_for_others && !local.app.store().await?.has_tokens().await? {
            places.close().await;
            return Err(Problem::new(Code::TokenInvalid, "others than this machine are to be served")
                .hint("make a token first: whoever reaches the server could ask for anything without one")
                .action(Action::MakeToken));
        }
        // Every reader of events is an open file.
        let _ = sandbox::allow_more_files();
        let listener = TcpListener::bind(options.listen).await.map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        places.reopen().await?;
        let require_token = options.require_token;
        let (hosts, spans, guesses) = (options.hosts.clone(), options.spans.clone(), Guesses::default());
        let has_tokens = AtomicBool::new(false);
        let inside = Inside { address, hosts, places, local, spans, guesses, require_token, has_tokens };
        Ok(Server { listener, site: Site(Arc::new(inside)) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.site.address
    }

    /// Whether everybody on this machine may do everything.
    pub async fn is_open(&self) -> Result<bool, Problem> {
        Ok(!self.site.needs_token().await?)
    }

    /// Serves until `stop` comes back; then it takes no request any more, hands back what is not finished, and ends.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), Problem> {
        let Server { listener, site } = self;
        let (tell, told) = watch::channel(false);
        let connections = site.places.limits().connections;
        let taking = tokio::spawn(listening::take(listener, router(site.clone()), connections, told));
        stop.await;
        let _ = tell.send(true);
        site.places.close().await;
        let _ = taking.await;
        Ok(())
    }
}

fn router(site: Site) -> Router {
    let assistants =
        Router::new().route_service("/mcp", mcp::service()).layer(from_fn_with_state(site.clone(), mcp::enter));
    let mut router = Router::new().merge(assistants);
    let limits = site.places.limits();
    for door in doors::all() {
        let serve = match door.takes {
            Takes::Files => door.serve.layer(DefaultBodyLimit::max(limits.upload_bytes)),
            _ => door.serve,
        };
        router = router.route(door.path, serve);
    }
    router
        .route("/ui/{hash}/{*path}", get(web::asset))
        .fallback(web::index)
        .layer(DefaultBodyLimit::max(limits.body_bytes))
        .layer(from_fn_with_state(site.clone(), outer::outer))
        .with_state(site)
}
