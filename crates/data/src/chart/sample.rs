//! A part of many dots that stands for all: chosen by a hash of what each shows, so that the same result gives the same
//! picture, and with the outermost of them, so that the axes are those of all.

use super::Point;

/// So many of the points, in their order, and those at the ends of both axes.
pub fn of(points: Vec<Point>, dots_max: usize) -> Vec<Point> {
    let mut hashes: Vec<u64> = points.iter().enumerate().map(|(index, point)| hash(index, point)).collect();
    for end in ends(&points) {
        hashes[end] = 0;
    }
    let mut sorted = hashes.clone();
    sorted.sort_unstable();
    let last = sorted[dots_max.min(sorted.len()) - 1];
    points.into_iter().zip(hashes).filter(|(_, hash)| *hash <= last).map(|(point, _)| point).take(dots_max).collect()
}

/// Where the least and the greatest of both numbers are.
fn ends(points: &[Point]) -> [usize; 4] {
    let mut ends = [0; 4];
    for (index, point) in points.iter().enumerate() {
        let [left, right, low, high] = ends.map(|end| &points[end]);
        let further = [point.at < left.at, point.at > right.at, point.value < low.value, point.value > high.value];
        for (end, further) in ends.iter_mut().zip(further) {
            if further {
                *end = index;
            }
        }
    }
    ends
}

/// FNV-1a over the dot and its place, mixed once more so that neighbours fall far apart.
fn hash(index: usize, point: &Point) -> u64 {
    let parts = [point.at.to_bits(), point.value.to_bits(), index as u64];
    let bytes = parts.into_iter().flat_map(u64::to_le_bytes);
    let folded = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let mixed = (folded ^ (folded >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_fair_has_the_ends_and_is_the_same_each_time() {
        let dots = || -> Vec<Point> {
            (0..20_000_u32)
                .map(|index| {
                    let (at, value) = (f64::from(index), f64::from((index * 7_919) % 20_011));
                    Point { at, value, exact: String::new() }
                })
                .collect()
        };
        let drawn = of(dots(), 2_000);
        assert_eq!(drawn, of(dots(), 2_000));
        assert!((1_990..=2_000).contains(&drawn.len()), "{}", drawn.len());
        let all = dots();
        let least = |points: &[Point]| points.iter().map(|point| point.value).fold(f64::INFINITY, f64::min);
        let most = |points: &[Point]| points.iter().map(|point| point.value).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!((least(&drawn), most(&drawn)), (least(&all), most(&all)));
        assert_eq!((drawn[0].at, drawn[drawn.len() - 1].at), (0.0, 19_999.0));
        // Each tenth of the dots has about a tenth of those drawn.
        for tenth in 0..10 {
            let within = drawn.iter().filter(|point| (point.at / 2_000.0) as usize == tenth).count();
            assert!((150..=250).contains(&within), "{within} in tenth {tenth}");
        }
    }
}
