"""Programs that would use up what there is, or would not end. Each function runs alone in a cell of its own."""

import contextlib
import ctypes
import mmap
import os
import signal
import socket
import sys
import threading
import time

MEBIBYTE = 1 << 20


def fork_without_end():
    while True:
        with contextlib.suppress(OSError):
            os.fork()


def threads_beyond_the_limit():
    made = 0
    with contextlib.suppress(RuntimeError):
        for made in range(200):
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    print(32 <= made <= 64, flush=True)
    os._exit(0)


def zombies_that_nobody_reaps():
    made = 0
    with contextlib.suppress(OSError):
        for made in range(200):
            if os.fork() == 0:
                os._exit(0)
    print(32 <= made <= 64)


def memory_by_objects():
    kept = []
    while True:
        kept.append(bytearray(MEBIBYTE))


def memory_by_many_processes():
    for _ in range(8):
        if os.fork() == 0:
            kept = bytearray(16 * MEBIBYTE)
            time.sleep(1.5)
            os._exit(len(kept) == 0)
    time.sleep(1)


def memory_by_shared_mappings():
    kept = []
    while True:
        kept.append(mmap.mmap(-1, 4 * MEBIBYTE))
        kept[-1].write(bytes(4 * MEBIBYTE))


def memory_that_only_a_dead_child_touched():
    kept = []
    while True:
        memory = mmap.mmap(-1, 16 * MEBIBYTE)
        if os.fork() == 0:
            memory.write(bytes(16 * MEBIBYTE))
            os._exit(0)
        os.wait()
        kept.append(memory)


def memory_by_files_in_memory():
    kept = []
    while True:
        kept.append(os.memfd_create("x"))
        for _ in range(16):
            os.write(kept[-1], bytes(MEBIBYTE))


def memory_by_scratch_files():
    with open("/tmp/large", "wb", buffering=0) as file:
        for _ in range(200):
            file.write(bytes(MEBIBYTE))
    time.sleep(1)


def memory_by_removed_scratch_files():
    file = open("/dev/shm/large", "wb", buffering=0)
    os.remove("/dev/shm/large")
    for _ in range(200):
        file.write(bytes(MEBIBYTE))
    time.sleep(1)


def memory_by_sockets():
    kept = []
    for _ in range(400):
        one, other = socket.socketpair()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MEBIBYTE)
        one.setblocking(False)
        kept.append((one, other))
        with contextlib.suppress(BlockingIOError):
            while True:
                one.send(bytes(30_000))
    time.sleep(0.5)


def an_allocation_that_is_refused():
    try:
        bytearray(1 << 40)
    except MemoryError:
        print("refused")


def writing_without_end():
    total = 0
    try:
        for path, most in (("/tmp/a", 80), ("/dev/shm/a", 80), ("out/a", 1000)):
            with open(path, "wb", buffering=0) as file:
                for _ in range(most):
                    total += file.write(bytes(MEBIBYTE))
    except OSError as error:
        os.remove("out/a")
        print(error.errno, 200 * MEBIBYTE <= total <= 256 * MEBIBYTE)


def small_files_without_end():
    made = 0
    try:
        for made in range(200_000):
            open(f"/tmp/{made}", "w").close()
    except OSError as error:
        print(error.errno, made < 200_000)


def output_without_end():
    while True:
        sys.stdout.write("x" * 1_000_000)


def errors_without_end():
    while True:
        sys.stderr.write("x" * 1_000_000)


def output_on_both_by_many():
    for _ in range(4):
        os.fork()
    while True:
        for stream in (1, 2):
            os.write(stream, b"x" * 65_536)


def ignore_all_signals():
    for number in range(1, 65):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))


def spinning_with_all_signals_ignored():
    ignore_all_signals()
    while True:
        pass


def sleeping_with_all_signals_blocked():
    ignore_all_signals()
    while True:
        time.sleep(100)


def spinning_in_two_processes():
    os.fork()
    while True:
        pass


def stopping_itself():
    os.kill(os.getpid(), signal.SIGSTOP)


def closing_all_and_sleeping():
    os.closerange(0, 1_024)
    time.sleep(100)


def closing_all_and_ending():
    os.closerange(0, 1_024)
    os._exit(0)


def a_daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 3)
            time.sleep(600)
        os._exit(0)
    os.wait()
    print("done")


def daemons_that_ignore_signals():
    for _ in range(20):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                ignore_all_signals()
                while True:
                    time.sleep(600)
            os._exit(0)
    print("done")


def a_daemon_that_holds_the_output():
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
    os._exit(0)


def a_call_of_another_machine():
    """mov eax, 20; int 0x80; ret: asks for the process's number as a 32-bit program would."""
    memory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
    memory.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))())


def a_false_result():
    os.write(3, (11).to_bytes(4, "big") + b'{"value":1}')
    os._exit(5)


def a_frame_of_any_length():
    os.write(3, b"\xff\xff\xff\xff" + b"x" * 100)
    os._exit(5)


def a_frame_of_another_kind():
    os.write(3, (2).to_bytes(4, "big") + b"[]")
    os._exit(5)


def a_frame_nested_too_deep():
    body = b"[" * 60_000
    os.write(3, len(body).to_bytes(4, "big") + body)
    os._exit(5)


def a_closed_channel():
    os.close(3)
    os._exit(5)


def half_a_frame():
    os.write(3, (1_000).to_bytes(4, "big") + b"x")
    time.sleep(100)


def frames_without_end():
    body = b'{"value":1}'
    while True:
        with contextlib.suppress(OSError):
            os.write(3, len(body).to_bytes(4, "big") + body)
