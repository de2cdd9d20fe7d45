"""The floor under a durable step: one row of the same bytes, inserted and committed with a sync, in a file of its own.

`floor.py DIRECTORY COMMITS BYTES` prints one JSON line. The write-ahead log is brought to its full size first, because
a file that still grows is synced more slowly than one that is written over.
"""

import json
import sqlite3
import sys
import time
from pathlib import Path

WARM_UP_ROWS = 12_000


def main() -> None:
    directory, commits, size = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    connection = sqlite3.connect(directory / "floor.db", isolation_level=None)
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    connection.execute("PRAGMA synchronous = FULL")
    synchronous = connection.execute("PRAGMA synchronous").fetchone()[0]
    if (mode, synchronous) != ("wal", 2):
        sys.exit(f"SQLite does not log ahead and sync fully here, but: {mode}, {synchronous}")
    connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, contents BLOB NOT NULL)")
    row = bytes(size)
    insert = "INSERT INTO rows (contents) VALUES (?)"
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(insert, ((row,) for _ in range(WARM_UP_ROWS)))
    connection.execute("COMMIT")

    commit_ms = []
    begun, cpu_before = time.perf_counter(), time.process_time()
    for _ in range(commits):
        before = time.perf_counter()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(insert, (row,))
        connection.execute("COMMIT")
        commit_ms.append((time.perf_counter() - before) * 1000)
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu_before

    if connection.execute("SELECT count(*) FROM rows").fetchone()[0] != WARM_UP_ROWS + commits:
        sys.exit("the file does not hold every row")
    commit_ms.sort()
    at = lambda share: commit_ms[min(int(commits * share), commits - 1)]
    print(json.dumps({
        "runs_per_s": commits / seconds,
        "p50_ms": at(0.5),
        "p95_ms": at(0.95),
        "p99_ms": at(0.99),
        "zero_step_p50_ms": 0.0,
        "per_step_ms": at(0.5),
        "cpu_ms_per_run": cpu * 1000 / commits,
    }))


main()
