//! What is surely or probably a mistake in a program, whoever wrote it: names that nothing binds, calls of the program's
//! own functions that cannot work, statements that nothing reaches, and what reaches for whoever holds it to account.
//!
//! The rules beside it ask what a program may do; this asks whether it hangs together. The one idea: only what can be
//! known without a type is said. Where a program makes names as it runs (`import *`, `exec`, `globals()`), no name is
//! called unbound.

use base::{Finding, Severity};
use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_expr};
use ruff_python_ast::{AnyNodeRef, CmpOp, Expr, ExprCall, ExprContext, ModModule, Parameters, Stmt, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange};

use super::program::{self, Program};
use super::scopes::Scopes;
use super::shape::{does_nothing, tree};
use super::table::FRAMES;

/// The rules whose findings say that a program does not hang together: it would fail where that place is reached.
pub const FAULTS: &[&str] = &["python/undefined", "python/arguments"];
/// The rules whose findings say that a program may be meant otherwise; none of them makes it dangerous.
pub const REMARKS: &[&str] = &[
    "python/undefined",
    "python/arguments",
    "python/unreachable",
    "python/unused",
    "python/default",
    "python/identity",
];
/// The rule about programs that reach for what holds them against checks.
pub const TAMPERING: &str = "python/tampering";
/// More say no more.
const EACH_MAX: usize = 10;

/// What is said of a program beside the rules of a profile; nothing of one that cannot be read.
pub fn lint(text: &str) -> Vec<Finding> {
    let Some(module) = tree(text) else { return Vec::new() };
    let program = program::read(&module);
    let mut findings = undefined(&program);
    findings.extend(calls(&module, &program));
    findings.extend(unreachable(&module));
    findings.extend(unused(&module));
    findings.extend(slips(&program));
    findings.extend(tampering(&program));
    findings.sort_by_key(|finding| finding.span.map_or(0, |span| span.start));
    findings
}

fn say(rule: &str, severity: Severity, message: String, range: TextRange) -> Finding {
    Finding { rule: rule.to_string(), severity, message, span: Some(super::span(range)) }
}

fn warn(rule: &str, message: String, range: TextRange) -> Finding {
    say(rule, Severity::Warning, message, range)
}

/// Names that are read and that nothing binds.
fn undefined(program: &Program) -> Vec<Finding> {
    let makes_names = program.sites.iter().any(|site| match site.node {
        AnyNodeRef::StmtImportFrom(node) => node.names.iter().any(|alias| alias.name.as_str() == "*"),
        AnyNodeRef::ExprName(node) => {
            matches!(node.id.as_str(), "globals" | "locals" | "vars" | "exec" | "eval" | "setattr" | "NameError")
        }
        _ => false,
    });
    if makes_names {
        return Vec::new();
    }
    let mut told: Vec<&str> = Vec::new();
    let mut findings = Vec::new();
    for site in &program.sites {
        let AnyNodeRef::ExprName(node) = site.node else { continue };
        let name = node.id.as_str();
        if node.ctx != ExprContext::Load || told.contains(&name) || BUILTINS.contains(&name) {
            continue;
        }
        let (bound, _) = program.scopes.look_up(name, site.place, node.range().start());
        if bound.is_empty() && findings.len() < EACH_MAX {
            told.push(name);
            let message = format!("`{name}` is not defined anywhere; import it, define it, or mend its spelling");
            findings.push(warn("python/undefined", message, node.range()));
        }
    }
    findings
}

/// Calls of functions and classes of this module that their parameters do not allow.
fn calls(module: &ModModule, program: &Program) -> Vec<Finding> {
    let mut own: Vec<(&str, &Parameters, usize)> = Vec::new();
    for statement in &module.body {
        match statement {
            Stmt::FunctionDef(function) if function.decorator_list.is_empty() => {
                own.push((function.name.as_str(), &function.parameters, 0));
            }
            Stmt::ClassDef(class) if class.decorator_list.is_empty() && class.arguments.is_none() => {
                let functions: Vec<&StmtFunctionDef> =
                    class.body.iter().filter_map(Stmt::as_function_def_stmt).collect();
                let named = |name: &str| functions.iter().filter(|one| one.name.as_str() == name).collect::<Vec<_>>();
                if let ([made], []) = (named("__init__").as_slice(), named("__new__").as_slice()) {
                    own.push((class.name.as_str(), &made.parameters, 1));
                }
            }
            _ => {}
        }
    }
    let root = Scopes::ROOT.scope;
    // What is bound twice may be either.
    own.retain(|(name, ..)| program.scopes.bound(root, name).is_some_and(|(_, bound)| bound.origins.len() == 1));
    let mut findings = Vec::new();
    for site in &program.sites {
        let AnyNodeRef::ExprCall(call) = site.node else { continue };
        let Expr::Name(name) = &*call.func else { continue };
        let Some((_, parameters, given)) = own.iter().find(|(own, ..)| *own == name.id.as_str()) else { continue };
        let (bound, _) = program.scopes.look_up(&name.id, site.place, name.range().start());
        if bound.as_slice() != [root] || findings.len() >= EACH_MAX {
            continue;
        }
        if let Some(why) = misfit(parameters, *given, call) {
            findings.push(warn("python/arguments", format!("`{}` {why}", name.id), call.range()));
        }
    }
    findings
}

