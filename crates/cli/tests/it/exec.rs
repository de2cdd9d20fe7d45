//! `assay sandbox run` with values and tables in and a typed result out: each kind of result, what is streamed while the
//! program runs, what the profile `analysis` takes away, and results that lie.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::started::{Started, until};
use crate::support::{Place, contract, shared};

/// Runs a program and gives its document, which must have come with that outcome.
#[track_caller]
fn run(code: &str, arguments: &[&str]) -> Value {
    run_in(shared(), code, arguments)
}

#[track_caller]
fn run_in(place: &Place, code: &str, arguments: &[&str]) -> Value {
    let ran = place.assay(["sandbox", "run", "-", "--json"].iter().chain(arguments)).stdin(code).run();
    let document = ran.document();
    assert_eq!(ran.code, Some(i32::from(document["outcome"] != "ok")), "{document}");
    document
}

/// The result of a program that comes to a good end.
#[track_caller]
fn result(code: &str, arguments: &[&str]) -> Value {
    let document = run(code, arguments);
    assert_eq!(document["outcome"], "ok", "{document}");
    document["result"].clone()
}

fn scalar(ty: &str, value: Value) -> Value {
    json!({ "kind": "scalar", "type": ty, "value": value })
}

#[test]
fn the_last_expression_is_the_result() {
    let none = json!({ "kind": "none" });
    let cases = [
        ("1 + 1", scalar("int", json!(2))),
        ("x = 3\nx > 2\n", scalar("bool", json!(true))),
        ("x = 3\n", none.clone()),
        ("None", none.clone()),
        ("", none.clone()),
        ("1\nfor x in range(3): x\n", none.clone()),
        ("7\nraise SystemExit(0)\n", none.clone()),
        ("0.1", scalar("float", json!(0.1))),
        ("float('nan')", scalar("float", json!("NaN"))),
        ("float('-inf')", scalar("float", json!("-Infinity"))),
        ("-2**63", scalar("int", json!(i64::MIN))),
        ("2**64 - 1", scalar("int", json!(u64::MAX))),
        ("2**100", scalar("decimal", json!("1267650600228229401496703205376"))),
        ("'naïve \\n'", scalar("text", json!("naïve \n"))),
        ("'\\udc80'", scalar("text", json!("?"))),
        ("b'x'", scalar("text", json!("b'x'"))),
        ("from decimal import Decimal\nDecimal('1.50')", scalar("decimal", json!("1.50"))),
        ("import datetime as d\nd.date(2026, 1, 31)", scalar("date", json!("2026-01-31"))),
        ("import datetime as d\nd.time(1, 2, 3)", scalar("time", json!("01:02:03"))),
        ("import datetime as d\nd.datetime(2026, 1, 31, 4)", scalar("timestamp", json!("2026-01-31T04:00:00"))),
        ("import numpy\nnumpy.int64(4)", scalar("int", json!(4))),
        ("import numpy\nnumpy.bool_(True)", scalar("bool", json!(true))),
        ("import numpy\nnumpy.datetime64('2026-01-31')", scalar("date", json!("2026-01-31"))),
        (
            "{'a': [1, None, 2.5, float('inf')], 'b': (True, 'x')}",
            scalar("json", json!({ "a": [1, null, 2.5, "Infinity"], "b": [true, "x"] })),
        ),
        ("object", scalar("text", json!("<class 'object'>"))),
        ("from pathlib import Path\nPath('/etc/passwd')", scalar("text", json!("PosixPath('/etc/passwd')"))),
    ];
    for (code, expected) in cases {
        assert_eq!(result(code, &[]), expected, "{code:?}");
    }
}

#[test]
fn the_last_expression_is_computed_once_and_in_its_place() {
    let document = run(
        "from __future__ import annotations\nn = 0\ndef f():\n    global n\n    n += 1\n    print('f', n)\n    return n\n\nf()\n",
        &[],
    );
    assert_eq!((&document["stdout"], &document["result"]["value"]), (&json!("f 1\n"), &json!(1)), "{document}");
    let failed = run("x = 1\n\n\n(x\n / 0)\n", &[]);
    assert_eq!(
        (&failed["error"]["type"], &failed["error"]["line"]),
        (&json!("ZeroDivisionError"), &json!(4)),
        "{failed}"
    );
    assert_eq!(failed["result"], json!({ "kind": "none" }));
    let left = run("exit(3)\n", &[]);
    assert_eq!((&left["exit_code"], &left["result"]), (&json!(3), &json!({ "kind": "none" })), "{left}");
}

