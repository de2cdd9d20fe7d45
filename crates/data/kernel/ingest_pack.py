"""Packed files: gzip and zip, unpacked into scratch space within bounds.

One idea: a pack is a promise by a stranger. What it would unpack to is bounded while it is unpacked, whatever its
directory says; names that lead out of a folder refuse the whole; members that are no tables are left out and said.
"""

import errno
import io
import os
import zipfile
import zlib

from ingest_report import NAMES_SHOWN, plural, progress

UNPACKED_BYTES_MAX = 4 << 30
RATIO_MAX = 200
# Below this a ratio says nothing: a few repeated rows pack very well.
RATIO_BYTES_MIN = 8 << 20
MEMBERS_MAX = 1_000
CHUNK_BYTES = 1 << 20
TABLE_ENDINGS = (
    ".csv", ".tsv", ".tab", ".psv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".pq", ".xlsx", ".xlsm", ".xls",
    ".xlsb", ".ods", ".db", ".sqlite", ".sqlite3", ".db3", ".duckdb", ".ddb", ".gz",
)


class _Bound:
    """Counts what was unpacked and refuses a bomb."""

    def __init__(self, packed, report):
        self.packed, self.report, self.unpacked = max(packed, 1), report, 0

    def add(self, count):
        self.unpacked += count
        large = self.unpacked > UNPACKED_BYTES_MAX
        if large or (self.unpacked > RATIO_BYTES_MIN and self.unpacked > RATIO_MAX * self.packed):
            what = f"more than {UNPACKED_BYTES_MAX >> 30} GiB" if large else f"more than {RATIO_MAX} times its size"
            raise self.report.refuse(f"unpacks to {what}", "unpack it yourself and give the file")


def unpack_gzip(path, stage, report):
    """The path of the unpacked contents."""
    progress(f"unpacking {report.label}")
    bound, out_path = _Bound(os.path.getsize(path), report), stage.path(".unpacked")
    unpacker = zlib.decompressobj(31)
    try:
        with io.open(path, "rb") as file, io.open(out_path, "wb") as out:
            chunk = file.read(CHUNK_BYTES)
            while chunk:
                part = unpacker.decompress(chunk, CHUNK_BYTES)
                bound.add(len(part))
                out.write(part)
                if unpacker.eof:
                    chunk = (unpacker.unused_data or file.read(CHUNK_BYTES)).lstrip(b"\0")
                    if chunk:
                        unpacker = zlib.decompressobj(31)
                else:
                    chunk = unpacker.unconsumed_tail or file.read(CHUNK_BYTES)
        if not unpacker.eof:
            raise report.refuse("ends before its compressed contents do", "fetch the file again")
    except zlib.error as error:
        raise report.refuse(f"cannot be unpacked: {error}", "fetch the file again") from error
    except OSError as error:
        raise no_room(error, report) from error
    return out_path


def unpack_zip(path, stage, report):
    """The members that may be tables, as (name, path), in the order of the archive."""
    progress(f"unpacking {report.label}")
    bound, found, left = _Bound(os.path.getsize(path), report), [], []
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            _check(members, report)
            wanted = [member for member in members if len(members) == 1 or _may_be_table(member.filename)]
            left = [member.filename for member in members if member not in wanted]
            for member in wanted:
                out_path = stage.path(".unpacked")
                with archive.open(member) as packed, io.open(out_path, "wb") as out:
                    while part := packed.read(CHUNK_BYTES):
                        bound.add(len(part))
                        out.write(part)
                found.append((member.filename, out_path))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise report.refuse(f"cannot be unpacked: {error}", "fetch the file again, or unpack it yourself") from error
    except OSError as error:
        raise no_room(error, report) from error
    if left:
        say_left_out(report, left)
    return found


def say_left_out(report, names):
    """Says which members were not read."""
    shown = ", ".join(f"`{name[:80]}`" for name in names[:NAMES_SHOWN]) + (", …" if len(names) > NAMES_SHOWN else "")
    report.say("members_skipped", f"{plural(len(names), 'member')} skipped as no table: {shown}", count=len(names))


def no_room(error, report):
    """The refusal of what does not fit into scratch space; anything else is passed on."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return report.refuse("needs more room than there is to be read", "give a smaller file, or Parquet")
    return report.refuse(f"cannot be read: {error.strerror}", "check the file")


def _check(members, report):
    if len(members) > MEMBERS_MAX:
        raise report.refuse(f"has {len(members)} members", f"at most {MEMBERS_MAX} are read; give the files you want")
    for member in members:
        name = member.filename.replace("\\", "/")
        if name.startswith("/") or ".." in name.split("/") or name[1:2] == ":":
            raise report.refuse(f"holds a member that leads out of it: `{name[:80]}`", "do not trust this archive")
        if member.flag_bits & 1:
            raise report.refuse("is encrypted", "unpack it yourself and give the file")
    if sum(member.file_size for member in members) > UNPACKED_BYTES_MAX:
        raise report.refuse(f"unpacks to more than {UNPACKED_BYTES_MAX >> 30} GiB", "unpack it and give the files")


def _may_be_table(name):
    base = name.rsplit("/", 1)[-1].lower()
    return not name.startswith("__MACOSX/") and not base.startswith(".") and base.endswith(TABLE_ENDINGS)
