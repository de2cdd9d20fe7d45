"""Which numbers may not be added up along time: running totals, and stocks.

A running total holds all that came before it: of each thing, in the order of time, it never falls (but for a few
corrections) and really rises. A stock, such as a population, is there again at each time, whatever its course; its name
says so. A table has neither without a column that tells the time; what tells its things apart is found by counting pairs.
"""

import itertools

ROWS_MAX = 200_000
NUMBERS_MAX = 30
NAMES_MAX = 6
NAMES_PAIRED_MAX = 4
# Of so many ways to tell things apart the numbers are looked at.
CHOICES_MAX = 3
# Nearly all rows of one thing have moments of their own.
PAIRS_SHARE_MIN = 0.98
TIMED_SHARE_MIN = 0.95
STEPS_MIN = 3
STEPS_ALONE_MIN = 20
KEPT_SHARE_MIN = 0.99
# What rises in most steps to twice its first value, or seldom but to ten times; a name that says so asks for less.
RISES = ((0.5, 0.5), (0.05, 0.1))
RISES_NAMED = (0.02, 1.0)

_ENDINGS = ("id", "key", "code", "number", "no", "nr", "fips", "uuid", "guid", "sku", "isbn", "zip", "badge")
_SAYING = ("total", "cumulative", "cum", "running", "odometer", "mileage", "people")
_STOCKS = ("population", "pop", "inhabitants", "headcount", "inventory", "stock", "balance")
# What may rise for long and still is a state of its own at each time.
_STATES = (*_STOCKS, "age", "price", "salary", "wage", "gdp", "rank", "level", "year", "index", "rate")


def mark(engine, table, rows, columns):
    """Says of each column whether it is a running total or a stock: of what, over which time."""
    time = _time(columns, rows)
    numbers = [column for column in columns if column is not time and _may_run(column)][:NUMBERS_MAX]
    stocks = [column for column in columns if _is_stock(column)]
    if time is None or not numbers and not stocks:
        return
    # Of a part of the rows, what never falls still never does.
    every = -(-rows // ROWS_MAX)
    source = f"{table} WHERE {time.cell} IS NOT NULL" + (f" AND hash(rowid) % {every} = 0" if every > 1 else "")
    for things in _choices(engine, source, time, columns):
        over = {"entity": [thing.name for thing in things], "time": time.name}
        for stock in stocks:
            stock.stock = stock.stock or over
        if not numbers:
            continue
        facts = engine.execute(_query(source, time, things, numbers)).fetchall()[0]
        for at, number in enumerate(numbers):
            if number.running is None and _runs(_words(number), *facts[5 * at : 5 * at + 5]):
                number.running = over


def _words(column):
    return "".join(letter if letter.isalnum() else " " for letter in column.name.lower()).split()


def _time(columns, rows):
    """What orders rows: a date or a moment that nearly all rows have, else a year."""
    filled = [column for column in columns if column.filled >= TIMED_SHARE_MIN * rows and column.distinct >= STEPS_MIN]
    dates = (column for column in filled if column.type in ("date", "timestamp"))
    return next(dates, None) or next((column for column in filled if _is_year(column)), None)


def _is_year(column):
    return column.type == "int" and "year" in _words(column) and 1000 <= column.least and column.greatest <= 2999


def _may_run(column):
    words = _words(column)
    if column.type not in ("int", "float", "decimal") or column.distinct < STEPS_MIN or not words:
        return False
    if words[-1] in _ENDINGS or any(word in _STATES for word in words) or column.least < 0:
        return False
    # One to the last without a gap: rows are numbered.
    return column.type != "int" or column.distinct < column.filled or column.greatest - column.least >= column.distinct


def _is_stock(column):
    return column.type in ("int", "float", "decimal") and any(word in _STOCKS for word in _words(column))


def _choices(engine, source, time, columns):
    """The columns by which things are known that have one row for each time; none where all rows may be one thing's."""
    names = [column for column in columns if column.filled and column.distinct * 2 <= column.filled and _names(column)]
    ones, pairs = names[:NAMES_MAX], itertools.combinations(names[:NAMES_PAIRED_MAX], 2)
    for choices in ([(), *((name,) for name in ones)], list(pairs)):
        found = _one_row_each(engine, source, time, choices) if choices else []
        if found:
            return found[:CHOICES_MAX]
    return []


def _names(column):
    words = _words(column)
    return column.type == "text" or column.type == "int" and bool(words) and words[-1] in _ENDINGS


def _one_row_each(engine, source, time, choices):
    wanted = ", ".join(f"count(DISTINCT hash({_cells((*choice, time))}))" for choice in choices)
    total, *pairs = engine.execute(f"SELECT count(*), {wanted} FROM {source}").fetchall()[0]
    return [choice for choice, count in zip(choices, pairs) if count >= PAIRS_SHARE_MIN * total]


def _cells(columns):
    return ", ".join(column.cell for column in columns) or "1"


def _query(source, time, things, numbers):
    """Of each number: its steps, those kept, those risen, of how many things, and which share of the last the first is."""
    before, each, together = [], [], []
    for at, number in enumerate(numbers):
        now, then = f"c{at}", f"p{at}"
        before.append(f"{number.cell} AS {now}, lag({number.cell} IGNORE NULLS) OVER w AS {then}")
        ends = f"CAST(arg_min({now}, t) AS DOUBLE) / nullif(CAST(max({now}) AS DOUBLE), 0)"
        each.append(
            f"count(*) FILTER ({now} IS NOT NULL AND {then} IS NOT NULL) AS s{at}, "
            f"count(*) FILTER ({now} >= {then}) AS k{at}, count(*) FILTER ({now} > {then}) AS r{at}, {ends} AS f{at}"
        )
        moved = f"FILTER (s{at} > 0)"
        together.append(f"sum(s{at}), sum(k{at}), sum(r{at}), count(*) {moved}, median(f{at}) {moved}")
    key = f"hash({_cells(things)})"
    return (
        f"WITH steps AS (SELECT {key} AS e, {time.cell} AS t, {', '.join(before)} FROM {source} "
        f"WINDOW w AS (PARTITION BY {key} ORDER BY {time.cell})), "
        f"things AS (SELECT {', '.join(each)} FROM steps GROUP BY e) SELECT {', '.join(together)} FROM things"
    )


def _runs(words, steps, kept, risen, things, first):
    if not steps or kept < KEPT_SHARE_MIN * steps:
        return False
    if steps < (STEPS_MIN * things if things > 1 else STEPS_ALONE_MIN):
        return False
    named = any(word in _SAYING for word in words) or "to date" in " ".join(words)
    shapes = (*RISES, RISES_NAMED) if named else RISES
    return any(risen >= share * steps and (first or 0) <= most for share, most in shapes)
