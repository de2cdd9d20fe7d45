//! The machine's properties, by trying every sequence of outcomes.

use base::Finding;

use super::*;

fn policy(mends: bool, errors: Errors) -> Policy {
    Policy { iterations_max: 4, samples_max: 2, mends, stale_max: 3, has_checks: true, errors, self_tests: false }
}

fn looked(shape: &str) -> Looked {
    Looked { shape: Some(shape.to_string()), ..Looked::default() }
}

fn refused(shape: &str) -> Looked {
    Looked { findings: vec![Finding::error("python/memory", "no", None)], ..looked(shape) }
}

fn wrote(code: &str, looked: Looked) -> Outcome {
    Outcome::Wrote { words: vec!["so".into()], code: code.to_string(), looked }
}

fn checked(passed: u64, failed: u64) -> Ran {
    let error = (failed > 0).then(|| format!("{failed} failed"));
    let signature = error.clone();
    let detail = String::new();
    Ran { output: "o".into(), error, signature, evidence: vec![Evidence { by: By::Tests, passed, failed, detail }] }
}

fn unchecked(error: Option<&str>) -> Ran {
    let error = error.map(str::to_string);
    Ran { output: "o".into(), signature: error.clone(), error, evidence: Vec::new() }
}

/// It ran to its end, and something that is no check speaks against it.
fn doubted(by: By) -> Ran {
    let evidence = vec![Evidence { by, passed: 1, failed: 1, detail: "1 of 2".into() }];
    Ran { evidence, ..unchecked(None) }
}

/// Everything that may come of an action; `at` makes texts that differ.
fn outcomes(action: &Action, at: usize) -> Vec<Outcome> {
    let spent = Outcome::Spent("tokens".into());
    let code = format!("code {at}");
    match action {
        Action::Recall => vec![
            Outcome::Remembered(None),
            Outcome::Remembered(Some((code.clone(), looked(&code)))),
            Outcome::Remembered(Some((code.clone(), refused(&code)))),
        ],
        Action::Write(_) => vec![
            wrote(&code, looked(&code)),
            wrote("the same", looked("the same")),
            wrote(&code, refused(&code)),
            wrote(&code, Looked { stub: Some("a stub".into()), ..looked(&code) }),
            Outcome::WroteNoCode(vec!["a plan".into()]),
            Outcome::WroteNoCode(Vec::new()),
            spent,
        ],
        Action::Test(_) => vec![Outcome::Tested, spent],
        Action::Approve(_) => vec![Outcome::Decided(true), Outcome::Decided(false)],
        Action::Run(_) => vec![
            Outcome::Ran(checked(3, 0)),
            Outcome::Ran(checked(at as u64, 1)),
            Outcome::Ran(checked(0, 0)),
            Outcome::Ran(unchecked(None)),
            Outcome::Ran(doubted(By::SelfTests)),
            Outcome::Ran(unchecked(Some("ValueError"))),
        ],
        Action::End(_) => Vec::new(),
    }
}

/// What was seen of every way through.
#[derive(Default)]
struct Seen {
    ends: usize,
    longest: usize,
    verified: usize,
}

fn explore(machine: &Machine, depth: usize, seen: &mut Seen) {
    const DEPTH_MAX: usize = 20;
    assert!(depth <= DEPTH_MAX, "it does not end: {machine:?}");
    assert!(machine.tried().len() <= machine.policy.iterations_max as usize, "more is tried than allowed");
    if let Action::End(end) = machine.next() {
        let holds = machine.tried().last().is_some_and(Tried::holds);
        assert_eq!(*end == End::Verified, holds && !matches!(end, End::Spent(_)), "checks decide alone: {machine:?}");
        seen.verified += usize::from(*end == End::Verified);
        (seen.ends, seen.longest) = (seen.ends + 1, seen.longest.max(depth));
        return;
    }
    for outcome in outcomes(machine.next(), depth) {
        let mut after = machine.clone();
        after.observe(outcome.clone());
        let mut again = machine.clone();
        again.observe(outcome.clone());
        assert_eq!(after.next(), again.next(), "the same outcome, another decision");
        if let (Action::Run(code), Action::Test(tested)) = (after.next(), machine.next()) {
            assert_eq!(code, tested, "only what tests were written for is run");
        } else if let Action::Run(code) | Action::Test(code) = after.next() {
            let (text, looked) = match &outcome {
                Outcome::Wrote { code, looked, .. } | Outcome::Remembered(Some((code, looked))) => (code, Some(looked)),
                Outcome::Decided(true) => match machine.next() {
                    Action::Approve(code) => (code, None),
                    other => panic!("{other:?} was decided"),
                },
                other => panic!("something is run after {other:?}"),
            };
            assert_eq!(text, code, "only what was just written is run");
            let may_run = looked.is_none_or(|looked| !looked.is_refused() || machine.policy.errors == Errors::Allow);
            assert!(may_run, "code with an error is run without a person's word");
            assert!(looked.is_none_or(|looked| looked.stub.is_none()), "a stub is run");
        }
        explore(&after, depth + 1, seen);
    }
}

