//! Taking connections: how many there may be, and how long one may take to say what it wants.
//!
//! A caller that says nothing, or says it a byte at a time, costs a connection for a while and nothing else.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// More connections wait in the system's own queue.
const CONNECTIONS_MAX: usize = 4_096;
/// How long a request's head may take to come, and how long a connection may say nothing between requests.
const HEAD_TIME_MAX: Duration = Duration::from_secs(15);
/// How large a request's head may be.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// How long it is waited after a connection could not be taken, because nothing more can be opened.
const PAUSE: Duration = Duration::from_millis(100);
/// How long answers that are under way may take to their end when the server is to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// Takes connections until it is over; then lets what is under way end, for a moment.
pub async fn take(listener: TcpListener, router: Router, mut over: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
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
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let (router, over) = (router.clone(), over.clone());
        connections.spawn(async move {
            let _place = place;
            serve(stream, router, over).await;
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(PATIENCE, async { while connections.join_next().await.is_some() {} }).await;
    connections.shutdown().await;
}

async fn serve(stream: TcpStream, router: Router, mut over: watch::Receiver<bool>) {
    // Events are small and are to be seen at once.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME_MAX).max_buf_size(HEAD_BYTES_MAX);
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    // What goes wrong with one connection concerns nobody else.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = over.wait_for(|over| *over) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
