//! `/limits`: how much of everything a caller may have, so that nobody has to find out by being refused.

use sandbox::Policy;

use crate::answers::{Limits, ProgramLimits, value};
use crate::body::Json;
use crate::caller::{Caller, READ};
use crate::requests::MESSAGE_BYTES_MAX;

/// What holds for every owner.
pub async fn show(Caller(place): Caller<READ>) -> Json {
    let limits = place.limits();
    Json::ok(value(&Limits {
        body_bytes_max: limits.body_bytes as u64,
        message_bytes_max: MESSAGE_BYTES_MAX as u64,
        upload_bytes_max: limits.upload_bytes as u64,
        runs_at_once: limits.runs as u64,
        runs_waiting_max: limits.queue as u64,
        analysis: of(&Policy::analysis()),
        program: of(&Policy::task()),
    }))
}

fn of(policy: &Policy) -> ProgramLimits {
    ProgramLimits { wall_ms: policy.wall_ms, cpu_ms: policy.cpu_ms, memory_bytes: policy.memory_bytes }
}
