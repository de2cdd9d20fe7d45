//! From numbers to positions: round ticks, and what they say.

/// Numbers along an axis, with marks at round ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// Where the axis begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
    /// The marks, from low to high.
    pub ticks: Vec<f64>,
    /// Decimals that tell the marks apart.
    pub digits: usize,
}

/// Between marks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// 1, 2, 2.5 or 5 times a power of ten.
    Any,
    /// 1, 2 or 5 times a power of ten, and no part of 1.
    Whole,
}

impl Scale {
    /// From the least to the greatest number, in about so many round steps.
    pub fn around(low: f64, high: f64, steps: usize) -> Scale {
        Scale::of(low, high, steps, Steps::Any)
    }

    /// The decimals that tell marks apart.
    pub fn digits_of(ticks: &[f64]) -> usize {
        match ticks {
            [first, second, ..] => digits(second - first),
            _ => 0,
        }
    }

    /// The same with steps of a kind.
    pub fn of(low: f64, high: f64, steps: usize, kind: Steps) -> Scale {
        let (low, high) = match (low, high) {
            (low, high) if low < high => (low, high),
            (0.0, _) => (0.0, 1.0),
            (same, _) => (same.min(0.0), same.max(0.0)),
        };
        let rough = (high - low) / steps.max(1) as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let factors: &[f64] = if kind == Steps::Whole { &[1.0, 2.0, 5.0, 10.0] } else { &[1.0, 2.0, 2.5, 5.0, 10.0] };
        let factor = factors.iter().find(|factor| *factor * power >= rough * 0.999);
        let step = factor.unwrap_or(&10.0) * power;
        let step = if kind == Steps::Whole { step.max(1.0) } else { step };
        let first = (low / step + 1e-9).floor();
        let last = (high / step - 1e-9).ceil();
        let count = (last - first) as usize;
        // From whole multiples, so that a mark at 0.3 is not at 0.30000000000000004 more than once.
        let ticks: Vec<f64> = (0..=count).map(|number| (first + number as f64) * step).collect();
        Scale { low: first * step, high: last * step, ticks, digits: digits(step) }
    }

    /// Where a number lies, from 0 to 1.
    pub fn place(&self, number: f64) -> f64 {
        (number - self.low) / (self.high - self.low)
    }
}

fn digits(step: f64) -> usize {
    (0..=12).find(|digits| is_whole(step * 10_f64.powi(*digits))).unwrap_or(12) as usize
}

fn is_whole(number: f64) -> bool {
    (number - number.round()).abs() <= 1e-6 * number.abs().max(1e-300)
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[track_caller]
    fn check(low: f64, high: f64, ticks: &[f64], digits: usize) {
        let scale = Scale::around(low, high, 5);
        let close = scale.ticks.iter().zip(ticks).all(|(a, b)| (a - b).abs() < 1e-9 * b.abs().max(1e-12));
        assert!(close && scale.ticks.len() == ticks.len(), "{scale:?}");
        assert_eq!(scale.digits, digits, "{scale:?}");
    }

    #[test]
    fn ticks_are_round_and_cover_the_data() {
        check(0.0, 2040.0, &[0.0, 500.0, 1000.0, 1500.0, 2000.0, 2500.0], 0);
        check(0.0, 1.0, &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0], 1);
        check(0.0, 0.12, &[0.0, 0.025, 0.05, 0.075, 0.1, 0.125], 3);
        check(-3.0, 7.0, &[-4.0, -2.0, 0.0, 2.0, 4.0, 6.0, 8.0], 0);
        check(18.2, 19.9, &[18.0, 18.5, 19.0, 19.5, 20.0], 1);
    }

    #[test]
    fn one_number_has_an_axis_too() {
        check(0.0, 0.0, &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0], 1);
        check(5.0, 5.0, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 0);
        check(-5.0, -5.0, &[-5.0, -4.0, -3.0, -2.0, -1.0, 0.0], 0);
    }
}
