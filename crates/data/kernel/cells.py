"""Values as the machine interface spells them.

One idea: a cell is chosen by the value's own type name, so that a result without dates or decimals imports neither
module. Integers that a 64-bit reader would round, NaN and the infinities become text; nothing is ever rounded here.
"""

INT_MIN, INT_MAX = -(2**63), 2**64 - 1

_INTS = {
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
}
_NAMES = {
    "BOOLEAN": "bool", "FLOAT": "float", "DOUBLE": "float", "DECIMAL": "decimal", "BIGNUM": "decimal", "DATE": "date",
}
_NESTED = ("STRUCT", "MAP", "UNION", "JSON", "VARIANT")


def type_name(engine_type):
    """The contract's name for a DuckDB type as its description prints it."""
    text = engine_type.upper()
    if text.startswith("ENUM"):
        return "text"
    if text.endswith("]") or text.startswith(_NESTED):
        return "json"
    head = text.partition("(")[0].strip()
    if head in _INTS:
        return "int"
    if head.startswith("TIMESTAMP"):
        return "timestamp"
    if head.startswith("TIME"):
        return "time"
    return _NAMES.get(head, "text")


def encode(value):
    """One value as a cell of a `Table`."""
    encoder = _ENCODERS.get(type(value).__name__)
    return str(value) if encoder is None else encoder(value)


def _integer(value):
    return value if INT_MIN <= value <= INT_MAX else str(value)


def _float(value):
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _datetime(value):
    if value.tzinfo is not None:
        value = (value - value.utcoffset()).replace(tzinfo=None)
    return value.isoformat()


def _nested(value):
    # Rare, and the package costs a cold start more than most questions do.
    import json

    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def _plain(value):
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return encode(value)


def _same(value):
    return value


_ENCODERS = {
    "NoneType": _same,
    "bool": _same,
    "str": _same,
    "int": _integer,
    "float": _float,
    "Decimal": lambda value: format(value, "f"),
    "date": lambda value: value.isoformat(),
    "time": lambda value: value.isoformat(),
    "datetime": _datetime,
    "bytes": lambda value: value.hex(),
    "bytearray": lambda value: bytes(value).hex(),
    "list": _nested,
    "tuple": _nested,
    "dict": _nested,
}
