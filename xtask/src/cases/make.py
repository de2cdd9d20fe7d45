"""Public benchmarks as files that `assay eval` takes: questions with what is right, and the tables they are about.

    make.py wikisql|geoquery|unanswerable|dabench FROM OUT

Standard library only. What is right is computed here from the benchmark's own labels, without any code of the project.
"""

import csv
import json
import re
import sqlite3
import sys
from pathlib import Path


def wikisql(source, out):
    """One question a case, over one small table of texts."""
    tables = {}
    with (out / "tables.jsonl").open("w", encoding="utf-8") as file:
        for table in lines(source / "tables.jsonl"):
            tables[table["t"]] = table["r"]
            columns = [{"name": name, "type": None} for name in table["h"]]
            write(file, {"id": table["t"], "columns": columns, "rows": table["r"]})
    with (out / "cases.jsonl").open("w", encoding="utf-8") as file:
        for number, asked in enumerate(lines(source / "questions.jsonl"), 1):
            rows = looked_up(tables[asked["t"]], asked)
            write(file, {"id": f"w{number}", "dataset": None, "tables": [asked["t"]], "question": asked["q"],
                         "expect": {"rows": rows, "ordered": False}})


def looked_up(rows, asked):
    """What the label says: rows that satisfy every condition, then one column of them, or one number."""
    for column, relation, value in asked["conds"]:
        rows = [row for row in rows if holds(row[column], relation, str(value).lower())]
    cells = [row[asked["sel"]] for row in rows]
    if not asked["agg"]:
        return [[cell] for cell in cells]
    if asked["agg"] == "COUNT":
        return [[len(cells)]]
    numbers = [found for found in map(number, cells) if found is not None]
    if not numbers:
        return [[None]]
    combine = {"MAX": max, "MIN": min, "SUM": sum, "AVG": lambda found: sum(found) / len(found)}
    return [[combine[asked["agg"]](numbers)]]


def holds(cell, relation, value):
    """Texts are the same by their letters and digits: the tables were cut into words, the labels were not."""
    one, other = number(cell), number(value)
    if one is None or other is None:
        return relation == "=" and (cell == value or letters(cell) == letters(value) != "")
    return {"=": one == other, "<": one < other, ">": one > other}[relation]


def letters(text):
    return "".join(letter for letter in text if letter.isalnum())


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def geoquery(source, out):
    """Questions over several tables, with statements whose variables are filled in. Any of a question's statements may
    be meant, and a list may name each thing once."""
    database = (source / "geography.sqlite").resolve()
    engine = sqlite3.connect(f"file:{database}?mode=ro&immutable=1", uri=True)
    passed_over, count = 0, 0
    with (out / "cases.jsonl").open("w", encoding="utf-8") as file:
        for entry in json.loads((source / "train.json").read_text(encoding="utf-8")):
            for sentence in entry["sentences"]:
                sets = row_sets(engine, entry["sql"], sentence["variables"])
                if not sets:
                    passed_over += 1
                    continue
                count += 1
                question = filled(sentence["text"], sentence["variables"])
                expect = {"rows": sets[0], "ordered": False, "also": sets[1:]}
                write(file, {"id": f"g{count}", "dataset": [str(database)], "tables": None, "question": question,
                             "expect": expect})
    if passed_over:
        print(f"{passed_over} questions have no statement that runs and are left out", file=sys.stderr)


def row_sets(engine, statements, variables):
    sets = []
    for statement in statements:
        try:
            rows = [list(row) for row in engine.execute(filled(statement, variables)).fetchall()]
        except sqlite3.Error:
            continue
        once = [list(row) for row in dict.fromkeys(map(tuple, rows))]
        sets += [found for found in (rows, once) if found not in sets]
    return sets


def filled(text, variables):
    # The longest name first: `state_name1` begins `state_name10`.
    for name in sorted(variables, key=len, reverse=True):
        text = text.replace(name, variables[name])
    return text


def unanswerable(source, out):
    """Questions that the given schemas cannot answer."""
    for schema in sorted((source / "schemas").glob("*.sql")):
        database(schema.read_text(encoding="utf-8"), out / f"{schema.stem}.sqlite")
    with (source / "idk.csv").open(encoding="utf-8", newline="") as asked:
        rows = list(csv.DictReader(asked))
    with (out / "cases.jsonl").open("w", encoding="utf-8") as file:
        for count, row in enumerate(rows, 1):
            path = str((out / f"{row['db_name']}.sqlite").resolve())
            write(file, {"id": f"u{count}", "dataset": [path], "tables": None, "question": row["question"],
                         "expect": {"refused": True}})


def dabench(source, out):
    """Questions about files whose answers are named values: the labels know some of the names that a question asks for."""
    labels = {entry["id"]: dict(entry["common_answers"]) for entry in lines(source / "labels.jsonl")}
    with (out / "cases.jsonl").open("w", encoding="utf-8") as file:
        for asked in lines(source / "questions.jsonl"):
            shape = asked["format"]
            names = list(dict.fromkeys(re.findall(r"@(\w+)\s*\[", shape)))
            question = (f"{asked['question']}\nConstraints: {asked['constraints']}\nAnswer with a dict with the keys "
                        f"{', '.join(names)}. Answer format: {shape}")
            write(file, {"id": f"d{asked['id']}", "dataset": [str((source / "tables" / asked["file_name"]).resolve())],
                         "tables": None, "question": question, "expect": {"values": labels[asked["id"]]}})


def database(schema, path):
    """A database of the schema's tables, and of those of its rows that SQLite takes."""
    path.unlink(missing_ok=True)
    engine = sqlite3.connect(path)
    plain = re.sub(r"\bpublic\.|::[a-z]+( [a-z]+)*", "", schema)
    for statement in plain.split(";\n"):
        try:
            engine.execute(statement)
        except sqlite3.Error as error:
            if statement.strip().upper().startswith("CREATE TABLE"):
                sys.exit(f"{path.stem}: {error}")
    engine.commit()
    engine.close()


def lines(path):
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def write(file, value):
    file.write(json.dumps(value, ensure_ascii=False) + "\n")


MAKERS = {"wikisql": wikisql, "geoquery": geoquery, "unanswerable": unanswerable, "dabench": dabench}


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in MAKERS:
        sys.exit(f"usage: make.py {'|'.join(MAKERS)} FROM OUT")
    out = Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    MAKERS[sys.argv[1]](Path(sys.argv[2]), out)


if __name__ == "__main__":
    main()
