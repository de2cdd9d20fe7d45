//! `--chart FILE`: a chart as a file. What kind of file is said by its name.

use std::path::{Path, PathBuf};

use app::pictures::chart_of;
use base::{Code, Problem, RunId};
use data::chart::Chart;
use data::chart::svg::{self, Theme};
use data::chart::terminal;
use serde_json::Value;

use crate::args::ChartTheme;
use crate::files;

/// A file that a chart is to be written to.
pub struct ChartFile {
    path: PathBuf,
    form: Form,
    theme: Option<ChartTheme>,
    /// Where the font of pictures comes from.
    environments: PathBuf,
}

enum Form {
    Svg,
    Png,
    VegaLite,
}

/// What became of a chart's file.
pub enum Written {
    /// It is there.
    Whole,
    /// It is there, but for letters that the font of pictures does not have.
    WithoutSomeLetters,
    /// There is no chart of ours.
    Nothing,
}

/// What is said where there is no chart to write.
pub const NO_CHART: &str = "no chart helps to read this, so none was written";
/// What is said where the picture lacks letters.
pub const LETTERS_MISSING: &str = "the font of pictures lacks some letters of this chart; .svg has them";
/// Of a chart in letters; wider ones are harder to read.
const WIDTH_MAX: usize = 90;

/// The picture that a model's code drew for an answer: which run has it, and by what name.
pub fn figure_of(answer: &Value) -> Option<(RunId, &str)> {
    let name = answer["figures"][0]["name"].as_str()?;
    let run = answer["cached_from"].as_str().or(answer["run"].as_str()).and_then(RunId::parse)?;
    Some((run, name))
}

impl ChartFile {
    /// The file that is asked for, if one is. Refused before anything is computed if it is not clear what to write.
    pub fn asked(
        path: Option<&Path>,
        theme: Option<ChartTheme>,
        environments: &Path,
    ) -> Result<Option<ChartFile>, Problem> {
        let Some(path) = path else { return Ok(None) };
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase);
        let form = match extension.as_deref() {
            Some("svg") => Form::Svg,
            Some("png") => Form::Png,
            Some("json") => Form::VegaLite,
            _ => {
                let message = format!("`{}` does not say what kind of picture to write", path.display());
                return Err(Problem::new(Code::Usage, message)
                    .hint("give a file that ends in .svg or .png, or in .json for Vega-Lite"));
            }
        };
        files::check_folder(path, "--chart")?;
        let environments = environments.to_path_buf();
        Ok(Some(ChartFile { path: path.to_path_buf(), form, theme, environments }))
    }

    /// Where it goes.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a chart, if there is one.
    pub fn write(&self, chart: Option<&Chart>) -> Result<Written, Problem> {
        let Some(chart) = chart else { return Ok(Written::Nothing) };
        let mut written = Written::Whole;
        let contents = match self.form {
            Form::Svg => svg::draw(chart, self.theme(Theme::Automatic)).into_bytes(),
            Form::VegaLite => format!("{:#}\n", chart.spec()).into_bytes(),
            Form::Png => {
                let drawn = svg::draw(chart, self.theme(Theme::Light));
                let picture = app::png::draw(&drawn, app::png::fonts(&self.environments)?)?;
                if picture.letters_missing {
                    written = Written::WithoutSomeLetters;
                }
                picture.png
            }
        };
        files::write(&self.path, &contents, "name another file with --chart")?;
        Ok(written)
    }

    /// Writes a picture that is there already, if that is the kind of file to write.
    pub fn write_figure(&self, picture: &[u8]) -> Result<bool, Problem> {
        let is_png = matches!(self.form, Form::Png);
        if is_png {
            files::write(&self.path, picture, "name another file with --chart")?;
        }
        Ok(is_png)
    }

    fn theme(&self, otherwise: Theme) -> Theme {
        match self.theme {
            Some(ChartTheme::Light) => Theme::Light,
            Some(ChartTheme::Dark) => Theme::Dark,
            None => otherwise,
        }
    }
}

/// An answer's chart in letters.
pub fn in_letters(answer: &Value, width: Option<usize>) -> Option<String> {
    chart_of(answer).map(|chart| drawn(&chart, width))
}

/// A chart in letters, no wider than the terminal.
pub fn drawn(chart: &Chart, width: Option<usize>) -> String {
    terminal::draw(chart, width.unwrap_or(WIDTH_MAX).min(WIDTH_MAX))
}
