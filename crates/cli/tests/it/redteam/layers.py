"""Runs statements with one layer after the other off, and prints what each came to.

It runs in a cell, as a program of the test's own, each statement in a process of its own. `guard`: the kernel's own
functions are called with text that nobody checked. `engine`: the statement meets an engine without any setting of ours,
which would open the file for writing (one thread, for the number of processes); what is left is the cell.
"""

import collections
import json
import os
import sys

sys.path.insert(0, "/assay")

import _duckdb
import sql

PATH = "/work/input/data.duckdb"

# The first that fits names the layer.
SIGNS = (
    ("configuration has been locked", "locked"),
    ("disabled by configuration", "access"),
    ("disabled through configuration", "access"),
    ("mode: database does not exist", "no file"),
    ("read-only", "read-only"),
    ("Read-only", "read-only"),
    ("Permission denied", "read-only"),
    ("Failed to download", "no network"),
    ("No files found", "no file"),
    ("No such file", "no file"),
    ('" not found', "no file"),
)


def came_to(action, statement):
    """A word for what became of it: the layer that stopped it, `harmless`, or that it told something of the host."""
    try:
        shown = str(action(statement))
    except _duckdb.Error as error:
        told = str(error)
        return {"word": next((word for sign, word in SIGNS if sign in told), "engine"), "told": told[:300]}
    except Exception as error:
        return {"word": type(error).__name__, "told": str(error)[:300]}
    seen = [word for word in words if word in shown and word not in statement]
    return {"word": "reached the host" if seen else "harmless", "told": shown[:300]}


def without_the_guard(statement):
    sql.open({"path": PATH})
    return sql.query({"sql": statement, "rows_max": 1000, "bytes_max": 1 << 20})


def without_settings(statement):
    return bare_engine("(READ_ONLY)").execute(statement).fetchall()


def without_settings_for_writing(statement):
    return bare_engine("").execute(statement).fetchall()


def bare_engine(mode):
    engine = _duckdb.connect(":memory:", config={"threads": "1"})
    engine.execute(f"ATTACH '{PATH}' AS data {mode}")
    engine.execute("USE data")
    return engine


def attempt(one):
    statement, layer = one["sql"], one["off"]
    bare = without_settings_for_writing if one["class"] == "dml" else without_settings
    return {**one, **came_to(without_the_guard if layer == "guard" else bare, statement)}


def begin(one):
    """Starts an attempt in a process of its own, and gives where its outcome is read. No pool: its threads fork while
    others of them hold locks, and a child that inherits a lock waits for ever."""
    reads, writes = os.pipe()
    if os.fork() == 0:
        os.close(reads)
        os.write(writes, json.dumps(attempt(one)).encode())
        os._exit(0)
    os.close(writes)
    return reads


if __name__ == "__main__":
    attempts = [{**one, "off": layer} for one in statements for layer in ("guard", "engine")]
    # What waits for a network waits beside the others.
    under_way = collections.deque()
    while attempts or under_way:
        while attempts and len(under_way) < 8:
            under_way.append(begin(attempts.pop(0)))
        with open(under_way.popleft(), "rb") as outcome:
            print(outcome.read().decode(), flush=True)
        os.wait()
