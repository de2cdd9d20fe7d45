"""Rows, expressions and conditions of the oracle.

It works on columns: an expression becomes a list with one value per row, so that the inner loops are list
comprehensions. Values are None, bool, int, float, Decimal, str, date, time and datetime; a condition is True, False or
None.
"""

from datetime import date, datetime, timedelta
from decimal import Decimal
from math import floor
from operator import add, mul, sub, truediv

# So much of itself may a quotient be too small.
HAIR = 1e-15
# So many values show whether a column says the same again and again.
LOOKED_AT = 512
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class NaN(float):
    """Not a number as databases have it: equal to itself and greater than every other number."""

    def __new__(cls):
        return float.__new__(cls, "nan")

    def __eq__(self, other):
        return isinstance(other, NaN)

    def __ne__(self, other):
        return not self == other

    def __lt__(self, other):
        return False

    def __le__(self, other):
        return self == other

    def __gt__(self, other):
        return not self == other

    def __ge__(self, other):
        return True

    def __hash__(self):
        return 0


NAN = NaN()


class Data:
    """The tables of a dataset; a table's needed columns are read once, together."""

    def __init__(self, read, tables, relations, plan):
        self.read = read
        self.tables = tables
        self.relations = relations
        self.via = plan.get("via", ())
        self.needed = {}
        self.loaded = {}
        self.need_all(plan, plan["from"])

    def need_all(self, node, grain):
        """Every column that the rows of one table see in this part of a plan, and the keys that lead there."""
        self.needed.setdefault(grain, [])
        pending = [node]
        while pending:
            item = pending.pop()
            if isinstance(item, list):
                pending.extend(item)
            elif isinstance(item, dict) and "exists" in item:
                many = item["exists"]["table"]
                self.need_path(self.path(many, grain))
                self.need_all(item["exists"].get("where"), many)
            elif isinstance(item, dict) and "col" in item:
                table_name, column = item["col"].split(".", 1)
                self.need(table_name, column)
                self.need_path(self.path(grain, table_name))
            elif isinstance(item, dict):
                pending.extend(part for field, part in item.items() if field not in ("lit", "values"))

    def need_path(self, links):
        for link in links:
            self.need(link["from_table"], link["from_column"])
            self.need(link["to_table"], link["to_column"])

    def need(self, table_name, column):
        columns = self.needed.setdefault(table_name, [])
        if column not in columns:
            columns.append(column)

    def kind(self, table_name, column):
        return self.tables[table_name]["columns"][column]

    def columns(self, table_name):
        if table_name not in self.loaded:
            names = self.needed[table_name] or list(self.tables[table_name]["columns"])[:1]
            # The engine takes ten times as long to make decimals as to spell them.
            spelled = [name for name in names if self.kind(table_name, name) == "decimal"]
            rows = self.read(table_name, names, spelled)
            values = [list(column) for column in zip(*rows)] if rows else [[] for _ in names]
            for index, name in enumerate(names):
                if self.kind(table_name, name) == "float":
                    values[index] = numbers_only(values[index])
                elif name in spelled:
                    values[index] = each(Decimal, values[index])
            self.loaded[table_name] = (len(rows), dict(zip(names, values)))
        return self.loaded[table_name]

    def grain(self, table_name):
        return Rows(self, table_name, None, {})

    def path(self, start, end):
        """The links from one table to another; `via` decides which link enters a table."""
        entered = {link.split("->")[1].split(".", 1)[0]: set() for link in self.via}
        for link in self.via:
            entered[link.split("->")[1].split(".", 1)[0]].add(link)
        queue = [(start, [])]
        while queue:
            here, links = queue.pop(0)
            if here == end:
                return links
            for link in self.relations:
                to = link["to_table"]
                spelled = "%s.%s->%s.%s" % (link["from_table"], link["from_column"], to, link["to_column"])
                seen = to == start or any(to == passed["to_table"] for passed in links)
                if link["from_table"] == here and not seen and spelled in entered.get(to, (spelled,)):
                    queue.append((to, links + [link]))
        raise ValueError("no path from %s to %s" % (start, end))


