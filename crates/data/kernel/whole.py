"""Every row of a checked statement as a file: what people take with them when a listing shows only the first rows.

The text is that of `csv.rs`: truths as `true`/`false`, ISO dates and times, a null empty and an empty text `""`; in a
table of one column a null is `""` too, because most readers skip an empty line and with it the row.
"""

import cells
import sql
import wire

CHUNK_ROWS = 10_000
BATCH_ROWS = 100_000


def write(arguments):
    """Runs a checked statement and writes its rows to the new file `out`, in the form asked for; gives their number."""
    writer = {"csv": _csv, "parquet": _parquet}[arguments["form"]]
    return {"rows": sql.with_room(lambda: writer(arguments["sql"], arguments["out"]))}


def _csv(statement, path):
    result, columns = sql.readable_result(statement)
    count = 0
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(",".join(_text(name) for name, _ in columns) + "\n")
        null = '""' if len(columns) == 1 else ""
        while rows := result.fetchmany(CHUNK_ROWS):
            file.writelines(",".join(_field(cells.encode(value), null) for value in row) + "\n" for row in rows)
            count += len(rows)
    return count


def _field(cell, null):
    if cell is None:
        return null
    if isinstance(cell, str):
        return _text(cell)
    if isinstance(cell, (list, dict)):
        return _text(wire.dumps(cell))
    return wire.dumps(cell)


def _text(text):
    if text == "" or any(letter in text for letter in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _parquet(statement, path):
    # The package gives the engine's results their way to Arrow; the extension module alone has none.
    import duckdb  # noqa: F401
    import pyarrow.parquet

    batches = sql.connection().execute(statement).to_arrow_reader(BATCH_ROWS)
    count = 0
    with pyarrow.parquet.ParquetWriter(path, batches.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
            count += batch.num_rows
    return count
