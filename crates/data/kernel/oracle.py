"""The oracle: an interpreter of canonical plans in plain Python.

It exists to disagree with the SQL that the compiler prints from the same plan, so it shares nothing with it: rows come
as plain values, and everything after that happens here. It works on columns: an expression becomes a list with one value
per row, so that the inner loops are list comprehensions. Values are None, bool, int, float, Decimal, str, date, time and
datetime; a condition is True, False or None.
"""

from datetime import date, datetime, timedelta
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import floor, fsum, sqrt

DECIMAL_DIGITS = 120
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def run(arguments):
    """Computes a plan and returns the result as a table of encoded cells."""
    import sql

    with localcontext(Context(prec=DECIMAL_DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        data = Data(sql.rows, arguments["tables"], arguments["relations"], arguments["plan"])
        columns, rows = evaluate(arguments["plan"], data)
        return table(columns, rows, arguments["rows_max"])


def table(columns, rows, rows_max):
    from cells import encode

    shown = [[encode(float(cell) if cell is NAN else cell) for cell in row] for row in rows[:rows_max]]
    described = [{"name": name, "type": kind} for name, kind, _ in columns]
    return {"columns": described, "rows": shown, "row_count": len(rows), "truncated": len(rows) > rows_max}


def evaluate(plan, data):
    """The result's columns as (name, type, is weekday) and its rows as tuples."""
    rows = data.grain(plan["from"])
    if "where" in plan:
        rows = rows.only(truth(plan["where"], rows))
    if plan.get("select"):
        columns, result = listed(plan, rows)
    else:
        columns, result = grouped(plan, rows)
        for compute in plan.get("compute", ()):
            columns, result = computed(compute, plan, columns, result)
        if "having" in plan:
            outputs = Outputs(columns, result)
            result = [row for row, kept in zip(result, truth(plan["having"], outputs)) if kept is True]
    if "top" in plan:
        result = top(plan["top"], columns, result)
    limit = plan.get("limit", 200)
    return columns, ordered(result, columns, plan.get("order", ()), limit)[:limit]


# Rows and where they come from


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
            rows = self.read(table_name, names)
            values = [list(column) for column in zip(*rows)] if rows else [[] for _ in names]
            for index, name in enumerate(names):
                if self.kind(table_name, name) == "float":
                    values[index] = [NAN if value is not None and value != value else value for value in values[index]]
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


# Expressions: (type, values)


def value(expr, rows):
    if "col" in expr:
        return rows.column(expr["col"])
    if "ref" in expr:
        return rows.output(expr["ref"])
    if "lit" in expr:
        literal = expr["lit"]
        return literal_kind(literal), [literal] * rows.count()
    if "part" in expr:
        _, values = value(expr["of"], rows)
        return PART_KINDS.get(expr["part"], "int"), remembered(PARTS[expr["part"]], values)
    op = expr["op"]
    if op in ELAPSED:
        return "float", elapsed([moments(arg, rows) for arg in expr["args"]], ELAPSED[op])
    args = [value(arg, rows) for arg in expr["args"]]
    if op == "to_number":
        return "float", remembered(to_number, args[0][1])
    return arithmetic(op, args)


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
    return [None if value is None else float(value) for value in values]


def widest(kinds):
    return "float" if "float" in kinds else "decimal" if "decimal" in kinds else "int"


def arithmetic(op, args):
    if op == "div":
        left, right = as_float(*args[0]), as_float(*args[1])
        return "float", [None if a is None or b is None or b == 0 else divide(a, b) for a, b in zip(left, right)]
    kind = widest([kind for kind, _ in args])
    columns = [as_float(*arg) if kind == "float" else arg[1] for arg in args]
    total = columns[0]
    for other in columns[1:]:
        if op == "add":
            total = [None if a is None or b is None else a + b for a, b in zip(total, other)]
        elif op == "sub":
            total = [None if a is None or b is None else a - b for a, b in zip(total, other)]
        else:
            total = [None if a is None or b is None else a * b for a, b in zip(total, other)]
    if kind == "float":
        total = [NAN if a is not None and a != a else a for a in total]
    return kind, total


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


# Lists, groups and measures


def listed(plan, rows):
    columns, values = [], []
    for item in plan["select"]:
        kind, column = value(item["expr"], rows)
        columns.append((item["as"], kind, is_weekday(item["expr"])))
        values.append(column)
    result = list(zip(*values))
    return columns, list(dict.fromkeys(result)) if plan.get("distinct") else result


def is_weekday(expr):
    return expr.get("part") == "weekday"


def grouped(plan, rows):
    columns, keys = [], []
    for group in plan.get("group", ()):
        kind, values = value(group["expr"], rows)
        if "grain" in group:
            kind, values = period_kind(group["grain"]), remembered(PERIODS[group["grain"]], values)
        columns.append((group["as"], kind, is_weekday(group["expr"])))
        keys.append(values)
    numbers, groups = numbered(keys, rows.count())
    results = []
    for measure in plan.get("measures", ()):
        kind, values = measured(measure, rows, numbers, len(groups))
        columns.append((measure["as"], kind, False))
        results.append(values)
    if not results:
        return columns, groups
    return columns, [key + measures for key, measures in zip(groups, zip(*results))]


def period_kind(grain):
    return "timestamp" if grain == "hour" else "date"


def numbered(keys, count):
    """For every row the number of its group, and the groups' keys; without keys there is one group, even of no rows."""
    if not keys:
        return None, [()]
    known = {}
    if len(keys) == 1:
        numbers = [known.setdefault(key, len(known)) for key in keys[0]]
        return numbers, [(key,) for key in known]
    numbers = [known.setdefault(key, len(known)) for key in zip(*keys)]
    return numbers, list(known)


def measured(measure, rows, numbers, groups):
    agg = measure["agg"]
    if "expr" in measure:
        kind, values = value(measure["expr"], rows)
    else:
        kind, values = "int", [1] * rows.count()
    if "where" in measure:
        kept = truth(measure["where"], rows)
        values = [item if condition is True else None for item, condition in zip(values, kept)]
    if numbers is None:
        buckets = [[item for item in values if item is not None]]
    else:
        buckets = [[] for _ in range(groups)]
        for number, item in zip(numbers, values):
            if item is not None:
                buckets[number].append(item)
    function = AGGREGATES[agg]
    result_kind = AGGREGATE_KINDS.get(agg) or ("int" if kind == "bool" and agg == "sum" else kind)
    return result_kind, [function(bucket, kind, measure.get("q")) for bucket in buckets]


def total(values, kind):
    if kind == "float":
        return float_sum(values)
    return sum(values)


def float_sum(values):
    try:
        result = fsum(values)
    except (OverflowError, ValueError):
        result = sum(values)
    return NAN if result != result else result


def average(values, kind, _):
    if not values:
        return None
    if kind == "decimal":
        return float(sum(values) / len(values))
    if kind == "float":
        return divide(float_sum(values), len(values))
    return sum(values) / len(values)


def deviation(values, _, __):
    """The sample's standard deviation, measured from the first value so that equal values give exactly zero."""
    if len(values) < 2:
        return None
    first = values[0]
    shifted = [float(item - first) for item in values]
    mean = float_sum(shifted) / len(shifted)
    squares = float_sum([(item - mean) ** 2 for item in shifted]) / (len(shifted) - 1)
    return NAN if squares != squares else sqrt(squares)


def quantile(values, _, q):
    """Between the two values that the quantile falls between, in proportion."""
    if not values:
        return None
    numbers = sorted(map(float, values)) if not any(item is NAN for item in values) else sorted(values)
    place = (len(numbers) - 1) * q
    low = floor(place)
    high = min(low + 1, len(numbers) - 1)
    if place == low or numbers[low] == numbers[high]:
        return numbers[low]
    return numbers[low] + (numbers[high] - numbers[low]) * (place - low)


AGGREGATE_KINDS = {
    "count": "int",
    "count_distinct": "int",
    "avg": "float",
    "median": "float",
    "stddev": "float",
    "quantile": "float",
}
AGGREGATES = {
    "count": lambda values, kind, q: len(values),
    "count_distinct": lambda values, kind, q: len(set(values)),
    "sum": lambda values, kind, q: total(values, kind) if values else None,
    "avg": average,
    "min": lambda values, kind, q: min(values) if values else None,
    "max": lambda values, kind, q: max(values) if values else None,
    "median": lambda values, kind, q: quantile(values, kind, 0.5),
    "stddev": deviation,
    "quantile": quantile,
}


# Values computed from measures


def position(columns, name):
    for index, column in enumerate(columns):
        if column[0] == name:
            return index
    raise ValueError("no output " + name)


def computed(compute, plan, columns, result):
    op = compute["op"]
    args = [position(columns, name) for name in compute["args"]]
    per = [position(columns, name) for name in compute.get("per", ())]
    kinds = [columns[index][1] for index in args]
    if op == "ratio":
        kind, values = arithmetic("div", [(k, [row[i] for row in result]) for k, i in zip(kinds, args)])
    elif op == "diff":
        kind, values = arithmetic("sub", [(k, [row[i] for row in result]) for k, i in zip(kinds, args)])
    elif op == "share":
        kind, values = "float", shares(result, args[0], per, kinds[0])
    else:
        along = position(columns, compute["along"])
        if op == "cumulative":
            kind, values = kinds[0], running(result, args[0], per, along, kinds[0])
        else:
            before = STEPS[period_of(plan, columns, along)]
            kind, values = changes(op, result, args[0], per, along, kinds[0], before)
    return columns + [(compute["as"], kind, False)], [row + (item,) for row, item in zip(result, values)]


def shares(result, arg, per, kind):
    parts = {}
    for row in result:
        if row[arg] is not None:
            parts.setdefault(tuple(row[index] for index in per), []).append(row[arg])
    totals = {key: float(total(values, kind)) for key, values in parts.items()}
    wholes = [totals.get(tuple(row[index] for index in per)) for row in result]
    return [
        None if row[arg] is None or not whole else divide(float(row[arg]), whole) for row, whole in zip(result, wholes)
    ]


def running(result, arg, per, along, kind):
    """The sum so far, period by period; a group without a period comes last."""
    order = sorted(range(len(result)), key=lambda at: (result[at][along] is None, result[at][along] or date.min))
    seen, values = {}, [None] * len(result)
    for at in order:
        row = result[at]
        so_far = seen.setdefault(tuple(row[index] for index in per), [])
        if row[arg] is not None:
            so_far.append(row[arg])
        values[at] = total(so_far, kind) if so_far else None
    return values


def period_of(plan, columns, along):
    return plan["group"][along].get("grain", "day")


def month_before(months):
    def before(day):
        number = day.year * 12 + day.month - 1 - months
        return date(number // 12, number % 12 + 1, 1) if number >= 12 else None

    return before


STEPS = {
    "year": month_before(12),
    "quarter": month_before(3),
    "month": month_before(1),
    "week": lambda day: day - timedelta(days=7),
    "day": lambda day: day - timedelta(days=1),
    "hour": lambda moment: moment - timedelta(hours=1),
}


def changes(op, result, arg, per, along, kind, before):
    known = {(row[along], tuple(row[index] for index in per)): row[arg] for row in result if row[along] is not None}
    values = []
    for row in result:
        last = None
        if row[along] is not None:
            last = known.get((before(row[along]), tuple(row[index] for index in per)))
        if last is None or row[arg] is None:
            values.append(None)
        elif op == "change":
            values.append(row[arg] - last)
        else:
            values.append(divide(float(row[arg] - last), float(last)) if last != 0 else None)
    return ("float" if op == "change_pct" else kind), values


# Top, order


def sort_key(columns, index):
    if columns[index][2]:
        return lambda row: WEEKDAYS.index(row[index])
    return lambda row: row[index]


def sorted_by(rows, columns, index, descending):
    """Stable, nulls last in both directions."""
    present = [row for row in rows if row[index] is not None]
    absent = [row for row in rows if row[index] is None]
    present.sort(key=sort_key(columns, index), reverse=descending)
    return present + absent


def ordered(rows, columns, order, limit=None):
    """By the keys asked for, then by all columns ascending; rows that cannot be among the first `limit` may be left out."""
    keys = [(position(columns, key["by"]), key["dir"] == "desc") for key in order]
    asked = [index for index, _ in keys]
    keys += [(index, False) for index in range(len(columns)) if index not in asked]
    if limit is not None and len(rows) > limit:
        rows = first_and_ties(sorted_by(rows, columns, *keys[0]), keys[0][0], limit)
    for index, descending in reversed(keys):
        rows = sorted_by(rows, columns, index, descending)
    return rows


def first_and_ties(rows, index, limit):
    last, end = rows[limit - 1][index], limit
    while end < len(rows) and rows[end][index] == last:
        end += 1
    return rows[:end]


def top(spec, columns, rows):
    by = position(columns, spec["by"])
    per = [position(columns, name) for name in spec.get("per", ())]
    places, kept = {}, []
    for row in ordered(rows, columns, [{"by": spec["by"], "dir": spec["dir"]}]):
        place = places.setdefault(tuple(row[index] for index in per), [0, 0, None])
        place[0] += 1
        if place[0] == 1 or not spec.get("ties") or row[by] != place[2]:
            place[1] = place[0]
        place[2] = row[by]
        if place[1] <= spec["n"]:
            kept.append(row)
    return kept
