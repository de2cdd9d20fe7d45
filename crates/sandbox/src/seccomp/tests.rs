//! The filter's bytes, run by an interpreter of our own, against the rules read one by one; and once by the kernel.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::{fs, io, thread};

use libc::*;

use super::program::{ARCHITECTURE, Answer, Rule, Rules, Test, compile, to_bytes};
use super::{list, program};
use crate::policy::Profile;
use crate::sys;

/// Set in the numbers of the table of calls with 32-bit pointers.
const OTHER_TABLE: u32 = 1 << 30;
const PLACES: [(Profile, bool); 6] = [
    (Profile::Analysis, true),
    (Profile::Analysis, false),
    (Profile::Task, true),
    (Profile::Task, false),
    (Profile::Ingest, true),
    (Profile::Ingest, false),
];

/// What the kernel tells a filter about a call, as it lies in memory.
fn described(architecture: u32, call: u32, arguments: [u64; 6]) -> Vec<u8> {
    let mut bytes = [call.to_ne_bytes(), architecture.to_ne_bytes(), [0; 4], [0; 4]].concat();
    bytes.extend(arguments.iter().flat_map(|argument| argument.to_ne_bytes()));
    bytes
}

/// Runs a program; the answer, and whether an argument was looked at. Panics on what the kernel would not take, or would
/// not work through at installation.
fn run(program: &[u8], call: &[u8]) -> (u32, bool) {
    let word = |bytes: &[u8], at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let (mut next, mut loaded, mut looked) = (0, 0, false);
    loop {
        let one = &program[next * 8..next * 8 + 8];
        let (code, k) = (u16::from_ne_bytes([one[0], one[1]]), word(one, 4));
        let branch = |holds: bool| usize::from(if holds { one[2] } else { one[3] });
        next += 1;
        match code {
            0x20 => {
                looked |= k >= 16;
                loaded = word(call, k as usize);
            }
            0x05 => next += k as usize,
            0x15 => next += branch(loaded == k),
            0x35 => next += branch(loaded >= k),
            0x45 => next += branch(loaded & k != 0),
            0x06 => return (k, looked),
            other => panic!("unexpected instruction {other:#x}"),
        }
    }
}

fn coded(answer: Answer) -> u32 {
    match answer {
        Answer::Allow => 0x7fff_0000,
        Answer::Errno(number) => 0x0005_0000 + number as u32,
        Answer::Kill => 0x8000_0000,
    }
}

/// What the rules say, read from the first to the last.
fn expected(rules: &Rules, call: u32, arguments: [u64; 6]) -> Answer {
    match rules.get(&call) {
        None => list::OTHERWISE,
        Some(Rule::Always(answer)) => *answer,
        Some(Rule::Argument { index, tests, otherwise }) => {
            let argument = arguments[*index] as u32;
            let holds = |test: Test| match test {
                Test::Is(value) => argument == value,
                Test::HasAny(bits) => argument & bits != 0,
                Test::HasAll(bits) => argument & bits == bits,
            };
            tests.iter().find(|(test, _)| holds(*test)).map_or(*otherwise, |(_, answer)| *answer)
        }
    }
}

/// Every value that a rule asks for, its neighbours, its single bits, and all of them with a high half.
fn values(rules: &Rules) -> BTreeSet<u64> {
    let mut values = BTreeSet::from([0, 1, u64::MAX, 1 << 32, u64::from(u32::MAX)]);
    for rule in rules.values() {
        let Rule::Argument { tests, .. } = rule else { continue };
        for (Test::Is(value) | Test::HasAny(value) | Test::HasAll(value), _) in tests {
            let bits = (0..32).map(|bit| value & (1 << bit));
            let near = [*value, value.wrapping_sub(1), value.wrapping_add(1), !value];
            values.extend(bits.chain(near).flat_map(|low| [u64::from(low), u64::from(low) | 5 << 32]));
        }
    }
    values
}

/// Compares program and rules for these calls and every interesting argument.
fn agrees(rules: &Rules, calls: impl IntoIterator<Item = u32>) {
    let program = to_bytes(&compile(rules, list::OTHERWISE));
    let values = values(rules);
    let check = |call: u32, arguments: [u64; 6]| {
        let (answer, looked) = run(&program, &described(ARCHITECTURE, call, arguments));
        assert_eq!(answer, coded(expected(rules, call, arguments)), "call {call:#x}, arguments {arguments:x?}");
        let asks = matches!(rules.get(&call), Some(Rule::Argument { .. }));
        assert_eq!(looked, asks, "call {call:#x} is answered by its number alone, or it is not");
    };
    for call in calls {
        let Some(Rule::Argument { index, .. }) = rules.get(&call) else {
            check(call, [0; 6]);
            check(call, [u64::MAX; 6]);
            continue;
        };
        for &value in &values {
            for others in [0, u64::MAX] {
                let mut arguments = [others; 6];
                arguments[*index] = value;
                check(call, arguments);
            }
        }
    }
}

