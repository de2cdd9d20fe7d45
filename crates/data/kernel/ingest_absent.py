"""Words in columns of text that say there is no value: `N/A`, `null`, `-`. Such cells become empty, and that is said.

One idea: where names are, such a word is none of them, and a ranking must not be won by it. It is believed only where
it cannot be a name itself: `NA` beside other codes is Namibia or North America, `-` beside `+` is a sign, and `None`
beside a handful of others is an answer.
"""

from cells import type_name
from ingest_report import ROWS_SHOWN, literal
from profiling import fold
from sql import quoted

BATCH_COLUMNS = 100
# `None` beside no more other values than these may be one of the answers to choose from.
ANSWERS_MAX = 5
_CODES = ("NA", "na")
_SIGNS = ("-", "--", "–", "—", "?", "??")
_ANSWERS = ("None", "none", "NONE")
_WORDS = ("N/A", "n/a", "N/a", "#N/A", "n.a.", "N.A.", "NULL", "null", "Null", "NaN", "nan") + _CODES + _SIGNS + _ANSWERS


def clear(engine, table, declared, report):
    """Makes the cells that say so empty; columns that were declared stay as they are."""
    source = quoted(table)
    described = [(name, type_name(kind)) for name, kind, *_ in engine.execute(f"DESCRIBE {source}").fetchall()]
    texts = [name for name, kind in described if kind == "text" and fold(name) not in map(fold, declared)]
    for start in range(0, len(texts), BATCH_COLUMNS):
        batch = texts[start : start + BATCH_COLUMNS]
        wanted = ", ".join(f"count_if({_says(quoted(name), _WORDS)})" for name in batch)
        for name, count in zip(batch, engine.execute(f"SELECT {wanted} FROM {source}").fetchall()[0]):
            if count:
                _clear_column(engine, source, name, report)


def _clear_column(engine, source, name, report):
    cell = quoted(name)
    words = _believed(engine, source, cell)
    if not words:
        return
    says = _says(cell, words)
    found = engine.execute(f"SELECT trim({cell}), count(*) FROM {source} WHERE {says} GROUP BY 1 ORDER BY 2 DESC, 1")
    found = found.fetchall()
    if not found:
        return
    rows = engine.execute(f"SELECT rowid + 1 FROM {source} WHERE {says} ORDER BY rowid LIMIT {ROWS_SHOWN}").fetchall()
    engine.execute(f"UPDATE {source} SET {cell} = NULL WHERE {says}")
    shown = ", ".join(f"`{word}` ({count} {'row' if count == 1 else 'rows'})" for word, count in found)
    mean = "means" if len(found) == 1 else "mean"
    text = f"{shown} probably {mean} that there is no value, read as empty"
    report.say("empty_words", text, name, sum(count for _, count in found), [row for row, in rows])


def _believed(engine, source, cell):
    """The words that can be none of the column's values, seen from its other ones."""
    others, codes, signs = engine.execute(
        f"SELECT count(*), count_if(regexp_full_match(word, '[A-Z]{{2,5}}|[a-z]{{2}}')), "
        f"count_if(NOT regexp_matches(word, '[\\pL\\pN]')) FROM "
        f"(SELECT DISTINCT trim({cell}) AS word FROM {source} WHERE {cell} IS NOT NULL AND NOT {_says(cell, _WORDS)})"
    ).fetchall()[0]
    if not others:
        return []
    doubted = set(_CODES if 2 * codes >= others else ())
    doubted |= set(_SIGNS if signs else ())
    doubted |= set(_ANSWERS if others <= ANSWERS_MAX else ())
    return [word for word in _WORDS if word not in doubted]


def _says(cell, words):
    return f"coalesce(trim({cell}) IN ({', '.join(map(literal, words))}), false)"
