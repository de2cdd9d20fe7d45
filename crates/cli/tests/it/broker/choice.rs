//! Who uses a broker, and whose: a matter of the setting, the build and the user; and what is said about it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::leftovers::processes_of;
use crate::support::resident::{Resident, with_one_broker};
use crate::support::started::until;
use crate::support::{Place, User, ordinary_user_is_possible};

with_one_broker! {
    slow
    fn the_second_command_is_warm(resident) {
        let before = resident.status();
        for profile in ["task", "analysis"] {
            let document = resident.run("print(6 * 7)", &["--profile", profile]);
            assert_eq!((&document["stdout"], &document["isolation"]["warm"]), (&json!("42\n"), &json!(true)), "{document}");
        }
        let after = resident.status();
        let grown = |field: &str| after[field].as_u64().unwrap() - before[field].as_u64().unwrap();
        assert_eq!((grown("hits"), grown("misses"), grown("refused")), (2, 0, 0), "{before} {after}");
        let fields = "running_broker socket pid uptime_s ready idle forming running waiting hits misses refused made failed \
            zygotes refill_ms worker_bytes memory trouble";
        for field in fields.split_whitespace() {
            assert!(after.get(field).is_some(), "{field} is not in {after}");
        }
        assert!(after["ready"] == true && after["worker_bytes"].as_u64() > Some(0) && after["made"].as_u64() > Some(0));
    }

    fn switched_off_it_is_not_used(resident) {
        let served = |status: &Value| [&status["hits"], &status["misses"]].map(|count| count.as_u64().unwrap());
        let before = served(&resident.status());
        let document = resident.call("print(6 * 7)", &[]).env("ASSAY_BROKER", "off").run().document();
        assert_eq!((&document["stdout"], &document["isolation"]["warm"]), (&json!("42\n"), &json!(false)), "{document}");
        let off = resident.assay(["sandbox", "stop", "--json"]).env("ASSAY_BROKER", "off").run().exits(0);
        assert!(off.stdout.contains("\"stopped\":false"), "{}", off.stdout);
        let probe = resident.assay(["sandbox", "probe", "--json"]).run().exits(0);
        let probe: Value = serde_json::from_str(&probe.stdout).unwrap();
        assert_eq!((&probe["kind"], &probe["ok"], &probe["tier"]), (&json!("probe"), &json!(true), &json!("namespaces")));
        assert_eq!(served(&resident.status()), before, "the probe tries a cell of its own");
    }

    fn the_doctor_says_what_there_is(resident) {
        let here = broker_check(&resident.place, "on");
        assert_eq!((&here["status"], &here["required"], &here["fix"]), (&json!("ok"), &json!(false), &Value::Null));
        let found = here["found"].as_str().unwrap();
        assert!(found.ends_with(" idle workers") && !found.starts_with('0'), "{here}");
        let off = broker_check(&resident.place, "off");
        assert_eq!((&off["status"], &off["found"]), (&json!("missing"), &json!("off")));
        assert!(off["fix"].as_str().unwrap().contains("ASSAY_BROKER=on"), "{off}");
        let text = resident.assay(["sandbox", "status"]).run().exits(0).stdout;
        let words = [format!("broker {}", resident.broker().pid), "idle".into(), "hits".into(), "misses".into()];
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }

    fn another_build_has_another_broker(resident) {
        let (broker, before) = (resident.broker(), resident.status());
        // The same program in another file is another build to those who cannot look inside.
        let copy = resident.place.path("assay-copy");
        fs::copy(resident.place.program(), &copy).unwrap();
        let other = |arguments: &[&str]| {
            let ran = resident.by(&copy, resident.assay(arguments).arg("--json")).run();
            serde_json::from_str::<Value>(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr))
        };
        let status = other(&["sandbox", "status"]);
        assert_eq!(status["running_broker"], false, "{status}");
        assert_ne!(status["socket"], before["socket"]);
        let program = resident.place.file("programs/other.py", "print(6 * 7)");
        let document = other(&["sandbox", "run", program.to_str().unwrap()]);
        assert_eq!((&document["stdout"], &document["isolation"]["warm"]), (&json!("42\n"), &json!(false)), "{document}");
        until("the other's broker is there", || (other(&["sandbox", "status"])["ready"] == true).then_some(()));
        assert_ne!(other(&["sandbox", "status"])["pid"], before["pid"]);
        assert_eq!(resident.status()["hits"], before["hits"], "an order of another build");
        assert_eq!(other(&["sandbox", "stop"])["stopped"], true);
        until("the other's broker is gone", || (other(&["sandbox", "status"])["running_broker"] == false).then_some(()));
        assert_eq!(resident.broker(), broker, "each stops its own");
        assert!(resident.runs_right());
    }

    fn stop_says_whether_there_was_one(resident) {
        let broker = resident.broker();
        assert!(resident.stop());
        until("it is gone", || (!broker.is_alive() && processes_of(&resident.place).is_empty()).then_some(()));
        assert!(!resident.stop());
        assert_eq!(resident.status()["running_broker"], false);
        let text = resident.assay(["sandbox", "status"]).run().exits(1).stdout;
        assert!(text.contains("no broker is resident"), "{text}");
        let none = broker_check(&resident.place, "on");
        assert_eq!((&none["status"], &none["found"], &none["required"]), (&json!("missing"), &json!("none"), &json!(false)));
        assert!(processes_of(&resident.place).is_empty(), "to ask about a broker starts none");
    }
}

