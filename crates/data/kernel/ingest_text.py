"""Bytes into text, and how a text is divided into rows and cells.

One idea: encoding and dialect are found here, over samples that a person would look at, and everything that is not
plain is said. What they decide is checked later over the whole file: rows of another width are counted, not bent.
"""

import codecs
import csv
import io
import os
import re

from ingest_kinds import KINDS
from ingest_report import literal, plural

READ_BYTES = 4 << 20
HEAD_BYTES = 256 << 10
# Letters that move a cursor stand in texts, too; many of them do not.
CONTROLS_MAX = 8
HEAD_ROWS = 2_000
WINDOW_BYTES = 32 << 10
CELL_BYTES_MAX = 8 << 20
TITLE_ROWS_MAX = 50
DELIMITERS = ",;\t|"
RARE_DELIMITERS = "^~:"
DELIMITER_NAMES = {"\t": "a tab", " ": "a space"}

_UNDEFINED_1252 = bytes((0x81, 0x8D, 0x8F, 0x90, 0x9D))
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_NUMBER_OR_DATE = re.compile(
    r"[-+(]?[$€£]? ?[\d.,]*\d[\d.,]*(e[-+]?\d+)?\)? ?[%$€£]?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|true|false", re.I
)
_YEAR = re.compile(r"(1[89]|20|21)\d\d")


class Text:
    """A file of text: where its UTF-8 form lies, whether it begins with a byte order mark, and whether it has a line that
    is longer than a part of the file as it was looked through.
    """

    def __init__(self, path, encoding="utf-8", bom=False, errors="strict", long_lines=False):
        self.path, self.encoding, self.bom, self.errors, self.long_lines = path, encoding, bom, errors, long_lines

    def open(self):
        """The text with the line ends as they are."""
        encoding = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
        return io.open(self.path, encoding=encoding, errors=self.errors, newline="")

    @property
    def plain(self):
        """Whether the engine can read the file itself."""
        return self.encoding == "utf-8" and self.errors == "strict"


def scan(path, report):
    """One cheap look at every byte: is there anything, is it text. Gives the text, as UTF-8 until shown otherwise."""
    with io.open(path, "rb") as file:
        head = file.read(HEAD_BYTES)
        if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
            return _said(report, Text(path, "utf-32", True), "UTF-32")
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return _said(report, Text(path, "utf-16", True), "UTF-16")
        wide = _wide(head)
        if wide:
            return _said(report, Text(path, wide), wide.upper() + " without a byte order mark")
        if b"\0" in head or len(_CONTROL.findall(head)) > CONTROLS_MAX + len(head) // 100:
            raise binary(report)
        file.seek(0)
        blank, long_lines = True, False
        while chunk := file.read(READ_BYTES):
            if b"\0" in chunk:
                raise binary(report)
            long_lines = long_lines or (len(chunk) == READ_BYTES and b"\n" not in chunk and b"\r" not in chunk)
            blank = blank and not chunk.strip(b"\xef\xbb\xbf \t\r\n\f\v")
    if blank:
        raise report.refuse("is empty", "give a file with a header line and rows")
    text = Text(path, bom=head.startswith(codecs.BOM_UTF8), long_lines=long_lines)
    if text.bom:
        report.say("bom", "the byte order mark at its beginning was left out")
    return text


def binary(report):
    """The refusal of what is no text."""
    return report.refuse("is a binary file, not a table", "give CSV, JSON, Parquet, Excel, SQLite or DuckDB")


def decode(text, report):
    """The text in the encoding that it has, where it proves not to be UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")
    broken, proper, undefined, first, line = 0, 0, False, [], 1
    with io.open(text.path, "rb") as file:
        for raw in file:
            if not raw.isascii():
                undefined = undefined or any(byte in raw for byte in _UNDEFINED_1252)
                try:
                    decoder().decode(raw, True)
                    proper += 1
                except UnicodeDecodeError:
                    broken += 1
                    first += [line] if len(first) < 20 else []
            line += 1
    if not broken:
        return text
    if proper > broken:
        said = f"bytes that are not UTF-8 became U+FFFD; lines: {', '.join(map(str, first[:5]))}"
        report.say("encoding", said, count=broken, rows=first)
        return Text(text.path, bom=text.bom, errors="replace")
    encoding, name = ("latin-1", "Latin-1") if undefined else ("cp1252", "Windows-1252")
    said = f"it is not UTF-8 and was read as {name}; first line with such a letter: {first[0]}"
    report.say("encoding", said, count=broken, rows=first)
    return Text(text.path, encoding)


def _said(report, text, name):
    report.say("encoding", f"it is {name} and was read as such")
    return text


def _wide(head):
    """UTF-16 without a mark: text of our alphabets has a zero in every other byte."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if half < 4 or max(even, odd) < 0.4 * half or min(even, odd) > 0.05 * half:
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


