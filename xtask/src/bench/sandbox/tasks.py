"""HumanEval as whole programs: `tasks.py FILE` prints a list of {name, code}, each solution with its test."""

import gzip
import json
import sys


def program(task: dict) -> dict:
    parts = [task["prompt"] + task["canonical_solution"], task["test"], f"check({task['entry_point']})"]
    return {"name": task["task_id"], "code": "\n".join(parts) + "\n"}


def main() -> None:
    with gzip.open(sys.argv[1], "rt", encoding="utf-8") as lines:
        print(json.dumps([program(json.loads(line)) for line in lines if line.strip()]))


main()
