//! The ranges of a histogram, and how many rows fall into each: counted from the result's own rows.

use super::scale::{Scale, Steps};

/// A number and how many rows have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// The number.
    pub value: f64,
    /// How often.
    pub rows: u64,
}

/// Every different number in order, with its rows.
pub fn distinct(counted: &[Counted]) -> Vec<(f64, u64)> {
    let mut sorted = counted.to_vec();
    sorted.sort_by(|left, right| left.value.total_cmp(&right.value));
    let mut values: Vec<(f64, u64)> = Vec::new();
    for one in sorted {
        match values.last_mut() {
            Some((value, rows)) if *value == one.value => *rows += one.rows,
            _ => values.push((one.value, one.rows)),
        }
    }
    values
}

/// Equal ranges with round ends, each holding its beginning and the last also its end, and the rows in each. Ranges of
/// whole numbers are whole.
pub fn cut(counted: &[Counted], whole: bool) -> (Vec<f64>, Vec<u64>) {
    let low = counted.iter().map(|one| one.value).fold(f64::INFINITY, f64::min);
    let high = counted.iter().map(|one| one.value).fold(f64::NEG_INFINITY, f64::max);
    let rows: u64 = counted.iter().map(|one| one.rows).sum();
    let wanted = ((rows as f64).sqrt().ceil() as usize).clamp(8, 20);
    // Whole numbers are covered up to and with the last, so that no range is shorter than it looks.
    let (high, steps) = if whole { (high + 1.0, Steps::Whole) } else { (high, Steps::Any) };
    let edges = Scale::of(low, high, wanted, steps).ticks;
    let mut counts = vec![0_u64; edges.len() - 1];
    for one in counted {
        let after = edges.partition_point(|edge| *edge <= one.value);
        counts[after.clamp(1, edges.len() - 1) - 1] += one.rows;
    }
    (edges, counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_range() {
        let counted: Vec<Counted> = (0..=100).map(|value| Counted { value: f64::from(value), rows: 2 }).collect();
        let (edges, counts) = cut(&counted, true);
        assert_eq!(edges.len(), counts.len() + 1);
        assert_eq!(counts.iter().sum::<u64>(), 202);
        assert!(counts[..counts.len() - 1].iter().all(|count| *count == counts[0]), "{counts:?}");
        let tenths: Vec<Counted> = (0..50).map(|value| Counted { value: f64::from(value) * 0.1, rows: 1 }).collect();
        assert_eq!(cut(&tenths, false).1.iter().sum::<u64>(), 50);
        assert_eq!(distinct(&[counted[1], counted[0], counted[1]]), [(0.0, 2), (1.0, 4)]);
    }
}
