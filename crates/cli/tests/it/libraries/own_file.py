"""`__file__`: the program finds what lies beside it, also from another folder."""

import os
import pathlib

pathlib.Path("beside.txt").write_text("found")
os.chdir("/tmp")
beside = pathlib.Path(__file__).resolve().parent / "beside.txt"
assert os.path.isabs(__file__), __file__
print(beside.read_text())
