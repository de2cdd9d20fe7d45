//! The walk: each node of a program held against the table.
//!
//! Invariant: nothing here knows a module or a function by name; that is the table's. A builtin is what a name means
//! where no binding surely hides it, so `open = row["open"]` is a number and `if flag: eval = 1` hides nothing.

use std::collections::HashSet;

use base::{Finding, Severity};
use ruff_python_ast::{AnyNodeRef, Expr, ExprAttribute, ExprCall, ExprContext, ExprName};
use ruff_text_size::{Ranged, TextRange};

use super::arguments::{constant, folded, has_unknown, integer, is_false, keyword, positional};
use super::paths::Paths;
use super::program::{Program, Site};
use super::scopes::Place;
use super::strings::{self, is_dunder};
use super::table::{Policy, Rule, SAFE_LOADERS, When};

/// Everything the table says of a program.
pub fn walk(program: &Program, policy: &'static Policy) -> Vec<Finding> {
    let paths = Paths::new(&program.scopes);
    let mut walk = Walk { program, policy, paths, seen: HashSet::new(), findings: Vec::new(), errors: 0 };
    for site in &program.sites {
        walk.site(*site);
    }
    walk.findings
}

pub struct Walk<'p, 'a> {
    program: &'p Program<'a>,
    pub(super) policy: &'static Policy,
    paths: Paths<'p, 'a>,
    /// Operations that were looked at as parts of a larger one.
    seen: HashSet<TextRange>,
    findings: Vec<Finding>,
    errors: usize,
}

