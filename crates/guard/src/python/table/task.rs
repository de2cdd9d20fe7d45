//! What is said of a whole program. The sandbox is the boundary, so an error is only what is surely a mistake or an
//! attack: taking the process apart, leaving it behind, or reaching for the machine below. Everything that may be meant
//! but does not work in a cell, or works otherwise than its writer thinks, is a warning. `assert`, `try … pass`, random
//! numbers, `subprocess` with a list of words, threads and files say nothing here: they are what programs do.

use base::Severity;

use super::{FRAMES, Policy, Rule, TextIs, TextRule, When, error, warning};

pub const POLICY: Policy = Policy {
    modules_allowed: None,
    modules: MODULES,
    builtins: BUILTINS,
    paths: PATHS,
    attributes: ATTRIBUTES,
    dunders_allowed: None,
    modules_inside: &[],
    private_names: true,
    texts: TEXTS,
};

#[rustfmt::skip]
const MODULES: &[Rule] = &[
    warning(
        "python/network",
        &[
            "socket", "socketserver", "requests", "urllib.request", "urllib3", "http.client", "http.server", "httpx",
            "aiohttp", "ftplib", "smtplib", "poplib", "imaplib", "telnetlib", "nntplib", "xmlrpc", "websockets",
            "boto3", "paramiko", "webbrowser",
        ],
        "speaks to the network, and a cell has none; give what is needed as an input file",
    ),
    warning(
        "python/memory",
        &["ctypes", "_ctypes", "cffi"],
        "reaches memory and system calls directly; most of what it can do is denied in a cell",
    ),
    warning("python/dynamic_import", &["imp"], "is gone from newer Pythons; use importlib"),
];

#[rustfmt::skip]
const BUILTINS: &[Rule] = &[
    warning("python/call", &["eval", "exec"], "runs text as code; `ast.literal_eval` or `json.loads` read values"),
    warning(
        "python/call",
        &["input"],
        "reads stdin, which is empty in a cell; give the value as an input file",
    )
    .when(When::NamedUnlessBound),
    warning("python/call", &["breakpoint"], "waits for somebody at a terminal, and there is none"),
    warning("python/dynamic_import", &["__import__"], "imports a module whose name is computed; nobody can see which")
        .when(When::Computed),
];

