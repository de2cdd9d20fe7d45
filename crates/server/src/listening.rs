//! Taking connections: how many there may be, and how long one may take to say what it wants.
//!
//! A caller that says nothing, or says it a byte at a time, costs a connection for a while and nothing else.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// How long a request's head may take to come, and how long a connection may say nothing between requests.
const HEAD_TIME_MAX: Duration = Duration::from_secs(15);
/// How large a request's head may be.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// How long it is waited after a connection could not be taken, because nothing more can be opened.
const PAUSE: Duration = Duration::from_millis(100);
/// How long answers that are under way may take to their end when the server is to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whose connection a request came on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

/// The router, for requests of one connection.
struct Told {
    router: TowerToHyperService<Router>,
    peer: Peer,
}

impl Service<Request<Incoming>> for Told {
    type Response = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Response;
    type Error = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Error;
    type Future = <TowerToHyperService<Router> as Service<Request<Incoming>>>::Future;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.peer);
        self.router.call(request)
    }
}

/// Takes connections until it is over; then lets what is under way end, for a moment. More than so many wait in the system's
/// own queue.
pub async fn take(listener: TcpListener, router: Router, connections_max: usize, mut over: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(connections_max));
    let mut connections = JoinSet::new();
    loop {
        let coming = async {
            let place = places.clone().acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            came = coming => came,
            _ = over.wait_for(|over| *over) => break,
        };
        while connections.try_join_next().is_some() {}
        let Ok((stream, from)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let (router, over) = (router.clone(), over.clone());
        connections.spawn(async move {
            let _place = place;
            let router = TowerToHyperService::new(router);
            serve(stream, Told { router, peer: Peer(from.ip()) }, over).await;
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(PATIENCE, async { while connections.join_next().await.is_some() {} }).await;
    connections.shutdown().await;
}

async fn serve(stream: TcpStream, told: Told, mut over: watch::Receiver<bool>) {
    // Events are small and are to be seen at once.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME_MAX).max_buf_size(HEAD_BYTES_MAX);
    let connection = http.serve_connection(TokioIo::new(stream), told);
    let mut connection = std::pin::pin!(connection);
    // What goes wrong with one connection concerns nobody else.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = over.wait_for(|over| *over) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
