"""Values of a program as the machine interface spells scalars and the cells of tables.

Types are recognised by the libraries that the program has loaded; none is imported for it. Nothing is rounded: what 64
bits do not hold, NaN and the infinities become text.
"""

import sys

from kernel import told

RESULT_BYTES_MAX = 4 * 1024 * 1024
JSON_DEPTH_MAX = 64
JSON_VALUES_MAX = 200_000
INT_MIN, INT_MAX = -(2**63), 2**64 - 1
DECIMAL_DIGITS_MAX = 1_000


def clean(text):
    """Text without half characters, which no reader of JSON takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def kind_of(value):
    """The interface's word for a value's type, or `null`; `text` for everything it has no word for."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "float"
    if isinstance(value, (dict, list, tuple)):
        return "json"
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, (numpy.generic, numpy.ndarray)):
        return kind_of_numpy(value, numpy)
    decimal, datetime = sys.modules.get("decimal"), sys.modules.get("datetime")
    if decimal is not None and isinstance(value, decimal.Decimal):
        return "decimal"
    if datetime is not None:
        for kind, known in (("timestamp", "datetime"), ("date", "date"), ("time", "time")):
            if isinstance(value, getattr(datetime, known)):
                return kind
    return "text"


def kind_of_numpy(value, numpy):
    if isinstance(value, numpy.ndarray) and value.ndim:
        return "json"
    kinds = {"b": "bool", "i": "int", "u": "int", "f": "float", "M": "timestamp"}
    kind = kinds.get(value.dtype.kind, "text")
    if kind != "timestamp":
        return kind
    if numpy.isnat(value):
        return "null"
    return "date" if numpy.datetime_data(value.dtype)[0] in ("Y", "M", "W", "D") else "timestamp"


def cell(value, kind):
    """One value of a column of this type."""
    if kind == "bool":
        return bool(value)
    if kind == "int":
        return int(value)
    if kind == "float":
        return number(float(value))
    if kind == "decimal":
        return exact(value)
    if kind == "timestamp":
        return moment(value)
    if kind in ("date", "time"):
        return day(value) if kind == "date" else value.replace(tzinfo=None).isoformat()
    if kind == "json":
        import json

        return json.dumps(plain_json(value), ensure_ascii=False, separators=(",", ":"))
    return clean(str.__str__(value) if isinstance(value, str) else told(value))


def number(value):
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def exact(value):
    if isinstance(value, int):
        return str(value)
    is_long = value.is_finite() and abs(value.adjusted()) > DECIMAL_DIGITS_MAX
    return str(value) if is_long else format(value, "f")


def moment(value):
    if type(value).__name__ == "datetime64":
        import numpy

        unit = numpy.datetime_data(value.dtype)[0]
        return str(numpy.datetime_as_string(value, unit="s" if unit in ("h", "m") else unit))
    if not hasattr(value, "utcoffset"):
        return value.isoformat() + "T00:00:00"
    if value.utcoffset() is not None:
        value = (value - value.utcoffset()).replace(tzinfo=None)
    return value.isoformat()


def day(value):
    return str(value.astype("datetime64[D]")) if type(value).__name__ == "datetime64" else value.isoformat()


def plain_json(value):
    """A list or mapping of plain values as JSON has them; refuses what is deep, endless or anything else."""
    return _Plain().of(value, 0)


class _Plain:
    def __init__(self):
        self.left = JSON_VALUES_MAX

    def of(self, value, depth):
        self.left -= 1
        if depth > JSON_DEPTH_MAX or self.left < 0:
            raise ValueError("too deep or too much")
        kind = kind_of(value)
        if kind == "null":
            return None
        if kind == "json":
            if isinstance(value, dict):
                return {self.key(key): self.of(item, depth + 1) for key, item in dict.items(value)}
            return [self.of(item, depth + 1) for item in value]
        if kind == "text" and not isinstance(value, str):
            raise TypeError("not plain")
        if kind == "int" and not INT_MIN <= value <= INT_MAX:
            return str(int(value))
        return cell(value, kind)

    @staticmethod
    def key(key):
        if not isinstance(key, (str, int, float, bool)) and key is not None:
            raise TypeError("not plain")
        return clean(str(key))
