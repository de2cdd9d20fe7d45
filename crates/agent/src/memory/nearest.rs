//! The best few of many, without putting all of them in order.

/// Keeps those with the highest scores.
pub struct Nearest {
    limit: usize,
    kept: Vec<(usize, f32)>,
    /// What one needs more than to be kept.
    bar: f32,
}

impl Nearest {
    /// For so many.
    pub fn new(limit: usize) -> Nearest {
        Nearest { limit, kept: Vec::with_capacity(2 * limit), bar: f32::NEG_INFINITY }
    }

    /// One more. Of equals those that were offered first are kept.
    pub fn offer(&mut self, place: usize, score: f32) {
        if score > self.bar && self.limit > 0 {
            self.kept.push((place, score));
            if self.kept.len() >= 2 * self.limit {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        if self.kept.len() > self.limit {
            self.kept.select_nth_unstable_by(self.limit - 1, order);
            self.kept.truncate(self.limit);
            self.bar = self.kept[self.limit - 1].1;
        }
    }

    /// The best first.
    pub fn best(mut self) -> Vec<(usize, f32)> {
        self.cut();
        self.kept.sort_unstable_by(order);
        self.kept
    }
}

fn order(one: &(usize, f32), other: &(usize, f32)) -> std::cmp::Ordering {
    other.1.total_cmp(&one.1).then(one.0.cmp(&other.0))
}

#[cfg(test)]
mod tests {
    use super::Nearest;

    #[test]
    fn the_best_are_kept_in_order_and_of_equals_the_first() {
        let scores = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0, 3.0, 5.0];
        for limit in 0..=scores.len() + 1 {
            let mut nearest = Nearest::new(limit);
            scores.iter().enumerate().for_each(|(place, score)| nearest.offer(place, *score));
            let mut all: Vec<usize> = (0..scores.len()).collect();
            all.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
            all.truncate(limit);
            assert_eq!(nearest.best().into_iter().map(|(place, _)| place).collect::<Vec<_>>(), all);
        }
    }
}
