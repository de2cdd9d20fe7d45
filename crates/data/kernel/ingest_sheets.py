"""Workbooks (.xlsx, .xlsm, .xls, .xlsb, .ods) into tables, one for each sheet that holds data.

One idea: a sheet is a picture of a table. Title rows above it, empty rows and columns in it, merged cells and hidden
sheets are normal, so the header is looked for, and what was passed over is said by the sheet's own row numbers.
"""

import datetime
import itertools
import os
import zipfile

from ingest_blank import APART_MAX
from ingest_pack import RATIO_BYTES_MIN, RATIO_MAX
from ingest_report import check_width, column_names, plural, progress, say_names
from ingest_sheet_errors import errors_in
from ingest_stage import Rows
from ingest_text import TITLE_ROWS_MAX, title_rows

UNPACKED_BYTES_MAX = 2 << 30
EXACT_INT_MAX = 2**53
_MIDNIGHT = datetime.time()


def is_workbook(names):
    """Whether a zip with these members is a workbook."""
    return any(name in ("xl/workbook.xml", "xl/workbook.bin") for name in names) or (
        "content.xml" in names and "mimetype" in names
    )


def parts(stage, path, report):
    """The sheets that hold data, each with its loader."""
    import python_calamine

    _check_size(path, report)
    progress(f"opening {report.label}")
    try:
        book = python_calamine.CalamineWorkbook.from_path(path)
        sheets, left = [], []
        for described in book.sheets_metadata:
            visible = described.visible == python_calamine.SheetVisibleEnum.Visible
            ordinary = described.typ == python_calamine.SheetTypeEnum.WorkSheet
            sheet = book.get_sheet_by_name(described.name) if visible and ordinary else None
            if sheet is not None and sheet.height and _has_data(sheet):
                sheets.append((described.name, sheet))
            else:
                left.append(described.name)
    except python_calamine.PasswordError as error:
        raise report.refuse("is protected by a password", "save it without a password") from error
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise report.refuse(f"cannot be read as a workbook: {error}", "save it anew, or as CSV") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise report.refuse("cannot be read as a workbook: it is damaged", "save it anew, or as CSV") from error
    if not sheets:
        raise report.refuse("has no sheet with data", "give a workbook with at least one filled sheet")
    # A word beside tables is a note; alone it is what there is.
    notes = [name for name, sheet in sheets if _is_note(sheet)]
    if len(notes) < len(sheets):
        sheets, left = [entry for entry in sheets if entry[0] not in notes], left + notes
    if left:
        shown = ", ".join(f"`{name[:80]}`" for name in left[:10]) + (", …" if len(left) > 10 else "")
        text = f"{plural(len(left), 'sheet')} without data, hidden or not a worksheet, skipped: {shown}"
        report.say("members_skipped", text, count=len(left))

    def loader(name, sheet):
        return lambda table, declared: _load(stage, path, name, sheet, table, declared, report)

    return [(name, loader(name, sheet)) for name, sheet in sheets]


def _check_size(path, report):
    """A workbook may be a zip; a bomb is refused before it is opened."""
    if not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise report.refuse(f"cannot be read as a workbook: {error}", "save it anew, or as CSV") from error
    packed = max(os.path.getsize(path), 1)
    if unpacked > UNPACKED_BYTES_MAX or (unpacked > RATIO_BYTES_MIN and unpacked > RATIO_MAX * packed):
        raise report.refuse("unpacks to far more than its size", "save it anew, or as CSV")


def _has_data(sheet):
    return any(any(not _blank(cell) for cell in row) for row in sheet.iter_rows())


def _is_note(sheet):
    """Whether a sheet holds one cell and nothing else."""
    filled = (cell for row in sheet.iter_rows() for cell in row if not _blank(cell))
    return len(list(itertools.islice(filled, 2))) == 1


