//! Units that a column's name ends in: `temperature_c`, `weightKg`, `Distance (km)`, `share %`.
//!
//! One idea: a unit is a whole word at the end of a name, or stands in brackets there. The shorter the word, the more it
//! must be explained by the words before it: `kg` means one thing, `c` only after a temperature, and `min` is more often a
//! least value than minutes. A name that says thousands of a unit is told in thousands of it. What remains unclear has no
//! unit: a wrong one would be said in every answer.

use crate::profile::words;

/// What a word needs beside it to be a unit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// It may be the whole name: `hours`.
    Nothing,
    /// Something that is measured in it: `size_mb`.
    AWord,
    /// A word about heat.
    Heat,
    /// A word about length.
    Length,
    /// A word about how long something takes.
    Duration,
    /// A word about weight.
    Weight,
    /// A word about volume.
    Volume,
    /// A word about electricity or power.
    Power,
    /// A word about pressure.
    Pressure,
}

use Needs::{AWord, Duration, Heat, Length, Nothing, Power, Pressure, Volume, Weight};

/// A spelling in lower case, what it is called, and what it needs.
const UNITS: &[(&str, &str, Needs)] = &[
    ("pct", "percent", Nothing),
    ("percent", "percent", Nothing),
    ("percentage", "percent", Nothing),
    ("bps", "basis points", AWord),
    ("ppm", "ppm", AWord),
    ("usd", "USD", Nothing),
    ("eur", "EUR", Nothing),
    ("gbp", "GBP", Nothing),
    ("chf", "CHF", Nothing),
    ("jpy", "JPY", Nothing),
    ("cny", "CNY", Nothing),
    ("inr", "INR", AWord),
    ("cad", "CAD", AWord),
    ("aud", "AUD", AWord),
    ("sek", "SEK", AWord),
    ("nok", "NOK", AWord),
    ("dkk", "DKK", AWord),
    ("pln", "PLN", AWord),
    ("brl", "BRL", AWord),
    ("mxn", "MXN", AWord),
    ("krw", "KRW", AWord),
    ("dollars", "USD", AWord),
    ("euros", "EUR", Nothing),
    ("years", "years", Nothing),
    ("yrs", "years", AWord),
    ("months", "months", Nothing),
    ("weeks", "weeks", Nothing),
    ("days", "days", Nothing),
    ("hours", "hours", Nothing),
    ("hrs", "hours", AWord),
    ("hr", "hours", Duration),
    ("h", "hours", Duration),
    ("minutes", "minutes", Nothing),
    ("mins", "minutes", AWord),
    ("seconds", "seconds", Nothing),
    ("secs", "seconds", AWord),
    ("sec", "seconds", AWord),
    ("s", "seconds", Duration),
    ("milliseconds", "ms", Nothing),
    ("millis", "ms", AWord),
    ("ms", "ms", AWord),
    ("microseconds", "µs", Nothing),
    ("nanoseconds", "ns", Nothing),
    ("ns", "ns", Duration),
    ("celsius", "°C", Nothing),
    ("degc", "°C", Nothing),
    ("c", "°C", Heat),
    ("fahrenheit", "°F", Nothing),
    ("degf", "°F", Nothing),
    ("f", "°F", Heat),
    ("kelvin", "K", Nothing),
    ("k", "K", Heat),
    ("kilometers", "km", Nothing),
    ("kilometres", "km", Nothing),
    ("km", "km", AWord),
    ("meters", "m", Nothing),
    ("metres", "m", Nothing),
    ("m", "m", Length),
    ("cm", "cm", AWord),
    ("mm", "mm", AWord),
    ("miles", "miles", Nothing),
    ("mi", "miles", Length),
    ("feet", "ft", Nothing),
    ("ft", "ft", AWord),
    ("inches", "in", Nothing),
    ("in", "in", Length),
    ("km2", "km²", AWord),
    ("m2", "m²", AWord),
    ("sqm", "m²", AWord),
    ("sqft", "sq ft", AWord),
    ("hectares", "ha", Nothing),
    ("m3", "m³", AWord),
    ("kilograms", "kg", Nothing),
    ("kg", "kg", AWord),
    ("grams", "g", Nothing),
    ("g", "g", Weight),
    ("mg", "mg", AWord),
    ("tonnes", "t", Nothing),
    ("lbs", "lb", AWord),
    ("lb", "lb", Weight),
    ("oz", "oz", AWord),
    ("liters", "l", Nothing),
    ("litres", "l", Nothing),
    ("l", "l", Volume),
    ("ml", "ml", AWord),
    ("gallons", "gallons", Nothing),
    ("kmh", "km/h", AWord),
    ("kph", "km/h", AWord),
    ("mph", "mph", AWord),
    ("rpm", "rpm", AWord),
    ("hz", "Hz", AWord),
    ("khz", "kHz", AWord),
    ("mhz", "MHz", AWord),
    ("ghz", "GHz", AWord),
    ("hpa", "hPa", AWord),
    ("kpa", "kPa", AWord),
    ("mbar", "mbar", AWord),
    ("bar", "bar", Pressure),
    ("psi", "psi", AWord),
    ("kwh", "kWh", AWord),
    ("mwh", "MWh", AWord),
    ("kw", "kW", AWord),
    ("mw", "MW", Power),
    ("w", "W", Power),
    ("watts", "W", Nothing),
    ("volts", "V", Nothing),
    ("v", "V", Power),
    ("amps", "A", Nothing),
    ("a", "A", Power),
    ("kcal", "kcal", AWord),
    ("bytes", "bytes", Nothing),
    ("kb", "KB", AWord),
    ("mb", "MB", AWord),
    ("gb", "GB", AWord),
    ("tb", "TB", AWord),
];

