"""Makes the awkward files that no text editor can write: workbooks, Parquet, databases and packs.

Everything is left in `out/`; the values are those that the table of cases in `awkward.rs` expects.
"""

import datetime
import decimal
import gzip
import os
import sqlite3
import zipfile

import duckdb
import pyarrow
import pyarrow.parquet

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DATE, MOMENT, CLOCK = 1, 2, 3


def cell(place, value):
    """One cell; a pair is a style with a number, which is how a workbook holds dates."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, tuple):
        return f'<c r="{place}" s="{value[0]}"><v>{value[1]}</v></c>'
    if isinstance(value, str) and value.startswith("#"):
        return f'<c r="{place}" t="e"><v>{value}</v></c>'
    if isinstance(value, (int, float)):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'


def sheet(rows, merged):
    lines = "".join(
        f'<row r="{number}">' + "".join(cell(f"{chr(65 + at)}{number}", value) for at, value in enumerate(row)) + "</row>"
        for number, row in rows
    )
    areas = f'<mergeCells count="1"><mergeCell ref="{merged}"/></mergeCells>' if merged else ""
    return f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData>{areas}</worksheet>'


def workbook(path, sheets):
    """A workbook of (name, state, merged area, rows)."""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{at}" state="{state}" r:id="r{at}"/>'
        for at, (name, state, _, _) in enumerate(sheets, 1)
    )
    links = "".join(
        f'<Relationship Id="r{at}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{at}.xml"/>'
        for at in range(1, len(sheets) + 1)
    ) + f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/>'
    styles = "".join(f'<xf numFmtId="{number}"/>' for number in (0, 14, 22, 21))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("[Content_Types].xml", f'<Types xmlns="{PACKAGE}/content-types"/>')
        root = f'<Relationship Id="b" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
        file.writestr("_rels/.rels", f'<Relationships xmlns="{PACKAGE}/relationships">{root}</Relationships>')
        file.writestr("xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>')
        file.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{PACKAGE}/relationships">{links}</Relationships>')
        file.writestr("xl/styles.xml", f'<styleSheet xmlns="{MAIN}"><cellXfs count="4">{styles}</cellXfs></styleSheet>')
        for at, (_, _, merged, rows) in enumerate(sheets, 1):
            file.writestr(f"xl/worksheets/sheet{at}.xml", sheet(rows, merged))


def open_document(path, rows):
    table = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"

    def spelled(value):
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    lines = "".join("<table:table-row>" + "".join(map(spelled, row)) + "</table:table-row>" for row in rows)
    body = f'<office:body><office:spreadsheet><table:table table:name="S">{lines}</table:table></office:spreadsheet></office:body>'
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        manifest = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
        file.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{manifest}"/>')
        names = f'xmlns:office="{office}" xmlns:table="{table}" xmlns:text="{text}"'
        file.writestr("content.xml", f'<?xml version="1.0"?><office:document-content {names}>{body}</office:document-content>')


def packed(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, contents in members:
            file.writestr(name, contents)


def main():
    os.chdir("out")
    for folder in ("good", "bad"):
        os.mkdir(folder)
    workbook("good/book.xlsx", [
        ("Sales 2024", "visible", "A5:A6", [
            (2, ["Sales by region"]),
            (4, ["Region", "Day", "At", "Clock", "Units", "Price", "Paid"]),
            (5, ["N", (DATE, 45292), (MOMENT, 45292.5), (CLOCK, 0.25), 3, 1.5, True]),
            (7, ["S", (DATE, 45293), (MOMENT, 45293.25), (CLOCK, 0.5), 4, 2, False]),
        ]),
        ("Blank", "visible", None, []),
        ("Hidden", "hidden", None, [(1, ["a"]), (2, ["b"])]),
        ("Notes", "visible", None, [(1, ["see the wiki"])]),
        ("Money", "visible", None, [(1, ["k", "amount"]), (2, ["a", "$1,200.50"]), (3, ["b", "$3"]), (4, ["c", "n/a"])]),
    ])
    workbook("good/lone.xlsx", [("S", "visible", None, [(1, ["a", "b"]), (2, [1, 2.5]), (3, [2, "#DIV/0!"])])])
    open_document("good/open.ods", [["k", "n"], ["x", 1], ["y", 2]])
    base = sqlite3.connect("good/base.sqlite")
    base.executescript("""
        CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT, born DATE, zip TEXT, member BOOLEAN, score NUMERIC, odd, raw BLOB);
        INSERT INTO people VALUES (1, 'Ann', '2001-02-03', '00501', 1, 1.5, 'x', x'00ff'), (2, 'Bob', NULL, '10001', 0, 2, 5, NULL);
        CREATE TABLE visits(id INTEGER, people_id INTEGER);
        INSERT INTO visits VALUES (1, 1), (2, 2), (3, 2);
        CREATE TABLE vacant(a INTEGER, b TEXT);
        CREATE VIEW shown AS SELECT name FROM people;
    """)
    base.close()
    other = duckdb.connect("good/other.duckdb")
    other.execute("""
        CREATE TABLE parts AS SELECT 5 AS id, [1, 2] AS sizes, 1.50::DECIMAL(5,2) AS price, DATE '2024-01-02' AS day;
        CREATE SCHEMA side; CREATE TABLE side.moments AS SELECT TIMESTAMPTZ '2024-01-01 10:00:00+02' AS at;
        CREATE VIEW seen AS SELECT 1 AS one;
    """)
    other.close()
    pyarrow.parquet.write_table(pyarrow.table({
        "id": [1, 2],
        "price": pyarrow.array([decimal.Decimal("1.50"), None], pyarrow.decimal128(10, 2)),
        "at": pyarrow.array([datetime.datetime(2024, 1, 1, 9)] * 2, pyarrow.timestamp("us", "UTC")),
        "code": ["a", "007"],
        "inner": [{"x": 1}, {"x": 2}],
    }), "good/typed.parquet")
    with open("good/typed.parquet", "rb") as file, open("good/misnamed.csv", "wb") as copy:
        copy.write(file.read())
    with open("good/packed.csv.gz", "wb") as file:
        file.write(gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n"))
    packed("good/several.zip", [
        ("data/guests.csv", "id,name\n1,ann\n"), ("data/stays.json", '[{"id":1,"guest_id":1}]'),
        ("readme.txt", "only words here\n"), ("picture.png", b"\x89PNG\r\n\x1a\n\0"),
    ])
    packed("good/one.zip", [("whatever.csv", "id;name\n1;ann\n")])

    packed("bad/outside.zip", [("../up.csv", "a,b\n1,2\n")])
    packed("bad/rooted.zip", [("/etc/x.csv", "a,b\n1,2\n")])
    packed("bad/pictures.zip", [("a.png", b"\x89PNG\0"), ("b.png", b"\x89PNG\0")])
    packed("bad/bomb.zip", [("a.csv", b"a,b\n" + b"1,2\n" * 5_000_000)])
    with open("bad/bomb.csv.gz", "wb") as file:
        file.write(gzip.compress(b"a,b\n" + b"1,2\n" * 5_000_000))
    for name, kept in (("book.xlsx", 900), ("base.sqlite", 5_000), ("other.duckdb", 9_000), ("typed.parquet", 700), ("packed.csv.gz", 25)):
        with open(f"good/{name}", "rb") as file, open(f"bad/cut_{name}", "wb") as cut:
            cut.write(file.read()[:kept])


main()
