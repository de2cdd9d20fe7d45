//! The risk-coverage curve as a picture: how much of the answers is right if only the surest part is answered.

use std::fmt::Write;

use serde_json::Value;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;
/// Lines between 0 and 100 percent.
const STEPS: u32 = 5;

/// An SVG element whose colours are the page's; nothing where no answer was scored.
pub fn draw(curve: &Value) -> Option<String> {
    let points: Vec<(f64, f64, f64)> = curve
        .as_array()?
        .iter()
        .filter_map(|point| {
            Some((point["coverage"].as_f64()?, point["precision"].as_f64()?, point["confidence"].as_f64()?))
        })
        .collect();
    let (first, last) = (points.first()?, points.last()?);
    let label = format!(
        "precision {:.1} % at coverage {:.1} %, {:.1} % at {:.1} %",
        100.0 * first.1,
        100.0 * first.0,
        100.0 * last.1,
        100.0 * last.0
    );
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\">\n");
    for step in 0..=STEPS {
        let share = f64::from(step) / f64::from(STEPS);
        let percent = 100 * step / STEPS;
        let (at_x, at_y) = (x(share), y(share));
        let _ = writeln!(svg, "<path class=\"grid\" d=\"M{LEFT} {at_y:.1}H{:.1}\"/>", WIDTH - RIGHT);
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>",
            LEFT - 8.0,
            at_y + 4.0
        );
        let _ = writeln!(
            svg,
            "<text x=\"{at_x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{percent} %</text>",
            HEIGHT - BOTTOM + 18.0
        );
    }
    let path: Vec<String> =
        points.iter().map(|(coverage, precision, _)| format!("{:.1} {:.1}", x(*coverage), y(*precision))).collect();
    let _ = writeln!(svg, "<path class=\"line\" d=\"M{}\"/>", path.join("L"));
    for (coverage, precision, confidence) in &points {
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"><title>coverage {:.1} %, precision {:.1} %, confidence from {confidence:.3}</title></circle>",
            x(*coverage),
            y(*precision),
            100.0 * coverage,
            100.0 * precision
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">coverage: answered of what can be answered</text>",
        x(0.5),
        HEIGHT - 6.0
    );
    svg.push_str("</svg>");
    Some(svg)
}

fn x(share: f64) -> f64 {
    LEFT + share * (WIDTH - LEFT - RIGHT)
}

fn y(share: f64) -> f64 {
    TOP + (1.0 - share) * (HEIGHT - TOP - BOTTOM)
}
