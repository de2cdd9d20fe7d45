"""Which names stand for several things: the county of Adams is one in each of many states.

One idea: beside a column for what holds things (a state, a branch), a name that stands for one thing has one of them. Where
names have several, but few of all there are, the same name is given again; what is found in nearly all of them, such as a
product in every region, is one thing.
"""

ROWS_MAX = 200_000
NAMES_MAX = 8
HOLDERS_MAX = 4
# Of all that hold things, the share that one name has at most.
SHARE_MAX = 0.5

_HOLDERS = (
    "state", "country", "nation", "province", "region", "county", "city", "town", "district", "municipality", "territory",
    "department", "branch", "school", "company", "organisation", "organization", "league",
)


def mark(engine, table, rows, columns):
    """Says of each column within which other one its names repeat."""
    texts = [column for column in columns if column.type == "text" and 1 < column.distinct < column.filled]
    holders = [column for column in texts if _holds(column)][:HOLDERS_MAX]
    pairs = [(name, holder) for name in texts[:NAMES_MAX] for holder in holders if holder.distinct < name.distinct]
    if not pairs:
        return
    every = -(-rows // ROWS_MAX)
    part = f" WHERE hash(rowid) % {every} = 0" if every > 1 else ""
    wanted = ", ".join(
        f"count(DISTINCT {name.cell}), "
        f"count(DISTINCT hash({name.cell}, {holder.cell})) FILTER ({name.cell} IS NOT NULL AND {holder.cell} IS NOT NULL)"
        for name, holder in pairs
    )
    counts = engine.execute(f"SELECT {wanted} FROM {table}{part}").fetchall()[0]
    for at, (name, holder) in enumerate(pairs):
        names, both = counts[2 * at : 2 * at + 2]
        if name.repeats_within is None and names < both <= names * max(2, SHARE_MAX * holder.distinct):
            name.repeats_within = holder.name


def _holds(column):
    words = "".join(letter if letter.isalnum() else " " for letter in column.name.lower()).split()
    return any(word in _HOLDERS for word in words)
