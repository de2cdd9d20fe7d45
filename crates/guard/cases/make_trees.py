"""Writes `sql.trees.jsonl`: what the kernel's parser answers for each statement of `sql.md`.

The guard's test has no engine, so it reads these answers instead. Run it with the pinned engine's extension module on
the path after changing a statement; the test says so when the two files do not fit.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
for crate in ("data", "sandbox"):
    sys.path.insert(0, str(HERE.parent.parent / crate / "kernel"))
sys.dont_write_bytecode = True

import sql  # noqa: E402


def main():
    statements = re.findall(r"^```sql\n(.*?)\n```$", (HERE / "sql.md").read_text(), re.MULTILINE | re.DOTALL)
    with (HERE / "sql.trees.jsonl").open("w") as out:
        for statement in statements:
            line = {"sql": statement, "parsed": sql.parse({"sql": statement})}
            out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
