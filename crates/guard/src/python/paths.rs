//! Which dotted path an expression stands for: `np.load` is `numpy.load` after `import numpy as np`.
//!
//! Followed are imports, assignments, defaults, attributes, calls (`tarfile.open()`), and imports by a constant name.
//! A name bound several times stands for several paths. Whatever is not followed stands for none, so a path is a good
//! reason to speak and its absence no reason to trust.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use ruff_python_ast::{Expr, ExprAttribute, ExprCall};
use ruff_text_size::{Ranged, TextSize};

use super::arguments::{constant, positional};
use super::program::items;
use super::scopes::{Origin, Place, Scopes};

/// How many steps are followed from a name to where it comes from.
const STEPS_MAX: usize = 24;
/// How many attributes and calls in a row are followed.
const CHAIN_MAX: usize = 16;
/// How many paths one expression may stand for.
const PATHS_MAX: usize = 32;

type Known<'a> = HashMap<(usize, &'a str), Option<Rc<[String]>>>;

pub struct Paths<'p, 'a> {
    scopes: &'p Scopes<'a>,
    /// What names stand for; `None` while that is being found out.
    known: RefCell<Known<'a>>,
}

impl<'p, 'a> Paths<'p, 'a> {
    pub fn new(scopes: &'p Scopes<'a>) -> Paths<'p, 'a> {
        Paths { scopes, known: RefCell::default() }
    }

    /// The paths an expression may stand for.
    pub fn of(&self, expr: &'a Expr, place: Place) -> Vec<String> {
        self.follow(expr, place, STEPS_MAX)
    }

    /// The paths an attribute may stand for.
    pub fn of_attribute(&self, node: &'a ExprAttribute, place: Place) -> Vec<String> {
        self.of(&node.value, place).into_iter().map(|path| format!("{path}.{}", node.attr)).collect()
    }

    /// The paths a name may stand for where it is read.
    pub fn of_name(&self, name: &str, place: Place, at: TextSize) -> Vec<String> {
        self.follow_name(name, place, at, STEPS_MAX)
    }

    /// The paths of what a call gives that imports or reads an attribute by a constant name.
    pub fn made_by_name(&self, call: &'a ExprCall, place: Place) -> Vec<String> {
        self.made(&self.of(&call.func, place), call, place, STEPS_MAX).unwrap_or_default()
    }

    fn follow(&self, expr: &'a Expr, place: Place, steps: usize) -> Vec<String> {
        let Some(steps) = steps.checked_sub(1) else { return Vec::new() };
        let (root, mut chain) = unchained(expr);
        if chain.len() > CHAIN_MAX {
            return Vec::new();
        }
        let mut paths = match root {
            Expr::Name(name) => self.follow_name(&name.id, place, root.start(), steps),
            Expr::Named(named) => self.follow(&named.value, place, steps),
            Expr::Await(awaited) => self.follow(&awaited.value, place, steps),
            Expr::If(either) => self.union([&*either.body, &*either.orelse], place, steps),
            Expr::BoolOp(any) => self.union(any.values.iter().take(PATHS_MAX), place, steps),
            // Which of its items is taken is not followed.
            _ => match (items(root), chain.last()) {
                (Some(items), Some(Expr::Subscript(_))) => {
                    chain.pop();
                    self.union(items.iter().take(PATHS_MAX), place, steps)
                }
                _ => Vec::new(),
            },
        };
        for link in chain.into_iter().rev() {
            paths = self.link(paths, link, place, steps);
        }
        paths
    }

    fn union(&self, values: impl IntoIterator<Item = &'a Expr>, place: Place, steps: usize) -> Vec<String> {
        let mut all: Vec<String> = values.into_iter().flat_map(|value| self.follow(value, place, steps)).collect();
        all.truncate(PATHS_MAX);
        all
    }

    fn follow_name(&self, name: &str, place: Place, at: TextSize, steps: usize) -> Vec<String> {
        let (scopes, may_be_builtin) = self.scopes.look_up(name, place, at);
        let mut paths: Vec<String> = Vec::new();
        for scope in scopes {
            paths.extend(self.bound(scope, name, steps).iter().cloned());
        }
        if may_be_builtin {
            paths.push(format!("builtins.{name}"));
            paths.extend(self.scopes.stars.iter().take(PATHS_MAX).map(|module| format!("{module}.{name}")));
        }
        paths
    }

    fn bound(&self, scope: usize, name: &str, steps: usize) -> Rc<[String]> {
        let Some((name, bound)) = self.scopes.bound(scope, name) else { return Rc::default() };
        if let Some(known) = self.known.borrow().get(&(scope, name)) {
            return known.clone().unwrap_or_default();
        }
        self.known.borrow_mut().insert((scope, name), None);
        let mut paths: Vec<String> = Vec::new();
        for origin in &bound.origins {
            let found = match *origin {
                Origin::Module(path) => vec![path.to_string()],
                Origin::Member(module, name) => vec![format!("{module}.{name}")],
                Origin::Value(expr, place) => self.follow(expr, place, steps),
                Origin::Unknown => Vec::new(),
            };
            for path in found {
                if paths.len() < PATHS_MAX && !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        let paths: Rc<[String]> = paths.into();
        self.known.borrow_mut().insert((scope, name), Some(paths.clone()));
        paths
    }

    fn link(&self, paths: Vec<String>, link: &'a Expr, place: Place, steps: usize) -> Vec<String> {
        let longer = |suffix: &str| paths.iter().map(|path| format!("{path}{suffix}")).collect();
        match link {
            Expr::Attribute(attribute) => longer(&format!(".{}", attribute.attr)),
            Expr::Call(call) => match self.made(&paths, call, place, steps) {
                Some(made) => made,
                None => longer("()"),
            },
            Expr::Subscript(subscript) => match constant(&subscript.slice) {
                Some(module) if paths.iter().any(|path| path == "sys.modules") => vec![module.to_string()],
                _ => longer("[]"),
            },
            _ => Vec::new(),
        }
    }

    /// What a call gives that imports or reads an attribute by a constant name.
    fn made(&self, paths: &[String], call: &'a ExprCall, place: Place, steps: usize) -> Option<Vec<String>> {
        let is = |wanted: &str| paths.iter().any(|path| path == wanted);
        if is("importlib.import_module") {
            return Some(vec![constant(positional(call, 0, "name")?)?.to_string()]);
        }
        if is("builtins.__import__") {
            let name = constant(positional(call, 0, "name")?)?;
            return Some(vec![name.split('.').next().unwrap_or(name).to_string()]);
        }
        if is("builtins.getattr") {
            let attribute = constant(call.arguments.args.get(1)?)?;
            let of = self.follow(call.arguments.args.first()?, place, steps);
            return Some(of.into_iter().map(|path| format!("{path}.{attribute}")).collect());
        }
        None
    }
}

/// An expression's root and the attributes, calls and subscripts on it, the outermost first.
fn unchained(expr: &Expr) -> (&Expr, Vec<&Expr>) {
    let (mut root, mut chain) = (expr, Vec::new());
    while chain.len() <= CHAIN_MAX {
        let next = match root {
            Expr::Attribute(attribute) => &attribute.value,
            Expr::Call(call) => &call.func,
            Expr::Subscript(subscript) => &subscript.value,
            _ => break,
        };
        chain.push(root);
        root = next;
    }
    (root, chain)
}
