"""Random plans over a world: what is asked in several phrasings, and what is right, computed with plain loops.

A plan gives its phrasings and every set of rows that answers them. There is
more than one set where English leaves a choice: whether an empty cell is a
group of its own, whether it counts among the whole of a share, whether a list
of names also shows the number it is about.
"""

import statistics
from collections import defaultdict

from conditions import any_condition, simple

AGGREGATES = {
    "average": (("average {}", "mean {}"), statistics.fmean),
    "total": (("total {}", "sum of {}"), sum),
    "highest": (("highest {}", "maximum {}"), max),
    "lowest": (("lowest {}", "minimum {}"), min),
    "median": (("median {}",), statistics.median),
}


class Unfit(Exception):
    """The chosen plan has no single answer here: a tie, an empty whole."""


class Asked:
    """Phrasings of one plan and the sets of rows that are right."""

    def __init__(self, phrasings, sets, ordered=False):
        self.phrasings, self.ordered, self.sets = phrasings, ordered, []
        self.sets = [one for at, one in enumerate(sets) if one not in sets[:at]]


def aggregate(name, records, said):
    """Of the cells that are filled; None where none is."""
    cells = [record[said] for record in records if record[said] is not None]
    return AGGREGATES[name][1](cells) if cells else None


def grouped(records, said):
    """The records of each filled value, and apart those of empty cells."""
    groups = defaultdict(list)
    for record in records:
        groups[record[said]].append(record)
    empty = groups.pop(None, [])
    return dict(groups), empty


def by_group(records, said, measure):
    """Rows of a grouped answer: as they are, without groups of which nothing is known, and with the empty group."""
    groups, empty = grouped(records, said)
    rows = [[key, measure(members)] for key, members in groups.items()]
    known = [row for row in rows if row[1] is not None]
    last = [[None, measure(empty)]] if empty else []
    return [rows, known, rows + last, known + last]


def needs(found):
    if not found:
        raise Unfit
    return found


def pick_aggregate(random):
    name = random.choice(("average", "average", "total", "total", "highest", "lowest", "median"))
    return name, AGGREGATES[name][0]


def scalar(random, world):
    column = random.choice(world.numbers)
    name, words = pick_aggregate(random)
    if random.random() < 0.3:
        result = aggregate(name, world.records(), column.said)
        said = [word.format(column.said) for word in words]
        phrasings = [f"what is the {one}" for one in said] + [f"{one} of all {world.rows}" for one in said]
        return Asked(phrasings, [[[result]]])
    condition = any_condition(random, world, (column.said,))
    sets = [[[aggregate(name, filter(meets, world.records()), column.said)]]
            for meets in (condition.strict, condition.lax)]
    if sets[0] == [[None]]:
        raise Unfit
    phrasings = [f"{word.format(column.said)} of {world.rows} {condition.after}" for word in words]
    if condition.clause:
        phrasings += [f"{word.format(column.said)} where {condition.clause}" for word in words]
        phrasings.append(f"what is the {words[0].format(column.said)} for {world.rows} where {condition.clause}")
    return Asked(phrasings, sets)


def count(random, world):
    condition = any_condition(random, world)
    sets = [[[sum(map(meets, world.records()))]] for meets in (condition.strict, condition.lax)]
    phrasings = [f"how many {world.rows} are there {condition.after}", f"number of {world.rows} {condition.after}",
                 f"count the {world.rows} {condition.after}"]
    if condition.clause:
        phrasings += [f"how many rows where {condition.clause}", f"how many {world.rows} where {condition.clause}"]
    else:
        phrasings.append(f"how many {world.rows} were {condition.after}")
    return Asked(phrasings, sets)


def group(random, world):
    column, by = random.choice(world.numbers), random.choice(world.categories)
    name, words = pick_aggregate(random)
    sets = by_group(world.records(), by.said, lambda members: aggregate(name, members, column.said))
    said = [word.format(column.said) for word in words]
    phrasings = [f"{one} by {by.said}" for one in said] + [f"what is the {one} for each {by.said}" for one in said]
    return Asked(phrasings + [f"{said[0]} per {by.said}"], sets)


