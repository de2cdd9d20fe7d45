"""Tables of a program, whichever library made them, as the interface's `Table`: the first rows, and how many there are.

    frame, series, array, relation -> (name, kind of dtype, values) per column -> typed cells -> rows that there is room for
"""

import sys

import wire
from kernel import told
from values import INT_MAX, INT_MIN, RESULT_BYTES_MAX, cell, clean, kind_of

ROWS_MAX = 1_000
COLUMNS_MAX = 1_000
NAME_LENGTH_MAX = 200


def tell(value):
    """The table that a value is: of pandas, numpy, pyarrow or DuckDB; nothing for any other."""
    for library, teller in (
        ("pandas", _of_pandas), ("numpy", _of_numpy), ("pyarrow", _of_arrow), ("duckdb", _of_relation),
    ):
        if (library := sys.modules.get(library)) is not None and (found := teller(value, library)) is not None:
            columns, row_count = found
            return {"kind": "table", "table": table(columns, row_count)}
    return None


def _of_pandas(value, pandas):
    if isinstance(value, pandas.Index) and not isinstance(value, pandas.MultiIndex):
        return _of_pandas(value.to_series(index=range(len(value))), pandas)
    if isinstance(value, pandas.MultiIndex):
        return _of_pandas(value.to_frame(index=False), pandas)
    if isinstance(value, pandas.api.extensions.ExtensionArray):
        return _of_pandas(pandas.Series(value), pandas)
    if isinstance(value, pandas.Series):
        head = value.iloc[:ROWS_MAX]
        columns = index_columns(head.index, pandas, keeps_numbers=True)
        name = "value" if value.name is None else value.name
        return [*columns, (label(name), head.dtype.kind, head.tolist())], len(value)
    if not isinstance(value, pandas.DataFrame) or value.shape[1] > COLUMNS_MAX:
        return None
    head = value.iloc[:ROWS_MAX]
    columns = index_columns(head.index, pandas, keeps_numbers=False)
    for position, name in enumerate(value.columns):
        series = head.iloc[:, position]
        columns.append((label(name), series.dtype.kind, series.tolist()))
    return columns, len(value)


def index_columns(index, pandas, keeps_numbers):
    """An index that says something: one with a name or several levels, or labels that are no mere row numbers."""
    if isinstance(index, pandas.MultiIndex):
        levels = [index.get_level_values(level) for level in range(index.nlevels)]
        names = [f"level_{level}" if name is None else name for level, name in enumerate(index.names)]
        return [(label(name), level.dtype.kind, level.tolist()) for name, level in zip(names, levels)]
    is_range = isinstance(index, pandas.RangeIndex) and (index.start, index.step) == (0, 1)
    is_counted = is_range or index.dtype.kind in "iu" and not keeps_numbers
    if index.name is None and is_counted:
        return []
    return [(label("index" if index.name is None else index.name), index.dtype.kind, index.tolist())]


def _of_numpy(value, numpy):
    if not isinstance(value, numpy.ndarray) or value.ndim not in (1, 2):
        return None
    head = value[:ROWS_MAX]
    if value.dtype.names:
        columns = [(label(name), head[name]) for name in value.dtype.names] if value.ndim == 1 else []
    elif value.ndim == 1:
        columns = [("value", head)]
    else:
        columns = [(f"column_{number}", head[:, number - 1]) for number in range(1, value.shape[1] + 1)]
    if not columns or len(columns) > COLUMNS_MAX:
        return None
    return [(name, column.dtype.kind, list(column)) for name, column in columns], len(value)


def _of_arrow(value, arrow):
    if isinstance(value, (arrow.Array, arrow.ChunkedArray)):
        value = arrow.table({"value": value})
    if not isinstance(value, (arrow.Table, arrow.RecordBatch)) or value.num_columns > COLUMNS_MAX:
        return None
    head = value.slice(0, ROWS_MAX)
    names = zip(head.schema.names, range(head.num_columns))
    return [(label(name), "O", head.column(place).to_pylist()) for name, place in names], value.num_rows


def _of_relation(value, engine):
    if not isinstance(value, engine.DuckDBPyRelation) or len(value.columns) > COLUMNS_MAX:
        return None
    rows = value.limit(ROWS_MAX).fetchall()
    columns = [(label(name), "O", [row[place] for row in rows]) for place, name in enumerate(value.columns)]
    return columns, len(rows) if len(rows) < ROWS_MAX else len(value)


def label(name):
    """A column's name; the parts of one with several levels side by side."""
    parts = [told(part) for part in name] if isinstance(name, tuple) else [told(name)]
    return clean("_".join(part for part in parts if part))[:NAME_LENGTH_MAX]


def table(columns, row_count):
    """The interface's table of (name, kind of dtype, values): as many rows as there is room for."""
    names, described, cells = set(), [], []
    for place, (name, dtype, values) in enumerate(columns, 1):
        name = unique(name or f"column_{place}", names)
        kind, column = typed(values, dtype)
        described.append({"name": name, "type": kind})
        cells.append(column)
    rows = [list(row) for row in zip(*cells)] if cells else [[] for _ in range(min(row_count, ROWS_MAX))]
    room = RESULT_BYTES_MAX - len(wire.dumps(described)) - 1024
    for count, row in enumerate(rows):
        room -= len(wire.dumps(row)) + 1
        if room < 0:
            rows = rows[:count]
            break
    return {"columns": described, "rows": rows, "row_count": row_count, "truncated": row_count > len(rows)}


def unique(name, names):
    found, count = name, 2
    while found in names:
        found, count = f"{name}_{count}", count + 1
    names.add(found)
    return found


def typed(values, dtype):
    """The type of a column and its cells. A dtype of numbers or times decides; otherwise the values do."""
    kinds = {kind_of(value) for value in values} - {"null"}
    by_dtype = {"b": "bool", "i": "int", "u": "int", "f": "float"}.get(dtype)
    if by_dtype:
        kind = by_dtype
    elif "float" in kinds and kinds & {"text", "date", "time", "timestamp", "bool", "json"}:
        # Among other things a NaN is what pandas calls missing.
        values = [None if isinstance(value, float) and value != value else value for value in values]
        kind = common({kind_of(value) for value in values} - {"null"})
    else:
        kind = common(kinds) if kinds or dtype != "M" else "timestamp"
    if kind == "float" and dtype != "f" and all(value is None or value != value for value in values):
        kind, values = "text", [None] * len(values)
    if kind == "int" and any(kind_of(value) == "int" and not INT_MIN <= value <= INT_MAX for value in values):
        kind = "decimal"
    try:
        return kind, checked([None if kind_of(value) == "null" else cell(value, kind) for value in values], kind)
    except Exception:
        return "text", [None if kind_of(value) == "null" else cell(value, "text") for value in values]


def common(kinds):
    """One type for values of several."""
    if len(kinds) == 1:
        return next(iter(kinds))
    for together, kind in (
        ({"int", "float"}, "float"), ({"int", "decimal"}, "decimal"), ({"date", "timestamp"}, "timestamp"),
    ):
        if kinds == together:
            return kind
    return "text"


def checked(cells, kind):
    """Years beyond four digits have no place in the interface's dates."""
    if kind in ("date", "timestamp") and any(text is not None and text[4:5] != "-" for text in cells):
        raise ValueError("not a date of the interface")
    return cells
