//! What a program leaves in `out/` and how it is brought back: nothing of the host is read, written or replaced by it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::OPEN;
use super::setting::{Ground, Setting, for_each_setting};
use crate::support::leftovers::Before;

const PROGRAM: &str = include_str!("left.py");

/// One test each, below.
pub const NAMES: &[&str] = &["a_name_of_full_length", "a_name_that_is_no_text"];

for_each_setting! {
    fn links_pipes_and_names_in_out_lead_nobody_astray(setting) {
        let (told, out, _ground) = left_by(setting, PROGRAM).expect("an execution");
        // A folder that its owner closed opens to root alone; there is room for one of the files that are mostly holes.
        let told: Vec<&str> = told.iter().map(String::as_str).filter(|path| *path != "closed/file").collect();
        assert_eq!(told, ["a\nb\u{1b}[2J", "real/again", "real/file", "real/file.part", "sparse"]);
        assert_eq!(fs::read_to_string(out.join("real/file.part")).unwrap(), "not a part");
        for path in below(&out) {
            let metadata = fs::symlink_metadata(&path).unwrap();
            assert!(metadata.is_file() && metadata.permissions().mode() & 0o7000 == 0, "{path:?}: {metadata:?}");
        }
    }

    fn a_name_of_full_length(setting) {
        let code = "for name in ('plain', 'n' * 255): open('out/' + name, 'w').close()\n";
        let came_back = left_by(setting, code).is_some_and(|(told, ..)| told.contains(&"plain".to_string()));
        assert_eq!(came_back, !is_open("a_name_of_full_length"), "one name must not keep other files from coming back");
    }

    fn a_name_that_is_no_text(setting) {
        let code = "open(b'out/not-\\xff-text', 'w').close()\n";
        let (told, out, _ground) = left_by(setting, code).expect("an execution");
        assert_eq!(below(&out).len() == told.len(), !is_open("a_name_that_is_no_text"), "what comes back is told");
    }
}

/// What a program left, as the document tells and where it lies; nothing if the command met a problem.
#[track_caller]
fn left_by(setting: Setting, code: &str) -> Option<(Vec<String>, PathBuf, Ground)> {
    let ground = setting.ground();
    let out = ground.own_folder();
    let before = Before::look();
    let call = ground.call("left.py", code, &["--out", out.to_str().unwrap()]);
    let document = call.time_max(Duration::from_secs(20)).run().document();
    if document["kind"] == "problem" {
        return None;
    }
    assert_eq!(document["outcome"], "ok", "{document}");
    ground.is_over(&before, &document);
    let files = document["files"].as_array().unwrap().iter();
    Some((files.map(|file| file["path"].as_str().unwrap().to_string()).collect(), out, ground))
}

fn is_open(name: &str) -> bool {
    OPEN.iter().any(|(open, ..)| *open == name)
}

/// Everything below a folder that is not a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() && !path.is_symlink() { below(&path) } else { vec![path] }).collect()
}
