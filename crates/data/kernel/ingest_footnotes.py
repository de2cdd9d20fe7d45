"""Lines below a table that say something about it ("Source: …") are no rows of it.

One idea: such a line fills one cell and leaves all others empty, which no other row of the table does, and it reads
like a remark and not like the values above it, or stands below an empty line. A last row that was only begun looks like
those values, and stays.
"""

import re

from cells import type_name
from ingest_report import COLUMNS_WIDE, plural
from sql import quoted

COLUMNS_MIN = 3
ROWS_MIN = 3
NOTES_MAX = 5
NOTE_SHOWN = 80
_NOTE = re.compile(r"\W*(source|note|notes|quelle|hinweis|anmerkung|fuente|nota)\b|[*†‡¹²³]", re.IGNORECASE)


def find(engine, table, rows, apart=0):
    """The last rows of the table that are footnotes, as (row from 0, text); so many stand below an empty line."""
    source = quoted(table)
    described = [(name, type_name(kind)) for name, kind, *_ in engine.execute(f"DESCRIBE {source}").fetchall()]
    if not COLUMNS_MIN <= len(described) <= COLUMNS_WIDE or rows - apart < ROWS_MIN or described[0][1] != "text":
        return []
    last = engine.execute(f"SELECT rowid, * FROM {source} WHERE rowid >= {rows - NOTES_MAX - 1} ORDER BY rowid DESC")
    notes = []
    for row, text, *others in last.fetchall():
        if not text or any(cell is not None and cell != "" for cell in others):
            break
        notes.insert(0, (row, text.strip()))
    if not notes or len(notes) > NOTES_MAX or rows - len(notes) < ROWS_MIN:
        return []
    first = quoted(described[0][0])
    alone = " AND ".join(f"coalesce(CAST({quoted(name)} AS VARCHAR), '') = ''" for name, _ in described[1:])
    words = f"max(length(trim({first})) - length(replace(trim({first}), ' ', '')))"
    others, spaces, colons = engine.execute(
        f"SELECT count_if({alone}), coalesce({words}, 0), count_if(contains({first}, ': ')) FROM {source} "
        f"WHERE rowid < {notes[0][0]}"
    ).fetchall()[0]
    said = rows - notes[0][0] <= apart or any(_NOTE.match(text) or text.count(" ") > spaces or (": " in text and not colons) for _, text in notes)
    return notes if not others and said else []


def say(report, notes):
    """Says which rows were set aside as footnotes."""
    if notes:
        text = f"{plural(len(notes), 'last line')} set aside as {'a footnote' if len(notes) == 1 else 'footnotes'}: "
        text += ", ".join(f"`{note[:NOTE_SHOWN]}`" for _, note in notes)
        report.say("rows_set_aside", text, count=len(notes), rows=[row + 1 for row, _ in notes])
