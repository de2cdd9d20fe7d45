"""sqlite3: a write-ahead log, with a reader that keeps its view while a writer goes on, in another process, too."""

import multiprocessing
import sqlite3


def count():
    with sqlite3.connect("/work/out/log.db") as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)


writer = sqlite3.connect("/work/out/log.db")
assert writer.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
with writer:
    writer.execute("CREATE TABLE t (a INTEGER)")
    writer.execute("INSERT INTO t VALUES (1)")
reader = sqlite3.connect("/work/out/log.db", isolation_level=None)
reader.execute("BEGIN")
before = reader.execute("SELECT count(*) FROM t").fetchone()
with writer:
    writer.execute("INSERT INTO t VALUES (2)")
same = reader.execute("SELECT count(*) FROM t").fetchone()
reader.execute("COMMIT")
after = reader.execute("SELECT count(*) FROM t").fetchone()
assert (before, same, after) == ((1,), (1,), (2,))
child = multiprocessing.Process(target=count)
child.start()
child.join(5)
assert child.exitcode == 0
assert writer.execute("PRAGMA wal_checkpoint(FULL)").fetchone()[0] == 0
print(after[0])
