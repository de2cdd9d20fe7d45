//! One pass over the tree: every node with its place, and the bindings of every scope.
//!
//! The pass keeps its own stack, so it does not recurse. Children are visited in the order of the text by the parser's
//! own visitor, which knows every node there is; only nodes that open a scope or a block are taken apart here, because
//! parts of them (decorators, defaults, the first iterable of a comprehension) are evaluated outside of it.

use std::collections::HashSet;

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, TraversalSignal};
use ruff_python_ast::{self as ast, AnyNodeRef, Comprehension, Expr, ExprContext, Parameters, Stmt};
use ruff_text_size::{Ranged, TextRange, TextSize};

use super::scopes::{Kind, Origin, Place, Scopes};

/// A node and where it stands.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    pub node: AnyNodeRef<'a>,
    pub place: Place,
}

/// How many items of a list are followed to the name that stands for each.
const ITEMS_MAX: usize = 32;

/// A program taken apart.
pub struct Program<'a> {
    /// Every node, in the order of the text.
    pub sites: Vec<Site<'a>>,
    pub scopes: Scopes<'a>,
    /// The ranges of expressions that are called where they stand.
    pub called: HashSet<TextRange>,
}

/// Takes a module apart.
pub fn read(module: &ast::ModModule) -> Program<'_> {
    let program = Program { sites: Vec::new(), scopes: Scopes::new(), called: HashSet::new() };
    let mut reader = Reader { program, pending: Vec::new() };
    reader.later(AnyNodeRef::from(module), Scopes::ROOT);
    while let Some(site) = reader.pending.pop() {
        reader.program.sites.push(site);
        let before = reader.pending.len();
        reader.take_apart(site);
        reader.pending[before..].reverse();
    }
    reader.program
}

struct Reader<'a> {
    program: Program<'a>,
    /// The next node is the last.
    pending: Vec<Site<'a>>,
}

/// Gathers the children of one node.
struct Children<'a>(Vec<AnyNodeRef<'a>>);

impl<'a> SourceOrderVisitor<'a> for Children<'a> {
    fn enter_node(&mut self, node: AnyNodeRef<'a>) -> TraversalSignal {
        self.0.push(node);
        TraversalSignal::Skip
    }
}

impl<'a> Reader<'a> {
    fn later(&mut self, node: AnyNodeRef<'a>, place: Place) {
        self.pending.push(Site { node, place });
    }

    fn all_later<T>(&mut self, nodes: impl IntoIterator<Item = T>, place: Place)
    where
        AnyNodeRef<'a>: From<T>,
    {
        self.pending.extend(nodes.into_iter().map(|node| Site { node: node.into(), place }));
    }

    fn children_later(&mut self, node: AnyNodeRef<'a>, place: Place) {
        let mut children = Children(Vec::new());
        node.visit_source_order(&mut children);
        self.pending.extend(children.0.into_iter().map(|node| Site { node, place }));
    }

    fn bind(&mut self, name: &'a str, origin: Origin<'a>, place: Place, since: Option<TextSize>) {
        self.program.scopes.bind(name, origin, place, since);
    }

    /// A block of statements that runs when its parent has come to an offset.
    fn block_later(&mut self, body: &'a [Stmt], outer: Place, at: TextSize) -> Place {
        let inner = self.program.scopes.block(outer, at);
        self.all_later(body, inner);
        inner
    }

    fn take_apart(&mut self, Site { node, place }: Site<'a>) {
        let end = node.end();
        match node {
            AnyNodeRef::StmtFunctionDef(function) => return self.function(function, place),
            AnyNodeRef::StmtClassDef(class) => return self.class(class, place),
            AnyNodeRef::ExprLambda(lambda) => return self.lambda(lambda, place),
            AnyNodeRef::ExprListComp(node) => {
                return self.comprehension(&node.generators, [Some(&*node.elt), None], place);
            }
            AnyNodeRef::ExprSetComp(node) => {
                return self.comprehension(&node.generators, [Some(&*node.elt), None], place);
            }
            AnyNodeRef::ExprGenerator(node) => {
                return self.comprehension(&node.generators, [Some(&*node.elt), None], place);
            }
            AnyNodeRef::ExprDictComp(node) => {
                return self.comprehension(&node.generators, [node.key.as_deref(), Some(&*node.value)], place);
            }
            AnyNodeRef::StmtIf(_) | AnyNodeRef::StmtWhile(_) | AnyNodeRef::StmtTry(_) => {
                return self.branches(node, place);
            }
            AnyNodeRef::StmtFor(node) => return self.for_loop(node, place),
            AnyNodeRef::StmtWith(node) => return self.with(node, place),
            AnyNodeRef::ExceptHandlerExceptHandler(handler) => return self.handler(handler, place),
            AnyNodeRef::MatchCase(case) => return self.case(case, place),
            AnyNodeRef::StmtAssign(node) => {
                node.targets.iter().for_each(|target| self.target(target, Some(&node.value), place, Some(end)));
            }
            AnyNodeRef::StmtAnnAssign(node) => {
                self.target(&node.target, node.value.as_deref(), place, node.value.as_ref().map(|_| end));
            }
            AnyNodeRef::ExprNamed(node) => {
                // Never sure: the expression around it may not come to it.
                let outer = self.program.scopes.around_comprehensions(place);
                self.target(&node.target, Some(&node.value), outer, None);
            }
            AnyNodeRef::StmtImport(node) => node.names.iter().for_each(|alias| self.import(alias, place, end)),
            AnyNodeRef::StmtImportFrom(node) => self.import_from(node, place, end),
            AnyNodeRef::StmtGlobal(node) => {
                node.names.iter().for_each(|name| self.program.scopes.declare_global(name.as_str(), place));
            }
            AnyNodeRef::StmtNonlocal(node) => {
                node.names.iter().for_each(|name| self.program.scopes.declare_nonlocal(name.as_str(), place));
            }
            AnyNodeRef::ExprName(node) if node.ctx == ExprContext::Del => self.program.scopes.delete(&node.id, place),
            AnyNodeRef::ExprCall(node) => {
                self.program.called.insert(node.func.range());
            }
            _ => {}
        }
        self.children_later(node, place);
    }

