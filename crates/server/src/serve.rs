//! The server: its addresses, its doors, and its end.

use std::future::Future;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use app::Settings;
use app::tokens::LOCAL;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use base::{Action, Code, Problem};
use tokio::net::TcpListener;
use tokio::sync::watch;
use warehouse::Progress;

use crate::metrics::Counters;
use crate::place::{Place, Places};
use crate::{doors, listening, mcp, outer, web};

/// More in one body is refused, but where files are taken.
pub const BODY_BYTES_MAX: usize = 1 << 20;

/// How to serve.
#[derive(Clone)]
pub struct Options {
    /// Where to listen; port 0 picks one.
    pub listen: SocketAddr,
    /// Whether a token is needed even if none was ever made.
    pub require_token: bool,
    /// Names by which others reach it, through a proxy.
    pub hosts: Vec<String>,
    /// Who is told of every request: one JSON object on one line. Must not block.
    pub log: Option<Log>,
}

/// Takes lines of a log.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

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
    /// What was counted since the start.
    pub counters: Counters,
    /// Who is told of every request, if anybody.
    pub log: Option<Log>,
    require_token: bool,
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
        Ok(self.require_token || self.local.app.store().await?.has_tokens().await?)
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
        let (counters, log) = (Counters::default(), options.log.clone());
        let hosts = options.hosts.clone();
        let inside = Inside { address, hosts, places, local, counters, log, require_token };
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
        let taking = tokio::spawn(listening::take(listener, router(site.clone()), told));
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
    for door in doors::all() {
        router = router.route(door.path, door.serve);
    }
    router
        .route("/ui/{hash}/{*path}", get(web::asset))
        .fallback(web::index)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(from_fn_with_state(site.clone(), outer::outer))
        .with_state(site)
}
