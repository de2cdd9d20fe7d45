//! The project's own questions (`suite/`): what is answered is right, what cannot be answered is refused.

use std::process::Command;

use crate::support::Place;

/// How many questions of a set are answered at least; a set that is not named here has no floor yet.
const FLOORS: [(&str, usize); 2] = [("first", 1900), ("last", 95)];

/// The numbers of a line such as `first  637 of 780 answerable answered, 637 of those right, …`.
fn figures(line: &str) -> Vec<usize> {
    line.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

#[test]
fn answers_are_right_and_the_unanswerable_is_refused() {
    let place = Place::new();
    let script = std::env::current_dir().expect("tests run in their crate's folder").join("../../suite/run.py");
    let mut python = Command::new("python3");
    python.arg(script).arg(place.path("assay")).arg(place.path("suite"));
    python.envs(place.assay(["--version"]).environment()).current_dir(place.path("."));
    python.env("PATH", std::env::var("PATH").unwrap_or_default());
    let output = python.output().expect("python3 runs");
    let told = String::from_utf8_lossy(&output.stdout).to_string();
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    let sets: Vec<&str> = told.lines().filter(|line| line.contains("answerable answered")).collect();
    assert!(sets.iter().any(|line| line.starts_with("first ")), "{told}");
    for line in sets {
        let name = line.split_whitespace().next();
        let least = FLOORS.iter().find(|(set, _)| Some(*set) == name).map_or(0, |(_, least)| *least);
        let [answered, _, right, refused, unanswerable, verified] = figures(line)[..] else { panic!("{told}") };
        assert!(answered >= least && right * 50 >= answered * 49, "{told}");
        assert_eq!((refused, verified), (unanswerable, 0), "{told}");
    }
}
