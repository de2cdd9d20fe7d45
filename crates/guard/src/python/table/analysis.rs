//! What an analyst's code may do: compute over tables that were given to it, print, draw, and leave files in `out/`.

use base::Severity;

use super::{FRAMES, Policy, Rule, TextIs, TextRule, When, error, warning};

pub const POLICY: Policy = Policy {
    modules_allowed: Some(MODULES_ALLOWED),
    modules: MODULES,
    builtins: BUILTINS,
    paths: PATHS,
    attributes: ATTRIBUTES,
    dunders_allowed: Some(DUNDERS_ALLOWED),
    modules_inside: MODULES_INSIDE,
    private_names: false,
    texts: TEXTS,
};

#[rustfmt::skip]
const MODULES_ALLOWED: &[&str] = &[
    "__future__", "abc", "array", "base64", "bisect", "calendar", "cmath", "collections", "colorsys", "contextlib",
    "copy", "csv", "dataclasses", "datetime", "dateutil", "decimal", "difflib", "duckdb", "enum", "fractions",
    "functools", "graphlib", "hashlib", "heapq", "html", "io", "itertools", "json", "keyword", "logging", "math",
    "matplotlib", "mpl_toolkits", "numbers", "numpy", "operator", "pandas", "pprint", "pyarrow", "pytz", "random",
    "re", "scipy", "secrets", "sklearn", "statistics", "string", "struct", "textwrap", "time", "types", "typing", "typing_extensions",
    "unicodedata", "uuid", "warnings", "zlib", "zoneinfo",
];

#[rustfmt::skip]
const MODULES: &[Rule] = &[
    error(
        "python/import",
        &[
            "os", "posix", "nt", "pathlib", "shutil", "glob", "fileinput", "tempfile", "stat", "filecmp", "zipfile",
            "tarfile", "gzip", "bz2", "lzma", "codecs", "fsspec", "sqlite3",
        ],
        "reaches files by hand; read with pandas or duckdb, write with `to_csv` or `savefig` below `out/`",
    ),
    error(
        "python/import",
        &[
            "subprocess", "multiprocessing", "threading", "_thread", "concurrent", "asyncio", "signal", "pty",
            "sched", "_posixsubprocess", "joblib",
        ],
        "starts processes or threads; an analysis is one of each",
    ),
    error(
        "python/import",
        &[
            "socket", "_socket", "ssl", "select", "selectors", "socketserver", "requests", "urllib", "urllib3",
            "http", "httpx", "aiohttp", "ftplib", "smtplib", "poplib", "imaplib", "telnetlib", "nntplib", "xmlrpc",
            "webbrowser", "boto3", "paramiko", "websockets",
        ],
        "speaks to the network, and a cell has none; give the data as a file",
    ),
    error(
        "python/import",
        &[
            "ctypes", "_ctypes", "cffi", "_cffi_backend", "mmap", "fcntl", "resource", "termios", "syslog", "numba",
            "cython",
        ],
        "reaches memory or system calls directly; use numpy",
    ),
    error(
        "python/import",
        &[
            "sys", "builtins", "inspect", "gc", "code", "codeop", "dis", "ast", "opcode", "traceback", "trace",
            "tracemalloc", "faulthandler", "atexit", "weakref", "site", "sysconfig", "platform", "pdb", "bdb",
            "cProfile", "profile", "pstats", "timeit", "doctest", "unittest", "pydoc", "linecache", "tokenize",
            "symtable", "readline", "getpass", "pwd", "IPython",
        ],
        "looks into the interpreter or steers it; an analysis needs its data only",
    ),
    error(
        "python/dynamic_import",
        &["importlib", "imp", "pkgutil", "runpy", "zipimport", "pkg_resources", "_imp", "_frozen_importlib"],
        "imports by a name that is computed; write the import out",
    ),
    error(
        "python/import",
        &[
            "pickle", "_pickle", "cPickle", "marshal", "shelve", "dbm", "copyreg", "dill", "cloudpickle",
            "jsonpickle", "yaml",
        ],
        "can run code while it loads data; use CSV, JSON or Parquet",
    ),
];

