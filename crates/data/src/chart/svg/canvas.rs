//! SVG in the making. Colours are attributes, which every program understands; where the theme is automatic a style says
//! what they become on a dark screen.

use std::fmt::Write as _;

use super::text::{FONT, escaped};

/// How a picture is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// As whoever looks at it has set their screen.
    Automatic,
    /// Dark on white, for paper and for pictures that cannot ask.
    Light,
    /// Light on black.
    Dark,
}

/// The colours of a theme. Those of series are told apart also by those who see few colours, and each stands out from the
/// ground.
struct Colours {
    ink: &'static str,
    faint: &'static str,
    line: &'static str,
    ground: &'static str,
    series: [&'static str; 8],
}

const LIGHT: Colours = Colours {
    ink: "#1f2328",
    faint: "#59636e",
    line: "#d1d9e0",
    ground: "#ffffff",
    series: ["#1f6fc0", "#a0380d", "#8b9930", "#4b2a80", "#cb6e91", "#0f5747", "#2e9fc8", "#572414"],
};
const DARK: Colours = Colours {
    ink: "#e6edf3",
    faint: "#9198a1",
    line: "#3d444d",
    ground: "#0d1117",
    series: ["#5b9cf0", "#eec32a", "#d9583f", "#4ad697", "#ce65a0", "#a6ecf6", "#663fef", "#c5d778"],
};

impl Colours {
    fn of(&self, paint: Paint) -> &'static str {
        match paint {
            Paint::Ink => self.ink,
            Paint::Faint => self.faint,
            Paint::Line => self.line,
            Paint::Ground => self.ground,
            Paint::Series(number) => self.series[number % self.series.len()],
        }
    }
}

/// What something is coloured as.
#[derive(Clone, Copy)]
pub enum Paint {
    Ink,
    Faint,
    Line,
    Ground,
    Series(usize),
}

impl Paint {
    fn class(self) -> String {
        match self {
            Paint::Ink => "i".to_string(),
            Paint::Faint => "f".to_string(),
            Paint::Line => "l".to_string(),
            Paint::Ground => "g".to_string(),
            Paint::Series(number) => format!("s{}", number % LIGHT.series.len()),
        }
    }
}

/// A text and where it stands.
pub struct Text<'a> {
    pub x: f64,
    pub y: f64,
    pub text: &'a str,
    pub size: f64,
    pub anchor: &'static str,
    pub bold: bool,
    pub faint: bool,
    pub turned: bool,
    /// Whether lines behind it are kept off its letters.
    pub clear: bool,
    /// The whole text, where only a part is shown.
    pub whole: Option<&'a str>,
}

impl<'a> Text<'a> {
    pub fn at(x: f64, y: f64, text: &'a str) -> Text<'a> {
        Text {
            x,
            y,
            text,
            size: FONT,
            anchor: "start",
            bold: false,
            faint: false,
            turned: false,
            clear: false,
            whole: None,
        }
    }
}

/// SVG in the making.
pub struct Canvas {
    out: String,
    theme: Theme,
    width: f64,
}

impl Canvas {
    pub fn new(theme: Theme) -> Canvas {
        Canvas { out: String::new(), theme, width: 0.0 }
    }

    /// Of the picture.
    pub fn width(&self) -> f64 {
        self.width
    }

    pub fn open(&mut self, [width, height]: [f64; 2], title: &str, description: &str) {
        self.width = width;
        let _ = writeln!(
            self.out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" aria-labelledby=\"title desc\" \
             font-family=\"DejaVu Sans, Verdana, sans-serif\">\n\
             <title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>",
            escaped(title),
            escaped(description),
        );
        if self.theme == Theme::Automatic {
            let _ = writeln!(self.out, "<style>{}</style>", dark_style());
        }
        let ground = self.paint("fill", Paint::Ground);
        let _ = writeln!(self.out, "<rect width=\"{width}\" height=\"{height}\" {ground}/>");
    }

    pub fn close(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }

    /// An attribute with a colour of the theme.
    fn paint(&self, attribute: &str, paint: Paint) -> String {
        match self.theme {
            Theme::Automatic => {
                let letter = if attribute == "fill" { "" } else { "k" };
                format!("{attribute}=\"{}\" class=\"{letter}{}\"", LIGHT.of(paint), paint.class())
            }
            Theme::Light => format!("{attribute}=\"{}\"", LIGHT.of(paint)),
            Theme::Dark => format!("{attribute}=\"{}\"", DARK.of(paint)),
        }
    }

    pub fn text(&mut self, text: &Text) {
        let Text { x, y, size, anchor, .. } = *text;
        let fill = self.paint("fill", if text.faint { Paint::Faint } else { Paint::Ink });
        let weight = if text.bold { " font-weight=\"bold\"" } else { "" };
        let turn = if text.turned { format!(" transform=\"rotate(-40 {x:.2} {y:.2})\"") } else { String::new() };
        let clear = match (text.clear, self.theme) {
            (false, _) => "",
            // A line of the ground around the letters, drawn before them.
            (true, Theme::Automatic) => " style=\"paint-order:stroke;stroke:var(--ground,#ffffff);stroke-width:3px\"",
            (true, Theme::Light) => " paint-order=\"stroke\" stroke=\"#ffffff\" stroke-width=\"3\"",
            (true, Theme::Dark) => " paint-order=\"stroke\" stroke=\"#0d1117\" stroke-width=\"3\"",
        };
        let whole = text.whole.filter(|whole| *whole != text.text);
        let tip = whole.map(|whole| format!("<title>{}</title>", escaped(whole))).unwrap_or_default();
        let _ = writeln!(
            self.out,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{anchor}\" {fill}{weight}{turn}{clear}>{tip}{}</text>",
            escaped(text.text)
        );
    }

