//! A small random source: SplitMix64, and the few draws the generators need, all in integers.

/// A stream of draws that depends on nothing but its seed.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, not including, `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True in `per_mille` of 1,000 draws.
    pub(super) fn chance(&mut self, per_mille: usize) -> bool {
        self.below(1000) < per_mille
    }

    /// A bell-shaped number around zero: standard deviation about 0.6 `spread`, never beyond twice `spread`.
    pub(super) fn bell(&mut self, spread: i64) -> i64 {
        (0..4).map(|_| self.between(-spread, spread)).sum::<i64>() / 2
    }

    /// A number from `low` to `high` where small ones are more likely than large ones.
    pub(super) fn skewed(&mut self, low: i64, high: i64) -> i64 {
        let share = self.between(0, 1000);
        low + (high - low) * share * share / 1_000_000
    }

    /// An index, each as likely as its weight says.
    pub(super) fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, weight) in weights.iter().enumerate() {
            if left < *weight {
                return index;
            }
            left -= weight;
        }
        unreachable!("a draw below the sum of the weights falls on one of them")
    }

    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// How many of `count` are `per_mille` of 1,000, to the nearest.
pub(super) fn share_of(count: usize, per_mille: usize) -> usize {
    (count * per_mille + 500) / 1000
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_stream_is_the_published_one() {
        let mut random = Random::new(1_234_567);
        assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn weights_decide_how_often() {
        let mut random = Random::new(7);
        let mut counts = [0_usize; 3];
        (0..6000).for_each(|_| counts[random.weighted(&[1, 0, 2])] += 1);
        assert_eq!(counts[1], 0);
        assert!((1800..2200).contains(&counts[0]), "{counts:?}");
    }
}
