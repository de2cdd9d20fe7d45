//! The rules: what each profile says of which module, name, attribute, path and call, and why.
//!
//! The one idea: judgement is data. A rule names what it is about, how bad that is, and a sentence that follows the
//! name in a message: what is wrong, then what to write instead. Paths are dotted, `()` is the result of a call, and a
//! `*` at the end stands for any letters.

mod analysis;
mod task;

use base::Severity;

use super::Profile;

/// Everything one profile says.
pub struct Policy {
    /// The only modules that may be imported, by their roots; `None` if any may.
    pub modules_allowed: Option<&'static [&'static str]>,
    /// What is said of modules, whatever lies below them included.
    pub modules: &'static [Rule],
    /// What is said of builtins, by their names.
    pub builtins: &'static [Rule],
    /// What is said of anything with a dotted path.
    pub paths: &'static [Rule],
    /// What is said of attributes, whatever they belong to.
    pub attributes: &'static [Rule],
    /// The only attributes of the form `__name__`; `None` if any may be.
    pub dunders_allowed: Option<&'static [&'static str]>,
    /// Names of modules that may not be reached as attributes of others.
    pub modules_inside: &'static [&'static str],
    /// Whether private names of modules may be used.
    pub private_names: bool,
    /// What is said of constant texts.
    pub texts: &'static [TextRule],
}

/// What is said of some names.
pub struct Rule {
    pub names: &'static [&'static str],
    pub rule: &'static str,
    pub severity: Severity,
    pub when: When,
    /// Follows the name in a message.
    pub why: &'static str,
}

/// When a rule holds.
#[derive(Clone, Copy)]
pub enum When {
    /// Wherever it is named: a reference can be called later under another name.
    Named,
    /// Wherever it is named, except that a name which is bound somewhere may be mentioned: people call their values so.
    NamedUnlessBound,
    /// Named without being called, or called with a name that is computed or not a plain attribute's; the number is the
    /// position of the first such argument.
    NamedOrComputed(usize),
    /// The same for every argument from that position on.
    NamedOrAnyComputed(usize),
    /// Called with an expression of pandas that reaches a module or the interpreter through `@`.
    ReachesOut,
    /// Called with something else than a constant text as its first argument.
    Computed,
    /// Called with this keyword and not surely with something false.
    With(&'static str),
    /// Called without this keyword.
    Without(&'static str),
    /// Called with this keyword and surely with something false.
    Off(&'static str),
    /// Called with one of these whole numbers first.
    First(&'static [i64]),
    /// Called with at least so many positional arguments.
    Arguments(usize),
    /// Called without a loader that builds plain data only.
    UnsafeLoader,
    /// Called with a statement that is put together from parts.
    BuiltStatement,
    /// Called with an address of the network first.
    Address,
}

/// What is said of a constant text.
pub struct TextRule {
    pub is: TextIs,
    pub rule: &'static str,
    pub severity: Severity,
    pub why: &'static str,
}

/// How a text is recognised.
#[derive(Clone, Copy)]
pub enum TextIs {
    /// It has a field such as `{0.__class__}`, which reads an attribute when it is formatted.
    Format,
    /// It is the name of an attribute that may not be used.
    Refused,
    /// It begins so.
    Beginning(&'static [&'static str]),
    /// It is a path of the system that leads to the memory or the state of processes.
    Memory,
    /// It looks like a key of a known service, or a private key.
    Key,
}

/// The table of a profile.
pub fn policy(profile: Profile) -> &'static Policy {
    match profile {
        Profile::Analysis => &analysis::POLICY,
        Profile::Task => &task::POLICY,
    }
}

const fn error(rule: &'static str, names: &'static [&'static str], why: &'static str) -> Rule {
    Rule { names, rule, severity: Severity::Error, when: When::Named, why }
}

const fn warning(rule: &'static str, names: &'static [&'static str], why: &'static str) -> Rule {
    Rule { names, rule, severity: Severity::Warning, when: When::Named, why }
}

impl Rule {
    const fn when(self, when: When) -> Rule {
        Rule { when, ..self }
    }

    /// Whether the rule is about this name or path.
    pub fn is_about(&self, path: &str) -> bool {
        let path = path.as_bytes();
        // Asked of every name of a program and every name of the table, so the cheap question comes first.
        for name in self.names {
            let name = name.as_bytes();
            let is_same = name.len() == path.len() && name == path;
            if is_same || (name.last() == Some(&b'*') && continues(path, &name[..name.len() - 1])) {
                return true;
            }
        }
        false
    }
}

/// Whether a path begins so and has no further part.
fn continues(path: &[u8], beginning: &[u8]) -> bool {
    path.strip_prefix(beginning).is_some_and(|rest| !rest.contains(&b'.'))
}

/// Attributes through which a frame or code object is reached.
#[rustfmt::skip]
pub const FRAMES: &[&str] = &[
    "gi_frame", "gi_code", "gi_yieldfrom", "cr_frame", "cr_code", "cr_await", "cr_origin", "ag_frame", "ag_code",
    "ag_await", "f_back", "f_globals", "f_locals", "f_builtins", "f_code", "f_trace", "tb_frame", "tb_next",
    "func_globals", "func_code", "co_code", "co_consts", "co_names",
];

/// Attributes whose names are refused also as texts, because a text can become an attribute in many ways.
#[rustfmt::skip]
pub const DUNDERS_REFUSED: &[&str] = &[
    "__class__", "__base__", "__bases__", "__mro__", "__subclasses__", "__globals__", "__builtins__", "__import__",
    "__code__", "__closure__", "__dict__", "__getattribute__", "__getattr__", "__loader__", "__spec__", "__reduce__",
    "__reduce_ex__", "__traceback__", "__self__", "__func__", "__wrapped__", "__defaults__", "__kwdefaults__",
    "__build_class__", "__init_subclass__", "__subclasshook__",
];

/// Words a name has to hold for its value to be a secret.
#[rustfmt::skip]
pub const SECRET_WORDS: &[&str] =
    &["password", "passwd", "secret", "api_key", "apikey", "access_key", "auth_token", "access_token"];

/// How keys of known services begin.
#[rustfmt::skip]
pub const KEY_BEGINNINGS: &[&str] =
    &["AKIA", "ASIA", "ghp_", "gho_", "github_pat_", "glpat-", "sk-", "xoxb-", "xoxp-", "AIza"];

/// Loaders that build plain data only.
#[rustfmt::skip]
pub const SAFE_LOADERS: &[&str] = &["SafeLoader", "CSafeLoader", "BaseLoader", "CBaseLoader"];