/// Why a call cannot be one of a function with these parameters, of which the first `given` are given by the interpreter.
fn misfit(parameters: &Parameters, given: usize, call: &ExprCall) -> Option<String> {
    let arguments = &call.arguments;
    if arguments.args.iter().any(Expr::is_starred_expr) || arguments.keywords.iter().any(|one| one.arg.is_none()) {
        return None;
    }
    let places: Vec<_> = parameters.posonlyargs.iter().chain(&parameters.args).skip(given).collect();
    let count = arguments.args.len();
    if count > places.len() && parameters.vararg.is_none() {
        return Some(format!("takes {} arguments by place and is given {count}", places.len()));
    }
    let keywords: Vec<&str> =
        arguments.keywords.iter().filter_map(|one| one.arg.as_ref()).map(|name| name.as_str()).collect();
    let is_named = |name: &&str| {
        let all = parameters.args.iter().chain(&parameters.kwonlyargs);
        all.into_iter().any(|one| one.parameter.name.as_str() == *name)
    };
    if let Some(name) = keywords.iter().find(|name| parameters.kwarg.is_none() && !is_named(name)) {
        return Some(format!("has no parameter `{name}`"));
    }
    let name = |one: &&ruff_python_ast::ParameterWithDefault| one.parameter.name.as_str().to_string();
    if let Some(twice) = places.iter().take(count).map(name).find(|one| keywords.contains(&one.as_str())) {
        return Some(format!("is given `{twice}` twice"));
    }
    let wanting = places.iter().skip(count).copied().chain(&parameters.kwonlyargs);
    let missing =
        wanting.filter(|one| one.default.is_none()).find(|one| !keywords.contains(&one.parameter.name.as_str()));
    missing.map(|one| format!("is not given `{}`", one.parameter.name))
}

/// Statements after one that leaves their block.
fn unreachable(module: &ModModule) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut pending: Vec<&[Stmt]> = vec![&module.body];
    while let Some(block) = pending.pop() {
        let leaves = |statement: &Stmt| {
            matches!(statement, Stmt::Return(_) | Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_))
        };
        if let Some([_, after, ..]) = block.iter().position(leaves).map(|at| &block[at..]) {
            // `return` before `yield` makes a generator that gives nothing.
            let is_idiom = matches!(after, Stmt::Expr(only) if only.value.is_yield_expr());
            if !is_idiom && findings.len() < EACH_MAX {
                findings.push(warn("python/unreachable", "nothing comes to this statement".into(), after.range()));
            }
        }
        block.iter().for_each(|statement| pending.extend(blocks(statement)));
    }
    findings
}

/// The blocks of a statement.
fn blocks(statement: &Stmt) -> Vec<&[Stmt]> {
    match statement {
        Stmt::FunctionDef(one) => vec![&one.body],
        Stmt::ClassDef(one) => vec![&one.body],
        Stmt::For(one) => vec![&one.body, &one.orelse],
        Stmt::While(one) => vec![&one.body, &one.orelse],
        Stmt::With(one) => vec![&one.body],
        Stmt::If(one) => {
            let clauses = one.elif_else_clauses.iter().map(|clause| &*clause.body);
            std::iter::once(&*one.body).chain(clauses).collect()
        }
        Stmt::Try(one) => {
            let handlers = one.handlers.iter().filter_map(|one| one.as_except_handler()).map(|one| &*one.body);
            [&*one.body, &*one.orelse, &*one.finalbody].into_iter().chain(handlers).collect()
        }
        Stmt::Match(one) => one.cases.iter().map(|case| &*case.body).collect(),
        _ => Vec::new(),
    }
}