#[test]
fn tables_of_every_library_are_tables() {
    let table = |code: &str| {
        let result = result(code, &[]);
        assert_eq!(result["kind"], "table", "{code:?}: {result}");
        contract::table(&result["table"]);
        let names = |field: &str| -> Vec<String> {
            let columns = result["table"]["columns"].as_array().unwrap();
            columns.iter().map(|column| column[field].as_str().unwrap().to_string()).collect()
        };
        (names("name").join(" "), names("type").join(" "), result["table"]["rows"].clone())
    };
    let frame = "import pandas as pd, datetime, decimal\npd.DataFrame({'i': [1, 2], 'f': [1.5, float('nan')], \
        's': ['a', None], 'b': [True, False], 'd': [datetime.date(2026, 1, 31), None], \
        't': pd.to_datetime(['2026-01-31 04:05:06', None]), 'c': [decimal.Decimal('1.50'), None], 'j': [[1], {'k': 2}], \
        'n': pd.array([1, None], dtype='Int64'), 'm': [1, 'x']})";
    let (names, types, rows) = table(frame);
    assert_eq!(names, "i f s b d t c j n m");
    assert_eq!(types, "int float text bool date timestamp decimal json int text");
    let first = json!([1, 1.5, "a", true, "2026-01-31", "2026-01-31T04:05:06", "1.50", "[1]", 1, "1"]);
    assert_eq!(rows, json!([first, [2, "NaN", null, false, null, null, null, "{\"k\":2}", null, "x"]]));

    let cases = [
        (
            "import pandas as pd\npd.DataFrame({'k': ['b', 'a'], 'v': [1, 2]}).groupby('k').sum()",
            "k v",
            "text int",
            json!([["a", 2], ["b", 1]]),
        ),
        ("import pandas as pd\npd.DataFrame({'v': [3, 1, 2]}).sort_values('v').head(1)", "v", "int", json!([[1]])),
        (
            "import pandas as pd\npd.Series({2025: 1.5, 2026: 2.0})",
            "index value",
            "int float",
            json!([[2025, 1.5], [2026, 2.0]]),
        ),
        ("import numpy\nnumpy.array([1.5, numpy.inf])", "value", "float", json!([[1.5], ["Infinity"]])),
        ("import numpy\nnumpy.arange(4).reshape(2, 2)", "column_1 column_2", "int int", json!([[0, 1], [2, 3]])),
        (
            "import pyarrow\npyarrow.table({'a': [1, None], 'b': ['x', 'y']})",
            "a b",
            "int text",
            json!([[1, "x"], [null, "y"]]),
        ),
        (
            "import duckdb\nduckdb.sql(\"SELECT 1 AS a, 2.50::DECIMAL(5, 2) AS b, DATE '2026-01-31' AS c\")",
            "a b c",
            "int decimal date",
            json!([[1, "2.50", "2026-01-31"]]),
        ),
        ("import pandas as pd\npd.DataFrame([[1, 2]], columns=['a', 'a'])", "a a_2", "int int", json!([[1, 2]])),
    ];
    for (code, names, types, rows) in cases {
        assert_eq!(table(code), (names.to_string(), types.to_string(), rows), "{code:?}");
    }
}

#[test]
fn a_long_table_tells_its_first_rows_and_a_heavy_one_fewer() {
    let long = result("import pandas as pd\npd.DataFrame({'n': range(2_500)})", &[]);
    assert_eq!((&long["table"]["row_count"], &long["table"]["truncated"]), (&json!(2_500), &json!(true)));
    assert_eq!(long["table"]["rows"].as_array().unwrap().len(), 1_000);
    let heavy = result("import pandas as pd\npd.DataFrame({'t': ['x' * 100_000] * 100})", &[]);
    contract::table(&heavy["table"]);
    assert_eq!((&heavy["table"]["row_count"], &heavy["table"]["truncated"]), (&json!(100), &json!(true)));
    let rows = heavy["table"]["rows"].as_array().unwrap().len();
    assert!((10..=42).contains(&rows), "{rows} rows of 100 kB fit into 4 MiB");
    let text = result("'ä' * 100_000", &[]);
    assert_eq!((text["value"].as_str().unwrap().len(), &text["truncated"]), (64 * 1024, &json!(true)));
}

