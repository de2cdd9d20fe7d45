"""Types of columns that were read as text, decided over every cell.

One idea: a sample only proposes; a kind is taken when each filled cell of the whole column fits it, apart from words
for "missing". Whatever falls short of that stays text, and a column that nearly fits is said with its first rows. In
a text column such words are `ingest_absent`'s to judge: there `NA` may well be a country.
"""

from ingest_forms import DECIMAL_DIGITS, decimal_type, forms_of, unit_beside
from ingest_kinds import (
    BEYOND_MICROSECONDS, BY_NAME, DATE_KINDS, DIGITS, FORM_OF, KINDS, OTHER_ORDER, declared_kind, is_type,
)
from ingest_report import EMPTY_WORDS, ROWS_SHOWN, InputError, literal, plural
from profiling import fold
from sql import quoted

SAMPLE_ROWS = 2_000
SAMPLE_CELLS = 1_000_000
WINDOWS = 8
CANDIDATE_SHARE = 0.2
NEARLY = 0.9
COLUMNS_AT_ONCE = 100
CELL_SHOWN = 60


class Column:
    """A column of a staged table: its name, what it may become, and what it became."""

    def __init__(self, name, allowed="any", fixed=None):
        # `allowed` is any, dates or text; `fixed` an expression's type where the values were typed already.
        self.name, self.allowed, self.fixed = name, allowed, fixed
        self.kind = self.form = self.unit = None
        self.with_words = False
        self.decimal = None

    @property
    def cell(self):
        """The trimmed cell in SQL, null where it is a word for "missing"."""
        trimmed = f"trim({quoted(self.name)})"
        return f"(CASE WHEN {is_empty_word(trimmed)} THEN NULL ELSE {trimmed} END)" if self.with_words else trimmed

    def value(self):
        """The expression of the value."""
        if self.fixed:
            return f"CAST({quoted(self.name)} AS {self.fixed})"
        if self.form:
            return f"TRY_CAST({self.form.text(self.cell)} AS {self.decimal})"
        if self.kind is None or self.kind.type == "text":
            return quoted(self.name)
        return self.kind.value(self.cell)


def is_empty_word(cell):
    """The condition that a trimmed cell only says that nothing is there."""
    return f"coalesce(lower({cell}) IN ({', '.join(map(literal, EMPTY_WORDS))}), false)"


def settle(engine, source, table, columns, declared, report):
    """Makes `table` of the staged text `source` with the types that every cell has; gives the units found."""
    typed = _declare(engine, source, columns, declared, report)
    decide(engine, source, [column for column in columns if column not in typed and not column.fixed], report)
    values = ", ".join(f"{column.value()} AS {quoted(column.name)}" for column in columns)
    engine.execute(f"CREATE TABLE {quoted(table)} AS SELECT {values} FROM {source}")
    return {column.name: column.unit for column in columns if column.unit}


def decide(engine, source, columns, report):
    """Sets the kind of each column, and says what the user should know."""
    order = {"day": 0, "month": 0}
    ambiguous = []
    columns = [column for column in columns if column.allowed != "text"]
    total = engine.execute(f"SELECT count(*) FROM {source}").fetchall()[0][0]
    # A table that is small enough is looked at whole and at once: each statement costs time for each of its columns.
    step = len(columns) if total * len(columns) <= SAMPLE_CELLS else COLUMNS_AT_ONCE
    for start in range(0, len(columns), step or 1):
        _decide_some(engine, source, columns[start : start + step], total, report, order, ambiguous)
    for column in ambiguous:
        # One file writes its dates in one way: a column that shows the order decides for those that do not.
        if order["month"] and not order["day"]:
            column.kind = BY_NAME[column.kind.name.replace("day", "month")]
        known = order["month"] or order["day"]
        shown = "" if known else f" (they could also be {FORM_OF[OTHER_ORDER[column.kind.name]]})"
        report.say("date_form", f"read as {FORM_OF[column.kind.name]}{shown}", column.name)


def _decide_some(engine, source, columns, total, report, order, ambiguous):
    samples, complete = sample(engine, source, columns, total)
    asked, said = [], report.mark()
    for column, cells in zip(columns, samples):
        if complete and _known(column, cells, report):
            continue
        cells = [cell for _, cell in cells]
        proposed, forms = candidates(cells, column.allowed, NEARLY if complete else CANDIDATE_SHARE)
        if proposed or forms:
            asked.append((column, cells, proposed, forms))
    _take(engine, source, asked, report, order, ambiguous)
    told = {remark["column"] for remark in report.remarks[said:]}
    for column, cells in zip(columns, samples):
        if not column.kind and not column.form and column.name not in told:
            _say_units(column, cells, complete, report)