/// Parameters of the module's functions that their bodies never mention.
fn unused(module: &ModModule) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in module.body.iter().filter_map(Stmt::as_function_def_stmt) {
        if !function.decorator_list.is_empty() || function.body.iter().all(does_nothing) {
            continue;
        }
        let mut mentioned = Mentioned(Vec::new());
        mentioned.visit_body(&function.body);
        if mentioned.0.iter().any(|name| matches!(*name, "locals" | "vars")) {
            continue;
        }
        for parameter in &function.parameters {
            let name = parameter.name().as_str();
            if !name.starts_with('_') && !mentioned.0.contains(&name) && findings.len() < EACH_MAX {
                let message = format!("`{}` never uses its parameter `{name}`", function.name);
                findings.push(warn("python/unused", message, parameter.name().range()));
            }
        }
    }
    findings
}

/// Names that stand in a body.
struct Mentioned<'a>(Vec<&'a str>);

impl<'a> SourceOrderVisitor<'a> for Mentioned<'a> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Name(name) = expression {
            self.0.push(&name.id);
        }
        walk_expr(self, expression);
    }
}

/// What is valid and hardly ever meant: a default that all calls share, and identity of values that only are equal.
fn slips(program: &Program) -> Vec<Finding> {
    let mut findings = Vec::new();
    for site in &program.sites {
        match site.node {
            AnyNodeRef::StmtFunctionDef(function) => {
                let shared = |default: &&Expr| {
                    let is_made = matches!(default, Expr::Call(call) if matches!(&*call.func,
                        Expr::Name(name) if matches!(name.id.as_str(), "list" | "dict" | "set")));
                    is_made || default.is_list_expr() || default.is_dict_expr() || default.is_set_expr()
                };
                for default in function.parameters.iter().filter_map(|one| one.default()).filter(shared) {
                    let message = format!("every call of `{}` shares this default; use None", function.name);
                    findings.push(warn("python/default", message, default.range()));
                }
            }
            AnyNodeRef::ExprCompare(compare) => {
                let by_identity = compare.ops.iter().zip(&compare.comparators).any(|(operator, with)| {
                    matches!(operator, CmpOp::Is | CmpOp::IsNot)
                        && (with.is_number_literal_expr() || with.is_string_literal_expr())
                });
                if by_identity {
                    let message = "`is` asks whether it is the same object; write `==`".to_string();
                    findings.push(warn("python/identity", message, compare.range()));
                }
            }
            _ => {}
        }
    }
    findings.truncate(EACH_MAX);
    findings
}

/// What has a use only where a program looks for whoever holds it against checks: frames of its callers, all objects of the
/// interpreter, other modules' functions replaced, and objects that equal anything. An error: such a program proves nothing.
fn tampering(program: &Program) -> Vec<Finding> {
    let modules = imported(program);
    let why = "reaches for what holds the program against its checks; write it without";
    let error = |what: &str, range| say(TAMPERING, Severity::Error, format!("`{what}` {why}"), range);
    let of_module = |expression: &Expr| root_name(expression).is_some_and(|name| modules.contains(&name));
    let mut findings = Vec::new();
    for site in &program.sites {
        match site.node {
            AnyNodeRef::ExprAttribute(node) => {
                let name = node.attr.as_str();
                let of = |module: &str| matches!(&*node.value, Expr::Name(value) if value.id.as_str() == module);
                let looks =
                    FRAMES.contains(&name) || JUDGES.iter().any(|(module, names)| of(module) && names.contains(&name));
                let replaces = node.ctx != ExprContext::Load && of_module(&node.value);
                if looks || replaces || (name == "__dict__" && of_module(&node.value)) {
                    findings.push(error(name, node.range()));
                }
            }
            AnyNodeRef::ExprCall(call) => {
                let called = call.func.as_name_expr().map(|name| name.id.as_str()).unwrap_or_default();
                let is_changed = matches!(called, "setattr" | "delattr" | "vars");
                if is_changed && call.arguments.args.first().is_some_and(of_module) {
                    findings.push(error(called, call.range()));
                }
            }
            AnyNodeRef::StmtImport(node) => {
                let own = node.names.iter().filter(|alias| alias.name.as_str() == "__main__");
                findings.extend(own.map(|alias| error("__main__", alias.range())));
            }
            AnyNodeRef::StmtImportFrom(node) => {
                let from = node.module.as_ref().map_or("", |module| module.as_str());
                let looks = |name: &str| {
                    from == "__main__" || JUDGES.iter().any(|(module, names)| *module == from && names.contains(&name))
                };
                let named = node.names.iter().filter(|alias| looks(alias.name.as_str()));
                findings.extend(named.map(|alias| error(alias.name.as_str(), alias.range())));
            }
            AnyNodeRef::StmtFunctionDef(function) if equals_anything(function) => {
                let message = "`__eq__` is true of anything, so a comparison with it proves nothing".to_string();
                findings.push(say(TAMPERING, Severity::Error, message, function.name.range()));
            }
            _ => {}
        }
    }
    findings.truncate(EACH_MAX);
    findings
}