impl Needs {
    /// Words one of which must stand before the unit.
    fn explained_by(self) -> &'static [&'static str] {
        match self {
            Nothing | AWord => &[],
            Heat => &["temp", "temperature", "dewpoint", "dew", "heat", "thermal"],
            Length => {
                &["distance", "length", "height", "width", "depth", "altitude", "elevation", "radius", "diameter"]
            }
            Duration => {
                &["time", "duration", "latency", "elapsed", "runtime", "delay", "uptime", "downtime", "wait", "timeout"]
            }
            Weight => &["weight", "mass", "load"],
            Volume => &["volume", "capacity", "fuel", "water"],
            Power => &["power", "voltage", "volt", "current", "consumption"],
            Pressure => &["pressure"],
        }
    }
}

/// Signs and spellings that brackets make clear, as they are written there.
const IN_BRACKETS: &[(&str, &str)] = &[
    ("%", "percent"),
    ("$", "USD"),
    ("€", "EUR"),
    ("£", "GBP"),
    ("°C", "°C"),
    ("ºC", "°C"),
    ("C", "°C"),
    ("°F", "°F"),
    ("F", "°F"),
    ("K", "K"),
    ("m", "m"),
    ("g", "g"),
    ("s", "seconds"),
    ("h", "hours"),
    ("min", "minutes"),
    ("l", "l"),
    ("L", "l"),
    ("V", "V"),
    ("A", "A"),
    ("W", "W"),
    ("mW", "mW"),
    ("MW", "MW"),
    ("bar", "bar"),
    ("mi", "miles"),
    ("in", "in"),
    ("lb", "lb"),
    ("km/h", "km/h"),
    ("m/s", "m/s"),
    ("mm/s", "mm/s"),
    ("kg/m³", "kg/m³"),
    ("m²", "m²"),
    ("m³", "m³"),
    ("km²", "km²"),
    ("µs", "µs"),
];

/// Words for so many of a unit, and how it is then called.
const MULTIPLES: &[(&str, &str)] = &[
    ("thousand", "thousand"),
    ("thousands", "thousand"),
    ("million", "million"),
    ("millions", "million"),
    ("mln", "million"),
    ("billion", "billion"),
    ("billions", "billion"),
    ("bn", "billion"),
];

/// The unit that a name tells, if it tells one.
pub fn of_name(name: &str) -> Option<String> {
    let name = name.trim();
    let unit = unit_of_name(name)?;
    Some(match multiple(name) {
        Some(multiple) => format!("{multiple} {unit}"),
        None => unit,
    })
}

/// How many of its unit a name says that it counts: `thousands of dollars`, `USD (millions)`.
fn multiple(name: &str) -> Option<&'static str> {
    let words = words(name);
    MULTIPLES.iter().find(|(word, _)| words.iter().any(|other| other == word)).map(|(_, called)| *called)
}

fn unit_of_name(name: &str) -> Option<String> {
    if let Some(inside) = bracketed(name) {
        let exact = IN_BRACKETS.iter().find(|(sign, _)| *sign == inside).map(|(_, unit)| *unit);
        let spelled = || {
            let plain = |needs: &Needs| matches!(needs, Nothing | AWord);
            let folded = inside.to_lowercase();
            let is_counting = |word: &str| word == "of" || MULTIPLES.iter().any(|(multiple, _)| *multiple == word);
            let told = folded.split(' ').filter(|word| !is_counting(word)).collect::<Vec<_>>().join(" ");
            UNITS.iter().find(|(word, _, needs)| *word == told && plain(needs)).map(|(_, unit, _)| *unit)
        };
        return exact.or_else(spelled).map(str::to_string);
    }
    if name.ends_with('%') || name.starts_with('%') {
        return Some("percent".to_string());
    }
    if let Some(degrees) = ["°C", "°F"].into_iter().find(|sign| name.ends_with(sign)) {
        return Some(degrees.to_string());
    }
    of_words(&words(name))
}

