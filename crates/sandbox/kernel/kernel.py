"""The loop of a kernel: reads requests from descriptor 3, answers each, and ends when the channel closes.

It runs inside a cell. `call` reaches functions of the modules that lie beside this file; `exec` runs a program as
`__main__` and is the last thing a kernel does. Start-up is on every cold path, so nothing is imported early.
"""

import sys

sys.path.append("/usr/lib/packages")

import os

import wire

CHANNEL = 3
FRAME_BYTES_MAX = 32 * 1024 * 1024
TEXT_LENGTH_MAX = 20_000


def read_exactly(count):
    parts = []
    while count:
        part = os.read(CHANNEL, min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def read_request():
    header = read_exactly(4)
    body = header and read_exactly(int.from_bytes(header, "big"))
    return wire.loads(body.decode()) if body else None


def write_response(response):
    body = wire.dumps(response).encode()
    if len(body) > FRAME_BYTES_MAX:
        message = "the answer is longer than a frame may be"
        return write_response({"error": describe("OverflowError", message)})
    view = memoryview(len(body).to_bytes(4, "big") + body)
    while view:
        view = view[os.write(CHANNEL, view) :]


def describe(kind, message, line=None, traceback="", hint=None):
    return {"type": kind, "message": plain(message), "line": line, "traceback": plain(traceback), "hint": hint}


def plain(text):
    """Text that any reader takes: bounded, and without half characters."""
    if len(text) > TEXT_LENGTH_MAX:
        text = text[:TEXT_LENGTH_MAX] + "…"
    return text.encode("utf-8", "replace").decode()


def told(error):
    """What an exception says of itself; saying it may raise, too."""
    try:
        return str(error)
    except BaseException:
        return "(its text cannot be told)"


def call(request):
    module, _, function = request["function"].partition(".")
    try:
        return {"value": getattr(__import__(module), function)(request["arguments"])}
    except Exception as error:
        hint = getattr(error, "hint", None)
        return {"error": describe(type(error).__name__, told(error), hint=hint)}


def run_program(code, name):
    """Runs a program the way `python3 name` would and says how it ended."""
    import builtins
    import types

    main = types.ModuleType("__main__")
    main.__file__ = name
    sys.modules["__main__"] = main
    sys.argv = [name]
    sys.path[0] = "/work"
    builtins.exit = builtins.quit = sys.exit
    try:
        exec(compile(code, name, "exec", dont_inherit=True), main.__dict__)
    except SystemExit as ended:
        return exit_status(ended.code)
    except BaseException as error:
        return 1, raised(error, code, name)
    return 0, None


def exit_status(status):
    if status is None or status == 0:
        return 0, None
    code = status if isinstance(status, int) else 1
    if code != status:
        print(status, file=sys.stderr)
    return code & 0xFF, describe("SystemExit", f"exit status {code & 0xFF}")


def raised(error, code, name):
    import linecache
    import traceback

    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
    line = frames[-1].lineno if frames else getattr(error, "lineno", None)
    try:
        ending = "".join(traceback.format_exception_only(error))
    except BaseException:
        ending = f"{type(error).__name__}: {told(error)}\n"
    text = "".join(traceback.format_list(frames)) + ending
    print(plain("Traceback (most recent call last):\n" + text), end="", file=sys.stderr)
    return describe(type(error).__name__, told(error), line=line, traceback=text)


def main():
    while (request := read_request()) is not None:
        if request["op"] == "call":
            write_response(call(request))
        else:
            status, error = run_program(request["code"], request["name"])
            try:
                write_response({"error": error} if error else {"value": None})
            except OSError:
                pass  # The program closed the channel; its status is all there is to say.
            sys.exit(status)
