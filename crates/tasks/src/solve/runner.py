"""Holds a solution against checks, inside a cell. Given as names: `solution`, `module`, `tests`, `tests_name`, `examples`,
`self_tests`, `beside`.

The one idea: a check counts as passed only where it was executed and nothing was raised; what it gave and what was
expected is told, because that is what helps to mend a solution. The tests are read before the solution is, and the report
is the program's last value: a solution that ends the interpreter leaves none, which is a failure.

What is expected of an example is not known in here: the calls are, and what they gave goes out to be compared, so a
solution that finds its way into this module has nothing to copy. The tests do what they do in here; how many there must be
at least is known outside.
"""

import ast
import json
import os
import signal
import sys
import traceback

FOLDER = "/tmp/task"
DETAILS_MAX = 5
TEXT_MAX = 300
SECONDS_MAX = 8


class Stuck(BaseException):
    """Raised where the solution is when it takes too long; not an Exception, so that it is not caught by chance."""


def shown(value):
    try:
        text = repr(value)
    except BaseException as error:
        text = f"<no text: {type(error).__name__}>"
    return text if len(text) <= TEXT_MAX else text[:TEXT_MAX] + "…"


def clipped(text):
    text = str(text)
    return text if len(text) <= TEXT_MAX else text[:TEXT_MAX] + "…"


class Unequal(AssertionError):
    """An assert over a comparison, with what stood on both sides."""


def compare(operator, left, right, text):
    held = {
        "Eq": lambda: left == right, "NotEq": lambda: left != right, "Lt": lambda: left < right,
        "LtE": lambda: left <= right, "Gt": lambda: left > right, "GtE": lambda: left >= right,
        "Is": lambda: left is right, "IsNot": lambda: left is not right, "In": lambda: left in right,
        "NotIn": lambda: left not in right,
    }[operator]()
    if not held:
        raise Unequal(f"{text}: {shown(left)} is not {SIGNS[operator]} {shown(right)}")


SIGNS = {
    "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Is": "is", "IsNot": "is not",
    "In": "in", "NotIn": "not in",
}


class Tell(ast.NodeTransformer):
    """Makes asserts tell what they compared."""

    def visit_Assert(self, node):
        test = node.test
        if node.msg is not None or not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return node
        operator, text = type(test.ops[0]).__name__, clipped(ast.unparse(test))
        call = ast.Call(
            ast.Name("__compare__", ast.Load()),
            [ast.Constant(operator), test.left, test.comparators[0], ast.Constant(text)], [],
        )
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))


def described(error):
    """An error as one line, with the solution's own frame."""
    if isinstance(error, Stuck):
        told = f"it did not end within {SECONDS_MAX} s"
    elif isinstance(error, Unequal):
        return str(error)
    else:
        told = traceback.format_exception_only(type(error), error)[-1].strip()
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename == solution_path]
    return clipped(told) + (f" (line {frames[-1].lineno}: {clipped(frames[-1].line)})" if frames else "")


class Report:
    def __init__(self, by):
        self.by, self.passed, self.failed, self.skipped, self.details = by, 0, 0, 0, []

    def hold(self, name, check):
        """Executes a check and counts it. Where one took all the time there is, none is executed any more."""
        if late:
            return
        try:
            check()
        except BaseException as error:
            if type(error).__name__ in ("SkipTest", "Skipped"):
                self.skipped += 1
                return
            self.fail(name, described(error))
        else:
            self.passed += 1

    def fail(self, name, why):
        self.failed += 1
        if len(self.details) < DETAILS_MAX:
            self.details.append(clipped(f"{name}: {why}" if name and name not in why else why))

    def told(self):
        names = ("by", "passed", "failed", "skipped", "details")
        return {name: getattr(self, name) for name in names}


def contains_assert(node, helpers):
    for one in ast.walk(node):
        if isinstance(one, ast.Assert) or (isinstance(one, ast.Name) and one.id in helpers):
            return True
    return False


