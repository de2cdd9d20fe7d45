"""Runs batches of plans over small tables, each plan by up to three interpreters.

Reads `input/batch.json` and writes `out/results.json`. The engine and the oracle are the program's own modules, as a
kernel would load them; only the file that `sql.open` would attach is replaced by a database in memory.
"""

import json
import sys
from datetime import date, datetime, time
from decimal import Decimal, localcontext

sys.path.insert(0, "input")

import oracle
import sql

BYTES_MAX = 16 << 20
ROWS_MAX = 1000
READ = {
    "bool": lambda text: text == "true", "int": int, "float": float, "decimal": Decimal, "text": str, "json": str,
    "date": date.fromisoformat, "time": time.fromisoformat, "timestamp": datetime.fromisoformat,
}  # fmt: skip


def main():
    with open("input/batch.json", encoding="utf-8") as file:
        batch = json.load(file)
    answers = [answer(world, batch["third"]) for world in batch["worlds"]]
    with open("out/results.json", "w", encoding="utf-8") as file:
        json.dump(answers, file)


def answer(world, with_third):
    engine = sql.connection()
    engine.execute("ATTACH ':memory:' AS data; USE data")
    for table in world["tables"]:
        fill(engine, table)
    described = {
        table["name"]: {"columns": {column["name"]: column["type"] for column in table["columns"]}}
        for table in world["tables"]
    }
    values = read(world["tables"]) if with_third else None
    answers = []
    for pair in world["pairs"]:
        given = {"plan": pair["plan"], "tables": described, "relations": world["relations"], "rows_max": ROWS_MAX}
        answers.append({
            "engine": [attempt(lambda: query(text)) for text in pair["sql"]],
            "oracle": attempt(lambda: {"table": oracle.run(given)}) if pair["oracle"] else None,
            "third": attempt(lambda: third(pair["plan"], values, world["relations"])) if with_third else None,
        })  # fmt: skip
    engine.execute("USE memory; DETACH data")
    return answers


def query(text):
    return {"table": sql.query({"sql": text, "rows_max": ROWS_MAX, "bytes_max": BYTES_MAX})}


def third(plan, tables, relations):
    import third

    with localcontext(prec=120):
        table, undecided = third.run(plan, tables, relations)
    return {"table": table, "undecided": undecided}


def attempt(work):
    try:
        return work()
    except Exception as error:
        import traceback

        return {"error": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}


def fill(engine, table):
    name = sql.quoted(table["name"])
    columns = ", ".join(f"{sql.quoted(column['name'])} {column['engine']}" for column in table["columns"])
    engine.execute(f"CREATE TABLE {name} ({columns})")
    if table["rows"]:
        spelled = lambda cell: "NULL" if cell is None else "'" + cell.replace("'", "''") + "'"
        rows = ", ".join("(" + ", ".join(map(spelled, row)) + ")" for row in table["rows"])
        engine.execute(f"INSERT INTO {name} VALUES {rows}")


def read(tables):
    """The same rows as values, without asking the engine."""
    result = {}
    for table in tables:
        kinds = [READ[column["type"]] for column in table["columns"]]
        rows = [[None if cell is None else kind(cell) for kind, cell in zip(kinds, row)] for row in table["rows"]]
        result[table["name"]] = {"columns": table["columns"], "rows": rows}
    return result


main()
