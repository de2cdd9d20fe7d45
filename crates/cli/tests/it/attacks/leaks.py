"""Leaks: what the host, the processes that made the cell, or whoever was served before left where we can read it.

It runs twice. Each time it looks first and then leaves a secret wherever a program can, so that the second time there
is something to be found if a worker, or anything else, were used again.
"""

import builtins
import decimal
import gc
import random
import re
import threading

ENVIRONMENT = {"PATH", "HOME", "TMPDIR", "LANG", "TZ", "MPLBACKEND", "MPLCONFIGDIR", "LC_CTYPE", "JE_ARROW_MALLOC_CONF"}
# Written so that no text of this program matches it.
SECRET = re.compile(rb"[s]ecret-of-an-[e]arlier-user")
SYSTEM_HANDLERS = {signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGALRM}


def names_the_host(text):
    """The words of the host's own that a text holds."""
    return [word for word in FACTS["host_words"] if word in text]


@check("start", "[]")
def the_environment():
    names = [name for name in os.environ if not name.startswith("PYTHON") and not name.endswith("_NUM_THREADS")]
    return sorted(set(names) - ENVIRONMENT)


@check("start", "[]")
def the_first_environment():
    names = [entry.split("=")[0] for entry in text_of("/proc/self/environ").split("\0") if entry]
    return sorted(name for name in names if "SECRET" in name) + names_the_host(text_of("/proc/self/environ"))


@check("start", "[]")
def the_arguments():
    return names_the_host(str(sys.argv) + str(sys.orig_argv) + text_of("/proc/self/cmdline"))


@check("start", "[0, 1, 2, 3]")
def descriptors():
    listed = [int(name) for name in os.listdir("/proc/self/fd")]
    return sorted(number for number in listed if os.path.exists(f"/proc/self/fd/{number}"))


@check("start", "[]")
def descriptors_beyond_what_is_listed():
    held = [number for number in range(4, 5_000) if came_to(lambda: os.fstat(number)) != "EBADF"]
    return [(number, came_to(lambda: os.readlink(f"/proc/self/fd/{number}"))) for number in held]


@check("start", "/dev/null")
def standard_input():
    return os.readlink("/proc/self/fd/0")


@check("start", "b''")
def what_was_typed():
    return os.read(0, 100)


@check("start", "[False, False, False]")
def a_terminal():
    return [os.isatty(number) for number in (0, 1, 2)]


@check("start", "[]")
def foreign_memory():
    lines = text_of("/proc/self/maps").splitlines()
    files = {line.split(maxsplit=5)[5] for line in lines if len(line.split(maxsplit=5)) == 6}
    known = ("/usr/", "/assay/", "[")
    return sorted(file for file in files if not file.startswith(known) or "deleted" in file)


@check("start", "[]")
def shared_memory():
    lines = text_of("/proc/self/maps").splitlines()
    return [line for line in lines if "w" in line.split()[1] and "s" in line.split()[1]]


@check("start", "[]")
def names_of_the_host_in_mounts():
    return names_the_host(text_of("/proc/self/mountinfo") + text_of("/proc/self/mountstats"))


@check("control_groups", "its own")
def the_view_of_control_groups():
    return namespace("cgroup")


@check("control_groups", "True")
def the_control_group_of_this_cell():
    return all(line.endswith(":/") for line in text_of("/proc/self/cgroup").splitlines())


@check("host_name", "cell")
def the_name_of_the_host():
    return socket.gethostname()


@check("host_name", "its own")
def the_namespace_of_names():
    return namespace("uts")


@check("root", "its own")
def the_mount_namespace():
    return namespace("mnt")


@check("root", "['cell']")
def names_of_users():
    import pwd

    return [user.pw_name for user in pwd.getpwall()]


@check("root", "cell")
def our_own_name_outside():
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name


@check("users", "0")
def where_memory_lies_in_the_machine():
    page = ctypes.create_string_buffer(b"x", 8192)
    with open("/proc/self/pagemap", "rb") as file:
        file.seek(ctypes.addressof(page) // 4096 * 8)
        return int.from_bytes(file.read(8), "little") & (1 << 55) - 1


@check("start", "True")
def the_seed_of_hashes_is_the_public_one():
    import subprocess

    fresh = subprocess.run(
        ["/usr/bin/python3", "-S", "-c", "print(hash('a word'))"], env={"PYTHONHASHSEED": "0"}, capture_output=True
    )
    return int(fresh.stdout) == hash("a word")


@check("start", "0000000000000000")
def signals_that_are_held_back():
    return status_of("SigBlk")


@check("start", "True")
def signals_that_are_handled():
    handled = [number for number in signal.valid_signals() if signal.getsignal(number) != signal.SIG_DFL]
    return set(handled) <= SYSTEM_HANDLERS | {signal.SIGKILL, signal.SIGSTOP} and os.umask(0o022) == 0o022


@check("start", "1")
def threads():
    return len(os.listdir("/proc/self/task"))


@check("start", "ECHILD")
def children():
    return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG)


@check("start", "[]")
def programs_before_this_one():
    return [name for name in vars(sys.modules["__main__"]) if name.startswith("left_behind")]


@check("start", "False")
def things_left_in_the_interpreter():
    return any(hasattr(place, "left_behind") for place in (builtins, sys, os, json, signal, random))


@check("start", "[]")
def things_left_in_its_settings():
    left = {
        "switches": sys.getswitchinterval() == 7.5,
        "precision": decimal.getcontext().prec == 77,
        "garbage": gc.get_threshold()[0] == 77,
        "chance": random.getstate() == random.Random(7).getstate(),
    }
    paths = [one for one in sys.path + sys.meta_path if "left_behind" in str(one)]
    return [name for name, found in left.items() if found] + paths


@check("start", "[]")
def things_left_in_the_environment():
    return [name for name in os.environ if "LEFT" in name]


@check("root", "[]")
def files_left_in_scratch_space():
    folders = ("/tmp", "/dev/shm", "/work", "/work/out")
    return [name for folder in folders for name in names_in(folder) if "left" in name]


@check("start", "[]")
def secrets_left_in_memory():
    found = []
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        for line in text_of("/proc/self/maps").splitlines():
            bounds, rights = line.split()[:2]
            begin, end = (int(bound, 16) for bound in bounds.split("-"))
            if rights.startswith("rw") and end - begin < 1 << 28:
                memory.seek(begin)
                found += SECRET.findall(memory.read(end - begin) or b"")
    return found


def leave_secrets():
    """Leaves something to find in every place that the checks above look into."""
    secret = "-".join(["secret", "of", "an", "earlier", "user"])
    vars(sys.modules["__main__"])["left_behind"] = [secret.encode() * 1_000 for _ in range(100)]
    for place in (builtins, sys, os, json, signal, random):
        place.left_behind = secret
    sys.setswitchinterval(7.5)
    decimal.getcontext().prec = 77
    gc.set_threshold(77)
    sys.path.append("left_behind")
    os.environ["LEFT"] = secret
    for folder in ("/tmp", "/dev/shm", "/work", "/work/out"):
        with open(folder + "/left", "w") as file:
            file.write(secret)
    random.seed(7)
    threading.Thread(target=signal.pause, daemon=True).start()