def group_where(random, world):
    column, by = random.choice(world.numbers), random.choice(world.categories)
    condition = simple(random, world, (column.said, by.said))
    name, words = pick_aggregate(random)
    sets = []
    for meets in (condition.strict, condition.lax):
        kept = needs([record for record in world.records() if meets(record)])
        sets += by_group(kept, by.said, lambda members: aggregate(name, members, column.said))
    word = random.choice(words).format(column.said)
    return Asked([f"{word} by {by.said} where {condition.clause}",
                  f"{word} of {world.rows} {condition.after} by {by.said}",
                  f"for {world.rows} {condition.after}, what is the {word} per {by.said}"], sets)


def group_count(random, world):
    by = random.choice(world.categories)
    if random.random() < 0.5:
        return Asked([f"how many {world.rows} per {by.said}", f"number of {world.rows} by {by.said}",
                      f"count of {world.rows} for each {by.said}", f"{world.rows} by {by.said}"],
                     by_group(world.records(), by.said, len))
    condition = simple(random, world, (by.said,))
    sets = []
    for meets in (condition.strict, condition.lax):
        sets += by_group(needs([record for record in world.records() if meets(record)]), by.said, len)
        # Groups of which no row meets the condition may be shown with a zero.
        sets += by_group(world.records(), by.said, lambda members: sum(map(meets, members)))
    return Asked([f"how many {world.rows} {condition.after} are there per {by.said}",
                  f"number of {world.rows} by {by.said} where {condition.clause}"], sets)


def two_groups(random, world):
    column = random.choice(world.numbers)
    one, other = random.sample(world.categories, 2)
    name, words = pick_aggregate(random)
    pairs = defaultdict(list)
    for record in world.records():
        pairs[record[one.said], record[other.said]].append(record)
    rows = [[*pair, aggregate(name, members, column.said)] for pair, members in pairs.items()]
    filled = [row for row in rows if None not in row[:2]]
    sets = [filled, rows] + [[row for row in some if row[2] is not None] for some in (filled, rows)]
    return Asked([f"{word.format(column.said)} by {one.said} and {other.said}" for word in words]
                 + [f"{words[0].format(column.said)} for each {one.said} and {other.said}"], sets)


def ranked(rows, number):
    """The first of rows that are in order; a tie at an end, or an unknown, is no ranking."""
    if number >= len(rows):
        raise Unfit
    numbers = [row[1] for row in rows[:number + 1]]
    if any(abs(a - b) <= 1e-9 * abs(a) for a, b in zip(numbers, numbers[1:])):
        raise Unfit
    return rows[:number]


def measured_groups(random, world, by):
    """A measure over the filled groups of a column, and what it is called."""
    groups, _ = grouped(world.records(), by.said)
    if random.random() < 0.3:
        return [[key, len(members)] for key, members in groups.items()], f"number of {world.rows}", None
    column = random.choice(world.numbers)
    name = random.choice(("average", "total"))
    rows = [[key, aggregate(name, members, column.said)] for key, members in groups.items()]
    if any(row[1] is None for row in rows):
        raise Unfit
    return rows, f"{name} {column.said}", name


def top(random, world):
    by, number = random.choice(world.categories), random.randint(2, 4)
    rows, said, _ = measured_groups(random, world, by)
    down = random.random() < 0.7
    rows = ranked(sorted(rows, key=lambda row: row[1], reverse=down), number)
    end, most = ("top", "highest") if down else ("bottom", "lowest")
    return Asked([f"{end} {number} {by.plural} by {said}", f"which {number} {by.plural} have the {most} {said}",
                  f"the {number} {by.plural} with the {most} {said}"], [rows, [row[:1] for row in rows]], ordered=True)


