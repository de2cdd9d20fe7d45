"""Conditions: how people say them, and which rows meet them.

A condition has two meanings where empty cells leave room for both: `strict`
takes an empty cell as not known to meet it, `lax` as not known to fail it.
Each is a function of a record.
"""

import datetime
import operator

COMPARED = {
    **dict.fromkeys(("above", "over", "greater than", "more than"), operator.gt),
    **dict.fromkeys(("below", "under", "less than"), operator.lt),
    "at least": operator.ge,
    "at most": operator.le,
}
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")


class Condition:
    """Said in two ways.

    `clause` follows "where" ("carrier is Falcon"), `after` what the rows are
    called ("with carrier Falcon").
    """

    def __init__(self, clause, after, column, meets, empty_may_meet=False):
        self.clause, self.after, self.columns = clause, after, [column]
        self.strict = lambda record: record[column] is not None and meets(record[column])
        self.lax = self.strict
        if empty_may_meet:
            self.lax = lambda record: record[column] is None or meets(record[column])


def both(one, other):
    """Two conditions as one."""
    joined = Condition(f"{one.clause} and {other.clause}", f"{one.after} and {other.after}", None, None)
    joined.columns = one.columns + other.columns
    joined.strict = lambda record: one.strict(record) and other.strict(record)
    joined.lax = lambda record: one.lax(record) and other.lax(record)
    return joined


def of_category(random, column):
    said, value = column.said, random.choice(column.distinct())
    other = random.choice([one for one in column.distinct() if one != value])
    form = random.randrange(5)
    if form == 0:
        return Condition(f"{said} is {value} or {other}", f"with {said} {value} or {other}", said,
                         lambda cell: cell in (value, other))
    if form == 1:
        return Condition(f"{said} is not {value}", f"whose {said} is not {value}", said,
                         lambda cell: cell != value, empty_may_meet=True)
    clause = random.choice((f"{said} is {value}", f"{said} = {value}", f"the {said} is {value}"))
    after = random.choice((f"with {said} {value}", f"whose {said} is {value}", f"that have {said} {value}"))
    return Condition(clause, after, said, lambda cell: cell == value)


def of_number(random, column):
    said, values = column.said, column.distinct()
    low, high = sorted(random.sample(values[len(values) // 10:-len(values) // 10], 2))
    if random.random() < 0.15:
        return Condition(f"{said} is between {low} and {high}", f"with a {said} between {low} and {high}", said,
                         lambda cell: low <= cell <= high)
    words = random.choice(sorted(COMPARED))
    after = random.choice((f"with a {said} {words} {low}", f"with {said} {words} {low}"))
    return Condition(f"{said} is {words} {low}", after, said, lambda cell: COMPARED[words](cell, low))


def of_truth(random, column):
    said = column.said
    if random.random() < 0.6:
        return Condition(f"{said} is true", f"that are {said}", said, lambda cell: cell)
    return Condition(f"{said} is false", f"that are not {said}", said, lambda cell: not cell, empty_may_meet=True)


def of_date(random, column):
    """Only `after`: dates are said with the verb that their column is called by."""
    said, day = column.said, random.choice(column.distinct())
    form = random.randrange(4)
    if form == 0:
        after, meets = f"{said} in {day.year}", lambda cell: cell.year == day.year
    elif form == 1:
        after = f"{said} in {MONTHS[day.month - 1]} {day.year}"
        meets = lambda cell: (cell.year, cell.month) == (day.year, day.month)
    elif form == 2:
        after, meets = f"{said} before {day.isoformat()}", lambda cell: cell < day
    else:
        first = datetime.date(day.year, day.month, 1)
        after, meets = f"{said} since {MONTHS[day.month - 1]} {day.year}", lambda cell: cell >= first
    return Condition(None, after, said, meets)


def simple(random, world, without=()):
    """A condition that can follow "where", on none of these columns."""
    makers = [(of_category, one) for one in world.categories if len(one.distinct()) > 1]
    makers += [(of_number, one) for one in world.numbers] + [(of_truth, one) for one in world.truths]
    makers = [(make, one) for make, one in makers if one.said not in without]
    make, column = random.choice(makers)
    return make(random, column)


def any_condition(random, world, without=()):
    """One condition, or two, or one on a date."""
    chance = random.random()
    if world.dates and chance < 0.2:
        return of_date(random, world.dates[0])
    one = simple(random, world, without)
    if chance < 0.75:
        return one
    return both(one, simple(random, world, (*without, *one.columns)))