def hold_tests(report, tree, namespace):
    """Plain asserts, functions whose names begin with `test`, and `unittest` cases."""
    functions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    helpers = {"__compare__"} | {node.name for node in functions if contains_assert(node, {"__compare__"})}
    tests = [node.name for node in functions if node.name.startswith("test")]
    for node in tree.body:
        code = compile(ast.Module([node], []), namespace["__file__"], "exec")
        is_definition = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom))
        if not is_definition and contains_assert(node, helpers):
            report.hold(f"line {node.lineno}", lambda: exec(code, namespace))
            continue
        try:
            exec(code, namespace)
        except BaseException as error:
            report.fail(f"line {node.lineno}", described(error))
            return
    for name in tests:
        report.hold(name, lambda: called(namespace[name]))
    hold_classes(report, namespace)


def needs_pytest(tree):
    """Whether the tests are pytest's own: they import it, or expect something to be handed to them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(one.name.split(".")[0] == "pytest" for one in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "pytest":
            return True
    functions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return any(one.name.startswith("test") and (one.args.args or one.args.kwonlyargs) for one in functions)


class Heard:
    """What pytest says of each test."""

    def __init__(self, report):
        self.report, self.session = report, None

    def pytest_sessionstart(self, session):
        self.session = session

    def pytest_collectreport(self, report):
        if report.failed:
            self.report.fail(tests_name, told_by_pytest(report))

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.report.fail(report.nodeid.split("::", 1)[-1], told_by_pytest(report))
            self.session.shouldstop = bool(late)
        elif report.skipped:
            self.report.skipped += 1
        elif report.when == "call" and report.passed:
            self.report.passed += 1


def told_by_pytest(report):
    crash = getattr(report.longrepr, "reprcrash", None)
    told = crash.message if crash else str(report.longrepr).strip().splitlines()[-1:]
    return clipped(told if isinstance(told, str) else " ".join(told))


def hold_with_pytest(report):
    import contextlib
    import io

    import pytest

    path = FOLDER + "/" + tests_name
    with open(path, "w") as file:
        file.write(tests)
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", FOLDER, "--import-mode=importlib", path], plugins=[Heard(report)])


def called(function):
    given = function()
    if hasattr(given, "__await__"):
        import asyncio

        asyncio.run(given)


def hold_classes(report, namespace):
    own = [one for one in namespace.values() if isinstance(one, type) and one.__module__ == namespace["__name__"]]
    for one in own:
        if "unittest" in sys.modules and issubclass(one, sys.modules["unittest"].TestCase):
            hold_case(report, one)
        elif one.__name__.startswith("Test"):
            for name in [name for name in vars(one) if name.startswith("test")]:
                report.hold(f"{one.__name__}.{name}", lambda: called(getattr(one(), name)))


def hold_case(report, case):
    import unittest

    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    result = unittest.TestResult()
    errors = []
    result.addFailure = lambda test, error: errors.append((test, error[1]))
    result.addError = lambda test, error: errors.append((test, error[1]))
    result.addSubTest = lambda test, sub, error: error and errors.append((sub, error[1]))
    suite.run(result)
    for test, error in errors:
        report.fail(str(test).split(" ")[0], described(error))
    report.skipped += len(result.skipped)
    bad = {str(test).split(" ")[0] for test, _ in errors}
    report.passed += max(0, result.testsRun - len(result.skipped) - len(bad))


def answer_examples(examples, namespace):
    """What each call gives and what each session shows; what was wanted is compared where no solution runs."""
    answers = []
    for example in examples:
        if late:
            break
        answer = called_example if example["form"] == "call" else shown_session
        try:
            answers.append(answer(example, namespace))
        except BaseException as error:
            answers.append({"raised": type(error).__name__, "told": described(error)})
    return answers


def called_example(example, namespace):
    given = eval(example["call"], namespace)
    return {"value": written(given), "told": shown(given)}


def shown_session(example, namespace):
    import contextlib
    import io

    printed, values = io.StringIO(), []

    def display(value):
        if value is not None:
            values.append(value)
            printed.write(repr(value) + "\n")

    before, sys.displayhook = sys.displayhook, display
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(example["source"] + "\n", "<example>", "single"), namespace)
    finally:
        sys.displayhook = before
    value = written(values[0]) if len(values) == 1 else None
    return {"printed": printed.getvalue()[:WRITTEN_BYTES_MAX], "value": value, "told": clipped(printed.getvalue().strip())}


WRITTEN_BYTES_MAX = 8_000


def written(value):
    """A value as a literal outside reads it; what is none, or too large, is another thing altogether."""
    left = [WRITTEN_BYTES_MAX]

    def tell(value, depth):
        left[0] -= 8
        if hasattr(value, "dtype") and getattr(value, "shape", None) == () and hasattr(value, "item"):
            value = value.item()
        if value is None:
            return "none"
        if isinstance(value, bool):
            return {"bool": bool(value)}
        if isinstance(value, int):
            return {"int": text(str(int(value)))}
        if isinstance(value, float):
            return {"float": float.__repr__(value)}
        if isinstance(value, str):
            return {"text": text(str.__str__(value))}
        if isinstance(value, (bytes, bytearray)):
            return {"bytes": list(text(bytes(value)))}
        if depth > 50 or left[0] < 0:
            raise ValueError("too large")
        for kind, name in ((list, "list"), (tuple, "tuple"), (set, "set"), (frozenset, "set")):
            if isinstance(value, kind):
                return {name: [tell(one, depth + 1) for one in value]}
        if isinstance(value, dict):
            return {"dict": [[tell(key, depth + 1), tell(under, depth + 1)] for key, under in value.items()]}
        if type(value).__module__ in ("fractions", "decimal") and value == int(value):
            return {"int": text(str(int(value)))}
        if type(value).__module__ in ("fractions", "decimal"):
            return {"float": repr(float(value))}
        return {"other": clipped(type(value).__name__)}

    def text(content):
        left[0] -= len(content)
        if left[0] < 0:
            raise ValueError("too large")
        return content

    try:
        return tell(value, 0)
    except Exception as error:
        return {"other": clipped(error)}


late = []


def stuck(*_):
    late.append(True)
    raise Stuck()


def load(name, path, text):
    import linecache
    import types

    made = types.ModuleType(name)
    made.__file__ = path
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    return made


def hold_all():
    reports, answers, error = [], [], None
    tree = None
    if tests is not None:
        try:
            tree = ast.parse(tests, tests_name)
            is_of_pytest = needs_pytest(tree)
            tree = Tell().visit(tree)
        except SyntaxError as wrong:
            return {"reports": [], "answers": [], "error": None, "tests_error": clipped(f"{type(wrong).__name__}: {wrong}")}
        __import__("pytest" if is_of_pytest else "unittest")  # Before the solution can bring one of its own.
    is_checked = tests is not None or bool(examples)
    made = load(module if is_checked else "__main__", solution_path, solution)
    if is_checked:
        sys.modules[module] = made
    signal.signal(signal.SIGALRM, stuck)
    signal.setitimer(signal.ITIMER_REAL, SECONDS_MAX)
    try:
        exec(compile(solution, solution_path, "exec", dont_inherit=True), made.__dict__)
    except SystemExit as ended:
        if is_checked or ended.code not in (None, 0):
            error = f"SystemExit: {ended.code}"
    except BaseException as raised:
        error = described(raised)
    if error is None and tree is not None:
        report = Report("tests")
        if is_of_pytest:
            hold_with_pytest(report)
        else:
            namespace = load(os.path.splitext(tests_name)[0], FOLDER + "/" + tests_name, tests).__dict__
            namespace["__compare__"] = compare
            hold_tests(report, tree, namespace)
        reports.append(report.told())
    if error is None and examples:
        answers = answer_examples(examples, made.__dict__)
    if error is None and self_tests is not None and not late:
        sys.modules[module] = made
        report = Report("self_tests")
        namespace = load("self_tests", FOLDER + "/self_tests.py", self_tests).__dict__
        namespace["__compare__"] = compare
        hold_tests(report, Tell().visit(ast.parse(self_tests)), namespace)
        reports.append(report.told())
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {"reports": reports, "answers": answers, "error": error, "tests_error": None}


os.makedirs(FOLDER, exist_ok=True)
os.chdir(FOLDER)
sys.path.insert(0, FOLDER)
for one in beside:
    with open(f"{FOLDER}/{one['name']}", "w") as file:
        file.write(one["text"])
solution_path = f"{FOLDER}/{module}.py"
with open(solution_path, "w") as file:
    file.write(solution)
json.dumps(hold_all())
