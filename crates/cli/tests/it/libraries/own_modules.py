"""importlib: modules that the program writes next to itself, a package, a reload, and its own source."""

import importlib
import inspect
import pathlib
import sys


def told():
    return "by its own source"


pathlib.Path("helpers").mkdir()
pathlib.Path("helpers/__init__.py").write_text("from .inner import value\n")
pathlib.Path("helpers/inner.py").write_text("value = 41\n")
import helpers  # noqa: E402

assert helpers.value == 41 and helpers.__file__ == "/work/helpers/__init__.py"
pathlib.Path("helpers/inner.py").write_text("value = 42 # longer\n")
importlib.invalidate_caches()
importlib.reload(sys.modules["helpers.inner"])
# A name that is also one of the modules which brought the program here.
pathlib.Path("kernel.py").write_text("name = 'mine'\n")
assert importlib.import_module("kernel").name == "mine"
assert "by its own source" in inspect.getsource(told)
namespace = {}
exec(compile("def f(x):\n    return x + 1\n", "made.py", "exec"), namespace)
assert namespace["f"](1) == 2 and eval("2 ** 5") == 32
print(importlib.reload(helpers).value, inspect.signature(told))