#[test]
fn the_program_says_what_the_list_says() {
    let odd = [1000, 100_000, i32::MAX as u32, i32::MAX as u32 + 1, u32::MAX];
    for (profile, memory_is_bounded) in PLACES {
        agrees(&list::rules(profile, memory_is_bounded), (0..600).chain(odd));
        let program = program(profile, memory_is_bounded);
        println!("{profile:?}, memory bounded {memory_is_bounded}: {} instructions", program.len() / 8);
        assert!(program.len() / 8 < 400);
        for call in 0..600 {
            let (answer, _) = run(&program, &described(ARCHITECTURE, call | OTHER_TABLE, [0; 6]));
            assert_eq!(answer, coded(Answer::Errno(EPERM)), "call {call} of the other table");
        }
    }
}

#[test]
fn another_architecture_kills() {
    const I386: u32 = 0x4000_0003;
    const ARM_64: u32 = 0xc000_00b7;
    for (profile, memory_is_bounded) in PLACES {
        let program = program(profile, memory_is_bounded);
        for call in 0..600 {
            for architecture in [I386, ARM_64, 0, ARCHITECTURE + 1] {
                let (answer, looked) = run(&program, &described(architecture, call, [0; 6]));
                assert_eq!((answer, looked), (coded(Answer::Kill), false), "call {call} on {architecture:#x}");
            }
        }
    }
}

#[test]
fn long_programs_jump_far() {
    let by = |value: u32| Rule::Argument {
        index: value as usize % 6,
        tests: vec![
            (Test::Is(value), Answer::Errno(1)),
            (Test::HasAll(value | 3), Answer::Kill),
            (Test::HasAny(value << 7), Answer::Errno(2)),
        ],
        otherwise: Answer::Allow,
    };
    let mut rules: Rules = (0..500).map(|call| (call * 2, by(call % 97))).collect();
    rules.extend((1000..1600).filter(|call| call % 3 > 0).map(|call| (call, Rule::Always(Answer::Errno(7)))));
    rules.insert(u32::MAX, by(5));
    assert!(compile(&rules, list::OTHERWISE).len() > 1000, "otherwise this shows nothing");
    agrees(&rules, (0..1700).chain([u32::MAX - 1, u32::MAX]));
    agrees(&Rules::new(), [0, 1, u32::MAX]);
}

#[test]
fn neighbours_with_one_rule_share_one_range() {
    let allow = |calls: &[u32]| -> Rules { calls.iter().map(|&call| (call, Rule::Always(Answer::Allow))).collect() };
    let length = |calls: &[u32]| compile(&allow(calls), list::OTHERWISE).len();
    assert_eq!(length(&[0]), length(&[0, 1, 2, 3]));
    assert_eq!(length(&[5, 6, 7]) + 2, length(&[5, 7]));
}

