"""What is measured of tables that were read: counts, ranges, values, and how the tables hang together."""

from cells import encode, type_name
from sql import quoted

VALUES_BYTES_MAX = 1 << 20


def profile(engine, table, values_max):
    """What the planner knows of a table: counts, ranges, and the values of its text columns."""
    described = engine.execute(f"DESCRIBE {quoted(table)}").fetchall()
    columns = [(row[0], row[1]) for row in described]
    measures = ", ".join(
        f"count({cell}), count(DISTINCT {cell}), {_least(cell, kind, 'min')}, {_least(cell, kind, 'max')}"
        for cell, kind in ((quoted(name), kind) for name, kind in columns)
    )
    rows, *measured = engine.execute(f"SELECT count(*), {measures} FROM {quoted(table)}").fetchall()[0]
    profiled = []
    for position, (name, kind) in enumerate(columns):
        filled, distinct, least, greatest = measured[4 * position : 4 * position + 4]
        contract = type_name(kind)
        values, complete = _values(engine, table, name, values_max) if contract == "text" else ([], False)
        profiled.append({
            "name": name, "type": contract, "nulls": rows - filled, "distinct": distinct,
            "unique": rows > 0 and distinct == rows, "min": encode(least), "max": encode(greatest),
            "values": values, "values_complete": complete,
        })
    return {"name": table, "rows": rows, "columns": profiled}


def _least(cell, kind, aggregate):
    return "NULL" if type_name(kind) == "json" else f"{aggregate}({cell})"


def _values(engine, table, column, values_max):
    """Distinct values, most frequent first, then by their bytes; bounded in number and bytes."""
    cell = quoted(column)
    result = engine.execute(
        f"SELECT {cell} FROM {quoted(table)} WHERE {cell} IS NOT NULL GROUP BY {cell} "
        f"ORDER BY count(*) DESC, {cell} LIMIT {values_max + 1}"
    )
    values, size = [], 0
    for (value,) in result.fetchall():
        size += len(value.encode())
        if len(values) == values_max or size > VALUES_BYTES_MAX:
            return values, False
        values.append(value)
    return values, True


def relations(engine, tables):
    """Many-to-one links: names that match, unique on the one side, and every value of the many side found there."""
    links = []
    for many in tables:
        for one in (table for table in tables if table is not many):
            for source, target in _candidates(many, one):
                if _included(engine, (many["name"], source["name"]), (one["name"], target["name"])):
                    links.append({
                        "from_table": many["name"], "from_column": source["name"],
                        "to_table": one["name"], "to_column": target["name"],
                    })
    return links


def _candidates(many, one):
    """Pairs of columns whose names say that they may be a link: the same name, or `x_id` for the key of table x.

    A bare `id` on both sides says nothing: every table numbers its own rows.
    """
    entities = {fold(one["name"] + "_id"), fold(one["name"].removesuffix("s") + "_id")}
    for source in many["columns"]:
        for target in one["columns"]:
            comparable = source["type"] == target["type"] and source["type"] in ("int", "text", "date")
            same = fold(source["name"]) == fold(target["name"]) != "id"
            key = fold(source["name"]) in entities and fold(target["name"]) == "id"
            if comparable and target["unique"] and (same or key):
                yield source, target


def _included(engine, many, one):
    source, target = f"many.{quoted(many[1])}", f"one.{quoted(one[1])}"
    missing, filled = engine.execute(
        f"SELECT count_if({target} IS NULL), count(*) FROM {quoted(many[0])} AS many "
        f"LEFT JOIN {quoted(one[0])} AS one ON {source} = {target} WHERE {source} IS NOT NULL"
    ).fetchall()[0]
    return missing == 0 and filled > 0


def fold(name):
    """A name as it is compared: case and punctuation tell nothing apart."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())
