"""Escapes: by links, by `/proc`, and by descriptors that are opened again."""

import mmap

INIT_FILES = ("mem", "environ", "maps", "exe", "auxv", "stack", "syscall", "mountinfo", "fdinfo", "cmdline")


@check("root", "ENOENT")
def from_above():
    return text_of("../" * 20 + "etc/shadow")


@check("root", "ENOENT")
def by_the_root_of_this_process():
    return text_of("/proc/self/root/etc/shadow")


@check("root", "ENOENT")
def by_the_root_of_a_thread():
    return text_of("/proc/thread-self/root/../../" + FACTS["secret_file"])


@check("processes", "ENOENT")
def by_the_root_of_init():
    return names_in("/proc/1/root")


@check("processes", "ENOENT")
def by_the_folder_of_init():
    return names_in("/proc/1/cwd")


@check("processes", "ENOENT")
def by_the_descriptors_of_init():
    return names_in("/proc/1/fd")


@check("processes", "['ENOENT']")
def by_the_files_of_init():
    return came_to_each([functools.partial(text_of, "/proc/1/" + name) for name in INIT_FILES])


@check("processes", "ENOENT")
def by_the_memory_of_init():
    return open("/proc/1/mem", "r+b")


@check("processes", "ENOENT")
def by_the_tasks_of_this_process():
    return text_of("/proc/self/task/1/environ")


@check("root", "ENOENT")
def by_a_link_to_init():
    os.symlink("/proc/1/root" + FACTS["secret_file"], "/tmp/link-to-init")
    return text_of("/tmp/link-to-init")


@check("root", "ENOENT")
def by_a_link_to_the_host():
    os.symlink(FACTS["secret_file"], "/tmp/link-to-host")
    return text_of("/tmp/link-to-host")


@check("root", "ENOENT")
def from_a_folder_that_is_held():
    with held("/", os.O_PATH | os.O_DIRECTORY) as root:
        return os.open("../../../" + FACTS["secret_file"], os.O_RDONLY, dir_fd=root)


@check("root", "ENOENT")
def from_a_folder_that_is_gone():
    def attempt():
        os.makedirs("/tmp/outer/inner")
        os.chdir("/tmp/outer/inner")
        os.rename("/tmp/outer", "/tmp/moved")
        os.rmdir("/tmp/moved/inner")
        return text_of(".." + "/.." * 20 + FACTS["secret_file"])

    return in_child(attempt)


@check("seccomp", "EPERM")
def by_another_root():
    os.chroot("/tmp")


@check("seccomp", "EPERM")
def by_open_with_a_say_in_resolving():
    return call(437, -100, b"/\0", bytes(24), 24)


@check("root", "refused")
def open_again_for_writing():
    with open("/usr/bin/python3", "rb") as file:
        return cannot_be_written(lambda: os.open(f"/proc/self/fd/{file.fileno()}", os.O_RDWR))


@check("root", "refused")
def open_a_mere_path_for_writing():
    with held("/usr/bin/python3", os.O_PATH) as path:
        return cannot_be_written(lambda: os.open(f"/proc/self/fd/{path}", os.O_WRONLY))


@check("root", "EROFS")
def change_the_mode_of_a_mere_path():
    with held("/usr/bin/python3", os.O_PATH) as path:
        os.chmod(f"/proc/self/fd/{path}", 0o777)


@check("root", "EXDEV")
def link_a_descriptor_somewhere():
    with open("/usr/bin/python3", "rb") as file:
        os.link(f"/proc/self/fd/{file.fileno()}", "/tmp/python3", follow_symlinks=True)


@check("root", "refused")
def write_to_the_running_program():
    return cannot_be_written(lambda: open("/proc/self/exe", "r+b"))


@check("landlock", "EACCES")
def write_over_read_only_memory():
    return open("/proc/self/mem", "r+b")


@check("root", "True")
def a_private_copy_stays_private():
    with open("/usr/bin/python3", "rb") as file:
        with mmap.mmap(file.fileno(), 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE) as memory:
            memory[0] = 0
        return file.read(1) == b"\x7f"


@check("root", "EACCES")
def map_the_image_to_write_to_it():
    with open("/usr/bin/python3", "rb") as file:
        return mmap.mmap(file.fileno(), 4096, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ | mmap.PROT_WRITE)


@check("root", "EACCES")
def make_a_mapping_of_the_image_writable():
    with open("/usr/bin/python3", "rb") as file:
        address = call(9, 0, 4096, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
        return call(10, address, 4096, mmap.PROT_READ | mmap.PROT_WRITE)


@check("start", "ENXIO")
def open_the_channel_again():
    return os.open("/proc/self/fd/3", os.O_RDWR)


@check("start", "True")
def the_output_cannot_be_moved_to_the_host():
    return all(os.readlink(f"/proc/self/fd/{number}").startswith("pipe:") for number in (1, 2))


@check("root", "ENOENT")
def run_a_program_of_the_host():
    os.execv("/bin/bash", ["bash"])


@check("no_new_privileges", "status 1")
def run_a_set_user_id_program():
    with open("/usr/bin/python3", "rb") as file:
        path = scratch_file("privileged", file.read())
    os.chmod(path, 0o6755)

    def attempt():
        os.dup2(sys.stderr.fileno(), 1)
        os.execv(path, ["python3", "-S", "-c", "import os; os._exit(os.geteuid() == 1000)"])

    return in_child(attempt)