def extreme(random, world):
    by = random.choice(world.categories)
    rows, said, name = measured_groups(random, world, by)
    down = random.random() < 0.6
    rows = ranked(sorted(rows, key=lambda row: row[1], reverse=down), 1)
    most, many = ("highest", "most") if down else ("lowest", "fewest")
    phrasings = [f"which {by.said} has the {most} {said}", f"{by.said} with the {most} {said}"]
    if name is None:
        phrasings = [f"which {by.said} has the {many} {world.rows}", f"{by.said} with the {many} {world.rows}"]
    return Asked(phrasings, [[row[:1] for row in rows], rows])


def extreme_row(random, world):
    column, down = random.choice(world.numbers), random.random() < 0.6
    rows = [[record[world.id.said], record[column.said]] for record in world.records()]
    rows = [row for row in rows if row[1] is not None]
    rows.sort(key=lambda row: row[1], reverse=down)
    most, end = ("highest", "top") if down else ("lowest", "bottom")
    if random.random() < 0.5:
        rows = ranked(rows, 1)
        return Asked([f"which {world.row} has the {most} {column.said}", f"{world.row} with the {most} {column.said}"],
                     [[row[:1] for row in rows], rows])
    number = random.randint(2, 6)
    rows = ranked(rows, number)
    return Asked([f"{end} {number} {world.rows} by {column.said}",
                  f"which {number} {world.rows} have the {most} {column.said}"],
                 [rows, [row[:1] for row in rows]], ordered=True)


def share(random, world):
    condition = simple(random, world)
    records, said = world.records(), condition.columns[0]
    sets = []
    for meets in (condition.strict, condition.lax):
        number = sum(map(meets, records))
        sets += [[[number / len(whole)]] for whole in (records, [one for one in records if one[said] is not None])]
    phrasings = [f"what share of {world.rows} have {condition.after.removeprefix('with ')}"] \
        if condition.after.startswith("with ") else []
    if condition.after.startswith("that are "):
        phrasings += [f"what share of {world.rows} are {condition.after.removeprefix('that are ')}",
                      f"percentage of {world.rows} that are {condition.after.removeprefix('that are ')}"]
    return Asked(needs(phrasings), sets)


def share_by_group(random, world):
    truth, by = random.choice(needs(world.truths)), random.choice(world.categories)
    part = lambda members: sum(member[truth.said] is True for member in members) / len(members)
    known = [record for record in world.records() if record[truth.said] is not None]
    return Asked([f"what share of {world.rows} are {truth.said} for each {by.said}",
                  f"percentage of {world.rows} that are {truth.said} by {by.said}",
                  f"share of {world.rows} that are {truth.said} per {by.said}"],
                 by_group(world.records(), by.said, part) + by_group(known, by.said, part))


def share_of_total(random, world):
    column, by = random.choice(world.numbers), random.choice(world.categories)
    groups, empty = grouped(world.records(), by.said)
    rows = [[key, aggregate("total", members, column.said)] for key, members in groups.items()]
    if any(total is None for _, total in rows):
        raise Unfit
    last = aggregate("total", empty, column.said) or 0
    whole = sum(total for _, total in rows)
    among = [[key, total / (whole + last)] for key, total in rows]
    return Asked([f"share of total {column.said} by {by.said}",
                  f"what share of the total {column.said} does each {by.said} have"],
                 [among, among + [[None, last / (whole + last)]], [[key, total / whole] for key, total in rows]])


def per_month(random, world):
    date, column = needs(world.dates)[0], random.choice(world.numbers)
    length, unit = random.choice(((7, "month"), (7, "month"), (4, "year")))
    period = lambda day: day and day.isoformat()[:length]
    records = [{**record, "period": period(record[date.said])} for record in world.records()]
    name, words = pick_aggregate(random)
    if random.random() < 0.4:
        said, measure = [f"how many {world.rows} were {date.said}", f"number of {world.rows} {date.said}"], len
    else:
        said = [word.format(column.said) for word in words]
        measure = lambda members: aggregate(name, members, column.said)
    sets = by_group(records, "period", measure)
    first = {7: "-01", 4: "-01-01"}[length]
    sets += [[[key and key + first, cell] for key, cell in rows] for rows in sets]
    return Asked([f"{one} per {unit}" for one in said] + [f"{said[0]} by {unit}"], sets)