class Rows:
    """Rows of one table, perhaps not all of them, and the columns they see along many-to-one links."""

    def __init__(self, data, table_name, kept, positions):
        self.data = data
        self.table = table_name
        self.kept = kept
        self.positions = positions
        self.cache = {}

    def count(self):
        return self.data.columns(self.table)[0] if self.kept is None else len(self.kept)

    def only(self, conditions):
        base = range(len(conditions)) if self.kept is None else self.kept
        kept = [position for position, condition in zip(base, conditions) if condition is True]
        return Rows(self.data, self.table, kept, self.positions)

    def column(self, qualified):
        if qualified not in self.cache:
            table_name, name = qualified.split(".", 1)
            values = self.data.columns(table_name)[1][name]
            if table_name != self.table:
                values = [None if at is None else values[at] for at in self.joined(table_name)]
            if self.kept is not None:
                values = [values[at] for at in self.kept]
            self.cache[qualified] = (self.data.kind(table_name, name), values)
        return self.cache[qualified]

    def joined(self, table_name):
        """For every row of the table, the position of its row in the other; None where there is none."""
        if table_name not in self.positions:
            at = None
            for link in self.data.path(self.table, table_name):
                keys = self.data.columns(link["from_table"])[1][link["from_column"]]
                if at is not None:
                    keys = [None if position is None else keys[position] for position in at]
                unique = self.data.columns(link["to_table"])[1][link["to_column"]]
                index = {key: position for position, key in enumerate(unique) if key is not None}
                at = [index.get(key) for key in keys]
            self.positions[table_name] = at
        return self.positions[table_name]

    def exists(self, many_name, pred):
        """For every row, whether a row of the many side leads to it."""
        links = self.data.path(many_name, self.table)
        many = self.data.grain(many_name)
        if pred is not None:
            many = many.only(truth(pred, many))
        last = links[-1]
        _, keys = many.column("%s.%s" % (last["from_table"], last["from_column"]))
        reached = {key for key in keys if key is not None}
        _, own = self.column("%s.%s" % (self.table, last["to_column"]))
        return [key in reached for key in own]


class Outputs:
    """The rows of a result, seen by `having`."""

    def __init__(self, columns, result):
        self.columns = columns
        self.result = result

    def count(self):
        return len(self.result)

    def output(self, name):
        index = position(self.columns, name)
        return self.columns[index][1], [row[index] for row in self.result]


def position(columns, name):
    for index, column in enumerate(columns):
        if column[0] == name:
            return index
    raise ValueError("no output " + name)


# Expressions: (type, values)


class Same(list):
    """One value for every row."""


def value(expr, rows):
    kind, values = raw(expr, rows)
    return kind, numbers_only(values) if kind == "float" and "op" in expr else values


def raw(expr, rows):
    """The same, where what was computed and is no number may have another name: inside an expression nothing looks at it."""
    if "col" in expr:
        return rows.column(expr["col"])
    if "ref" in expr:
        return rows.output(expr["ref"])
    if "lit" in expr:
        literal = expr["lit"]
        return literal_kind(literal), Same([literal] * rows.count())
    if "part" in expr:
        _, values = value(expr["of"], rows)
        return PART_KINDS.get(expr["part"], "int"), remembered(PARTS[expr["part"]], values)
    op = expr["op"]
    if op in ELAPSED:
        return "float", elapsed([moments(arg, rows) for arg in expr["args"]], ELAPSED[op])
    args = [raw(arg, rows) for arg in (factors(expr) if op == "mul" else expr["args"])]
    if op == "to_number":
        return "float", remembered(to_number, args[0][1])
    if op == "bin":
        return binned(*args[0], expr["args"][1]["lit"])
    return arithmetic(op, args)


def factors(expr):
    """Of a product that begins with a product, all of them in their order: with a float among them each is made one once."""
    first, *rest = expr["args"]
    return (factors(first) if first.get("op") == "mul" else [first]) + rest


