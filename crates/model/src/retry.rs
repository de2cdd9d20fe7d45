//! Whether a failed try is made again, and when. Decisions only: the client sleeps.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use base::{Code, Problem};

use crate::Limits;

/// What is wrong with one try.
#[derive(Debug, PartialEq)]
pub(crate) struct Fault {
    /// What the caller hears if it was the last.
    pub problem: Problem,
    /// Whether another may fare better.
    pub again: Again,
}

/// When to try again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Again {
    Never,
    /// After a pause of our choice.
    Soon,
    /// After the pause that the provider asks for.
    After(Duration),
}

impl Fault {
    pub fn lasting(code: Code, message: String) -> Fault {
        Fault { problem: Problem::new(code, message), again: Again::Never }
    }

    pub fn passing(code: Code, message: String) -> Fault {
        Fault { problem: Problem::new(code, message), again: Again::Soon }
    }
}

/// An error in the provider's words, free of the key and of a length that can be shown.
#[derive(Debug, Default)]
pub(crate) struct Answer<'a> {
    /// The name of the model.
    pub name: &'a str,
    /// Whether a key was sent.
    pub has_key: bool,
    /// Of the response, or as a frame within the stream gives it.
    pub status: Option<u16>,
    /// The provider's classification.
    pub kind: &'a str,
    /// What it says.
    pub message: &'a str,
    /// How long it asks to wait.
    pub wait: Option<Duration>,
}

/// What an error means for the next try.
pub(crate) fn judge(answer: &Answer) -> Fault {
    let name = answer.name;
    let colon = if answer.message.is_empty() { "" } else { ": " };
    let said = format!("{colon}{}", answer.message);
    let code = code_of(answer);
    let message = match (code, answer.status) {
        (Code::KeyMissing, _) => format!("`{name}` needs a key{said}"),
        (Code::QuotaExceeded, _) => format!("the account of `{name}` has nothing left{said}"),
        (Code::ModelRefused, Some(401 | 403)) => format!("`{name}`: the key is not accepted{said}"),
        (Code::RateLimited, _) => format!("`{name}` is asked too often{said}"),
        (Code::ModelRefused, _) => format!("`{name}` does not take the request{said}"),
        (_, Some(status)) => format!("`{name}` answers with status {status}{said}"),
        (_, None) => format!("`{name}` ends its reply with an error{said}"),
    };
    let again = match (code, answer.wait.or_else(|| wait_in(answer.message))) {
        (Code::RateLimited | Code::ModelFailed, Some(wait)) => Again::After(wait),
        (Code::RateLimited | Code::ModelFailed, None) => Again::Soon,
        _ => Again::Never,
    };
    Fault { problem: Problem::new(code, message), again }
}

fn code_of(answer: &Answer) -> Code {
    let is_client_fault = answer.status.is_none_or(|status| (400..500).contains(&status));
    if is_client_fault && is_quota(answer) {
        return Code::QuotaExceeded;
    }
    match answer.status {
        Some(401 | 403) if !answer.has_key => Code::KeyMissing,
        Some(429) => Code::RateLimited,
        // The request came too slowly, or at the wrong moment: nothing is wrong with it.
        Some(408 | 409 | 425) => Code::ModelFailed,
        Some(400..500) => Code::ModelRefused,
        Some(_) => Code::ModelFailed,
        None if answer.kind.contains("rate_limit") => Code::RateLimited,
        None if is_refusal(answer.kind) => Code::ModelRefused,
        None => Code::ModelFailed,
    }
}

/// An empty account is no rate limit, although some providers give it the same status: waiting does not fill it.
fn is_quota(answer: &Answer) -> bool {
    const KINDS: &[&str] = &["insufficient_quota", "billing", "insufficient_credits"];
    let message = answer.message.to_lowercase();
    answer.status == Some(402)
        || KINDS.iter().any(|kind| answer.kind.contains(kind))
        || message.contains("credit balance")
        || message.contains("insufficient_quota")
}

