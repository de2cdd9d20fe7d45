"""CSV files into one prepared DuckDB file, and what was measured of them.

One idea: never a silent guess. The engine's sniffer proposes delimiter, header and types over the whole file; declared
types win; a first pass reads every cell as text, so that broken rows and cells that do not fit stop the ingest by line
and column; what was decided for the user is said in `notes`. The same input gives the same answer.
"""

import codecs
import csv as csv_text
import io
import os
import re

import _duckdb
from cells import type_name
from profiling import fold, profile, relations
from sql import quoted

READ_BYTES = 1 << 20
LINE_BYTES_MAX = 8 << 20
REJECTS_MAX = 1_000
DECIMAL_DIGITS = 18
DELIMITERS = ",;\t|"
VALUES_MAX = 10_000

_ENGINE_TYPES = {
    "bool": "BOOLEAN", "int": "BIGINT", "float": "DOUBLE", "text": "VARCHAR", "date": "DATE", "time": "TIME",
    "timestamp": "TIMESTAMP", "json": "JSON",
}
# The engine rounds '1.5' to an int and cuts a time off a date; a cell has to look like its type before it is cast.
_SHAPES = {
    "int": r"\s*[+-]?[0-9]+\s*",
    "decimal": r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*",
    "date": r"\s*[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}\s*",
}
_REJECTS = {
    "MISSING COLUMNS": "too few values",
    "TOO MANY COLUMNS": "too many values",
    "UNQUOTED VALUE": "a quote that is not closed or not at the end of its value",
    "LINE SIZE OVER MAXIMUM": "more bytes than a line may have",
    "INVALID ENCODING": "bytes that are not UTF-8",
}
# Words that people write where a number or a date is missing.
_EMPTY_WORDS = ("null", "none", "na", "n/a", "#n/a", "nan", "-", "--", "?")
_NUMBER_OR_DATE = re.compile(r"\s*([+-]?[\d.,]+(e[+-]?\d+)?%?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|true|false)\s*", re.I)


class InputError(ValueError):
    """A file that cannot be read as a table: what is wrong, and apart from it what to do."""

    def __init__(self, message, hint=None):
        super().__init__(message)
        self.message, self.hint = message, hint


def read(arguments):
    """Reads the files into tables of the new file `out` and answers with their profile."""
    if os.path.exists(arguments["out"]):
        raise InputError(f"`{arguments['out']}` is already there", "ingest writes a new file only")
    settings = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    engine = _duckdb.connect(arguments["out"], config=settings)
    try:
        engine.execute("SET TimeZone='UTC'; SET python_enable_replacements=false")
        notes = []
        declared = arguments.get("types") or {}
        for file in arguments["files"]:
            label = file.get("label") or os.path.basename(file["path"])
            notes += _load(engine, file["table"], file["path"], label, declared.get(file["table"]) or {})
        names = [file["table"] for file in arguments["files"]]
        tables = [profile(engine, name, arguments.get("values_max", VALUES_MAX)) for name in names]
        links = relations(engine, tables)
        engine.execute("CHECKPOINT")
    finally:
        engine.close()
    remarks = [{"file": None, "table": None, "column": None, "code": "other", "message": note} for note in notes]
    return {"tables": tables, "relations": links, "remarks": remarks}


def _load(engine, table, path, label, declared):
    if any(letter in path for letter in "*?["):
        raise InputError(f"`{label}`: the reader would take the name for a pattern", "rename the file without * ? [")
    _check_bytes(path, label)
    file = _File(engine, path, label)
    types = file.declared_types(declared)
    file.read_empty_words(types)
    file.check_rows(types)
    columns = ", ".join(
        f"{_value(file.cell(name), sniffed, types.get(name), file.scales.get(name), file.dialect)} AS {quoted(name)}"
        for name, sniffed in file.columns
    )
    try:
        engine.execute(f"CREATE TABLE {quoted(table)} AS SELECT {columns} FROM {file.text_source()}")
    except _duckdb.Error as error:
        raise InputError(f"`{label}` cannot be read: {_first_line(error)}") from error
    if engine.execute(f"SELECT count(*) FROM {quoted(table)}").fetchall()[0][0] == 0:
        file.notes.append(f"`{label}` has a header and no rows")
    return file.notes


