//! Which prepared datasets have to go. A function of what there is; nothing is removed here.

use std::time::SystemTime;

/// One prepared dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name of its folder.
    pub name: String,
    /// What it takes.
    pub bytes: u64,
    /// When it was last wanted.
    pub used: SystemTime,
    /// Whether this program's ingest made it: no other form is looked for any more.
    pub is_current: bool,
    /// Whether it is all that is left of an added dataset.
    pub is_irreplaceable: bool,
}

/// What has to go, in this order: what an older ingest made, then what was not wanted for longest, until the rest fits.
/// What somebody uses at that moment is skipped by who removes; so `gone` is asked for each whether it went.
pub fn evict(mut entries: Vec<Entry>, bytes_max: u64, mut gone: impl FnMut(&Entry) -> bool) {
    entries.sort_by(|one, other| (one.used, &one.name).cmp(&(other.used, &other.name)));
    let mut bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
    let (stale, current): (Vec<Entry>, Vec<Entry>) =
        entries.into_iter().filter(|entry| !entry.is_irreplaceable).partition(|entry| !entry.is_current);
    for entry in &stale {
        if gone(entry) {
            bytes -= entry.bytes;
        }
    }
    for entry in &current {
        if bytes > bytes_max && gone(entry) {
            bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    fn entry(name: &str, bytes: u64, used: u64) -> Entry {
        let used = UNIX_EPOCH + Duration::from_secs(used);
        Entry { name: name.into(), bytes, used, is_current: true, is_irreplaceable: false }
    }

    fn evicted(entries: &[Entry], bytes_max: u64, busy: &[&str]) -> Vec<String> {
        let mut names = Vec::new();
        evict(entries.to_vec(), bytes_max, |entry| {
            let goes = !busy.contains(&entry.name.as_str());
            names.extend(goes.then(|| entry.name.clone()));
            goes
        });
        names
    }

    #[test]
    fn what_was_not_wanted_for_longest_goes_first_and_no_more_than_must() {
        let entries = [entry("new", 40, 3), entry("old", 40, 1), entry("middle", 40, 2)];
        assert!(evicted(&entries, 120, &[]).is_empty());
        assert_eq!(evicted(&entries, 119, &[]), ["old"]);
        assert_eq!(evicted(&entries, 79, &[]), ["old", "middle"]);
        assert_eq!(evicted(&entries, 0, &[]), ["old", "middle", "new"]);
    }

    #[test]
    fn what_is_in_use_stays_and_the_next_goes() {
        let entries = [entry("a", 40, 1), entry("b", 40, 2), entry("c", 40, 3)];
        assert_eq!(evicted(&entries, 80, &["a"]), ["b"]);
        assert_eq!(evicted(&entries, 40, &["a", "c"]), ["b"]);
    }

    #[test]
    fn what_an_older_ingest_made_goes_also_where_there_is_room() {
        let stale = |name: &str| Entry { is_current: false, ..entry(name, 40, 9) };
        let kept = Entry { is_irreplaceable: true, ..stale("kept") };
        assert_eq!(evicted(&[entry("a", 40, 1), stale("s"), kept], 1000, &[]), ["s"]);
    }

    #[test]
    fn what_cannot_be_made_again_never_goes() {
        let only = Entry { is_irreplaceable: true, ..entry("only", 500, 0) };
        assert_eq!(evicted(&[only, entry("a", 40, 1)], 0, &[]), ["a"]);
    }
}
