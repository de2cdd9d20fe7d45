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
    /// Whether a token is looked at now; if not, how long its sender has to wait. It counts as a wrong one until it was
    /// found to be right, so that many that are sent together are not all looked at.
    pub fn admit(&self, from: IpAddr, token: &str, now: Instant) -> Result<(), Duration> {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let network = network(from);
        let left = seen.left(network, now);
        if seen.right.contains_key(&digest(token)) {
            return Ok(());
        }
        if left >= WRONG_MAX {
            return Err(FORGOTTEN_EVERY.mul_f64(left - WRONG_MAX + 1.0));
        }
        if seen.wrong.len() >= ADDRESSES_MAX && !seen.wrong.contains_key(&network) {
            forget_oldest(&mut seen.wrong, |(_, at)| *at);
        }
        seen.wrong.insert(network, (left + 1.0, now));
        Ok(())
    }

    /// A token was right.
    pub fn right(&self, from: IpAddr, token: &str, now: Instant) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let token = digest(token);
        if !seen.right.contains_key(&token) {
            if let Some((wrong, _)) = seen.wrong.get_mut(&network(from)) {
                *wrong = (*wrong - 1.0).max(0.0);
            }
            if seen.right.len() >= TOKENS_MAX {
                forget_oldest(&mut seen.right, |at| *at);
            }
        }
        seen.right.insert(token, now);
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
        let [one, beside, other] =
            ["2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"].map(|text| text.parse::<IpAddr>().expect("an address"));
        assert_eq!(guesses.admit(one, "mine", now), Ok(()));
        guesses.right(one, "mine", now);
        for number in 0..20 {
            assert_eq!(guesses.admit(one, "guess", now), Ok(()), "{number}");
        }
        for (from, token, expected) in [
            (one, "guess", Err(FORGOTTEN_EVERY)),
            (beside, "guess", Err(FORGOTTEN_EVERY)),
            (one, "right, but never seen", Err(FORGOTTEN_EVERY)),
            (one, "mine", Ok(())),
            (other, "guess", Ok(())),
        ] {
            assert_eq!(guesses.admit(from, token, now), expected, "{from} {token}");
        }
        assert_eq!(guesses.admit(one, "guess", now + FORGOTTEN_EVERY), Ok(()));
        assert_eq!(guesses.admit(one, "guess", now + FORGOTTEN_EVERY), Err(FORGOTTEN_EVERY));
    }

    #[test]
    fn no_flood_of_addresses_makes_it_grow() {
        let (guesses, now) = (Guesses::default(), Instant::now());
        for number in 0..5_000_u32 {
            let (from, at) = (IpAddr::V4(number.into()), now + Duration::from_millis(number.into()));
            assert_eq!(guesses.admit(from, &number.to_string(), at), Ok(()));
            guesses.right(from, &number.to_string(), at);
        }
        let seen = guesses.0.lock().expect("no test panics with it");
        assert_eq!((seen.wrong.len(), seen.right.len()), (ADDRESSES_MAX, TOKENS_MAX));
        assert!(seen.wrong.contains_key(&IpAddr::V4(4_999.into())));
    }
}
