//! What stands below an upright chart: names, periods in their grain, or numbers; as many as have room.

use super::canvas::{Canvas, Text};
use super::text::{FONT, shortened, width};
use super::upright::{Frame, across, numbers_along};
use super::{MARGIN, marks, marks_at};
use crate::chart::scale::Scale;
use crate::chart::{Chart, Kind, Positions};
use crate::plan::Grain;

const TURNED_LETTERS_MAX: usize = 18;

struct Label {
    at: f64,
    shown: String,
    whole: String,
}

/// The labels of one chart.
pub struct Labels {
    texts: Vec<Label>,
    turned: bool,
    pub height: f64,
}

impl Labels {
    pub fn of(chart: &Chart, room: f64) -> Labels {
        let plain = |texts: Vec<(f64, String)>| {
            let texts = texts.into_iter().map(|(at, text)| Label { at, whole: text.clone(), shown: text });
            Labels { texts: texts.collect(), turned: false, height: FONT * 1.9 }
        };
        match &chart.along.positions {
            Positions::Names(names) => of_names(names, room),
            Positions::Times { grain, periods } => {
                let words: Vec<String> = periods.iter().map(|(_, words)| brief(*grain, words)).collect();
                let widest = words.iter().map(|word| width(word, FONT)).fold(0.0, f64::max) + 18.0;
                let fitting = (periods.len() as f64 * widest / room).ceil().max(1.0) as usize;
                let every = round_step(*grain, fitting);
                // Years begin in January, whichever month the data begins in.
                let first = periods.iter().position(|(_, words)| begins_a_year(*grain, words)).unwrap_or(0) % every;
                plain(words.into_iter().enumerate().skip(first).step_by(every).map(|(at, w)| (at as f64, w)).collect())
            }
            Positions::Numbers(form) => {
                let scale = numbers_along(chart);
                plain(scale.ticks.iter().copied().zip(marks(form, &scale)).collect())
            }
            Positions::Ranges(edges, form) => {
                let words = marks_at(form, edges, Scale::digits_of(edges));
                let widest = words.iter().map(|word| width(word, FONT)).fold(0.0, f64::max) + 10.0;
                let every = (edges.len() as f64 * widest / room).ceil().max(1.0) as usize;
                // An edge lies half a band before the middle of its range.
                plain(words.into_iter().enumerate().step_by(every).map(|(at, word)| (at as f64 - 0.5, word)).collect())
            }
        }
    }

    pub fn draw(&self, canvas: &mut Canvas, chart: &Chart, frame: &Frame) {
        let y = frame.base + frame.below + FONT * 1.6;
        let mut free_from = f64::NEG_INFINITY;
        for Label { at, shown, whole } in &self.texts {
            let x = match &chart.along.positions {
                Positions::Ranges(edges, _) => frame.band(*at, edges.len() - 1).0,
                _ => across(chart, frame, *at),
            };
            if self.turned {
                canvas.text(&Text {
                    anchor: "end",
                    turned: true,
                    whole: Some(whole),
                    ..Text::at(x + 4.0, y - 2.0, shown)
                });
                continue;
            }
            let half = width(shown, FONT) / 2.0;
            let x = x.clamp(MARGIN + half, (canvas.width() - 4.0 - half).max(MARGIN + half));
            let bars = matches!(chart.kind, Kind::Bar | Kind::Stacked);
            // Periods that lie close together because others are far away share one label.
            if bars || x - half >= free_from {
                canvas.text(&Text { anchor: "middle", whole: Some(whole), ..Text::at(x, y, shown) });
                free_from = x + half + 6.0;
            }
        }
    }
}

fn of_names(names: &[String], room: f64) -> Labels {
    let band = room / names.len().max(1) as f64;
    let turned = names.iter().any(|name| width(name, FONT) > band - 4.0);
    let every = if turned { (FONT * 1.3 / band).ceil().max(1.0) as usize } else { 1 };
    let letters = if turned { TURNED_LETTERS_MAX } else { 40 };
    let label =
        |(at, name): (usize, &String)| Label { at: at as f64, shown: shortened(name, letters), whole: name.clone() };
    let texts: Vec<Label> = names.iter().enumerate().step_by(every).map(label).collect();
    let longest = texts.iter().map(|text| width(&text.shown, FONT)).fold(0.0, f64::max);
    Labels { texts, turned, height: if turned { longest * 0.64 + FONT } else { FONT * 1.9 } }
}

/// The next number of periods that people count in.
fn round_step(grain: Grain, at_least: usize) -> usize {
    let steps: &[usize] = match grain {
        Grain::Year => &[1, 2, 5, 10, 20, 50, 100],
        Grain::Quarter => &[1, 2, 4, 8, 20, 40],
        Grain::Month => &[1, 2, 3, 6, 12, 24, 60, 120],
        Grain::Week => &[1, 2, 4, 13, 26, 52],
        Grain::Day => &[1, 2, 7, 14, 28, 91, 182, 364],
        Grain::Hour => &[1, 2, 3, 6, 12, 24, 48, 168],
    };
    steps.iter().copied().find(|step| *step >= at_least).unwrap_or(at_least)
}

fn begins_a_year(grain: Grain, words: &str) -> bool {
    match grain {
        Grain::Month => words.starts_with("January"),
        Grain::Quarter => words.starts_with("Q1"),
        Grain::Year => words.ends_with('0'),
        Grain::Hour => words.ends_with("00:00:00"),
        Grain::Week | Grain::Day => true,
    }
}

fn brief(grain: Grain, words: &str) -> String {
    match (grain, words.split_once(' ')) {
        (Grain::Month, Some((month, year))) => format!("{} {year}", month.chars().take(3).collect::<String>()),
        (Grain::Week, _) => words.trim_start_matches("the week of ").to_string(),
        (Grain::Hour, _) => words.get(5..16).unwrap_or(words).to_string(),
        _ => words.to_string(),
    }
}
