//! Where a model is and how long it may take: what a caller hands in to [`connect`].

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use base::{Code, Problem};
use reqwest::Url;

use crate::client::Client;
use crate::connections::Connections;
use crate::{Model, Secret, Wire};

/// A model at an address.
#[derive(Clone)]
pub struct Endpoint {
    /// The name as the user gave it; problems begin with it.
    pub name: String,
    /// What the server speaks.
    pub wire: Wire,
    /// The name by which the server knows the model.
    pub model: String,
    /// The address that the wire's path is put behind: with `/v1` for Responses and Chat, without it for Messages.
    pub base_url: String,
    /// What the server wants to see, if anything.
    pub key: Option<Secret>,
    /// Whether prompts and key may cross a network unencrypted; on this machine they always may.
    pub allow_http: bool,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the address as it was given, which may hold a password.
        let address = Url::parse(&self.base_url).map(|url| url.origin().ascii_serialization());
        out.debug_struct("Endpoint")
            .field("name", &self.name)
            .field("wire", &self.wire)
            .field("model", &self.model)
            .field("base_url", &address.unwrap_or_default())
            .field("key", &self.key)
            .field("allow_http", &self.allow_http)
            .finish()
    }
}

/// How long a reply may take and how large it may grow.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// From asking to the first byte of an answer, for each try.
    pub first_byte: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// For all tries and the pauses between them.
    pub whole: Duration,
    /// How often a request is sent at most.
    pub tries_max: u32,
    /// The first pause between two tries; each is twice the one before.
    pub pause_first: Duration,
    /// The longest pause. A provider that asks for more is not waited for.
    pub pause_max: Duration,
    /// The most that is kept of a reply; what is longer is cut there.
    pub reply_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(120),
            whole: Duration::from_secs(600),
            tries_max: 4,
            pause_first: Duration::from_millis(200),
            pause_max: Duration::from_secs(30),
            reply_bytes_max: 4 << 20,
        }
    }
}

/// A model behind a wire. Nothing is sent before the first request.
pub fn connect(endpoint: Endpoint, limits: Limits, connections: &Connections) -> Result<Box<dyn Model>, Problem> {
    let url = address(&endpoint)?;
    Ok(Box::new(Client::new(endpoint, url, limits, connections)?))
}

/// The address requests go to. The message never repeats the address as a whole: it may hold a password.
fn address(endpoint: &Endpoint) -> Result<Url, Problem> {
    let invalid =
        |why: String| Problem::new(Code::SettingInvalid, format!("the base URL of `{}` {why}", endpoint.name));
    let base = endpoint.base_url.trim().trim_end_matches('/');
    let mut url = Url::parse(base).map_err(|error| invalid(format!("is none: {error}")))?;
    // Not joined as text before it is known to be an address: the path would then be taken for a missing host.
    let path = format!("{}{}", url.path().trim_end_matches('/'), endpoint.wire.path());
    let Some(host) = url.host_str() else { return Err(invalid("names no host".into())) };
    if !url.username().is_empty() || url.password().is_some() || base.contains(['?', '#']) {
        let hint = "give the key as the model's key; it is then never shown";
        return Err(invalid("holds more than an address".into()).hint(hint));
    }
    match url.scheme() {
        "https" => {}
        "http" if endpoint.allow_http || is_loopback(host) => {}
        "http" => {
            let why = format!("sends prompts and key unencrypted to `{}`", base::shown(host));
            return Err(invalid(why).hint("use https://, or allow http in the model's settings"));
        }
        _ => return Err(invalid("begins with neither https:// nor http://".into())),
    }
    url.set_path(&path);
    Ok(url)
}

pub(crate) fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(base_url: &str, allow_http: bool) -> Endpoint {
        let key = Some(Secret::new("canary"));
        Endpoint { name: "n".into(), wire: Wire::Chat, model: "m".into(), base_url: base_url.into(), key, allow_http }
    }

    #[test]
    fn unencrypted_addresses_are_for_this_machine() {
        let taken = |base_url: &str, allow_http| address(&endpoint(base_url, allow_http)).is_ok();
        for base_url in
            ["http://localhost:1/v1", "http://127.0.0.1", "http://127.9.9.9/", "http://[::1]:8/v1", "https://h/v1"]
        {
            assert!(taken(base_url, false), "{base_url}");
        }
        for base_url in
            ["http://h/v1", "http://10.0.0.1", "http://localhost.h", "http://127.0.0.1.h", "http://127.0.0.1@h/"]
        {
            assert!(!taken(base_url, false), "{base_url}");
        }
        assert!(taken("http://h/v1", true));
        let url = address(&endpoint("https://h/v1/", false)).expect("an address");
        assert_eq!(url.as_str(), "https://h/v1/chat/completions");
    }

    #[test]
    fn what_is_no_address_is_refused_without_repeating_it() {
        for base_url in
            ["", "h/v1", "ftp://h", "https://canary@h", "https://u:canary@h", "https://h?key=canary", "https://"]
        {
            let problem = address(&endpoint(base_url, true)).expect_err(base_url);
            assert_eq!(problem.code, Code::SettingInvalid, "{base_url}");
            assert!(!format!("{problem:?} {:?}", endpoint(base_url, true)).contains("canary"), "{problem:?}");
        }
    }
}
