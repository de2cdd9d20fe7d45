//! The project's own questions (`suite/`): what is answered is right, what cannot be answered is refused.

use std::process::Command;

use crate::support::Place;

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
    assert_eq!(sets.len(), 2, "{told}");
    for (line, least) in sets.iter().zip([620, 60]) {
        let [answered, _, right, refused, unanswerable, verified] = figures(line)[..] else { panic!("{told}") };
        assert!(answered >= least && right * 50 >= answered * 49, "{told}");
        assert_eq!((refused, verified), (unanswerable, 0), "{told}");
    }
}
