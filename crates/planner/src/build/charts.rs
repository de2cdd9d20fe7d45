//! Which chart a draft asks for, and what its words then mean for the numbers.

use data::chart::Wish;

use crate::draft::{Draft, Head, Target};
use crate::index::Index;

/// The chart to draw: what is named, else what the words imply.
pub fn wish(index: &Index, draft: &Draft) -> Option<Wish> {
    let implied = if draft.trend {
        Some(Wish::Line)
    } else if draft.distribution && sole_number(index, draft) {
        Some(Wish::Histogram)
    } else {
        None
    };
    match draft.chart {
        None | Some(Wish::Any) => implied.or(draft.chart),
        named => named,
    }
}

/// `histogram of price`, `distribution of age`: how many rows have which value of one number.
pub fn counts_values(index: &Index, draft: &Draft) -> bool {
    wish(index, draft) == Some(Wish::Histogram) && sole_number(index, draft)
}

/// `scatter plot of price and weight`: two numbers of every row, whatever adds up.
pub fn pairs_columns(draft: &Draft) -> bool {
    let plain = |head: &Head| head.agg.is_none() && !head.amount && matches!(head.target, Target::Columns(_));
    let dotted = matches!(draft.chart, Some(Wish::Scatter | Wish::Against));
    dotted && draft.groups.is_empty() && draft.heads.len() == 2 && draft.heads.iter().all(plain)
}

fn sole_number(index: &Index, draft: &Draft) -> bool {
    let number = |head: &Head| match &head.target {
        Target::Columns(columns) => head.agg.is_none() && columns.iter().all(|id| index.column(*id).ty.is_number()),
        _ => false,
    };
    draft.groups.is_empty() && draft.heads.len() == 1 && draft.heads.iter().all(number)
}
