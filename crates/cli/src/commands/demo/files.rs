//! `assay demo files DIR`: the small files that the examples of the README name, to type them as they stand there.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use app::documents::data::DemoFiles;
use base::{Code, Document, Problem};

use crate::terminal::Terminal;

/// Each by its path below the folder.
const FILES: [(&str, &str); 10] = [
    ("sales.csv", include_str!("../../../demo/sales.csv")),
    ("stores.csv", include_str!("../../../demo/stores.csv")),
    ("rides.csv", include_str!("../../../demo/rides.csv")),
    ("shop/orders.csv", include_str!("../../../demo/shop/orders.csv")),
    ("shop/customers.csv", include_str!("../../../demo/shop/customers.csv")),
    ("shop/products.csv", include_str!("../../../demo/shop/products.csv")),
    ("report.py", include_str!("../../../demo/report.py")),
    ("guess.py", include_str!("../../../demo/guess.py")),
    ("tests.py", include_str!("../../../demo/tests.py")),
    ("cases.jsonl", include_str!("../../../demo/cases.jsonl")),
];

/// Writes them. A file that is there with other contents stops it before anything is written.
pub fn run(terminal: &Terminal, folder: &Path) -> Result<u8, Problem> {
    let all: Vec<(PathBuf, &str)> = FILES.iter().map(|(name, text)| (folder.join(name), *text)).collect();
    if let Some((path, _)) = all.iter().find(|(path, text)| is_other(path, text)) {
        return Err(Problem::new(Code::Usage, format!("`{}` is there and holds something else", path.display()))
            .hint("name a folder that is empty or not there yet; nothing was written"));
    }
    for (path, text) in &all {
        write(path, text).map_err(|error| {
            Problem::new(Code::Usage, format!("cannot write `{}`: {error}", path.display()))
                .hint("name a folder that you may write to")
        })?;
    }
    let folder = folder.display().to_string();
    let document =
        DemoFiles { folder: folder.clone(), files: FILES.iter().map(|(name, _)| name.to_string()).collect() };
    terminal.show(&document.to_json(), |printer| {
        printer.line(&format!("wrote {} files below {folder}", FILES.len()));
        printer.remark("next", &format!("`cd {folder}`, then `assay ask sales.csv \"average price by region\"`"));
    });
    Ok(0)
}

fn is_other(path: &Path, text: &str) -> bool {
    path.symlink_metadata().is_ok() && fs::read(path).is_ok_and(|bytes| bytes != text.as_bytes())
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::File::create_new(path)?.write_all(text.as_bytes())
}
