"""Which memory a kind of work touches, found out once, so that each worker can have it at once.

After a fork every page is still its parent's: the first write to one copies it, the first look at a page of a library
maps it, and each takes its turn through a fault in the middle of somebody's program. `learn` has a child do a sample of
the work and notes the pages; `Footprint.take` asks the system for all of them together, which is cheaper than the faults
and far cheaper than doing the sample again.
"""

import array
import ctypes
import os

PAGE = os.sysconf("SC_PAGE_SIZE")
PRESENT, OF_A_FILE, OURS_ALONE = 1 << 63, 1 << 61, 1 << 56
MADV_POPULATE_READ, MADV_POPULATE_WRITE = 22, 23
# Pages between two that were looked at are mapped with them: it takes less time than asking twice.
GAP_OF_FILES = 16
GAP_OF_COPIES = 0

libc = ctypes.CDLL(None)
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Footprint:
    """Spans of memory: those written to, and those of files looked at. Where the system cannot, nothing is taken."""

    def __init__(self, told=b""):
        spans = array.array("Q")
        spans.frombytes(told)
        self.spans = spans

    def take(self):
        """Has the pages of this process there."""
        spans = iter(self.spans)
        for start, length, advice in zip(spans, spans, spans):
            libc.madvise(start, length, advice)


def learn(work):
    """The footprint of `work`, which is done in a child."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            work()
            told = touched().tobytes()
            while told:
                told = told[os.write(writing, told) :]
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as told:
        footprint = Footprint(told.read())
    os.waitpid(pid, 0)
    return footprint


def touched():
    """Of this process, which was forked: start, length and advice of each span that is not as it was."""
    spans = array.array("Q")
    with open("/proc/self/maps") as maps, open("/proc/self/pagemap", "rb", buffering=0) as pagemap:
        for line in maps:
            span, rights, *_, name = (line.rstrip() + " ").split(" ", 5)
            if not rights.startswith("r") or not rights.endswith("p") or name.strip().startswith("[v"):
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            pages = array.array("Q")
            pagemap.seek(start // PAGE * 8)
            pages.frombytes(pagemap.read((end - start) // PAGE * 8))
            is_writable = rights[1] == "w"
            copies = [at for at, page in enumerate(pages) if is_writable and is_copy(page)]
            looked_at = [at for at, page in enumerate(pages) if page & PRESENT and page & OF_A_FILE]
            for found, gap, advice in (
                (copies, GAP_OF_COPIES, MADV_POPULATE_WRITE),
                (looked_at, GAP_OF_FILES, MADV_POPULATE_READ),
            ):
                for first, last in joined(found, gap):
                    spans.extend((start + first * PAGE, (last - first + 1) * PAGE, advice))
    return spans


def is_copy(page):
    return page & PRESENT and page & OURS_ALONE and not page & OF_A_FILE


def joined(numbers, gap):
    """Ascending numbers as pairs of first and last, where no more than `gap` are left out between two."""
    pairs = []
    for number in numbers:
        if pairs and number - pairs[-1][1] <= gap + 1:
            pairs[-1][1] = number
        else:
            pairs.append([number, number])
    return pairs
