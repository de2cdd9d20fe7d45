"""resource, os and platform: what a program is told of its limits and of where it runs."""

import os
import platform
import resource
import sys

files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
address, _ = resource.getrlimit(resource.RLIMIT_AS)
assert files == 1024 and (4 << 30) <= address < (5 << 30), (files, address)
handles = []
try:
    for _ in range(2_000):
        handles.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    assert error.errno == 24, error
for handle in handles:
    os.close(handle)
try:
    bytearray(6 << 30)
    raise AssertionError("more than there is")
except MemoryError:
    pass
assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 1_000 and os.cpu_count() >= 1
assert len(os.sched_getaffinity(0)) >= 1
assert platform.system() == "Linux" and platform.python_implementation() == "CPython"
assert os.getuid() != 0 and os.path.isdir(os.path.expanduser("~"))
print(files, sys.version_info[:2])
