//! What tasks are lent.

use model::Directory;
use warehouse::Warehouse;

use crate::by_model::DayBudget;
use crate::looking_up::Searches;
use crate::recall::Recall;

/// What tasks are lent.
pub struct Context {
    /// Where their data comes from, and the sandbox it is read in.
    pub warehouse: Warehouse,
    /// Which program this is: another one may answer otherwise.
    pub build: String,
    /// Which models there are.
    pub models: Directory,
    /// What models may cost in a day.
    pub budget_day: DayBudget,
    /// Where models may look something up.
    pub searches: Searches,
    /// What finds lessons.
    pub recall: Recall,
}
