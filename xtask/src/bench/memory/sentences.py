"""Sentences that people wrote, from the docstrings of what is installed beside this interpreter.

`sentences.py COUNT QUERIES FOLDER` writes COUNT of them to FOLDER/texts.txt and QUERIES others to FOLDER/queries.txt,
the same whenever the same packages are there, and prints how many there were.
"""

import ast
import hashlib
import json
import re
import sys
import sysconfig
from pathlib import Path

WORDS = range(5, 41)


def sentences(text: str):
    for sentence in re.split(r"(?<=[.!?:])\s+|\n\s*\n|\n\s*[-*]\s", text):
        sentence = " ".join(sentence.split())
        if len(sentence.split()) in WORDS and ">>>" not in sentence and "::" not in sentence:
            yield sentence


def main() -> None:
    count, queries, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    found: dict[str, None] = {}
    roots = {sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    files = sorted({file for root in roots for file in Path(root).rglob("*.py")})
    for file in sorted(files, key=lambda file: hashlib.sha256(str(file).encode()).digest()):
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
                found.update(dict.fromkeys(sentences(ast.get_docstring(node) or "")))
        if len(found) >= count + 10 * queries:
            break
    shuffled = sorted(found, key=lambda text: hashlib.sha256(text.encode()).digest())
    texts, rest = shuffled[:count], shuffled[count:]
    if len(rest) < queries:
        texts, rest = shuffled[: len(shuffled) - queries], shuffled[len(shuffled) - queries :]
    (folder / "texts.txt").write_text("\n".join(texts) + "\n")
    (folder / "queries.txt").write_text("\n".join(rest[:queries]) + "\n")
    print(json.dumps({"texts": len(texts), "queries": queries}))


main()
