"""The kinds of values that text can be, each as a pattern for samples and as SQL for whole columns.

One idea: the engine's casts accept too much (it rounds `1.5` to an int, drops the zeros of `007`, cuts the time off a
date and takes `1_000` and `nan` for numbers), so a cell has to look like its kind before it is cast. Patterns are
written in what Python and RE2 have in common.
"""

import re

from ingest_report import literal

_DATE = r"[12][0-9]{3}[-/.][0-9]{1,2}[-/.][0-9]{1,2}"
_DAY = r"[0-9]{1,2}[-/.][0-9]{1,2}[-/.][12][0-9]{3}"
_CLOCK = r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?"
_ZONE = r" ?(Z|UTC|[-+][0-9]{2}(:?[0-9]{2})?)"
_MONTH = r"[A-Za-z]{3,9}\.?"
# A plus before many digits is a telephone number; digits beyond 15 would lose some as a float.
_INT = r"-?(0|[1-9][0-9]*)|\+(0|[1-9][0-9]{0,5})"
_FLOAT = r"([-+]?([0-9]+\.[0-9]*|\.[0-9]+)|-?(0|[1-9][0-9]{0,14})|\+(0|[1-9][0-9]{0,5}))([eE][-+]?[0-9]{1,3})?"
BEYOND_MICROSECONDS = re.compile(r":[0-9]{2}\.[0-9]{7,}")


class Kind:
    """One kind: its contract type, the group it is counted with, its pattern, and its value in SQL (null if none)."""

    def __init__(self, name, type_name, group, pattern, value):
        self.name, self.type, self.group, self.pattern, self._value = name, type_name, group, pattern, value
        self.shape = re.compile(pattern)

    def value(self, cell):
        """The value of a trimmed cell, null where it has none."""
        return self._value.replace("{}", cell)

    def fits(self, cell):
        """The condition that a trimmed cell is of this kind."""
        return f"(regexp_full_match({cell}, {literal(self.pattern)}) AND {self.value(cell)} IS NOT NULL)"


def _dated(order):
    return f"CAST(try_strptime(regexp_replace({{}}, '[/.]', '-', 'g'), '{order}') AS DATE)"


def _dated_at(order):
    plain = "regexp_replace(regexp_replace({}, '[/.]', '-', 'g'), '[T ]+', ' ', 'g')"
    clocks = ", ".join(f"'{order} {clock}'" for clock in ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p"))
    return f"try_strptime({plain}, [{clocks}])"


def _named(*orders):
    plain = "regexp_replace({}, '[-/., ]+', ' ', 'g')"
    return f"CAST(try_strptime({plain}, [{', '.join(map(literal, orders))}]) AS DATE)"


_ISO = "replace(replace({}, '/', '-'), '.', '-')"
_AT = "regexp_replace({}, '^([0-9]{4})[/.]([0-9]+)[/.]([0-9]+)', '\\1-\\2-\\3')"
_AT_ZONE = f"regexp_replace({_AT}, ' ?UTC$', 'Z')"

KINDS = (
    Kind("bool", "bool", "bool", r"[Tt]rue|[Ff]alse|TRUE|FALSE", "TRY_CAST({} AS BOOLEAN)"),
    Kind("int", "int", "number", _INT, "TRY_CAST({} AS BIGINT)"),
    Kind("float", "float", "number", _FLOAT,
         "(CASE WHEN isfinite(TRY_CAST({} AS DOUBLE)) THEN TRY_CAST({} AS DOUBLE) END)"),
    Kind("date", "date", "date", _DATE, f"TRY_CAST({_ISO} AS DATE)"),
    Kind("day_first", "date", "date", _DAY, _dated("%d-%m-%Y")),
    Kind("month_first", "date", "date", _DAY, _dated("%m-%d-%Y")),
    Kind("day_month_name", "date", "date", rf"[0-9]{{1,2}}[-/. ]+{_MONTH}[-/., ]+[12][0-9]{{3}}",
         _named("%d %b %Y", "%d %B %Y")),
    Kind("month_name_day", "date", "date", rf"{_MONTH} +[0-9]{{1,2}},? +[12][0-9]{{3}}",
         _named("%b %d %Y", "%B %d %Y")),
    Kind("timestamp", "timestamp", "date", rf"{_DATE}([T ]+{_CLOCK})?", f"TRY_CAST({_AT} AS TIMESTAMP)"),
    Kind("timestamp_zone", "timestamp", "date", rf"{_DATE}([T ]+{_CLOCK}({_ZONE})?)?",
         f"timezone('UTC', TRY_CAST({_AT_ZONE} AS TIMESTAMPTZ))"),
    Kind("timestamp_day_first", "timestamp", "date", rf"{_DAY}[T ]+{_CLOCK}( [AaPp][Mm])?", _dated_at("%d-%m-%Y")),
    Kind("timestamp_month_first", "timestamp", "date", rf"{_DAY}[T ]+{_CLOCK}( [AaPp][Mm])?", _dated_at("%m-%d-%Y")),
    Kind("time", "time", "time", _CLOCK, "TRY_CAST({} AS TIME)"),
)
BY_NAME = {kind.name: kind for kind in KINDS}
DATE_KINDS = tuple(kind.name for kind in KINDS if kind.group == "date")
FORM_OF = {
    "day_first": "day/month/year", "month_first": "month/day/year", "timestamp_day_first": "day/month/year",
    "timestamp_month_first": "month/day/year",
}
OTHER_ORDER = {
    "day_first": "month_first", "month_first": "day_first", "timestamp_day_first": "timestamp_month_first",
    "timestamp_month_first": "timestamp_day_first",
}
# Digits alone, however many.
DIGITS = re.compile(r"[-+]?[0-9]{16,}")

_ENGINE_TYPES = {
    "bool": "BOOLEAN", "int": "BIGINT", "float": "DOUBLE", "text": "VARCHAR", "date": "DATE", "time": "TIME",
    "timestamp": "TIMESTAMP", "json": "JSON",
}
_DECLARED_SHAPES = {
    "int": r"[+-]?[0-9]+",
    "decimal": r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)",
    "float": r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?",
    "date": r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}",
}


