//! Learns the planner's weights and measures them; started by `cargo xtask train`.
//!
//! Takes the folder of questions and tables, then what to do: `--out FILE` learns from everything; `--folds N --out DIR`
//! learns from all but each part in turn, measures on that part, and leaves weights and ids of every fold; `--ablate`
//! measures what each group of features is worth.

mod questions;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, bail};
use planner::Weights;
use planner::lookup::learn::{Course, GROUPS, Judged};

use crate::questions::Source;

/// What the committed weights begin with.
const HEADER: &str = "# Learned by `cargo xtask train`: what each feature adds to the log of the odds.\n";
const FOLDS_DEFAULT: usize = 5;

/// What to do.
struct Wanted {
    folder: PathBuf,
    out: Option<PathBuf>,
    folds: Option<usize>,
    ablate: bool,
}

fn main() -> anyhow::Result<()> {
    let wanted = wanted(std::env::args().skip(1))?;
    let began = Instant::now();
    let source = Source::read(&wanted.folder)?;
    let course = Course::new(source.questions());
    let all: Vec<usize> = (0..course.questions().len()).collect();
    eprintln!(
        "{} questions, {} with a right candidate, read in {:.0} s",
        all.len(),
        course.within_reach(),
        began.elapsed().as_secs_f64()
    );
    if wanted.ablate {
        ablate(&course);
    } else if let Some(folds) = wanted.folds {
        measure(&course, &source, folds, wanted.out.as_deref())?;
    } else {
        let text = format!("{HEADER}{}", course.teach(&all));
        match &wanted.out {
            Some(file) => fs::write(file, text).with_context(|| format!("cannot write `{}`", file.display()))?,
            None => print!("{text}"),
        }
    }
    eprintln!("done in {:.0} s", began.elapsed().as_secs_f64());
    Ok(())
}

fn wanted(mut words: impl Iterator<Item = String>) -> anyhow::Result<Wanted> {
    let folder = words.next().context("name the folder of questions and tables")?.into();
    let mut wanted = Wanted { folder, out: None, folds: None, ablate: false };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--out" => wanted.out = Some(words.next().context("`--out` needs a path")?.into()),
            "--folds" => wanted.folds = Some(words.next().context("`--folds` needs a number")?.parse()?),
            "--ablate" => wanted.ablate = true,
            _ => bail!("`{word}` is no option of this command"),
        }
    }
    Ok(wanted)
}

/// The questions of a fold, whole tables at a time, and the others.
fn split(course: &Course, fold: usize, folds: usize) -> (Vec<usize>, Vec<usize>) {
    (0..course.questions().len()).partition(|at| course.questions()[*at].table % folds == fold)
}

/// Learns from all folds but one and judges that one, in turn.
fn measure(course: &Course, source: &Source, folds: usize, out: Option<&Path>) -> anyhow::Result<()> {
    let mut judged = Vec::new();
    for fold in 0..folds {
        let (held, taught) = split(course, fold, folds);
        let text = format!("{HEADER}{}", course.teach(&taught));
        let weights = Weights::parse(&text).map_err(anyhow::Error::msg)?;
        let here = course.judge(&held, &weights);
        println!("fold {fold}: {}, {} weights", said(&here), text.lines().count() - 1);
        if let Some(folder) = out {
            fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
            fs::write(folder.join(format!("fold-{fold}.tsv")), &text)?;
            let ids: String = held.iter().map(|at| format!("{}\n", source.id(*at))).collect();
            fs::write(folder.join(format!("fold-{fold}.ids")), ids)?;
        }
        if let Some(folder) = out {
            let line = |(at, one): (&usize, &Judged)| {
                format!("{}\t{}\t{:.4}\t{}\n", source.id(*at), one.right, one.confidence, one.whole)
            };
            let lines: String = held.iter().zip(&here).map(line).collect();
            fs::write(folder.join(format!("fold-{fold}.judged")), lines)?;
        }
        judged.extend(here);
    }
    println!("all folds: {}", said(&judged));
    for least in [0.90, 0.93, 0.95, 0.96, 0.97, 0.98, 0.99] {
        let sure: Vec<Judged> = judged.iter().copied().filter(|one| one.whole && one.confidence >= least).collect();
        println!("whole and sure by {least}: {} questions, {:.4} right", sure.len(), share(&sure));
    }
    judged.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    for percent in (10..=100).step_by(10) {
        let count = judged.len() * percent / 100;
        let least = judged[..count].last().map_or(0.0, |last| last.confidence);
        println!("precision at {percent} % coverage: {:.4} (confidence {least:.3})", share(&judged[..count]));
    }
    Ok(())
}

/// What is lost without each group of features.
fn ablate(course: &Course) {
    println!("| features left out | accuracy | precision at 60 % coverage |\n|---|---|---|");
    for without in std::iter::once(None).chain(GROUPS.iter().map(|group| Some(*group))) {
        let mut judged = Vec::new();
        for fold in 0..FOLDS_DEFAULT {
            let (held, taught) = split(course, fold, FOLDS_DEFAULT);
            let weights = course.teach_without(&taught, without);
            judged.extend(course.judge(&held, &weights));
        }
        let best = at_60(&judged, |judged| judged.probability);
        println!("| {} | {:.1} % | {:.1} % |", without.unwrap_or("none"), 100.0 * share(&judged), 100.0 * best);
    }
}

fn share(judged: &[Judged]) -> f64 {
    judged.iter().filter(|judged| judged.right).count() as f64 / judged.len().max(1) as f64
}

fn at_60(judged: &[Judged], order: fn(&Judged) -> f64) -> f64 {
    let mut judged = judged.to_vec();
    judged.sort_by(|a, b| order(b).total_cmp(&order(a)));
    share(&judged[..judged.len() * 3 / 5])
}

fn said(judged: &[Judged]) -> String {
    format!(
        "{:.4} right of {}, {:.4} at 60 % coverage",
        share(judged),
        judged.len(),
        at_60(judged, |judged| judged.confidence)
    )
}
