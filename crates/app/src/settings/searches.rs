//! `[search.web]` and `[search.files]` of the user's own file: where models may look something up. Nowhere unless it is said.
//!
//! ```toml
//! [search.web]
//! url = "http://127.0.0.1:8888/search"                            # answers in SearXNG's JSON
//! hosts = { "docs.python.org" = "PSF-2.0", "example.org" = "" }    # whose pages count, and their licence where one is known
//!
//! [search.files]
//! folders = ["~/notes"]
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;

use base::Problem;
use serde::Deserialize;
use tasks::{LICENCES, Searches, WebSearch};

use super::models::Surroundings;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    web: Option<Web>,
    files: Option<Files>,
    licences: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Web {
    url: String,
    hosts: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Files {
    folders: Vec<PathBuf>,
}

/// What the table says.
pub(super) fn searches(table: toml::Value, around: &Surroundings<'_>) -> Result<Searches, Problem> {
    let invalid = |message: &str| around.invalid(&format!("[search]: {message}"));
    let Table { web, files, licences } = table.try_into().map_err(|error: toml::de::Error| {
        invalid(error.message()).hint(
            "write [search.web] with `url` and `hosts` (a table of hosts and licences), [search.files] with `folders`; \
             `licences` may stand in [search]",
        )
    })?;
    let web = web.map(|Web { url, hosts }| {
        if !model::search::is_search_address(&url) {
            return Err(invalid(&format!("`{url}` is no address of a search engine"))
                .hint("use an https:// address, or http:// on this machine"));
        }
        if hosts.is_empty() {
            return Err(invalid("`hosts` is empty, so no result would count")
                .hint("write the hosts whose pages may be shown, such as { \"docs.python.org\" = \"PSF-2.0\" }"));
        }
        let hosts =
            hosts.into_iter().map(|(host, licence)| (host.to_lowercase(), Some(licence).filter(|one| !one.is_empty())));
        Ok(WebSearch { url, hosts: hosts.collect() })
    });
    let folders: Vec<PathBuf> = files.map(|files| files.folders).unwrap_or_default();
    Ok(Searches {
        web: web.transpose()?,
        folders: folders.iter().map(|folder| around.path(folder)).collect(),
        licences: licences.unwrap_or_else(|| LICENCES.iter().map(|one| one.to_string()).collect()),
    })
}
