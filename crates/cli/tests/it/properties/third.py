"""A third interpreter of canonical plans, over pandas, written from the language's definition alone.

It shares neither code nor method with the oracle or the compiler: columns are vectors with a mask for null, every order
and every group is decided by integer codes, joins and `exists` follow positions of rows. It also says when a plan's
result hangs on the last digits of a float (`undecided`): there the language leaves open what two correct machines give.
"""

from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
from third_values import DAYS, FILL, Rows, Vector, World, calculate, cancelled, evaluate, holds

# Sums of such floats are exact in any order: multiples of 1/1024 below a billion.
GRID, GRID_MAX = 1024, 1e9


class Results:
    """The rows of a result."""

    def __init__(self, world, outputs, count):
        self.world = world
        self.outputs = outputs
        self.count = count

    def __len__(self):
        return self.count


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
    other = evaluate(measure["with"], rows) if "with" in measure else None
    for numbers in (vector, other):
        if numbers is not None:
            kept = kept & ~numbers.null
    agg, world = measure["agg"], rows.world
    members = [np.flatnonzero(kept & (number == group)) for group in range(count)]
    if agg == "count":
        return Vector("int", [len(at) for at in members], np.zeros(count, bool))
    if agg == "corr":
        return correlated(vector.floats(), other.floats(), members, world)
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
    finite = values[np.isfinite(values)]
    world.undecided |= bool(np.abs(finite / 4).sum() > 4e307)


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


def correlated(one, other, members, world):
    data, null = [], []
    for at in members:
        sides = np.array([one.data[at], other.data[at]])
        spans = np.ptp(sides, axis=1) if len(at) else np.zeros(2)
        finite = bool(np.isfinite(sides).all())
        null.append(len(at) < 2 or not finite or bool((spans == 0).any()))
        data.append(0.0 if null[-1] else np.corrcoef(sides)[0, 1])
        if len(at) > 1 and finite:
            # The squares leave the range of floats, or what varies is noise, or what is left is.
            largest = np.abs(sides).max(axis=1)
            noise = (spans < np.maximum(1e-5 * largest, 1e-140)) & ((spans > 0) | [one.fuzzy, other.fuzzy])
            world.undecided |= bool((largest > 1e150).any() or noise.any() or abs(data[-1]) < 1e-5)
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


# Aggregates over groups


def folded(items, results):
    """The groups as the only members of one group."""
    everything = np.zeros(len(results), dtype=int)
    outputs = {}
    for item in items:
        measure = {"agg": item["agg"]}
        if "of" in item:
            measure["expr"] = {"ref": item["of"]}
        outputs[item["as"]] = measured(measure, results, everything, 1)
    return Results(results.world, outputs, 1)


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
        if plan.get("over"):
            return shown(folded(plan["over"], results)), world.undecided
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
