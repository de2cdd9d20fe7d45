//! The plan language by chance: random tables, random plans, three interpreters, one meaning.
//!
//! The compiled SQL in the engine, the oracle, and a third interpreter written for this test alone (`third.py`) must
//! agree. That the comparison can tell is shown by faults seeded into the SQL ([`faults`]): each must be caught.

mod agents;
mod cell;
mod faults;
mod plans;
mod random;
mod shrink;
mod worlds;

use cell::{Answer, Pair, Question, Said, Verdict, ask, difference, pairs};

use crate::support::slow_is_wanted;

const SEED: u64 = 6;
const PAIRS_FAST: usize = 1_000;
const PAIRS_SLOW: usize = 20_000;
/// Pairs that may come to nothing, of a hundred: results that hang on last digits, numbers without room.
const OPEN_MAX: usize = 5;

#[test]
fn three_interpreters_agree() {
    agree_on(SEED, PAIRS_FAST);
}

#[test]
fn three_interpreters_agree_on_many() {
    if slow_is_wanted("three_interpreters_agree_on_many") {
        agree_on(SEED + 1, PAIRS_SLOW);
    }
}

#[test]
fn a_canonical_plan_is_its_own_form() {
    for pair in pairs(SEED + 4, 2_000) {
        let again = Pair::of(&pair.world, &pair.plan).unwrap_or_else(|| panic!("refused:\n{}", pair.shown()));
        assert_eq!((again.plan, again.sql), (pair.plan.clone(), pair.sql.clone()), "{}", pair.shown());
    }
}

/// Looks at more pairs than are wanted, so that enough are decided.
#[track_caller]
fn agree_on(seed: u64, wanted: usize) {
    let pairs = pairs(seed, wanted + wanted * OPEN_MAX / 100);
    let verdicts = verdicts(&pairs);
    let count = |verdict: Verdict| verdicts.iter().filter(|found| **found == verdict).count();
    for (pair, verdict) in pairs.iter().zip(&verdicts) {
        if let Verdict::Differ(_) = verdict {
            let small = shrink::shrink(pair, &|tries| self::verdicts(tries).iter().map(differs).collect());
            let why = self::verdicts(std::slice::from_ref(&small));
            panic!("seed {seed}: {:?}\n{}\nfound in\n{}", why[0], small.shown(), pair.shown());
        }
    }
    let (agreed, undecided, without_room) =
        (count(Verdict::Agree), count(Verdict::Undecided), count(Verdict::OutOfRange));
    eprintln!("{agreed} pairs agree, {undecided} undecided, {without_room} out of range");
    assert!(agreed >= wanted, "{agreed} of {} pairs agree, {undecided} are undecided", pairs.len());
}

fn differs(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Differ(_))
}

/// What the three say of each.
fn verdicts(pairs: &[Pair]) -> Vec<Verdict> {
    let questions: Vec<Question> = pairs.iter().map(|pair| Question { pair, sql: vec![pair.sql.clone()] }).collect();
    ask(&questions, true).iter().map(Answer::verdict).collect()
}

/// Pairs from which those that a fault changes are taken.
const PAIRS_FOR_FAULTS: usize = 4_000;
/// How many of them a fault is given, and how many more if these do not show it.
const PAIRS_PER_FAULT: [usize; 3] = [24, 100, 300];

#[test]
fn every_seeded_fault_is_caught() {
    let pairs = pairs(SEED + 2, PAIRS_FOR_FAULTS);
    let mut left: Vec<(&faults::Fault, Vec<usize>)> = Vec::new();
    for fault in faults::FAULTS {
        let changed = (0..pairs.len()).filter(|index| fault.apply(&pairs[*index].sql) != pairs[*index].sql);
        let changed: Vec<usize> = changed.collect();
        assert!(changed.len() >= PAIRS_PER_FAULT[0], "`{}` changes only {} statements", fault.name, changed.len());
        left.push((fault, changed));
    }
    assert!(left.len() >= 20);
    for most in PAIRS_PER_FAULT {
        let given: Vec<(&faults::Fault, Vec<usize>)> = left
            .iter_mut()
            .map(|(fault, changed)| (*fault, changed.drain(..most.min(changed.len())).collect()))
            .collect();
        let shown = shown(&pairs, &given);
        left = left.into_iter().zip(&shown).filter(|(_, shown)| **shown == 0).map(|(fault, _)| fault).collect();
        for ((fault, given), shown) in given.iter().zip(&shown) {
            eprintln!("{shown:3} of {:3} pairs show: {}", given.len(), fault.name);
        }
        if left.is_empty() {
            return;
        }
    }
    let survivors: Vec<&str> = left.iter().map(|(fault, _)| fault.name).collect();
    panic!("these faults in the compiler would not be noticed: {survivors:?}");
}

/// How many of the pairs that each fault is given show it.
fn shown(pairs: &[Pair], given: &[(&faults::Fault, Vec<usize>)]) -> Vec<usize> {
    let faults_of = |pair: usize| given.iter().enumerate().filter(move |(_, (_, given))| given.contains(&pair));
    let asked: Vec<usize> = (0..pairs.len()).filter(|pair| faults_of(*pair).next().is_some()).collect();
    let statements = |pair: usize| {
        let edited = faults_of(pair).map(|(_, (fault, _))| fault.apply(&pairs[pair].sql));
        std::iter::once(pairs[pair].sql.clone()).chain(edited).collect()
    };
    let questions: Vec<Question> =
        asked.iter().map(|pair| Question { pair: &pairs[*pair], sql: statements(*pair) }).collect();
    let mut shown = vec![0; given.len()];
    for (pair, answer) in asked.iter().zip(ask(&questions, false)) {
        // Only where the true statement agrees is a difference the fault's.
        let (Verdict::Agree, Said::Table(oracle)) = (answer.verdict(), &answer.oracle) else { continue };
        for ((index, _), said) in faults_of(*pair).zip(&answer.engine[1..]) {
            // A statement that fails is not a wrong answer: only another table shows that the meaning changed.
            let Said::Table(engine) = said else { continue };
            shown[index] += usize::from(difference("the engine", &answer.plan, oracle, engine).is_some());
        }
    }
    shown
}

#[test]
fn a_failing_pair_is_made_small() {
    let fault = faults::FAULTS.iter().find(|fault| fault.name == "division by zero is not null").expect("it is listed");
    let fails = |pairs: &[Pair]| -> Vec<bool> {
        let sql = |pair: &Pair| vec![fault.apply(&pair.sql)];
        let questions: Vec<Question> = pairs.iter().map(|pair| Question { pair, sql: sql(pair) }).collect();
        ask(&questions, false).iter().map(|answer| differs(&answer.verdict())).collect()
    };
    let all: Vec<Pair> =
        pairs(SEED + 3, 400).into_iter().filter(|pair| fault.apply(&pair.sql) != pair.sql).take(40).collect();
    let large = all.iter().zip(fails(&all)).filter(|(_, fails)| *fails).map(|(pair, _)| pair);
    let large = large.max_by_key(|pair| pair.plan.to_string().len()).expect("the fault shows");
    let small = shrink::shrink(large, &fails);
    let rows: usize = small.world.tables.iter().map(|table| table.rows.len()).sum();
    let report = small.shown();
    assert!(rows <= 2 && small.world.tables.len() <= 2, "{report}");
    assert!(small.plan.to_string().len() < large.plan.to_string().len(), "{report}");
    assert!(small.sql.contains("nullif"), "what is left still shows the fault: {report}");
    assert!(report.contains("plan {\"v\":1") && report.contains("table "), "{report}");
}
