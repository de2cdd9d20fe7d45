//! Bytes that were changed, cut off, added or packed by somebody else: always found, and their part is named.

use std::io::Cursor;

use base::{Code, Hash};
use flow::capsule;
use serde_json::{Value, json};

use crate::kit::{check_packed, empty, pack, part_at, parts_of, put, refused, sample, seal_with, text, written};

#[test]
fn every_changed_byte_is_found_and_its_part_named() {
    for capsule in [sample(), empty()] {
        let packed = pack(&parts_of(&capsule), false);
        capsule::verify(Cursor::new(&packed.file)).expect("whole before it is changed");
        for place in 0..packed.file.len() {
            for mask in [0x01, 0x80] {
                let mut file = packed.file.clone();
                file[place] ^= mask;
                let problem = capsule::verify(Cursor::new(&file)).expect_err("a changed byte");
                assert_eq!(problem.code, Code::CapsuleDamaged, "byte {place}: {problem}");
                assert_eq!(problem.path.as_deref(), part_at(&packed, place), "byte {place} ^ {mask}: {problem}");
                assert!(problem.hint.is_some());
            }
        }
    }
}

#[test]
fn every_cut_is_found_and_the_part_named_that_is_not_whole() {
    let packed = pack(&parts_of(&sample()), false);
    for length in 0..packed.file.len() {
        let problem = refused(&packed.file[..length]);
        assert_eq!(problem.code, Code::CapsuleDamaged, "{length} bytes: {problem}");
        let part = part_at(&packed, length).filter(|_| length > 0);
        assert_eq!(problem.path.as_deref(), part, "{length} bytes: {problem}");
    }
}

#[test]
fn the_first_of_several_damaged_parts_is_named() {
    let packed = pack(&parts_of(&sample()), false);
    let last = packed.file.len() - 1;
    for (name, region) in &packed.regions {
        let mut file = packed.file.clone();
        file[last] ^= 1;
        packed
            .regions
            .iter()
            .filter(|other| other.1.start >= region.start)
            .for_each(|other| file[other.1.end - 1] ^= 1);
        assert_eq!(refused(&file).path.as_deref(), Some(name.as_str()));
    }
}

#[test]
fn what_follows_the_end_is_found() {
    let file = written(&sample());
    for tail in [&b"\0"[..], b"PK\x05\x06", &file] {
        let problem = refused(&[&file, tail].concat());
        assert_eq!(
            problem.message,
            format!("the capsule is damaged: {} bytes follow the end of the container", tail.len())
        );
    }
    assert_eq!(refused(&[b"#!", file.as_slice()].concat()).path, None);
}

#[test]
fn parts_that_are_not_those_of_the_manifest_are_refused() {
    let last = parts_of(&sample()).pop().expect("parts").0;
    check_packed("missing", Some("journal.jsonl"), "", |parts| drop(parts.remove(3)));
    check_packed("last missing", Some(&last), "", |parts| drop(parts.pop()));
    check_packed("extra", None, "does not list", |parts| parts.push(("notes.txt".into(), vec![1])));
    check_packed("doubled at the end", None, "does not list", |parts| parts.push(parts[2].clone()));
    check_packed("doubled in place", Some("journal.jsonl"), "", |parts| parts.insert(2, parts[2].clone()));
    check_packed("manifest doubled", Some("manifest.sha256"), "not where it belongs", |parts| {
        parts.insert(0, parts[0].clone())
    });
    check_packed("renamed", Some("events.jsonl"), "header", |parts| parts[4].0 = "events.jsonk".into());
    check_packed("swapped", Some("run.json"), "", |parts| parts.swap(2, 3));
    check_packed("traversal", Some("run.json"), "", |parts| parts[2].0 = "../../run.json".into());
    check_packed("no parts", None, "something else", |parts| parts.truncate(0));
    check_packed("another manifest", Some("manifest.json"), "digest", |parts| {
        let changed = text(parts, "manifest.json").replace("ask/1", "ask/2");
        put(parts, "manifest.json", changed);
    });
    check_packed("another digest", Some("manifest.json"), "digest", |parts| {
        put(parts, "manifest.sha256", format!("{}\n", Hash::of(b"")));
    });
    check_packed("no digest", Some("manifest.sha256"), "newline", |parts| {
        put(parts, "manifest.sha256", "x".repeat(65));
    });
    check_packed("another text", Some("run.json"), "not what the manifest says", |parts| {
        let changed = text(parts, "run.json").replace("rejected", "succeeds");
        put(parts, "run.json", changed);
    });
}

#[test]
fn a_part_longer_than_the_file_is_cut_off_and_not_allocated() {
    let last = parts_of(&sample()).len() - 3;
    let name = parts_of(&sample()).pop().expect("parts").0;
    check_packed("longer", Some(&name), "cut off", |parts| {
        let mut manifest: Value = serde_json::from_str(&text(parts, "manifest.json")).expect("JSON");
        manifest["parts"][last]["bytes"] = json!(4_000_000_000u64);
        seal_with(parts, &manifest);
    });
}

/// A capsule packed again is refused though its parts are the same: only one container belongs to them.
#[test]
fn a_capsule_that_another_program_packed_is_refused() {
    let parts = parts_of(&sample());
    let problem = refused(&pack(&parts, true).file);
    assert_eq!((problem.code, problem.path.as_deref()), (Code::CapsuleDamaged, Some("manifest.json")));
    assert!(problem.hint.expect("a hint").contains("packing it with another program"));
    let mut dated = pack(&parts, false).file;
    dated[10] = 1;
    assert_eq!(refused(&dated).path.as_deref(), Some("manifest.json"));
}

#[test]
fn what_is_no_capsule_at_all_is_said_plainly() {
    let empty = refused(b"");
    assert_eq!(
        (empty.code, empty.message.as_str()),
        (Code::CapsuleDamaged, "the capsule is damaged: the file is empty")
    );
    for other in [&b"order_id,total\n1,2\n"[..], b"P", b"%PDF-1.7", &[0; 5000], b"PK\x05\x06", &[b'x'; 43]] {
        let problem = refused(other);
        assert_eq!(problem.code, Code::CapsuleDamaged);
        assert!(problem.hint.is_some() && !problem.message.is_empty());
    }
    assert!(refused(b"order_id,total\n1,2\n").message.contains("it is something else"));
    let folder = std::fs::File::open(std::env::temp_dir()).expect("a folder can be opened");
    let problem = capsule::verify(folder).expect_err("a folder is no capsule");
    assert_eq!(problem.code, Code::FileUnreadable);
    assert!(problem.hint.expect("a hint").contains("not a folder"));
}

#[test]
fn no_input_makes_it_panic() {
    let whole = written(&sample());
    let mut state: u64 = 7;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for round in 0..3_000 {
        let mut file = whole.clone();
        for _ in 0..1 + random(4) {
            let from = random(file.len());
            let to = (from + random(64)).min(file.len());
            match random(4) {
                0 => file[from..to].iter_mut().for_each(|byte| *byte = random(256) as u8),
                1 => file[from..to].fill(0xFF),
                2 => drop(file.drain(from..to)),
                _ => file = [&file[..to], &file[from..]].concat(),
            }
        }
        let found = capsule::read(Cursor::new(&file));
        assert!(found.is_err() || file == whole, "round {round} was accepted");
    }
    for length in 0..200 {
        let noise: Vec<u8> = b"PK\x03\x04".iter().copied().chain((0..length).map(|_| random(256) as u8)).collect();
        refused(&noise);
    }
}
