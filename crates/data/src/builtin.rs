//! The built-in datasets, generated from a fixed seed: the same bytes on every machine and in every build.
//!
//! Only integer arithmetic reaches the output, so no rounding mode and no maths library can change a digit. Each file's
//! hash is pinned here and checked by a test, so a dataset's version is known without generating it; a changed hash is a
//! new version for every user, so change it on purpose only.

mod calendar;
mod ecommerce;
mod products;
mod random;
mod sensors;
mod support;

use std::fmt;

/// One generated dataset as files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltinFiles {
    /// Table names with their CSV bytes, in declared order.
    pub tables: Vec<(String, Vec<u8>)>,
    /// The text of `dataset.toml`.
    pub metadata: &'static str,
}

/// The built-in datasets' names.
pub fn names() -> &'static [&'static str] {
    &["ecommerce", "support", "sensors"]
}

const HASHES: &[(&str, &str, &str)] = &[
    ("ecommerce", "orders", "e8a1135463b063f499c2cc932e6c2fc09ff7215fe89c66e0d5bfd47a58d122cc"),
    ("ecommerce", "order_items", "0f8674e3bf2491f2af643d2e65edd81e812669ef6c5185689305236cc14f9655"),
    ("ecommerce", "inventory", "49fdde6ae71658929cff19d98708cf5fe78ba2e3de786d67282f2137ce32c83c"),
    ("support", "tickets", "33822d30e8bd6eba8fbc4ce9af24f77c2895b5a57b91da75fe89206b6712dee5"),
    ("sensors", "sensors", "e7ee8f35b8567d105a53b77efa144319096e697feed0f88ce58d81125532ea94"),
];

/// Each table of a built-in dataset with the SHA-256 of its CSV file; empty if there is no dataset of that name.
pub fn hashes(name: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    HASHES.iter().filter(move |(dataset, ..)| *dataset == name).map(|(_, table, hash)| (*table, *hash))
}

/// The text of a built-in dataset's `dataset.toml`; `None` if there is none of that name.
pub fn metadata(name: &str) -> Option<&'static str> {
    match name {
        "ecommerce" => Some(include_str!("../datasets/ecommerce.toml")),
        "support" => Some(include_str!("../datasets/support.toml")),
        "sensors" => Some(include_str!("../datasets/sensors.toml")),
        _ => None,
    }
}

/// Generates a built-in dataset; `None` if there is none of that name.
pub fn files(name: &str) -> Option<BuiltinFiles> {
    let metadata = metadata(name)?;
    let tables = match name {
        "ecommerce" => ecommerce::tables(),
        "support" => support::tables(),
        _ => sensors::tables(),
    };
    let tables = tables.into_iter().map(|(name, text)| (name.to_string(), text.into_bytes())).collect();
    Some(BuiltinFiles { tables, metadata })
}

/// A decimal number held as whole units of its last digit.
struct Fixed {
    units: i64,
    digits: u32,
}

impl fmt::Display for Fixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = 10_i64.pow(self.digits);
        let sign = if self.units < 0 { "-" } else { "" };
        let (whole, rest) = (self.units.abs() / scale, self.units.abs() % scale);
        write!(f, "{sign}{whole}.{rest:0width$}", width = self.digits as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::Fixed;

    #[test]
    fn a_fixed_number_keeps_its_sign_and_its_zeros() {
        let text = |units, digits| Fixed { units, digits }.to_string();
        assert_eq!([text(-5, 1), text(1005, 2), text(0, 2)], ["-0.5", "10.05", "0.00"]);
    }
}
