"""The value of a program's last expression, as the machine interface spells results.

    none | scalar {type, value} | table {table} | figure {path} | file {path}

Values are recognised by the libraries that the program has loaded, none is imported for it. Looking at a stranger's
value may run a stranger's code, which may raise or lie: what cannot be told otherwise is told by its `repr`, bounded,
and the host takes nothing of this for granted. Nothing is rounded; what is too much is cut and said to be.
"""

import figures
import tables
import wire
from values import INT_MAX, INT_MIN, RESULT_BYTES_MAX, cell, clean, kind_of, plain_json

TEXT_BYTES_MAX = 64 * 1024
REPR_VALUES_MAX = 20_000
REPR_DEPTH_MAX = 50


def tell(value):
    """The result that a value is."""
    for teller in (_figure, _file, tables.tell, _scalar, _repr):
        try:
            result = teller(value)
            if result is not None and len(wire.dumps(result)) <= RESULT_BYTES_MAX:
                return result
        except BaseException:
            continue  # The next knows less of it and asks less.
    return _text("(its text cannot be told)")


def _figure(value):
    figure = figures.figure_of(value)
    return figure and {"kind": "figure", "path": figures.path_of(figure)}


def _file(value):
    path = value
    if not hasattr(type(value), "__fspath__"):
        # An open file; its name may also be a descriptor's number.
        path = value.name if hasattr(value, "fileno") and hasattr(value, "flush") else None
        if not isinstance(path, str):
            return None
        if not value.closed:
            value.flush()
    path = figures.below_out(path)
    return path and {"kind": "file", "path": clean(path)}


def _scalar(value):
    kind = kind_of(value)
    if kind == "null":
        return {"kind": "none"}
    if kind == "text":
        return _text(str.__str__(value)) if isinstance(value, str) else None
    if kind == "json":
        return {"kind": "scalar", "type": "json", "value": plain_json(value)}
    if kind == "int":
        value = int(value)
        if not INT_MIN <= value <= INT_MAX:
            return big_integer(value)
    return {"kind": "scalar", "type": kind, "value": cell(value, kind)}


def big_integer(value):
    """Readers of JSON round what 64 bits do not hold, so the digits are text."""
    try:
        return {"kind": "scalar", "type": "decimal", "value": str(value)}
    except ValueError:
        return {**_text(f"an integer of {value.bit_length()} bits"), "truncated": True}


def _repr(value):
    if _is_small(value, [REPR_VALUES_MAX], []):
        return _text(repr(value))
    import reprlib

    return {**_text(reprlib.repr(value)), "truncated": True}


def _is_small(value, left, path):
    """Whether a container is written out soon: parts that are in it many times are written as often."""
    left[0] -= 1
    if left[0] < 0 or len(path) > REPR_DEPTH_MAX:
        return False
    # By its type: what an object says of its class may be anything.
    kind = type(value)
    if not issubclass(kind, (list, tuple, dict, set, frozenset)) or any(value is outer for outer in path):
        return True
    if len(value) > left[0]:
        return False
    parts = [*value, *value.values()] if issubclass(kind, dict) else value
    return all(_is_small(part, left, [*path, value]) for part in parts)


def _text(text):
    text = clean(text)
    kept = text.encode()[:TEXT_BYTES_MAX].decode("utf-8", "ignore")
    result = {"kind": "scalar", "type": "text", "value": kept}
    return result if len(kept) == len(text) else {**result, "truncated": True}
