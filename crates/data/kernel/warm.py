"""What a resident kernel has done before anybody asks: imports, one sample of each kind of work.

`prepare` runs once, in the process that all workers are forked from; nothing in it may start a thread. `touch` runs in
each worker: it makes the worker's own copies of the pages that nearly every program writes to.
"""

import io


def prepare():
    """Imports the libraries and runs each once, so that what they do lazily is done."""
    import random
    import threading  # noqa: F401  (its locks are made new in a child)

    import duckdb  # noqa: F401
    import matplotlib.pyplot as pyplot
    from matplotlib import font_manager
    import numpy
    import oracle  # noqa: F401
    import pandas
    import pyarrow  # noqa: F401
    import sql

    random.random()
    numpy.random.random()
    _query()
    _frame(pandas)
    figure, axes = pyplot.subplots()
    axes.bar(["a", "b"], [1, 2])
    axes.set_title("sample")
    figure.savefig(io.BytesIO(), format="png")
    pyplot.close("all")
    # It keeps the files of fonts open, and a worker starts with no file open.
    font_manager._get_font.cache_clear()
    sql.parse({"sql": "SELECT a, count(*) AS n FROM t WHERE b > 1 GROUP BY a ORDER BY n DESC LIMIT 3"})


def touch():
    """Makes pages our own, and chance our own: a fork copies the state of numpy's generator."""
    import numpy
    import pandas

    numpy.random.seed()
    _query()
    _frame(pandas)


def _query():
    import sql

    sql.connection().execute("SELECT i % 7 AS k, sum(i) AS s FROM range(1000) AS t(i) GROUP BY k ORDER BY s").fetchall()


def _frame(pandas):
    frame = pandas.DataFrame({"k": ["a", "b", "a"], "v": [1.5, 2.5, 3.5]})
    return repr(frame.groupby("k").v.sum()), frame.describe(), frame.v.sum()
