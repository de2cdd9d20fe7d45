"""The built-ins and the imports that a program of the profile `analysis` has.

Policy and early feedback, not the boundary: only the program's own names are reduced, libraries keep theirs, and who
looks for a way around finds one and is still in the cell. What is missing is what an analyst's program has no use for:
files by hand, text that becomes code, the interpreter's insides, processes and the network.
"""

import builtins

_REMOVED = (
    "open", "eval", "exec", "compile", "input", "breakpoint", "globals", "locals", "vars", "help", "exit", "quit",
    "copyright", "credits", "license", "__loader__", "__spec__",
)

_MODULES_REFUSED = frozenset(
    # The interpreter, its code and its imports.
    "sys builtins importlib imp _imp _frozen_importlib _frozen_importlib_external zipimport pkgutil runpy site sysconfig "
    "inspect gc code codeop dis marshal pdb bdb trace tracemalloc faulthandler atexit _testcapi "
    # The operating system: files, processes, memory, signals, terminals.
    "os posix posixpath _posixsubprocess subprocess multiprocessing _multiprocessing threading _thread concurrent asyncio "
    "signal _signal fcntl resource mmap _io select selectors pty tty termios shutil tempfile glob fileinput pwd grp "
    "spwd syslog readline ctypes _ctypes cffi _cffi_backend "
    # The network.
    "socket _socket socketserver ssl _ssl http urllib ftplib smtplib poplib imaplib telnetlib nntplib xmlrpc webbrowser "
    "requests httpx aiohttp urllib3 "
    # Installers, and servers of code.
    "pip ensurepip venv setuptools pkg_resources cgi wsgiref".split()
)

_import_any = builtins.__import__


def builtin_names():
    """A fresh mapping to be the program's `__builtins__`."""
    names = {name: value for name, value in vars(builtins).items() if name not in _REMOVED}
    names["__import__"] = _import_allowed
    return names


def _import_allowed(name, globals=None, locals=None, fromlist=(), level=0):
    # A list comes from compiled code, which finds this function by the name it has for the program.
    if type(fromlist) is list:
        return _import_any(name, globals, locals, fromlist, level)
    root = name.partition(".")[0]
    if level == 0 and root in _MODULES_REFUSED:
        message = f"the profile `analysis` does not have the module `{root}`; the profile `task` has it"
        raise ImportError(message, name=name)
    return _import_any(name, globals, locals, fromlist, level)
