"""What ingest says: refusals, remarks and progress, and the few spellings that all of its modules share.

One idea: everything that was decided for the user becomes a remark with a code, a count and the first rows, so that
nothing is a silent guess; what cannot be read is refused by an `InputError` that names what to do.
"""

import re
import sys
import threading

import wire

ROWS_SHOWN = 20
WATCH_SECONDS = 0.3
NAMES_SHOWN = 10
COLUMNS_MAX = 20_000
COLUMNS_WIDE = 1_000
NAME_LENGTH_MAX = 200
_PATH = re.compile(r"""["']?(/[^/\s"']+){2,}["']?""")
# Words that people write where a number or a date is missing.
EMPTY_WORDS = ("null", "none", "na", "n/a", "#n/a", "nan", "-", "--", "?")


class InputError(ValueError):
    """A file that cannot be read as a table: what is wrong, and apart from it what to do."""

    def __init__(self, message, hint=None):
        super().__init__(message)
        self.message, self.hint = message, hint


class Report:
    """The remarks on one file; its members share one list."""

    def __init__(self, label, remarks):
        self.label, self.remarks, self.table = label, remarks, None

    def say(self, code, text, column=None, count=None, rows=()):
        """Adds a remark; `text` follows the file's name."""
        where = f"`{self.label}`" if column is None else f"`{self.label}`, column `{column}`"
        self.remarks.append({
            "file": self.label, "table": self.table, "column": column, "code": code, "message": f"{where}: {text}",
            "count": count, "rows": list(rows)[:ROWS_SHOWN],
        })

    def mark(self):
        """Where the remarks are now, to come back to with `forget`."""
        return len(self.remarks)

    def forget(self, mark):
        """Takes back what was said since: the file is read another way."""
        del self.remarks[mark:]

    def refuse(self, what, hint):
        """The refusal of this file."""
        return InputError(f"`{self.label}` {what}", hint)


def progress(text, done=None, total=None):
    """One line for whoever waits; nobody has to read it. Without a text it says how far the last one is."""
    try:
        sys.stdout.write(wire.dumps({"progress": {"text": text, "done": done, "total": total}}) + "\n")
        sys.stdout.flush()
    except (OSError, ValueError):
        pass  # Whoever waited is gone; the work is not.


class Watch:
    """Says meanwhile how far the engine's statement is: one over a large file may take minutes."""

    def __init__(self, engine):
        self.engine, self.over = engine, threading.Event()
        self.thread = threading.Thread(target=self._tell, daemon=True)

    def __enter__(self):
        self.engine.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def _tell(self):
        while not self.over.wait(WATCH_SECONDS):
            percent = self.engine.query_progress()
            # Below zero nobody knows, and between two statements there is nothing to know.
            if 0 < percent < 100:
                progress(None, percent, 100)


def column_names(cells):
    """Column names: an empty one by its position, a repeated one with a number; case does not tell two apart."""
    names, used, following = [], set(), {}
    for position, cell in enumerate(cells, 1):
        wanted = " ".join(cell.split())[:NAME_LENGTH_MAX].strip() or f"column_{position}"
        name, number = wanted, following.get(wanted.casefold(), 1)
        while name.casefold() in used:
            number += 1
            name = f"{wanted}_{number}"
        following[wanted.casefold()] = number
        used.add(name.casefold())
        names.append(name)
    return names


def check_width(report, count):
    """Refuses more columns than a table may have, and says of very many."""
    if count > COLUMNS_MAX:
        raise report.refuse(f"has {count} columns", f"at most {COLUMNS_MAX} columns are read; leave some out")
    if count > COLUMNS_WIDE:
        report.say("wide", f"it has {count} columns; relationships of so many are not looked for", count=count)


def say_names(report, cells, names):
    """Says which headers were changed into which names."""
    changed = [(old, new) for old, new in zip(cells, names) if old.strip() != new]
    if changed:
        shown = [f"`{old.strip()[:60]}` -> `{new[:60]}`" for old, new in changed[:NAMES_SHOWN]]
        more = f" and {len(changed) - NAMES_SHOWN} more" if len(changed) > NAMES_SHOWN else ""
        text = f"empty, repeated or overlong column names were changed: {', '.join(shown)}{more}"
        report.say("header_changed", text, count=len(changed))


def literal(text):
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def first_line(error):
    """What an error says in one line, without the paths of the cell."""
    lines = str(error).strip().splitlines()
    return _PATH.sub("the file", lines[0])[:300] if lines else type(error).__name__


def plural(count, one, many=None):
    """A count with its noun: `1 row`, `3 rows`."""
    return f"{count} {one if count == 1 else many or one + 's'}"
