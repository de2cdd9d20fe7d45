"""Values, rows and conditions of the third interpreter: vectors with a mask for null, and what is computed row by row."""


from datetime import date, datetime, time
from decimal import ROUND_FLOOR, Decimal

import numpy as np
import pandas as pd

NEAR = 1e-9
FILL = {
    "bool": False, "int": 0, "float": 0.0, "decimal": Decimal(0), "text": "", "json": "",
    "date": date(2000, 1, 1), "time": time(0), "timestamp": datetime(2000, 1, 1),
}  # fmt: skip
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


class Vector:
    """Values of one kind, and where they are null. `fuzzy`: another machine may give other last digits."""

    def __init__(self, kind, data, null, fuzzy=False, weekday=False):
        self.kind = kind
        if kind == "float":
            self.data = np.where(null, 0.0, data)
        else:
            self.data = np.empty(len(data), dtype=bool if kind == "bool" else object)
            self.data[:] = [FILL[kind] if missing else value for value, missing in zip(data, null)]
        self.null = np.asarray(null, dtype=bool)
        self.fuzzy = fuzzy
        self.weekday = weekday

    def take(self, at):
        """The values at these positions; null where a position is negative."""
        at = np.asarray(at, dtype=int)
        if len(self.data) == 0:
            return Vector(self.kind, constant(self.kind, None, len(at)), np.ones(len(at), bool), self.fuzzy, self.weekday)
        return Vector(self.kind, self.data[at], self.null[at] | (at < 0), self.fuzzy, self.weekday)

    def floats(self):
        if self.kind == "float":
            return self
        exact = all(abs(value) < 2**53 for value in self.data)
        if self.kind == "decimal":
            exact = all(abs(value.scaleb(-min(value.as_tuple().exponent, 0))) < 2**53 for value in self.data)
        data = np.array([float(value) for value in self.data], dtype=float)
        return Vector("float", data, self.null, self.fuzzy or not exact)

    def codes(self):
        """Equal values have one code, greater values a greater one; null is -1."""
        codes = np.full(len(self.data), -1, dtype=int)
        there = ~self.null
        if self.weekday:
            codes[there] = [DAYS.index(value) for value in self.data[there]]
        elif self.kind == "float":
            finite = there & ~np.isnan(self.data)
            known = np.unique(self.data[finite])
            codes[finite] = np.searchsorted(known, self.data[finite])
            codes[there & np.isnan(self.data)] = len(known)
        elif there.any():
            codes[there] = pd.factorize(self.data[there], sort=True)[0]
        return codes


def constant(kind, value, count):
    data = np.empty(count, dtype=float if kind == "float" else object)
    data[:] = [FILL[kind] if value is None else value] * count
    return data


def read(kind, cells):
    null = np.array([cell is None for cell in cells], dtype=bool)
    if kind == "float":
        data = np.array([0.0 if cell is None else cell for cell in cells], dtype=float)
    else:
        data = np.empty(len(cells), dtype=object)
        data[:] = list(cells)
    return Vector(kind, data, null)


class World:
    """The tables, how they are linked, and which links a plan prefers."""

    def __init__(self, tables, relations, via):
        self.tables = tables
        self.relations = relations
        self.via = via
        self.known = {}
        self.undecided = False

    def walks(self, start, end, passed=()):
        """Every way along many-to-one links that visits no table twice."""
        if start == end:
            yield []
            return
        for link in self.relations:
            into = link["to_table"]
            if link["from_table"] == start and into not in passed and into != start:
                for rest in self.walks(into, end, (*passed, start)):
                    yield [link, *rest]

    def walk(self, start, end):
        spelled = "{from_table}.{from_column}->{to_table}.{to_column}".format
        decided = {}
        for name in self.via:
            decided.setdefault(name.split("->")[1].split(".")[0], []).append(name)
        fits = lambda link: spelled(**link) in decided.get(link["to_table"], [spelled(**link)])
        (only,) = [walk for walk in self.walks(start, end) if all(map(fits, walk))]
        return only

    def positions(self, start, end):
        """For every row of one table, where its row in the other stands; -1 for nowhere."""
        if (start, end) not in self.known:
            self.known[start, end] = self.found(start, end)
        return self.known[start, end]

    def found(self, start, end):
        at = np.arange(len(self.tables[start]["rows"]))
        for link in self.walk(start, end):
            keys = self.vector(link["from_table"], link["from_column"]).take(at)
            one = self.vector(link["to_table"], link["to_column"])
            index = pd.Index(one.data, dtype=object)
            found = index.get_indexer(pd.Index(keys.data, dtype=object)) if len(index) else np.full(len(at), -1)
            at = np.where(keys.null, -1, found)
        return at

    def vector(self, table, column):
        known = self.tables[table].setdefault("vectors", {})
        if column not in known:
            described = self.tables[table]["columns"]
            place = [each["name"] for each in described].index(column)
            known[column] = read(described[place]["type"], [row[place] for row in self.tables[table]["rows"]])
        return known[column]

    def doubt(self, vector, literals=()):
        """A fuzzy key or test decides only where its values are clearly apart."""
        if vector.kind != "float" or not vector.fuzzy:
            return
        values = vector.data[~vector.null]
        values = np.sort(np.concatenate([values[np.isfinite(values)], [float(literal) for literal in literals]]))
        if len(values) > 1:
            gaps = np.diff(values) <= NEAR * np.maximum(np.abs(values[1:]), np.abs(values[:-1]))
            self.undecided |= bool(gaps.any())


