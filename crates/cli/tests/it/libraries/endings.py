"""What is done at the end: atexit in its order, finalizers, contexts, files that were left open."""

import atexit
import contextlib
import weakref


class Thing:
    pass


done = []
atexit.register(lambda: print(*done, sep=", "))
kept, gone = Thing(), Thing()
weakref.finalize(kept, done.append, "finalized")
weakref.finalize(gone, done.append, "gone")
del gone
atexit.register(done.append, "registered first")
atexit.register(done.append, "registered last")
with contextlib.ExitStack() as stack:
    stack.callback(done.append, "left")
    stack.enter_context(contextlib.suppress(KeyError))
    {}["missing"]
left_open = open("out/left_open.txt", "w")
left_open.write("written at the end")
