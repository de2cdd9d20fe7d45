//! The one layer that hears spans and events: keeps what is known of each open span, hands events to the log and closed
//! spans to the exporter.

use std::fmt::Debug;
use std::time::SystemTime;

use base::RunId;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::export::Exporter;
use super::filter::{LogFilter, TARGET};
use super::lines::{Form, Line, Out};

/// A field's value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Whole(i64),
    Number(f64),
    Yes(bool),
}

/// Names and values in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(pub(crate) Vec<(&'static str, Value)>);

/// What is known of a span.
#[derive(Clone, Debug)]
pub(crate) struct SpanFacts {
    pub(crate) name: &'static str,
    pub(crate) fields: Fields,
    pub(crate) place: Option<TracePlace>,
    pub(crate) began: SystemTime,
    /// When it was last at work: a run that a request began may outlive the request.
    pub(crate) ended: Option<SystemTime>,
}

/// Where a span stands in a trace, as hexadecimal digits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TracePlace {
    pub(crate) trace: String,
    pub(crate) span: String,
    pub(crate) parent: Option<String>,
}

impl Fields {
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    fn set(&mut self, field: &Field, value: Value) {
        match self.0.iter_mut().find(|(known, _)| *known == field.name()) {
            Some((_, there)) => *there = value,
            None => self.0.push((field.name(), value)),
        }
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field, Value::Text(value.to_string()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field, Value::Whole(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field, Value::Whole(i64::try_from(value).unwrap_or(i64::MAX)));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.set(field, Value::Number(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field, Value::Yes(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.set(field, Value::Text(format!("{value:?}")));
    }
}

/// The layer.
pub(crate) struct Watch {
    lines: Option<(LogFilter, Form, Out)>,
    exporter: Option<Exporter>,
}

impl Watch {
    pub(crate) fn new(lines: Option<(LogFilter, Form, Out)>, exporter: Option<Exporter>) -> Watch {
        Watch { lines, exporter }
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Watch {
    /// Every span of ours, whatever the filter: it says where a line belongs.
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        let is_wanted = || self.lines.as_ref().is_some_and(|(filter, ..)| filter.wants(metadata));
        metadata.target().starts_with(TARGET) && (metadata.is_span() || is_wanted())
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        let of_lines = self.lines.as_ref().map_or(LevelFilter::OFF, |(filter, ..)| filter.most());
        Some(of_lines.max(LevelFilter::ERROR))
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let place = self.exporter.is_some().then(|| {
            let above = span.parent().and_then(|above| above.extensions().get::<SpanFacts>()?.place.clone());
            place_of(above, &fields)
        });
        let (name, began) = (span.name(), SystemTime::now());
        span.extensions_mut().insert(SpanFacts { name, fields, place, began, ended: None });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(facts) = span.extensions_mut().get_mut::<SpanFacts>()
        {
            values.record(&mut facts.fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let Some((_, form, out)) = &self.lines else { return };
        let metadata = event.metadata();
        let part = metadata.target().strip_prefix(TARGET).unwrap_or_default();
        let mut line = Line::new(*metadata.level(), part);
        event.record(&mut line.fields);
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(facts) = span.extensions().get::<SpanFacts>() {
                line.within(&facts.fields);
            }
        }
        out(&line.written(*form));
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        if self.exporter.is_some()
            && let Some(span) = context.span(id)
            && let Some(facts) = span.extensions_mut().get_mut::<SpanFacts>()
        {
            facts.ended = Some(SystemTime::now());
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        if let Some(exporter) = &self.exporter
            && let Some(span) = context.span(&id)
            && let Some(mut facts) = span.extensions_mut().remove::<SpanFacts>()
        {
            facts.ended.get_or_insert_with(SystemTime::now);
            exporter.send(facts);
        }
    }
}

/// A span is of its parent's trace, else of that which the caller named; one that begins a trace gives it its own name, so
/// that who has a run's id or a request's has the trace.
fn place_of(above: Option<TracePlace>, fields: &Fields) -> TracePlace {
    let span = RunId::fresh().as_str()[16..].to_string();
    if let Some(above) = above {
        return TracePlace { trace: above.trace, span, parent: Some(above.span) };
    }
    if let Some((trace, parent)) = of_caller(fields.text("traceparent")) {
        return TracePlace { trace, span, parent: Some(parent) };
    }
    let own = [fields.text("run"), fields.text("request_id")].into_iter().find(|id| is_hexadecimal(id, 32));
    let trace = own.map_or_else(|| RunId::fresh().to_string(), str::to_string);
    TracePlace { trace, span, parent: None }
}

/// Trace and span of the header `traceparent`, if it is one.
fn of_caller(header: &str) -> Option<(String, String)> {
    let mut parts = header.split('-');
    let (Some("00"), Some(trace), Some(span), Some(flags), None) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    let is_named =
        |digits: &str, length: usize| is_hexadecimal(digits, length) && digits.bytes().any(|digit| digit != b'0');
    let fits = is_named(trace, 32) && is_named(span, 16) && is_hexadecimal(flags, 2);
    fits.then(|| (trace.to_string(), span.to_string()))
}

fn is_hexadecimal(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(name: &'static str, text: &str) -> Fields {
        Fields(vec![(name, Value::Text(text.to_string()))])
    }

    #[test]
    fn a_span_is_where_its_parent_its_caller_or_its_own_name_puts_it() {
        let run = RunId::fresh().to_string();
        let first = place_of(None, &fields("run", &run));
        assert_eq!((first.trace.as_str(), first.parent.as_deref()), (run.as_str(), None));
        assert_eq!(first.span.len(), 16);
        let second = place_of(Some(first.clone()), &fields("step", "x"));
        assert_eq!((second.trace.as_str(), second.parent), (run.as_str(), Some(first.span)));
        let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let called = place_of(None, &fields("traceparent", header));
        assert_eq!(called.trace, "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(called.parent.as_deref(), Some("b7ad6b7169203331"));
        let none = "00-00000000000000000000000000000000-b7ad6b7169203331-01";
        for wrong in ["", "00-x-y-01", none, "00-0af7651916cd43dd8448eb211c80319C-b7ad6b7169203331-01"] {
            assert_eq!(of_caller(wrong), None, "{wrong}");
        }
    }
}
