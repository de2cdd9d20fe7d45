//! `assay sandbox run` on programs that mean harm. Each class runs as the tests' user and as an ordinary one, whose
//! cells have no control group; after each, nothing is left.
//!
//! Probes that a cell survives share one program, which prints what each attempt came to.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::leftovers::{Before, NAME_THE_CELL, cell_named_in};
use crate::support::{Place, User, for_each_user};

/// Lets a program try things one by one and print, as JSON, what each came to.
const PROBE: &str = r#"
import ctypes, errno, json, os, socket, sys
results = {}
def attempt(name, action):
    try:
        results[name] = repr(action())
    except socket.gaierror:
        results[name] = 'no such name'
    except OSError as error:
        results[name] = errno.errorcode.get(error.errno, str(error.errno))
    except BaseException as error:
        results[name] = type(error).__name__
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(one) for one in arguments])
    if result == -1:
        raise OSError(ctypes.get_errno(), 'syscall')
    return result
"#;

struct Attacked {
    document: Value,
    elapsed: Duration,
}

/// Runs a hostile program, checks that nothing is left of it, and gives its document.
#[track_caller]
fn attack(user: User, code: &str, arguments: &[&str]) -> Attacked {
    let place = Place::of(user);
    let file = place.file("attack.py", format!("{NAME_THE_CELL}{code}"));
    let before = Before::look();
    let command = ["sandbox", "run", file.to_str().unwrap(), "--json"];
    let ran = place.assay(command.iter().chain(arguments)).env("SECRET_TOKEN", "hunter2").run();
    let document = ran.document();
    let stdout = document["stdout"].as_str().unwrap();
    assert!(cell_named_in(stdout).is_some(), "the program did not even begin: {document}");
    before.nothing_is_left(&place, stdout);
    assert!(!ran.stdout.contains("hunter2"), "the environment leaked");
    assert_eq!(ran.code, Some(if document["outcome"] == "ok" { 0 } else { 1 }), "{document}");
    Attacked { document, elapsed: ran.elapsed }
}

/// What each attempt came to.
#[track_caller]
fn probe(user: User, code: &str) -> BTreeMap<String, String> {
    let document = attack(user, &format!("{PROBE}{code}\nprint(json.dumps(results))\n"), &[]).document;
    let last = document["stdout"].as_str().unwrap().lines().last().unwrap().to_string();
    assert_eq!(document["outcome"], "ok", "{document}");
    serde_json::from_str(&last).unwrap_or_else(|_| panic!("no results: {document}"))
}

/// Every attempt must have come to one of these.
#[track_caller]
fn all_came_to(results: &BTreeMap<String, String>, allowed: &[&str]) {
    let others: Vec<_> = results.iter().filter(|(_, result)| !allowed.contains(&result.as_str())).collect();
    assert!(!results.is_empty() && others.is_empty(), "{others:?} should each be one of {allowed:?}");
}

#[track_caller]
fn killed_by(attacked: &Attacked, by: &str) {
    let document = &attacked.document;
    let found = (&document["outcome"], &document["killed_by"], &document["signal"], &document["exit_code"]);
    assert_eq!(found, (&json!("killed"), &json!(by), &json!(9), &json!(null)), "{document}");
}

fn has_control_group(attacked: &Attacked) -> bool {
    attacked.document["isolation"]["memory"] != "watchdog"
}

