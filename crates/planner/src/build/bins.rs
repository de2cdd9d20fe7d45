//! Numbers put into ranges of one width, and years into decades.

use base::Cell;
use data::plan::{Expr, Group, Op, Part};

use super::Why;
use super::ground::Ground;
use crate::draft::Columns;
use crate::index::ColId;
use crate::score::Feature;
use crate::words::snake;

/// More ranges than this are no overview.
const BINS_MAX: f64 = 10.0;

impl Ground<'_> {
    /// The bins of a number; a width that is not said follows from its least and its greatest value, and is told.
    pub fn bins(&mut self, columns: &Columns, width: Option<f64>) -> Result<Vec<Group>, Why> {
        let column = self.nearest(columns)?;
        let width = match width {
            Some(width) => width,
            None => self.fitting_width(column)?,
        };
        if !(data::plan::BIN_WIDTH_MIN..=data::plan::BIN_WIDTH_MAX).contains(&width) {
            return Err(Why::unsupported(format!("ranges of {width}")));
        }
        let name = self.names.fresh(&format!("{}_bin", snake(&self.index.column(column).name)));
        Ok(vec![self.bin(name, self.expr(column), width)])
    }

    fn bin(&self, name: String, of: Expr, width: f64) -> Group {
        let lit = super::condition::cell(width);
        Group { name, expr: Expr::Op { op: Op::Bin, args: vec![of, Expr::Lit { lit }] }, grain: None }
    }

    /// The narrowest of 1, 2, 5, 10, … that makes few ranges.
    fn fitting_width(&mut self, column: ColId) -> Result<f64, Why> {
        let info = self.index.column(column);
        let end = |cell: &Option<Cell>| cell.as_ref().and_then(data::figures::number).filter(|end| end.is_finite());
        let (Some(low), Some(high)) = (end(&info.min), end(&info.max)) else {
            return Err(Why::ambiguous(format!("how wide the ranges of {} are is not said", info.name)));
        };
        let count = |width: f64| (high / width).floor() - (low / width).floor() + 1.0;
        let steps = (-5..12).flat_map(|power| {
            [1.0, 2.0, 5.0].map(|step| if power < 0 { step / 10_f64.powi(-power) } else { step * 10_f64.powi(power) })
        });
        let width = steps.into_iter().find(|width| count(*width) <= BINS_MAX);
        let width =
            width.ok_or_else(|| Why::ambiguous(format!("how wide the ranges of {} are is not said", info.name)))?;
        self.features.push(Feature::OpenChoice);
        self.assume("width", format!("ranges of {} are {width} wide; `in bins of …` says another width", info.name));
        Ok(width)
    }

    /// The decades of a date or a year: of the one that is named, of the only years, or of the date in use.
    pub fn decades(&mut self, columns: &Columns) -> Result<Vec<Group>, Why> {
        let index = self.index;
        let years: Columns = index.columns_of(self.base).filter(|id| index.facts(*id).years).collect();
        let column = match (&columns[..], &years[..]) {
            ([_, ..], _) => self.nearest(columns)?,
            ([], [year]) if index.columns_of(self.base).all(|id| !index.column(id).ty.is_temporal()) => *year,
            ([], _) => self.date_column(None)?,
        };
        let name = self.names.fresh("decade");
        let of = match index.column(column).ty.is_temporal() {
            true => Expr::Part { part: Part::Year, of: Box::new(self.expr(column)) },
            false => self.expr(column),
        };
        Ok(vec![self.bin(name, of, 10.0)])
    }
}
