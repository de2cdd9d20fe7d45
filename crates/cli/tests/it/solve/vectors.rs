//! Lessons found by what they are about: a small table of vectors lies where one that was fetched would lie.

use base::Hash;
use serde_json::{Value, json};

use crate::support::Place;

const DIMENSIONS: usize = 256;

/// A table in which each of these words has the direction of its group, and single letters have none.
fn table(groups: &[&[&str]]) -> Vec<u8> {
    let mut pieces: Vec<(String, Option<usize>)> = vec![("▁".to_string(), None)];
    pieces.extend(('a'..='z').map(|letter| (letter.to_string(), None)));
    let mut begun = Vec::new();
    for (group, words) in groups.iter().enumerate() {
        for word in *words {
            begun.extend((1..word.len()).map(|end| (format!("▁{}", &word[..end]), None)));
            begun.push((format!("▁{word}"), Some(group)));
        }
    }
    pieces.extend(begun);
    let bytes = pieces.len() * DIMENSIONS * 2;
    let tensor = json!({ "dtype": "F16", "shape": [pieces.len(), DIMENSIONS], "data_offsets": [0, bytes] });
    let header = json!({ "rows": tensor }).to_string();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.bytes());
    for (_, direction) in &pieces {
        let one = |at: usize| if Some(at) == *direction { 0x3c00_u16 } else { 0 };
        file.extend((0..DIMENSIONS).flat_map(|at| one(at).to_le_bytes()));
    }
    let vocabulary: serde_json::Map<String, Value> =
        pieces.iter().enumerate().map(|(row, (piece, _))| (piece.clone(), json!(row))).collect();
    file.extend(json!({ "model": { "vocab": vocabulary } }).to_string().bytes());
    file
}

fn found(place: &Place, text: &str) -> Vec<(String, String)> {
    let document = place.json(0, &["memory", "search", text]);
    let told = |one: &Value, name: &str| one[name].as_str().unwrap().to_string();
    document["lessons"].as_array().unwrap().iter().map(|one| (told(one, "fix"), told(one, "by"))).collect()
}

fn check(place: &Place) -> Value {
    let doctor = place.json(0, &["doctor"]);
    doctor["checks"].as_array().unwrap().iter().find(|check| check["id"] == "memory").unwrap().clone()
}

#[test]
fn lessons_that_share_no_word_are_found_where_there_is_a_table() {
    let place = Place::new();
    for text in ["sort it twice", "a date comes first", "sort it by hand"] {
        place.json(0, &["memory", "add", text]);
    }
    assert_eq!(found(&place, "order"), []);
    assert_eq!((&check(&place)["status"], &check(&place)["required"]), (&json!("missing"), &json!(false)));
    let bytes = table(&[&["sort", "order"], &["date", "day"]]);
    let digest = Hash::of(&bytes);
    let settings = format!(
        "[weights.mine]\nkind = \"table\"\npath = \"mine.table\"\nbytes = {}\nsha256 = \"{digest}\"\n",
        bytes.len()
    );
    place.file(".config/assay/config.toml", settings);
    let file = format!(".cache/assay/models/mine-{}.table", digest.short());
    place.file(&file, &bytes);
    let by = |text: &str, by: &str| (text.to_string(), by.to_string());
    let mut like = found(&place, "order");
    like.sort();
    assert_eq!(like, [by("sort it by hand", "vector"), by("sort it twice", "vector")]);
    assert_eq!(found(&place, "day"), [by("a date comes first", "vector")]);
    // The words count as before, and the two add up.
    let both = found(&place, "order by hand");
    assert_eq!(both[0].0, "sort it by hand");
    assert_eq!(found(&place, "twice"), [by("sort it twice", "words")]);
    assert_eq!((&check(&place)["status"], &check(&place)["found"]), (&json!("ok"), &json!("words and vectors")));
    let models = place.json(0, &["model", "list"]);
    let row = models["tables"].as_array().unwrap().last().unwrap();
    assert_eq!((&row["name"], &row["state"]), (&json!("mine"), &json!("there")));
    assert!(models["local"].as_array().unwrap().iter().all(|one| one["name"] != "mine"), "it is no model");
    let asked = place.json(2, &["solve", "f(1) == 1", "--model", "local:mine"]);
    assert_eq!(asked["code"], "model_unknown", "{asked}");
    // One that is damaged is as good as none.
    place.file(&file, vec![0; bytes.len()]);
    assert_eq!(found(&place, "order"), []);
    assert_eq!(found(&place, "twice"), [by("sort it twice", "words")]);
    place.json(0, &["model", "remove", "mine"]);
    assert_eq!(check(&place)["status"], "missing");
}