impl<'a> Walk<'_, 'a> {
    fn site(&mut self, Site { node, place }: Site<'a>) {
        match node {
            AnyNodeRef::StmtImport(node) => self.import(node),
            AnyNodeRef::StmtImportFrom(node) => self.import_from(node),
            AnyNodeRef::ExprName(node) => self.name(node, place),
            AnyNodeRef::ExprAttribute(node) => self.attribute(node, place),
            AnyNodeRef::PatternKeyword(node) => self.attribute_name(node.attr.as_str(), node.attr.range()),
            AnyNodeRef::ExprCall(node) => self.call(node, place),
            AnyNodeRef::ExprStringLiteral(node) => self.text(node.value.to_str(), node.range()),
            AnyNodeRef::ExprFString(_) | AnyNodeRef::ExprBinOp(_) => self.put_together(node),
            AnyNodeRef::StmtAssign(node) => node.targets.iter().for_each(|target| self.secret(target, &node.value)),
            AnyNodeRef::Keyword(node) => {
                if let (Some(name), Some(text)) = (&node.arg, constant(&node.value)) {
                    self.secret_under(name.as_str(), text, node.value.range());
                }
            }
            AnyNodeRef::StmtGlobal(node) => {
                node.names.iter().for_each(|name| self.interpreter_name(name.as_str(), name.range()));
            }
            _ => {}
        }
    }

    fn name(&mut self, node: &'a ExprName, place: Place) {
        if node.ctx != ExprContext::Load {
            return self.interpreter_name(&node.id, node.range());
        }
        let policy = self.policy;
        let is_called = self.program.called.contains(&node.range());
        let (bound, may_be_builtin) = self.program.scopes.look_up(&node.id, place, node.start());
        if may_be_builtin {
            for rule in policy.builtins.iter().filter(|rule| rule.is_about(&node.id)) {
                let is_a_value = matches!(rule.when, When::NamedUnlessBound) && !bound.is_empty() && !is_called;
                if speaks_of_a_name(rule, is_called) && !is_a_value {
                    self.say(rule, &node.id, node.range());
                }
            }
            for module in &self.program.scopes.stars {
                self.path(&format!("{module}.{}", node.id), is_called, node.range());
            }
        } else if !is_called {
            // What is only wrong when it is called wrongly must not be handed on under another name.
            for path in self.paths.of_name(&node.id, place, node.start()) {
                let handed_on = |rule: &&Rule| !matches!(rule.when, When::Named) && speaks_of_a_name(rule, false);
                for rule in policy.paths.iter().filter(handed_on).filter(|rule| rule.is_about(&path)) {
                    self.say(rule, &path, node.range());
                }
            }
        }
    }

    /// A name of the interpreter's own that is bound, deleted or declared.
    fn interpreter_name(&mut self, name: &str, range: TextRange) {
        let policy = self.policy;
        for rule in policy.builtins.iter().filter(|rule| is_dunder(name) && rule.is_about(name)) {
            self.say(rule, name, range);
        }
    }

    fn attribute(&mut self, node: &'a ExprAttribute, place: Place) {
        let before = self.findings.len();
        self.attribute_name(node.attr.as_str(), node.attr.range());
        if self.findings.len() > before {
            return;
        }
        let is_called = self.program.called.contains(&node.range());
        for path in self.paths.of_attribute(node, place) {
            self.path(&path, is_called, node.range());
            self.inside(&path, node.attr.range());
        }
    }

    fn path(&mut self, path: &str, is_called: bool, range: TextRange) {
        let policy = self.policy;
        let builtin = path.strip_prefix("builtins.").unwrap_or_default();
        let builtins = policy.builtins.iter().filter(|rule| rule.is_about(builtin));
        for rule in builtins.chain(policy.paths.iter().filter(|rule| rule.is_about(path))) {
            if speaks_of_a_name(rule, is_called) {
                self.say(rule, path, range);
            }
        }
    }

    fn attribute_name(&mut self, name: &str, range: TextRange) {
        let policy = self.policy;
        for rule in policy.attributes.iter().filter(|rule| matches!(rule.when, When::Named) && rule.is_about(name)) {
            self.say(rule, name, range);
        }
        if is_dunder(name) && policy.dunders_allowed.is_some_and(|allowed| !allowed.contains(&name)) {
            let message = format!("`{name}` leads into the interpreter; an analysis needs its data only");
            self.refuse("python/attribute", message, range);
        }
    }

    /// Whether an attribute may not be used, whatever it belongs to.
    fn is_refused(&self, name: &str) -> bool {
        let is_error = |rule: &&Rule| matches!(rule.when, When::Named) && rule.severity == Severity::Error;
        self.policy.attributes.iter().filter(is_error).any(|rule| rule.is_about(name))
            || (is_dunder(name) && self.policy.dunders_allowed.is_some_and(|allowed| !allowed.contains(&name)))
    }

    fn call(&mut self, node: &'a ExprCall, place: Place) {
        let policy = self.policy;
        let method = node.func.as_attribute_expr().map(|method| method.attr.as_str());
        for rule in method.into_iter().flat_map(|name| policy.attributes.iter().filter(move |rule| rule.is_about(name)))
        {
            if self.holds(rule.when, node, place) {
                self.say(rule, method.unwrap_or_default(), node.func.range());
            }
        }
        for path in self.paths.made_by_name(node, place) {
            self.member(&path, node.range());
        }
        for path in self.paths.of(&node.func, place) {
            let builtin = path.strip_prefix("builtins.").unwrap_or_default();
            let builtins = policy.builtins.iter().filter(|rule| rule.is_about(builtin));
            for rule in builtins.chain(policy.paths.iter().filter(|rule| rule.is_about(&path))) {
                if self.holds(rule.when, node, place) {
                    self.say(rule, path.strip_prefix("builtins.").unwrap_or(&path), node.func.range());
                }
            }
        }
    }

    /// Whether a call is what a rule speaks of; rules about names have spoken where the name stands.
    fn holds(&self, when: When, call: &'a ExprCall, place: Place) -> bool {
        let arguments = &call.arguments.args;
        let is_plain =
            |argument: &Expr| constant(argument).is_some_and(|name| !name.split('.').any(|part| self.is_refused(part)));
        match when {
            When::Named | When::NamedUnlessBound => false,
            When::NamedOrComputed(index) => has_unknown(call) || !arguments.get(index).is_some_and(is_plain),
            When::NamedOrAnyComputed(index) => has_unknown(call) || !arguments.iter().skip(index).all(is_plain),
            When::Computed => positional(call, 0, "name").is_none_or(|argument| constant(argument).is_none()),
            When::With(name) => keyword(call, name).is_some_and(|keyword| !is_false(&keyword.value)),
            When::Without(name) => keyword(call, name).is_none() && !has_unknown(call),
            When::Off(name) => keyword(call, name).is_some_and(|keyword| is_false(&keyword.value)),
            When::First(numbers) => arguments.first().and_then(integer).is_some_and(|first| numbers.contains(&first)),
            When::Arguments(least) => arguments.len() >= least,
            When::UnsafeLoader => !positional(call, 1, "Loader").is_some_and(|loader| {
                let of = self.paths.of(loader, place);
                of.iter().any(|path| SAFE_LOADERS.iter().any(|safe| path.rsplit('.').next() == Some(*safe)))
            }),
            When::BuiltStatement => arguments.first().is_some_and(|statement| {
                let folded = folded(statement.into());
                folded.is_mixed && strings::is_statement(&folded.text)
            }),
            When::Address => arguments.first().is_some_and(|first| strings::is_address(&folded(first.into()).text)),
            When::ReachesOut => {
                arguments.first().is_some_and(|first| self.reaches_out(&folded(first.into()).text, call, place))
            }
        }
    }

    /// Whether an expression of pandas names the interpreter's attributes or, after `@`, a module.
    fn reaches_out(&self, expression: &str, call: &'a ExprCall, place: Place) -> bool {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut words = expression.split(|letter| !is_part(letter));
        let is_module = |name: &str| {
            let paths = self.paths.of_name(name, place, call.start());
            paths.iter().any(|path| !path.starts_with("builtins.") && !path.contains(['(', '[']))
        };
        words.any(|word| self.is_refused(word)) || strings::outer_names(expression).any(is_module)
    }

    fn text(&mut self, text: &str, range: TextRange) {
        let policy = self.policy;
        for rule in policy.texts {
            if strings::is_about(rule.is, text, |name| self.is_refused(name)) {
                let message = format!("`{}` {}", strings::shown(rule.is, text), rule.why);
                self.add(rule.rule, rule.severity, message, range);
            }
        }
    }

    /// A text made of parts is looked at as a whole; its constant parts are looked at where they stand.
    fn put_together(&mut self, node: AnyNodeRef<'a>) {
        if self.seen.remove(&node.range()) {
            return;
        }
        let folded = folded(node);
        self.seen.extend(folded.operations.into_iter().filter(|range| *range != node.range()));
        if !folded.text.is_empty() {
            self.text(&folded.text, node.range());
        }
    }

    fn secret(&mut self, target: &Expr, value: &Expr) {
        let name = match target {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            Expr::Subscript(subscript) => constant(&subscript.slice).unwrap_or_default(),
            _ => return,
        };
        if let Some(text) = constant(value) {
            self.secret_under(name, text, value.range());
        }
    }

    fn secret_under(&mut self, name: &str, text: &str, range: TextRange) {
        if strings::is_secret(name, text) {
            let message = format!("`{name}` is written into the program, and programs are recorded; give it as a file");
            self.add("python/secret", Severity::Warning, message, range);
        }
    }

    pub(super) fn say(&mut self, rule: &Rule, name: &str, range: TextRange) {
        self.add(rule.rule, rule.severity, format!("`{name}` {}", rule.why), range);
    }

    pub(super) fn refuse(&mut self, rule: &str, message: String, range: TextRange) {
        self.add(rule, Severity::Error, message, range);
    }

    fn add(&mut self, rule: &str, severity: Severity, message: String, range: TextRange) {
        self.errors += usize::from(severity == Severity::Error);
        self.findings.push(Finding { rule: rule.to_string(), severity, message, span: Some(super::span(range)) });
    }

    pub(super) fn errors(&self) -> usize {
        self.errors
    }
}

/// Whether a rule says something of a name alone; those about calls wait for the call.
fn speaks_of_a_name(rule: &Rule, is_called: bool) -> bool {
    match rule.when {
        When::Named | When::NamedUnlessBound => true,
        When::NamedOrComputed(_) | When::NamedOrAnyComputed(_) => !is_called,
        _ => false,
    }
}
