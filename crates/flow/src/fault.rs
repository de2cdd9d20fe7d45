//! Dying on purpose at a named point, so that tests can kill a run where it hurts.

use base::{Code, Problem};

/// Where the process aborts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    point: Point,
    step: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    BeforeEffect,
    AfterEffect,
    AfterCommit,
}

impl Fault {
    /// Reads `before_effect:2`, `after_effect:2` or `after_commit:2`; the number is the step's index, from 0.
    pub fn parse(text: &str) -> Result<Fault, Problem> {
        let parsed = text.split_once(':').and_then(|(point, step)| {
            let point = match point {
                "before_effect" => Point::BeforeEffect,
                "after_effect" => Point::AfterEffect,
                "after_commit" => Point::AfterCommit,
                _ => return None,
            };
            Some(Fault { point, step: step.parse().ok()? })
        });
        parsed.ok_or_else(|| {
            Problem::new(Code::SettingInvalid, format!("`{text}` names no fault"))
                .hint("write before_effect:N, after_effect:N or after_commit:N")
        })
    }

    /// Aborts the process if this is the place. Abort, not exit: no destructor may tidy up what a crash would leave.
    pub(crate) fn strike(fault: Option<Fault>, point: Point, step: usize) {
        if fault == Some(Fault { point, step }) {
            std::process::abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_three_points_are_faults() {
        assert_eq!(Fault::parse("after_commit:2"), Ok(Fault { point: Point::AfterCommit, step: 2 }));
        for wrong in ["", "after_commit", "after_commit:", "after_commit:x", "during:1"] {
            assert_eq!(Fault::parse(wrong).expect_err(wrong).code, Code::SettingInvalid);
        }
    }
}
