//! The risk-coverage curve as a picture that stands alone, in light and dark. Pure: judged answers in, SVG out.

use std::fmt::Write;

use super::risk::{Judged, precision};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 48.0;
/// Where the axis of precision begins: below, no answer would be worth giving.
const LOWEST: f64 = 0.5;
const STEPS: usize = 5;
/// Points of the line; fewer of the surest than this say nothing.
const POINTS: usize = 50;
const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#5b6570}.grid{stroke:#d5dae0;fill:none}\
.line{stroke:#1f6feb;stroke-width:2;fill:none}.given{fill:#1a7f37}.paper{fill:#fff}\
@media(prefers-color-scheme:dark){text{fill:#9aa4af}.grid{stroke:#363d46}.line{stroke:#6ea8fe}.given{fill:#57c878}\
.paper{fill:#14171b}}";

/// Draws answers that are in order, the surest first.
pub fn draw(judged: &[Judged]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"precision by coverage over WikiSQL\">\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n"
    );
    axes(&mut svg);
    let point = |number: usize| {
        let share = number as f64 / POINTS as f64;
        let count = judged.len() * number / POINTS;
        format!("{:.1} {:.1}", x(share), y(precision(&judged[..count])))
    };
    let line: Vec<String> = (1..=POINTS).map(point).collect();
    let _ = writeln!(svg, "<path class=\"line\" d=\"M{}\"/>", line.join("L"));
    let given: Vec<&Judged> = judged.iter().filter(|one| one.given).collect();
    let coverage = given.len() as f64 / judged.len().max(1) as f64;
    let right = precision(given.iter().copied());
    let (at_x, at_y) = (x(coverage), y(right));
    let _ = writeln!(svg, "<circle class=\"given\" cx=\"{at_x:.1}\" cy=\"{at_y:.1}\" r=\"5\"/>");
    let told = format!("what ask gives: {:.1} % of the questions, {:.1} % right", 100.0 * coverage, 100.0 * right);
    let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{told}</text>", LEFT + 8.0, HEIGHT - BOTTOM - 10.0);
    svg.push_str("</svg>\n");
    svg
}

fn axes(svg: &mut String) {
    for step in 0..=STEPS {
        let share = step as f64 / STEPS as f64;
        let level = LOWEST + share * (1.0 - LOWEST);
        let (at_x, at_y) = (x(share), y(level));
        let _ = writeln!(svg, "<path class=\"grid\" d=\"M{LEFT} {at_y:.1}H{:.1}\"/>", WIDTH - RIGHT);
        let (label_x, label_y) = (LEFT - 8.0, at_y + 4.0);
        let _ = writeln!(
            svg,
            "<text x=\"{label_x:.1}\" y=\"{label_y:.1}\" text-anchor=\"end\">{:.0} %</text>",
            100.0 * level
        );
        let below = HEIGHT - BOTTOM + 18.0;
        let _ = writeln!(
            svg,
            "<text x=\"{at_x:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{:.0} %</text>",
            100.0 * share
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">answered, the surest first</text>",
        x(0.5),
        HEIGHT - 8.0
    );
    let _ = writeln!(svg, "<text x=\"8\" y=\"12\">right</text>");
}

fn x(share: f64) -> f64 {
    LEFT + share * (WIDTH - LEFT - RIGHT)
}

fn y(level: f64) -> f64 {
    TOP + (1.0 - level.max(LOWEST)) / (1.0 - LOWEST) * (HEIGHT - TOP - BOTTOM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_falls_from_right_to_all() {
        let judged: Vec<Judged> =
            (0..100_u32).map(|n| Judged { confidence: 1.0, right: n < 60, given: n < 50 }).collect();
        let svg = draw(&judged);
        assert!(svg.contains(&format!("d=\"M{:.1} {TOP:.1}L", x(0.02))), "the surest are right: {svg}");
        assert!(svg.contains(&format!("L{:.1} {:.1}\"", x(1.0), y(0.6))), "60 % of all are right: {svg}");
        assert!(svg.contains("what ask gives: 50.0 % of the questions, 100.0 % right"), "{svg}");
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    }
}
