"""Lays out a packed list of programming tasks as one program each: the known solution, its tests, a word at the end.

A second program per task, below `wrong/`, has the same tests judge a solution that cannot be right.
"""

import gzip
import json
import pathlib

right, wrong = pathlib.Path("out/right"), pathlib.Path("out/wrong")
for folder in (right, wrong):
    folder.mkdir()
tasks = [json.loads(line) for line in gzip.open("input/HumanEval.jsonl.gz", "rt")]
for task in tasks:
    number = int(task["task_id"].partition("/")[2])
    tests = f"\n{task['test']}\n\ncheck({task['entry_point']})\nprint('passed', {number})\n"
    (right / f"task_{number:03}.py").write_text(task["prompt"] + task["canonical_solution"] + tests)
    (wrong / f"task_{number:03}.py").write_text(task["prompt"] + "    return object()\n" + tests)
print(len(tasks))