def literal_kind(literal):
    if isinstance(literal, bool):
        return "bool"
    if isinstance(literal, int):
        return "int"
    if isinstance(literal, float):
        return "int" if literal.is_integer() and abs(literal) <= 2**53 else "float"
    return "text"


def as_float(kind, values):
    if kind == "float":
        return values
    return each(float, values)


def each(function, values):
    """The function of every value but None, which no function here takes."""
    if isinstance(values, Same):
        return Same([function(values[0])] * len(values)) if values else values
    if repeats(values):
        return remembered(function, values)
    try:
        return list(map(function, values))
    except TypeError:
        return [None if value is None else function(value) for value in values]


def repeats(values):
    """Whether few of the values are different, by a look at some of them."""
    some = values[:LOOKED_AT]
    return len(some) == LOOKED_AT and len(set(some)) <= LOOKED_AT // 2


def pairwise(operate, left, right):
    """What an operation makes of two columns, row by row; None with anything is None."""
    try:
        return list(map(operate, left, right))
    except TypeError:
        return [None if a is None or b is None else operate(a, b) for a, b in zip(left, right)]


def widest(kinds):
    return "float" if "float" in kinds else "decimal" if "decimal" in kinds else "int"


def arithmetic(op, args):
    if op == "div":
        left, right = as_float(*args[0]), as_float(*args[1])
        try:
            return "float", list(map(truediv, left, right))
        except (TypeError, ZeroDivisionError):
            return "float", [None if a is None or b is None or b == 0 else divide(a, b) for a, b in zip(left, right)]
    kind = widest([kind for kind, _ in args])
    columns = [as_float(*arg) if kind == "float" else arg[1] for arg in args]
    total = columns[0]
    for other in columns[1:]:
        total = pairwise({"add": add, "sub": sub}.get(op, mul), total, other)
    return kind, total


def numbers_only(values):
    """The values with the one word for what is not a number: where one is none, their sum is none either."""
    try:
        total = sum(values)
    except TypeError:
        total = NAN
    if total - total == 0:
        return values
    return [NAN if value is not None and value != value else value for value in values]


def divide(a, b):
    quotient = a / b
    return NAN if quotient != quotient else quotient


def remembered(function, values):
    """The function of every value but None, computed once per distinct value."""
    known = {None: None}
    for item in set(values):
        if item is not None:
            known[item] = function(item)
    return [known[item] for item in values]


def binned(kind, values, width):
    """The lower edges of the bins that values lie in."""
    if literal_kind(width) == "int":
        width = int(width)
        if kind == "int":
            return "int", each(lambda number: number // width * width, values)
    return "float", each(lambda number: edge(float(number), width), values)


def edge(number, width):
    """What a binary fraction puts a hair below an edge is at the edge, which has no more than nine decimals."""
    place = number / width
    place += abs(place) * HAIR if place - place == 0 else 0
    if place - place != 0:
        return place
    return floor(place) * float(width) if isinstance(width, int) else round(floor(place) * width, 9)


def moments(expr, rows):
    if "lit" in expr:
        return [datetime.fromisoformat(expr["lit"])] * rows.count()
    kind, values = value(expr, rows)
    if kind == "date":
        return remembered(lambda day: datetime(day.year, day.month, day.day), values)
    return values


def elapsed(args, unit):
    return [None if a is None or b is None else (b - a) / unit for a, b in zip(*args)]


ELAPSED = {
    "elapsed_minutes": timedelta(minutes=1),
    "elapsed_hours": timedelta(hours=1),
    "elapsed_days": timedelta(days=1),
}

PART_KINDS = {"weekday": "text"}
PARTS = {
    "year": lambda moment: moment.year,
    "quarter": lambda moment: (moment.month + 2) // 3,
    "month": lambda moment: moment.month,
    "week": lambda moment: moment.isocalendar()[1],
    "day": lambda moment: moment.day,
    "weekday": lambda moment: WEEKDAYS[moment.weekday()],
    "hour": lambda moment: moment.hour,
}
PERIODS = {
    "year": lambda moment: date(moment.year, 1, 1),
    "quarter": lambda moment: date(moment.year, moment.month - (moment.month - 1) % 3, 1),
    "month": lambda moment: date(moment.year, moment.month, 1),
    "week": lambda moment: date(moment.year, moment.month, moment.day) - timedelta(days=moment.weekday()),
    "day": lambda moment: date(moment.year, moment.month, moment.day),
    "hour": lambda moment: moment.replace(minute=0, second=0, microsecond=0),
}

IGNORED_IN_NUMBERS = {ord(sign): None for sign in "$%£€ \t\n\f\r\u00a0\u202f"}
IGNORED_IN_NUMBERS[0x2212] = "-"


def to_number(text):
    """A number written for people, such as `1,234`, `$5` or `12 %`; None for anything else."""
    bare = text.translate(IGNORED_IN_NUMBERS)
    digits = bare[1:] if bare[:1] in ("+", "-") else bare
    whole, point, fraction = digits.partition(".")
    groups = whole.split(",")
    if len(groups) > 1 and not (1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])):
        return None
    joined = "".join(groups)
    if not (joined + fraction).isdigit() or not digits.isascii():
        return None
    return float(bare.replace(",", ""))


