//! Directions that can be looked for: 256 small numbers each, found by their signs and ranked by the numbers.
//!
//! Few are compared number by number. Of many, first the signs are: 256 bits each, and how many differ says nearly how far
//! two are apart; only the nearest of those are compared by their numbers.

use super::nearest::Nearest;
use super::table::DIMENSIONS;

/// From so many on, signs are looked at first.
const SIGNS_FROM: usize = 10_000;
/// So many of the nearest by their signs are compared by their numbers.
const RESCORED: usize = 1_000;
const WORDS: usize = DIMENSIONS / 64;

/// A direction in small numbers.
#[derive(Clone)]
pub struct Direction {
    numbers: [i8; DIMENSIONS],
    /// What each of them stands for.
    unit: f32,
}

impl Direction {
    /// Of a vector of length 1.
    pub fn of(vector: &[f32; DIMENSIONS]) -> Direction {
        let largest = vector.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
        let unit = largest / 127.0;
        let small = |number: f32| if unit > 0.0 { (number / unit).round() as i8 } else { 0 };
        Direction { numbers: vector.map(small), unit }
    }

    fn signs(&self) -> [u64; WORDS] {
        let mut signs = [0; WORDS];
        for (at, number) in self.numbers.iter().enumerate() {
            signs[at / 64] |= u64::from(*number < 0) << (at % 64);
        }
        signs
    }
}

/// Directions, each known by how many there were before it.
#[derive(Default)]
pub struct Vectors {
    numbers: Vec<i8>,
    units: Vec<f32>,
    /// Words of signs, the first of all of them, the second of all of them and so on: so several are compared at once.
    signs: [Vec<u64>; WORDS],
}

impl Vectors {
    /// A further one; a text that has none is near to nothing.
    pub fn add(&mut self, direction: Option<&Direction>) {
        let numbers = direction.map_or([0; DIMENSIONS], |direction| direction.numbers);
        self.numbers.extend(numbers);
        self.units.push(direction.map_or(0.0, |direction| direction.unit));
        let signs = direction.map_or([0; WORDS], Direction::signs);
        self.signs.iter_mut().zip(signs).for_each(|(all, word)| all.push(word));
    }

    /// The cosine of one of them and another direction.
    pub fn cosine(&self, place: usize, wanted: &Direction) -> f32 {
        let numbers = &self.numbers[place * DIMENSIONS..][..DIMENSIONS];
        let product = |(one, other): (&i8, &i8)| i32::from(*one) * i32::from(*other);
        let sum: i32 = numbers.iter().zip(&wanted.numbers).map(product).sum();
        sum as f32 * self.units[place] * wanted.unit
    }

    /// The nearest, the best first, each with its cosine.
    pub fn search(&self, wanted: &Direction, limit: usize) -> Vec<(usize, f32)> {
        let mut nearest = Nearest::new(limit);
        if self.units.len() < SIGNS_FROM {
            (0..self.units.len()).for_each(|place| nearest.offer(place, self.cosine(place, wanted)));
        } else {
            let rescored = self.by_signs(&wanted.signs(), RESCORED.max(limit));
            rescored.into_iter().for_each(|place| nearest.offer(place, self.cosine(place, wanted)));
        }
        nearest.best()
    }

    /// So many of those whose signs differ least.
    fn by_signs(&self, wanted: &[u64; WORDS], count: usize) -> Vec<usize> {
        let apart = self.apart(wanted);
        let mut having = [0_usize; DIMENSIONS + 1];
        apart.iter().for_each(|apart| having[usize::from(*apart)] += 1);
        let mut least = 0;
        let mut sum = having[0];
        while sum < count && least < DIMENSIONS {
            least += 1;
            sum += having[least];
        }
        let places = apart.iter().enumerate().filter(|(_, apart)| usize::from(**apart) <= least);
        places.map(|(place, _)| place).collect()
    }

    /// How many signs of each differ. Bits are counted for all words of one at once, in steps that processors of every
    /// kind do for several at a time.
    fn apart(&self, wanted: &[u64; WORDS]) -> Vec<u16> {
        const PAIRS: u64 = 0x5555_5555_5555_5555;
        const FOURS: u64 = 0x3333_3333_3333_3333;
        const EIGHTS: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        const SIXTEENS: u64 = 0x00ff_00ff_00ff_00ff;
        let in_fours = |word: u64| {
            let pairs = word - ((word >> 1) & PAIRS);
            (pairs & FOURS) + ((pairs >> 2) & FOURS)
        };
        let in_eights = |fours: u64| (fours & EIGHTS) + ((fours >> 4) & EIGHTS);
        let [first, second, third, fourth] = &self.signs;
        let rows = first.iter().zip(second).zip(third.iter().zip(fourth));
        let count = |((one, two), (three, four)): ((&u64, &u64), (&u64, &u64))| {
            let half = in_eights(in_fours(one ^ wanted[0]) + in_fours(two ^ wanted[1]));
            let eights = half + in_eights(in_fours(three ^ wanted[2]) + in_fours(four ^ wanted[3]));
            let sixteens = (eights & SIXTEENS) + ((eights >> 8) & SIXTEENS);
            let halves = sixteens + (sixteens >> 32);
            (halves + (halves >> 16)) as u16
        };
        rows.map(count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Directions that look like chance and are the same in every run.
    fn directions(count: usize) -> Vec<Direction> {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 40) as f32 / (1 << 24) as f32 - 0.5) / 4.0
        };
        (0..count).map(|_| Direction::of(&std::array::from_fn(|_| next()))).collect()
    }

    #[test]
    fn signs_are_counted_right() {
        let all = directions(300);
        let mut vectors = Vectors::default();
        all.iter().for_each(|one| vectors.add(Some(one)));
        let wanted = all[17].signs();
        let naive: Vec<u16> = all
            .iter()
            .map(|one| one.signs().iter().zip(wanted).map(|(one, other)| (one ^ other).count_ones() as u16).sum())
            .collect();
        assert_eq!(vectors.apart(&wanted), naive);
        // All of them differ.
        let opposite = wanted.map(|word| !word);
        assert_eq!(vectors.apart(&opposite)[17], 256);
    }

    #[test]
    fn the_nearest_are_found_among_few_and_among_many() {
        let all = directions(SIGNS_FROM + 500);
        for count in [100, all.len()] {
            let mut vectors = Vectors::default();
            all[..count].iter().for_each(|one| vectors.add(Some(one)));
            vectors.add(None);
            for wanted in [0, count / 2, count - 1] {
                let found = vectors.search(&all[wanted], 3);
                assert_eq!((found.len(), found[0].0), (3, wanted));
                assert!(found[0].1 > found[1].1 && found[1].1 >= found[2].1);
                assert!(vectors.cosine(count, &all[wanted]) == 0.0);
            }
        }
    }
}
