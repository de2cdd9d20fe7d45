//! A look at runs that must not disturb: for a shell that completes a word while somebody types.
//!
//! Nothing is made, changed or waited for. A store that is not there, is of another version, or is held by somebody who
//! changes it shows nothing.

use std::path::Path;
use std::time::Duration;

use crate::lock::StoreLock;
use crate::open::{self, Access, Places};
use crate::record::RunSummary;
use crate::schema::{self, Standing};
use crate::{Filter, list};

/// Longer, and who types notices.
const TIME_MAX: Duration = Duration::from_millis(300);

/// The newest runs that the filter lets through, or none.
pub async fn glance(data_dir: &Path, filter: &Filter, limit: usize) -> Vec<RunSummary> {
    let (data_dir, filter) = (data_dir.to_path_buf(), filter.clone());
    let looking = tokio::task::spawn_blocking(move || look(&data_dir, &filter, limit));
    tokio::time::timeout(TIME_MAX, looking).await.ok().and_then(Result::ok).flatten().unwrap_or_default()
}

fn look(data_dir: &Path, filter: &Filter, limit: usize) -> Option<Vec<RunSummary>> {
    let places = Places::below(data_dir).ok()?;
    let lock = data_dir.join("store.lock");
    if !places.database.is_file() || !lock.is_file() {
        return None;
    }
    let lock = StoreLock::open(&lock).ok()?;
    if !lock.try_shared().ok()? {
        return None;
    }
    let connection = open::connect(&places.database, Access::Read).ok()?;
    if schema::standing(&connection, &places.database).ok()? != Standing::Current {
        return None;
    }
    list::page(&connection, filter, limit).ok().map(|page| page.runs)
}
