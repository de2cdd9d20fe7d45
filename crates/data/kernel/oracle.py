"""The oracle: an interpreter of canonical plans in plain Python.

It exists to disagree with the SQL that the compiler prints from the same plan, so it shares nothing with it: rows come
as plain values, and everything after that happens here and in `oracle_rows`, which knows rows, expressions and
conditions. This part knows lists, groups, measures, what is computed from them and what is aggregated over groups.
"""

from datetime import date, timedelta
from decimal import MAX_EMAX, MIN_EMIN, Context, localcontext
from math import floor, fsum, sqrt

from oracle_rows import (
    NAN,
    PERIODS,
    WEEKDAYS,
    Data,
    Outputs,
    arithmetic,
    as_float,
    divide,
    numbers_only,
    position,
    remembered,
    truth,
    value,
)

DECIMAL_DIGITS = 120


def run(arguments):
    """Computes a plan and returns the result as a table of encoded cells."""
    import gc

    import sql

    # Rows are many and hold no cycles: looking for some takes a third of the time.
    gc.disable()
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
    if plan.get("over"):
        return over_groups(plan["over"], columns, result)
    limit = plan.get("limit", 200)
    return columns, ordered(result, columns, plan.get("order", ()), limit)[:limit]


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
    of_rows = keys[0] if len(keys) == 1 else list(zip(*keys))
    known = {key: number for number, key in enumerate(dict.fromkeys(of_rows))}
    numbers = list(map(known.__getitem__, of_rows))
    return numbers, [(key,) for key in known] if len(keys) == 1 else list(known)


def measured(measure, rows, numbers, groups):
    agg = measure["agg"]
    if "expr" in measure:
        kind, values = value(measure["expr"], rows)
    else:
        kind, values = "int", [1] * rows.count()
    if agg == "corr":
        kind, values = "float", pairs((kind, values), value(measure["with"], rows))
    if "where" in measure:
        kept = truth(measure["where"], rows)
        values = [item if condition is True else None for item, condition in zip(values, kept)]
    if numbers is None:
        buckets = [[item for item in values if item is not None]]
    else:
        buckets = [[] for _ in range(groups)]
        add_to = [bucket.append for bucket in buckets]
        for number, item in zip(numbers, values):
            if item is not None:
                add_to[number](item)
    function = AGGREGATES[agg]
    return aggregate_kind(agg, kind), [function(bucket, kind, measure.get("q")) for bucket in buckets]


def aggregate_kind(agg, kind):
    return AGGREGATE_KINDS.get(agg) or ("int" if kind == "bool" and agg == "sum" else kind)


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
    squares = float_sum([(item - mean) * (item - mean) for item in shifted]) / (len(shifted) - 1)
    return NAN if squares != squares else sqrt(squares)


def pairs(one, other):
    """Two numbers of each row; None where either is missing."""
    columns = zip(as_float(*one), as_float(*other))
    return [None if a is None or b is None else (a, b) for a, b in columns]


def correlation(values, _, __):
    """Pearson's, of numbers measured from their first so that equal ones have exactly no variance."""
    if not all(one - one == 0 == other - other for one, other in values):
        return None
    sides = [[one - side[0] for one in side] for side in zip(*values)]
    sides = [[one - float_sum(side) / len(side) for one in side] for side in sides]
    sizes = [sqrt(float_sum([one * one for one in side])) for side in sides]
    if not sides or 0 in sizes:
        return None
    product = float_sum([one * other for one, other in zip(*sides)])
    return product / sizes[0] / sizes[1]


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
    result = numbers[low] * (1 - (place - low)) + numbers[high] * (place - low)
    return NAN if result != result else result


AGGREGATE_KINDS = {
    "count": "int",
    "count_distinct": "int",
    "avg": "float",
    "median": "float",
    "stddev": "float",
    "quantile": "float",
    "corr": "float",
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
    "corr": correlation,
}


# Values computed from measures, aggregates over groups


def over_groups(items, columns, result):
    """One row, whatever number of groups is left."""
    described, cells = [], []
    for item in items:
        if item["agg"] == "count":
            kind, cell = "int", len(result)
        else:
            at = position(columns, item["of"])
            _, of, _ = columns[at]
            present = [row[at] for row in result if row[at] is not None]
            kind, cell = aggregate_kind(item["agg"], of), AGGREGATES[item["agg"]](present, of, None)
        described.append((item["as"], kind, False))
        cells.append(cell)
    return described, [tuple(cells)]


def computed(compute, plan, columns, result):
    op = compute["op"]
    args = [position(columns, name) for name in compute["args"]]
    per = [position(columns, name) for name in compute.get("per", ())]
    kinds = [columns[index][1] for index in args]
    if op == "ratio":
        kind, values = combined("div", result, kinds, args)
    elif op == "diff":
        kind, values = combined("sub", result, kinds, args)
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


def combined(op, result, kinds, args):
    kind, values = arithmetic(op, [(k, [row[i] for row in result]) for k, i in zip(kinds, args)])
    return kind, numbers_only(values) if kind == "float" else values


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


def earlier(span):
    """The moment a span before; None before the first that there is."""

    def before(moment):
        try:
            return moment - span
        except OverflowError:
            return None

    return before


STEPS = {
    "year": month_before(12),
    "quarter": month_before(3),
    "month": month_before(1),
    "week": earlier(timedelta(days=7)),
    "day": earlier(timedelta(days=1)),
    "hour": earlier(timedelta(hours=1)),
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