def _check_bytes(path, label):
    """What no CSV may contain, found before the engine guesses: nothing at all, NUL bytes, other encodings."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines, blank = 1, True
    with io.open(path, "rb") as file:
        while chunk := file.read(READ_BYTES):
            if chunk.startswith((b"\xff\xfe", b"\xfe\xff")) and lines == 1 and blank:
                raise InputError(f"`{label}` is UTF-16", "save it as UTF-8")
            if b"\0" in chunk:
                raise InputError(f"`{label}` is not text: it contains NUL bytes", "give a CSV file in UTF-8")
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError as error:
                line = lines + error.object[: error.start].count(b"\n")
                raise InputError(f"`{label}` is not UTF-8: line {line}", "save it as UTF-8") from error
            blank = blank and not text.strip("\ufeff \t\r\n")
            lines += chunk.count(b"\n")
    if blank:
        raise InputError(f"`{label}` is empty", "give a file with a header line and rows")


class _File:
    """How one file is read: its dialect, its columns with the sniffed types, and what the user should know."""

    def __init__(self, engine, path, label):
        self.engine, self.path, self.label, self.notes, self.scales = engine, path, label, [], {}
        self.with_empty_words = set()
        found = self._sniff()
        if found["SkipRows"] and not self._rows_after(found):
            # It skipped every line but the last to make rows of one length: take the first line at its word instead.
            found |= {"SkipRows": 0, "Columns": [{"name": "", "type": "VARCHAR"}], "HasHeader": True}
        first = self._cells(found)
        if len(found["Columns"]) == 1:
            delimiter = max(DELIMITERS, key=first[0].count)
            if delimiter in first[0]:
                # The sniffer falls back to one column when rows differ in length: read what the header says, and let
                # the rows that differ be named.
                found["Delimiter"] = delimiter
                first = self._cells(found)
                found["Columns"] = [{"name": cell, "type": "VARCHAR"} for cell in first]
        self.dialect = found
        self.header = found["HasHeader"] or not any(not cell or _NUMBER_OR_DATE.fullmatch(cell) for cell in first)
        names = _names(first if self.header else [""] * len(first))
        sniffed = [column["type"] for column in found["Columns"]]
        self.columns = list(zip(names, sniffed + ["VARCHAR"] * (len(names) - len(sniffed))))
        self._explain(first)

    def declared_types(self, declared):
        """The declared contract type per column of this file."""
        by_fold = {fold(name): name for name, _ in self.columns}
        types = {}
        for column, kind in declared.items():
            name = by_fold.get(fold(column))
            if name is None:
                raise InputError(f"`{self.label}` has no column `{column}`", f"it has: {', '.join(by_fold.values())}")
            if kind != "decimal" and kind not in _ENGINE_TYPES:
                raise InputError(f"column `{column}` of `{self.label}` is declared as `{kind}`, which is no type")
            types[name] = kind
        return types

    def cell(self, name):
        """The expression of a text cell, where a word for "missing" is none."""
        if name not in self.with_empty_words:
            return quoted(name)
        return f"CASE WHEN {_is_empty_word(quoted(name))} THEN NULL ELSE {quoted(name)} END"

    def read_empty_words(self, types):
        """A text column whose every other cell is a number or a date holds words for "missing": those become empty.

        A column of text stays as it is: there `NA` may well be a country.
        """
        unsure = [name for name, sniffed in self.columns if sniffed == "VARCHAR" and name not in types]
        if not unsure:
            return
        # A date is found here by its ISO form, which is only read so where the file has no other form of dates.
        iso = self.dialect["DateFormat"] in (None, "", "%Y-%m-%d")
        kinds = [("int", "BIGINT"), ("float", "DOUBLE"), *([("date", "DATE")] if iso else [])]
        wanted = []
        for name in unsure:
            cell, empty = quoted(name), _is_empty_word(quoted(name))
            fits = [f"count_if(NOT {empty} AND ({_fits(cell, None, kind, None, self.dialect)}))" for kind, _ in kinds]
            wanted += [f"count_if({empty})", f"count_if(NOT {empty})", *fits]
        try:
            counts = self.engine.execute(f"SELECT {', '.join(wanted)} FROM {self.text_source()}").fetchall()[0]
        except _duckdb.Error:
            return  # broken lines are named by the check that follows.
        kind_of, width = {}, 2 + len(kinds)
        for position, name in enumerate(unsure):
            words, cells, *fitting = counts[position * width : (position + 1) * width]
            kind = next((engine_type for (_, engine_type), fits in zip(kinds, fitting) if fits == cells), None)
            if words and cells and kind:
                kind_of[name] = kind
                self.with_empty_words.add(name)
                self.notes.append(f"`{self.label}`: cells of `{name}` that only say nothing is there, read as empty: {words}")
        self.columns = [(name, kind_of.get(name, sniffed)) for name, sniffed in self.columns]

    def check_rows(self, types):
        """Reads every cell as text: broken lines and cells that are not of their type stop here, by line and column."""
        self._measure([name for name, kind in types.items() if kind == "decimal"])
        checks = []
        for name, sniffed in self.columns:
            kind, cell = types.get(name), self.cell(name)
            fits = _fits(cell, sniffed, kind, self.scales.get(name), self.dialect)
            if fits:
                checks.append((name, kind or type_name(sniffed), f"{cell} IS NOT NULL AND NOT coalesce({fits}, false)"))
        if not checks:
            return
        wrong = ", ".join(f"count_if({wrong})" for _, _, wrong in checks)
        counts = self.engine.execute(f"SELECT {wrong} FROM {self.text_source()}").fetchall()[0]
        for (name, wanted, wrong), count in zip(checks, counts):
            if count:
                self._refuse_cell(name, wanted, wrong, count)

    def _measure(self, decimals):
        """One pass that parses every cell: finds broken lines, and the fractional digits of decimals."""
        digits = [f"coalesce(max(length(regexp_extract({quoted(name)}, '\\.([0-9]+)', 1))), 0)" for name in decimals]
        wanted = ", ".join(digits + [f"count({quoted(name)})" for name, _ in self.columns])
        try:
            counts = self.engine.execute(f"SELECT {wanted} FROM {self.text_source(rejects=True)}").fetchall()
        except _duckdb.Error as error:
            raise InputError(f"`{self.label}` cannot be read: {_first_line(error)}") from error
        self.scales = {name: min(scale, DECIMAL_DIGITS) for name, scale in zip(decimals, counts[0])}
        broken = self.engine.execute(
            "SELECT error_type, count(DISTINCT line), min(line) FROM reject_errors GROUP BY ALL ORDER BY 3, 1"
        ).fetchall()
        self.engine.execute("DROP TABLE reject_errors; DROP TABLE reject_scans")
        if broken:
            kind, rows, line = broken[0]
            others = f"; {rows} lines have" if rows > 1 else ""
            raise InputError(
                f"line {line} of `{self.label}` has {_REJECTS.get(kind, kind.lower())}{others}",
                f"give each row as many values as the first line has ({len(self.columns)})",
            )

    def _refuse_cell(self, name, wanted, wrong, count):
        numbered = f"SELECT row_number() OVER () AS row, {quoted(name)} FROM {self.text_source()}"
        row, cell = self.engine.execute(
            f"SELECT row, {quoted(name)} FROM ({numbered}) AS cells WHERE {wrong} ORDER BY row LIMIT 1"
        ).fetchall()[0]
        others = f"; {count} cells of the column are not" if count > 1 else ""
        raise InputError(
            f"row {row} of `{self.label}`, column `{name}`: `{cell[:80]}` is not a value of type {wanted}{others}",
            "correct the cell or declare the column as text",
        )

    def text_source(self, rejects=False):
        """The file as a table function that gives every cell as text."""
        dialect = self.dialect
        columns = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name, _ in self.columns)
        options = [
            f"columns = {{{columns}}}",
            "auto_detect = false",
            f"delim = {_literal(dialect['Delimiter'])}",
            f"quote = {_literal(dialect['Quote'] or chr(34))}",
            f"escape = {_literal(dialect['Escape'] or dialect['Quote'] or chr(34))}",
            f"comment = {_literal(dialect['Comment'])}",
            f"skip = {dialect['SkipRows']}",
            f"header = {str(self.header).lower()}",
            f"max_line_size = {LINE_BYTES_MAX}",
        ]
        if rejects:
            options += ["store_rejects = true", f"rejects_limit = {REJECTS_MAX}"]
        return f"read_csv({_literal(self.path)}, {', '.join(options)})"

    def _sniff(self):
        fields = "Delimiter, Quote, Escape, Comment, SkipRows, HasHeader, Columns, DateFormat, TimestampFormat"
        try:
            result = self.engine.execute(f"SELECT {fields} FROM sniff_csv({_literal(self.path)}, sample_size = -1)")
        except _duckdb.Error as error:
            raise InputError(
                f"`{self.label}` is not a table the CSV reader understands: {_first_line(error)}",
                "give a file with a header line, one delimiter and as many values in each row",
            ) from error
        found = dict(zip((name for name, *_ in result.description), result.fetchall()[0]))
        for field in ("Quote", "Escape", "Comment"):
            found[field] = "" if found[field] == "(empty)" else found[field]
        return found

    def _reader(self, file, found):
        for _ in range(found["SkipRows"]):
            file.readline()
        csv_text.field_size_limit(LINE_BYTES_MAX)
        return csv_text.reader(file, delimiter=found["Delimiter"], quotechar=found["Quote"] or '"')

    def _cells(self, found):
        """The first record, which is the header if there is one."""
        with io.open(self.path, encoding="utf-8-sig", newline="") as file:
            try:
                return next((row for row in self._reader(file, found) if row), [""])
            except csv_text.Error as error:
                raise InputError(f"the first line of `{self.label}` cannot be read: {error}") from error

    def _rows_after(self, found):
        """Whether anything follows the header when the sniffer's lines are skipped."""
        with io.open(self.path, encoding="utf-8-sig", newline="") as file:
            reader = self._reader(file, found)
            return sum(1 for row, _ in zip((row for row in reader if row), range(2)) if row) > 1

    def _explain(self, first):
        label, dialect = self.label, self.dialect
        if dialect["SkipRows"]:
            self.notes.append(f"`{label}`: lines skipped before the header: {dialect['SkipRows']}")
        if dialect["Comment"]:
            self.notes.append(f"`{label}`: lines that start with `{dialect['Comment']}` were skipped as comments")
        if not self.header:
            self.notes.append(f"`{label}`: the first line looks like data; columns are named column_1, column_2, …")
        else:
            changed = [f"`{old}` -> `{new}`" for old, (new, _) in zip(first, self.columns) if old.strip() != new]
            if changed:
                self.notes.append(f"`{label}`: empty or repeated column names were changed: {', '.join(changed)}")
        for kind, form in (("DATE", dialect["DateFormat"]), ("TIMESTAMP", dialect["TimestampFormat"])):
            named = [name for name, sniffed in self.columns if sniffed.startswith(kind)]
            if named and form and not form.startswith(("%Y-%m-%d", "%Y/%m/%d")):
                self.notes.append(f"`{label}`: {', '.join(f'`{name}`' for name in named)} read as {form}")
        zoned = [name for name, sniffed in self.columns if sniffed == "TIMESTAMP WITH TIME ZONE"]
        if zoned:
            self.notes.append(f"`{label}`: {', '.join(f'`{name}`' for name in zoned)} converted to UTC")


