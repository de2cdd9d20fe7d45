//! Measurements: they print every round and assert nothing about time.

pub mod ask;
pub mod ask_loop;
pub mod charts;
pub mod data;
pub mod flow;
pub mod memory;
pub mod model;
mod python;
pub mod sandbox;
pub mod serve;
pub mod solve;
mod table;

/// Between the two in the middle where their number is even.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => None,
        length if length.is_multiple_of(2) => Some((values[half - 1] + values[half]) / 2.0),
        _ => Some(values[half]),
    }
}

/// How busy the machine is, over one, five and fifteen minutes.
fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(Vec::new()), None);
    }
}
