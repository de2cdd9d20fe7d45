//! Who is sent the spans of the work: the address is a setting, the rest is read from the variables that every program with
//! OpenTelemetry reads. Headers may hold a key, so they are no setting, which would be shown.

use std::collections::BTreeMap;

use model::Secret;

/// Where spans are posted below the address of a collector.
const TRACES_PATH: &str = "/v1/traces";

/// A collector of spans.
#[derive(Clone, Debug, PartialEq)]
pub struct Collector {
    /// Where spans are posted.
    pub address: String,
    /// What is sent along.
    pub headers: Vec<(String, Secret)>,
    /// What this program is called there.
    pub service: String,
}

/// None where no address is given.
pub(super) fn collector(endpoint: Option<String>, environment: &BTreeMap<String, String>) -> Option<Collector> {
    let text = |name: &str| environment.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
    let below = endpoint
        .filter(|address| !address.trim().is_empty())
        .map(|address| format!("{}{TRACES_PATH}", address.trim().trim_end_matches('/')));
    // An address for traces alone is used as it is.
    let address = text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").map(str::to_string).or(below)?;
    if text("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return None;
    }
    let headers = text("OTEL_EXPORTER_OTLP_TRACES_HEADERS").or_else(|| text("OTEL_EXPORTER_OTLP_HEADERS"));
    let pairs = headers.unwrap_or_default().split(',').filter_map(|pair| pair.split_once('='));
    let headers = pairs.map(|(name, value)| (name.trim().to_string(), Secret::new(decoded(value)))).collect();
    let service = text("OTEL_SERVICE_NAME").unwrap_or("assay").to_string();
    Some(Collector { address, headers, service })
}

/// Values are percent-encoded.
fn decoded(value: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), value.trim().as_bytes());
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        (bytes, rest) = match code.filter(|_| *first == b'%') {
            Some(code) => ([bytes, vec![code]].concat(), &after[2..]),
            None => ([bytes, vec![*first]].concat(), after),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(endpoint: Option<&str>, variables: &[(&str, &str)]) -> Option<Collector> {
        let variables = variables.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        collector(endpoint.map(str::to_string), &variables)
    }

    #[test]
    fn a_collector_is_found_as_other_programs_find_theirs() {
        let here =
            of(Some("http://here:4318/"), &[("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b%3D,x=1")]).expect("one");
        assert_eq!((here.address.as_str(), here.service.as_str()), ("http://here:4318/v1/traces", "assay"));
        let headers: Vec<_> = here.headers.iter().map(|(name, value)| (name.as_str(), value.expose())).collect();
        assert_eq!(headers, [("api-key", "a b="), ("x", "1")]);
        assert!(!format!("{here:?}").contains("a b"), "a header is shown");
        let own = of(None, &[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t/own"), ("OTEL_SERVICE_NAME", "s")]);
        assert_eq!(own.map(|one| (one.address, one.service)), Some(("http://t/own".into(), "s".into())));
        assert_eq!((of(None, &[]), of(Some(" "), &[])), (None, None));
        assert_eq!(of(Some("http://here"), &[("OTEL_SDK_DISABLED", "true")]), None);
    }
}
