//! Scopes, blocks and bindings: what a name may stand for at a place of the program.
//!
//! Names of functions are lexical and definite: a name bound anywhere in a function is its own. In a module or class
//! body a name that is not bound yet, or not any more, falls through to the builtin of that name, so there a binding
//! counts only where it surely happened before: earlier in the same block or in one around it, and never deleted.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::Expr;
use ruff_text_size::TextSize;

/// Where a node stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Index of the scope.
    pub scope: usize,
    /// Index of the block.
    pub block: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Module,
    Class,
    /// Also lambdas.
    Function,
    /// Like a function, except that `:=` in it binds outside of it.
    Comprehension,
}

/// Where a bound name comes from, as far as that can be followed.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'a> {
    /// A dotted module path: `import a.b as c`, or the root of `import a.b`.
    Module(&'a str),
    /// `from a import b`.
    Member(&'a str, &'a str),
    /// The value of an expression, evaluated at a place.
    Value(&'a Expr, Place),
    /// Anything else.
    Unknown,
}

/// One name of one scope.
#[derive(Default)]
pub struct Bound<'a> {
    pub origins: Vec<Origin<'a>>,
    /// By block: from which offset on the name is surely bound.
    since: HashMap<usize, TextSize>,
    is_deleted: bool,
}

struct Scope<'a> {
    kind: Kind,
    parent: Option<usize>,
    names: HashMap<&'a str, Bound<'a>>,
    globals: HashSet<&'a str>,
    nonlocals: HashSet<&'a str>,
}

struct Block {
    parent: Option<usize>,
    /// When it runs, as an offset in its parent.
    at: TextSize,
}

pub struct Scopes<'a> {
    scopes: Vec<Scope<'a>>,
    blocks: Vec<Block>,
    /// Modules of which everything was imported, each once and not more than can be kept in mind.
    pub stars: Vec<&'a str>,
}

impl<'a> Scopes<'a> {
    /// The module's scope and block.
    pub const ROOT: Place = Place { scope: 0, block: 0 };

    pub fn new() -> Scopes<'a> {
        let mut scopes = Scopes { scopes: Vec::new(), blocks: Vec::new(), stars: Vec::new() };
        scopes.push_scope(Kind::Module, None);
        scopes.blocks.push(Block { parent: None, at: TextSize::default() });
        scopes
    }

    fn push_scope(&mut self, kind: Kind, parent: Option<usize>) -> usize {
        let (globals, nonlocals) = (HashSet::new(), HashSet::new());
        self.scopes.push(Scope { kind, parent, names: HashMap::new(), globals, nonlocals });
        self.scopes.len() - 1
    }

    /// Where `:=` binds.
    pub fn around_comprehensions(&self, place: Place) -> Place {
        let is_other = |scope: &usize| self.scopes[*scope].kind != Kind::Comprehension;
        Place { scope: self.outwards(place.scope).find(is_other).unwrap_or(place.scope), ..place }
    }

    /// A scope inside another, in the same block.
    pub fn scope(&mut self, kind: Kind, outer: Place) -> Place {
        Place { scope: self.push_scope(kind, Some(outer.scope)), ..outer }
    }

    /// A block inside another, in the same scope, that runs when its parent has come to an offset.
    pub fn block(&mut self, outer: Place, at: TextSize) -> Place {
        self.blocks.push(Block { parent: Some(outer.block), at });
        Place { block: self.blocks.len() - 1, ..outer }
    }

    pub fn import_all(&mut self, module: &'a str) {
        const MODULES_MAX: usize = 16;
        if self.stars.len() < MODULES_MAX && !self.stars.contains(&module) {
            self.stars.push(module);
        }
    }

    pub fn declare_global(&mut self, name: &'a str, place: Place) {
        self.scopes[place.scope].globals.insert(name);
    }

    pub fn declare_nonlocal(&mut self, name: &'a str, place: Place) {
        self.scopes[place.scope].nonlocals.insert(name);
    }

    /// Binds a name from an offset on; `None` if that is not sure.
    pub fn bind(&mut self, name: &'a str, origin: Origin<'a>, place: Place, since: Option<TextSize>) {
        let home = self.home(name, place.scope);
        let bound = self.scopes[home].names.entry(name).or_default();
        bound.origins.push(origin);
        if let Some(since) = since {
            bound.since.entry(place.block).and_modify(|first| *first = since.min(*first)).or_insert(since);
        }
    }

    pub fn delete(&mut self, name: &'a str, place: Place) {
        let home = self.home(name, place.scope);
        self.scopes[home].names.entry(name).or_default().is_deleted = true;
    }

    /// The scope whose name it is when it is bound here.
    fn home(&self, name: &str, scope: usize) -> usize {
        if self.scopes[scope].globals.contains(name) {
            return Scopes::ROOT.scope;
        }
        if !self.scopes[scope].nonlocals.contains(name) {
            return scope;
        }
        let owns = |scope: &usize| {
            let Scope { kind, names, .. } = &self.scopes[*scope];
            *kind == Kind::Function && names.contains_key(name)
        };
        self.outwards(scope).skip(1).find(owns).unwrap_or(scope)
    }

    fn outwards(&self, scope: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(scope), |scope| self.scopes[*scope].parent)
    }

    /// The bindings that a name read here may mean, each with its scope, and whether it may also be the builtin.
    pub fn look_up(&self, name: &str, place: Place, at: TextSize) -> (Vec<usize>, bool) {
        let mut found = Vec::new();
        let start = if self.scopes[place.scope].globals.contains(name) { Scopes::ROOT.scope } else { place.scope };
        for scope in self.outwards(start) {
            let Scope { kind, names, .. } = &self.scopes[scope];
            // A class body's names are not those of the functions in it.
            if *kind == Kind::Class && scope != place.scope {
                continue;
            }
            let Some(bound) = names.get(name) else { continue };
            found.push(scope);
            if matches!(kind, Kind::Function | Kind::Comprehension)
                || (!bound.is_deleted && self.is_sure(bound, place, at))
            {
                return (found, false);
            }
        }
        (found, true)
    }

    /// The binding of a name in a scope that [`Scopes::look_up`] gave.
    pub fn bound(&self, scope: usize, name: &str) -> Option<(&'a str, &Bound<'a>)> {
        self.scopes[scope].names.get_key_value(name).map(|(name, bound)| (*name, bound))
    }

    fn is_sure(&self, bound: &Bound, place: Place, at: TextSize) -> bool {
        let (mut block, mut at) = (place.block, at);
        loop {
            if bound.since.get(&block).is_some_and(|since| *since <= at) {
                return true;
            }
            let Some(parent) = self.blocks[block].parent else { return false };
            (at, block) = (self.blocks[block].at, parent);
        }
    }
}
