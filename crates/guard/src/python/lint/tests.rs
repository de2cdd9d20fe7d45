//! What is said of a program, and what must not be: a wrong word here makes a model mend what is right.

use super::*;

fn rules(text: &str) -> Vec<String> {
    lint(text).into_iter().map(|finding| finding.rule.trim_start_matches("python/").to_string()).collect()
}

#[test]
fn what_does_not_hang_together_is_said() {
    for (text, rule) in [
        ("def f(x):\n    return y + x", "undefined"),
        ("def f(x):\n    return math.sqrt(x)", "undefined"),
        ("class A:\n    n = 1\n    def f(self):\n        return n", "undefined"),
        ("def f(x):\n    return x\nf()", "arguments"),
        ("def f(x):\n    return x\nf(1, 2)", "arguments"),
        ("def f(x):\n    return x\nf(1, y=2)", "arguments"),
        ("def f(x):\n    return x\nf(1, x=2)", "arguments"),
        ("def f(x, *, y):\n    return x + y\nf(1)", "arguments"),
        ("class A:\n    def __init__(self, x):\n        self.x = x\nA()", "arguments"),
        ("def f(x):\n    return x\n    print(x)", "unreachable"),
        ("for x in [1]:\n    if x:\n        break\n        x = 2", "unreachable"),
        ("def f(x, y):\n    return x", "unused"),
        ("def f(x=[]):\n    return x", "default"),
        ("def f(x):\n    return x is 'a'", "identity"),
    ] {
        assert_eq!(rules(text), [rule], "{text}");
    }
}

#[test]
fn what_hangs_together_is_left_alone() {
    for text in [
        "import math\ndef f(x):\n    return g(math.pi, *x)\ndef g(*a, k=1, **b):\n    return a, k, b",
        "def f(x):\n    global n\n    n = x\ndef g():\n    return n",
        "from os.path import *\ndef f(x):\n    return join(x)",
        "try:\n    unicode\nexcept NameError:\n    unicode = str",
        "def f(x):\n    return [y for y in x if (z := y) and z], lambda a, b=x: a + b",
        "class A:\n    n = 1\n    m = n + 1\n    def f(self, other) -> 'A':\n        return __class__, self.m",
        "def f(x):\n    match x:\n        case {'a': a, **rest}:\n            return a, rest\n        case [b, *c]:\n            return b, c",
        "def f(x):\n    try:\n        return x\n    except ValueError as error:\n        raise KeyError from error\n    finally:\n        print(x)",
        "def f():\n    return\n    yield",
        "def f(x):\n    return x\nif f(1):\n    def f(x, y):\n        return x + y\nf(1, 2)",
        "def f(x):\n    return x\ndef g(f):\n    return f(1, 2)",
        "def f(_x, x):\n    def g():\n        return x\n    return g",
        "def f(x, y):\n    return f'{x:{y}}'",
        "import unittest.mock\nclass A:\n    def __eq__(self, other):\n        return self.x == other.x",
        "import sys\nsys.path\nself = sys\ndef f(a):\n    a.b = 1\n    return a is None",
        "with open('x') as a, open('y') as (b, c):\n    print(a, b, c)\nfor i, (j, *k) in []:\n    print(i, j, k)",
        "import asyncio\nasync def f(x):\n    async with x as y:\n        return [z async for z in y]",
    ] {
        assert_eq!(rules(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn who_reaches_for_its_judge_is_an_error() {
    for text in [
        "import sys\nsys._getframe(1)",
        "from sys import _getframe",
        "import gc\nfor one in gc.get_objects():\n    print(one)",
        "import inspect as i\nimport inspect\ninspect.stack()",
        "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__.tb_frame",
        "import sys\nsys.modules['tests']",
        "import __main__",
        "import unittest\nunittest.TestCase.assertEqual = print",
        "import builtins\nbuiltins.isinstance = lambda *_: True",
        "import json as j\nj.dumps = print",
        "import json\nsetattr(json, 'dumps', print)",
        "import json\njson.__dict__['dumps'] = print",
        "import json\nvars(json)['dumps'] = print",
        "class A:\n    def __eq__(self, other):\n        return True",
    ] {
        let findings = lint(text);
        let is_told = |one: &Finding| one.rule == TAMPERING && one.severity == Severity::Error;
        assert!(findings.iter().any(is_told), "{text}: {findings:?}");
    }
}

#[test]
fn what_cannot_be_read_is_said_nothing_of() {
    assert!(lint("def f(:").is_empty() && lint("").is_empty());
}
