"""argparse, profiling, tracing of memory, pretty printing and disassembly."""

import argparse
import contextlib
import cProfile
import dis
import io
import pprint
import pstats
import timeit
import tracemalloc

parser = argparse.ArgumentParser(prog="tool")
parser.add_argument("--size", type=int, default=3)
parser.add_argument("names", nargs="*")
assert vars(parser.parse_args(["--size", "4", "a", "b"])) == {"size": 4, "names": ["a", "b"]}
assert vars(parser.parse_args()) == {"size": 3, "names": []}
told = io.StringIO()
with contextlib.redirect_stderr(told), contextlib.suppress(SystemExit):
    parser.parse_args(["--size", "x"])
assert "invalid int value: 'x'" in told.getvalue()
profile = cProfile.Profile()
profile.runcall(sorted, range(1000))
report = io.StringIO()
pstats.Stats(profile, stream=report).print_stats()
assert "sorted" in report.getvalue()
tracemalloc.start()
held = [bytes(1000) for _ in range(100)]
assert tracemalloc.get_traced_memory()[0] > 100_000
tracemalloc.stop()
assert timeit.timeit("1 + 1", number=1000) < 5
assert "BINARY_OP" in dis.Bytecode("a + b").dis()
print(pprint.pformat({"b": 1, "a": [1, 2]}))
