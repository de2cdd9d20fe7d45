//! Asks a search engine that answers in SearXNG's JSON, once, within limits.
//!
//! Here because this crate speaks to strangers over HTTP already. What comes back is a stranger's word; whoever asked
//! decides which of it counts.

use std::time::Duration;

use reqwest::{Url, redirect};
use serde::Deserialize;
use tokio::time::timeout;

use crate::client::{provide_cryptography, reason};
use crate::endpoint::is_loopback;

const TIME_MAX: Duration = Duration::from_secs(15);
const BYTES_MAX: usize = 2 << 20;

/// A page that a search engine knows.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Hit {
    /// Where it is.
    pub url: String,
    /// What it is called.
    #[serde(default)]
    pub title: Option<String>,
    /// A passage of it.
    #[serde(default)]
    pub content: Option<String>,
    /// Its licence, where the engine says one.
    #[serde(default)]
    pub license: Option<String>,
}

impl Hit {
    /// The host that serves it.
    pub fn host(&self) -> Option<String> {
        let url = Url::parse(&self.url).ok()?;
        let is_page = matches!(url.scheme(), "http" | "https");
        url.host_str().filter(|_| is_page).map(str::to_string)
    }
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Hit>,
}

/// Whether an address may be one of a search engine: over TLS, or on this machine.
pub fn is_search_address(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| match url.scheme() {
        "https" => url.host_str().is_some(),
        "http" => url.host_str().is_some_and(is_loopback),
        _ => false,
    })
}

/// What the engine at `address` finds; else why it cannot be asked.
pub async fn search(address: &str, query: &str) -> Result<Vec<Hit>, String> {
    let failed = |why: String| format!("the search engine cannot be asked: {why}");
    let mut url = Url::parse(address).map_err(|error| failed(error.to_string()))?;
    url.query_pairs_mut().append_pair("q", query).append_pair("format", "json");
    provide_cryptography();
    let client = reqwest::Client::builder()
        // What the user named is asked, and nobody that it points to.
        .redirect(redirect::Policy::none())
        .no_proxy()
        .user_agent(concat!("assay/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| failed(reason(&error)))?;
    let fetch = async {
        let mut response = client.get(url).send().await.map_err(|error| failed(reason(&error)))?;
        if !response.status().is_success() {
            return Err(failed(format!("it answers with status {}", response.status().as_u16())));
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| failed(reason(&error)))? {
            body.extend_from_slice(&piece);
            if body.len() > BYTES_MAX {
                return Err(failed(format!("its answer has more than {BYTES_MAX} bytes")));
            }
        }
        Ok(body)
    };
    let body = timeout(TIME_MAX, fetch).await.map_err(|_| failed("it does not answer in time".to_string()))??;
    let answer: Answer =
        serde_json::from_slice(&body).map_err(|error| failed(format!("its answer is no JSON of results: {error}")))?;
    Ok(answer.results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_engine_is_reached_over_tls_or_on_this_machine() {
        for (address, is_one) in [
            ("https://search.example/search", true),
            ("http://127.0.0.1:8080/search", true),
            ("http://localhost/search", true),
            ("http://search.example/search", false),
            ("file:///etc/passwd", false),
            ("search.example", false),
        ] {
            assert_eq!(is_search_address(address), is_one, "{address}");
        }
    }

    #[test]
    fn only_pages_have_a_host() {
        let hit = |url: &str| Hit { url: url.into(), title: None, content: None, license: None };
        assert_eq!(hit("https://docs.example/a").host().as_deref(), Some("docs.example"));
        assert_eq!(hit("javascript:alert(1)").host(), None);
        assert_eq!(hit("ftp://docs.example/a").host(), None);
    }
}
