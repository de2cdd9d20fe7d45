"""Files: what of the host can be named, and what of the cell's own root can be changed."""

import stat

DEVICES = ["/dev/full", "/dev/null", "/dev/random", "/dev/shm", "/dev/urandom", "/dev/zero"]


@check("root", "['assay', 'bin', 'dev', 'etc', 'lib', 'lib64', 'proc', 'scratch', 'tmp', 'usr', 'work']")
def the_root_holds_nothing_else():
    return names_in("/")


@check("root", "['group', 'passwd']")
def no_settings_of_the_host():
    return names_in("/etc")


@check("root", "[]")
def the_old_root_is_not_kept():
    return names_in("/scratch")


@check("root", "ENOENT")
def a_file_of_the_host_by_its_path():
    return text_of(FACTS["secret_file"])


@check("root", "ENOENT")
def a_file_of_the_host_below_the_old_root():
    return text_of("/scratch" + FACTS["secret_file"])


@check("root", "ENOENT")
def the_home_of_the_host():
    return names_in(FACTS["home"])


@check("root", "ENOENT")
def the_sources_of_the_program():
    return names_in(FACTS["source"])


@check("root", "['fd', 'full', 'null', 'random', 'shm', 'stderr', 'stdin', 'stdout', 'urandom', 'zero']")
def no_other_devices():
    return names_in("/dev")


@check("root", "['self', 'thread-self']")
def proc_tells_of_processes_only():
    return [name for name in names_in("/proc") if not name.isdigit()]


@check("root", "['ENOENT']")
def parts_of_proc_that_are_not_listed():
    names = "kcore kmsg kallsyms meminfo sysrq-trigger sys/kernel/core_pattern keys locks net/dev".split()
    return came_to_each([functools.partial(text_of, "/proc/" + name) for name in names])


@check("root", str([*DEVICES, "/proc", "/tmp", "/work"]))
def everything_else_is_read_only():
    return sorted(place for place, options in mounts().items() if "ro" not in options)


@check("root", "[]")
def set_user_id_means_nothing_anywhere():
    return [place for place, options in mounts().items() if "nosuid" not in options]


@check("root", "[]")
def device_files_mean_nothing_anywhere_else():
    devices = [place for place, options in mounts().items() if "nodev" not in options]
    return [place for place in devices if not stat.S_ISCHR(os.stat(place).st_mode)]


@check("root", "EROFS")
def remove_a_part_of_the_kernel():
    os.remove("/assay/kernel.py")


@check("root", "EROFS")
def rename_in_the_image():
    os.rename("/usr/bin/sh", "/usr/bin/python3")


@check("root", "EROFS")
def change_a_mode_in_the_image():
    os.chmod("/usr/bin/python3", 0o4777)


@check("root", "EROFS")
def change_a_time_in_the_image():
    os.utime("/usr/bin/python3", (0, 0))


@check("root", "EROFS")
def link_within_the_image():
    os.link("/usr/bin/sh", "/usr/bin/other")


@check("root", "EXDEV")
def link_out_of_the_image():
    os.link("/usr/bin/sh", "/tmp/sh-linked")


@check("root", "EROFS")
def make_a_folder_in_the_image():
    os.mkdir("/usr/lib/more")


@check("root", "refused")
def cut_a_file_of_the_image():
    return cannot_be_written(lambda: os.truncate("/assay/kernel.py", 0))


@check("root", "refused")
def write_to_the_interpreter():
    return cannot_be_written(lambda: open("/usr/bin/python3", "r+b"))


@check("root", "EROFS")
def add_an_input():
    return open("/work/input/more", "w")


@check("seccomp", "EPERM")
def an_attribute_on_a_file():
    os.setxattr(scratch_file("attribute"), "user.note", b"x")


@check("seccomp", "EPERM")
def rights_on_a_file():
    every = bytes.fromhex("0100000200200000000000000000000000000000")
    os.setxattr(scratch_file("rights"), "security.capability", every)


@check("seccomp", "EPERM")
def make_a_block_device():
    os.mknod("/tmp/disk", stat.S_IFBLK | 0o666, os.makedev(254, 0))


@check("seccomp", "EPERM")
def make_a_character_device_elsewhere():
    call(259, -100, b"/dev/shm/memory\0", stat.S_IFCHR | 0o666, os.makedev(1, 1))


@check("seccomp", "EPERM")
def make_a_pipe_with_a_name():
    os.mkfifo("/tmp/pipe")


@check("seccomp", "EPERM")
def give_a_file_away():
    os.chown(scratch_file("given"), 0, 0)


@check("landlock", "EACCES")
def shared_memory_from_a_device():
    return open("/dev/zero", "r+b")


@check("landlock", "EACCES")
def feed_the_pool_of_chance():
    return open("/dev/urandom", "wb")


@check("seccomp", "EPERM")
def empty_the_pool_of_chance():
    with open("/dev/urandom", "rb") as device:
        call(16, device.fileno(), 0x5206, 0)


@check("landlock", "EACCES")
def be_spared_when_memory_is_short():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("500")


@check("landlock", "EACCES")
def map_more_users():
    return open("/proc/self/uid_map", "w")


@check("landlock", "EACCES")
def allow_groups_again():
    return open("/proc/self/setgroups", "w")


@check("scratch", "True")
def scratch_space_is_one_and_bounded():
    places = ("/tmp", "/dev/shm", "/work")
    sizes = {os.statvfs(place).f_blocks * os.statvfs(place).f_frsize for place in places}
    return sizes == {256 << 20} and len({os.stat(place).st_dev for place in places}) == 1


@check("scratch", "ENOSPC")
def reserve_more_than_there_is():
    with open("/tmp/reserved", "wb") as one, open("/dev/shm/reserved", "wb") as other:
        try:
            os.posix_fallocate(one.fileno(), 0, 200 << 20)
            os.posix_fallocate(other.fileno(), 0, 200 << 20)
        finally:
            os.remove("/tmp/reserved")
            os.remove("/dev/shm/reserved")


@check("limits", "EFBIG")
def a_file_that_claims_a_terabyte():
    with open("/tmp/claims", "wb") as file:
        file.truncate(1 << 40)


@check("limits", "EMFILE")
def more_files_than_may_be_open():
    opened = []
    try:
        for _ in range(1_100):
            opened.append(os.open("/dev/null", os.O_RDONLY))
    finally:
        for one in opened:
            os.close(one)