def _value(cell, sniffed, kind, scale, dialect):
    """The expression that turns a text cell into the column's value."""
    if kind is None:
        return _sniffed(cell, sniffed, dialect, "CAST", "strptime")
    return cell if kind == "text" else f"CAST(trim({cell}) AS {_engine_type(kind, scale)})"


def _engine_type(kind, scale):
    return f"DECIMAL({DECIMAL_DIGITS},{scale})" if kind == "decimal" else _ENGINE_TYPES[kind]


def _sniffed(cell, sniffed, dialect, cast, parse):
    if sniffed == "VARCHAR":
        return cell
    if sniffed == "DATE" and dialect["DateFormat"]:
        return f"{cast}({parse}({cell}, {_literal(dialect['DateFormat'])}) AS DATE)"
    if sniffed == "TIMESTAMP" and dialect["TimestampFormat"]:
        return f"{parse}({cell}, {_literal(dialect['TimestampFormat'])})"
    if sniffed == "TIMESTAMP WITH TIME ZONE":
        return f"timezone('UTC', {cast}({cell} AS TIMESTAMPTZ))"
    return f"{cast}({cell} AS {sniffed})"


def _fits(cell, sniffed, kind, scale, dialect):
    """The condition under which a text cell is a value of its type; None where any text is."""
    if kind == "text" or (kind is None and sniffed == "VARCHAR"):
        return None
    if kind is None:
        return f"({_sniffed(cell, sniffed, dialect, 'TRY_CAST', 'try_strptime')}) IS NOT NULL"
    like = f"regexp_full_match({cell}, {_literal(_SHAPES[kind])}) AND " if kind in _SHAPES else ""
    return f"{like}TRY_CAST(trim({cell}) AS {_engine_type(kind, scale)}) IS NOT NULL"


def _names(cells):
    """Column names: an empty one by its position, a repeated one with a number; case does not tell two apart."""
    names, used = [], set()
    for position, cell in enumerate(cells, 1):
        wanted = cell.strip() or f"column_{position}"
        name, number = wanted, 1
        while name.casefold() in used:
            number += 1
            name = f"{wanted}_{number}"
        used.add(name.casefold())
        names.append(name)
    return names


def _is_empty_word(cell):
    return f"coalesce(lower(trim({cell})) IN ({', '.join(map(_literal, _EMPTY_WORDS))}), false)"


def _literal(text):
    return "'" + text.replace("'", "''") + "'"


def _first_line(error):
    return str(error).strip().splitlines()[0]
