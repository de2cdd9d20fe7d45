//! Runs the checks of a class in one cell and holds what they came to against what they must come to.

use std::collections::BTreeMap;
use std::fs;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use sandbox::Layer;
use serde::Deserialize;
use serde_json::{Value, json};

use super::OPEN;
use super::setting::{Attacked, Ground, Setting};
use crate::support::Place;

const PRELUDE: &str = include_str!("prelude.py");
const NAMESPACES: [&str; 7] = ["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"];

/// What a check may prove besides a layer that can be left out: with what processes are started.
const START: &str = "start";

/// Checks that run together.
#[derive(Clone, Copy)]
pub struct Class {
    pub name: &'static str,
    pub text: &'static str,
}

impl Class {
    /// The names of its checks, as the text has them.
    pub fn names(&self) -> Vec<&'static str> {
        let after = self.text.split("@check(").skip(1);
        after.filter_map(|rest| rest.split_once("def ")?.1.split_once('(')).map(|(name, _)| name).collect()
    }
}

/// What one check came to.
#[derive(Debug, Deserialize)]
pub struct Check {
    pub name: String,
    layer: String,
    expected: String,
    watched: String,
    came: String,
}

/// Something of the host that a program must not reach; gone when dropped.
pub struct Host {
    facts: Value,
    _listeners: Vec<UnixListener>,
}

impl Host {
    pub fn of(place: &Place) -> Host {
        let secret = place.file("secret.txt", "the host's own");
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let path = place.path(format!("listens-{}", MADE.fetch_add(1, Ordering::Relaxed)));
        let by_path = UnixListener::bind(&path).expect("a socket");
        fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).expect("our own socket");
        let name = path.to_string_lossy().into_owned();
        let address = SocketAddr::from_abstract_name(&name).expect("a short name");
        let by_name = UnixListener::bind_addr(&address).expect("a socket");
        let namespaces =
            NAMESPACES.map(|kind| (kind, fs::read_link(format!("/proc/self/ns/{kind}")).expect("our own")));
        let source = std::env::current_dir().expect("tests run in their crate's folder");
        let facts = json!({
            "home": std::env::var("HOME").unwrap_or("/root".into()),
            "source": source,
            "secret_file": secret,
            "socket": path,
            "abstract": name,
            "namespaces": BTreeMap::from(namespaces),
            "process": std::process::id(),
            "host_words": [ending(&environment_of(place)), ending(&place.path("")), source],
        });
        Host { facts, _listeners: vec![by_path, by_name] }
    }

    /// The program of some classes; `more` facts, and what it ends with.
    pub fn program(&self, classes: &[Class], more: Value, last: &str) -> String {
        let mut facts = self.facts.clone();
        facts.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        // A JSON text of a JSON text is a Python literal, too.
        let facts = json!(facts.to_string());
        let texts: String = classes.iter().map(|class| format!("\n{}\n", class.text)).collect();
        format!("import json\nFACTS = json.loads({facts})\n{PRELUDE}\n{texts}\n{last}\n")
    }
}

/// Where that place's Python environment lies, also where the folder that its commands name holds links.
pub fn environment_of(place: &Place) -> std::path::PathBuf {
    let call = place.assay(["--version"]);
    let found = call.environment().find(|(name, _)| *name == "ASSAY_ENV_DIR").map(|(_, value)| Path::new(value));
    let named = found.expect("every call names it");
    let sets = std::fs::read_dir(named).expect("an environment").flatten();
    let mut cores = sets.filter(|set| set.file_name().to_string_lossy().starts_with("core-"));
    let core = cores.next().expect("the set that all have").path().canonicalize().expect("it is there");
    core.parent().expect("it lies in a folder").to_path_buf()
}

/// The end of a path, which no other path is likely to share.
fn ending(path: &Path) -> String {
    let mut names: Vec<String> = path.iter().rev().take(2).map(|name| name.to_string_lossy().into_owned()).collect();
    names.reverse();
    names.join("/")
}

/// All checks of the class hold in this setting.
#[track_caller]
pub fn hold(setting: Setting, class: &Class) {
    let ground = setting.ground();
    let host = Host::of(ground.place());
    let attacked = ground.attack("attack.py", &host.program(&[*class], json!({}), "report()"), &[]);
    judge(&ground, &attacked, class);
}

/// What a program of checks printed must be what they must come to, but for what is open.
#[track_caller]
pub fn judge(ground: &Ground, attacked: &Attacked, class: &Class) {
    let document = &attacked.document;
    assert_eq!(document["outcome"], "ok", "{document}");
    let checks = printed(document["stdout"].as_str().unwrap());
    let names: Vec<&str> = checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, class.names(), "every check tells what it came to");
    checks.iter().for_each(names_a_layer);
    let open = |check: &Check| OPEN.iter().find(|(name, when, _)| *name == check.name && attacked.is(*when));
    let (holding, failing): (Vec<&Check>, Vec<&Check>) =
        checks.iter().partition(|check| check.holds(attacked.is_bounded()));
    let broken: Vec<String> = failing.iter().filter(|check| open(check).is_none()).map(|check| check.told()).collect();
    assert!(broken.is_empty(), "{} in {:?}:\n{}", class.name, ground.setting, broken.join("\n"));
    let mended: Vec<&str> =
        holding.iter().filter(|check| open(check).is_some()).map(|check| check.name.as_str()).collect();
    assert!(mended.is_empty(), "{mended:?} hold now: take them off the list of open ones");
}

/// What the checks of a program came to.
#[track_caller]
pub fn printed(stdout: &str) -> Vec<Check> {
    let line = stdout.lines().find_map(|line| line.strip_prefix("checks "));
    let line = line.unwrap_or_else(|| panic!("no results: {stdout}"));
    serde_json::from_str(line).expect("a list of checks")
}

fn names_a_layer(check: &Check) {
    let layer: Result<Layer, _> = serde_json::from_value(json!(check.layer));
    assert!(layer.is_ok() || check.layer == START, "{} names no layer: {}", check.name, check.layer);
}

impl Check {
    pub fn holds(&self, is_bounded: bool) -> bool {
        self.came == *if is_bounded { &self.expected } else { &self.watched }
    }

    pub fn told(&self) -> String {
        let came: String = self.came.chars().take(200).collect();
        let Check { name, layer, expected, watched, .. } = self;
        let must = if expected == watched { expected.clone() } else { format!("{expected} (watched: {watched})") };
        format!("  {name} ({layer}) must come to {must}, came to {came}")
    }
}