/// Facts about the list that must hold whatever it looks like: the call, an argument's place and value, the answer.
#[test]
fn what_is_refused_and_how() {
    let refused = Answer::Errno(EPERM);
    let facts: &[(c_long, usize, u64, Answer)] = &[
        (SYS_read, 0, 0, Answer::Allow),
        (SYS_ptrace, 0, 0, refused),
        (SYS_seccomp, 0, 0, refused),
        (SYS_flock, 1, LOCK_SH as u64, refused),
        (SYS_mincore, 0, 0, refused),
        (SYS_inotify_init1, 0, 0, refused),
        (SYS_sched_setattr, 0, 0, refused),
        (SYS_sched_setscheduler, 0, 0, refused),
        (SYS_setpriority, 0, 0, refused),
        (SYS_timer_create, 0, 0, refused),
        (SYS_clone3, 0, 0, Answer::Errno(ENOSYS)),
        (SYS_clone, 0, (CLONE_VM | CLONE_THREAD) as u64, Answer::Allow),
        (SYS_clone, 0, (CLONE_VM | CLONE_NEWUSER) as u64, refused),
        (SYS_clone, 0, CLONE_PTRACE as u64, refused),
        (SYS_socket, 0, AF_UNIX as u64, Answer::Allow),
        (SYS_socket, 0, AF_INET as u64, refused),
        (SYS_socket, 0, AF_INET as u64 | 1 << 32, refused),
        (SYS_socketpair, 0, AF_NETLINK as u64, refused),
        (SYS_setsockopt, 2, SO_SNDBUF as u64, Answer::Allow),
        (SYS_setsockopt, 2, SO_ATTACH_FILTER as u64, refused),
        (SYS_sendmsg, 2, MSG_OOB as u64, Answer::Errno(EOPNOTSUPP)),
        (SYS_sendto, 3, MSG_NOSIGNAL as u64, Answer::Allow),
        (SYS_ioctl, 1, TIOCGWINSZ, Answer::Allow),
        (SYS_ioctl, 1, TIOCSTI, refused),
        (SYS_ioctl, 1, TIOCSTI | 1 << 32, refused),
        (SYS_ioctl, 1, TIOCLINUX, refused),
        (SYS_prctl, 0, PR_SET_NAME as u64, Answer::Allow),
        (SYS_prctl, 0, PR_SET_SECCOMP as u64, refused),
        (SYS_prlimit64, 0, 0, Answer::Allow),
        (SYS_prlimit64, 0, 1, refused),
        (SYS_fcntl, 1, F_DUPFD_CLOEXEC as u64, Answer::Allow),
        (SYS_fcntl, 1, F_SETLEASE as u64, refused),
        (SYS_fcntl, 1, F_NOTIFY as u64, refused),
        (SYS_preadv2, 5, 0, Answer::Allow),
        (SYS_preadv2, 5, RWF_NOWAIT as u64, Answer::Errno(EOPNOTSUPP)),
        (SYS_fadvise64, 3, POSIX_FADV_WILLNEED as u64, Answer::Allow),
        (SYS_fadvise64, 3, POSIX_FADV_DONTNEED as u64, Answer::Errno(0)),
        (SYS_madvise, 2, MADV_DONTNEED as u64, Answer::Allow),
        (SYS_madvise, 2, MADV_MERGEABLE as u64, Answer::Errno(EINVAL)),
        (SYS_madvise, 2, MADV_PAGEOUT as u64, Answer::Errno(EINVAL)),
        (SYS_mmap, 3, (MAP_PRIVATE | MAP_ANONYMOUS) as u64, Answer::Allow),
        (SYS_mmap, 3, MAP_SHARED as u64, Answer::Allow),
        (SYS_mmap, 3, (MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB) as u64, Answer::Errno(ENOMEM)),
    ];
    for (profile, memory_is_bounded) in PLACES {
        let locks = if profile == Profile::Analysis { Answer::Errno(ENOTSUP) } else { Answer::Allow };
        let shared = if memory_is_bounded { Answer::Allow } else { refused };
        let more = [
            (SYS_fcntl, 1, F_SETLK as u64, locks),
            (SYS_fcntl, 1, F_OFD_SETLKW as u64, locks),
            (SYS_mmap, 3, (MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE) as u64, shared),
            (SYS_memfd_create, 1, MFD_CLOEXEC as u64, shared),
            (SYS_memfd_create, 1, MFD_HUGETLB as u64, refused),
        ];
        let program = program(profile, memory_is_bounded);
        for &(call, index, value, answer) in facts.iter().chain(&more) {
            let mut arguments = [0; 6];
            arguments[index] = value;
            let (found, _) = run(&program, &described(ARCHITECTURE, call as u32, arguments));
            assert_eq!(found, coded(answer), "{profile:?} {memory_is_bounded}: call {call}, argument {value:#x}");
        }
    }
}

/// A filter holds for the thread that installs it, so the kernel itself can be asked without harm to the other tests.
#[test]
fn the_kernel_takes_the_program_and_obeys_it() {
    for (profile, memory_is_bounded) in PLACES {
        let filtered = move || {
            let number = |result: io::Result<()>| result.err().and_then(|error| error.raw_os_error());
            let file = fs::File::open("/proc/self/exe").expect("our own program");
            TcpListener::bind("127.0.0.1:0").expect("possible before");
            file.lock_shared().expect("possible before");
            sys::no_new_privileges().expect("always possible");
            super::apply(profile, memory_is_bounded).expect("the kernel takes it");
            let status = fs::read_to_string("/proc/thread-self/status").expect("reading stays");
            assert!(status.contains("Seccomp:\t2"), "{status}");
            assert_eq!(number(TcpListener::bind("127.0.0.1:0").map(drop)), Some(EPERM));
            assert_eq!(number(file.lock_shared()), Some(EPERM));
            assert_eq!(number(super::apply(profile, memory_is_bounded)), Some(EPERM), "a second filter");
            UnixStream::pair().expect("local sockets stay");
            // glibc asks for clone3 first and must be told that there is none.
            assert_eq!(thread::spawn(|| 6 * 7).join().expect("threads stay"), 42);
        };
        thread::spawn(filtered).join().expect("the checks hold");
    }
}
