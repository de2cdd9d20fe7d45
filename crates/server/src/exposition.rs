//! The text that Prometheus reads (format 0.0.4): families with a line of help and a type, and one line for each number.

use std::fmt::Write as _;

use base::Durations;

/// The text under way.
#[derive(Default)]
pub struct Exposition(String);

impl Exposition {
    /// Begins a family.
    pub fn family(&mut self, name: &str, kind: &str, about: &str) {
        let _ = writeln!(self.0, "# HELP {name} {about}\n# TYPE {name} {kind}");
    }

    /// A family of one number.
    pub fn one(&mut self, name: &str, kind: &str, about: &str, value: f64) {
        self.family(name, kind, about);
        self.line(name, &[], value);
    }

    /// One number of the family that was begun last.
    pub fn line(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    /// The lines of one histogram of the family that was begun last.
    pub fn durations(&mut self, name: &str, labels: &[(&str, &str)], durations: &Durations) {
        let bucket = format!("{name}_bucket");
        for (bound, count) in durations.cumulated() {
            let bound = bound.to_string();
            self.line(&bucket, &[labels, &[("le", bound.as_str())]].concat(), count as f64);
        }
        let count = durations.count() as f64;
        self.line(&bucket, &[labels, &[("le", "+Inf")]].concat(), count);
        self.line(&format!("{name}_sum"), labels, durations.seconds());
        self.line(&format!("{name}_count"), labels, count);
    }

    /// All of it.
    pub fn text(self) -> String {
        self.0
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use base::Histogram;

    use super::*;

    #[test]
    fn a_label_cannot_end_its_line_and_a_histogram_adds_up() {
        let histogram = Histogram::default();
        histogram.observe(Duration::from_millis(3));
        histogram.observe(Duration::from_secs(600));
        let mut out = Exposition::default();
        out.family("t_seconds", "histogram", "times");
        out.durations("t_seconds", &[("door", "a\"b\\c\nd")], &histogram.durations());
        let text = out.text();
        let label = "door=\"a\\\"b\\\\c\\nd\"";
        for line in [
            format!("t_seconds_bucket{{{label},le=\"0.0025\"}} 0"),
            format!("t_seconds_bucket{{{label},le=\"0.005\"}} 1"),
            format!("t_seconds_bucket{{{label},le=\"+Inf\"}} 2"),
            format!("t_seconds_count{{{label}}} 2"),
            format!("t_seconds_sum{{{label}}} 600.003"),
        ] {
            assert!(text.lines().any(|one| one == line), "{line} in\n{text}");
        }
    }
}
