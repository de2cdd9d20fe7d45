//! The README's examples, typed as they stand there: each block begins with a command and goes on with what it prints.

use std::process::Command;

use crate::support::{Place, shared};

const README: &str = include_str!("../../../../README.md");
const SALES: &str = "date,region,product,price,quantity\n2026-01-05,North,Lamp,24.50,3\n2026-01-09,South,Lamp,24.50,1\n\
                     2026-02-02,North,Chair,89.00,2\n2026-02-17,West,Desk,240.00,1\n2026-03-03,South,Chair,85.50,4\n";

/// What the command prints, both streams in their order, when it has nothing left to prepare.
fn typed(place: &Place, command: &str) -> String {
    let call = || {
        let mut shell = Command::new("sh");
        let call = place.assay(["--version"]);
        shell.envs(call.environment());
        let path = std::env::var("PATH").unwrap_or_default();
        shell.env("PATH", format!("{}:{path}", place.path(".").display())).current_dir(place.path("."));
        let output = shell.args(["-c", &format!("{{ {command}\n}} 2>&1")]).output().expect("a shell");
        String::from_utf8(output.stdout).expect("text")
    };
    call();
    // What was prepared stays, what was answered does not.
    place.json(0, &["cache", "clear"]);
    call()
}

#[test]
fn the_examples_print_what_the_readme_says() {
    let place = shared();
    place.file("sales.csv", SALES);
    let blocks: Vec<&str> =
        README.split("```console\n$ ").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(blocks.len(), 5, "five examples");
    for block in blocks {
        let (command, expected) = block.split_once('\n').expect("a command and its output");
        assert_eq!(typed(place, command).trim_end(), expected.trim_end(), "$ {command}");
    }
}
