"""Leaves in `out/` what might lead whoever brings it back astray. Runs as a whole."""

import os
import socket

os.symlink("/etc/passwd", "out/link")
os.symlink("/", "out/root")
os.symlink("../../../../../../etc", "out/above")
os.symlink("loop", "out/loop")
os.symlink("/proc/self/fd/3", "out/channel")
try:
    os.mkfifo("out/pipe")
except OSError:
    pass
socket.socket(socket.AF_UNIX).bind("out/socket")
os.makedirs("out/real")
os.symlink("../..", "out/real/up")
with open("out/real/file", "w") as file:
    file.write("hello\n")
os.chmod("out/real/file", 0o6777)
os.link("out/real/file", "out/real/again")
with open("out/a\nb\x1b[2J", "w") as file:
    file.write("x")
with open("out/real/file.part", "w") as file:
    file.write("not a part")
deep = "out" + "/deep" * 200
os.makedirs(deep)
with open(deep + "/file", "w") as file:
    file.write("x")
for name in ("out/sparse", "out/sparse-too"):
    with open(name, "wb") as file:
        file.truncate(200 << 20)
os.makedirs("out/closed")
with open("out/closed/file", "w") as file:
    file.write("x")
os.chmod("out/closed", 0)
os.rename("out", "moved")
os.symlink("/", "out")
