"""Computes the expected results of the question suite.

    python3 expect.py DATA_DIR QUESTIONS.jsonl OUT.jsonl

Reads DATA_DIR/<dataset>/*.csv, runs the pandas snippet of every question and
writes the cases as `assay eval` reads them. Needs pandas.

A snippet is an expression, or lines of which the last assigns `result`. It
sees every table as a DataFrame of the table's name, with dates parsed, and
`pd` and `np`. The snippets in `also` run after it and see its names; each
gives another result that answers the question as well.

`expect.also` lists the other row sets that count as right. It also holds the
other spellings of the same result: a month as 2026-03 or as its first day, a
yes/no column as text or as a boolean, a time with a T or with a space.
"""

import json
import math
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd

BUILT_IN = ("ecommerce", "support", "sensors")
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d)?)?")
YES_NO = {"yes": True, "y": True, "no": False, "n": False}


def is_date(column):
    """Whether every value that is there is an ISO date or timestamp."""
    values = column.dropna()
    return len(values) > 0 and all(
        isinstance(value, str) and ISO_DATE.fullmatch(value) for value in values)


def load(files):
    """The tables of a dataset, by name."""
    tables = {}
    for file in files:
        table = pd.read_csv(file)
        for name in table.columns:
            if is_date(table[name]):
                table[name] = pd.to_datetime(table[name])
        tables[file.stem] = table
    return tables


def run(snippet, names):
    """Runs a snippet in `names` and returns its result."""
    try:
        code = compile(snippet, "snippet", "eval")
    except SyntaxError:
        exec(snippet, names)
    else:
        names["result"] = eval(code, names)
    return names["result"]


def rows(result):
    """Any result as a list of rows of plain cells."""
    if isinstance(result, pd.Series):
        result = result.reset_index()
    if isinstance(result, pd.DataFrame):
        return [list(row) for row in result.itertuples(index=False, name=None)]
    if isinstance(result, (list, pd.Index, np.ndarray)):
        return [list(row) if isinstance(row, tuple) else [row] for row in result]
    return [[result]]


def plain(cell, style):
    """A cell as JSON, in one of the spellings of dates and booleans."""
    if isinstance(cell, pd.Period):
        if style == "short" and cell.freqstr.startswith("M"):
            return f"{cell:%Y-%m}"
        cell = cell.start_time
    if cell is None or cell is pd.NaT or isinstance(cell, float) and math.isnan(cell):
        return None
    if isinstance(cell, pd.Timedelta):
        return cell.total_seconds()
    if hasattr(cell, "isoformat"):
        cell = pd.Timestamp(cell)
        if cell == cell.normalize() and style not in ("spaced", "long"):
            return f"{cell:%Y-%m-%d}"
        return cell.isoformat(sep=" " if style == "spaced" else "T")
    if style == "truth" and isinstance(cell, str):
        return YES_NO.get(cell.lower(), cell)
    return cell.item() if isinstance(cell, np.generic) else cell


def spellings(result):
    """The row sets that say the same; the first is the usual one."""
    table = rows(result)
    sets = []
    for style in ("usual", "short", "spaced", "long", "truth"):
        one = [[plain(cell, style) for cell in row] for row in table]
        if one not in sets:
            sets.append(one)
    return sets


def expected(question, tables):
    """The `expect` object of a question."""
    if question["pandas"] is None:
        return {"refused": True}
    names = {"pd": pd, "np": np, **{name: table.copy() for name, table in tables.items()}}
    sets = {}
    for snippet in [question["pandas"], *question.get("also", [])]:
        # By what is written: for Python, no and none are equal.
        sets |= {json.dumps(one): one for one in spellings(run(snippet, names))}
    first, *others = sets.values()
    return {"rows": first, "ordered": question.get("ordered", False), "also": others}


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: expect.py DATA_DIR QUESTIONS.jsonl OUT.jsonl")
    data, source, target = map(Path, sys.argv[1:])
    tables, failed = {}, 0
    with open(source, encoding="utf-8") as lines, open(target, "w", encoding="utf-8") as out:
        for question in map(json.loads, lines):
            name = question["dataset"]
            files = sorted((data / name).glob("*.csv"))
            if name not in tables:
                tables[name] = load(files)
            try:
                expect = expected(question, tables[name])
            except Exception as error:
                failed += 1
                print(f"{question['id']}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            case = {
                "id": question["id"],
                "dataset": name if name in BUILT_IN else [file.as_posix() for file in files],
                "tables": None, "question": question["question"], "expect": expect,
            }
            out.write(json.dumps(case, ensure_ascii=False) + "\n")
    sys.exit(f"{failed} snippets failed" if failed else 0)


if __name__ == "__main__":
    main()
