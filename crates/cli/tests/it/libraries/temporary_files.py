"""tempfile: files and folders that go away, and where they lie."""

import os
import tempfile

assert tempfile.gettempdir() == "/tmp"
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "a", "b.txt")
    os.makedirs(os.path.dirname(path))
    with open(path, "w") as file:
        file.write("ü" * 1000)
    assert os.path.getsize(path) == 2000
assert not os.path.exists(folder)
with tempfile.NamedTemporaryFile("w+", suffix=".csv") as file:
    file.write("a,b\n")
    file.flush()
    assert open(file.name).read() == "a,b\n"
with tempfile.TemporaryFile() as file:
    file.write(b"x" * 5_000_000)
    assert file.tell() == 5_000_000
with tempfile.SpooledTemporaryFile(max_size=10) as file:
    file.write(b"more than ten bytes")
    file.seek(0)
    assert file.read(4) == b"more"
handle, path = tempfile.mkstemp(dir="/dev/shm")
os.close(handle)
os.unlink(path)
print(len(os.listdir("/tmp")))
