//! What planning looks up in, kept for the datasets that were asked last: a process that stays does not prepare the same
//! version again for each question.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use base::Hash;
use planner::Index;

use crate::versions::Prepared;

/// How many datasets' indexes are kept; the one that was not asked for longest leaves.
const KEPT_MAX: usize = 8;

/// The indexes that were made in this process.
#[derive(Default)]
pub struct Indexes {
    /// The latest used last.
    kept: Mutex<VecDeque<(Key, Arc<Slot>)>>,
}

/// Equal contents under another name are another dataset to plan over.
#[derive(Clone, PartialEq, Eq)]
struct Key {
    id: String,
    version: Hash,
    prepared: String,
}

/// Made by the first who needs it; whoever comes meanwhile waits for that.
type Slot = OnceLock<Arc<Index>>;

impl Indexes {
    /// The index of a prepared dataset, made on first need. Blocks while it is made.
    pub fn of(&self, prepared: &Prepared) -> Arc<Index> {
        let key = Key {
            id: prepared.dataset.id.clone(),
            version: prepared.dataset.version.clone(),
            prepared: prepared.name.clone(),
        };
        self.slot(key).get_or_init(|| Arc::new(prepared.make_index())).clone()
    }

    fn slot(&self, key: Key) -> Arc<Slot> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = match kept.iter().position(|(known, _)| *known == key) {
            Some(place) => kept.remove(place).map(|(_, slot)| slot).unwrap_or_default(),
            None => Arc::default(),
        };
        kept.push_back((key, slot.clone()));
        if kept.len() > KEPT_MAX {
            kept.pop_front();
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: &str) -> Key {
        Key { id: id.to_string(), version: Hash::of(b"v"), prepared: "v-1".to_string() }
    }

    #[test]
    fn the_same_dataset_finds_its_index_until_others_were_asked() {
        let indexes = Indexes::default();
        let first = indexes.slot(key("a"));
        assert!(Arc::ptr_eq(&first, &indexes.slot(key("a"))));
        assert!(!Arc::ptr_eq(&first, &indexes.slot(key("b"))));
        for number in 0..KEPT_MAX {
            indexes.slot(key("a"));
            indexes.slot(key(&number.to_string()));
        }
        assert!(Arc::ptr_eq(&first, &indexes.slot(key("a"))), "what is used stays");
        (0..KEPT_MAX).for_each(|number| drop(indexes.slot(key(&number.to_string()))));
        assert!(!Arc::ptr_eq(&first, &indexes.slot(key("a"))), "what is not used leaves");
    }
}
