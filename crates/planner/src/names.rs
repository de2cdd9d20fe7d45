//! Names of output columns: readable, in snake_case, each used once.

use data::plan::Agg;

/// The names given so far.
#[derive(Clone, Debug, Default)]
pub struct Names {
    taken: Vec<String>,
}

impl Names {
    /// The wanted name, or the same with a number if it is taken.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let wanted = if wanted.is_empty() { "value" } else { wanted };
        let mut name = wanted.to_string();
        let mut number = 2;
        while self.taken.contains(&name) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        self.taken.push(name.clone());
        name
    }
}

/// The name of an aggregate of a column: `avg_price`, `total_stock`.
pub fn aggregate(agg: Agg, quantile: Option<f64>, column: &str) -> String {
    let prefix = match agg {
        Agg::Sum if column.starts_with("total") => return column.to_string(),
        Agg::Sum => "total".to_string(),
        Agg::Avg => "avg".to_string(),
        Agg::Min => "min".to_string(),
        Agg::Max => "max".to_string(),
        Agg::Median => "median".to_string(),
        Agg::Stddev => "stddev".to_string(),
        Agg::Quantile => format!("p{}", quantile.unwrap_or(0.5) * 100.0).replace('.', "_"),
        Agg::Corr => "corr".to_string(),
        Agg::Count | Agg::CountDistinct => return crate::words::plural(column),
    };
    format!("{prefix}_{column}")
}
