"""The peer of a warm query: a process that already has the file open, and answers from it again and again.

`open_process.py FILE THREADS` reads one statement per line and prints its rows as one line of JSON.
"""

import json
import sys

import duckdb


def main() -> None:
    path, threads = sys.argv[1:]
    connection = duckdb.connect(path, read_only=True, config={"threads": threads})
    print(json.dumps("ready"), flush=True)
    for statement in sys.stdin:
        rows = connection.execute(statement).fetchall()
        print(json.dumps(rows, default=str), flush=True)


main()