#[rustfmt::skip]
const BUILTINS: &[Rule] = &[
    error(
        "python/call",
        &["open"],
        "opens files by hand; read with pandas or duckdb, write with `to_csv` below `out/`",
    )
    .when(When::NamedUnlessBound),
    error("python/call", &["eval", "exec", "compile"], "runs text as code; write the code out"),
    error("python/call", &["input"], "waits for somebody who is not there; write the value into the program")
        .when(When::NamedUnlessBound),
    error(
        "python/call",
        &["breakpoint", "help", "license", "credits", "copyright"],
        "talks to a terminal, and there is none",
    )
    .when(When::NamedUnlessBound),
    error(
        "python/call",
        &["globals", "locals", "vars"],
        "hands out the interpreter's own tables; use names or a dict of your own",
    ),
    error("python/dynamic_import", &["__import__"], "imports by a name that is computed; write an import statement"),
    error(
        "python/name",
        &["__builtins__", "__loader__", "__spec__", "__build_class__", "__class__", "__cached__", "__path__"],
        "leads into the interpreter; an analysis needs its data only",
    ),
    error(
        "python/call",
        &["getattr", "setattr", "delattr"],
        "takes a name that is computed or not a plain attribute's; write `value.name`",
    )
    .when(When::NamedOrComputed(1)),
    error("python/call", &["type"], "with three arguments builds a class; write `class`").when(When::Arguments(3)),
];

#[rustfmt::skip]
const PATHS: &[Rule] = &[
    error(
        "python/call",
        &["io.open", "io.open_code", "io.FileIO", "_io.open", "_io.FileIO"],
        "opens files by hand; read with pandas or duckdb, and use `io.StringIO` for text",
    ),
    error(
        "python/deserialize",
        &[
            "pandas.read_pickle", "pandas.to_pickle", "pandas.read_hdf", "pandas.HDFStore", "pandas.io.pickle",
            "pandas.io.pytables", "pandas.compat.pickle_compat",
        ],
        "runs code while it loads data; use CSV or Parquet",
    ),
    error(
        "python/deserialize",
        &["numpy.load", "numpy.lib.npyio.load"],
        "with `allow_pickle` runs code while it loads data; leave it out",
    )
    .when(When::With("allow_pickle")),
    error("python/deserialize", &["numpy.load"], "with a third argument allows pickled code; leave it out")
        .when(When::Arguments(3)),
    error(
        "python/call",
        &["pandas.read_clipboard", "pandas.io.clipboard", "pandas.io.clipboards"],
        "starts a program to read a clipboard, and there is none",
    ),
    error(
        "python/call",
        &["pandas.eval", "pandas.core.computation.eval.eval"],
        "evaluates a text that is computed; write the expression out",
    )
    .when(When::Computed),
    error(
        "python/attribute",
        &["pandas.io.common", "pandas.core.computation", "pandas.compat", "pandas.test"],
        "is not for analyses; use what pandas offers at its top",
    ),
    error(
        "python/attribute",
        &[
            "numpy.ctypeslib", "numpy.f2py", "numpy.distutils", "numpy.core", "numpy.compat", "numpy.test",
            "numpy.testing.runstring", "numpy.testing.rundocs", "numpy.testing.measure", "numpy.lib.npyio",
            "numpy.lib.format", "numpy.lib.utils", "numpy.lib.introspect",
        ],
        "leads out of numpy's arrays; use what numpy offers at its top",
    ),
    error(
        "python/attribute",
        &[
            "scipy.io", "scipy.datasets", "scipy.misc", "scipy.test", "scipy.LowLevelCallable",
            "sklearn.datasets", "sklearn.externals", "sklearn.utils.parallel", "sklearn.show_versions",
        ],
        "reads files, fetches data or starts processes; compute over the tables that are there",
    ),
    error(
        "python/attribute",
        &[
            "matplotlib.testing", "matplotlib.texmanager", "matplotlib.dviread", "matplotlib.sphinxext",
            "matplotlib.backends.registry",
        ],
        "runs programs or texts; draw with `matplotlib.pyplot`",
    ),
    error(
        "python/attribute",
        &[
            "pyarrow.fs", "pyarrow.flight", "pyarrow.cffi", "pyarrow.jvm", "pyarrow.hdfs", "pyarrow.cuda",
            "pyarrow.util", "pyarrow.vendored", "pyarrow.OSFile", "pyarrow.memory_map", "pyarrow.PyExtensionType",
            "pyarrow.serialize", "pyarrow.deserialize",
        ],
        "reaches files, the network or code; use `pyarrow.parquet`, `pyarrow.csv` or `pyarrow.compute`",
    ),
    error(
        "python/call",
        &[
            "typing.get_type_hints", "typing.ForwardRef", "typing_extensions.get_type_hints",
            "typing_extensions.ForwardRef",
        ],
        "evaluates annotations that are texts; write the types out",
    ),
    error("python/format", &["string.Formatter"], "reads attributes named in a text; use an f-string"),
    error(
        "python/call",
        &["operator.attrgetter"],
        "takes a name that is computed or not a plain attribute's; write a lambda",
    )
    .when(When::NamedOrAnyComputed(0)),
    error(
        "python/call",
        &["operator.methodcaller"],
        "takes a name that is computed or not a plain attribute's; write a lambda",
    )
    .when(When::NamedOrComputed(0)),
    error(
        "python/attribute",
        &[
            "types.CodeType", "types.FunctionType", "types.LambdaType", "types.ModuleType", "types.FrameType",
            "types.TracebackType", "types.MethodType", "types.GeneratorType", "types.CoroutineType", "types.CellType",
            "types.new_class",
        ],
        "builds functions, classes or modules by hand; write `def` or `class`",
    ),
    error(
        "python/attribute",
        &["logging.config", "logging.handlers", "logging.FileHandler"],
        "opens files, sockets or modules by name; print instead",
    ),
    warning(
        "python/network",
        &[
            "pandas.read_*", "pyarrow.csv.read_csv", "pyarrow.parquet.read_table", "matplotlib.pyplot.imread",
            "numpy.loadtxt", "numpy.genfromtxt",
        ],
        "is given an address, and a cell has no network; give the data as a file",
    )
    .when(When::Address),
];

