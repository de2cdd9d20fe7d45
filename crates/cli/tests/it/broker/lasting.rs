//! Ten thousand programs, of which some fail, some are killed, some leave files or daemons behind, while zygotes and
//! brokers are killed in between: every program gets its own result, and nothing is left, grown or lost on the way.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sandbox::{CellOptions, Execution, Input, KilledBy, Outcome, Policy, Sandbox};

use crate::support::resident::{Process, Resident, count_descriptors, mounts, zygote_of};
use crate::support::started::until;
use crate::support::{User, ordinary_user_is_possible, slow_is_wanted};

const AT_ONCE: usize = 8;
/// What the broker's memory may grow by, which is what its allocator keeps.
const GROWTH_BYTES_MAX: u64 = 4 << 20;

#[test]
fn ten_thousand_programs() {
    if slow_is_wanted("ten_thousand_programs") {
        last(User::Own, 5_000, 5_000);
    }
}

#[test]
fn a_few_hundred_programs() {
    last(User::Own, 150, 150);
}

/// Some programs with kills in between, and some without any, after which nothing may have grown.
fn last(user: User, disturbed: usize, calm: usize) {
    let before = mounts();
    let resident = Resident::of(user);
    resident.place.file("data/datasets/lasting/given.txt", "given");
    let bench = Bench { resident, tally: Mutex::default() };
    bench.runs(0..disturbed, true);
    bench.resident.settled();
    bench.runs(disturbed..disturbed + AT_ONCE * 4, false);
    let (broker, small) = bench.sizes();
    bench.runs(disturbed + AT_ONCE * 4..disturbed + calm, false);
    let large = until("the broker is no larger than before", || {
        let (now, large) = bench.sizes();
        assert_eq!(now, broker, "it is another broker");
        (large.descriptors <= small.descriptors && large.mounts <= small.mounts).then_some(large)
    });
    eprintln!("broker and zygote before and after {calm} programs: {small:?} {large:?}");
    assert!(large.bytes <= small.bytes + GROWTH_BYTES_MAX, "{small:?} {large:?}");
    bench.resident.leaves_nothing();
    let more: Vec<String> = mounts().difference(&before).cloned().collect();
    assert!(more.is_empty(), "mounts: {more:?}");
}

/// What must not grow.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    descriptors: [usize; 2],
    mounts: usize,
    bytes: u64,
}

/// How many programs came out how.
#[derive(Debug, Default)]
struct Tally {
    warm: usize,
    cold: usize,
    lost: usize,
    busy: usize,
    kills: usize,
}

struct Bench {
    resident: Resident,
    tally: Mutex<Tally>,
}

impl Bench {
    /// Runs the programs with these numbers, so many at a time.
    #[track_caller]
    fn runs(&self, numbers: std::ops::Range<usize>, disturbed: bool) {
        let begin = Instant::now();
        *self.tally.lock().unwrap() = Tally::default();
        let next = AtomicUsize::new(numbers.start);
        thread::scope(|scope| {
            let workers: Vec<_> = (0..AT_ONCE)
                .map(|worker| {
                    scope.spawn({
                        let (next, end) = (&next, numbers.end);
                        move || self.work(worker, next, end)
                    })
                })
                .collect();
            if disturbed {
                self.disturb(
                    &|| match workers.iter().all(|worker| worker.is_finished()) {
                        true => numbers.end,
                        false => next.load(Ordering::Relaxed),
                    },
                    &numbers,
                );
            }
            workers.into_iter().for_each(|worker| worker.join().expect("as told above"));
        });
        let (tally, seconds) = (self.tally.lock().unwrap(), begin.elapsed().as_secs_f64());
        let rate = numbers.len() as f64 / seconds;
        eprintln!("programs {numbers:?}: {seconds:.0} s, {rate:.0} per second, {tally:?}");
        assert!(tally.lost <= tally.kills * AT_ONCE, "more are lost than were at work when something died: {tally:?}");
        assert_eq!(tally.busy, 0, "{tally:?}");
        assert!(disturbed || tally.cold == 0, "nothing was in the way of a warm cell: {tally:?}");
    }

    /// Kills zygotes and brokers at even distances, twice as many of the former.
    fn disturb(&self, reached: &dyn Fn() -> usize, numbers: &std::ops::Range<usize>) {
        const KILLS: usize = 9;
        for kill in 1..=KILLS {
            let due = numbers.start + numbers.len() * kill / (KILLS + 1);
            while reached() < due {
                thread::sleep(Duration::from_millis(20));
            }
            let Some(broker) = self.resident.broker_now() else { continue };
            let victim = if kill % 3 == 0 { Some(broker) } else { zygote_of(&broker) };
            let Some(victim) = victim else { continue };
            victim.signal("KILL");
            self.tally.lock().unwrap().kills += 1;
            // By way of the command, which starts a broker where none is.
            self.resident.runs_right();
        }
    }