def distinct(random, world):
    by = random.choice(world.categories)
    return Asked([f"how many different {by.plural} are there", f"number of distinct {by.plural}",
                  f"how many {by.plural} are there"], [[[len(by.distinct())]]])


def between(random, numbers):
    """A number that is clearly apart from each of these, so that no last digit of a sum decides."""
    numbers = sorted(numbers)
    low, high = random.choice(needs(list(zip(numbers, numbers[1:]))))
    bound = round((low + high) / 2, 1)
    if not low + 0.01 < bound < high - 0.01:
        raise Unfit
    return bound


def groups_that(random, world):
    by = random.choice(world.categories)
    rows, said, name = measured_groups(random, world, by)
    if name is None:
        bound = random.choice(rows)[1]
        kept = [row for row in rows if row[1] >= bound]
        many = [f"how many {by.plural} have at least {bound} {world.rows}"]
        which = [f"which {by.plural} have at least {bound} {world.rows}"]
    else:
        bound = between(random, [row[1] for row in rows])
        kept = [row for row in rows if row[1] > bound]
        article = "an" if name == "average" else "a"
        many = [f"how many {by.plural} have {article} {said} above {bound}"]
        which = [f"which {by.plural} have {article} {said} above {bound}"]
    if random.random() < 0.6:
        return Asked(many, [[[len(kept)]]])
    return Asked(which, [[row[:1] for row in kept], kept])


def listing(random, world):
    condition = simple(random, world)
    kept = [record for record in world.records() if condition.strict(record)]
    if not 0 < len(kept) <= 30 or len(condition.columns) != 1:
        raise Unfit
    ids = [[record[world.id.said]] for record in kept]
    shown = [[record[world.id.said], record[condition.columns[0]]] for record in kept]
    return Asked([f"list the {world.rows} {condition.after}", f"which {world.rows} are there {condition.after}"],
                 [ids, shown])


def truth_count(random, world):
    truth = random.choice(needs(world.truths))
    yes = sum(record[truth.said] is True for record in world.records())
    no = sum(record[truth.said] is False for record in world.records())
    if random.random() < 0.5:
        return Asked([f"how many {world.rows} are {truth.said}", f"count of {truth.said} {world.rows}"], [[[yes]]])
    return Asked([f"how many {world.rows} are not {truth.said}"], [[[no]], [[world.count - yes]]])


def gap_count(random, world):
    column = random.choice([one for one in world.others() if one.kind != "truth"])
    missing = sum(value is None for value in column.values)
    said = f"{column.said} date" if column.kind == "date" else column.said
    if random.random() < 0.5:
        return Asked([f"how many {world.rows} are missing the {said}",
                      f"number of {world.rows} where the {said} is missing"], [[[missing]]])
    # Whoever says "no spare parts" of a column that is always filled means none of them.
    none = sum(value == 0 for value in column.values)
    return Asked([f"how many {world.rows} have no {said}", f"number of {world.rows} without a {said}"],
                 [[[missing]] if missing else [[none]]])


def difference(random, world):
    column, by = random.choice(world.numbers), random.choice(world.categories)
    groups, _ = grouped(world.records(), by.said)
    one, other = random.sample(sorted(groups), 2)
    values = [aggregate("average", groups[key], column.said) for key in (one, other)]
    if None in values:
        raise Unfit
    gap = values[0] - values[1]
    return Asked([f"difference in average {column.said} between {one} and {other}",
                  f"compare the average {column.said} of {one} and {other}"],
                 [[[gap]], [[abs(gap)]], [[one, values[0]], [other, values[1]]], [[*values, gap]], [values]])


PLANS = (scalar, scalar, count, count, group, group, group_where, group_count, two_groups, top, top, extreme, extreme,
         extreme_row, share, share_by_group, share_of_total, per_month, per_month, distinct, groups_that, groups_that,
         listing, truth_count, gap_count, difference)