class Rows:
    """Rows of a table, by position, and what they see."""

    def __init__(self, world, table, at=None):
        self.world = world
        self.table = table
        self.at = np.arange(len(world.tables[table]["rows"])) if at is None else at

    def __len__(self):
        return len(self.at)

    def column(self, name):
        table, column = name.split(".", 1)
        return self.world.vector(table, column).take(self.world.positions(self.table, table)[self.at])


def evaluate(expr, rows):
    if "col" in expr:
        return rows.column(expr["col"])
    if "ref" in expr:
        return rows.outputs[expr["ref"]]
    if "lit" in expr:
        literal = expr["lit"]
        kind = {bool: "bool", int: "int", float: "float", str: "text"}[type(literal)]
        return Vector(kind, constant(kind, literal, len(rows)), np.zeros(len(rows), bool))
    if "part" in expr:
        return part(expr["part"], evaluate(expr["of"], rows))
    if expr["op"].startswith("elapsed"):
        return elapsed(expr["op"], [moments(arg, rows) for arg in expr["args"]])
    if expr["op"] == "bin":
        return binned(evaluate(expr["args"][0], rows), expr["args"][1]["lit"], rows.world)
    args = [evaluate(arg, rows) for arg in expr["args"]]
    if expr["op"] == "to_number":
        return numbers(args[0])
    return calculate(expr["op"], args, rows.world)