#[test]
fn values_are_bound_by_name() {
    let code = "assert type(n) is int and type(f) is float and nothing is None\n[n, f, region, deep['a'][1]]\n";
    let values = [
        "--value",
        "n=3",
        "--value",
        "f=1.0",
        "--value",
        "region=\"No=rth\"",
        "--value",
        "nothing=null",
        "--value",
        "deep={\"a\":[1,18446744073709551615]}",
    ];
    assert_eq!(result(code, &values), scalar("json", json!([3, 1.0, "No=rth", u64::MAX])));
    for (wrong, says) in [
        ("n", "has no `=`"),
        ("n=North", "is not JSON"),
        ("n=12345678901234567890123", "64 bits"),
        ("for=1", "word of Python"),
        ("a b=1", "no name"),
        ("__builtins__={}", "Python's own"),
    ] {
        let problem = shared().json(2, &["sandbox", "run", "-", "--value", wrong]);
        assert_eq!(problem["code"], "usage", "{wrong}: {problem}");
        assert!(problem["message"].as_str().unwrap().contains(says), "{wrong}: {problem}");
    }
    let twice = shared().json(2, &["sandbox", "run", "-", "--value", "n=1", "--value", "n=2"]);
    assert!(twice["message"].as_str().unwrap().contains("two values"), "{twice}");
}

#[test]
fn tables_of_a_dataset_are_frames() {
    let data = ["--data", "ecommerce", "--value", "limit=2"];
    let code = "print(orders.dtypes.astype(str).to_dict())\norders.groupby('status').total.sum().head(limit)\n";
    let document = run(code, &data);
    let types = "{'order_id': 'int64', 'customer_id': 'int64', 'order_date': 'datetime64[us]', 'total': 'float64', \
                 'status': 'str', 'returned': 'bool'}\n";
    assert_eq!(document["stdout"], types, "{document}");
    let sql = "SELECT status, sum(total) FROM orders GROUP BY 1 ORDER BY 1 LIMIT 2";
    let same = shared().json(0, &["sql", "ecommerce", sql]);
    for (found, expected) in [0, 1].map(|row| (&document["result"]["table"]["rows"][row], &same["table"]["rows"][row]))
    {
        assert_eq!(found[0], expected[0]);
        let expected: f64 = expected[1].as_str().unwrap().parse().unwrap();
        assert!((found[1].as_f64().unwrap() - expected).abs() < 1e-6 * expected, "{found} and {expected}");
    }
    // Only what is mentioned is loaded.
    let one = result("inventory\n[name for name in dir() if name in ('orders', 'order_items', 'inventory')]", &data);
    assert_eq!(one, scalar("json", json!(["inventory"])));
    let file =
        "import duckdb\nduckdb.connect('input/data.duckdb', read_only=True).sql('SELECT count(*) AS n FROM orders')";
    assert_eq!(result(file, &data)["table"]["rows"], json!([[4_018]]));
    let small = result("len(order_items)", &["--data", "ecommerce", "--profile", "analysis"]);
    assert_eq!(small, scalar("int", json!(9_008)));
    let clash = shared().json(2, &["sandbox", "run", "-", "--data", "ecommerce", "--value", "orders=1"]);
    assert!(clash["message"].as_str().unwrap().contains("both a value and a table"), "{clash}");
}

#[test]
fn tables_of_a_file_are_frames_and_a_changed_file_is_noticed() {
    let place = Place::new();
    let file = place.file("Sales 2026.csv", "region,price,n\nNorth,24.50,1\nSouth,89.00,\n");
    let file = file.to_str().unwrap();
    let code = "assert sales_2026.n.isna().tolist() == [False, True]\nsales_2026.price.sum()\n";
    let document = run_in(&place, code, &["--data", file]);
    assert_eq!(document["result"], scalar("float", json!(113.5)), "{document}");
    let program = place.file("program.py", code);
    let keyed = ["sandbox", "run", program.to_str().unwrap(), "--data", file, "--key", "k"];
    place.assay(keyed).env("ASSAY_FAULT", "before_effect:0").run();
    let id = place.json(0, &["runs", "list"])["runs"][0]["id"].as_str().unwrap().to_string();
    place.file("Sales 2026.csv", "region,price,n\nNorth,25.50,1\n");
    assert_eq!(place.json(2, &["runs", "resume", &id])["code"], "input_changed");
}

