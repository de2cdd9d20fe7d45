"""zlib, gzip, bz2, lzma, zip and tar."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
import zlib

data = b"the same again and again " * 4_000
for library in (zlib, gzip, bz2, lzma):
    packed = library.compress(data)
    assert len(packed) < 2_000 and library.decompress(packed) == data, library
with gzip.open("/tmp/a.gz", "wt") as file:
    file.write("zeile\n" * 3)
with gzip.open("/tmp/a.gz", "rt") as file:
    assert sum(1 for _ in file) == 3
with zipfile.ZipFile("out/a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("folder/ü.txt", "text")
with zipfile.ZipFile("out/a.zip") as archive:
    assert archive.testzip() is None and archive.read("folder/ü.txt") == b"text"
memory = io.BytesIO()
with tarfile.open(fileobj=memory, mode="w:xz") as archive:
    archive.add("/tmp/a.gz", "inside/a.gz")
memory.seek(0)
with tarfile.open(fileobj=memory) as archive:
    archive.extractall("/tmp/unpacked", filter="data")
assert os.listdir("/tmp/unpacked/inside") == ["a.gz"]
print(f"{zlib.crc32(data):08x}")
