"""A third interpreter of canonical plans, over pandas, written from the language's definition alone.

It shares neither code nor method with the oracle or the compiler: columns are vectors with a mask for null, every order
and every group is decided by integer codes, joins and `exists` follow positions of rows. It also says when a plan's
result hangs on the last digits of a float (`undecided`): there the language leaves open what two correct machines give.
"""

from datetime import date, datetime, time
from decimal import Decimal

import numpy as np
import pandas as pd

NEAR = 1e-9
# Sums of such floats are exact in any order: multiples of 1/1024 below a billion.
GRID, GRID_MAX = 1024, 1e9
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


class Results:
    """The rows of a result."""

    def __init__(self, world, outputs, count):
        self.world = world
        self.outputs = outputs
        self.count = count

    def __len__(self):
        return self.count


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


# Groups and measures


def truncated(grain, vector):
    first = {
        "year": lambda moment: date(moment.year, 1, 1),
        "quarter": lambda moment: date(moment.year, [1, 4, 7, 10][(moment.month - 1) // 3], 1),
        "month": lambda moment: date(moment.year, moment.month, 1),
        "week": lambda moment: date.fromordinal(moment.toordinal() - moment.isoweekday() + 1),
        "day": lambda moment: date(moment.year, moment.month, moment.day),
        "hour": lambda moment: datetime(moment.year, moment.month, moment.day, moment.hour),
    }[grain]
    kind = "timestamp" if grain == "hour" else "date"
    return Vector(kind, [first(moment) for moment in vector.data], vector.null)


def aggregated(plan, rows):
    outputs, keys = {}, []
    for group in plan.get("group", []):
        vector = evaluate(group["expr"], rows)
        if "grain" in group:
            vector = truncated(group["grain"], vector)
        rows.world.doubt(vector)
        outputs[group["as"]] = vector
        keys.append(vector.codes())
    if keys:
        frame = pd.DataFrame({str(index): codes for index, codes in enumerate(keys)})
        number = frame.groupby(list(frame.columns), sort=False).ngroup().to_numpy()
        count = int(number.max()) + 1 if len(number) else 0
        firsts = pd.Series(np.arange(len(number))).groupby(number).first().to_numpy()
        outputs = {name: vector.take(firsts) for name, vector in outputs.items()}
    else:
        number, count = np.zeros(len(rows), dtype=int), 1
    for measure in plan.get("measures", []):
        outputs[measure["as"]] = measured(measure, rows, number, count)
    return Results(rows.world, outputs, count)


def measured(measure, rows, number, count):
    kept = np.ones(len(rows), bool)
    if "where" in measure:
        kept, _ = holds(measure["where"], rows)
    vector = evaluate(measure["expr"], rows) if "expr" in measure else None
    if vector is not None:
        kept = kept & ~vector.null
    agg, world = measure["agg"], rows.world
    members = [np.flatnonzero(kept & (number == group)) for group in range(count)]
    if agg == "count":
        return Vector("int", [len(at) for at in members], np.zeros(count, bool))
    codes = vector.codes()
    if agg == "count_distinct":
        world.doubt(vector)
        return Vector("int", [len(np.unique(codes[at])) for at in members], np.zeros(count, bool))
    empty = np.array([len(at) == 0 for at in members], dtype=bool)
    if agg in ("min", "max"):
        choose = np.argmin if agg == "min" else np.argmax
        at = [-1 if len(at) == 0 else at[choose(codes[at])] for at in members]
        return vector.take(at)
    if vector.kind == "bool":
        vector = Vector("int", [int(value) for value in vector.data], vector.null)
    if agg == "sum":
        return added(vector, members, empty, world)
    if agg == "avg":
        return averaged(vector, members, empty, world)
    floats = vector.floats()
    if agg == "stddev":
        return spread(floats, members, world)
    q = 0.5 if agg == "median" else measure["q"]
    data = [0.0 if len(at) == 0 else quantile(np.sort(floats.data[at]), q) for at in members]
    return Vector("float", np.array(data, dtype=float), empty, floats.fuzzy or q not in (0, 0.25, 0.5, 0.75, 1))


def on_grid(values):
    scaled = values * GRID
    return bool(np.all(np.isfinite(values))) and bool(np.all((np.abs(values) < GRID_MAX) & (scaled == np.round(scaled))))


def added(vector, members, empty, world):
    if vector.kind != "float":
        start = FILL[vector.kind]
        return Vector(vector.kind, [sum(vector.data[at], start) for at in members], empty)
    data, fuzzy = [], vector.fuzzy
    for at in members:
        values = vector.data[at]
        data.append(values.sum())
        if not on_grid(values) or vector.fuzzy:
            fuzzy = fuzzy or len(values) > 1
            if len(values) > 1:
                cancelled(world, values.sum(keepdims=True), np.abs(values).sum(keepdims=True))
                overflows(world, values)
    return Vector("float", np.array(data, dtype=float), empty, fuzzy)


def overflows(world, values):
    """Whether a sum leaves the range of floats on its way depends on the way."""
    world.undecided |= bool(np.all(np.isfinite(values))) and bool(np.abs(values / 4).sum() > 4e307)


def averaged(vector, members, empty, world):
    if vector.kind == "float":
        total = added(vector, members, empty, world)
        data = total.data / np.maximum([len(at) for at in members], 1)
        return Vector("float", data, empty, total.fuzzy)
    data = [0.0 if len(at) == 0 else float(sum(map(Decimal, vector.data[at])) / len(at)) for at in members]
    small_ints = vector.kind == "int" and all(abs(value) < 2**40 for value in vector.data)
    return Vector("float", np.array(data, dtype=float), empty, not small_ints)


def spread(floats, members, world):
    data, null = [], []
    for at in members:
        values = floats.data[at]
        null.append(len(values) < 2)
        if len(values) < 2:
            data.append(0.0)
            continue
        data.append(np.std(values, ddof=1) if np.ptp(values) != 0 else 0.0)
        largest = np.abs(values).max()
        if np.isfinite(largest):
            # The squares of such numbers leave the range of floats, or their digits.
            world.undecided |= bool(largest > 1e150) or bool(0 < np.ptp(values) < max(1e-5 * largest, 1e-140))
    return Vector("float", np.array(data, dtype=float), np.array(null, dtype=bool), True)


def quantile(values, q):
    place = (len(values) - 1) * q
    low = int(place)
    if place == low or values[low] == values[low + 1]:
        return values[low]
    share = place - low
    return values[low] * (1 - share) + values[low + 1] * share


# Values computed from measures


def ordinals(grain, vector):
    number = {
        "year": lambda moment: moment.year,
        "quarter": lambda moment: moment.year * 4 + (moment.month - 1) // 3,
        "month": lambda moment: moment.year * 12 + moment.month,
        "week": lambda moment: moment.toordinal() // 7,
        "day": lambda moment: moment.toordinal(),
        "hour": lambda moment: moment.toordinal() * 24 + moment.hour,
    }[grain]
    return np.array([number(moment) for moment in vector.data], dtype=int)


def partition(results, names):
    if not names:
        return np.zeros(len(results), dtype=int)
    frame = pd.DataFrame({str(index): results.outputs[name].codes() for index, name in enumerate(names)})
    return frame.groupby(list(frame.columns), sort=False).ngroup().to_numpy()


def computed(compute, plan, results):
    op, args = compute["op"], [results.outputs[name] for name in compute["args"]]
    world = results.world
    if op == "ratio":
        world.doubt(args[1].floats(), [0]) if args[1].fuzzy else None
        return calculate("div", args, world)
    if op == "diff":
        return calculate("sub", args, world)
    part_of = partition(results, compute.get("per", []))
    vector = args[0]
    members = [np.flatnonzero((part_of == group) & ~vector.null) for group in range(part_of.max(initial=-1) + 1)]
    if op == "share":
        total = added(vector, members, np.array([len(at) == 0 for at in members], dtype=bool), world)
        if total.fuzzy:
            world.doubt(total, [0])
        return calculate("div", [vector, total.take(part_of)], world)
    along = results.outputs[compute["along"]]
    if op == "cumulative":
        order = np.lexsort([along.codes(), along.null])
        so_far = [[other for other in order[: place + 1] if part_of[other] == part_of[at] and not vector.null[other]]
                  for place, at in enumerate(order)]  # fmt: skip
        back = np.argsort(order)
        members = [np.array(so_far[place], dtype=int) for place in back]
        return added(vector, members, np.array([len(at) == 0 for at in members], dtype=bool), world)
    grain = [group.get("grain", "day") for group in plan["group"] if group["as"] == compute["along"]][0]
    frame = pd.DataFrame({"part": part_of, "period": ordinals(grain, along), "at": np.arange(len(results))})
    frame = frame[~along.null]
    before = frame.assign(period=frame["period"] + 1).rename(columns={"at": "last"})
    merged = frame.merge(before, on=["part", "period"], how="left")
    last = np.full(len(results), -1)
    last[merged["at"].to_numpy()] = merged["last"].fillna(-1).astype(int).to_numpy()
    previous = vector.take(last)
    change = calculate("sub", [vector, previous], world)
    return change if op == "change" else calculate("div", [change, previous], world)


# Top, order, limit


def in_order(results, keys):
    """Positions by these (name, descending) keys, then by all columns ascending; nulls last."""
    named = [name for name, _ in keys]
    keys = keys + [(name, False) for name in results.outputs if name not in named]
    columns = []
    for name, descending in keys:
        codes = results.outputs[name].codes()
        null = codes < 0
        columns += [null, np.where(null, 0, -codes if descending else codes)]
    return np.lexsort(columns[::-1])


def first(top, results):
    down = top["dir"] == "desc"
    by = results.outputs[top["by"]]
    results.world.doubt(by)
    order = in_order(results, [(top["by"], down)])
    part_of = partition(results, top.get("per", []))
    frame = pd.DataFrame({"part": part_of[order]})
    if top.get("ties"):
        codes = by.codes()
        size = np.where(codes < 0, len(codes) + len(DAYS), -codes if down else codes)
        place = pd.Series(size[order]).groupby(frame["part"]).rank(method="min")
    else:
        place = frame.groupby("part").cumcount() + 1
    return order[(place <= top["n"]).to_numpy(dtype=bool)]


def run(plan, tables, relations):
    """The result as a table of the machine interface, and whether it hangs on last digits."""
    world = World(tables, relations, plan.get("via", []))
    rows = Rows(world, plan["from"])
    with np.errstate(all="ignore"):
        if "where" in plan:
            rows = Rows(world, plan["from"], rows.at[holds(plan["where"], rows)[0]])
        if plan.get("select"):
            results = Results(world, {item["as"]: evaluate(item["expr"], rows) for item in plan["select"]}, len(rows))
            if plan.get("distinct"):
                results = only(results, distinct(results))
        else:
            results = aggregated(plan, rows)
            for compute in plan.get("compute", []):
                results.outputs[compute["as"]] = computed(compute, plan, results)
            if "having" in plan:
                results = only(results, np.flatnonzero(holds(plan["having"], results)[0]))
        if "top" in plan:
            results = only(results, np.sort(first(plan["top"], results)))
        keys = [(key["by"], key["dir"] == "desc") for key in plan.get("order", [])]
        for name, _ in keys or [(name, False) for name in results.outputs]:
            world.doubt(results.outputs[name])
        results = only(results, in_order(results, keys)[: plan["limit"]])
    return shown(results), world.undecided


def distinct(results):
    for vector in results.outputs.values():
        results.world.doubt(vector)
    return pd.Series(np.arange(len(results))).groupby(partition(results, list(results.outputs))).first().to_numpy(dtype=int)


def only(results, at):
    return Results(results.world, {name: vector.take(at) for name, vector in results.outputs.items()}, len(at))


def shown(results):
    columns = [{"name": name, "type": vector.kind} for name, vector in results.outputs.items()]
    cells = [[cell(value, missing) for value, missing in zip(vector.data, vector.null)] for vector in results.outputs.values()]
    rows = [list(row) for row in zip(*cells)]
    return {"columns": columns, "rows": rows, "row_count": len(rows), "truncated": False}


def cell(value, missing):
    if missing:
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (float, np.floating)):
        value = float(value)
        return value if np.isfinite(value) else str(value).replace("inf", "Infinity").replace("nan", "NaN")
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else str(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    return value if isinstance(value, str) else value.isoformat()