def part(name, vector):
    if name == "weekday":
        return Vector("text", [DAYS[moment.isoweekday() - 1] for moment in vector.data], vector.null, weekday=True)
    take = {
        "quarter": lambda moment: -(-moment.month // 3),
        "week": lambda moment: int(moment.strftime("%V")),
    }.get(name, lambda moment: getattr(moment, name))
    return Vector("int", [take(moment) for moment in vector.data], vector.null)


def moments(expr, rows):
    if "lit" in expr:
        return Vector("timestamp", constant("timestamp", pd_moment(expr["lit"]), len(rows)), np.zeros(len(rows), bool))
    vector = evaluate(expr, rows)
    if vector.kind == "date":
        midnight = [datetime.combine(day, time(0)) for day in vector.data]
        return Vector("timestamp", midnight, vector.null)
    return vector


def pd_moment(text):
    day, _, clock = text.partition("T")
    return datetime.combine(date.fromisoformat(day), time.fromisoformat(clock) if clock else time(0))


def microseconds(moment):
    days = moment.toordinal()
    return (((days * 24 + moment.hour) * 60 + moment.minute) * 60 + moment.second) * 1_000_000 + moment.microsecond


def elapsed(op, args):
    unit = {"elapsed_minutes": 60_000_000, "elapsed_hours": 3_600_000_000, "elapsed_days": 86_400_000_000}[op]
    apart = [microseconds(late) - microseconds(early) for early, late in zip(args[0].data, args[1].data)]
    fuzzy = any(abs(span) >= 2**53 for span in apart)
    data = np.array([span / unit for span in apart], dtype=float)
    return Vector("float", data, args[0].null | args[1].null, fuzzy)


def binned(vector, width, world):
    """The greatest multiple of the width that is not above the number, by the digits that both are written with."""
    whole = float(width).is_integer()
    if vector.kind == "int" and whole:
        return Vector("int", [value - value % int(width) for value in vector.data], vector.null)
    floats = vector.floats()
    hair = Decimal("1e-9" if floats.fuzzy else "1e-14")
    data, step = [], Decimal(repr(width))
    for number in map(float, floats.data):
        if not np.isfinite(number):
            data.append(number)
            continue
        place = Decimal(repr(number)) / step
        low = place.to_integral_value(ROUND_FLOOR)
        gap = min(place - low, low + 1 - place)
        world.undecided |= bool((gap > 0 or floats.fuzzy) and gap < hair * max(abs(place), 1)) or abs(place) > 1e14
        data.append(float(low * step))
    return Vector("float", np.array(data, dtype=float), vector.null)


def numbers(vector):
    """Text as people write numbers, by a pattern."""
    text = pd.Series(vector.data, dtype=object)
    bare = text.str.replace("[$%£€ \\t\\n\\f\\r\u00a0\u202f]", "", regex=True).str.replace("\u2212", "-", regex=False)
    shaped = bare.str.fullmatch(r"[+-]?(?:(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]*)?|\.[0-9]+)").to_numpy(dtype=bool)
    data = [float(value.replace(",", "")) if fits else 0.0 for value, fits in zip(bare, shaped)]
    return Vector("float", np.array(data, dtype=float), vector.null | ~shaped)


def calculate(op, args, world):
    null = np.logical_or.reduce([arg.null for arg in args])
    if op == "div" or any(arg.kind == "float" for arg in args):
        args = [arg.floats() for arg in args]
        fuzzy = any(arg.fuzzy for arg in args)
        if op == "div":
            zero = args[1].data == 0
            data = np.divide(args[0].data, np.where(zero, 1.0, args[1].data))
            return Vector("float", data, null | zero, fuzzy)
        data = args[0].data
        for arg in args[1:]:
            step = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[op](data, arg.data)
            if op != "mul" and fuzzy:
                cancelled(world, step[~null], (np.abs(data) + np.abs(arg.data))[~null])
            data = step
        return Vector("float", data, null, fuzzy)
    kind = "decimal" if any(arg.kind == "decimal" for arg in args) else "int"
    data = pd.Series(args[0].data, dtype=object)
    for arg in args[1:]:
        other = pd.Series(arg.data, dtype=object)
        data = {"add": data.__add__, "sub": data.__sub__, "mul": data.__mul__}[op](other)
    return Vector(kind, data.to_numpy(), null)


def cancelled(world, results, sizes):
    """Where a sum is much smaller than what was added, its digits are those that differ between machines."""
    finite = np.isfinite(results) & np.isfinite(sizes)
    lost = np.abs(results[finite]) < 1e-5 * sizes[finite]
    world.undecided |= bool(lost.any())


# Conditions: a pair of masks, true and unknown


def holds(pred, rows):
    if "and" in pred:
        parts = [holds(item, rows) for item in pred["and"]]
        true = np.logical_and.reduce([true for true, _ in parts])
        false = np.logical_or.reduce([~true & ~unknown for true, unknown in parts])
        return true, ~true & ~false
    if "or" in pred:
        parts = [holds(item, rows) for item in pred["or"]]
        true = np.logical_or.reduce([true for true, _ in parts])
        false = np.logical_and.reduce([~true & ~unknown for true, unknown in parts])
        return true, ~true & ~false
    if "not" in pred:
        true, unknown = holds(pred["not"], rows)
        return ~true & ~unknown, unknown
    if "exists" in pred:
        return there_is(pred["exists"], rows)
    return passes(pred["test"], evaluate(pred["expr"], rows), pred.get("values", []), rows.world)


def there_is(exists, rows):
    many = Rows(rows.world, exists["table"])
    kept = np.ones(len(many), bool)
    if "where" in exists:
        kept, _ = holds(exists["where"], many)
    reached = rows.world.positions(exists["table"], rows.table)[kept]
    return np.isin(rows.at, reached[reached >= 0]), np.zeros(len(rows), bool)


def passes(test, vector, values, world):
    never = np.zeros(len(vector.null), bool)
    if test == "is_null":
        return vector.null, never
    if test in ("contains", "starts_with", "ends_with"):
        wanted = small(values[0])
        compare = {
            "contains": lambda text: text.find(wanted) >= 0,
            "starts_with": lambda text: text[: len(wanted)] == wanted,
            "ends_with": lambda text: wanted == "" or text[-len(wanted) :] == wanted,
        }[test]
        true = np.array([compare(small(text)) for text in vector.data], dtype=bool)
        return true & ~vector.null, vector.null
    literals = [literal(vector.kind, value) for value in values]
    world.doubt(vector, literals if vector.kind == "float" else ())
    compare = {
        "eq": lambda value: same(value, literals[0]),
        "ne": lambda value: not same(value, literals[0]),
        "lt": lambda value: less(value, literals[0]),
        "le": lambda value: not less(literals[0], value),
        "gt": lambda value: less(literals[0], value),
        "ge": lambda value: not less(value, literals[0]),
        "in": lambda value: any(same(value, wanted) for wanted in literals),
        "between": lambda value: not less(value, literals[0]) and not less(literals[-1], value),
        "within": lambda value: not less(value, literals[0]) and less(value, literals[-1]),
    }[test]
    true = np.array([compare(value) for value in vector.data], dtype=bool)
    return true & ~vector.null, vector.null


def same(a, b):
    return a == b or (a != a and b != b)


def less(a, b):
    """A value that is no number is the greatest."""
    if a != a:
        return False
    return True if b != b else a < b


def small(text):
    return "".join(letter.lower()[0] if len(letter.lower()) > 1 else letter.lower() for letter in text)


def literal(kind, value):
    if kind in ("int", "decimal"):
        return Decimal(str(value)) if isinstance(value, float) else value
    parse = {"float": float, "date": date.fromisoformat, "timestamp": pd_moment, "time": time.fromisoformat}
    return parse.get(kind, lambda same: same)(value)
