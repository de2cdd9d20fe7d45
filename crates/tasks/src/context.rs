//! What tasks are lent.

use warehouse::Warehouse;

/// What tasks are lent.
pub struct Context {
    /// Where their data comes from, and the sandbox it is read in.
    pub warehouse: Warehouse,
    /// Which program this is: another one may answer otherwise.
    pub build: String,
}