#[rustfmt::skip]
const ATTRIBUTES: &[Rule] = &[
    error("python/attribute", FRAMES, "leads into the interpreter's frames and code; an analysis needs its data only"),
    error("python/attribute", &["_module"], "is a module behind an object; import what is needed"),
    error("python/attribute", &["mro"], "climbs from a class to all others; name the class"),
    error(
        "python/deserialize",
        &["to_pickle", "read_pickle", "to_hdf", "read_hdf"],
        "writes or reads data that runs code when it is loaded; use `to_csv` or `to_parquet`",
    ),
    error(
        "python/call",
        &["query", "eval"],
        "is given an expression that reaches a module or the interpreter; compute the value first, name it after `@`",
    )
    .when(When::ReachesOut),
    error("python/call", &["to_clipboard", "read_clipboard"], "starts a program for a clipboard, and there is none"),
];

/// Methods of one's own classes, and what people ask of values and modules.
#[rustfmt::skip]
const DUNDERS_ALLOWED: &[&str] = &[
    "__name__", "__qualname__", "__doc__", "__version__", "__annotations__", "__members__", "__dataclass_fields__",
    "__post_init__", "__init__", "__new__", "__repr__", "__str__", "__format__", "__bool__", "__hash__", "__len__",
    "__iter__", "__next__", "__reversed__", "__contains__", "__getitem__", "__setitem__", "__delitem__", "__call__",
    "__enter__", "__exit__", "__aenter__", "__aexit__", "__await__", "__aiter__", "__anext__", "__eq__", "__ne__",
    "__lt__", "__le__", "__gt__", "__ge__", "__add__", "__radd__", "__iadd__", "__sub__", "__rsub__", "__mul__",
    "__rmul__", "__truediv__", "__rtruediv__", "__floordiv__", "__mod__", "__pow__", "__matmul__", "__neg__",
    "__pos__", "__abs__", "__invert__", "__and__", "__or__", "__xor__", "__int__", "__float__", "__round__",
    "__index__", "__array__", "__slots__", "__cause__", "__context__", "__notes__", "__copy__", "__deepcopy__",
    "__set_name__", "__get__", "__set__", "__missing__", "__length_hint__", "__match_args__", "__setattr__",
];

#[rustfmt::skip]
const MODULES_INSIDE: &[&str] = &[
    "os", "sys", "subprocess", "socket", "ctypes", "importlib", "builtins", "shutil", "pathlib", "pickle", "marshal",
    "inspect", "gc", "multiprocessing", "threading", "asyncio", "posix", "tempfile", "sysconfig", "ast", "codecs",
    "linecache", "traceback", "weakref", "nt", "ntpath", "posixpath", "urllib", "ssl", "runpy", "pkgutil", "pwd",
];

#[rustfmt::skip]
const TEXTS: &[TextRule] = &[
    TextRule {
        is: TextIs::Format,
        rule: "python/format",
        severity: Severity::Error,
        why: "reads an attribute that leads into the interpreter when it is formatted; use an f-string with a value",
    },
    TextRule {
        is: TextIs::Refused,
        rule: "python/attribute",
        severity: Severity::Error,
        why: "is the name of an attribute that leads into the interpreter, also as a text",
    },
    TextRule {
        is: TextIs::Beginning(&["module://"]),
        rule: "python/dynamic_import",
        severity: Severity::Error,
        why: "makes matplotlib import a module by name; leave the backend as it is",
    },
    TextRule {
        is: TextIs::Key,
        rule: "python/secret",
        severity: Severity::Warning,
        why: "looks like a key, and programs are recorded; leave it out",
    },
];
