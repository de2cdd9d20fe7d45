"""An Excel workbook, written by hand as the zip of XML that it is, read through pandas' own reader for it."""

import zipfile

import pandas as pd

CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"

rows = [("city", "people"), ("Köln", 1087353), ("Oslo", 717710)]


def cell(value):
    return f"<c><v>{value}</v></c>" if isinstance(value, int) else f'<c t="inlineStr"><is><t>{value}</t></is></c>'


parts = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{CONTENT}.sheet.main+xml"/>'
    f'<Override PartName="/xl/sheet.xml" ContentType="{CONTENT}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="a" '
    f'Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>'
    '<sheet name="cities" sheetId="1" r:id="b"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="b" '
    f'Type="{RELATIONS}/worksheet" Target="sheet.xml"/></Relationships>',
    "xl/sheet.xml": f'<worksheet xmlns="{MAIN}"><sheetData>'
    + "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    + "</sheetData></worksheet>",
}
with zipfile.ZipFile("out/cities.xlsx", "w") as book:
    for name, text in parts.items():
        book.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)
frame = pd.read_excel("out/cities.xlsx", sheet_name="cities", engine="calamine")
assert frame.columns.tolist() == ["city", "people"] and frame.people.sum() == 1805063, frame
print(frame.city.tolist())