def _load(stage, path, name, sheet, table, declared, report):
    progress(f"reading {report.label}, sheet {name}")
    columns, head = _used(sheet)
    check_width(report, len(columns))
    first = next((place for place, row in enumerate(head) if any(not _blank(cell) for cell in row)), 0)
    picked = [[row[at] for at in columns] for row in head[first:]]
    skipped = first + title_rows(picked, len(columns)) if len(columns) > 1 else first
    titles = [place + 1 for place in range(skipped) if any(not _blank(cell) for cell in head[place])]
    if titles:
        text = f"{plural(len(titles), 'row')} above the header skipped: row {_listed(titles)}"
        _say(report, name, "lines_skipped", text, len(titles), titles)
    header = [head[skipped][at] for at in columns]
    named = _names_columns(header)
    cells = [_spelled(cell) for cell in header] if named else [""] * len(columns)
    headers = column_names(cells)
    rows, empty, apart = Rows(stage, report), [], 0
    for place in range(len(columns)):
        rows.column(place)
    for place, row in enumerate(sheet.iter_rows()):
        if place < skipped + named:
            continue
        values = [_value(row[at]) for at in columns]
        if any(value is not None for value in values):
            rows.add(values)
            apart += bool(empty)
        else:
            empty.append(place + 1)
            apart = 0
    stage.apart = apart if apart <= APART_MAX else 0
    if not named:
        _say(report, name, "no_header", "the first row looks like data; columns are named column_1, column_2, …")
    else:
        say_names(report, cells, headers)
    if empty:
        text = f"{plural(len(empty), 'empty row')} skipped: row {_listed(empty)}"
        _say(report, name, "lines_skipped", text, len(empty), empty)
    _say_merged(report, name, sheet, skipped)
    errors, places = errors_in(path, name)
    if errors:
        text = f"{plural(errors, 'cell')} with an error such as #N/A, read as empty: row {_listed(places)}"
        _say(report, name, "error_cells", text, errors, places)
    return rows.settle(table, declared, headers=headers)[1]


def _used(sheet):
    """The columns that hold anything, and the first rows."""
    used, head = set(), []
    for row in sheet.iter_rows():
        if len(head) <= TITLE_ROWS_MAX:
            head.append(row)
        used.update(at for at, cell in enumerate(row) if at not in used and not _blank(cell))
    return sorted(used), head


def _names_columns(header):
    """Whether a row names columns: its filled cells are texts, or texts and years."""
    filled = [cell for cell in header if not _blank(cell)]
    texts = sum(isinstance(cell, str) for cell in filled)
    numbers = [cell for cell in filled if isinstance(cell, (int, float)) and not isinstance(cell, bool)]
    years = sum(1800 <= cell <= 2199 for cell in numbers)
    return texts > 0 and texts + years == len(filled)


def _say_merged(report, name, sheet, header_row):
    merged = [area for area in (sheet.merged_cell_ranges or ()) if area[1][0] >= header_row]
    if merged:
        rows = sorted({start[0] + 1 for start, _ in merged})
        text = f"{plural(len(merged), 'merged area')}: only its first cell holds the value; row {_listed(rows)}"
        _say(report, name, "other", text, len(merged), rows)


def _say(report, name, code, text, count=None, rows=()):
    report.say(code, f"sheet `{name}`: {text}", count=count, rows=rows)


def _listed(rows):
    return ", ".join(map(str, rows[:5])) + (", …" if len(rows) > 5 else "")


def _blank(cell):
    return cell is None or cell == "" or (isinstance(cell, str) and not cell.strip())


def _spelled(cell):
    return "" if _blank(cell) else str(_value(cell))


def _value(cell):
    """A cell's value; a workbook holds every number as a float, and dates with a time of midnight."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < EXACT_INT_MAX:
        return int(cell)
    if isinstance(cell, datetime.datetime) and cell.time() == _MIDNIGHT:
        return cell.date()
    return None if _blank(cell) else cell
