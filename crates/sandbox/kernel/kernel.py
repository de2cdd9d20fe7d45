"""The loop of a kernel: reads requests from descriptor 3, answers each, and ends when the channel closes.

It runs inside a cell. `call` reaches functions of the modules that lie beside this file, which may also answer
in pieces while they work, until they hear `stop`; `exec` runs a program (`program.py`) and is the last thing a kernel does. Start-up is on every cold path, so nothing is imported early, not
even `os`: the module below it says the same in a tenth of the time.
"""

import sys

sys.path.append("/usr/lib/packages")

import posix

import wire

CHANNEL = 3
FRAME_BYTES_MAX = 32 * 1024 * 1024
TEXT_LENGTH_MAX = 20_000


def read_exactly(count):
    parts = []
    while count:
        part = posix.read(CHANNEL, min(count, 1 << 20))
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
        view = view[posix.write(CHANNEL, view) :]


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


def say(piece):
    """Tells a part of an answer, and gives whether to stop: nothing else is ever said before an answer is whole."""
    import select

    write_response({"piece": piece})
    return bool(select.select([CHANNEL], [], [], 0)[0])


def call(request):
    module, _, function = request["function"].partition(".")
    more = (say,) if request.get("in_pieces") else ()
    try:
        return {"value": getattr(__import__(module), function)(request["arguments"], *more)}
    except Exception as error:
        hint = getattr(error, "hint", None)
        return {"error": describe(type(error).__name__, told(error), hint=hint)}


def finish():
    """What an interpreter does at its end as far as a program can notice; taking it apart is the cell's business."""
    import atexit

    try:
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
        atexit._run_exitfuncs()
    except BaseException:
        pass  # It was printed; a program that has ended has its status.
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass


def main():
    while (request := read_request()) is not None:
        if request["op"] == "call":
            write_response(call(request))
        elif request["op"] == "exec":
            import program

            status, response = program.run(request)
            finish()
            program.let_go()
            try:
                write_response({**response, "status": status})
                # Whoever asked ends the cell when it has the answer; taking us apart before would only be in its way.
                read_exactly(1)
            except OSError:
                pass  # The program closed the channel; its status is all there is to say.
            posix._exit(status)
