"""pathlib, shutil, glob and os: work with files in the working directory and /tmp."""

import glob
import os
import shutil
from pathlib import Path

assert Path.cwd() == Path("/work") and Path(__file__).name == "paths.py" and Path.home().is_dir()
base = Path("project")
(base / "src" / "deep").mkdir(parents=True)
(base / "src" / "a.txt").write_text("α\n")
(base / "src" / "deep" / "b.bin").write_bytes(bytes(range(256)))
assert sorted(path.name for path in base.rglob("*")) == ["a.txt", "b.bin", "deep", "src"]
shutil.copytree(base, "/tmp/copy")
assert glob.glob("/tmp/copy/**/*.bin", recursive=True) == ["/tmp/copy/src/deep/b.bin"]
(base / "link").symlink_to("src/a.txt")
assert (base / "link").read_text() == "α\n" and (base / "link").resolve() == Path("/work/project/src/a.txt")
os.chmod(base / "src" / "a.txt", 0o600)
assert (base / "src" / "a.txt").stat().st_mode & 0o777 == 0o600
os.replace(base / "src" / "a.txt", base / "c.txt")
os.utime(base / "c.txt", (1, 1))
shutil.move(base / "c.txt", "out/c.txt")
archive = shutil.make_archive("/tmp/packed", "zip", base)
shutil.unpack_archive(archive, "/tmp/unpacked")
shutil.rmtree(base)
assert not base.exists() and shutil.disk_usage("/tmp").free > 1 << 20 and shutil.which("python3")
for folder in ("/", "/usr", "/etc", "/work/input"):
    assert not os.access(folder, os.W_OK), folder
print(sorted(os.listdir("/tmp")), Path("out/c.txt").read_text().strip())
