//! Connections to servers, shared by all models of a process: what the first one reads and agrees on, the next need not.
//!
//! Reading the machine's certificates takes longer than all else that is done for a turn, so it is done once, and not at all
//! where nothing is encrypted.

use std::sync::{Arc, OnceLock};

use reqwest::{Client, Url, redirect};

use crate::client::provide_cryptography;

/// Where connections are kept.
#[derive(Clone, Debug, Default)]
pub struct Connections {
    plain: Arc<OnceLock<Client>>,
    encrypted: Arc<OnceLock<Client>>,
}

impl Connections {
    /// What connects to that address.
    pub(crate) fn to(&self, url: &Url) -> Result<Client, reqwest::Error> {
        let is_plain = url.scheme() == "http";
        let kept = if is_plain { &self.plain } else { &self.encrypted };
        if let Some(client) = kept.get() {
            return Ok(client.clone());
        }
        let made = made(is_plain)?;
        Ok(kept.get_or_init(|| made).clone())
    }
}

fn made(is_plain: bool) -> Result<Client, reqwest::Error> {
    provide_cryptography();
    let builder = Client::builder()
        // A key goes to the host it was given for and to no other.
        .redirect(redirect::Policy::none())
        // The environment is read in one place of the program, which is not here.
        .no_proxy()
        .user_agent(concat!("assay/", env!("CARGO_PKG_VERSION")));
    // Whom nothing is encrypted for shows no certificate.
    if is_plain { builder.tls_certs_only([]).build() } else { builder.build() }
}
