//! What is said to a broker by those who may speak to it: wrong frames, greedy policies, inputs that lead elsewhere.
//! Whatever it was, the broker stays the same process with the same descriptors, and honest commands get their results.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::resident::{Resident, count_descriptors, with_one_broker};
use crate::support::started::until;

const GIB: u64 = 1 << 30;
const ORDER_BYTES_MAX: usize = 64 * 1024;

/// What `sandbox run` orders.
pub fn task() -> Value {
    json!({
        "profile": "task", "wall_ms": 10_000, "cpu_ms": 10_000, "memory_bytes": GIB, "processes": 64,
        "open_files": 1_024, "scratch_bytes": 256 << 20, "output_kept_bytes": 1 << 20,
        "output_read_bytes": 256 << 20, "network": "none",
    })
}

/// An order for a cell whose policy differs from a task's in these fields.
pub fn cell(changes: Value) -> Value {
    let mut policy = task();
    for (field, value) in changes.as_object().expect("fields") {
        policy[field] = value.clone();
    }
    let breadth = if policy["profile"] == "task" { "light" } else { "full" };
    json!({ "op": "cell", "policy": policy, "inputs": [], "breadth": breadth })
}

fn frame(body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32).to_be_bytes(), body].concat()
}

fn saying(bytes: &[u8], then: &str) -> Value {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    json!({ "hex": hex, "then": then })
}

