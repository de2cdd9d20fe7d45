//! `--chart FILE`: the chart of an answer as a file. What kind of file is said by its name.

use std::path::{Path, PathBuf};

use base::{Code, Problem};
use data::chart::svg::{self, Theme};
use data::chart::{Chart, terminal};
use serde_json::Value;

/// A file that a chart is to be written to.
pub struct ChartFile {
    path: PathBuf,
    form: Form,
}

enum Form {
    Svg,
    VegaLite,
}

impl ChartFile {
    /// Refused before anything is computed if it is not clear what to write.
    pub fn of(path: &Path) -> Result<ChartFile, Problem> {
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase);
        let form = match extension.as_deref() {
            Some("svg") => Form::Svg,
            Some("json") => Form::VegaLite,
            _ => {
                let message = format!("`{}` does not say what kind of picture to write", path.display());
                return Err(
                    Problem::new(Code::Usage, message).hint("give a file that ends in .svg, or in .json for Vega-Lite")
                );
            }
        };
        Ok(ChartFile { path: path.to_path_buf(), form })
    }

    /// Writes the chart of an answer; whether there is one.
    pub fn write(&self, answer: &Value) -> Result<bool, Problem> {
        let Some(chart) = of_answer(answer) else { return Ok(false) };
        let text = match self.form {
            Form::Svg => svg::draw(&chart, Theme::Automatic),
            Form::VegaLite => format!("{:#}\n", chart.spec()),
        };
        std::fs::write(&self.path, text).map_err(|error| {
            let full = error.kind() == std::io::ErrorKind::StorageFull;
            let code = if full { Code::DiskFull } else { Code::FileUnreadable };
            Problem::new(code, format!("cannot write `{}`: {error}", self.path.display()))
                .hint("the answer is kept: `assay runs list`; name another file with --chart")
        })?;
        Ok(true)
    }
}

/// An answer's chart in letters.
pub fn in_letters(answer: &Value, width: usize) -> Option<String> {
    of_answer(answer).map(|chart| terminal::draw(&chart, width))
}

fn of_answer(answer: &Value) -> Option<Chart> {
    serde_json::from_value(answer["chart"]["drawing"].clone()).ok()
}