/// What of modules shows a program who runs it.
const JUDGES: &[(&str, &[&str])] = &[
    ("sys", &["_getframe", "_current_frames", "settrace", "setprofile", "addaudithook", "modules"]),
    ("gc", &["get_objects", "get_referrers", "get_referents"]),
    ("inspect", &["currentframe", "stack", "trace", "getouterframes"]),
];

/// The names by which whole modules are known.
fn imported<'a>(program: &Program<'a>) -> Vec<&'a str> {
    let mut modules = Vec::new();
    for site in &program.sites {
        let AnyNodeRef::StmtImport(node) = site.node else { continue };
        modules.extend(node.names.iter().map(|alias| match &alias.asname {
            Some(name) => name.as_str(),
            None => alias.name.as_str().split('.').next().unwrap_or_default(),
        }));
    }
    modules
}

fn equals_anything(function: &StmtFunctionDef) -> bool {
    let gives_true = |statement: &Stmt| {
        let Stmt::Return(given) = statement else { return false };
        matches!(given.value.as_deref(), Some(Expr::BooleanLiteral(literal)) if literal.value)
    };
    function.name.as_str() == "__eq__" && function.body.iter().all(|one| does_nothing(one) || gives_true(one))
}

/// The name that a chain of attributes begins with.
fn root_name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(&name.id),
        Expr::Attribute(attribute) => root_name(&attribute.value),
        _ => None,
    }
}

/// What Python 3.11 binds by itself, in modules and in class bodies.
#[rustfmt::skip]
const BUILTINS: &[&str] = &[
    "abs", "aiter", "all", "anext", "any", "ascii", "bin", "bool", "breakpoint", "bytearray", "bytes", "callable", "chr",
    "classmethod", "compile", "complex", "copyright", "credits", "delattr", "dict", "dir", "divmod", "enumerate", "eval",
    "exec", "exit", "filter", "float", "format", "frozenset", "getattr", "globals", "hasattr", "hash", "help", "hex", "id",
    "input", "int", "isinstance", "issubclass", "iter", "len", "license", "list", "locals", "map", "max", "memoryview",
    "min", "next", "object", "oct", "open", "ord", "pow", "print", "property", "quit", "range", "repr", "reversed",
    "round", "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super", "tuple", "type", "vars", "zip",
    "Ellipsis", "False", "None", "NotImplemented", "True", "__annotations__", "__build_class__", "__builtins__",
    "__class__", "__debug__", "__dict__", "__doc__", "__file__", "__import__", "__loader__", "__module__", "__name__",
    "__package__", "__path__", "__qualname__", "__spec__",
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BaseExceptionGroup", "BlockingIOError",
    "BrokenPipeError", "BufferError", "BytesWarning", "ChildProcessError", "ConnectionAbortedError", "ConnectionError",
    "ConnectionRefusedError", "ConnectionResetError", "DeprecationWarning", "EOFError", "EncodingWarning",
    "EnvironmentError", "Exception", "ExceptionGroup", "FileExistsError", "FileNotFoundError", "FloatingPointError",
    "FutureWarning", "GeneratorExit", "IOError", "ImportError", "ImportWarning", "IndentationError", "IndexError",
    "InterruptedError", "IsADirectoryError", "KeyError", "KeyboardInterrupt", "LookupError", "MemoryError",
    "ModuleNotFoundError", "NameError", "NotADirectoryError", "NotImplementedError", "OSError", "OverflowError",
    "PendingDeprecationWarning", "PermissionError", "ProcessLookupError", "RecursionError", "ReferenceError",
    "ResourceWarning", "RuntimeError", "RuntimeWarning", "StopAsyncIteration", "StopIteration", "SyntaxError",
    "SyntaxWarning", "SystemError", "SystemExit", "TabError", "TimeoutError", "TypeError", "UnboundLocalError",
    "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError", "UnicodeWarning", "UserWarning",
    "ValueError", "Warning", "ZeroDivisionError",
];

#[cfg(test)]
mod tests;