with_one_broker! {
    fn what_is_no_order_is_not_answered(resident) {
        let (broker, descriptors) = (resident.broker(), count_descriptors(&resident.broker()));
        let status = br#"{"op":"status"}"#;
        let wrong: Vec<(&str, Vec<u8>, &str)> = vec![
            ("nothing, and no more", b"".to_vec(), "shut"),
            ("a part of a length", b"\0\0".to_vec(), "shut"),
            ("a length alone", b"\0\0\0\x05".to_vec(), "shut"),
            ("an order cut short", frame(status)[..12].to_vec(), "shut"),
            ("a frame of nothing", frame(b""), "wait"),
            ("no JSON", frame(b"\xff\xfe\xfd"), "wait"),
            ("JSON cut short", frame(b"{"), "wait"),
            ("a list", frame(b"[]"), "wait"),
            ("null", frame(b"null"), "wait"),
            ("deep lists", frame(&b"[".repeat(60_000)), "wait"),
            ("an unknown order", frame(br#"{"op":"open"}"#), "wait"),
            ("an order without its parts", frame(br#"{"op":"cell"}"#), "wait"),
            ("an order and a byte", [frame(status), b"x".to_vec()].concat(), "wait"),
            ("two orders", [frame(status), frame(status)].concat(), "wait"),
            ("the greatest length", [b"\xff\xff\xff\xff".to_vec(), vec![b'x'; 4_000]].concat(), "wait"),
            ("a byte more than there may be", ((ORDER_BYTES_MAX + 1) as u32).to_be_bytes().to_vec(), "wait"),
            ("silence", b"".to_vec(), "wait"),
            ("a slow length", b"\0".to_vec(), "drip"),
            ("a slow order", frame(&[b' '; 60_000])[..100].to_vec(), "drip"),
        ];
        let sayings: Vec<Value> = wrong.iter().map(|(_, bytes, then)| saying(bytes, then)).collect();
        let mut client = resident.client(None);
        let told = client.does("say", json!({ "sayings": sayings, "patience_s": 15 }));
        for ((what, ..), told) in wrong.iter().zip(told.as_array().unwrap()) {
            assert_eq!(told[0], "closed", "{what}: {told}");
        }
        let mut long = status.to_vec();
        long.resize(ORDER_BYTES_MAX, b' ');
        let right = [saying(&frame(status), "wait"), saying(&frame(&long), "wait")];
        let told = client.does("say", json!({ "sayings": right, "patience_s": 15 }));
        assert!(told.as_array().unwrap().iter().all(|told| told[0]["grant"] == "status"), "{told}");
        assert!(resident.runs_right());
        resident.is_as_before(&broker, descriptors);
    }

    fn a_policy_that_is_none_of_ours_is_turned_away(resident) {
        let (broker, descriptors) = (resident.broker(), count_descriptors(&resident.broker()));
        let mut client = resident.client(None);
        let mut first_word = |changes: &Value| {
            let words = client.does("order", json!({ "group": "policies", "orders": [cell(changes.clone())], "patient": true }));
            client.does("drop", json!({ "group": "policies" }));
            words[0].clone()
        };
        assert_eq!(first_word(&json!({}))["grant"], "cell");
        let too_much = [
            json!({ "wall_ms": 600_001 }),
            json!({ "cpu_ms": 600_001 }),
            json!({ "memory_bytes": 4 * GIB + 1 }),
            json!({ "memory_bytes": u64::MAX }),
            json!({ "processes": 65 }),
            json!({ "open_files": 1_025 }),
            json!({ "scratch_bytes": GIB }),
            json!({ "output_kept_bytes": 2 << 20 }),
            json!({ "output_read_bytes": 1_u64 << 40 }),
            json!({ "profile": "ingest" }),
            json!({ "profile": "analysis" }),
        ];
        for changes in too_much {
            let word = first_word(&changes);
            assert_eq!(word["grant"], "unfit", "{changes}: {word}");
            assert!(word["reason"].as_str().is_some_and(|reason| !reason.is_empty()) && word["descriptors"] == 0, "{word}");
        }
        let nonsense = [
            json!({ "wall_ms": -1 }),
            json!({ "wall_ms": 1.5 }),
            json!({ "memory_bytes": "1G" }),
            json!({ "memory_bytes": null }),
            json!({ "network": "all" }),
            json!({ "profile": "root" }),
        ];
        for changes in nonsense {
            assert_eq!(first_word(&changes), "closed", "{changes}");
        }
        // Too little is the orderer's own loss, whether it is refused or given a cell that cannot live.
        for changes in [json!({ "wall_ms": 0 }), json!({ "cpu_ms": 0 }), json!({ "memory_bytes": 0 }), json!({ "memory_bytes": 4_096 })] {
            assert!(first_word(&changes)["grant"].is_string(), "{changes}");
        }
        assert!(resident.runs_right());
        resident.is_as_before(&broker, descriptors);
    }

    fn an_input_leads_to_its_file_and_nowhere_else(resident) {
        let (broker, descriptors) = (resident.broker(), count_descriptors(&resident.broker()));
        let data = lay_traps(resident);
        let mut client = resident.client(None);
        let mut first_word = |store: Option<&str>, copies: usize, inputs: Value| {
            let mut order = cell(json!({}));
            order["inputs"] = inputs;
            let asked = json!({ "group": "inputs", "orders": [order], "store": store, "copies": copies, "patient": true });
            let words = client.does("order", asked);
            client.does("drop", json!({ "group": "inputs" }));
            words[0].clone()
        };
        let one = |name: &str, shelf: &str, parts: &[&str]| json!([{ "name": name, "shelf": shelf, "parts": parts }]);
        let right = [one("n", "jobs", &["job", "file"]), one("data.duckdb", "datasets", &["set", "file"]), json!([])];
        for inputs in right {
            assert_eq!(first_word(Some(&data), 1, inputs.clone())["grant"], "cell", "{inputs}");
        }
        let long = "n".repeat(256);
        let good = ["job", "file"];
        let wrong = [
            one("n", "jobs", &["link-to-etc", "passwd"]),
            one("n", "jobs", &["job", "link-to-passwd"]),
            one("n", "jobs", &["job", "link-to-file"]),
            one("n", "datasets", &["set", "link-to-passwd"]),
            one("n", "datasets", &["link-to-job", "file"]),
            one("n", "jobs", &["..", "store.db"]),
            one("n", "jobs", &["job", "..", "..", "store.db"]),
            one("n", "jobs", &[".", "job", "file"]),
            one("n", "jobs", &["job/file"]),
            one("n", "jobs", &["/etc", "passwd"]),
            one("n", "jobs", &["", "etc", "passwd"]),
            one("n", "jobs", &["job", "file\0"]),
            one("n", "jobs", &["job", &long]),
            one("n", "jobs", &["job", "missing"]),
            one("n", "jobs", &["job"]),
            one("n", "jobs", &[]),
            one("n", "jobs", &["job", "pipe"]),
            one("../n", "jobs", &good),
            one("..", "jobs", &good),
            one(".", "jobs", &good),
            one("a/b", "jobs", &good),
            one("/n", "jobs", &good),
            one("", "jobs", &good),
            one("n\0", "jobs", &good),
            one(&long, "jobs", &good),
            json!([one("n", "jobs", &good)[0], one("n", "jobs", &good)[0]]),
        ];
        for inputs in &wrong {
            let word = first_word(Some(&data), 1, inputs.clone());
            assert!(word["grant"] == "unfit" && word["descriptors"] == 0, "{inputs}: {word}");
        }
        assert_eq!(first_word(Some(&data), 1, one("n", "owners", &good)), "closed", "a shelf that there is not");
        let elsewhere = [None, Some("/"), Some("/etc"), Some("/etc/passwd"), Some("/proc/self/fd")];
        for store in elsewhere {
            assert_eq!(first_word(store, 1, one("n", "jobs", &good))["grant"], "unfit", "{store:?}");
        }
        for copies in [2, 8, 100] {
            assert_eq!(first_word(Some(&data), copies, json!([])), "closed", "{copies} descriptors");
        }
        assert!(resident.runs_right());
        resident.is_as_before(&broker, descriptors);
    }

    fn who_says_nothing_keeps_nobody_from_a_result(resident) {
        let (broker, descriptors) = (resident.broker(), count_descriptors(&resident.broker()));
        let mut client = resident.client(None);
        let held = client.does("hold", json!({ "group": "silent", "count": 2_000 })).as_u64().unwrap();
        assert!(held > 128, "only {held} connections came about");
        let ran = resident.call("print(6 * 7)", &[]).run();
        assert_eq!(ran.document()["stdout"], "42\n");
        assert!(ran.elapsed < Duration::from_secs(30), "{:?}", ran.elapsed);
        client.does("drop", json!({ "group": "silent" }));
        resident.is_as_before(&broker, descriptors);
        assert!(resident.runs_right());
    }

    fn who_dies_while_waiting_is_forgotten(resident) {
        let (broker, descriptors) = (resident.broker(), count_descriptors(&resident.broker()));
        let mut client = resident.client(None);
        let words = client.does("order", json!({ "group": "mortal", "orders": vec![cell(json!({})); 40] }));
        let later = words.as_array().unwrap().iter().filter(|word| word["grant"] == "later").count();
        assert!(later > 20, "{words}");
        drop(client);
        until("nobody waits any more", || (resident.status()["waiting"] == 0).then_some(()));
        resident.is_as_before(&broker, descriptors);
        assert!(resident.runs_right());
    }

    fn who_takes_a_cell_and_leaves_it_alone_loses_it_at_its_limit(resident) {
        let (broker, descriptors) = (resident.broker(), count_descriptors(&resident.broker()));
        let mut client = resident.client(None);
        let words = client.does("order", json!({ "group": "idle", "orders": [cell(json!({ "wall_ms": 300 }))] }));
        assert_eq!((&words[0]["grant"], &words[0]["descriptors"]), (&json!("cell"), &json!(3)));
        let report = client.does("hear", json!({ "group": "idle", "patience_s": 15 }))[0].clone();
        assert!(report.to_string().contains("time"), "{report}");
        drop(client);
        resident.is_as_before(&broker, descriptors);
    }
}

/// Files, and links that lead away from them; gives the data directory.
fn lay_traps(resident: &Resident) -> String {
    let data = resident.place.data();
    for file in ["jobs/job/file", "datasets/set/file"] {
        resident.place.file(&format!("data/{file}"), "a file");
    }
    let links = [
        ("jobs/link-to-etc", "/etc"),
        ("jobs/job/link-to-passwd", "/etc/passwd"),
        ("jobs/job/link-to-file", "file"),
        ("datasets/set/link-to-passwd", "/etc/passwd"),
        ("datasets/link-to-job", "../jobs/job"),
    ];
    for (link, target) in links {
        symlink(target, data.join(link)).unwrap();
    }
    assert!(Command::new("mkfifo").arg(data.join("jobs/job/pipe")).status().unwrap().success());
    assert!(fs::symlink_metadata("/etc/passwd").unwrap().is_file());
    data.to_str().unwrap().to_string()
}
