//! A chart as Vega-Lite, for whoever draws it elsewhere. The numbers are the table's own.

use serde_json::{Map, Value, json};

use super::{Chart, Kind, Positions};

const SCHEMA: &str = "https://vega.github.io/schema/vega-lite/v5.json";
const ALONG: &str = "along";
const MEASURED: &str = "measured";
const SERIES: &str = "series";

impl Chart {
    /// The chart as a Vega-Lite specification with its data inside.
    pub fn spec(&self) -> Value {
        let mut encoding = Map::new();
        let (x, y) = if self.horizontal { ("y", "x") } else { ("x", "y") };
        encoding.insert(x.into(), self.along_channel());
        encoding.insert(y.into(), self.measured_channel());
        let names: Vec<&String> = self.series.iter().filter_map(|series| series.name.as_ref()).collect();
        if !names.is_empty() {
            let colour = json!({ "field": SERIES, "type": "nominal", "sort": names, "title": null });
            encoding.insert("color".into(), colour);
            if self.kind == Kind::Bar {
                encoding.insert("xOffset".into(), json!({ "field": SERIES, "type": "nominal", "sort": names }));
            }
        }
        json!({
            "$schema": SCHEMA,
            "title": match &self.note {
                Some(note) => json!({ "text": self.title, "subtitle": note }),
                None => json!(self.title),
            },
            "data": { "values": self.values() },
            "mark": self.mark(),
            "encoding": encoding,
        })
    }

    fn mark(&self) -> Value {
        match self.kind {
            Kind::Bar | Kind::Stacked => json!({ "type": "bar", "tooltip": true }),
            Kind::Histogram => json!({ "type": "bar", "binSpacing": 1, "tooltip": true }),
            Kind::Line => json!({ "type": "line", "point": true, "tooltip": true }),
            Kind::Area => json!({ "type": "area", "line": true, "tooltip": true }),
            Kind::Scatter => json!({ "type": "point", "tooltip": true }),
        }
    }

    fn along_channel(&self) -> Value {
        let title = &self.along.label;
        match &self.along.positions {
            Positions::Names(names) => json!({ "field": ALONG, "type": "nominal", "sort": names, "title": title }),
            Positions::Times { .. } => json!({ "field": ALONG, "type": "ordinal", "sort": null, "title": title }),
            Positions::Numbers(_) => {
                json!({ "field": ALONG, "type": "quantitative", "scale": { "zero": false }, "title": title })
            }
            Positions::Ranges(..) => {
                json!({ "field": ALONG, "bin": "binned", "type": "quantitative", "title": title })
            }
        }
    }

    fn measured_channel(&self) -> Value {
        let title = match &self.form.unit {
            Some(unit) => format!("{}, {unit}", self.measured),
            None => self.measured.clone(),
        };
        let mut channel = json!({ "field": MEASURED, "type": "quantitative", "title": title });
        if self.form.percent {
            channel["axis"] = json!({ "format": ".1~%" });
        }
        if !self.begins_at_zero() {
            channel["scale"] = json!({ "zero": false });
        }
        if self.kind == Kind::Bar {
            channel["stack"] = Value::Null;
        }
        channel
    }

    fn values(&self) -> Vec<Value> {
        let mut values = Vec::new();
        for series in &self.series {
            for point in &series.points {
                let mut value = Map::new();
                let index = point.at as usize;
                match &self.along.positions {
                    Positions::Names(names) => drop(value.insert(ALONG.into(), json!(names[index]))),
                    Positions::Times { periods, .. } => drop(value.insert(ALONG.into(), json!(periods[index].1))),
                    Positions::Numbers(_) => drop(value.insert(ALONG.into(), json!(point.at))),
                    Positions::Ranges(edges, _) => {
                        value.insert(ALONG.into(), json!(edges[index]));
                        value.insert(format!("{ALONG}_end"), json!(edges[index + 1]));
                    }
                }
                value.insert(MEASURED.into(), json!(point.value));
                if let Some(name) = &series.name {
                    value.insert(SERIES.into(), json!(name));
                }
                values.push(value.into());
            }
        }
        values
    }
}
