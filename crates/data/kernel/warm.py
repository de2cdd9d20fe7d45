"""What a resident kernel has done before anybody asks: imports, and one sample of each kind of work.

`prepare` runs once, in the process that all workers are forked from; nothing in it may start a thread or keep a file
open. The rest runs in each worker and makes it copies of its own of the pages that nearly every program writes to: `touch`
before it is ready, so it is kept small; `deepen` bit by bit while it waits for something to do.
"""

import io

SAMPLE = "SELECT a, count(*) AS n FROM t WHERE b > 1 GROUP BY a ORDER BY n DESC LIMIT 3"


def prepare():
    """Imports the libraries and runs each once, so that what they do lazily is done."""
    import duckdb  # noqa: F401
    import frames  # noqa: F401
    import matplotlib.pyplot  # noqa: F401
    import numpy
    import oracle  # noqa: F401
    import pyarrow  # noqa: F401

    numpy.random.random()
    for step in (parse, query, recompute, total, group, plot):
        step()


def prepare_light():
    """Imports what programs use that need no library."""
    import bisect, collections, contextlib, copy, csv, dataclasses, datetime, decimal, enum, fractions  # noqa: E401, F401
    import functools, hashlib, heapq, io, itertools, json, logging, math, operator, os, pathlib, random  # noqa: E401, F401
    import re, statistics, string, struct, subprocess, tempfile, textwrap, threading, time, typing  # noqa: E401, F401

    json.loads(json.dumps({"a": [1, 2.5, None]}))
    re.compile(r"(\w+)@(\w+)").match("a@b")


def touch(profile):
    """What a program of that profile surely does. Chance must be our own: a fork copies the state of a generator."""
    import numpy

    numpy.random.seed()
    if profile == "analysis":
        parse()
        query()
    else:
        total()


def deepen(profile):
    """What a program of that profile may well do, in steps."""
    return (recompute, total, group) if profile == "analysis" else (group, query, plot)


def parse():
    import sql

    sql.parse({"sql": SAMPLE})


def query():
    import sql

    sql.connection().execute("SELECT i % 7 AS k, sum(i) AS s FROM range(1000) AS t(i) GROUP BY k ORDER BY s").fetchall()


def recompute():
    import oracle
    import sql

    sources = {"a": "CAST(i % 7 AS VARCHAR)", "b": "CAST(i / 4 AS VARCHAR)", "c": "i"}

    def read(_, names, __):
        items = ", ".join(sources[name] for name in names)
        return sql.connection().execute(f"SELECT {items} FROM range(5000) AS t(i)").fetchall()

    product = {"op": "mul", "args": [{"col": "t.b"}, {"col": "t.c"}]}
    plan = {
        "from": "t",
        "group": [{"as": "a", "expr": {"col": "t.a"}}],
        "measures": [{"as": "s", "agg": "sum", "expr": product}],
        "order": [{"by": "s", "dir": "desc"}],
    }
    tables = {"t": {"columns": {"a": "text", "b": "decimal", "c": "int"}}}
    return oracle.evaluate(plan, oracle.Data(read, tables, [], plan))


def total():
    import pandas

    return pandas.DataFrame({"a": [1.5, 2.5], "b": [1, 2]}).a.sum()


def group():
    import pandas

    frame = pandas.DataFrame({"k": ["a", "b", "a"], "v": [1.5, 2.5, 3.5]})
    return repr(frame.groupby("k").v.sum()), frame.describe()


def plot():
    from matplotlib import font_manager, pyplot

    figure, axes = pyplot.subplots()
    axes.bar(["a", "b"], [1, 2])
    axes.set_title("sample")
    figure.savefig(io.BytesIO(), format="png")
    pyplot.close(figure)
    # It keeps the files of fonts open, and a program begins with no file open.
    font_manager._get_font.cache_clear()
