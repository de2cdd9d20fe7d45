//! How hard a step tries: how often, with what pauses, and for how long each time.
//!
//! Only what may go better the next time is tried again: a failure that the same input would meet anywhere is the
//! step's outcome, and one about the run itself ends it.

use std::time::Duration;

use base::{Code, Hash, RunId};

/// How often, and for how long, an effect is tried before its failure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepPolicy {
    /// At least once.
    pub tries_max: u32,
    /// The pause before the second try; each further one is twice as long.
    pub pause_first: Duration,
    /// No pause is longer.
    pub pause_max: Duration,
    /// How long one try may take; none for as long as it takes.
    pub timeout: Option<Duration>,
    /// Whether the whole input is kept beside its hash, so that it can be shown later.
    pub keeps_input: bool,
}

impl StepPolicy {
    /// One try that may take as long as it takes.
    pub const ONCE: StepPolicy = StepPolicy {
        tries_max: 1,
        pause_first: Duration::from_millis(100),
        pause_max: Duration::from_secs(10),
        timeout: None,
        keeps_input: false,
    };

    /// That many tries, with growing pauses between.
    pub const fn tries(tries_max: u32) -> StepPolicy {
        StepPolicy { tries_max, ..StepPolicy::ONCE }
    }

    /// Each try at most this long.
    #[must_use]
    pub const fn within(self, timeout: Duration) -> StepPolicy {
        StepPolicy { timeout: Some(timeout), ..self }
    }

    /// With its whole input kept.
    #[must_use]
    pub const fn keeping_input(self) -> StepPolicy {
        StepPolicy { keeps_input: true, ..self }
    }

    /// The pause after a number of failed tries. Between half and all of the doubled time, spread by the run and the
    /// step, so that many runs that fail at once do not all come back at once.
    pub(crate) fn pause(&self, run: &RunId, position: usize, failed: u32) -> Duration {
        let doubled = self.pause_first.saturating_mul(1 << (failed.saturating_sub(1)).min(20)).min(self.pause_max);
        let digest = Hash::of(format!("{run} {position} {failed}").as_bytes());
        let spread = u16::from_str_radix(&digest.as_str()[..4], 16).unwrap_or(0);
        doubled.mul_f64(0.5 + 0.5 * f64::from(spread) / f64::from(u16::MAX))
    }
}

/// Whether a failed effect may succeed when it is tried again soon.
pub(crate) fn is_passing(code: Code) -> bool {
    matches!(
        code,
        Code::SandboxLost | Code::SandboxBusy | Code::TimedOut | Code::FileUnreadable | Code::EnvironmentMissing
    )
}

/// Whether a failed effect is recorded as the step's outcome.
///
/// It is when the same input would fail the same way anywhere and at any time. What is about this machine at this
/// moment is not recorded: the run ends, and when it is resumed the effect is tried again.
pub(crate) fn is_outcome(code: Code) -> bool {
    match code {
        Code::Usage
        | Code::TableUnknown
        | Code::ColumnUnknown
        | Code::PlanInvalid
        | Code::FileFormat
        | Code::CapsuleDamaged
        | Code::TooLarge => true,
        Code::SettingInvalid
        | Code::DatasetUnknown
        | Code::FileUnreadable
        | Code::InputChanged
        | Code::RunUnknown
        | Code::RunBusy
        | Code::RunExists
        | Code::TaskUnknown
        | Code::KeyConflict
        | Code::JournalMismatch
        | Code::JournalDamaged
        | Code::SessionDiverged
        | Code::StoreLocked
        | Code::StoreReadonly
        | Code::StoreNewer
        | Code::DiskFull
        | Code::DiskFailed
        | Code::EnvironmentMissing
        | Code::SandboxUnavailable
        | Code::SandboxBusy
        | Code::SandboxLost
        | Code::KeyMissing
        | Code::ModelUnknown
        | Code::ModelRefused
        | Code::ModelFailed
        | Code::ModelTruncated
        | Code::RateLimited
        | Code::QuotaExceeded
        | Code::BudgetExhausted
        | Code::ApprovalNeeded
        | Code::NotFound
        | Code::MethodUnknown
        | Code::TokenInvalid
        | Code::Forbidden
        | Code::TooManyRequests
        | Code::UnsupportedMedia
        | Code::WorkerLost
        | Code::TimedOut
        | Code::Cancelled
        | Code::Internal
        | Code::Unknown => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit_and_differ_between_runs() {
        let policy = StepPolicy { pause_max: Duration::from_secs(1), ..StepPolicy::tries(9) };
        let run = RunId::fresh();
        for (failed, doubled_ms) in [(1, 100), (2, 200), (3, 400), (4, 800), (5, 1_000), (40, 1_000)] {
            let pause = policy.pause(&run, 0, failed).as_millis();
            assert!((doubled_ms / 2..=doubled_ms).contains(&pause), "{failed}: {pause} ms");
        }
        let pauses: std::collections::BTreeSet<_> = (0..20).map(|_| policy.pause(&RunId::fresh(), 0, 3)).collect();
        assert!(pauses.len() > 10, "{pauses:?}");
        assert_eq!(policy.pause(&run, 1, 3), policy.pause(&run, 1, 3));
    }
}