/// What the doctor says about the broker. He looks at the rest, too, and it must be well.
#[track_caller]
fn broker_check(place: &Place, broker: &str) -> Value {
    let doctor = place.assay(["doctor", "--json"]).env("ASSAY_BROKER", broker).run().exits(0).document();
    let mut checks = doctor["checks"].as_array().unwrap().iter();
    checks.find(|check| check["id"] == "broker").expect("a check of the broker").clone()
}

#[test]
fn two_users_never_meet() {
    if !ordinary_user_is_possible("two_users_never_meet") {
        return;
    }
    let resident = Resident::of(User::Ordinary);
    let (broker, before) = (resident.broker(), resident.status());
    let root = Place::new();
    let program = root.file("program.py", "print(6 * 7)");
    // Root may write everywhere, so it could use the other's socket, and must not.
    let run = |runtime: Option<&str>| {
        let call = root.assay(["sandbox", "run", program.to_str().unwrap(), "--json"]).env("ASSAY_BROKER", "on");
        let call = match runtime {
            Some(runtime) => call.env("XDG_RUNTIME_DIR", runtime),
            None => call.env("ASSAY_DATA_DIR", resident.place.data()),
        };
        let document = call.run().exits(0).document();
        assert_eq!(
            (&document["stdout"], &document["isolation"]["warm"]),
            (&json!("42\n"), &json!(false)),
            "{document}"
        );
        until("nothing of root's runs", || processes_of(&root).is_empty().then_some(()));
    };
    run(None);
    // A folder for the sockets of a login that somebody else took first.
    let runtime = root.folder("runtime");
    let taken = runtime.join("assay");
    fs::create_dir(&taken).unwrap();
    fs::set_permissions(&taken, PermissionsExt::from_mode(0o700)).unwrap();
    std::os::unix::fs::chown(&taken, Some(crate::support::ORDINARY_ID), None).unwrap();
    run(runtime.to_str());
    assert_eq!(fs::read_dir(&taken).unwrap().count(), 0);
    let after = resident.status();
    assert_eq!((&after["hits"], &after["misses"]), (&before["hits"], &before["misses"]), "root's order was served");
    assert_eq!(resident.broker(), broker);
}

/// A shell's background job ignores signals, and a careful user's files are for nobody else: neither is a program's business.
#[test]
fn who_started_the_broker_does_not_show_in_programs() {
    let resident = Resident::without_broker(User::Own);
    let code = "import os, signal\nasked = (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM)\n\
        print([one.name for one in asked if signal.getsignal(one) != signal.SIG_DFL], oct(os.umask(0)))";
    let run = || resident.after("trap '' HUP QUIT TERM; umask 077", resident.call(code, &[])).run().document();
    let is_warm = |document: &Value| document["isolation"]["warm"] == true;
    let cold = run();
    let warm = until("a broker is there", || Some(run()).filter(is_warm));
    assert_eq!((&cold["stdout"], &warm["stdout"]), (&json!("[] 0o22\n"), &json!("[] 0o22\n")));
    assert!(!is_warm(&cold));
    resident.stop();
}