    /// Binds the names of a target; a tuple is followed where its value is one of the same length.
    fn target(&mut self, target: &'a Expr, value: Option<&'a Expr>, place: Place, since: Option<TextSize>) {
        match target {
            Expr::Name(name) => {
                let origin = value.map_or(Origin::Unknown, |value| Origin::Value(value, place));
                self.bind(&name.id, origin, place, since);
            }
            Expr::Starred(starred) => self.target(&starred.value, None, place, since),
            _ => {
                let Some(targets) = items(target) else { return };
                let values = value.and_then(items).filter(|values| values.len() == targets.len());
                for (index, target) in targets.iter().enumerate() {
                    self.target(target, values.map(|values| &values[index]), place, since);
                }
            }
        }
    }

    /// Binds a target that stands for one item of an iterable after the other; those of a list are known.
    fn each(&mut self, target: &'a Expr, iterable: &'a Expr, outer: Place, inner: Place, since: Option<TextSize>) {
        self.target(target, None, inner, since);
        if let (Expr::Name(name), Some(items)) = (target, items(iterable)) {
            for item in items.iter().take(ITEMS_MAX) {
                self.bind(&name.id, Origin::Value(item, outer), inner, since);
            }
        }
    }

    fn import(&mut self, alias: &'a ast::Alias, place: Place, end: TextSize) {
        let path = alias.name.as_str();
        match &alias.asname {
            Some(name) => self.bind(name.as_str(), Origin::Module(path), place, Some(end)),
            None => {
                let root = path.split('.').next().unwrap_or(path);
                self.bind(root, Origin::Module(root), place, Some(end));
            }
        }
    }

    fn import_from(&mut self, node: &'a ast::StmtImportFrom, place: Place, end: TextSize) {
        let module = node.module.as_ref().map(|module| module.as_str()).filter(|_| node.level == 0);
        for alias in &node.names {
            match (alias.name.as_str(), module) {
                ("*", Some(module)) => self.program.scopes.import_all(module),
                ("*", None) => {}
                (name, module) => {
                    let origin = module.map_or(Origin::Unknown, |module| Origin::Member(module, name));
                    let bound = alias.asname.as_ref().map_or(name, |asname| asname.as_str());
                    self.bind(bound, origin, place, Some(end));
                }
            }
        }
    }

    fn function(&mut self, node: &'a ast::StmtFunctionDef, place: Place) {
        self.bind(node.name.as_str(), Origin::Unknown, place, Some(node.end()));
        self.all_later(&node.decorator_list, place);
        self.pending.extend(node.type_params.as_deref().map(|params| Site { node: params.into(), place }));
        let inner = self.program.scopes.scope(Kind::Function, place);
        self.parameters(&node.parameters, place, inner);
        self.all_later(node.returns.as_deref(), place);
        // Its name is bound before its body can run.
        self.block_later(&node.body, inner, node.end());
    }

    fn lambda(&mut self, node: &'a ast::ExprLambda, place: Place) {
        let inner = self.program.scopes.scope(Kind::Function, place);
        if let Some(parameters) = &node.parameters {
            self.parameters(parameters, place, inner);
        }
        self.later((&*node.body).into(), inner);
    }

