"""Prints `sql.trees.jsonl`: what the kernel's parser answers for each statement of `sql.md`.

The guard's tests have no engine, so they read these answers instead. `cargo xtask guard` runs it in a cell that has the
pinned engine, with the cases and the kernel's modules as its input.
"""

import json
import re
import sys
from pathlib import Path

INPUT = Path("input").resolve()
sys.path.insert(0, str(INPUT))

import sql  # noqa: E402

for statement in re.findall(r"^```sql\n(.*?)\n```$", (INPUT / "sql.md").read_text(), re.MULTILINE | re.DOTALL):
    line = {"sql": statement, "parsed": sql.parse({"sql": statement})}
    print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
