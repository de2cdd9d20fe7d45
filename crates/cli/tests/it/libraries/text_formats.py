"""json, csv, re, configparser, tomllib, XML, HTML and text wrapping."""

import configparser
import csv
import html
import io
import json
import re
import textwrap
import tomllib
import xml.etree.ElementTree as tree

value = {"a": [1, 2.5, None, True], "ü": {"nested": "\u2028"}, "big": 2**70}
assert json.loads(json.dumps(value)) == value and json.dumps("ü") == '"\\u00fc"'
assert json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False).count("\n") == 11
file = io.StringIO(newline="")
csv.writer(file).writerows([["a", "b"], ['say "hi"', "x,y\nz"]])
rows = list(csv.DictReader(io.StringIO(file.getvalue(), newline="")))
assert rows == [{"a": 'say "hi"', "b": "x,y\nz"}] and csv.Sniffer().sniff("a;b\n1;2\n").delimiter == ";"
found = re.findall(r"(?P<year>\d{4})-(\d\d)", "2026-01, 1999-12; 20-1")
assert found == [("2026", "01"), ("1999", "12")] and re.sub(r"(\w+)@(\w+)", r"\2 at \1", "me@here") == "here at me"
assert re.split(r"(?<=[.!?])\s+", "One. Two! Three?") == ["One.", "Two!", "Three?"]
parser = configparser.ConfigParser()
parser.read_string("[a]\nb = 1\nc = %(b)s2\n")
assert parser.getint("a", "c") == 12 and tomllib.loads("when = 2026-01-31\n[t]\nx = [1, 2]")["t"] == {"x": [1, 2]}
root = tree.fromstring("<r><i n='1'>a</i><i n='2'>b</i></r>")
assert [item.get("n") for item in root.findall("./i")] == ["1", "2"] and html.unescape("&eacute;&lt;") == "é<"
print(textwrap.shorten("a long sentence about nothing", 18), len(rows))