    /// Binds parameters inside; their defaults and annotations are evaluated outside.
    fn parameters(&mut self, parameters: &'a Parameters, outer: Place, inner: Place) {
        for parameter in parameters.iter() {
            let default = parameter.default();
            let origin = default.map_or(Origin::Unknown, |default| Origin::Value(default, outer));
            self.bind(parameter.name().as_str(), origin, inner, None);
            self.all_later(parameter.annotation(), outer);
            self.all_later(default, outer);
        }
    }

    fn class(&mut self, node: &'a ast::StmtClassDef, place: Place) {
        self.bind(node.name.as_str(), Origin::Unknown, place, Some(node.end()));
        self.all_later(&node.decorator_list, place);
        self.pending.extend(node.type_params.as_deref().map(|params| Site { node: params.into(), place }));
        self.pending.extend(node.arguments.as_deref().map(|arguments| Site { node: arguments.into(), place }));
        let inner = self.program.scopes.scope(Kind::Class, place);
        self.block_later(&node.body, inner, node.start());
    }

    /// The first iterable is evaluated outside; everything else sees the comprehension's own names.
    fn comprehension(&mut self, generators: &'a [Comprehension], results: [Option<&'a Expr>; 2], place: Place) {
        let inner = self.program.scopes.scope(Kind::Comprehension, place);
        for (index, generator) in generators.iter().enumerate() {
            self.each(&generator.target, &generator.iter, place, inner, None);
            self.later((&generator.iter).into(), if index == 0 { place } else { inner });
            self.later((&generator.target).into(), inner);
            self.all_later(&generator.ifs, inner);
        }
        self.all_later(results.into_iter().flatten(), inner);
    }

    /// Statements whose parts may or may not run: each body is a block of its own.
    fn branches(&mut self, node: AnyNodeRef<'a>, place: Place) {
        let at = node.start();
        match node {
            AnyNodeRef::StmtIf(node) => {
                self.later((&*node.test).into(), place);
                self.block_later(&node.body, place, at);
                for clause in &node.elif_else_clauses {
                    self.all_later(&clause.test, place);
                    self.block_later(&clause.body, place, at);
                }
            }
            AnyNodeRef::StmtWhile(node) => {
                self.later((&*node.test).into(), place);
                self.block_later(&node.body, place, at);
                self.block_later(&node.orelse, place, at);
            }
            AnyNodeRef::StmtTry(node) => {
                self.block_later(&node.body, place, at);
                self.all_later(&node.handlers, place);
                self.block_later(&node.orelse, place, at);
                self.block_later(&node.finalbody, place, at);
            }
            _ => self.children_later(node, place),
        }
    }

    fn for_loop(&mut self, node: &'a ast::StmtFor, place: Place) {
        self.later((&*node.target).into(), place);
        self.later((&*node.iter).into(), place);
        let body = self.block_later(&node.body, place, node.start());
        self.each(&node.target, &node.iter, place, body, Some(TextSize::default()));
        self.block_later(&node.orelse, place, node.start());
    }

    fn with(&mut self, node: &'a ast::StmtWith, place: Place) {
        self.all_later(&node.items, place);
        let body = self.block_later(&node.body, place, node.start());
        for item in &node.items {
            if let Some(target) = &item.optional_vars {
                self.target(target, Some(&item.context_expr), body, Some(TextSize::default()));
            }
        }
    }

    fn handler(&mut self, node: &'a ast::ExceptHandlerExceptHandler, place: Place) {
        self.all_later(node.type_.as_deref(), place);
        let body = self.block_later(&node.body, place, node.start());
        if let Some(name) = &node.name {
            self.bind(name.as_str(), Origin::Unknown, body, Some(TextSize::default()));
            self.program.scopes.delete(name.as_str(), body);
        }
    }

    fn case(&mut self, node: &'a ast::MatchCase, place: Place) {
        self.later((&node.pattern).into(), place);
        self.all_later(node.guard.as_deref(), place);
        let body = self.block_later(&node.body, place, node.start());
        let mut patterns = vec![AnyNodeRef::from(&node.pattern)];
        while let Some(pattern) = patterns.pop() {
            let name = match pattern {
                AnyNodeRef::PatternMatchAs(node) => node.name.as_ref(),
                AnyNodeRef::PatternMatchStar(node) => node.name.as_ref(),
                AnyNodeRef::PatternMatchMapping(node) => node.rest.as_ref(),
                _ => None,
            };
            if let Some(name) = name {
                self.bind(name.as_str(), Origin::Unknown, body, Some(TextSize::default()));
            }
            let mut children = Children(Vec::new());
            pattern.visit_source_order(&mut children);
            patterns.extend(children.0);
        }
    }
}

/// The items of a tuple or list that is written out.
pub fn items(expr: &Expr) -> Option<&[Expr]> {
    match expr {
        Expr::Tuple(tuple) => Some(&tuple.elts),
        Expr::List(list) => Some(&list.elts),
        _ => None,
    }
}
