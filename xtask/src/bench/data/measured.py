"""Runs a command and prints what it took: `measured.py COMMAND…`, one JSON object.

The peak is the largest resident size of any process that the command waited for, its own included.
"""

import json
import resource
import subprocess
import sys
import time


def main() -> None:
    begun = time.perf_counter()
    done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=False)
    milliseconds = (time.perf_counter() - begun) * 1e3
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    if done.returncode:
        sys.exit(f"status {done.returncode}: {done.stdout.decode(errors='replace')[:2000]}")
    print(json.dumps({"ms": milliseconds, "peak_bytes": peak, "stdout": done.stdout.decode()}))


main()