# Conditions: True, False or None per row


def truth(pred, rows):
    if "and" in pred:
        return all_of([truth(item, rows) for item in pred["and"]])
    if "or" in pred:
        return [negated(item) for item in all_of([list(map(negated, truth(item, rows))) for item in pred["or"]])]
    if "not" in pred:
        return list(map(negated, truth(pred["not"], rows)))
    if "exists" in pred:
        return rows.exists(pred["exists"]["table"], pred["exists"].get("where"))
    return tested(pred["test"], *value(pred["expr"], rows), pred.get("values", ()))


def negated(condition):
    return None if condition is None else not condition


def all_of(columns):
    """False beats unknown, unknown beats True."""
    result = columns[0]
    for column in columns[1:]:
        result = [
            False if a is False or b is False else None if a is None or b is None else True
            for a, b in zip(result, column)
        ]
    return result


def tested(test, kind, values, literals):
    if test == "is_null":
        return [value is None for value in values]
    literals = [comparable(literal, kind) for literal in literals]
    if test == "in":
        wanted = set(literals)
        return [None if value is None else value in wanted for value in values]
    if test in ("between", "within"):
        low, high = literals
        if test == "between":
            return [None if value is None else low <= value <= high for value in values]
        return [None if value is None else low <= value < high for value in values]
    wanted = literals[0]
    if test in TEXT_TESTS:
        function, wanted = TEXT_TESTS[test], lowered(wanted)
        return remembered(lambda text: function(lowered(text), wanted), values)
    return COMPARISONS[test](values, wanted)


def comparable(literal, kind):
    """A literal as a value of the column's type; decimals are read from the digits, not from the float."""
    if kind == "decimal":
        return Decimal(repr(literal))
    if kind == "float":
        return float(literal)
    if kind == "date":
        return date.fromisoformat(literal)
    if kind == "timestamp":
        return datetime.fromisoformat(literal)
    if kind == "time":
        from datetime import time

        return time.fromisoformat(literal)
    if kind == "int" and isinstance(literal, float):
        return Decimal(repr(literal))
    return literal


COMPARISONS = {
    "eq": lambda values, wanted: [None if value is None else value == wanted for value in values],
    "ne": lambda values, wanted: [None if value is None else value != wanted for value in values],
    "lt": lambda values, wanted: [None if value is None else value < wanted for value in values],
    "le": lambda values, wanted: [None if value is None else value <= wanted for value in values],
    "gt": lambda values, wanted: [None if value is None else value > wanted for value in values],
    "ge": lambda values, wanted: [None if value is None else value >= wanted for value in values],
}
TEXT_TESTS = {"contains": str.__contains__, "starts_with": str.startswith, "ends_with": str.endswith}


def lowered(text):
    """Lower case letter by letter: engines do not look at neighbours as Python does for a final sigma."""
    if text.isascii():
        return text.lower()
    return "".join("i" if letter == "\u0130" else letter.lower() for letter in text)
