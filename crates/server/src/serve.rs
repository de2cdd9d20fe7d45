//! The server: its addresses, its doors, and its end.

use std::future::Future;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use app::App;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use base::{Code, Problem};
use flow::Worker;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::place::Place;
use crate::{chat, datasets, health, outer, runs, web};

/// More in one body is refused, but where files are taken.
const BODY_BYTES_MAX: usize = 1 << 20;

/// How to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen; port 0 picks one.
    pub listen: SocketAddr,
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
    /// The place of whoever runs the server.
    pub local: Arc<Place>,
}

impl Deref for Site {
    type Target = Inside;

    fn deref(&self) -> &Inside {
        &self.0
    }
}

impl Server {
    /// Listens, and opens the store.
    pub async fn listen(app: App, options: &Options) -> Result<Server, Problem> {
        let taken = |error: std::io::Error| {
            Problem::new(Code::Usage, format!("cannot listen on {}: {error}", options.listen))
                .hint("choose another address, or port 0 for any that is free")
        };
        let listener = TcpListener::bind(options.listen).await.map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        let local = Arc::new(Place { app });
        local.runs().await?;
        Ok(Server { listener, site: Site(Arc::new(Inside { address, local })) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.site.address
    }

    /// Serves until `stop` comes back; then it takes no request any more, hands back what is not finished, and ends.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), Problem> {
        let Server { listener, site } = self;
        let (tell, told) = watch::channel(false);
        let working = tokio::spawn(work(site.local.clone(), told.clone()));
        let router = router(site.clone());
        let mut ending = told.clone();
        let serving = axum::serve(listener, router).with_graceful_shutdown(async move {
            let _ = ending.wait_for(|over| *over).await;
        });
        let serving = tokio::spawn(serving.into_future());
        stop.await;
        let _ = tell.send(true);
        let _ = working.await;
        site.local.app.engine().await?.hand_back().await;
        // Streams that nobody ends would keep the server for ever.
        serving.abort();
        site.local.app.close().await;
        Ok(())
    }
}

/// Works on runs that wait: what an earlier server left, and what was queued.
async fn work(place: Arc<Place>, mut stop: watch::Receiver<bool>) {
    let slots = std::thread::available_parallelism().map_or(1, usize::from);
    let Ok(engine) = place.app.engine().await else { return };
    let stop = async move { drop(stop.wait_for(|over| *over).await) };
    let _ = engine.work_queue(&place.app.context, Worker { slots, until_idle: false }, stop, |_| {}).await;
}

fn router(site: Site) -> Router {
    let api = Router::new()
        .route("/health", get(health::live))
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready))
        .route("/datasets", get(datasets::list))
        .route("/datasets/{id}", get(datasets::show))
        .route("/datasets/{id}/schema", get(datasets::schema))
        .route("/datasets/{id}/profile", get(datasets::profile))
        .route("/chat", post(chat::chat))
        .route("/chat/stream", post(chat::chat_stream))
        .route("/runs", get(runs::list))
        .route("/runs/{id}", get(runs::show))
        .route("/runs/{id}/status", get(runs::status))
        .route("/runs/{id}/events", get(runs::events))
        .route("/runs/{id}/artifacts/{*name}", get(runs::artifact))
        .route("/runs/{id}/capsule", get(runs::capsule))
        .route("/runs/{id}/chart.svg", get(runs::chart))
        .route("/runs/{id}/cancel", post(runs::cancel));
    api.route("/ui/{hash}/{*path}", get(web::asset))
        .fallback(web::index)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(from_fn_with_state(site.clone(), outer::outer))
        .with_state(site)
}
