"""One program, run as `__main__` the way `python3 name` would run it. Imported only when a kernel is asked to `exec`.

The one idea: the last statement, if it is an expression, is compiled apart, so that its value is computed once, in its
place, and can be told when the program is done. Whatever the program leaves behind is a stranger's: nothing that is
looked at after its end may raise out of here. Our own modules are hidden from it, so that their names are free.
"""

import _ast
import _thread
import builtins
import posix
import sys

import figures
from kernel import describe, plain, told

HOME = "/assay"
ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST; the package `ast` costs a cold start more than most programs.
TRACEBACK_HEAD = "Traceback (most recent call last):\n"
NO_RESULT = {"kind": "none"}
SET_ML = ("sklearn", "scipy", "joblib", "threadpoolctl")

_main = type(sys)("__main__")
_hidden = []
_our_modules = [file.removesuffix(".py") for file in posix.listdir(HOME)]


def run(request):
    """Runs a program; gives the status to end with and what to answer."""
    code, name = request["code"], request["name"]
    namespace = enter(name)
    place(code, name)
    value = None
    try:
        before, last, tree = compiled(code, name)
        tell = result_teller() if last else None
        lend(request, namespace, tree)
        hide()
        exec(before, namespace)
        if last:
            value = eval(last, namespace)
    except SystemExit as ended:
        status, error = exit_status(ended.code)
    except BaseException as error:
        return 1, {"error": raised(error, code, name, namespace)}
    else:
        status, error = 0, None
    if error:
        return status, {"error": error}
    result = NO_RESULT if value is None else tell(value)
    figures.save_open()
    return status, {"value": result}


def enter(name):
    """The module that the program is, and what it sees of the interpreter."""
    _main.__file__ = "/work/" + name
    # For interpreters that it starts; ours found the packages without.
    set_variable("PYTHONPATH", "/usr/lib/packages")
    sys.modules["__main__"] = _main
    sys.argv = [name]
    builtins.exit = builtins.quit = sys.exit
    figures.watch()
    return _main.__dict__


def set_variable(name, value):
    """In the environment, whether the module that shows it to programs has been loaded or not."""
    if "os" in sys.modules:
        sys.modules["os"].environ[name] = value
    else:
        posix.environ[name.encode()] = value.encode()
        posix.putenv(name, value)


def place(code, name):
    """Puts the program where its interpreter would have read it: a process that it spawns reads it there again."""
    try:
        file = posix.open("/work/" + name, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL, 0o666)
        try:
            posix.write(file, code.encode())
        finally:
            posix.close(file)
    except (OSError, ValueError):
        pass  # Something of that name is there, or no file can have it.


def let_go():
    """Ends what the program's names hold, as an interpreter's end would: a file that was left open is written.

    Not while a thread may still use those names; then files are only flushed.
    """
    if _thread._count() == 0:
        return _main.__dict__.clear()
    import _io
    import gc

    for one in gc.get_objects():
        if issubclass(type(one), _io._IOBase):
            try:
                one.flush()
            except BaseException:
                pass  # Closed, or not for writing.


def compiled(code, name):
    """The program without its last expression, that expression or nothing, and the tree of both."""
    try:
        tree = compile(code, name, "exec", ONLY_TREE, dont_inherit=True)
    except RecursionError:
        # Too deep for a tree of objects; the compiler itself goes deeper.
        return compile(code, name, "exec", dont_inherit=True), None, None
    last = None
    if tree.body and isinstance(tree.body[-1], _ast.Expr):
        last = _ast.Expression(tree.body[-1].value)
        tree.body.pop()
    before = compile(tree, name, "exec", dont_inherit=True)
    return before, last and compile(last, name, "eval", dont_inherit=True), [tree, last]


def result_teller():
    import results

    return results.tell


def lend(request, namespace, tree):
    """Binds what the program is given: the built-ins of its profile, values, and the tables that it mentions."""
    if request["reduced"]:
        import reduced

        namespace["__builtins__"] = reduced.builtin_names()
    namespace.update(request["values"])
    if tables := request["tables"]:
        known = mentioned(tree) if tree else set(tables["names"])
        if wanted := [table for table in tables["names"] if table in known]:
            import frames

            namespace.update(frames.load(tables["path"], wanted))


def mentioned(tree):
    """The names that a tree reads."""
    names, pending = set(), [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, _ast.Name):
            if isinstance(node.ctx, _ast.Load):
                names.add(node.id)
        elif isinstance(node, _ast.AST):
            pending.extend(getattr(node, field, None) for field in node._fields)
    return names


def hide():
    """Gives the names of our own modules, and their place on the path, to the program."""
    # Kept, because taking modules apart would take the program's time.
    _hidden.extend(sys.modules.pop(name, None) for name in _our_modules)
    sys.path[0] = "/work"


def exit_status(status):
    if status is None or status == 0:
        return 0, None
    code = status if isinstance(status, int) else 1
    if code != status:
        print(plain(told(status)), file=sys.stderr)
    return code & 0xFF, describe("SystemExit", f"exit status {code & 0xFF}")


def raised(error, code, name, namespace):
    import linecache
    import traceback

    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
    line = lines[-1] if lines else getattr(error, "lineno", None)
    try:
        text = trimmed(traceback.TracebackException.from_exception(error, compact=True), name)
    except BaseException:
        text = f"{type(error).__name__}: {told(error)}\n"
    print(plain(text), end="", file=sys.stderr)
    hint = missing_name(error, namespace) or missing_module(error)
    return describe(type(error).__name__, told(error), line, text.removeprefix(TRACEBACK_HEAD), hint)


def trimmed(top, name):
    """What Python prints of an exception and its causes, without the lines that are not the program's."""
    pending = [top]
    while pending:
        one = pending.pop()
        one.stack[:] = [frame for frame in one.stack if frame.filename == name]
        if not one.stack:
            one.stack = None
        pending.extend(other for other in (one.__cause__, one.__context__, *(one.exceptions or ())) if other)
    return "".join(top.format())


def missing_module(error):
    """Advice for who misses a package that can be had."""
    name = getattr(error, "name", None)
    if isinstance(error, ModuleNotFoundError) and isinstance(name, str) and name.partition(".")[0] in SET_ML:
        return "it is one of the packages of the set `ml`, which are not installed"
    return None


def missing_name(error, namespace):
    """Advice for who misses a built-in that the profile does not have."""
    name, own = getattr(error, "name", None), namespace.get("__builtins__")
    if isinstance(error, NameError) and isinstance(own, dict) and name not in own and name in vars(builtins):
        return f"the profile `analysis` does not have `{name}`; the profile `task` has it"
    return None
