"""Whether the user of a cell can read the files that it is shown as they are.

Permission bits do not say everything: access lists and some file systems deny what the bits promise.
"""


def denied(arguments):
    """Those of the paths that cannot be opened."""
    return {"paths": [path for path in arguments["paths"] if not _opens(path)]}


def _opens(path):
    try:
        with open(path, "rb") as file:
            file.read(1)
    except OSError:
        return False
    return True
