//! What lines of tasks come to.

use std::collections::BTreeMap;

use super::line::Line;

const POINTS_TO_REACH: f64 = 5.0;
const TOKENS_TO_REACH: f64 = 2.0;
const LOST_TO_REACH: usize = 2;
const WRONG_TO_REACH: f64 = 15.0;
const SECOND_TO_REACH: f64 = 10.0;

/// One shot against the loop.
pub fn first(lines: &[&Line]) -> Vec<String> {
    let all = lines.len();
    let count = |wanted: &dyn Fn(&Line) -> bool| lines.iter().filter(|line| wanted(line)).count();
    let (once, at_last) = (count(&|line| line.once), count(&|line| line.at_last));
    let (gained, lost) = (count(&|line| line.at_last && !line.once), count(&|line| line.once && !line.at_last));
    let sum = |of: &dyn Fn(&Line) -> f64| lines.iter().map(|line| of(line)).sum::<f64>();
    let mean = |of: &dyn Fn(&Line) -> f64| sum(of) / all.max(1) as f64;
    let ratio = sum(&|line| line.tokens.1 as f64) / sum(&|line| line.tokens.0 as f64);
    let points = 100.0 * (at_last as f64 - once as f64) / all.max(1) as f64;
    let verified = count(&|line| line.verdict == "verified");
    let wrong = count(&|line| line.verdict == "verified" && !line.at_last);
    let wrong_share = 100.0 * wrong as f64 / verified.max(1) as f64;
    let mut told = vec![
        String::new(),
        format!("one shot   right {}", part(once, all)),
        format!(
            "loop       right {}, gained {gained}, lost {lost}, p = {:.3} (McNemar, exact)",
            part(at_last, all),
            mcnemar(gained, lost)
        ),
        format!(
            "a task     one shot {:.0} tokens, {:.1} s; loop {:.0} tokens, {:.1} s, {:.2} replies",
            mean(&|line| line.tokens.0 as f64),
            mean(&|line| line.seconds.0),
            mean(&|line| line.tokens.1 as f64),
            mean(&|line| line.seconds.1),
            mean(&|line| line.calls as f64),
        ),
    ];
    let mut verdicts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for line in lines {
        let entry = verdicts.entry(&line.verdict).or_default();
        entry.0 += 1;
        entry.1 += usize::from(line.at_last);
    }
    told.extend(verdicts.iter().map(|(verdict, (some, right))| {
        format!("{verdict:<11} {} of the tasks, of these right {}", part(*some, all), part(*right, *some))
    }));
    told.push(format!(
        "points     {points:+.1} ({})",
        reached(points >= POINTS_TO_REACH, &format!("at least {POINTS_TO_REACH}"))
    ));
    told.push(format!(
        "tokens     {ratio:.2} times ({})",
        reached(ratio <= TOKENS_TO_REACH, &format!("at most {TOKENS_TO_REACH}"))
    ));
    told.push(format!("lost       {lost} ({})", reached(lost <= LOST_TO_REACH, &format!("at most {LOST_TO_REACH}"))));
    told.push(format!(
        "accepted but wrong {} ({})",
        part(wrong, verified),
        reached(wrong_share <= WRONG_TO_REACH, &format!("at most {WRONG_TO_REACH} %"))
    ));
    told
}

/// A second try of what failed: with lessons, and by as many further samples.
pub fn second(
    failed: &usize,
    (again, samples): (&BTreeMap<String, Line>, &BTreeMap<String, Line>),
    first: &BTreeMap<String, Line>,
) -> Vec<String> {
    let count = |lines: &BTreeMap<String, Line>, wanted: &dyn Fn(&Line) -> bool| {
        lines.values().filter(|line| wanted(line)).count()
    };
    let calls = |lines: &BTreeMap<String, Line>| lines.values().map(|line| line.calls).sum::<u64>();
    let before: u64 = again.keys().filter_map(|id| first.get(id)).map(|line| line.calls).sum();
    let told = |name: &str, lines: &BTreeMap<String, Line>, calls: u64| {
        let (verified, right) = (count(lines, &|line| line.verdict == "verified"), count(lines, &|line| line.at_last));
        format!("{name:<10} verified {}, right {}, {calls} replies", part(verified, *failed), part(right, *failed))
    };
    let share =
        100.0 * count(again, &|line| line.verdict == "verified" && line.at_last) as f64 / (*failed).max(1) as f64;
    vec![
        String::new(),
        format!("second pass over the {failed} tasks that failed"),
        told("lessons", again, before + calls(again)),
        told("resampled", samples, calls(samples)),
        format!(
            "solved     {share:.0} % of what failed ({})",
            reached(share >= SECOND_TO_REACH, &format!("at least {SECOND_TO_REACH} %"))
        ),
    ]
}