    fn work(&self, worker: usize, next: &AtomicUsize, end: usize) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let out = self.resident.place.folder(&format!("left-{worker}"));
        runtime.block_on(async {
            let sandbox = self.resident.sandbox().await;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    return;
                }
                self.one(&sandbox, number, &out).await;
            }
        });
    }

    /// One program of twenty kinds, and what must come of it.
    async fn one(&self, sandbox: &Sandbox, number: usize, out: &Path) {
        let (code, wall_ms) = program(number);
        let given = self.resident.place.data().join("datasets/lasting/given.txt");
        let options = CellOptions {
            out: Some(out.to_path_buf()),
            inputs: vec![Input { name: "given.txt".into(), path: given }],
            ..CellOptions::of(Policy { wall_ms, ..Policy::task() })
        };
        let executed = sandbox::execute(sandbox, &code, "lasting.py", options).await;
        let mut tally = self.tally.lock().unwrap();
        match executed {
            Err(sandbox::Error::Busy(_)) => tally.busy += 1,
            Err(error) => panic!("{number}: {error}"),
            Ok(execution) if execution.outcome == Outcome::Lost => tally.lost += 1,
            Ok(execution) => {
                let warm = execution.isolation.as_ref().is_some_and(|isolation| isolation.warm);
                *if warm { &mut tally.warm } else { &mut tally.cold } += 1;
                drop(tally);
                is_own(number, &execution, out);
            }
        }
    }

    /// How large the broker and its zygote are, at rest.
    #[track_caller]
    fn sizes(&self) -> (Process, Sizes) {
        let (broker, zygote) = (self.resident.broker(), self.resident.zygote());
        let lines = fs::read_to_string(format!("/proc/{}/mountinfo", broker.pid)).unwrap();
        let sizes = Sizes {
            descriptors: [&broker, &zygote].map(count_descriptors),
            mounts: lines.lines().count(),
            bytes: resident_bytes(&broker),
        };
        (broker, sizes)
    }
}

/// A program, and how long it may take.
fn program(number: usize) -> (String, u64) {
    let say = format!("print({number}, open('input/given.txt').read())\n");
    let code = match number % 20 {
        0 => "raise ValueError('on purpose')\n",
        1 => "import time; time.sleep(30)\n",
        2 => "import os; os.mkdir('out/below'); open('out/below/own.txt', 'w').write(str(NUMBER))\n",
        3 => {
            "import os, time\nif not os.fork():\n    os.setsid()\n    if not os.fork():\n        time.sleep(100)\n    os._exit(0)\n"
        }
        4 => "import os; os._exit(3)\n",
        5 => "print('x' * 300_000)\n",
        6 => "import os; os.kill(os.getpid(), 9)\n",
        7 => "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n",
        8 => "open('/tmp/large', 'wb').write(bytes(20_000_000))\n",
        _ => "",
    };
    let code = code.replace("NUMBER", &number.to_string());
    (format!("{say}import sys; sys.stdout.flush()\n{code}"), if number % 20 == 1 { 300 } else { 20_000 })
}

#[track_caller]
fn is_own(number: usize, execution: &Execution, out: &Path) {
    let what = format!("program {number}: {execution:?}");
    let expected = match number % 20 {
        0 | 4 | 6 => Outcome::Failed,
        1 => Outcome::Killed,
        _ => Outcome::Ok,
    };
    assert_eq!(execution.outcome, expected, "{what:.1000}");
    assert!(execution.stdout.starts_with(&format!("{number} given\n")), "{what:.1000}");
    match number % 20 {
        1 => assert_eq!(execution.killed_by, Some(KilledBy::Time), "{what}"),
        2 => {
            let left = fs::read_to_string(out.join("below/own.txt")).expect("the file came back");
            assert_eq!((left, execution.files.len()), (number.to_string(), 1), "{what}");
            fs::remove_dir_all(out.join("below")).unwrap();
        }
        4 => assert_eq!(execution.exit_code, Some(3), "{what}"),
        6 => assert_eq!(execution.signal, Some(9), "{what}"),
        _ => assert!(execution.files.is_empty(), "{what:.1000}"),
    }
}

fn resident_bytes(process: &Process) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", process.pid)).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a process has memory");
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).expect("a number") * 1024
}

#[test]
fn hundreds_of_commands_of_an_ordinary_user() {
    let name = "hundreds_of_commands_of_an_ordinary_user";
    if slow_is_wanted(name) && ordinary_user_is_possible(name) {
        // In this process the sandbox is that of whoever runs the tests, so commands do the work.
        let resident = Resident::of(User::Ordinary);
        let (broker, descriptors) = (resident.broker(), count_descriptors(&resident.broker()));
        let warm = (0..300).filter(|_| resident.runs_right()).count();
        assert!(warm >= 295, "only {warm} were warm");
        resident.is_as_before(&broker, descriptors);
        resident.leaves_nothing();
    }
}
