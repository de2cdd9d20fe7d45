"""The slow reading of a delimited text: row by row, so that everything irregular can be counted and named by line.

One idea: what comes out is a clean copy, every row of the same width, which the engine then reads as text. Rows with
too few values are filled up, values beyond the width are dropped when they are empty, and other rows are set aside.
When values are missing or too many in more than a few rows, the file is not what it seems and is refused.
"""

import csv
import io

import ingest_blank
from ingest_report import ROWS_SHOWN, plural, progress
from ingest_text import CELL_BYTES_MAX

RAGGED_SHARE_MAX = 0.05
RAGGED_MAX = 3
PROGRESS_ROWS = 500_000


class _Lines:
    """Counts lines and the quotes of the current row, to know a quote that is never closed."""

    def __init__(self, file, quote):
        self.file, self.quote, self.quotes = file, quote, 0

    def __iter__(self):
        for line in self.file:
            self.quotes += line.count(self.quote)
            # The module refuses NUL; so do we, but the file was looked through before.
            yield line


class Mended:
    """What was found: counts, and the first lines of each kind."""

    def __init__(self):
        self.rows, self.lines = 0, {"short": [], "long": [], "aside": [], "header": [], "comment": [], "blank": []}
        self.counts = dict.fromkeys(self.lines, 0)

    def note(self, what, line):
        self.counts[what] += 1
        if len(self.lines[what]) < ROWS_SHOWN:
            self.lines[what].append(line)


def mend(text, dialect, clean, report):
    """Writes the clean copy to the path `clean` and says what was done; gives what was found."""
    found = Mended()
    header = [cell.strip() for cell in dialect.first] if dialect.header and any(dialect.first) else None
    skip = dialect.skipped[-1] if dialect.skipped else 0
    with text.open() as file, io.open(clean, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
        lines = _Lines(file, dialect.quote)
        reader = dialect.reader(iter(lines))
        try:
            _copy(reader, lines, dialect, header, skip, writer, found, report)
        except csv.Error as error:
            limit = "field larger" in str(error)
            what = f"has a value of more than {CELL_BYTES_MAX >> 20} MiB" if limit else f"cannot be read: {error}"
            raise report.refuse(f"{what} at line {reader.line_num}", "look for a quote that is not closed") from error
    _judge(found, dialect, report)
    return found


def _copy(reader, lines, dialect, header, skip, writer, found, report):
    width, line, first, alone = dialect.width, 1, dialect.header, dialect.width == 1
    for row in reader:
        start, line = line, reader.line_num + 1
        quotes, lines.quotes = lines.quotes, 0
        if start <= skip:
            if dialect.comment and row and row[0].startswith("#"):
                found.note("comment", start)
            continue
        if not row or (not alone and len(row) == 1 and not row[0].strip()):
            if not alone or first:
                continue
            row = [""]
        if line - start > 1 and quotes % 2 and dialect.escape is None:
            raise report.refuse(f"has a quote that is not closed, opened at line {start}", "close or remove the quote")
        if dialect.comment and row[0].startswith("#") and len(row) != width:
            found.note("comment", start)
            continue
        if first:
            first = False
            continue
        if header is not None and not alone and [cell.strip() for cell in row] == header:
            found.note("header", start)
            continue
        if not alone and not any(cell.strip() for cell in row):
            found.note("blank", start)
            continue
        if len(row) < width:
            found.note("short", start)
            row += [""] * (width - len(row))
        elif len(row) > width:
            if any(cell.strip() for cell in row[width:]):
                found.note("aside", start)
                continue
            found.note("long", start)
            row = row[:width]
        found.rows += 1
        # A lone empty value would be written as a quoted one and read as such; the engine takes both for none.
        writer.writerow(row)
        if found.rows % PROGRESS_ROWS == 0:
            progress(f"reading {report.label}", found.rows)


def _judge(found, dialect, report):
    # Delimiters at the end of a line, with nothing behind them, say nothing against it.
    ragged = found.counts["short"] + found.counts["aside"]
    rows = found.rows + found.counts["aside"]
    if ragged > RAGGED_MAX and ragged > RAGGED_SHARE_MAX * rows:
        kinds = [(found.lines[kind][0], words) for kind, words in
                 (("short", "too few values"), ("aside", "too many values"))
                 if found.lines[kind]]
        line, words = min(kinds)
        raise report.refuse(
            f"has {ragged} of {rows} rows with another number of values than the first line ({dialect.width}): "
            f"line {line} has {words}; a file may have {RAGGED_MAX} such rows, or {100 * RAGGED_SHARE_MAX:.0f} percent",
            "check the delimiter and the quotes, and give each row as many values as the first line has",
        )
    if found.rows == 0 and found.counts["aside"]:
        raise report.refuse("has no row with as many values as its first line", "check that it is a table")
    row, line = "row", "line"
    said = (
        ("short", "ragged_rows", row, "with too few values, the missing ones are empty"),
        ("long", "ragged_rows", row, "with more values than columns, the surplus ones were empty and dropped"),
        ("aside", "rows_set_aside", row, "with too many values, set aside and not loaded"),
        ("header", "lines_skipped", line, "with the header again, left out"),
        ("comment", "comments_skipped", line, "beginning with `#` skipped as comments"),
    )
    for kind, code, noun, words in said:
        count, lines = found.counts[kind], found.lines[kind]
        if count:
            shown = ", ".join(map(str, lines[:5])) + (", …" if count > 5 else "")
            report.say(code, f"{plural(count, noun)} {words}: line {shown}", count=count, rows=lines)
    if found.counts["blank"]:
        ingest_blank.say(report, line, found.counts["blank"], found.lines["blank"])