class Dialect:
    """How rows and cells are divided, and which lines are none."""

    def __init__(self, delimiter, quote='"', escape=None):
        self.delimiter, self.quote, self.escape = delimiter, quote, escape
        self.width, self.skipped, self.comment, self.header, self.years = 1, [], False, True, False
        self.first, self.sample = [], []

    def reader(self, lines):
        """The rows of an iterator of lines; what is not quoted properly is taken as it is."""
        csv.field_size_limit(CELL_BYTES_MAX)
        return csv.reader(lines, delimiter=self.delimiter, quotechar=self.quote, escapechar=self.escape,
                          doublequote=True)

    @property
    def plain(self):
        """Whether the engine reads the file with these settings as we do."""
        return not self.skipped and not self.comment and self.escape is None

    def options(self):
        """The engine's options."""
        quote = literal(self.quote)
        delimiter = literal(self.delimiter)
        return f"auto_detect = false, delim = {delimiter}, quote = {quote}, escape = {quote}, comment = ''"


def dialect_of(text, report, hint=None):
    """The dialect, from the first part of the file; rows of other parts are added to its sample."""
    head = head_of(text)
    rows_of = {}
    choices = []
    for place, delimiter in enumerate(DELIMITERS + RARE_DELIMITERS):
        if delimiter not in head:
            continue
        quote = _quote(head, delimiter)
        escape = "\\" if f"\\{quote}" in head else None
        dialect = Dialect(delimiter, quote, escape)
        rows = rows_of[delimiter] = _rows(dialect, head)
        width, share = _common_width(rows)
        rare = delimiter in RARE_DELIMITERS
        if width < 2 or (rare and share < 1):
            continue
        hinted = hint == "tsv" and delimiter == "\t"
        likely = round(share, 2) - (0.5 if rare else 0)
        choices.append((likely, hinted, width, -place, dialect))
    if choices:
        dialect = max(choices, key=lambda choice: choice[:4])[4]
        rows = rows_of[dialect.delimiter]
        dialect.width = _common_width(rows)[0]
    else:
        dialect = _by_header(head, rows_of) or Dialect(",")
        rows = rows_of.get(dialect.delimiter) or _rows(dialect, head)
        dialect.width = len(rows[0][1]) if rows else 1
    _find_header(dialect, rows)
    _sample_further(dialect, text)
    _judge_header(dialect)
    _say_dialect(dialect, report)
    return dialect


def head_of(text):
    """The first part of the text, up to a whole line."""
    with text.open() as file:
        try:
            head = file.read(HEAD_BYTES)
        except UnicodeDecodeError:
            head = ""
        if not head:
            with io.open(text.path, encoding="latin-1", newline="") as plain:
                head = plain.read(HEAD_BYTES).removeprefix("ï»¿")
    if len(head) >= HEAD_BYTES:
        # The last line is cut; one that is longer than all of this is taken as far as it goes.
        head = head[: head.rfind("\n") + 1] or head
    return head


def _quote(head, delimiter):
    """The quote: double, unless cells are put in single ones and no double one is there."""
    if '"' in head:
        return '"'
    mark = re.escape(delimiter)
    return "'" if len(re.findall(rf"(?:^|{mark})'[^'\n]*'(?={mark}|\r?\n|$)", head, re.M)) >= 4 else '"'


def _rows(dialect, text, limit=HEAD_ROWS):
    """The first rows with the line each begins on; blank lines are left out."""
    rows, line = [], 1
    reader = dialect.reader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            if any(cell.strip() for cell in row) or len(row) > 1:
                rows.append((line, row))
            line = reader.line_num + 1
            if len(rows) >= limit:
                break
    except csv.Error:
        pass  # A field beyond the bound; the pass over the whole file names it.
    return rows


def _common_width(rows):
    """The most frequent width and the share of rows that have it; of equally frequent ones the greater."""
    counts = {}
    for _, row in rows:
        counts[len(row)] = counts.get(len(row), 0) + 1
    if not counts:
        return 0, 0.0
    width = max(counts, key=lambda width: (counts[width], width))
    return width, counts[width] / len(rows)