for_each_user! {
    fn files_of_the_host_are_not_there(user) {
        let home = std::env::var("HOME").unwrap_or("/root".into());
        let source = env!("CARGO_MANIFEST_DIR");
        let code = r#"
for path in ('/etc/passwd', '/etc/shadow', '/etc/hostname', '/etc/resolv.conf', '/root', '/home', '/var', '/sys', '/mnt',
             '/proc/meminfo', '/proc/sys/kernel/hostname', '/proc/kcore', '/proc/kmsg', '/dev/sda', '/dev/mem', '/dev/vda',
             '/dev/tty', '/dev/fuse', '/dev/kvm', '/run', '/boot', HOME, SOURCE):
    attempt(path, lambda: os.stat(path) and (os.listdir(path) if os.path.isdir(path) else open(path).read(10)))
attempt('/etc/passwd by root', lambda: open('/proc/self/root/etc/passwd').read())
attempt('/etc/passwd from above', lambda: open('../../../../../etc/passwd').read())
"#;
        let code = code.replace("HOME", &json!(home).to_string()).replace("SOURCE", &json!(source).to_string());
        all_came_to(&probe(user, &code), &["ENOENT", "EACCES", "EPERM", "ENXIO"]);
    }

    fn the_environment_of_the_host_is_not_there(user) {
        let results = probe(user, r#"
attempt('environ', lambda: sorted(os.environ))
attempt('host', lambda: (os.uname().nodename, os.getuid(), os.getgid(), os.getgroups()))
attempt('descriptors', lambda: sorted(int(name) for name in os.listdir('/proc/self/fd'))[-1] <= 4)
attempt('above 3', lambda: [fd for fd in range(4, 4096) if os.path.exists(f'/proc/self/fd/{fd}')])
attempt('session', lambda: os.getpid() < 10)
"#);
        let allowed = ["PATH", "HOME", "TMPDIR", "LANG", "TZ", "MPLBACKEND", "MPLCONFIGDIR", "LC_CTYPE"];
        let names: Vec<String> = serde_json::from_str(&results["environ"].replace('\'', "\"")).unwrap();
        let strange = |name: &&String| {
            !allowed.contains(&name.as_str()) && !name.starts_with("PYTHON") && !name.ends_with("_NUM_THREADS")
        };
        assert_eq!(names.iter().find(strange), None);
        assert_eq!((results["descriptors"].as_str(), results["above 3"].as_str()), ("True", "[]"));
        assert_eq!(results["session"], "True", "process numbers are the cell's own");
        assert!(results["host"].starts_with("('cell', 1000, 1000"), "{}", results["host"]);
    }

    fn no_socket_leaves_the_cell(user) {
        let results = probe(user, r#"
for name, family, kind in (('inet', socket.AF_INET, socket.SOCK_STREAM), ('inet datagram', socket.AF_INET, socket.SOCK_DGRAM),
                           ('inet6', socket.AF_INET6, socket.SOCK_STREAM), ('netlink', socket.AF_NETLINK, socket.SOCK_RAW),
                           ('packet', socket.AF_PACKET, socket.SOCK_RAW), ('vsock', 40, socket.SOCK_STREAM),
                           ('alg', 38, socket.SOCK_SEQPACKET), ('raw', socket.AF_INET, socket.SOCK_RAW)):
    attempt(name, lambda: socket.socket(family, kind))
attempt('by number', lambda: call(41, 2 | (1 << 32), 1, 0))
attempt('name', lambda: socket.gethostbyname('example.com'))
"#);
        all_came_to(&results, &["EPERM", "EAFNOSUPPORT", "EACCES", "no such name"]);
    }

    fn calls_that_reach_the_host_are_refused(user) {
        let results = probe(user, r#"
calls = dict(ptrace=(101, 0), process_vm_readv=(310, os.getpid()), process_vm_writev=(311, os.getpid()), kcmp=(312, 1, 1, 0),
    mount=(165, 0, 0, 0, 0, 0), umount2=(166, 0, 2), pivot_root=(155, 0, 0), chroot=(161, 0), unshare=(272, 0x10000000),
    unshare_nothing=(272, 0), setns=(308, 0, 0), open_tree=(428, -100, 0, 0), move_mount=(429, -100, 0, -100, 0, 0),
    fsopen=(430, 0, 0), mount_setattr=(442, -100, 0, 0, 0, 0), bpf=(321, 0, 0, 0), keyctl=(250, 0, -3, 0), add_key=(248, 0, 0),
    request_key=(249, 0, 0), io_uring_setup=(425, 1, 0), io_uring_enter=(426, 0, 0), userfaultfd=(323, 0),
    perf_event_open=(298, 0, 0, -1, -1, 0), init_module=(175, 0, 0, 0), finit_module=(313, 0, 0, 0), kexec_load=(246, 0, 0, 0, 0),
    open_by_handle_at=(304, -100, 0, 0), name_to_handle_at=(303, -100, 0, 0), personality=(135, 0xffffffff), syslog=(103, 3, 0, 0),
    reboot=(169, 0, 0, 0), swapon=(167, 0, 0), acct=(163, 0), settimeofday=(164, 0, 0), clock_settime=(227, 0, 0),
    sethostname=(170, 0, 0), iopl=(172, 3), ioperm=(173, 0, 1, 1), modify_ldt=(154, 0, 0, 0), quotactl=(179, 0, 0, 0, 0),
    mknod=(133, 0, 0o20666, 0x103), pidfd_open=(434, 1, 0), pidfd_getfd=(438, 3, 0, 0), seccomp=(317, 0, 0, 0),
    landlock=(444, 0, 0, 1), memfd_secret=(447, 0), vmsplice=(278, 1, 0, 0, 0), setuid=(105, 0), setgid=(106, 0),
    setgroups=(116, 0, 0), capset=(126, 0, 0), fanotify_init=(300, 0, 0), lookup_dcookie=(212, 0, 0, 0), move_pages=(279, 0, 0),
    mbind=(237, 0, 0, 0, 0, 0, 0), shmget=(29, 0, 4096, 0o1600), msgget=(68, 0, 0o1600), semget=(64, 0, 1, 0o1600),
    flock=(73, 1, 2), clone_new_user=(56, 0x10000011), clone3=(435, 0, 0), prctl_no_seccomp=(157, 22, 0, 0), fsmount=(432, 0, 0, 0),
    x32_getpid=(0x40000000 | 39,), x32_ptrace=(0x40000000 | 521, 0), unknown=(100000,))
for name, arguments in calls.items():
    attempt(name, lambda: call(*arguments))
for limit in ('AS', 'NPROC', 'CPU', 'NOFILE'):
    import resource
    number = getattr(resource, 'RLIMIT_' + limit)
    attempt('raise ' + limit, lambda: resource.setrlimit(number, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
for name, value in results.items():
    if name.startswith('raise ') and value == 'ValueError':
        results[name] = 'EPERM'
"#);
        all_came_to(&results, &["EPERM", "ENOSYS"]);
    }

    fn calls_of_the_other_machine_do_not_get_through(user) {
        let results = probe(user, r#"
import mmap
def in_child(machine_code):
    def child():
        memory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        memory.write(machine_code)
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        os._exit(100 if ctypes.CFUNCTYPE(ctypes.c_int)(address)() > 0 else 1)
    pid = os.fork()
    if pid == 0:
        child()
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
# mov eax, NUMBER; int 0x80; ret: 20 is getpid and 64 getppid of the 32-bit table
attempt('native code runs', lambda: in_child(b'\xb8\x14\x00\x00\x00\xc3'))
attempt('i386 getpid', lambda: in_child(b'\xb8\x14\x00\x00\x00\xcd\x80\xc3'))
attempt('i386 getppid', lambda: in_child(b'\xb8\x40\x00\x00\x00\xcd\x80\xc3'))
"#);
        assert_eq!(results["native code runs"], "100", "otherwise the other two show nothing");
        assert_ne!(results["i386 getpid"], "100");
        assert_ne!(results["i386 getppid"], "100");
    }

    fn shared_memory_is_counted_or_refused(user) {
        let results = probe(user, r#"
import mmap
def hold():
    held = [mmap.mmap(-1, 64 << 20) for _ in range(4)]
    return len(held)
attempt('shared', hold)
attempt('zero', lambda: open('/dev/zero', 'r+b'))
"#);
        // With a control group every page counts wherever it is mapped; without one it must not be had.
        assert!(["4", "EPERM"].contains(&results["shared"].as_str()), "{results:?}");
        assert_eq!(results["zero"], "EACCES");
    }

    fn init_and_the_root_are_closed(user) {
        let results = probe(user, r#"
for name in ('mem', 'environ', 'maps', 'root', 'cwd', 'exe', 'auxv', 'stack'):
    attempt('/proc/1/' + name, lambda: open('/proc/1/' + name, 'rb').read(1) if name not in ('root', 'cwd') else os.listdir('/proc/1/' + name))
attempt('/proc/1/fd', lambda: os.listdir('/proc/1/fd'))
attempt('/proc/1/mem for writing', lambda: open('/proc/1/mem', 'r+b'))
for path in ('/etc/x', '/usr/x', '/assay/x', '/usr/lib/x', '/x', '/dev/x', '/bin/sh', '/assay/kernel.py', '/usr/bin/python3',
             '/proc/self/oom_score_adj', '/proc/self/uid_map', '/work/input/x'):
    attempt('write ' + path, lambda: open(path, 'w'))
attempt('remove', lambda: os.remove('/assay/kernel.py'))
attempt('mkfifo', lambda: os.mkfifo('/usr/x'))
attempt('setuid', lambda: os.setuid(0))
attempt('chroot', lambda: os.chroot('/tmp'))
"#);
        all_came_to(&results, &["EPERM", "EACCES", "ENOENT", "EROFS"]);
    }

    fn a_program_cannot_end_its_init(user) {
        let code = "import signal\nfor number in (9, 15, 6, 19): os.kill(1, number)\nprint('still here')\n";
        let document = attack(user, code, &[]).document;
        assert_eq!(document["outcome"], "ok", "{document}");
        assert!(document["stdout"].as_str().unwrap().ends_with("still here\n"));
    }

    fn forks_without_end_are_killed(user) {
        let code = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n";
        let attacked = attack(user, code, &["--time", "3s"]);
        killed_by(&attacked, if has_control_group(&attacked) { "processes" } else { "time" });
        assert!(attacked.elapsed < Duration::from_secs(15), "{:?}", attacked.elapsed);
    }

    fn more_processes_than_allowed_are_refused_and_the_program_goes_on(user) {
        let code = "
import os, threading, time
made = 0
try:
    for _ in range(200):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        made += 1
except RuntimeError:
    pass
print(made, flush=True)
os._exit(0)
";
        let document = attack(user, code, &[]).document;
        assert_eq!(document["outcome"], "ok", "{document}");
        let made: u32 = document["stdout"].as_str().unwrap().lines().last().unwrap().parse().unwrap();
        assert!((32..=64).contains(&made), "{made} threads beside the first");
    }

    fn memory_without_end_is_killed(user) {
        let attacked = attack(user, "x = []\nwhile True: x.append(bytearray(1_000_000))\n", &["--memory", "64M"]);
        killed_by(&attacked, "memory");
        let peak = attacked.document["usage"]["memory_peak_bytes"].as_u64().unwrap();
        assert!(peak < 256 << 20, "{peak} bytes before it was seen");
    }

    fn memory_without_end_over_many_processes_is_killed(user) {
        let code = "
import os, time
for _ in range(8):
    if os.fork() == 0:
        x = bytearray(16_000_000)
        time.sleep(60)
time.sleep(60)
";
        killed_by(&attack(user, code, &["--memory", "96M", "--time", "8s"]), "memory");
    }

    fn a_refused_allocation_is_a_memory_error_and_the_program_goes_on(user) {
        let code = "try:\n    bytearray(1 << 40)\nexcept MemoryError:\n    print('refused')\n";
        let document = attack(user, code, &[]).document;
        assert_eq!(document["outcome"], "ok", "{document}");
        assert!(document["stdout"].as_str().unwrap().ends_with("refused\n"));
    }

    fn memory_in_anonymous_files_is_bounded(user) {
        let code = "
import os
kept = []
while True:
    kept.append(os.memfd_create('x'))
    for _ in range(16): os.write(kept[-1], bytes(1 << 20))
";
        let attacked = attack(user, code, &["--memory", "64M"]);
        if has_control_group(&attacked) {
            killed_by(&attacked, "memory");
        } else {
            assert_eq!(attacked.document["error"]["type"], "PermissionError", "{}", attacked.document);
        }
    }

    fn output_without_end_is_killed(user) {
        for stream in ["stdout", "stderr"] {
            let code = format!("import sys\nwhile True: sys.{stream}.write('x' * 1_000_000)\n");
            let attacked = attack(user, &code, &["--time", "60s"]);
            killed_by(&attacked, "output");
            assert_eq!(attacked.document[stream].as_str().unwrap().len(), 1 << 20);
            assert_eq!(attacked.document[format!("{stream}_truncated")], true);
        }
    }

    fn sleeping_with_all_signals_ignored_is_killed(user) {
        let code = "
import signal, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
while True: time.sleep(100)
";
        let attacked = attack(user, code, &["--time", "1s"]);
        killed_by(&attacked, "time");
        assert!((Duration::from_secs(1)..Duration::from_secs(5)).contains(&attacked.elapsed), "{:?}", attacked.elapsed);
    }

    fn spinning_is_killed(user) {
        let attacked = attack(user, "import os\nos.fork()\nwhile True: pass\n", &["--time", "1s"]);
        killed_by(&attacked, "time");
        assert!(attacked.elapsed < Duration::from_secs(5), "{:?}", attacked.elapsed);
    }

    fn writing_without_end_meets_a_full_disk_and_goes_on(user) {
        let code = "
import os
total = 0
try:
    for path, most in (('/tmp/a', 80), ('/dev/shm/a', 80), ('out/a', 1000)):
        with open(path, 'wb', buffering=0) as file:
            for _ in range(most): total += file.write(bytes(1 << 20))
except OSError as error:
    print(error.errno)
os.remove('out/a')
print(total)
";
        let document = attack(user, code, &[]).document;
        assert_eq!(document["outcome"], "ok", "{document}");
        let stdout: Vec<&str> = document["stdout"].as_str().unwrap().lines().collect();
        assert_eq!(stdout[1], "28", "{document}");
        let total: u64 = stdout[2].parse().unwrap();
        assert!(((200 << 20)..=(256 << 20)).contains(&total), "{total} bytes in the three together");
    }

    fn endless_small_files_meet_a_limit(user) {
        let code = "
made = 0
try:
    for number in range(200_000):
        open(f'/tmp/{number}', 'w').close()
        made += 1
except OSError as error:
    print(error.errno, made < 200_000)
";
        let document = attack(user, code, &[]).document;
        assert!(document["stdout"].as_str().unwrap().ends_with("28 True\n"), "{document}");
    }

    fn a_daemon_does_not_outlive_its_program(user) {
        let code = "
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in (0, 1, 2):
            try: os.close(fd)
            except OSError: pass
        time.sleep(600)
    os._exit(0)
os.wait()
print('done')
";
        let attacked = attack(user, code, &[]);
        assert_eq!(attacked.document["outcome"], "ok", "{}", attacked.document);
        assert!(attacked.elapsed < Duration::from_secs(5), "{:?}", attacked.elapsed);
    }

    fn a_daemon_that_holds_the_output_does_not_hold_the_command(user) {
        let code = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\nos._exit(0)\n";
        let attacked = attack(user, code, &[]);
        assert!(attacked.elapsed < Duration::from_secs(5), "{:?}", attacked.elapsed);
    }

    fn links_and_pipes_in_out_are_not_followed(user) {
        let place = Place::of(user);
        let out = place.folder("results");
        let code = r#"
import os, socket
os.symlink('/etc/passwd', 'out/link')
os.symlink('/', 'out/root')
os.symlink('../../../../../../etc', 'out/above')
os.symlink('loop', 'out/loop')
os.symlink('/proc/self/fd/3', 'out/channel')
try: os.mkfifo('out/pipe')
except OSError: pass
socket.socket(socket.AF_UNIX).bind('out/socket')
os.makedirs('out/real')
os.symlink('../..', 'out/real/up')
open('out/real/file', 'w').write('hello\n')
os.chmod('out/real/file', 0o4777)
open(b'out/not-\xff-text', 'w').write('x')
os.rename('out', 'moved'); os.symlink('/', 'out')
"#;
        let file = place.file("attack.py", format!("{NAME_THE_CELL}{code}"));
        let before = Before::look();
        let command = ["sandbox", "run", file.to_str().unwrap(), "--json", "--out", out.to_str().unwrap()];
        let ran = place.assay(command).time_max(Duration::from_secs(20)).run();
        let document = ran.exits(0).document();
        let paths: Vec<&Value> = document["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
        assert_eq!(paths, ["real/file"], "{document}");
        let names = |folder: &std::path::Path| -> Vec<String> {
            let entries = std::fs::read_dir(folder).unwrap().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(|name| !name.starts_with("not-")).collect()
        };
        assert_eq!((names(&out), names(&out.join("real"))), (vec!["real".to_string()], vec!["file".to_string()]));
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(out.join("real/file")).unwrap().permissions());
        assert_eq!(mode & 0o7000, 0, "no set-user-id file comes out");
        before.nothing_is_left(&place, document["stdout"].as_str().unwrap());
    }

    fn lies_on_the_kernels_channel_do_not_pass_for_a_result(user) {
        // The program shares the channel that the kernel answers on. What it says there may spoil its own result, and
        // nothing else: no hang, no crash, no outcome that the exit status does not bear out.
        let lies = [
            "os.write(3, (10).to_bytes(4, 'big') + b'{\"value\":1}'); os._exit(5)",
            "os.write(3, b'\\xff\\xff\\xff\\xff' + b'x' * 100); os._exit(5)",
            "os.write(3, (2).to_bytes(4, 'big') + b'[]'); os._exit(5)",
            "os.close(3); os._exit(5)",
        ];
        for lie in lies {
            let attacked = attack(user, &format!("import os\n{lie}\n"), &["--time", "5s"]);
            let document = &attacked.document;
            assert_eq!((&document["outcome"], &document["exit_code"]), (&json!("failed"), &json!(5)), "{lie}: {document}");
            assert!(attacked.elapsed < Duration::from_secs(4), "{lie}: {:?}", attacked.elapsed);
        }
    }
}