    pub fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], paint: Paint) {
        let stroke = self.paint("stroke", paint);
        let _ = writeln!(self.out, "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" {stroke}/>");
    }

    pub fn polyline(&mut self, places: &[(f64, f64)], series: usize) {
        let stroke = self.paint("stroke", Paint::Series(series));
        let _ = writeln!(
            self.out,
            "<polyline points=\"{}\" fill=\"none\" {stroke} stroke-width=\"2\" stroke-linejoin=\"round\"/>",
            path(places)
        );
    }

    /// A line to or from what is not whole.
    pub fn dashed(&mut self, places: &[(f64, f64)], series: usize) {
        let stroke = self.paint("stroke", Paint::Series(series));
        let _ = writeln!(
            self.out,
            "<polyline points=\"{}\" fill=\"none\" {stroke} stroke-width=\"2\" stroke-dasharray=\"4 4\"/>",
            path(places)
        );
    }

    pub fn polygon(&mut self, places: &[(f64, f64)], series: usize) {
        let fill = self.paint("fill", Paint::Series(series));
        let _ = writeln!(self.out, "<polygon points=\"{}\" {fill} fill-opacity=\"0.25\"/>", path(places));
    }

    /// A bar or a part of one; parts are parted by a line of the ground.
    pub fn rectangle(&mut self, [x, y, wide, high]: [f64; 4], series: usize, tip: &str) {
        let fill = self.paint("fill", Paint::Series(series));
        let _ = writeln!(
            self.out,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{wide:.2}\" height=\"{high:.2}\" {fill}><title>{}</title></rect>",
            escaped(tip)
        );
    }

    /// A bar of what is not whole.
    pub fn pale_rectangle(&mut self, [x, y, wide, high]: [f64; 4], series: usize, tip: &str) {
        let fill = self.paint("fill", Paint::Series(series));
        let _ = writeln!(
            self.out,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{wide:.2}\" height=\"{high:.2}\" {fill} fill-opacity=\"0.45\">\
             <title>{}</title></rect>",
            escaped(tip)
        );
    }

    /// A dot of what is not whole.
    pub fn ring(&mut self, (x, y): (f64, f64), radius: f64, series: usize, tip: &str) {
        let (fill, stroke) = (LIGHT.of(Paint::Ground), self.paint("stroke", Paint::Series(series)));
        let fill = if self.theme == Theme::Dark { DARK.of(Paint::Ground) } else { fill };
        let style = if self.theme == Theme::Automatic { " style=\"fill:var(--ground,#ffffff)\"" } else { "" };
        let _ = writeln!(
            self.out,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{fill}\"{style} {stroke} stroke-width=\"2\">\
             <title>{}</title></circle>",
            escaped(tip)
        );
    }

    pub fn dot(&mut self, (x, y): (f64, f64), radius: f64, series: usize, tip: &str) {
        let fill = self.paint("fill", Paint::Series(series));
        let _ = writeln!(
            self.out,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" {fill}><title>{}</title></circle>",
            escaped(tip)
        );
    }

    /// A dot among many: seen through, so that crowds are darker.
    pub fn faint_dot(&mut self, (x, y): (f64, f64), radius: f64, series: usize, tip: Option<&str>) {
        let fill = self.paint("fill", Paint::Series(series));
        let tip = tip.map(|tip| format!("<title>{}</title>", escaped(tip))).unwrap_or_default();
        let _ = writeln!(
            self.out,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" {fill} fill-opacity=\"0.55\">{tip}</circle>"
        );
    }

    /// Nothing to see, but it says its cell when it is pointed at.
    pub fn hidden_dot(&mut self, (x, y): (f64, f64), tip: &str) {
        let _ = writeln!(
            self.out,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"3\" fill-opacity=\"0\"><title>{}</title></circle>",
            escaped(tip)
        );
    }
}

fn path(places: &[(f64, f64)]) -> String {
    places.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

/// What the classes become on a dark screen.
fn dark_style() -> String {
    let series = (0..DARK.series.len()).map(Paint::Series);
    let paints: Vec<Paint> = [Paint::Ink, Paint::Faint, Paint::Line, Paint::Ground].into_iter().chain(series).collect();
    let rules = paints.iter().map(|paint| {
        let (class, colour) = (paint.class(), DARK.of(*paint));
        format!(".{class}{{fill:{colour}}}.k{class}{{stroke:{colour}}}")
    });
    format!("@media(prefers-color-scheme:dark){{svg{{--ground:{}}}{}}}", DARK.ground, rules.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The luminance of `#rrggbb` as WCAG defines it.
    fn luminance(colour: &str) -> f64 {
        let part = |from: usize| {
            let share = f64::from(u8::from_str_radix(&colour[from..from + 2], 16).expect("a colour")) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
        one.max(other) / one.min(other)
    }

    #[test]
    fn everything_stands_out_from_its_ground() {
        for theme in [LIGHT, DARK] {
            assert!(contrast(theme.ink, theme.ground) >= 4.5);
            assert!(contrast(theme.faint, theme.ground) >= 4.5);
            for colour in theme.series {
                assert!(contrast(colour, theme.ground) >= 3.0, "{colour}");
            }
        }
    }
}