def _take(engine, source, asked, report, order, ambiguous):
    """Sets the kinds that every cell of the asked columns has, and says of the others why they stay text."""
    counts = _counted(engine, source, asked)
    for column, cells, proposed, forms in asked:
        words, filled = next(counts), next(counts)
        by_kind = {kind.name: next(counts) for kind in proposed}
        by_form = [(form, next(counts), next(counts), next(counts), next(counts)) for form in forms]
        if not filled:
            continue
        taken = _take_kind(column, by_kind, filled, report, order, ambiguous)
        if taken or _take_form(column, cells, by_form, filled, report):
            if words:
                rows = [row for row, _ in _rows_where(engine, source, column, is_empty_word(column.cell))]
                _say_words(column, words, rows, report)
            _say_details(column, cells, report)
        else:
            _say_mixed(engine, source, column, cells, by_kind, by_form, filled, report)


def _counted(engine, source, asked):
    for start in range(0, len(asked), COLUMNS_AT_ONCE):
        counts = _counts(asked[start : start + COLUMNS_AT_ONCE])
        yield from engine.execute(f"SELECT {', '.join(counts)} FROM {source}").fetchall()[0]


def _counts(asked):
    """What is counted over all rows, in the order in which it is read."""
    wanted = []
    for column, _, proposed, forms in asked:
        cell = column.cell
        real = f"{cell} <> '' AND NOT {is_empty_word(cell)}"
        wanted += [f"count_if({is_empty_word(cell)})", f"count_if({real})"]
        wanted += [f"count_if({real} AND {kind.fits(cell)})" for kind in proposed]
        for form in forms:
            fits = f"{real} AND {form.fits(cell)}"
            wanted += [f"count_if({fits})", f"count_if({fits} AND {form.grouped(cell)})"]
            wanted += [f"max(CASE WHEN {fits} THEN {part} END)" for part in (form.whole(cell), form.scale(cell))]
    return wanted


def _known(column, cells, report):
    """Decides a column that was seen whole, where no cast of the engine is needed for it."""
    words = [row for row, cell in cells if cell.lower() in EMPTY_WORDS]
    real = [cell for _, cell in cells if cell.lower() not in EMPTY_WORDS]
    if not real:
        return True
    if column.allowed == "any":
        for name, holds in _CERTAIN.items():
            shape = BY_NAME[name].shape
            if all(shape.fullmatch(cell) for cell in real):
                if not all(holds(cell) for cell in real):
                    return False
                column.kind = BY_NAME[name]
                if words:
                    _say_words(column, len(words), words, report)
                return True
    proposed, forms = candidates(real, column.allowed, NEARLY)
    return not proposed and not forms and not any(DIGITS.fullmatch(cell) for cell in real)


_CERTAIN = {
    "bool": lambda cell: True,
    "int": lambda cell: -(2**63) <= int(cell) < 2**63,
    "float": lambda cell: abs(float(cell)) != float("inf"),
}


