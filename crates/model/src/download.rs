//! Fetches a large file over HTTP and goes on where it was cut, also in an earlier attempt.
//!
//! What comes is only counted here. Whether it is what it should be is decided by its digest, by whoever asked.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::time::Duration;

use reqwest::header::{CONTENT_RANGE, RANGE};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use tokio::time::{sleep, timeout};

use crate::client::{provide_cryptography, reason};

const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
const FIRST_BYTE_TIME_MAX: Duration = Duration::from_secs(30);
/// Between two pieces.
const IDLE_MAX: Duration = Duration::from_secs(30);
const REDIRECTS_MAX: usize = 5;
/// So often in a row without a byte.
const FAILURES_MAX: u32 = 4;
const PAUSE_FIRST: Duration = Duration::from_millis(250);

/// Why a file is not whole.
#[derive(Debug)]
pub enum DownloadError {
    /// Nothing came: what the address or the way to it said.
    Unreachable(String),
    /// It came in part, and then no more; what came is kept.
    Cut(String),
    /// It cannot be written.
    Disk(io::Error),
}

/// Fetches what `file` lacks of the `bytes` at `address`, and tells how many there are.
pub async fn download(
    address: &str,
    file: &mut File,
    bytes: u64,
    told: &mut (dyn FnMut(u64) + Send),
) -> Result<(), DownloadError> {
    let url = Url::parse(address).map_err(|error| DownloadError::Unreachable(error.to_string()))?;
    provide_cryptography();
    let client = Client::builder()
        .redirect(redirect::Policy::limited(REDIRECTS_MAX))
        // The environment is read in one place of the program, which is not here.
        .no_proxy()
        .connect_timeout(CONNECT_TIME_MAX)
        .user_agent(concat!("assay/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| DownloadError::Unreachable(reason(&error)))?;
    let had = file.seek(SeekFrom::End(0)).map_err(DownloadError::Disk)?;
    let mut failures = 0;
    loop {
        let before = file.seek(SeekFrom::End(0)).map_err(DownloadError::Disk)?;
        if before >= bytes {
            return Ok(());
        }
        let (why, is_hopeless) = match attempt(&client, &url, file, bytes, told).await {
            Ok(()) => ("the connection was closed".to_string(), false),
            Err(Trouble::Passing(why)) => (why, false),
            // Where nothing has come yet others may be asked instead, at once.
            Err(Trouble::Nobody(why)) => (why, before == had),
            Err(Trouble::Lasting(why)) => (why, true),
            Err(Trouble::Disk(error)) => return Err(DownloadError::Disk(error)),
        };
        let after = file.seek(SeekFrom::End(0)).map_err(DownloadError::Disk)?;
        failures = if after > before { 0 } else { failures + 1 };
        if after >= bytes {
            return Ok(());
        }
        if is_hopeless || failures >= FAILURES_MAX {
            return Err(if after > had { DownloadError::Cut(why) } else { DownloadError::Unreachable(why) });
        }
        sleep(PAUSE_FIRST * 2_u32.pow(failures)).await;
    }
}

enum Trouble {
    Passing(String),
    Nobody(String),
    Lasting(String),
    Disk(io::Error),
}

/// Asks once for what is missing, and appends what comes.
async fn attempt(
    client: &Client,
    url: &Url,
    file: &mut File,
    bytes: u64,
    told: &mut (dyn FnMut(u64) + Send),
) -> Result<(), Trouble> {
    let mut there = file.seek(SeekFrom::End(0)).map_err(Trouble::Disk)?;
    let request = client.get(url.clone());
    let request = if there > 0 { request.header(RANGE, format!("bytes={there}-")) } else { request };
    let sent = timeout(FIRST_BYTE_TIME_MAX, request.send()).await;
    let sent = sent.map_err(|_| Trouble::Passing("it does not answer".to_string()))?;
    let mut response = sent.map_err(|error| match error.is_connect() {
        true => Trouble::Nobody(reason(&error)),
        false => Trouble::Passing(reason(&error)),
    })?;
    if starts_over(&response, there)? {
        file.set_len(0).map_err(Trouble::Disk)?;
        there = 0;
    }
    if response.content_length().is_some_and(|length| there.saturating_add(length) != bytes) {
        return Err(Trouble::Lasting("what it has is of another size".to_string()));
    }
    file.seek(SeekFrom::Start(there)).map_err(Trouble::Disk)?;
    loop {
        let piece = timeout(IDLE_MAX, response.chunk()).await;
        let piece = piece.map_err(|_| Trouble::Passing("it falls silent".to_string()))?;
        let Some(piece) = piece.map_err(|error| Trouble::Passing(reason(&error)))? else { return Ok(()) };
        there += piece.len() as u64;
        if there > bytes {
            return Err(Trouble::Lasting("what it has is of another size".to_string()));
        }
        file.write_all(&piece).map_err(Trouble::Disk)?;
        told(there);
    }
}

/// Whether the answer begins at the first byte although a later one was asked for.
fn starts_over(response: &Response, there: u64) -> Result<bool, Trouble> {
    let status = response.status();
    let said = || format!("it answers with status {}", status.as_u16());
    match status {
        StatusCode::OK => Ok(there > 0),
        StatusCode::PARTIAL_CONTENT => {
            let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok()).unwrap_or_default();
            let from = range.strip_prefix("bytes ").and_then(|range| range.split('-').next()?.parse::<u64>().ok());
            match from == Some(there) {
                true => Ok(false),
                false => Err(Trouble::Lasting("it sends another part than was asked for".to_string())),
            }
        }
        _ if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => Err(Trouble::Passing(said())),
        _ => Err(Trouble::Lasting(said())),
    }
}