fn is_refusal(kind: &str) -> bool {
    const KINDS: &[&str] = &[
        "invalid",
        "authentication",
        "permission",
        "not_found",
        "too_large",
        "context_length",
        "policy",
        "unsupported",
    ];
    KINDS.iter().any(|known| kind.contains(known))
}

/// The pause before the next try, or the problem that ends the trying.
pub(crate) fn pause(fault: Fault, tried: u32, name: &str, limits: &Limits) -> Result<Duration, Problem> {
    let own = backoff(tried, name, limits);
    let pause = match fault.again {
        Again::Never => return Err(fault.problem),
        Again::Soon => own,
        Again::After(wait) if wait > limits.pause_max => {
            let seconds = wait.as_secs_f64().ceil();
            let message = format!("`{name}` asks to wait {seconds} s ({})", fault.problem.message);
            return Err(Problem::new(Code::RateLimited, message).hint(format!("try again in {seconds} s")));
        }
        Again::After(wait) => wait.max(own),
    };
    if tried >= limits.tries_max { Err(fault.problem) } else { Ok(pause) }
}

/// Twice as long each time, a tenth more or less, so that models asked at once do not come back at once.
fn backoff(tried: u32, name: &str, limits: &Limits) -> Duration {
    let mut hasher = DefaultHasher::new();
    (name, tried).hash(&mut hasher);
    let jitter = 0.9 + 0.2 * (hasher.finish() % 1000) as f64 / 1000.0;
    let doubled = limits.pause_first.saturating_mul(2_u32.saturating_pow(tried.saturating_sub(1)));
    doubled.min(limits.pause_max).mul_f64(jitter).min(limits.pause_max)
}

/// The wait that a response's headers ask for. `date` is the response's own: whose clock is right does not matter then.
pub(crate) fn wait_of(retry_after_ms: Option<&str>, retry_after: Option<&str>, date: Option<&str>) -> Option<Duration> {
    let number = |text: &str, unit: f64| {
        let seconds = text.trim().parse::<f64>().ok()? * unit;
        Duration::try_from_secs_f64(seconds).ok()
    };
    if let Some(wait) = retry_after_ms.and_then(|text| number(text, 0.001)) {
        return Some(wait);
    }
    let text = retry_after?;
    number(text, 1.0).or_else(|| {
        let wait = seconds_of(text)? - seconds_of(date?)?;
        Some(Duration::from_secs(u64::try_from(wait).unwrap_or(0)))
    })
}

/// Seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn seconds_of(date: &str) -> Option<i64> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let (_, rest) = date.split_once(", ")?;
    let mut words = rest.split(' ');
    let number = |words: &mut std::str::Split<char>| words.next()?.parse::<i64>().ok();
    let day = number(&mut words)?;
    let month = words.next().filter(|month| month.len() == 3)?;
    let month = MONTHS.find(month)? as i64 / 3 + 1;
    let year = number(&mut words).filter(|year| (1970..10_000).contains(year))?;
    let mut clock = words.next()?.split(':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// The wait in a message such as `Please try again in 1m2.5s.`.
fn wait_in(message: &str) -> Option<Duration> {
    let message = message.to_lowercase();
    let mut rest = message.split_once("try again in ")?.1;
    let mut seconds = None;
    loop {
        rest = rest.trim_start();
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..digits].parse::<f64>() else { break };
        rest = rest[digits..].trim_start();
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let unit = match &rest[..letters] {
            "ms" | "milliseconds" => 0.001,
            "s" | "sec" | "second" | "seconds" => 1.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => break,
        };
        seconds = Some(seconds.unwrap_or(0.0) + number * unit);
        rest = &rest[letters..];
    }
    Duration::try_from_secs_f64(seconds?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(wait: Option<Duration>) -> Option<f64> {
        wait.map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn a_wait_is_read_in_every_form() {
        let date = Some("Wed, 28 Feb 2024 23:59:50 GMT");
        let of = |ms, after| seconds(wait_of(ms, after, date));
        assert_eq!(of(Some("1500"), Some("9")), Some(1.5));
        assert_eq!(of(None, Some("2")), Some(2.0));
        assert_eq!(of(None, Some("Thu, 29 Feb 2024 00:00:05 GMT")), Some(15.0));
        assert_eq!(of(None, Some("Mon, 26 Feb 2024 00:00:05 GMT")), Some(0.0));
        for strange in ["-1", "NaN", "inf", "soon", "Thu, 29 Xyz 2024 00:00:05 GMT", ", ", "1e400"] {
            assert_eq!(of(None, Some(strange)), None, "{strange}");
        }
        assert_eq!(wait_of(None, Some("Thu, 29 Feb 2024 00:00:05 GMT"), None), None);
        assert_eq!(seconds_of("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds_of("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        for (text, expected) in [
            ("Please try again in 1.5s. Visit", Some(1.5)),
            ("Try again in 250ms", Some(0.25)),
            ("try again in 6m0s.", Some(360.0)),
            ("try again in 20 seconds", Some(20.0)),
            ("try again in a while", None),
            ("slow down", None),
        ] {
            assert_eq!(seconds(wait_in(text)), expected, "{text}");
        }
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let limits = Limits { pause_max: Duration::from_secs(1), ..Limits::default() };
        let pauses: Vec<f64> = (1..7).map(|tried| backoff(tried, "n", &limits).as_secs_f64()).collect();
        for (pause, expected) in pauses.iter().zip([0.2_f64, 0.4, 0.8, 1.0, 1.0, 1.0]) {
            assert!((0.9 * expected..=(1.1 * expected).min(1.0)).contains(pause), "{pauses:?}");
        }
        assert_ne!(backoff(1, "n", &limits), backoff(1, "other", &limits));
        assert!(backoff(u32::MAX, "n", &limits) <= limits.pause_max);
    }

    #[test]
    fn an_error_has_one_meaning() {
        use Code::*;
        for (status, has_key, kind, message, code, is_again) in [
            (Some(429), true, "rate_limit_error", "slow down", RateLimited, true),
            (Some(429), true, "insufficient_quota", "You exceeded your current quota", QuotaExceeded, false),
            (Some(400), true, "invalid_request_error", "Your credit balance is too low", QuotaExceeded, false),
            (Some(402), true, "", "", QuotaExceeded, false),
            (Some(400), true, "", "bad", ModelRefused, false),
            (Some(404), true, "", "no such model", ModelRefused, false),
            (Some(401), true, "", "", ModelRefused, false),
            (Some(401), false, "", "", KeyMissing, false),
            (Some(403), false, "", "", KeyMissing, false),
            (Some(500), true, "billing", "", ModelFailed, true),
            (Some(529), true, "overloaded_error", "", ModelFailed, true),
            (Some(408), true, "", "", ModelFailed, true),
            (None, true, "overloaded_error", "", ModelFailed, true),
            (None, true, "invalid_request_error", "", ModelRefused, false),
            (None, true, "rate_limit_exceeded", "", RateLimited, true),
        ] {
            let fault = judge(&Answer { name: "n", has_key, status, kind, message, wait: None });
            assert_eq!(
                (fault.problem.code, fault.again != Again::Never),
                (code, is_again),
                "{status:?} {kind} {message}"
            );
        }
    }

    #[test]
    fn a_wait_that_is_too_long_is_told_at_once() {
        let limits = Limits::default();
        let fault = |seconds| Fault {
            problem: Problem::new(Code::RateLimited, "busy"),
            again: Again::After(Duration::from_secs(seconds)),
        };
        assert_eq!(pause(fault(7), 1, "n", &limits), Ok(Duration::from_secs(7)));
        let problem = pause(fault(31), 1, "n", &limits).expect_err("too long");
        assert_eq!((problem.code, problem.message.as_str()), (Code::RateLimited, "`n` asks to wait 31 s (busy)"));
        assert_eq!(pause(fault(7), 4, "n", &limits).expect_err("the last try").message, "busy");
    }
}