/// Tasks that no lesson is about, with lessons and without.
pub fn new_tasks(with: &BTreeMap<String, Line>, without: &BTreeMap<String, Line>) -> Vec<String> {
    let pairs: Vec<(bool, bool)> =
        with.iter().filter_map(|(id, line)| Some((line.at_last, without.get(id)?.at_last))).collect();
    let gained = pairs.iter().filter(|(with, without)| *with && !without).count();
    let lost = pairs.iter().filter(|(with, without)| !with && *without).count();
    let right = |of: &dyn Fn(&(bool, bool)) -> bool| part(pairs.iter().filter(|pair| of(pair)).count(), pairs.len());
    vec![format!(
        "new tasks  right {} with lessons, {} without; gained {gained}, lost {lost}, p = {:.3}",
        right(&|pair| pair.0),
        right(&|pair| pair.1),
        mcnemar(gained, lost)
    )]
}

/// The chance of a split at least as uneven where both are alike: the binomial's two tails.
fn mcnemar(gained: usize, lost: usize) -> f64 {
    let all = gained + lost;
    let mut choose = 1.0_f64;
    let mut tail = 0.0;
    for at in 0..=gained.min(lost) {
        tail += choose;
        choose = choose * (all - at) as f64 / (at + 1) as f64;
    }
    (2.0 * tail * 0.5_f64.powi(i32::try_from(all).unwrap_or(i32::MAX))).min(1.0)
}

fn reached(is_reached: bool, what: &str) -> String {
    format!("to reach: {what}: {}", if is_reached { "reached" } else { "not reached" })
}

fn part(some: usize, all: usize) -> String {
    format!("{some}/{all} = {:.0} %", 100.0 * some as f64 / all.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(task: &str, verdict: &str, (once, at_last): (bool, bool)) -> Line {
        let (task, verdict) = (task.to_string(), verdict.to_string());
        Line { task, verdict, once, at_last, tokens: (100, 150), calls: 2, seconds: (1.0, 2.0) }
    }

    #[test]
    fn gains_losses_and_what_was_accepted_but_is_wrong_are_told_apart() {
        let lines = [
            line("a", "verified", (true, true)),
            line("b", "verified", (false, true)),
            line("c", "verified", (false, true)),
            line("d", "verified", (true, false)),
            line("e", "failed", (false, false)),
        ];
        let told = first(&lines.iter().collect::<Vec<_>>());
        assert_eq!(told[1], "one shot   right 2/5 = 40 %");
        assert_eq!(told[2], "loop       right 3/5 = 60 %, gained 2, lost 1, p = 1.000 (McNemar, exact)");
        assert_eq!(told[4], "failed      1/5 = 20 % of the tasks, of these right 0/1 = 0 %");
        assert_eq!(told[6], "points     +20.0 (to reach: at least 5: reached)");
        assert_eq!(told[7], "tokens     1.50 times (to reach: at most 2: reached)");
        assert_eq!(told[9], "accepted but wrong 1/4 = 25 % (to reach: at most 15 %: not reached)");
    }

    #[test]
    fn the_paired_test_is_exact() {
        for ((gained, lost), expected) in
            [((0, 0), 1.0), ((3, 0), 0.25), ((4, 0), 0.125), ((10, 1), 0.0117), ((5, 5), 1.0)]
        {
            assert!((mcnemar(gained, lost) - expected).abs() < 1e-4, "{gained} {lost}: {}", mcnemar(gained, lost));
        }
    }

    #[test]
    fn a_second_pass_counts_what_is_verified_and_right() {
        let lines = |both: [(&str, bool); 2]| -> BTreeMap<String, Line> {
            let named = ["a", "b"].into_iter().zip(both);
            named.map(|(id, (verdict, right))| (id.to_string(), line(id, verdict, (false, right)))).collect()
        };
        let before = lines([("failed", false), ("failed", false)]);
        let (again, samples) =
            (lines([("verified", true), ("verified", false)]), lines([("failed", false), ("failed", false)]));
        let told = second(&2, (&again, &samples), &before);
        assert_eq!(told[2], "lessons    verified 2/2 = 100 %, right 1/2 = 50 %, 8 replies");
        assert_eq!(told[4], "solved     50 % of what failed (to reach: at least 10 %: reached)");
        assert_eq!(
            new_tasks(&again, &samples)[0],
            "new tasks  right 1/2 = 50 % with lessons, 0/2 = 0 % without; gained 1, lost 0, p = 1.000"
        );
    }
}
