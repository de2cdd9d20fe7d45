"""Cells of a workbook that hold an error such as `#N/A`, which the reader gives as empty ones.

One idea: only the sheet's own XML tells an error from nothing, so it is looked through for cells of that type and for
nothing else. Workbooks of other kinds than .xlsx and .xlsm do not say so where it could be found.
"""

import re
import zipfile
from xml.etree import ElementTree

from ingest_report import ROWS_SHOWN

READ_BYTES = 1 << 20
INDEX_BYTES_MAX = 16 << 20
# No tag of a cell is longer.
TAG_BYTES_MAX = 1 << 10
_CELL = re.compile(rb"""<(?:\w+:)?c\s[^<>]*?\bt=["']e["'][^<>]*>""")
_ROW = re.compile(rb"""\br=["'][A-Z]+([0-9]+)["']""")


def errors_in(path, sheet):
    """How many cells of the sheet hold an error, and the rows of the first of them."""
    if not zipfile.is_zipfile(path):
        return 0, []
    try:
        with zipfile.ZipFile(path) as archive:
            member = _member(archive, sheet)
            return _count(archive, member) if member else (0, [])
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError, OSError, ValueError):
        # The reader has read the workbook; it only lies in another way than workbooks do.
        return 0, []


def _member(archive, sheet):
    """The part of the archive that holds the sheet of this name."""
    if "xl/workbook.xml" not in archive.namelist():
        return None
    sheets = _elements(archive, "xl/workbook.xml", "sheet")
    wanted = next((one for one in sheets if one.get("name") == sheet), {})
    key = next((value for name, value in wanted.items() if name.endswith("}id")), None)
    links = _elements(archive, "xl/_rels/workbook.xml.rels", "Relationship")
    target = next((link.get("Target") for link in links if link.get("Id") == key), None)
    if target is None:
        return None
    return target[1:] if target.startswith("/") else f"xl/{target}"


def _elements(archive, member, name):
    if archive.getinfo(member).file_size > INDEX_BYTES_MAX:
        return []
    root = ElementTree.fromstring(archive.read(member))
    return [element.attrib for element in root.iter() if element.tag.rpartition("}")[2] == name]


def _count(archive, member):
    count, rows, kept = 0, [], b""
    with archive.open(member) as file:
        while chunk := file.read(READ_BYTES):
            chunk = kept + chunk
            # A tag that is cut is looked at with the next part.
            cut = chunk.rfind(b"<")
            kept = chunk[cut:][:TAG_BYTES_MAX] if cut > chunk.rfind(b">") else b""
            for found in _CELL.finditer(chunk):
                count += 1
                place = _ROW.search(found.group()) if len(rows) < ROWS_SHOWN else None
                rows += [int(place.group(1))] if place else []
    return count, rows
