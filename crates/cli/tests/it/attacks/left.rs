//! What a program leaves in `out/` and how it is brought back: nothing of the host is read, written or replaced by it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::setting::for_each_setting;
use crate::support::leftovers::Before;

const PROGRAM: &str = include_str!("left.py");

for_each_setting! {
    fn links_pipes_and_names_in_out_lead_nobody_astray(setting) {
        let ground = setting.ground();
        let out = ground.place().folder("results");
        let before = Before::look();
        let call = ground.call("left.py", PROGRAM, &["--out", out.to_str().unwrap()]);
        let document = call.time_max(Duration::from_secs(20)).run().exits(0).document();
        ground.is_over(&before, &document);
        let told: Vec<&str> = document["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
        // A folder that its owner closed opens to root alone; there is room for one of the files that are mostly holes.
        let told: Vec<&str> = told.into_iter().filter(|path| *path != "closed/file").collect();
        assert_eq!(told, ["a\nb\u{1b}[2J", "real/again", "real/file", "real/file.part", "sparse"], "{document}");
        assert_eq!(fs::read_to_string(out.join("real/file.part")).unwrap(), "not a part");
        for path in below(&out) {
            let metadata = fs::symlink_metadata(&path).unwrap();
            assert!(metadata.is_file() && metadata.permissions().mode() & 0o7000 == 0, "{path:?}: {metadata:?}");
        }
    }
}

/// Everything below a folder that is not a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() && !path.is_symlink() { below(&path) } else { vec![path] }).collect()
}
