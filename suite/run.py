"""Runs the question suite against an `assay` binary and says how it did, set by set.

    python3 run.py ASSAY [OUTDIR]

Makes the datasets, exports the built-in ones, computes what each question
should give (`expect.py`, with the pandas of the program's own environment) and
asks everything in one `assay eval`. A set `last`, where there is one, was kept
closed until the planner had been finished for the others.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILT_IN = ("ecommerce", "support", "sensors")


def packages(assay):
    """Where the environment of cells keeps its packages."""
    shown = json.loads(subprocess.check_output([assay, "config", "show", "--json"]))
    places = [one["value"] for one in shown["settings"] if one["name"] == "env_dir"]
    found = sorted(Path(places[0]).glob("core-*/root/usr/lib/packages"), key=os.path.getmtime)
    return found[-1]


def prepare(assay, folder):
    """The data and the cases below a folder; gives the cases' file and the set of each id."""
    data, cases = folder / "data", folder / "cases.jsonl"
    for maker in sorted(HERE.glob("make*.py")):
        subprocess.run([sys.executable, "-B", maker, data], check=True)
    for name in BUILT_IN:
        subprocess.run([assay, "data", "export", name, "--to", data / name, "--quiet"], check=True)
        (data / name / "dataset.toml").unlink()
    environment = {**os.environ, "PYTHONPATH": str(packages(assay)), "PYTHONDONTWRITEBYTECODE": "1"}
    expect = [sys.executable, HERE / "expect.py", data, HERE / "questions.jsonl", cases]
    subprocess.run(expect, check=True, env=environment)
    sets = {one["id"]: one["set"] for one in map(json.loads, open(HERE / "questions.jsonl", encoding="utf-8"))}
    return cases, sets


def tell(name, results):
    """One line for a set of results."""
    asked = [one for one in results if not one["expect"].get("refused")]
    other = [one for one in results if one["expect"].get("refused")]
    answered = [one for one in asked if one["status"] == "answered"]
    right = [one for one in answered if one["right"]]
    wrong = [one for one in results if one["status"] == "answered" and not one["right"]]
    verified = [one for one in wrong if one["known"] == "verified"]
    refused = [one for one in other if one["status"] == "refused"]
    print(f"{name:6} {len(answered)} of {len(asked)} answerable answered, {len(right)} of those right, "
          f"{len(refused)} of {len(other)} unanswerable refused, {len(verified)} wrong and verified")
    for one in wrong:
        print(f"       wrong: {one['id']} {one['question']} -> {one['reading']}")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: run.py ASSAY [OUTDIR]")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[2] if len(sys.argv) == 3 else scratch)
        folder.mkdir(parents=True, exist_ok=True)
        cases, sets = prepare(sys.argv[1], folder)
        results = folder / "results.jsonl"
        subprocess.run([sys.argv[1], "eval", cases, "--out", results, "--json"], check=True, stdout=subprocess.DEVNULL)
        told = [json.loads(line) for line in open(results, encoding="utf-8")]
        for name in sorted(set(sets.values())):
            tell(name, [one for one in told if sets[one["id"]] == name])


if __name__ == "__main__":
    main()
