//! Who sends wrong tokens, and when it is heard again. Each costs its sender a pause; whoever sends many is not listened to at
//! all for a while, or closing the connection and asking again would cost less than waiting. Who has shown a right token
//! before is always listened to, for many people may share an address behind a proxy.
//!
//! Both tables are bounded: who fills them makes this forget, never grow.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base::Hash;

/// So many wrong tokens an address may send before it is not listened to.
const WRONG_MAX: f64 = 20.0;
/// After so long, one of them is forgotten.
const FORGOTTEN_EVERY: Duration = Duration::from_secs(3);
/// How many addresses are remembered.
const ADDRESSES_MAX: usize = 1_024;
/// How many right tokens.
const TOKENS_MAX: usize = 1_024;

/// What is remembered of tokens that were sent.
#[derive(Debug, Default)]
pub struct Guesses(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    wrong: HashMap<IpAddr, (f64, Instant)>,
    right: HashMap<Hash, Instant>,
}

impl Guesses {
    /// How long a caller has to wait before a token of its is looked at; none where it is looked at now.
    pub fn wait(&self, from: IpAddr, token: &str, now: Instant) -> Option<Duration> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let left = seen.left(network(from), now);
        if left < WRONG_MAX || seen.right.contains_key(&digest(token)) {
            return None;
        }
        Some(FORGOTTEN_EVERY.mul_f64(left - WRONG_MAX + 1.0))
    }

    /// A token was wrong.
    pub fn wrong(&self, from: IpAddr, now: Instant) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let network = network(from);
        let left = seen.left(network, now);
        if seen.wrong.len() >= ADDRESSES_MAX && !seen.wrong.contains_key(&network) {
            forget_oldest(&mut seen.wrong, |(_, at)| *at);
        }
        // No more than can be forgotten in a minute: who comes back later is not punished for ever.
        seen.wrong.insert(network, ((left + 1.0).min(2.0 * WRONG_MAX), now));
    }

    /// A token was right.
    pub fn right(&self, token: &str, now: Instant) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.right.len() >= TOKENS_MAX {
            forget_oldest(&mut seen.right, |at| *at);
        }
        seen.right.insert(digest(token), now);
    }
}

impl Seen {
    /// How many wrong tokens of a network are not forgotten yet.
    fn left(&self, network: IpAddr, now: Instant) -> f64 {
        let Some((wrong, at)) = self.wrong.get(&network) else { return 0.0 };
        let forgotten = now.saturating_duration_since(*at).as_secs_f64() / FORGOTTEN_EVERY.as_secs_f64();
        (wrong - forgotten).max(0.0)
    }
}

/// Whoever has one address of the sixth version has all that share its first half.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() & (u128::MAX << 64)).into()),
        address => address,
    }
}

fn digest(token: &str) -> Hash {
    Hash::of(token.as_bytes())
}

fn forget_oldest<K: Clone + Eq + std::hash::Hash, V>(table: &mut HashMap<K, V>, at: impl Fn(&V) -> Instant) {
    let oldest = table.iter().min_by_key(|(_, value)| at(value)).map(|(key, _)| key.clone());
    if let Some(oldest) = oldest {
        table.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_guesses_is_not_listened_to_for_a_while_and_nobody_else_suffers() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        let [one, other] = ["2001:db8::1", "2001:db8:0:1::1"].map(|text| text.parse::<IpAddr>().expect("an address"));
        guesses.right("mine", now);
        for number in 0..20 {
            assert_eq!(guesses.wait(one, "guess", now), None, "{number}");
            guesses.wrong(one, now);
        }
        assert_eq!(guesses.wait(one, "guess", now), Some(FORGOTTEN_EVERY));
        assert_eq!(guesses.wait("2001:db8::2".parse().expect("an address"), "guess", now), Some(FORGOTTEN_EVERY));
        assert_eq!((guesses.wait(other, "guess", now), guesses.wait(one, "mine", now)), (None, None));
        (0..1_000).for_each(|_| guesses.wrong(one, now));
        assert_eq!(guesses.wait(one, "guess", now), Some(FORGOTTEN_EVERY * 21));
        assert_eq!(guesses.wait(one, "guess", now + FORGOTTEN_EVERY * 21), None);
    }

    #[test]
    fn no_flood_of_addresses_makes_it_grow() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        for number in 0..5_000_u32 {
            guesses.wrong(IpAddr::V4(number.into()), now + Duration::from_millis(number.into()));
            guesses.right(&number.to_string(), now);
        }
        let seen = guesses.0.lock().expect("no test panics with it");
        assert_eq!((seen.wrong.len(), seen.right.len()), (ADDRESSES_MAX, TOKENS_MAX));
        assert!(seen.wrong.contains_key(&IpAddr::V4(4_999.into())));
    }
}
