//! Files and folders that somebody made to be a nuisance, or worse.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;

use serde_json::json;

use super::count;
use crate::support::{Place, User, ordinary_user_is_possible};

const TABLE: &str = "a,b\n1,2\n3,4\n";

#[test]
fn of_a_folder_only_its_own_regular_tables_are_taken_and_the_rest_is_said() {
    let place = Place::new();
    let secret = place.file("outside/secret.csv", "secret\nyes\n");
    place.file("folder/good.csv", TABLE);
    place.file("folder/.hidden.csv", TABLE);
    place.file("folder/inner/deep.csv", TABLE);
    place.file("folder/image.png", "x");
    symlink(&secret, place.path("folder/link.csv")).unwrap();
    symlink("../outside/dataset.toml", place.path("folder/dataset.toml")).unwrap();
    place.file("outside/dataset.toml", "description = \"not yours\"\n");
    assert!(Command::new("mkfifo").arg(place.path("folder/pipe.csv")).status().unwrap().success());
    let _socket = UnixListener::bind(place.path("folder/socket.csv")).unwrap();
    fs::write(place.path("folder").join(OsStr::from_bytes(b"bad\xff.csv")), TABLE).unwrap();
    let shown = place.json(0, &["data", "show", "folder"]);
    let names: Vec<_> = shown["tables"].as_array().unwrap().iter().map(|table| table["name"].clone()).collect();
    assert_eq!((names, &shown["description"]), (vec![json!("good")], &json!("")));
    let notes = shown["notes"].to_string();
    for said in ["`link.csv`", "`dataset.toml`", "`inner`", "`image.png`", "`pipe.csv`", "`socket.csv`", "not UTF-8"] {
        assert!(notes.contains(said), "{said} is not in {notes}");
    }
    assert!(!notes.contains("hidden"), "{notes}");
}

#[test]
fn a_link_that_is_named_itself_is_followed_to_a_regular_file_only() {
    let place = Place::new();
    place.file("outside/real.csv", TABLE);
    symlink("outside/real.csv", place.path("link.csv")).unwrap();
    assert_eq!(count(&place, "link.csv"), json!(2));
    symlink("/dev/zero", place.path("endless.csv")).unwrap();
    symlink("loop.csv", place.path("loop.csv")).unwrap();
    assert!(Command::new("mkfifo").arg(place.path("pipe.csv")).status().unwrap().success());
    symlink("pipe.csv", place.path("to_pipe.csv")).unwrap();
    let _socket = UnixListener::bind(place.path("socket.csv")).unwrap();
    for name in ["endless.csv", "loop.csv", "to_pipe.csv", "socket.csv", "/dev/null"] {
        for arguments in [&["data", "add", name][..], &["data", "show", name], &["ask", name, "how many rows"]] {
            assert_eq!(place.json(2, arguments)["code"], "file_unreadable", "{arguments:?}");
        }
    }
}

#[test]
fn whatever_a_file_is_called_it_is_only_a_name() {
    let place = Place::new();
    let long = format!("{}.csv", "n".repeat(250));
    let names =
        ["new\nline.csv", "quo'te\"s`.csv", "* ? [x].csv", "$(touch owned).csv", "\u{202e}vsc.csv", "%s%n.csv", &long];
    for name in names {
        let path = format!("odd/{name}");
        place.file(&path, TABLE);
        assert_eq!(count(&place, &path), json!(2), "{name:?}");
    }
    let shown = place.json(0, &["data", "show", "odd"]);
    assert_eq!(shown["tables"].as_array().unwrap().len(), names.len());
    let tables = shown["tables"].as_array().unwrap().iter().map(|table| table["name"].as_str().unwrap().to_string());
    for table in tables {
        assert!(
            table.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
            "{table}"
        );
    }
    assert!(!place.path("owned").exists());
    place.file("-rf.csv", TABLE);
    assert_eq!(count(&place, "./-rf.csv"), json!(2));
    assert_eq!(place.json(2, &["data", "add", "-rf.csv"])["code"], "usage");
    place.json(0, &["data", "add", "--name", "dashed", "./-rf.csv"]);
    assert_eq!(place.assay(["data", "add"]).arg(OsStr::from_bytes(b"\xff.csv")).run().code, Some(2));
    let problem = place.json(2, &["data", "add", "odd", "--name", &"x".repeat(65)]);
    assert_eq!(problem["code"], "usage");
    place.json(0, &["data", "add", "./-rf.csv", "--name", "../../../etc/passwd"]);
    assert_eq!(count(&place, "etc_passwd"), json!(2));
    assert_eq!(fs::read_dir(place.data().join("sources")).unwrap().count(), 3, "two records and a lock");
}

#[test]
fn what_may_not_be_read_is_refused() {
    if !ordinary_user_is_possible("what_may_not_be_read_is_refused") {
        return;
    }
    let place = Place::of(User::Ordinary);
    let file = place.file("closed.csv", TABLE);
    fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
    place.file("folder/good.csv", TABLE);
    let inner = place.file("folder/closed.csv", TABLE);
    fs::set_permissions(&inner, PermissionsExt::from_mode(0o600)).unwrap();
    place.file("shut/good.csv", TABLE);
    fs::set_permissions(place.path("shut"), PermissionsExt::from_mode(0o700)).unwrap();
    for name in ["closed.csv", "folder", "shut"] {
        let problem = place.json(2, &["data", "add", name]);
        assert_eq!(problem["code"], "file_unreadable", "{problem}");
    }
    assert!(place.data_ending_with(".json").is_empty());
}

#[test]
fn a_file_without_a_known_ending_is_tried_by_its_contents() {
    let place = Place::new();
    place.file("table.data", TABLE);
    place.file("noending", TABLE);
    assert_eq!((count(&place, "table.data"), count(&place, "./noending")), (json!(2), json!(2)));
    let noise: Vec<u8> = (0..5_000_u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    place.file("noise.bin", noise);
    assert_eq!(place.json(2, &["data", "add", "noise.bin"])["code"], "file_format");
}
