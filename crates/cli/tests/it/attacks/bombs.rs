//! Programs that a cell must end, or that must come to their own end in spite of what they met. One cell each.

use std::time::Duration;

use serde_json::{Value, json};

use super::OPEN;
use super::setting::{Attacked, Setting, for_each_setting};
use Ends::{Exits, Fails, Killed, KilledByEither, Prints, Signal};

pub const TEXT: &str = include_str!("bombs.py");

/// Longer than any limit given here, and with room for a busy machine.
const ELAPSED_MAX: Duration = Duration::from_secs(15);
const OUTPUT_KEPT_BYTES: usize = 1 << 20;

/// How a program comes to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ends {
    /// By reaching this limit.
    Killed(&'static str),
    /// By reaching one of these, whichever is first.
    KilledByEither(&'static str, &'static str),
    /// Well, and with this as its last line.
    Prints(&'static str),
    /// By an exception of this type.
    Fails(&'static str),
    /// With this status.
    Exits(i32),
    /// By this signal.
    Signal(i32),
}

impl Ends {
    fn is(self, document: &Value) -> bool {
        let found = (&document["outcome"], &document["killed_by"], &document["exit_code"], &document["signal"]);
        match self {
            Killed(by) => found == (&json!("killed"), &json!(by), &Value::Null, &json!(9)),
            KilledByEither(one, other) => Killed(one).is(document) || Killed(other).is(document),
            Prints(line) => {
                let last = document["stdout"].as_str().unwrap().lines().last().unwrap_or_default();
                found == (&json!("ok"), &Value::Null, &json!(0), &Value::Null) && last.starts_with(line)
            }
            Fails(kind) => document["outcome"] == "failed" && document["error"]["type"] == kind,
            Exits(status) => found == (&json!("failed"), &Value::Null, &json!(status), &Value::Null),
            Signal(number) => found == (&json!("failed"), &Value::Null, &Value::Null, &json!(number)),
        }
    }
}

/// Runs one function of the bombs and holds its end against what it must be.
#[track_caller]
fn ends(setting: Setting, name: &str, flags: &[&str], expected: Ends) -> Attacked {
    ends_watched(setting, name, flags, expected, expected)
}

/// The same where watched cells end otherwise than bounded ones.
#[track_caller]
fn ends_watched(setting: Setting, name: &str, flags: &[&str], bounded: Ends, watched: Ends) -> Attacked {
    let attacked = setting.ground().attack(&format!("{name}.py"), &format!("{TEXT}\n{name}()\n"), flags);
    let expected = if attacked.is_bounded() { bounded } else { watched };
    let is_open = OPEN.iter().any(|(open, when, _)| *open == name && attacked.is(*when));
    assert_eq!(expected.is(&attacked.document), !is_open, "{expected:?}, open: {is_open}: {}", attacked.document);
    assert!(attacked.elapsed < ELAPSED_MAX, "{:?}", attacked.elapsed);
    attacked
}

#[track_caller]
fn floods(setting: Setting, name: &str, stream: &str) {
    let document = ends(setting, name, &["--time", "60s"], Killed("output")).document;
    assert_eq!(document[stream].as_str().unwrap().len(), OUTPUT_KEPT_BYTES);
    assert_eq!(document[format!("{stream}_truncated")], true);
}

/// Makes tests of bombs, and the list of their names.
macro_rules! bombs {
    ($(fn $name:ident($setting:ident) $body:block)*) => {
        /// As the Python text has them.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
        for_each_setting! { $(fn $name($setting) $body)* }
    };
}

const SMALL: &[&str] = &["--memory", "64M"];
const SHORT: &[&str] = &["--time", "600ms"];

bombs! {
    fn fork_without_end(setting) {
        // Refusing a fork takes the longer the more memory the one who forks has mapped, and a warm one has much.
        let (time, ends) = match (setting.speed, setting.user) {
            (Speed::Cold, User::Own) => ("10s", Killed("processes")),
            (Speed::Warm, User::Own) => ("3s", KilledByEither("processes", "time")),
            (_, User::Ordinary) => ("3s", KilledByEither("processes", "time")),
        };
        ends_watched(setting, "fork_without_end", &["--time", time], ends, Killed("time"));
    }
    fn threads_beyond_the_limit(setting) { ends(setting, "threads_beyond_the_limit", &[], Prints("True")); }
    fn zombies_that_nobody_reaps(setting) { ends(setting, "zombies_that_nobody_reaps", &[], Prints("True")); }

    fn memory_by_objects(setting) {
        let attacked = ends(setting, "memory_by_objects", SMALL, Killed("memory"));
        let peak = attacked.document["usage"]["memory_peak_bytes"].as_u64().unwrap();
        assert!(peak < 256 << 20, "{peak} bytes before it was seen");
    }
    fn memory_by_many_processes(setting) {
        ends(setting, "memory_by_many_processes", &["--memory", "96M"], Killed("memory"));
    }
    fn memory_by_shared_mappings(setting) {
        ends_watched(setting, "memory_by_shared_mappings", SMALL, Killed("memory"), Fails("PermissionError"));
    }
    fn memory_that_only_a_dead_child_touched(setting) {
        let name = "memory_that_only_a_dead_child_touched";
        ends_watched(setting, name, SMALL, Killed("memory"), Fails("PermissionError"));
    }
    fn memory_by_files_in_memory(setting) {
        ends_watched(setting, "memory_by_files_in_memory", SMALL, Killed("memory"), Fails("PermissionError"));
    }
    fn memory_by_scratch_files(setting) { ends(setting, "memory_by_scratch_files", SMALL, Killed("memory")); }
    fn memory_by_removed_scratch_files(setting) {
        ends(setting, "memory_by_removed_scratch_files", SMALL, Killed("memory"));
    }
    fn memory_by_sockets(setting) { ends(setting, "memory_by_sockets", SMALL, Killed("memory")); }
    fn an_allocation_that_is_refused(setting) {
        ends(setting, "an_allocation_that_is_refused", &[], Prints("refused"));
    }

    fn writing_without_end(setting) { ends(setting, "writing_without_end", &[], Prints("28 True")); }
    fn small_files_without_end(setting) { ends(setting, "small_files_without_end", &[], Prints("28 True")); }

    fn output_without_end(setting) { floods(setting, "output_without_end", "stdout"); }
    fn errors_without_end(setting) { floods(setting, "errors_without_end", "stderr"); }
    fn output_on_both_by_many(setting) { floods(setting, "output_on_both_by_many", "stdout"); }

    fn spinning_with_all_signals_ignored(setting) {
        ends(setting, "spinning_with_all_signals_ignored", SHORT, Killed("time"));
    }
    fn sleeping_with_all_signals_blocked(setting) {
        let attacked = ends(setting, "sleeping_with_all_signals_blocked", SHORT, Killed("time"));
        let in_time = Duration::from_millis(600)..Duration::from_secs(6);
        assert!(in_time.contains(&attacked.elapsed), "{:?}", attacked.elapsed);
    }
    fn spinning_in_two_processes(setting) { ends(setting, "spinning_in_two_processes", SHORT, Killed("time")); }
    fn stopping_itself(setting) { ends(setting, "stopping_itself", SHORT, Killed("time")); }
    fn closing_all_and_sleeping(setting) { ends(setting, "closing_all_and_sleeping", SHORT, Killed("time")); }
    fn closing_all_and_ending(setting) { ends(setting, "closing_all_and_ending", &[], Prints("")); }

    fn a_daemon(setting) { ends(setting, "a_daemon", &[], Prints("done")); }
    fn daemons_that_ignore_signals(setting) { ends(setting, "daemons_that_ignore_signals", &[], Prints("done")); }
    fn a_daemon_that_holds_the_output(setting) { ends(setting, "a_daemon_that_holds_the_output", &[], Prints("")); }

    fn a_call_of_another_machine(setting) { ends(setting, "a_call_of_another_machine", &[], Signal(31)); }

    // A program shares the channel that its kernel answers on. What it says there may spoil its own result, and nothing
    // else: no hang, no crash, no outcome that the exit status does not bear out.
    fn a_false_result(setting) { ends(setting, "a_false_result", &[], Exits(5)); }
    fn a_frame_of_any_length(setting) { ends(setting, "a_frame_of_any_length", &[], Exits(5)); }
    fn a_frame_of_another_kind(setting) { ends(setting, "a_frame_of_another_kind", &[], Exits(5)); }
    fn a_frame_nested_too_deep(setting) { ends(setting, "a_frame_nested_too_deep", &[], Exits(5)); }
    fn a_closed_channel(setting) { ends(setting, "a_closed_channel", &[], Exits(5)); }
    fn half_a_frame(setting) { ends(setting, "half_a_frame", SHORT, Killed("time")); }
    fn frames_without_end(setting) { ends(setting, "frames_without_end", SHORT, Killed("time")); }
}

#[test]
fn every_bomb_goes_off() {
    let callable = TEXT.split("\ndef ").skip(1).filter_map(|rest| rest.split_once('(')).map(|(name, _)| name);
    let missing: Vec<&str> = callable.filter(|name| !NAMES.contains(name) && *name != "ignore_all_signals").collect();
    assert_eq!(missing, Vec::<&str>::new());
    assert_eq!(NAMES.len(), 34);
}
