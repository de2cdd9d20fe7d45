//! "Did you mean": the closest names by edit distance.

/// The names most like `wanted`, best first, at most three; empty when none is close.
///
/// Case and punctuation do not count. A name is close when at most a third of its letters (and at least one) differ, or
/// when one contains the other.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    const SUGGESTIONS_MAX: usize = 3;
    let wanted = folded(wanted);
    let mut close: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| closeness(&wanted, &folded(name)).map(|distance| (distance, name)))
        .collect();
    close.sort();
    close.dedup_by(|a, b| a.1 == b.1);
    close.into_iter().take(SUGGESTIONS_MAX).map(|(_, name)| name.to_string()).collect()
}

/// How many edits make one word of another: a letter put in, left out or replaced, or two neighbours swapped.
pub fn edits(a: &str, b: &str) -> usize {
    distance(&folded(a), &folded(b))
}

fn folded(name: &str) -> Vec<char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn closeness(wanted: &[char], name: &[char]) -> Option<usize> {
    let distance = distance(wanted, name);
    let allowed = (wanted.len().max(name.len()) / 3).max(1);
    if distance <= allowed {
        return Some(distance);
    }
    let (short, long) = if wanted.len() < name.len() { (wanted, name) } else { (name, wanted) };
    let contained = short.len() >= 3 && long.windows(short.len()).any(|window| window == short);
    contained.then_some(distance)
}

/// Edits between two words, where swapping neighbours counts as one.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before_last = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; width];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + cost);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if swapped {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_typo_finds_its_word_and_noise_finds_nothing() {
        let names = ["amount", "region", "order_date"];
        assert_eq!(nearest("amout", names), ["amount"]);
        assert_eq!(nearest("Order Date", names), ["order_date"]);
        assert_eq!(nearest("date", names), ["order_date"]);
        assert!(nearest("temperature", names).is_empty());
    }
}
