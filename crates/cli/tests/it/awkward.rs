//! Awkward files: every kind of dirt and every format, each with the exact report of what was done to which rows, and
//! with the cells that came of it. And the same by chance, in `fuzz`.
//!
//! A case is one file of a folder; the whole folder is read at once, as people do. Remarks are written short:
//! `code column count rows`, with `-` for what does not apply.

mod fuzz;

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::support::Place;

/// A file, what must be said of it, and a query with its rows.
struct Case {
    file: &'static str,
    contents: &'static [u8],
    remarks: &'static [&'static str],
    query: &'static str,
    rows: &'static str,
}

const fn case(
    file: &'static str,
    contents: &'static [u8],
    remarks: &'static [&'static str],
    query: &'static str,
    rows: &'static str,
) -> Case {
    Case { file, contents, remarks, query, rows }
}

const TEXTS: &[Case] = &[
    case("bom.csv", b"\xef\xbb\xbfa,b\n1,x\n", &["bom - - []"], "SELECT a, b FROM bom", r#"[[1,"x"]]"#),
    case(
        "utf16.csv",
        b"\xff\xfea\0,\0b\0\n\x001\0,\0\xe9\0\n\0",
        &["encoding - - []"],
        "SELECT a, b FROM utf16",
        r#"[[1,"é"]]"#,
    ),
    case(
        "utf16le.csv",
        b"a\0,\0b\0\n\x001\0,\0x\0\n\0",
        &["encoding - - []"],
        "SELECT a, b FROM utf16le",
        r#"[[1,"x"]]"#,
    ),
    case(
        "windows.csv",
        b"name,p\ncaf\xe9,1\n\x80uro,2\n",
        &["encoding - 2 [2,3]"],
        "SELECT name FROM windows ORDER BY p",
        r#"[["café"],["€uro"]]"#,
    ),
    case(
        "damaged.csv",
        b"a,b\n\xc3\xa9,1\n\xc3\xbc,2\n\xc3\xb1,3\n\xe9,4\n",
        &["encoding - 1 [5]"],
        "SELECT a, b FROM damaged WHERE b > 2 ORDER BY b",
        r#"[["ñ",3],["\ufffd",4]]"#,
    ),
    case(
        "semicolons.csv",
        b"a;b\n1,5;x\n2,75;y\n",
        &["number_text a 2 []"],
        "SELECT sum(a) FROM semicolons",
        r#"[["4.25"]]"#,
    ),
    case("tabs.tsv", b"a\tb\n1\tx, y\n", &[], "SELECT a, b FROM tabs", r#"[[1,"x, y"]]"#),
    case("pipes.csv", b"a|b\n1|x\n2|y\n", &[], "SELECT a, b FROM pipes", r#"[[1,"x"],[2,"y"]]"#),
    case("carets.csv", b"a^b^c\n1^2^3\n4^5^6\n", &["delimiter - - []"], "SELECT sum(c) FROM carets", "[[9]]"),
    case(
        "single.csv",
        b"a,b\n'x, y','z'\n'u','v'\n'w','q'\n",
        &["delimiter - - []"],
        "SELECT a FROM single LIMIT 1",
        r#"[["x, y"]]"#,
    ),
    case(
        "escaped.csv",
        b"a,b\n1,\"say \\\"hi\\\"\"\n2,\"x\"\n",
        &[],
        "SELECT b FROM escaped WHERE a = 1",
        r#"[["say \"hi\""]]"#,
    ),
    case(
        "line_ends.csv",
        b"a,b\r\n1,\"x\r\nz\"\r\n2,y\n3,z\n",
        &[],
        "SELECT a, b FROM line_ends",
        r#"[[1,"x\r\nz"],[2,"y"],[3,"z"]]"#,
    ),
    case(
        "ragged.csv",
        b"a,b\n1,2\n3\n4,5,\n6,7,8\n9,10\n",
        &["ragged_rows - 1 [3]", "ragged_rows - 1 [4]", "rows_set_aside - 1 [5]"],
        "SELECT a, b FROM ragged ORDER BY a",
        "[[1,2],[3,null],[4,5],[9,10]]",
    ),
    case(
        "surplus.csv",
        b"a,b\n1,2,,\n3,4,,\n5,6,,\n7,8,,\n9,10\n",
        &["ragged_rows - 4 [2,3,4,5]"],
        "SELECT sum(b) FROM surplus",
        "[[30]]",
    ),
    case(
        "weights.csv",
        b"who,weight,seat\nann,77 kg,12a\nbob,8.5 kg,13a\ncid,69 kg,14b\n",
        &["mixed_types weight 0 []"],
        "SELECT weight FROM weights LIMIT 1",
        r#"[["77 kg"]]"#,
    ),
    case(
        "prices.json",
        r#"[{"p": "\u20ac 12,50"}, {"p": "\u20ac 3,00"}, {"p": "\u20ac 1.200,00"}]"#.as_bytes(),
        &["mixed_types p 0 []"],
        "SELECT count(*) FROM prices",
        "[[3]]",
    ),
    case(
        "mixed.csv",
        b"k,n,d\na,1,2024-01-01\nb,2,2024-01-02\nc,3,2024-01-03\nd,4,2024-01-04\ne,5,2024-01-05\nf,6,2024-01-06\n\
          g,7,2024-01-07\nh,8,2024-01-08\ni,9,someday\nj,10,2024-01-10\nk,eleven,2024-01-11\n",
        &["mixed_types n 1 [11]", "mixed_types d 1 [9]"],
        "SELECT n, d FROM mixed WHERE k IN ('i', 'k') ORDER BY k",
        r#"[["9","someday"],["eleven","2024-01-11"]]"#,
    ),
    case(
        "headers.csv",
        b"id,,id,Id\n1,2,3,4\n",
        &["header_changed - 3 []"],
        "SELECT id, column_2, id_2, Id_3 FROM headers",
        "[[1,2,3,4]]",
    ),
    case(
        "no_header.csv",
        b"1,2.5,x\n2,3.5,y\n",
        &["no_header - - []"],
        "SELECT sum(column_2) FROM no_header",
        "[[6.0]]",
    ),
    case(
        "years.csv",
        b"land,1990,1991\nA,1,2\nB,3,4\n",
        &["header_changed - - []"],
        "SELECT sum(\"1991\") FROM years",
        "[[6]]",
    ),
    case(
        "titled.csv",
        b"Report of 2024\n\nregion,price\nN,1\nregion,price\nS,2\n",
        &["lines_skipped - 1 [1]", "lines_skipped - 1 [5]"],
        "SELECT region, price FROM titled",
        r#"[["N",1],["S",2]]"#,
    ),
    case(
        "comments.csv",
        b"# made by hand\nregion,price\nN,1\n# the end\nS,2\n",
        &["comments_skipped - 2 [1,4]"],
        "SELECT sum(price) FROM comments",
        "[[3]]",
    ),
    case("one_column.csv", b"name\nann\nbob\n", &[], "SELECT name FROM one_column", r#"[["ann"],["bob"]]"#),
    case("no_rows.csv", b"region,price\n", &["no_rows - 0 []"], "SELECT count(*) FROM no_rows", "[[0]]"),
    case(
        "money.csv",
        b"k,usd,eur,share,units,loss\na,\"$1,234.50\",\"1.234,50 \xe2\x82\xac\",12 %,\"1,234\",(300)\n\
          b,$5,\"5,00 \xe2\x82\xac\",7.5%,\"2,500\",20\nc,n/a,\"1,5 \xe2\x82\xac\",0 %,\"9,999\",1\n",
        &[
            "number_text usd 2 []",
            "empty_words usd 1 [3]",
            "number_text eur 3 []",
            "number_text share 3 []",
            "number_text units 3 []",
            "number_text loss 3 []",
        ],
        "SELECT usd, eur, share, units, loss FROM money ORDER BY k",
        r#"[["1234.50","1234.50","12.0","1234","-300"],["5.00","5.00","7.5","2500","20"],[null,"1.50","0.0","9999","1"]]"#,
    ),
    case(
        "codes.csv",
        b"zip,phone,big,n\n00501,+4915112345678,99999999999999999999,1\n10001,+4915112345679,5,2\n",
        &["other big 1 [1]"],
        "SELECT zip, phone, big, n FROM codes ORDER BY n",
        r#"[["00501","+4915112345678","99999999999999999999",1],["10001","+4915112345679","5",2]]"#,
    ),
    case(
        "words.csv",
        b"a,b,c,d\n1.5,NaN,true,yes\n2.5,1,false,no\ninf,2,true,yes\n",
        &["empty_words b 1 [1]"],
        "SELECT a, b, c, d FROM words LIMIT 2",
        r#"[["1.5",null,true,"yes"],["2.5",1,false,"no"]]"#,
    ),
    case(
        "dates.csv",
        b"either,day,iso,named,zoned\n01/02/2024,13/02/2024,2024/01/02,5-Jan-2024,2024-01-02T10:00:00Z\n\
          03/04/2024,01/02/2024,2024/12/31,6-Feb-2024,2024-01-02T11:00:00+02:00\n",
        &["date_form day - []", "time_zone zoned 2 []", "date_form either - []"],
        "SELECT either, day, iso, named, zoned FROM dates ORDER BY either",
        r#"[["2024-02-01","2024-02-13","2024-01-02","2024-01-05","2024-01-02T10:00:00"],["2024-04-03","2024-02-01","2024-12-31","2024-02-06","2024-01-02T09:00:00"]]"#,
    ),
    case(
        "objects.json",
        br#"[{"a":1,"b":"2024-01-02","c":{"x":1}},{"a":2.5,"b":"2024-01-03","d":[1,2]}]"#,
        &["nested - 1 []", "nested - 1 []"],
        "SELECT a, b, c_x, d FROM objects ORDER BY a",
        r#"[[1.0,"2024-01-02",1,null],[2.5,"2024-01-03",null,"[1,2]"]]"#,
    ),
    case(
        "wrapped.json",
        br#"{"meta":{"n":2},"data":[{"q":1},{"q":2}]}"#,
        &["members_skipped - 1 []"],
        "SELECT sum(q) FROM wrapped",
        "[[3]]",
    ),
    case(
        "lines.jsonl",
        b"{\"a\":1,\"b\":\"007\"}\n\n{\"a\":2}\nnot json\n{\"a\":NaN}\n",
        &["rows_set_aside - 1 [4]", "empty_words - 1 []"],
        "SELECT a, b FROM lines ORDER BY a",
        r#"[[1,"007"],[2,null],[null,null]]"#,
    ),
    case(
        "twice.jsonl",
        b"{\"a\":1,\"a\":2}\n{\"a\":3}\n",
        &["repeated_names - 1 []"],
        "SELECT a FROM twice ORDER BY a",
        "[[2],[3]]",
    ),
];

const MADE: &[Case] = &[
    case(
        "book.xlsx",
        b"",
        &[
            "members_skipped - 3 []",
            "inner_tables - 2 []",
            "lines_skipped - 1 [2]",
            "lines_skipped - 1 [6]",
            "other - 1 [5]",
            "number_text amount 2 []",
            "empty_words amount 1 [3]",
        ],
        "SELECT s.Region, s.Day, s.At, s.Clock, s.Units, s.Price, s.Paid, m.amount FROM sales_2024 s CROSS JOIN money m \
         WHERE m.k = 'a' ORDER BY s.Region",
        r#"[["N","2024-01-01","2024-01-01T12:00:00","06:00:00",3,1.5,true,"1200.50"],["S","2024-01-02","2024-01-02T06:00:00","12:00:00",4,2.0,false,"1200.50"]]"#,
    ),
    case("lone.xlsx", b"", &["error_cells - 1 [3]"], "SELECT a, b FROM lone ORDER BY a", "[[1,2.5],[2,null]]"),
    case("open.ods", b"", &[], "SELECT k, n FROM \"open\" ORDER BY n", r#"[["x",1],["y",2]]"#),
    case(
        "base.sqlite",
        b"",
        &["members_skipped - 1 []", "inner_tables - 3 []", "mixed_types odd 1 []", "other raw 1 []", "no_rows - 0 []"],
        "SELECT p.name, p.born, p.zip, p.member, p.score, p.odd, p.raw, (SELECT count(*) FROM visits), (SELECT count(a) FROM vacant) \
         FROM people p ORDER BY p.id",
        r#"[["Ann","2001-02-03","00501",true,1.5,"x","00ff",3,0],["Bob",null,"10001",false,2.0,"5",null,3,0]]"#,
    ),
    case(
        "other.duckdb",
        b"",
        &["members_skipped - 1 []", "inner_tables - 2 []", "nested - 1 []", "time_zone at - []"],
        "SELECT id, sizes, price, day, (SELECT \"at\" FROM side_moments) FROM parts",
        r#"[[5,"[1,2]","1.50","2024-01-02","2024-01-01T08:00:00"]]"#,
    ),
    case(
        "typed.parquet",
        b"",
        &["nested - 1 []", "time_zone at - []"],
        "SELECT id, price, \"at\", code, inner_x FROM typed ORDER BY id",
        r#"[[1,"1.50","2024-01-01T09:00:00","a",1],[2,null,"2024-01-01T09:00:00","007",2]]"#,
    ),
    case("misnamed.csv", b"", &["nested - 1 []", "time_zone at - []"], "SELECT count(*) FROM misnamed", "[[2]]"),
    case("packed.csv.gz", b"", &[], "SELECT a, b FROM packed", "[[1,2],[3,4]]"),
    case(
        "several.zip",
        b"",
        &["members_skipped - 1 []", "members_skipped - 1 []", "inner_tables - 2 []"],
        "SELECT name, guest_id FROM guests JOIN stays ON stays.guest_id = guests.id",
        r#"[["ann",1]]"#,
    ),
    case("one.zip", b"", &[], "SELECT name FROM one", r#"[["ann"]]"#),
];

/// What was said of each file, short.
fn said(shown: &Value) -> BTreeMap<String, Vec<String>> {
    let mut by_file: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for remark in shown["remarks"].as_array().expect("remarks") {
        let file = remark["file"].as_str().expect("every remark names its file");
        let message = remark["message"].as_str().expect("a message");
        assert!(message.starts_with(&format!("`{file}`")), "{remark}");
        let or_dash = |value: &Value| if value.is_null() { "-".into() } else { value.to_string().replace('"', "") };
        let short = format!(
            "{} {} {} {}",
            remark["code"].as_str().expect("a code"),
            or_dash(&remark["column"]),
            or_dash(&remark["count"]),
            remark["rows"]
        );
        by_file.entry(file.to_string()).or_default().push(short);
    }
    by_file
}

fn check(place: &Place, folder: &str, cases: &[Case]) {
    let mut said = said(&place.json(0, &["data", "show", folder]));
    let mut wrong = Vec::new();
    for case in cases {
        let remarks = said.remove(case.file).unwrap_or_default();
        if remarks != case.remarks {
            wrong.push(format!("{}: said {remarks:?}, expected {:?}", case.file, case.remarks));
        }
        let answer = place.json_any(&["sql", folder, case.query]);
        let expected: Value = serde_json::from_str(case.rows).expect("rows");
        if answer["table"]["rows"] != expected {
            wrong
                .push(format!("{}: {} gave {}\n  {}", case.file, case.query, answer["table"]["rows"], answer["error"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(said.values().all(Vec::is_empty), "remarks on files that nobody made: {said:?}");
}

#[test]
fn every_kind_of_dirt_is_read_or_set_aside_and_said() {
    let place = Place::new();
    for case in TEXTS {
        place.file(&format!("dirt/{}", case.file), case.contents);
    }
    check(&place, "dirt", TEXTS);
    let messages = place.json(0, &["data", "show", "dirt"])["remarks"].to_string();
    for said in [
        "numbers were written for people; `,` read as the decimal point",
        "`lines.jsonl`: 1 line that is no whole object, set aside: line 4",
        "`weight`: stays text: 3 of 3 cells are numbers with `kg` beside them",
    ] {
        assert!(messages.contains(said), "{said}: {messages}");
    }
    let shown = place.json(0, &["data", "show", "dirt/money.csv"]);
    let units: Vec<&Value> =
        shown["tables"][0]["columns"].as_array().unwrap().iter().map(|column| &column["unit"]).collect();
    assert_eq!(units, [&json!(null), &json!("$"), &json!("€"), &json!("percent"), &json!(null), &json!(null)]);
}

/// The files that only programs can write, below `made/good` and `made/bad`.
fn made(place: &Place) {
    place.file("make.py", include_str!("awkward/make.py"));
    let ran = place.json_any(&["sandbox", "run", "make.py", "--out", "made"]);
    assert_eq!(ran["outcome"], "ok", "{ran}");
}

#[test]
fn every_format_is_read_by_its_contents() {
    let place = Place::new();
    made(&place);
    check(&place, "made/good", MADE);
}

#[test]
fn what_is_no_table_is_refused_with_a_clear_word() {
    let place = Place::new();
    made(&place);
    let many_short = format!("a,b\n{}{}", "1\n".repeat(10), "1,2\n".repeat(30));
    let wide = vec!["x"; 20_001].join(",");
    // Longer than what the engine's reader holds at once.
    let long = format!("a,b\n{},1\n", "x".repeat(34 << 20));
    let texts: [(&str, &[u8], &str); 13] = [
        ("nothing.csv", b"", "is empty"),
        ("blank.csv", b"\n \n\n", "is empty"),
        ("zeros.csv", b"a,b\n1,x\0y\n", "is a binary file"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is an image"),
        ("paper.csv", b"%PDF-1.7\n", "is a PDF document"),
        ("page.csv", b"<!DOCTYPE html><html><table></table></html>", "markup"),
        ("open_quote.csv", b"a,b\n1,\"2\n3,4\n", "a quote that is not closed, opened at line 2"),
        ("short.csv", many_short.as_bytes(), "line 2 has too few values; a file may have 3 such rows, or 5 percent"),
        ("wide.csv", wide.as_bytes(), "20001 columns"),
        ("long.csv", long.as_bytes(), "a value of more than 8 MiB at line 2"),
        ("numbers.json", b"[1,2,3]", "no objects"),
        ("cut.json", b"[{\"a\":1},", "the array does not end"),
        ("prose.csv", b"Dear reader.\nThis has commas, but it is no table.\n", "no row"),
    ];
    for (name, contents, _) in &texts {
        place.file(&format!("refused/{name}"), contents);
    }
    let made = [
        ("outside.zip", "leads out of it"),
        ("rooted.zip", "leads out of it"),
        ("pictures.zip", "holds no table"),
        ("bomb.zip", "200 times its size"),
        ("bomb.csv.gz", "200 times its size"),
        ("cut_book.xlsx", "cannot be unpacked"),
        ("cut_base.sqlite", "SQLite"),
        ("cut_other.duckdb", "DuckDB file"),
        ("cut_typed.parquet", "cannot be read"),
        ("cut_packed.csv.gz", "ends before"),
    ];
    let texts = texts.iter().map(|(name, _, word)| (format!("refused/{name}"), *word));
    for (file, word) in texts.chain(made.iter().map(|(name, word)| (format!("made/bad/{name}"), *word))) {
        let problem = place.json(2, &["data", "show", &file]);
        assert_eq!(problem["code"], "file_format", "{file}: {problem}");
        let name = file.rsplit('/').next().unwrap();
        let message = problem["message"].as_str().unwrap();
        assert!(message.contains(word) && message.contains(name), "{file}: {message}");
        assert!(problem["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{file}: {problem}");
    }
    assert_eq!(fs::read_dir(place.data().join("datasets")).map_or(0, Iterator::count), 0, "nothing was prepared");
}

#[test]
fn ten_thousand_columns_are_read_and_said() {
    let place = Place::new();
    let columns: Vec<String> = (0..10_000).map(|index| format!("c{index}")).collect();
    let row = |number: usize| (0..10_000).map(|index| (index * number).to_string()).collect::<Vec<_>>().join(",");
    place.file("wide.csv", format!("{}\n{}\n{}\n", columns.join(","), row(1), row(2)));
    let shown = place.assay(["data", "show", "wide.csv", "--json"]).run().exits(0).document();
    assert_eq!(said(&shown)["wide.csv"], ["wide - 10000 []"]);
    let sum = place.json(0, &["sql", "wide.csv", "SELECT sum(c9999), sum(c0) FROM wide"]);
    assert_eq!(sum["table"]["rows"], json!([[29_997, 0]]));
}

/// The one typed pass and the careful way must agree: a last row that only the careful way can read changes nothing else.
#[test]
fn a_clean_file_and_the_same_file_with_one_odd_row_give_the_same_table() {
    let place = Place::new();
    let mut clean = String::from("id,name,day,at,price,paid,share\n");
    for index in 0..5_000_u32 {
        let day = index % 28 + 1;
        let empty = if index % 7 == 0 { String::new() } else { format!("{}.{:02}", index % 900, index % 100) };
        clean += &format!(
            "{index},n{},2024-03-{day:02},2024-03-{day:02} 10:{:02}:00,{empty},{},0.{index}\n",
            index % 40,
            index % 60,
            index % 3 == 0
        );
    }
    place.file("clean.csv", &clean);
    place.file("odd.csv", format!("{clean}7,too,many,values,in,this,row,by,far\n"));
    let described = |file: &str| {
        let shown = place.json(0, &["data", "show", file]);
        let columns = shown["tables"][0]["columns"].as_array().unwrap().clone();
        (columns, said(&shown).remove(file).unwrap_or_default())
    };
    let ((clean, nothing), (odd, aside)) = (described("clean.csv"), described("odd.csv"));
    assert_eq!(clean, odd);
    assert_eq!((nothing, aside), (vec![], vec!["rows_set_aside - 1 [5002]".to_string()]));
    let types: Vec<&Value> = clean.iter().map(|column| &column["type"]).collect();
    assert_eq!(types, ["int", "text", "date", "timestamp", "float", "bool", "float"]);
    let digest = "SELECT sum(hash(COLUMNS(*)) % 1000003) FROM";
    let sums = |name: &str| {
        place.json(0, &["sql", &format!("{name}.csv"), &format!("{digest} {name}")])["table"]["rows"].clone()
    };
    assert_eq!(sums("clean"), sums("odd"));
}