def sample(engine, source, columns, total):
    """Filled cells of each column with their row, trimmed, from several places; and whether these are all."""
    rows = max(50, min(SAMPLE_ROWS, SAMPLE_CELLS // len(columns)))
    names = ", ".join(quoted(column.name) for column in columns)
    width = rows // WINDOWS
    starts = [0] if total <= rows else [(total - width) * window // (WINDOWS - 1) for window in range(WINDOWS)]
    last = rows if total <= rows else width
    samples = [[] for _ in columns]
    for start in starts:
        where = "" if total <= rows else f" WHERE rowid BETWEEN {start} AND {start + last - 1}"
        # Numbers of rows have gaps where some were left out.
        found = engine.execute(f"SELECT rowid + 1, {names} FROM {source}{where}").fetchall()
        numbers, *found = zip(*found) if found else [()]
        for cells, column in zip(samples, found):
            cells += [(row, cell.strip(" ")) for row, cell in zip(numbers, column) if cell and not cell.isspace()]
    if total > rows:
        for column, cells in zip(columns, samples):
            if not cells:
                name = quoted(column.name)
                rest = engine.execute(f"SELECT rowid + 1, {name} FROM {source} WHERE {name} IS NOT NULL LIMIT {rows}")
                cells += [(row, cell.strip(" ")) for row, cell in rest.fetchall() if not cell.isspace()]
    return samples, total <= rows


def candidates(cells, allowed="any", share=CANDIDATE_SHARE):
    """The kinds that many cells of a sample look like, and where not all look like one, the forms of numbers."""
    real = [cell for cell in cells if cell.lower() not in EMPTY_WORDS]
    if not real:
        return [], []
    kinds = [BY_NAME[name] for name in DATE_KINDS] if allowed == "dates" else KINDS
    shares = [(kind, sum(kind.shape.fullmatch(cell) is not None for cell in real)) for kind in kinds]
    proposed = [kind for kind, count in shares if count >= share * len(real)]
    plain = max((count for kind, count in shares if kind.group in ("number", "date")), default=0)
    forms = forms_of(real) if allowed == "any" and plain < len(real) else []
    return proposed, forms


def _take_kind(column, by_kind, filled, report, order, ambiguous):
    name = next((name for name, count in by_kind.items() if count == filled), None)
    if name is None:
        return False
    column.kind = BY_NAME[name]
    other = OTHER_ORDER.get(name)
    if other and by_kind.get(other) == filled:
        ambiguous.append(column)
    elif other:
        order["day" if "day" in name else "month"] += 1
        report.say("date_form", f"read as {FORM_OF[name]}", column.name)
    elif name == "timestamp_zone":
        bare = by_kind.get("timestamp", 0)
        without = f"; {plural(bare, 'cell')} without a time zone read as UTC" if bare else ""
        report.say("time_zone", f"times were converted to UTC{without}", column.name, count=filled)
    return True


def _take_form(column, cells, by_form, filled, report):
    fitting = [entry for entry in by_form if entry[1] == filled]
    if not fitting:
        return False
    # Sorting keeps the order of styles among equals: the likelier is first.
    form, _, grouped, whole, scale = sorted(fitting, key=lambda entry: -entry[2])[0]
    decimal = decimal_type(whole or 0, scale or 0)
    if decimal is None:
        return False
    column.form, column.decimal, column.unit = form, decimal, form.unit
    twice = grouped == filled and any(
        entry[0].point != form.point and entry[0].groups == form.point and entry[0].point == form.groups
        for entry in fitting
    )
    unsure = f"; `{form.groups}` was taken for a thousands separator, it could also be a decimal point" if twice else ""
    changed = form.changed(grouped, scale, any(cell.startswith("(") for cell in cells))
    report.say("number_text", f"numbers were written for people; {changed}{unsure}", column.name, filled)
    return True


def _say_words(column, words, rows, report):
    column.with_words = True
    report.say("empty_words", f"cells that only say nothing is there, read as empty: {words}", column.name, words, rows)


def _say_details(column, cells, report):
    if column.kind and column.kind.type == "timestamp" and any(BEYOND_MICROSECONDS.search(cell) for cell in cells):
        report.say("date_form", "digits beyond microseconds were cut", column.name)


def _say_mixed(engine, source, column, cells, by_kind, by_form, filled, report):
    """Says of a column that is nearly of one kind why it stays text."""
    fits = [(count, BY_NAME[name].fits(column.cell), BY_NAME[name].group) for name, count in by_kind.items()]
    fits += [(entry[1], entry[0].fits(column.cell), "number") for entry in by_form]
    count, condition, group = max(fits, key=lambda entry: entry[0])
    missed, cell = filled - count, column.cell
    where = f"{cell} <> '' AND NOT {is_empty_word(cell)} AND NOT coalesce({condition}, false)"
    if group == "number" and any(DIGITS.fullmatch(cell) for cell in cells):
        long = f"NOT regexp_full_match({cell}, {literal(DIGITS.pattern)})"
        if not _rows_where(engine, source, column, f"{where} AND {long}"):
            rows = [row for row, _ in _rows_where(engine, source, column, where)]
            text = "stays text: it holds numbers with more digits than an int has"
            report.say("other", text, column.name, missed, rows)
            return
    if count < NEARLY * filled or count < 3 or group == "time":
        return
    found = _rows_where(engine, source, column, where)
    noun = {"number": "numbers", "date": "dates", "bool": "true or false"}[group]
    example = f", for example `{found[0][1][:CELL_SHOWN]}`" if found else ""
    text = f"stays text: {count} of {filled} cells are {noun}, {missed} {'is' if missed == 1 else 'are'} not{example}"
    report.say("mixed_types", text, column.name, missed, [row for row, _ in found])


def _say_units(column, cells, complete, report):
    """Says of a column whose cells are numbers with one unit beside them that it stays text."""
    real = [(row, cell) for row, cell in cells if cell.lower() not in EMPTY_WORDS]
    units = [unit_beside(cell) for _, cell in real]
    unit = max(set(units) - {None}, key=units.count, default=None)
    count = units.count(unit)
    if unit is None or count < 3 or count < NEARLY * len(real):
        return
    looked = "cells" if complete else "cells looked at"
    text = f"stays text: {count} of {len(real)} {looked} are numbers with `{unit}` beside them"
    others = [row for (row, _), found in zip(real, units) if found != unit]
    report.say("mixed_types", text, column.name, len(others), others)


def _rows_where(engine, source, column, condition):
    name = quoted(column.name)
    return engine.execute(
        f"SELECT rowid + 1, {name} FROM {source} WHERE {condition} ORDER BY rowid LIMIT {ROWS_SHOWN}"
    ).fetchall()


def declared_columns(columns, declared, report):
    """The declared contract type of each column that has one."""
    by_fold = {fold(column.name): column for column in columns}
    types = {}
    for name, type_name in declared.items():
        column = by_fold.get(fold(name))
        if column is None:
            known = ", ".join(column.name for column in columns[:ROWS_SHOWN])
            raise InputError(f"`{report.label}` has no column `{name}`", f"it has: {known}")
        if not is_type(type_name):
            text = f"column `{name}` of `{report.label}` is declared as `{type_name}`, which is no type"
            raise InputError(text, "declare bool, int, float, decimal, text, date, time, timestamp or json")
        types[column] = type_name
    return types


def _declare(engine, source, columns, declared, report):
    """Gives declared columns their type; a cell that does not fit stops the ingest by row and column."""
    types = declared_columns([column for column in columns], declared, report)
    for column, type_name in types.items():
        cell = column.cell
        scale, digits = 0, DECIMAL_DIGITS
        if column.fixed:
            column.fixed = None
            cell = f"CAST({quoted(column.name)} AS VARCHAR)"
        if type_name == "decimal":
            fraction = f"coalesce(max(length(regexp_extract({cell}, '\\.([0-9]+)', 1))), 0)"
            scale = min(engine.execute(f"SELECT {fraction} FROM {source}").fetchall()[0][0], DECIMAL_DIGITS)
        column.kind = declared_kind(type_name, scale, digits)
        if type_name == "text":
            continue
        wrong = f"{cell} <> '' AND NOT coalesce({column.kind.fits(cell)}, false)"
        count = engine.execute(f"SELECT count_if({wrong}) FROM {source}").fetchall()[0][0]
        if count and not _people_wrote(engine, source, column, type_name, report):
            raise _wrong_cell(engine, source, column, type_name, wrong, count, report)
    return types


def _people_wrote(engine, source, column, type_name, report):
    """A declared number may be written for people, or be missing in words."""
    if type_name not in ("decimal", "float", "int"):
        return False
    kind, column.kind = column.kind, None
    decide(engine, source, [column], report)
    if column.kind is not None and column.kind.group == "number" and column.with_words:
        column.kind = kind
        cell = column.cell
        wrong = f"{cell} <> '' AND NOT coalesce({kind.fits(cell)}, false)"
        return engine.execute(f"SELECT count_if({wrong}) FROM {source}").fetchall()[0][0] == 0
    if column.form is not None and type_name == "int":
        if not column.decimal.endswith(",0)"):
            return False
        column.decimal = "BIGINT"
    return column.form is not None


def _wrong_cell(engine, source, column, type_name, wrong, count, report):
    row, cell = _rows_where(engine, source, column, wrong)[0]
    others = f"; {count} cells of the column are not" if count > 1 else ""
    where = f"row {row} of `{report.label}`, column `{column.name}`"
    return InputError(
        f"{where}: `{str(cell)[:80]}` is not a value of type {type_name}{others}",
        "correct the cell or declare the column as text",
    )