#[rustfmt::skip]
const PATHS: &[Rule] = &[
    error(
        "python/memory",
        &[
            "ctypes.CDLL", "ctypes.PyDLL", "ctypes.cdll", "ctypes.pydll", "ctypes.pythonapi", "ctypes.CFUNCTYPE",
            "ctypes.PYFUNCTYPE", "ctypes.memmove", "ctypes.memset", "ctypes.string_at", "ctypes.cast",
            "ctypes.util.find_library",
        ],
        "calls foreign code or writes to any memory; no task needs it that Python and numpy cannot do",
    ),
    error(
        "python/memory",
        &["cffi.FFI", "cffi.FFI().dlopen"],
        "calls foreign code; no task needs it that Python and numpy cannot do",
    ),
    error("python/memory", &["mmap.PROT_EXEC"], "makes memory executable; a task has no machine code to run"),
    error(
        "python/process",
        &["os.setsid", "os.setpgrp", "os.setpgid", "os.daemon", "os.login_tty", "daemon.DaemonContext"],
        "detaches a process, but a cell ends with its program; wait for what is started",
    ),
    error(
        "python/process",
        &["os.kill"],
        "is aimed at every process or at the one that keeps the cell; kill what the program started",
    )
    .when(When::First(&[1, 0, -1])),
    error(
        "python/process",
        &["os.chroot", "os.pivot_root", "os.unshare", "os.setns"],
        "changes the machine below the program, which a cell denies",
    ),
    error(
        "python/process",
        &[
            "os.setuid", "os.setgid", "os.seteuid", "os.setegid", "os.setreuid", "os.setresuid", "os.setresgid",
            "os.setgroups", "os.initgroups",
        ],
        "changes the user, which a cell denies",
    ),
    warning(
        "python/process",
        &["os.fork", "os.forkpty", "pty.fork", "pty.spawn", "os.posix_spawn", "os.posix_spawnp"],
        "makes a process by hand, of which a cell allows few; use multiprocessing or subprocess and wait for it",
    ),
    warning(
        "python/process",
        &["os.exec*"],
        "replaces the program by another; what Python has not yet written is lost",
    ),
    warning(
        "python/process",
        &["os.spawn*"],
        "is the older way to start a program; use subprocess with a list of words",
    ),
    warning(
        "python/process",
        &[
            "subprocess.Popen", "subprocess.run", "subprocess.call", "subprocess.check_call",
            "subprocess.check_output",
        ],
        "detaches the process, but a cell ends with its program; wait for it",
    )
    .when(When::With("start_new_session")),
    warning(
        "python/shell",
        &[
            "os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "commands.getoutput",
            "popen2.popen2",
        ],
        "hands a text to a shell, which reads more into it than its writer; use subprocess with a list of words",
    ),
    warning(
        "python/shell",
        &[
            "subprocess.Popen", "subprocess.run", "subprocess.call", "subprocess.check_call",
            "subprocess.check_output",
        ],
        "with `shell` hands a text to a shell, which reads more into it than its writer; pass a list of words",
    )
    .when(When::With("shell")),
    warning(
        "python/shell",
        &["asyncio.create_subprocess_shell", "asyncio.subprocess.create_subprocess_shell"],
        "hands a text to a shell, which reads more into it than its writer; use `create_subprocess_exec`",
    ),
    warning(
        "python/trace",
        &[
            "sys.settrace", "sys.setprofile", "threading.settrace", "threading.setprofile", "sys.addaudithook",
            "sys._getframe", "sys._current_frames",
        ],
        "looks into the running interpreter and slows it down; leave it to a debugger",
    ),
    warning(
        "python/deserialize",
        &[
            "pickle.load", "pickle.loads", "pickle.Unpickler", "_pickle.load*", "cPickle.load*", "marshal.load",
            "marshal.loads", "shelve.open", "dill.load", "dill.loads", "cloudpickle.load", "cloudpickle.loads",
            "jsonpickle.decode", "joblib.load", "pandas.read_pickle",
        ],
        "runs whatever code the data holds; use JSON or Parquet",
    ),
    warning("python/deserialize", &["torch.load"], "runs whatever code the data holds; pass `weights_only=True`")
        .when(When::Without("weights_only")),
    warning("python/deserialize", &["numpy.load"], "with `allow_pickle` runs whatever code the data holds")
        .when(When::With("allow_pickle")),
    warning(
        "python/deserialize",
        &["yaml.load", "yaml.load_all"],
        "builds any object the text names; use `yaml.safe_load`",
    )
    .when(When::UnsafeLoader),
    warning(
        "python/deserialize",
        &["yaml.unsafe_load", "yaml.unsafe_load_all", "yaml.full_load", "yaml.full_load_all"],
        "builds objects the text names; use `yaml.safe_load`",
    ),
    warning(
        "python/hash",
        &["hashlib.md5", "hashlib.sha1"],
        "is broken where somebody may choose the data; use sha256, or say `usedforsecurity=False`",
    )
    .when(When::Without("usedforsecurity")),
    warning(
        "python/hash",
        &["ssl._create_unverified_context", "ssl.wrap_socket"],
        "does not verify whom it speaks to; use `ssl.create_default_context`",
    ),
    warning(
        "python/tls",
        &["requests.*", "httpx.*", "requests.Session().*", "httpx.Client().*"],
        "does not verify whom it speaks to; leave `verify` as it is",
    )
    .when(When::Off("verify")),
    warning(
        "python/tls",
        &[
            "ssl.PROTOCOL_SSLv2", "ssl.PROTOCOL_SSLv3", "ssl.PROTOCOL_SSLv23", "ssl.PROTOCOL_TLSv1",
            "ssl.PROTOCOL_TLSv1_1", "paramiko.AutoAddPolicy", "paramiko.WarningPolicy",
        ],
        "trusts whoever answers; use `ssl.create_default_context`, and known hosts",
    ),
    warning(
        "python/cipher",
        &[
            "Crypto.Cipher.ARC2.new", "Crypto.Cipher.ARC4.new", "Crypto.Cipher.Blowfish.new", "Crypto.Cipher.DES.new",
            "Crypto.Cipher.XOR.new", "Cryptodome.Cipher.ARC2.new", "Cryptodome.Cipher.ARC4.new",
            "Cryptodome.Cipher.Blowfish.new", "Cryptodome.Cipher.DES.new",
            "cryptography.hazmat.primitives.ciphers.modes.ECB",
            "cryptography.hazmat.primitives.ciphers.algorithms.ARC4",
            "cryptography.hazmat.primitives.ciphers.algorithms.Blowfish",
        ],
        "is broken or shows patterns of what it hides; use AES in GCM",
    ),
    warning("python/escape", &["jinja2.Environment"], "lets values become markup; pass `autoescape=True`")
        .when(When::Without("autoescape")),
    warning("python/escape", &["jinja2.Environment"], "lets values become markup; pass `autoescape=True`")
        .when(When::Off("autoescape")),
    warning(
        "python/escape",
        &["mako.template.Template", "django.utils.safestring.mark_safe"],
        "lets values become markup; escape them",
    ),
    warning("python/debug", &["flask.Flask().run"], "with `debug` gives everybody who reaches it a Python console")
        .when(When::With("debug")),
    warning(
        "python/temporary",
        &["tempfile.mktemp", "os.tempnam", "os.tmpnam"],
        "names a file that somebody else can make first; use `tempfile.mkstemp`",
    ),
    warning(
        "python/archive",
        &[
            "tarfile.open().extractall", "tarfile.TarFile().extractall", "tarfile.TarFile.open().extractall",
            "tarfile.open().extract", "tarfile.TarFile().extract",
        ],
        "writes wherever the archive says; pass `filter=\"data\"`",
    )
    .when(When::Without("filter")),
    warning("python/archive", &["shutil.unpack_archive"], "writes wherever a tar archive says; pass `filter=\"data\"`")
        .when(When::Without("filter")),
    warning(
        "python/xml",
        &[
            "xml.etree.ElementTree.parse", "xml.etree.ElementTree.fromstring", "xml.etree.ElementTree.iterparse",
            "xml.etree.ElementTree.XML", "xml.dom.minidom.parse", "xml.dom.minidom.parseString",
            "xml.dom.pulldom.parse", "xml.dom.pulldom.parseString", "xml.sax.parse", "xml.sax.parseString",
            "xml.sax.make_parser", "lxml.etree.parse", "lxml.etree.fromstring",
        ],
        "lets a document grow by its own entities; read only documents you trust",
    ),
    warning(
        "python/dynamic_import",
        &["importlib.import_module"],
        "imports a module whose name is computed; nobody can see which",
    )
    .when(When::Computed),
    warning(
        "python/network",
        &["pandas.read_*"],
        "is given an address, and a cell has no network; give the data as an input file",
    )
    .when(When::Address),
];

#[rustfmt::skip]
const ATTRIBUTES: &[Rule] = &[
    warning(
        "python/attribute",
        &["__globals__", "__builtins__", "__code__", "__closure__"],
        "leads into the interpreter; a program that needs it can be written plainer",
    ),
    warning(
        "python/attribute",
        FRAMES,
        "leads into the interpreter's frames and code; a program that needs it can be written plainer",
    ),
    warning(
        "python/sql",
        &["execute", "executemany", "executescript", "read_sql", "read_sql_query"],
        "is given a statement put together from parts; pass the values apart, with `?`",
    )
    .when(When::BuiltStatement),
];

#[rustfmt::skip]
const TEXTS: &[TextRule] = &[
    TextRule {
        is: TextIs::Memory,
        rule: "python/memory",
        severity: Severity::Error,
        why: "is the memory or the state of a process; no task reads or writes it by hand",
    },
    TextRule {
        is: TextIs::Key,
        rule: "python/secret",
        severity: Severity::Warning,
        why: "looks like a key, and programs are recorded; give it as an input file",
    },
];
