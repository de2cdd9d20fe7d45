"""sqlite3: a file in `out/`, transactions, two connections, and a full-text index."""

import sqlite3

writer = sqlite3.connect("out/notes.db")
writer.executescript("""
    CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT UNIQUE);
    CREATE VIRTUAL TABLE words USING fts5(text);
""")
with writer:
    writer.executemany("INSERT INTO note (text) VALUES (?)", [("one",), ("two",), ("drei ß",)])
    writer.execute("INSERT INTO words SELECT text FROM note")
try:
    with writer:
        writer.execute("INSERT INTO note (text) VALUES ('four')")
        writer.execute("INSERT INTO note (text) VALUES ('one')")
    raise AssertionError("a value that must be unique was taken twice")
except sqlite3.IntegrityError:
    pass
reader = sqlite3.connect("out/notes.db", timeout=0.1)
assert reader.execute("SELECT count(*) FROM note").fetchone() == (3,)
writer.execute("BEGIN IMMEDIATE")
try:
    reader.execute("BEGIN IMMEDIATE")
    raise AssertionError("two writers at once")
except sqlite3.OperationalError as error:
    assert "locked" in str(error), error
writer.rollback()
found = reader.execute("SELECT text FROM words WHERE words MATCH 'drei'").fetchall()
assert found == [("drei ß",)], found
assert reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)
reader.close()
writer.close()
print(found[0][0])