def _by_header(head, rows_of):
    """Where no delimiter divides most rows alike: the one that divides the first line."""
    first = next((line for line in head.splitlines() if line.strip()), "")
    delimiter = max(DELIMITERS, key=first.count)
    return Dialect(delimiter) if delimiter in first and delimiter in rows_of else None


def _find_header(dialect, rows):
    """Sets the first row, the title lines above it and whether there are comment lines."""
    width = dialect.width
    if width > 1 and any(row[0].startswith("#") and len(row) != width for _, row in rows):
        dialect.comment = True
        rows = [(line, row) for line, row in rows if not (row[0].startswith("#") and len(row) != width)]
    start = title_rows([row for _, row in rows[: TITLE_ROWS_MAX + 1]], width)
    dialect.skipped = [line for line, _ in rows[:start]]
    dialect.first = rows[start][1] if len(rows) > start else [""]
    dialect.width = max(len(dialect.first), 1)
    dialect.sample = [row for _, row in rows[start + 1 :] if len(row) == dialect.width]


def title_rows(rows, width):
    """How many rows stand above the header: those with a cell or two where the header fills its columns."""
    if width < 2:
        return 0
    filled = [sum(1 for cell in row if cell not in ("", None) and str(cell).strip()) for row in rows]
    for start, (row, count) in enumerate(zip(rows, filled)):
        title = count <= max(1, width // 3) and (len(row) != width or width > 2)
        if not title:
            # A header with nothing below is none: then the first row is taken at its word.
            return start if start + 1 < len(rows) else 0
    return 0


def _sample_further(dialect, text):
    """Rows from the middle and the end, so that what only begins late is seen early; only for choosing the way."""
    size = os.path.getsize(text.path)
    if not text.plain or size < 4 * HEAD_BYTES:
        return
    with io.open(text.path, "rb") as file:
        for place in (1, 2, 3, 4):
            file.seek(min(size * place // 4, size - WINDOW_BYTES))
            lines = file.read(WINDOW_BYTES).decode("utf-8", "replace").splitlines()[1:-1]
            try:
                dialect.sample += [row for row in dialect.reader(lines) if len(row) == dialect.width]
            except csv.Error:
                pass


def _judge_header(dialect):
    """Whether the first row names the columns: no numbers in it, words above columns of numbers, or years in order."""
    first = [cell.strip() for cell in dialect.first]
    numbers = [cell for cell in first if _NUMBER_OR_DATE.fullmatch(cell)]
    if not numbers and any(first):
        return
    years = [int(cell) for cell in numbers if _YEAR.fullmatch(cell)]
    if len(years) == len(numbers) > 1 and len(numbers) < len(first):
        steps = {later - earlier for earlier, later in zip(years, years[1:])}
        if len(steps) == 1 and steps.pop() != 0:
            dialect.years = True
            return
    columns = list(zip(*dialect.sample[:200])) or [()] * len(first)
    contrast = any(
        cell and not _NUMBER_OR_DATE.fullmatch(cell) and _all_numbers(column) for cell, column in zip(first, columns)
    )
    if not contrast:
        dialect.header = False
        dialect.sample.insert(0, dialect.first)


def _all_numbers(column):
    cells = [cell.strip() for cell in column if cell.strip()]
    return bool(cells) and any(all(kind.shape.fullmatch(cell) for cell in cells) for kind in KINDS)


def _say_dialect(dialect, report):
    if dialect.width > 1 and dialect.delimiter not in DELIMITERS:
        name = DELIMITER_NAMES.get(dialect.delimiter, f"`{dialect.delimiter}`")
        report.say("delimiter", f"values are separated by {name}")
    if dialect.quote != '"' and dialect.width > 1:
        report.say("delimiter", f"values are quoted with `{dialect.quote}`")
    if dialect.skipped:
        text = f"{plural(len(dialect.skipped), 'line')} above the header skipped: line {_listed(dialect.skipped)}"
        report.say("lines_skipped", text, count=len(dialect.skipped), rows=dialect.skipped)
    if not dialect.header:
        report.say("no_header", "the first line looks like data; columns are named column_1, column_2, …")
    elif dialect.years:
        report.say("header_changed", "the first line holds years in order and was taken for the header")


def _listed(lines):
    return ", ".join(map(str, lines[:5])) + (", …" if len(lines) > 5 else "")