def is_type(name):
    """Whether a contract type can be declared."""
    return name == "decimal" or name in _ENGINE_TYPES


def declared_kind(type_name, scale, digits):
    """The kind of a column whose type its owner declared."""
    engine_type = f"DECIMAL({digits},{scale})" if type_name == "decimal" else _ENGINE_TYPES[type_name]
    value = "{}" if type_name == "text" else f"TRY_CAST({{}} AS {engine_type})"
    return Kind(type_name, type_name, type_name, _DECLARED_SHAPES.get(type_name, r"(?s).*"), value)


# What one pass over a clean file can read. A cell in another spelling ends that pass: `error` is caught, and the file
# is read as text. Only comparisons and lengths, which cost next to nothing beside the cast.
_STRICT = {
    "bool": ("{} NOT IN ('true', 'false', 'True', 'False', 'TRUE', 'FALSE')", "CAST({} AS BOOLEAN)"),
    "int": ("{} <> CAST(CAST({} AS BIGINT) AS VARCHAR)", "CAST({} AS BIGINT)"),
    "float": (
        "{} < '-' OR ({} >= '00' AND {} < '0:') OR ({} >= '-00' AND {} < '-0:') OR contains({}, '_') "
        "OR (strlen({}) > 15 AND NOT contains({}, '.')) OR {} > ':'",
        "CAST({} AS DOUBLE)",
    ),
    "date": ("strlen({}) <> 10 OR {} NOT LIKE '____-%' OR {} < '1' OR {} > '3'", "CAST({} AS DATE)"),
    "timestamp": (
        "{}[5] NOT IN ('-', '/') OR {} < '1' OR {} > '3' OR NOT (strlen({}) = 16 OR (strlen({}) = 19 AND {}[17] = ':') "
        "OR (strlen({}) BETWEEN 21 AND 26 AND {}[20] = '.' AND NOT contains({}, '+') AND {}[-1] BETWEEN '0' AND '9' "
        "AND {}[-3] <> '-' AND {}[-5] <> '-' AND {}[-6] <> '-'))",
        "CAST({} AS TIMESTAMP)",
    ),
}
STRICT_KINDS = frozenset(_STRICT)


def strict_value(kind_name, cell):
    """The value of a cell that has the kind's usual spelling; any other ends the statement."""
    doubt, value = (part.replace("{}", cell) for part in _STRICT[kind_name])
    return f"CASE WHEN {doubt} THEN CAST(error('doubt') AS {_ENGINE_TYPES[kind_name]}) ELSE {value} END"