/// What stands in brackets at the end: `km` in `Distance (km)`.
fn bracketed(name: &str) -> Option<&str> {
    let pairs = [('(', ')'), ('[', ']')];
    let inside = pairs.iter().find_map(|(open, close)| name.strip_suffix(*close)?.rsplit_once(*open))?;
    Some(inside.1.trim().trim_start_matches("in ").trim_start())
}

fn of_words(words: &[String]) -> Option<String> {
    let (last, before) = words.split_last()?;
    if let [rest @ .., over, per] = before
        && per == "per"
    {
        let (over, under) = (plain(over, rest)?, plain(last, rest).or_else(|| singular(last))?);
        return Some(format!("{over}/{under}"));
    }
    if before.last().is_some_and(|word| word == "per") {
        return None;
    }
    if let [.., over] = before
        && let Some(unit) = quotient(over, last)
        && before.len() > 1
    {
        return Some(unit.to_string());
    }
    plain(last, before).map(str::to_string)
}

/// A word that is a unit by itself or by what stands before it.
fn plain(word: &str, before: &[String]) -> Option<&'static str> {
    let (_, unit, needs) = UNITS.iter().find(|(spelling, ..)| *spelling == word)?;
    let explained = || before.iter().any(|word| needs.explained_by().contains(&word.as_str()));
    let told = match needs {
        Nothing => true,
        AWord => !before.is_empty(),
        _ => explained(),
    };
    told.then_some(*unit)
}

/// What stands below `per`: `hour` in `km_per_hour`.
fn singular(word: &str) -> Option<&'static str> {
    let known =
        [("hour", "h"), ("second", "s"), ("minute", "min"), ("day", "day"), ("liter", "l"), ("gallon", "gallon")];
    known.iter().find(|(spelling, _)| *spelling == word).map(|(_, unit)| *unit)
}

/// Two short words that are one unit: `mm_s`.
fn quotient(over: &str, under: &str) -> Option<&'static str> {
    let known = [
        (("mm", "s"), "mm/s"),
        (("m", "s"), "m/s"),
        (("km", "h"), "km/h"),
        (("kg", "m3"), "kg/m³"),
        (("mg", "l"), "mg/l"),
        (("mg", "dl"), "mg/dl"),
        (("sq", "ft"), "sq ft"),
        (("sq", "m"), "m²"),
        (("sq", "km"), "km²"),
    ];
    known.iter().find(|(words, _)| *words == (over, under)).map(|(_, unit)| *unit)
}

#[cfg(test)]
mod tests {
    use super::of_name;

    #[test]
    fn a_name_tells_its_unit() {
        let cases = [
            ("temperature_c", "°C"),
            ("tempC", "°C"),
            ("Outside temp F", "°F"),
            ("humidity_pct", "percent"),
            ("Discount Percent", "percent"),
            ("growth %", "percent"),
            ("% of total", "percent"),
            ("price_usd", "USD"),
            ("priceEUR", "EUR"),
            ("resolution_time_hours", "hours"),
            ("hours", "hours"),
            ("wait_mins", "minutes"),
            ("Wait (min)", "minutes"),
            ("latency_ms", "ms"),
            ("durationS", "seconds"),
            ("weightKg", "kg"),
            ("Distance (km)", "km"),
            ("Temperature [°C]", "°C"),
            ("Weight (in kg)", "kg"),
            ("Height (m)", "m"),
            ("Revenue ($)", "USD"),
            ("Area (m²)", "m²"),
            ("vibration_mm_s", "mm/s"),
            ("speed_km_per_hour", "km/h"),
            ("pressure_hpa", "hPa"),
            ("file_size_mb", "MB"),
            ("size_bytes", "bytes"),
            ("altitude_m", "m"),
            ("salary_in_thousands_of_dollars", "thousand USD"),
            ("revenue_million_usd", "million USD"),
            ("Budget (EUR millions)", "million EUR"),
            ("Budget (millions of EUR)", "million EUR"),
        ];
        for (name, unit) in cases {
            assert_eq!(of_name(name).as_deref(), Some(unit), "{name}");
        }
    }

    #[test]
    fn words_that_only_look_like_units_tell_none() {
        let names = [
            "doc",
            "music",
            "basic",
            "vitamin_c",
            "grade_c",
            "c",
            "f",
            "m",
            "price_min",
            "temp_min",
            "response_time_min",
            "min",
            "sales_us",
            "snack_bar",
            "check_in",
            "state_mi",
            "segment_a",
            "team_b",
            "plan_s",
            "class_m",
            "kg",
            "order_id",
            "day",
            "hour",
            "orders_per_day",
            "total",
            "Name (first)",
            "Born (year)",
            "",
            "(",
            ")",
            "()",
            "first_try",
            "grams_id",
        ];
        for name in names {
            assert_eq!(of_name(name), None, "{name}");
        }
    }
}