#[test]
fn whatever_comes_it_ends_runs_only_what_was_looked_at_and_decides_alike() {
    for errors in [Errors::Refuse, Errors::Ask, Errors::Allow] {
        for (mends, has_checks) in [(false, true), (true, true), (true, false)] {
            let mut seen = Seen::default();
            let policy = Policy { iterations_max: 3, has_checks, self_tests: !has_checks, ..policy(mends, errors) };
            explore(&Machine::new(policy), 0, &mut seen);
            assert!(seen.ends > 500 && seen.verified > 20 && seen.longest < 20, "{} ends", seen.ends);
        }
    }
}

/// Feeds outcomes and tells what was done.
fn told(policy: Policy, outcomes: Vec<Outcome>) -> Vec<String> {
    let mut machine = Machine::new(policy);
    let mut told = Vec::new();
    for outcome in outcomes {
        told.push(format!("{:?}", machine.next()));
        machine.observe(outcome);
    }
    told.push(format!("{:?}", machine.next()));
    told
}

#[test]
fn a_small_model_is_sampled_and_a_large_one_is_shown_its_code() {
    let failing = |code: &str, why: &str| [wrote(code, looked(code)), Outcome::Ran(unchecked(Some(why)))];
    let outcomes = || {
        let mut outcomes = vec![Outcome::Remembered(None)];
        outcomes.extend(failing("a", "KeyError"));
        outcomes.extend(failing("b", "ValueError"));
        outcomes.extend(failing("c", "ValueError"));
        outcomes
    };
    let wrote = |told: Vec<String>| told.into_iter().filter(|one| one.starts_with("Write")).collect::<Vec<_>>();
    let small = wrote(told(Policy { stale_max: 9, ..policy(false, Errors::Refuse) }, outcomes()));
    assert_eq!(small, ["Write(First)", "Write(Sample(1))", "Write(Sample(2))", "Write(Anew)"]);
    let large = wrote(told(Policy { stale_max: 9, ..policy(true, Errors::Refuse) }, outcomes()));
    assert_eq!(
        large,
        ["Write(First)", "Write(Mend)", "Write(Mend)", "Write(Anew)"],
        "two equal failures: another approach"
    );
}

#[test]
fn who_only_repeats_itself_is_stopped_and_so_is_who_gets_no_further() {
    let again = || wrote("a", looked("a"));
    let failed = || Outcome::Ran(unchecked(Some("ValueError")));
    let outcomes = vec![Outcome::Remembered(None), again(), failed(), again(), again()];
    assert_eq!(told(policy(false, Errors::Refuse), outcomes).pop().as_deref(), Some("End(Failed)"));
    let better = |passed| Outcome::Ran(checked(passed, 1));
    let code = |text: &str| wrote(text, looked(text));
    let policy = Policy { iterations_max: 9, stale_max: 2, ..policy(false, Errors::Refuse) };
    let outcomes = vec![
        Outcome::Remembered(None),
        code("a"),
        better(1),
        code("b"),
        better(2),
        code("c"),
        better(2),
        code("d"),
        better(2),
    ];
    assert_eq!(told(policy, outcomes).pop().as_deref(), Some("End(Failed)"), "no check more in two tries");
}

#[test]
fn what_was_remembered_is_run_first_and_costs_no_reply() {
    let remembered = || Outcome::Remembered(Some(("a".to_string(), looked("a"))));
    let done = told(policy(false, Errors::Refuse), vec![remembered(), Outcome::Ran(checked(2, 0))]);
    assert_eq!(done, ["Recall", "Run(\"a\")", "End(Verified)"]);
    let failed = told(policy(false, Errors::Refuse), vec![remembered(), Outcome::Ran(checked(1, 1))]);
    assert_eq!(failed.last().map(String::as_str), Some("Write(First)"));
}

#[test]
fn what_the_model_tests_itself_is_worth_a_try_and_verifies_nothing() {
    let policy = || Policy { has_checks: false, self_tests: true, ..policy(true, Errors::Refuse) };
    let code = |text: &str| wrote(text, looked(text));
    let fails = || Outcome::Ran(doubted(By::SelfTests));
    let begun = || vec![Outcome::Remembered(None), code("a"), Outcome::Tested, fails()];
    let told_of = |more: Vec<Outcome>| told(policy(), begun().into_iter().chain(more).collect());
    let passes = Outcome::Ran(Ran {
        evidence: vec![Evidence { by: By::SelfTests, passed: 2, failed: 0, detail: String::new() }],
        ..unchecked(None)
    });
    assert_eq!(
        told_of(vec![code("b"), passes]),
        ["Recall", "Write(First)", "Test(\"a\")", "Run(\"a\")", "Write(Mend)", "Run(\"b\")", "End(NoEvidence)"],
        "tests are written once"
    );
    assert_eq!(told_of(vec![code("b"), fails(), code("c"), fails()]).pop().as_deref(), Some("End(NoEvidence)"));
    let mut machine = Machine::new(policy());
    let broken = || Outcome::Ran(unchecked(Some("ValueError")));
    begun()
        .into_iter()
        .chain([code("b"), broken(), code("c"), broken(), code("d"), broken()])
        .for_each(|one| machine.observe(one));
    assert_eq!(machine.next(), &Action::End(End::NoEvidence), "what ran is more than nothing");
    assert_eq!(machine.best().map(|best| best.code.as_str()), Some("a"), "no revision was better");
}
