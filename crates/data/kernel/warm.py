"""What a resident kernel has done before anybody asks: imports, and samples of each kind of work.

`prepare` runs once, in the process that all workers are forked from; nothing in it may start a thread or keep a file
open. `rehearse` runs in a child of it, to find out which memory such work touches; `rouse` in each worker.
"""

import io

SAMPLE = "SELECT a, count(*) AS n FROM t WHERE b > 1 GROUP BY a ORDER BY n DESC LIMIT 3"
# So often has the interpreter to run something before it has fitted its code to what it meets. A drawing does most of
# what it does many times.
REPEATS = 10
DRAWINGS = 2


def prepare():
    """Imports the libraries and runs samples, so that what they do lazily is done."""
    import duckdb  # noqa: F401
    import frames  # noqa: F401
    import matplotlib.pyplot  # noqa: F401
    import numpy
    import oracle  # noqa: F401
    import pyarrow  # noqa: F401

    numpy.random.random()
    for step in (parse, query, recompute, total, group):
        for _ in range(REPEATS):
            step()
    for _ in range(DRAWINGS):
        plot()


def prepare_light():
    """Imports what programs use that need no library."""
    import bisect, collections, contextlib, copy, csv, dataclasses, datetime, decimal, enum, fractions  # noqa: E401, F401
    import functools, hashlib, heapq, io, itertools, json, logging, math, operator, os, pathlib, random  # noqa: E401, F401
    import re, statistics, string, struct, subprocess, tempfile, textwrap, threading, time, typing  # noqa: E401, F401

    json.loads(json.dumps({"a": [1, 2.5, None]}))
    re.compile(r"(\w+)@(\w+)").match("a@b")


def rouse():
    """Chance must be a worker's own: a fork copies the state of a generator."""
    import numpy

    numpy.random.seed()


def rehearse(profile):
    """What a program of that profile may well do."""
    steps = (parse, query, recompute, total, group) if profile == "analysis" else (total, group, query, plot)
    for step in steps:
        step()


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

    for draw in (draw_bars, draw_lines, draw_points):
        figure, axes = pyplot.subplots()
        draw(axes)
        axes.set_title("Sample: 0123456789 (%)")
        axes.set_xlabel("abcdefghijklmnopqrstuvwxyz")
        axes.set_ylabel("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        figure.savefig(io.BytesIO(), format="png")
        pyplot.close(figure)
    # It keeps the files of fonts open, and a program begins with no file open.
    font_manager._get_font.cache_clear()


def draw_bars(axes):
    axes.bar(["a", "b"], [1, 2])
    axes.tick_params(axis="x", rotation=45)


def draw_lines(axes):
    axes.plot([1, 2, 3], [1.5, -2.5, 3.5], marker="o", label="a")
    axes.plot([1, 2, 3], [2, 1, 0], linestyle="--", label="b")
    axes.legend()
    axes.grid(True)


def draw_points(axes):
    axes.scatter([1, 2, 3], [10, 200, 3000], c=[1, 2, 3])
    axes.hist([1, 2, 2, 3, 3, 3], bins=3, alpha=0.5)
