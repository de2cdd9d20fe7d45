//! Whoever may name datasets only does not reach a file, however the name is spelled; a user at a terminal does.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use base::Code;
use warehouse::{DataNames, Datasets, Source};

/// One test, because it changes the working directory of its process.
#[test]
fn no_spelling_reaches_a_file_where_only_names_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path().canonicalize().expect("it is there");
    fs::create_dir(here.join("shop")).expect("made");
    for file in ["x.csv", "plain", "shop/orders.csv", "file:x.csv"] {
        fs::write(here.join(file), "a,b\n1,2\n").expect("written");
    }
    symlink(here.join("x.csv"), here.join("link")).expect("linked");
    symlink("/etc/passwd", here.join("sales")).expect("linked");
    std::env::set_current_dir(&here).expect("changed");
    let whole = |name: &str| here.join(name).display().to_string();
    let spellings = [
        "x.csv",
        "./x.csv",
        "plain",
        "./plain",
        "shop",
        "shop/",
        "./shop",
        "link",
        "./link",
        "sales",
        ".",
        "..",
        "/",
        "../../etc/passwd",
        "/etc/passwd",
        "file:x.csv",
        "file:///etc/passwd",
        "shop/../x.csv",
        "~/x.csv",
        "*.csv",
        "",
    ];
    let spellings = spellings.iter().map(|name| name.to_string()).chain(["x.csv", "link", "shop"].map(whole));
    let datasets = || Datasets::of(&here.join("data"));
    let (names, recorded, paths) =
        (DataNames::only(datasets()), DataNames::recorded(datasets()), DataNames::with_paths(datasets()));
    for spelling in spellings {
        let words = [spelling.clone()];
        let problem = names.source(&words).expect_err(&spelling);
        assert_eq!(problem.code, Code::DatasetUnknown, "{spelling}: {problem}");
        assert!(!names.is_data(&spelling), "{spelling}");
        assert_eq!(names.lasting(&words), words, "a name is recorded as it is");
        // What a stranger's run recorded is a name for whoever resumes it, wherever that is.
        if !spelling.starts_with('/') {
            assert!(recorded.source(&words).is_err(), "{spelling}");
        }
        // Several names, of which one is a dataset, are no way around.
        assert!(names.source(&["ecommerce".to_string(), spelling]).is_err());
    }
    for spelling in ["x.csv", "./x.csv", "plain", "shop", "link", "shop/orders.csv"] {
        let words = [spelling.to_string()];
        assert!(matches!(paths.source(&words), Ok(Source::Files(_))), "{spelling}");
        let lasting = paths.lasting(&words);
        assert!(Path::new(&lasting[0]).is_absolute(), "{spelling}");
        assert!(matches!(recorded.source(&lasting), Ok(Source::Files(_))), "{spelling}");
    }
    assert!(matches!(names.source(&["ecommerce".to_string()]), Ok(Source::Builtin("ecommerce"))));
}