#[test]
fn figures_and_files_become_artifacts() {
    let place = Place::new();
    let code = "
import matplotlib.pyplot as plot
import pandas as pd
plot.figure(); plot.plot([1, 2]); plot.savefig('out/mine.svg')
figure, axes = plot.subplots(); axes.plot([2, 1])
plot.figure()
pd.DataFrame({'a': [1]}).to_csv('out/table.csv')
axes
";
    let document = run_in(&place, code, &[]);
    assert_eq!(document["result"], json!({ "kind": "figure", "path": "figure-1.png" }), "{document}");
    let id = document["run"].as_str().unwrap();
    let shown = place.json(0, &["runs", "show", id]);
    let artifacts: Vec<(&str, &str)> = shown["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["name"].as_str().unwrap(), one["media_type"].as_str().unwrap()))
        .collect();
    let expected = [("figure-1.png", "image/png"), ("mine.svg", "image/svg+xml"), ("table.csv", "text/csv")];
    assert_eq!(artifacts, expected, "the saved one is not saved again, the empty one not at all");
    let output = Command::new(place.program())
        .args(["runs", "artifact", id, "figure-1.png", "--data-dir"])
        .arg(place.data())
        .output()
        .unwrap();
    assert!(output.stdout.starts_with(b"\x89PNG\r\n\x1a\n"), "a PNG");
}

#[test]
fn what_is_drawn_is_a_figure_and_what_lies_in_out_is_a_file() {
    let open = "import matplotlib.pyplot as plot\nopen('out/figure-1.png', 'w').close()\nplot.plot([1, 2])\n";
    let document = run(open, &[]);
    assert_eq!(document["result"], json!({ "kind": "figure", "path": "figure-2.png" }), "{document}");
    let paths: Vec<&Value> = document["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(paths, ["figure-1.png", "figure-2.png"], "saved once, over nothing of the program's");
    let own = "import matplotlib.pyplot as plot\nfigure, _ = plot.subplots()\nfigure.savefig('out/a.png')\nfigure\n";
    assert_eq!(result(own, &[]), json!({ "kind": "figure", "path": "a.png" }));
    let alone = "from matplotlib.figure import Figure\nfigure = Figure()\nfigure.subplots().plot([1, 2])\nfigure\n";
    assert_eq!(result(alone, &[]), json!({ "kind": "figure", "path": "figure-1.png" }));
    let path =
        "from pathlib import Path\npath = Path('out/deep/a.txt')\npath.parent.mkdir()\npath.write_text('x')\npath\n";
    assert_eq!(result(path, &[]), json!({ "kind": "file", "path": "deep/a.txt" }));
    let file = "file = open('out/b.txt', 'w')\nfile.write('hello')\nfile\n";
    let document = run(file, &[]);
    assert_eq!(document["result"], json!({ "kind": "file", "path": "b.txt" }));
    assert_eq!(document["files"][0]["bytes"], 5, "{document}");
    let failed = run("import matplotlib.pyplot as plot\nplot.plot([1])\n1 / 0\n", &[]);
    assert_eq!(failed["files"], json!([]), "a program that fails has not finished its drawings");
}

#[test]
fn what_a_program_leaves_open_is_written() {
    let sizes = |code: &str| {
        let document = run(code, &[]);
        assert_eq!(document["outcome"], "ok", "{document}");
        document["files"].as_array().unwrap().iter().map(|file| file["bytes"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let open = "class Log:\n    def __init__(self): self.file = open('out/a', 'w')\nlog = Log()\nn = log.file.write('hello')\n";
    assert_eq!(sizes(open), [5]);
    let zipped = "import gzip\nfile = gzip.open('out/a.gz', 'wb')\nfile.write(b'hello')\ndel gzip\n";
    assert!(sizes(zipped)[0] > 20, "its end is there too");
    let beside = "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n";
    assert_eq!(sizes(&format!("{beside}{open}")), [5], "also beside a thread that goes on");
}

/// The events of a finished command, each held against the interface.
fn events(stdout: &str) -> Vec<Value> {
    let events: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    events.iter().for_each(contract::event);
    events
}

#[test]
fn output_comes_in_chunks_while_the_program_runs() {
    let place = Place::new();
    let code = "import sys, time\nprint('first')\nprint('aside', file=sys.stderr)\ntime.sleep(2)\nprint('second')\n";
    let program = place.file("program.py", code);
    let mut started = Started::of(place.assay(["sandbox", "run", program.to_str().unwrap(), "--jsonl"]));
    until("the first chunk", || started.stdout().contains("\"first").then_some(()));
    let early = started.stdout();
    assert!(!early.contains("\"second") && !early.contains("run.finished"), "the rest is yet to come: {early}");
    let ran = started.ends().exits(0);
    let events = events(&ran.stdout);
    let told = |stream: &str| -> String {
        let chunks = events.iter().filter(|event| event["type"] == "output.chunk" && event["data"]["stream"] == stream);
        chunks.map(|event| event["data"]["text"].as_str().unwrap()).collect()
    };
    assert_eq!((told("stdout").as_str(), told("stderr").as_str()), ("first\nsecond\n", "aside\n"));
    assert_eq!(events.last().unwrap()["data"]["output"]["stdout"], "first\nsecond\n");
    let place_of = |kind: &str| events.iter().rposition(|event| event["type"] == kind).unwrap();
    assert!(place_of("output.chunk") < place_of("step.finished"), "chunks belong to the step");
}

#[test]
fn people_see_output_while_the_program_runs_and_only_once() {
    let place = Place::new();
    let program = place.file("program.py", "import time\nprint('first')\ntime.sleep(2)\nprint('second')\n6 * 7\n");
    let mut started = Started::of(place.assay(["sandbox", "run", program.to_str().unwrap()]));
    until("the first line", || started.stdout().contains("first\n").then_some(()));
    assert_eq!(started.stdout(), "first\n", "the rest is yet to come");
    let ran = started.ends().exits(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("first\nsecond\n", "result: 42\n"));
    let run = place.json(0, &["runs", "list"])["runs"][0]["id"].as_str().unwrap().to_string();
    let again = place.assay(["runs", "resume", &run]).run();
    assert_eq!(again.stdout, "first\nsecond\n", "from the record: {}", again.stderr);
}

#[test]
fn a_reader_that_leaves_does_not_end_the_run() {
    use std::io::Read;
    let place = Place::new();
    let program = place
        .file("program.py", "import time\nfor n in range(30):\n    print(n, 'x' * 100_000)\n    time.sleep(0.02)\n");
    let mut child = place.assay(["sandbox", "run", program.to_str().unwrap()]).start();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 10]).unwrap();
    drop(stdout);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(place.json(0, &["runs", "list"])["runs"][0]["state"], "succeeded");
}

#[test]
fn the_analysis_profile_has_fewer_names_and_modules() {
    let analysis = ["--profile", "analysis"];
    for name in ["open", "eval", "exec", "compile", "input", "breakpoint", "globals", "locals", "vars", "exit"] {
        let code = format!("x = 1\n{name}\n");
        let document = run(&code, &analysis);
        assert_eq!(
            (&document["error"]["type"], &document["error"]["line"]),
            (&json!("NameError"), &json!(2)),
            "{name}"
        );
        assert!(document["error"]["hint"].as_str().unwrap().contains("the profile `task`"), "{document}");
        assert_eq!(run(&code, &[])["outcome"], "ok", "{name} is there in `task`");
    }
    for module in ["os", "os.path", "sys", "subprocess", "socket", "ctypes", "importlib", "builtins", "threading"] {
        let document = run(&format!("import {module}\n"), &analysis);
        assert_eq!(document["error"]["type"], "ImportError", "{module}: {document}");
        let message = document["error"]["message"].as_str().unwrap();
        assert!(message.contains("the profile `analysis`") && message.contains("the profile `task`"), "{message}");
    }
    let from = run("from os import system\n", &analysis);
    assert_eq!(from["error"]["type"], "ImportError", "{from}");
}

#[test]
fn the_analysis_profile_has_the_language_and_the_libraries() {
    let code = "
import dataclasses, datetime, enum, json, math, re, typing
from collections import Counter, namedtuple
import numpy as np, pandas as pd

@dataclasses.dataclass(order=True)
class Point:
    x: int = 1
    def double(self):
        return [self.x * factor for factor in range(2, 3)]

class Color(enum.Enum):
    RED = 1

class Child(Point):
    def double(self):
        return super().double() + [f'{self.x:>3}']

Pair = namedtuple('Pair', 'a b')
assert __name__ == '__main__'
match Pair(1, 2):
    case Pair(a=1): matched = True
try:
    int('x')
except ValueError as error:
    caught = type(error).__name__
frame = pd.DataFrame({'a': [1, 2, 3]}).query('a > 1').eval('b = a * 2')
frame.to_csv('out/frame.csv')
[Child(4).double(), Color.RED.name, matched, caught, int(frame.b.sum()), Counter('aab')['a'], pd.read_csv('out/frame.csv').shape[0]]
";
    let expected = json!([[8, "  4"], "RED", true, "ValueError", 10, 2, 2]);
    assert_eq!(result(code, &["--profile", "analysis"]), scalar("json", expected));
}

#[test]
fn causes_of_an_error_are_told_and_trimmed() {
    let code = "import json\ndef load(text):\n    return json.loads(text)\ntry:\n    load('{')\nexcept ValueError as error:\n    \
                raise RuntimeError('no settings') from error\n";
    let document = run(code, &[]);
    let error = &document["error"];
    assert_eq!((&error["type"], &error["line"]), (&json!("RuntimeError"), &json!(7)), "{document}");
    let traceback = error["traceback"].as_str().unwrap();
    for part in ["line 3, in load", "JSONDecodeError", "direct cause", "RuntimeError: no settings"] {
        assert!(traceback.contains(part), "{part}: {traceback}");
    }
    assert!(!traceback.contains("decoder.py") && !traceback.contains("/assay"), "{traceback}");
    let syntax = run("x = 1\nif x\n", &[]);
    assert!(syntax["error"]["traceback"].as_str().unwrap().contains("    if x\n"), "{syntax}");
    let free = run("import program\n", &[]);
    assert_eq!(free["error"]["type"], "ModuleNotFoundError", "the names of our modules are free: {free}");
}

#[test]
fn a_result_that_cannot_be_told_does_no_harm() {
    let text = |code: &str| {
        let result = result(code, &[]);
        assert_eq!((&result["kind"], &result["type"]), (&json!("scalar"), &json!("text")), "{code:?}: {result}");
        result["value"].as_str().unwrap().to_string()
    };
    assert_eq!(text("a = [1]\na.append(a)\na"), "[1, [...]]");
    assert_eq!(text("a = []\nfor _ in range(100): a = [a, a]\n{1: a, 2: {3}}")[..4], *"{1: ");
    for raising in ["ValueError", "SystemExit(0)", "KeyboardInterrupt", "RecursionError"] {
        assert!(text(&format!("class A:\n    def __repr__(self): raise {raising}\nA()")).contains("cannot be told"));
    }
    assert_eq!(text("2**100_000"), "an integer of 100001 bits");
    assert!(text("list(range(3_000_000))").starts_with("[0, 1,"), "cut, not killed");
    assert_eq!(
        text("class A:\n    __class__ = property(lambda self: 1 / 0)\n    def __repr__(self): return 'A'\nA()"),
        "A"
    );
    assert_eq!(text("import pandas as pd\npd.DataFrame([range(2_000)])").lines().count(), 4);
    let listed =
        result("import pandas as pd\nclass A:\n    def __str__(self): raise ValueError\npd.Series([A()])", &[]);
    assert_eq!(listed["table"]["rows"], json!([["(its text cannot be told)"]]), "{listed}");
}

/// A program that tells the host of its result itself, and ends well.
fn forged(claim: &str) -> String {
    format!("import os\nbody = ({claim}).encode()\nos.write(3, len(body).to_bytes(4, 'big') + body)\nos._exit(0)\n")
}

#[test]
fn a_result_that_lies_is_none() {
    let lies = [
        "'{\"value\": {\"kind\": \"shell\"}}'",
        "'{\"value\": {\"kind\": \"figure\", \"path\": \"../../etc/passwd\"}}'",
        "'{\"value\": {\"kind\": \"file\", \"path\": \"/etc/passwd\"}}'",
        "'{\"value\": {\"kind\": \"file\", \"path\": \"not-there\"}}'",
        "'{\"value\": {\"kind\": \"scalar\", \"type\": \"int\", \"value\": \"x\"}}'",
        "'{\"value\": {\"kind\": \"table\", \"table\": {\"columns\": [], \"rows\": [[1]], \"row_count\": 1, \"truncated\": false}}}'",
        "'{\"value\": {\"kind\": \"table\", \"table\": {\"columns\": [{\"name\": \"a\", \"type\": \"int\"}], \"rows\": ' + str([[1]] * 2_000) + ', \"row_count\": 2000, \"truncated\": false}}}'",
        "'{\"error\": {\"type\": \"A\", \"message\": \"\", \"line\": 1, \"traceback\": \"\"}}'",
    ];
    for claim in lies {
        let result = result(&forged(claim), &[]);
        assert_eq!(result["kind"], "none", "{claim}: {result}");
        assert!(result["problem"].is_string(), "{claim}: {result}");
    }
    for unreadable in ["'['", "'[' * 200", "'{\"value\": ' + '[' * 100_000", "'x' * 5_000_000"] {
        let document = run(&forged(unreadable).replace("os._exit(0)", ""), &[]);
        assert!(["ok", "failed"].contains(&document["outcome"].as_str().unwrap()), "{unreadable}: {document}");
        assert_eq!(document["result"]["kind"], "none", "{unreadable}: {document}");
    }
    let true_after_all = forged("'{\"value\": {\"kind\": \"scalar\", \"type\": \"int\", \"value\": 5}}'");
    assert_eq!(result(&true_after_all, &[]), scalar("int", json!(5)), "the test speaks the protocol");
    let links = "import os\nos.symlink('/etc/passwd', 'out/link')\nfrom pathlib import Path\nPath('out/link')\n";
    assert_ne!(result(links, &[])["kind"], "file");
}

#[test]
fn the_guard_refuses_before_anything_runs_and_warns_otherwise() {
    let place = Place::new();
    let code = "print('ran')\nimport subprocess\nsubprocess.run(['/bin/sh', '-c', ':'])\n";
    let document = run_in(&place, code, &["--profile", "analysis", "--guard"]);
    assert_eq!((&document["outcome"], &document["stdout"]), (&json!("refused"), &json!("")), "{document}");
    assert_eq!(document["findings"][0]["line"], 2, "{document}");
    assert!(document["isolation"].is_null(), "nothing was made: {document}");
    let shown = place.json(0, &["runs", "show", document["run"].as_str().unwrap()]);
    assert_eq!((&shown["state"], shown["steps"].as_array().unwrap().len()), (&json!("rejected"), 0), "{shown}");
    let told = place.assay(["sandbox", "run", "-", "--profile", "analysis", "--guard"]).stdin(code).run().exits(1);
    assert!(told.stdout.is_empty() && told.stderr.starts_with("refused: line 2: "), "{}", told.stderr);
    let clean = run_in(&place, "sum([1, 2])", &["--profile", "analysis", "--guard"]);
    assert_eq!((&clean["outcome"], &clean["findings"]), (&json!("ok"), &json!([])), "{clean}");
    let warned = run_in(&place, "x = 1\neval('x + 1')\n", &["--guard"]);
    assert_eq!((&warned["outcome"], &warned["result"]["value"]), (&json!("ok"), &json!(2)), "{warned}");
    let finding = &warned["findings"][0];
    assert_eq!((&finding["severity"], &finding["line"]), (&json!("warning"), &json!(2)), "{warned}");
    let unasked = run_in(&place, code, &[]);
    assert_eq!((&unasked["outcome"], &unasked["findings"]), (&json!("ok"), &json!([])), "{unasked}");
}
