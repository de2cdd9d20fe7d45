//! A plant's sensors: one row is one reading.
//!
//! The daily cycle comes from a table of whole numbers, never from a maths library, whose last digit may differ
//! between machines. Measurements are held in tenths (vibration in hundredths) of their unit.

use jiff::civil::{Date, date};

use super::Fixed;
use super::calendar::{Calendar, SECONDS_PER_DAY};
use super::random::{Random, share_of};
use crate::csv::Writer;

const SEED: u64 = 0x5eed_0003;
const LAST_DAY: Date = date(2026, 6, 30);
const DAYS: usize = 30;
const SENSORS: usize = 150;
const READINGS_PER_SENSOR: usize = 333;
const ON_BATTERY_PER_MILLE: usize = 400;
const ANOMALIES_PER_MILLE: usize = 30;
const DROPOUTS_PER_MILLE: usize = 4;

struct Place {
    name: &'static str,
    zone: &'static str,
    /// Usual temperature, and how far the day's course carries it either way.
    warmth: i64,
    swing: i64,
    humidity: i64,
    vibration: i64,
    /// How likely an anomaly happens here, relative to the other places.
    hazard: usize,
}

#[rustfmt::skip] // a table, one place a line
const PLACES: [Place; 10] = [
    Place { name: "Boiler House", zone: "North", warmth: 274, swing: 22, humidity: 380, vibration: 310, hazard: 17 },
    Place { name: "Packing Hall", zone: "North", warmth: 212, swing: 28, humidity: 460, vibration: 180, hazard: 9 },
    Place { name: "Rooftop", zone: "North", warmth: 176, swing: 82, humidity: 560, vibration: 90, hazard: 13 },
    Place { name: "Cold Store", zone: "South", warmth: 46, swing: 9, humidity: 690, vibration: 140, hazard: 7 },
    Place { name: "Greenhouse", zone: "South", warmth: 243, swing: 61, humidity: 740, vibration: 40, hazard: 11 },
    Place { name: "Loading Dock", zone: "South", warmth: 184, swing: 58, humidity: 540, vibration: 210, hazard: 8 },
    Place { name: "Press Shop", zone: "East", warmth: 238, swing: 31, humidity: 420, vibration: 470, hazard: 15 },
    Place { name: "Paint Line", zone: "East", warmth: 226, swing: 18, humidity: 490, vibration: 160, hazard: 6 },
    Place { name: "Pump Station", zone: "West", warmth: 168, swing: 44, humidity: 640, vibration: 390, hazard: 10 },
    Place { name: "Laboratory", zone: "West", warmth: 209, swing: 7, humidity: 440, vibration: 20, hazard: 4 },
];

/// The day's course in thousandths, by hour from midnight: coldest at 3, warmest at 15.
const DAILY_CYCLE: [i64; 24] = [
    -707, -866, -966, -1000, -966, -866, -707, -500, -259, 0, 259, 500, 707, 866, 966, 1000, 966, 866, 707, 500, 259,
    0, -259, -500,
];

#[derive(Clone, Copy, PartialEq)]
enum Status {
    Online,
    Offline,
    Maintenance,
}

#[derive(Clone, Copy, PartialEq)]
enum Anomaly {
    HighTemperature,
    LowTemperature,
    HighHumidity,
    SensorFault,
    VibrationAlarm,
}

struct Sensor {
    number: usize,
    place: &'static Place,
    temperature_offset: i64,
    vibration_percent: i64,
    /// Charge at the first reading and how much of it is used up by the last one.
    battery: Option<(i64, i64)>,
    offset_seconds: i64,
    statuses: Vec<Status>,
    anomalies: Vec<Option<Anomaly>>,
}

struct Weather {
    temperature: Vec<i64>,
    pressure: Vec<i64>,
}

struct Reading {
    second: i64,
    sensor: usize,
    turn: usize,
    temperature: Option<i64>,
    humidity: Option<i64>,
    pressure: Option<i64>,
    vibration: Option<i64>,
}

pub(super) fn tables() -> Vec<(&'static str, String)> {
    let mut random = Random::new(SEED);
    let mut sensors = sensors(&mut random);
    deal_anomalies(&mut sensors, &mut random);
    let weather = weather(&mut random);
    let mut readings: Vec<Reading> = Vec::with_capacity(SENSORS * READINGS_PER_SENSOR);
    for (index, sensor) in sensors.iter().enumerate() {
        for turn in 0..READINGS_PER_SENSOR {
            let mut reading = measure(sensor, index, turn, &weather, &mut random);
            disturb(&mut reading, sensor, &mut random);
            readings.push(reading);
        }
    }
    readings.sort_by_key(|reading| (reading.second, reading.sensor));
    vec![("sensors", csv(&readings, &sensors))]
}

fn sensors(random: &mut Random) -> Vec<Sensor> {
    let mut on_battery = vec![false; SENSORS];
    on_battery[..share_of(SENSORS, ON_BATTERY_PER_MILLE)].fill(true);
    random.shuffle(&mut on_battery);
    let slot_seconds = DAYS as i64 * SECONDS_PER_DAY / READINGS_PER_SENSOR as i64;
    (0..SENSORS)
        .map(|index| Sensor {
            number: index + 1,
            place: &PLACES[index % PLACES.len()],
            temperature_offset: random.bell(9),
            vibration_percent: random.between(75, 140),
            battery: on_battery[index].then(|| (random.between(38, 100), random.between(10, 45))),
            offset_seconds: random.between(0, slot_seconds - 600),
            statuses: statuses(random),
            anomalies: vec![None; READINGS_PER_SENSOR],
        })
        .collect()
}

/// Mostly online; now and then a stretch of maintenance or silence.
fn statuses(random: &mut Random) -> Vec<Status> {
    let mut statuses = vec![Status::Online; READINGS_PER_SENSOR];
    for (status, per_mille, longest) in [(Status::Maintenance, 850, 14), (Status::Offline, 700, 10)] {
        if random.chance(per_mille) {
            let length = random.between(2, longest) as usize;
            let start = random.below(READINGS_PER_SENSOR - length);
            statuses[start..start + length].fill(status);
        }
    }
    statuses
}

/// An exact number of anomalies, more where the place is rough, none while a sensor is silent.
fn deal_anomalies(sensors: &mut [Sensor], random: &mut Random) {
    use Anomaly::{HighHumidity, HighTemperature, LowTemperature, SensorFault, VibrationAlarm};
    const KINDS: [Anomaly; 5] = [HighTemperature, LowTemperature, HighHumidity, SensorFault, VibrationAlarm];
    const KIND_WEIGHTS: [usize; 5] = [32, 14, 20, 16, 18];
    let hazards: Vec<usize> = sensors.iter().map(|sensor| sensor.place.hazard).collect();
    let mut left = share_of(SENSORS * READINGS_PER_SENSOR, ANOMALIES_PER_MILLE);
    while left > 0 {
        let sensor = &mut sensors[random.weighted(&hazards)];
        let turn = random.below(READINGS_PER_SENSOR);
        if sensor.anomalies[turn].is_none() && sensor.statuses[turn] != Status::Offline {
            sensor.anomalies[turn] = Some(KINDS[random.weighted(&KIND_WEIGHTS)]);
            left -= 1;
        }
    }
}

/// Slow walks shared by all places, pulled back towards the usual.
fn weather(random: &mut Random) -> Weather {
    let mut walk = |step: i64| -> Vec<i64> {
        let mut levels = vec![0];
        (0..DAYS).for_each(|day| levels.push(levels[day] * 8 / 10 + random.bell(step)));
        levels
    };
    Weather { temperature: walk(18), pressure: walk(60) }
}

/// Between two neighbouring values, in proportion.
fn interpolate(from: i64, to: i64, part: i64, whole: i64) -> i64 {
    from + (to - from) * part / whole
}

fn measure(sensor: &Sensor, index: usize, turn: usize, weather: &Weather, random: &mut Random) -> Reading {
    let slot = turn as i64 * DAYS as i64 * SECONDS_PER_DAY / READINGS_PER_SENSOR as i64;
    let second = slot + sensor.offset_seconds + random.between(0, 590);
    let (day, of_day) = ((second / SECONDS_PER_DAY) as usize, second % SECONDS_PER_DAY);
    let hour = (of_day / 3600) as usize;
    let cycle = interpolate(DAILY_CYCLE[hour], DAILY_CYCLE[(hour + 1) % 24], of_day % 3600, 3600);
    let on_day = |walk: &[i64]| interpolate(walk[day], walk[day + 1], of_day, SECONDS_PER_DAY);
    let place = sensor.place;
    // A place that follows the sun follows the weather as well.
    let warmth = place.swing * cycle / 1000 + on_day(&weather.temperature) * place.swing / 60;
    let vibration = place.vibration * sensor.vibration_percent / 100;
    Reading {
        second,
        sensor: index,
        turn,
        temperature: Some(place.warmth + sensor.temperature_offset + warmth + random.bell(9)),
        humidity: Some((place.humidity - warmth + random.bell(35)).clamp(80, 985)),
        pressure: Some(10_135 + on_day(&weather.pressure) + random.bell(6)),
        vibration: Some((vibration + random.bell(8 + vibration / 5)).max(0)),
    }
}

/// What an anomaly, a silent sensor or a lost value does to a reading.
fn disturb(reading: &mut Reading, sensor: &Sensor, random: &mut Random) {
    let shifted = |value: Option<i64>, by: i64| value.map(|value| value + by);
    match sensor.anomalies[reading.turn] {
        Some(Anomaly::HighTemperature) => reading.temperature = shifted(reading.temperature, random.between(120, 260)),
        Some(Anomaly::LowTemperature) => reading.temperature = shifted(reading.temperature, -random.between(120, 220)),
        Some(Anomaly::HighHumidity) => reading.humidity = Some(random.between(930, 1000)),
        Some(Anomaly::VibrationAlarm) => reading.vibration = shifted(reading.vibration, random.between(600, 1500)),
        Some(Anomaly::SensorFault) | None => {}
    }
    let silent = sensor.statuses[reading.turn] == Status::Offline;
    let faulty = sensor.anomalies[reading.turn] == Some(Anomaly::SensorFault);
    let measured = [&mut reading.temperature, &mut reading.humidity, &mut reading.pressure, &mut reading.vibration];
    for value in measured {
        if silent || random.chance(if faulty { 600 } else { DROPOUTS_PER_MILLE }) {
            *value = None;
        }
    }
}

fn csv(readings: &[Reading], sensors: &[Sensor]) -> String {
    let calendar = Calendar::ending(LAST_DAY, DAYS as i64);
    let mut rows = Writer::new([
        "sensor_id",
        "timestamp",
        "location",
        "zone",
        "temperature_c",
        "humidity_pct",
        "pressure_hpa",
        "vibration_mm_s",
        "anomaly_flag",
        "anomaly_type",
        "battery_pct",
        "status",
    ]);
    let fixed = |value: Option<i64>, digits: u32| value.map(|units| Fixed { units, digits });
    for reading in readings {
        let sensor = &sensors[reading.sensor];
        let anomaly = sensor.anomalies[reading.turn];
        rows.plain(format_args!("S-{:03}", sensor.number));
        rows.plain(calendar.moment(reading.second));
        rows.text(sensor.place.name);
        rows.plain(sensor.place.zone);
        rows.optional(fixed(reading.temperature, 1));
        rows.optional(fixed(reading.humidity, 1));
        rows.optional(fixed(reading.pressure, 1));
        rows.optional(fixed(reading.vibration, 2));
        rows.plain(anomaly.is_some());
        rows.optional(anomaly.map(anomaly_word));
        rows.optional(sensor.battery.map(|charge| battery(charge, reading.turn)));
        rows.plain(match sensor.statuses[reading.turn] {
            Status::Online => "online",
            Status::Offline => "offline",
            Status::Maintenance => "maintenance",
        });
        rows.end_row();
    }
    rows.finish()
}

fn battery((full, used): (i64, i64), turn: usize) -> i64 {
    (full - used * turn as i64 / READINGS_PER_SENSOR as i64).max(1)
}

fn anomaly_word(anomaly: Anomaly) -> &'static str {
    match anomaly {
        Anomaly::HighTemperature => "high_temp",
        Anomaly::LowTemperature => "low_temp",
        Anomaly::HighHumidity => "high_humidity",
        Anomaly::SensorFault => "sensor_fault",
        Anomaly::VibrationAlarm => "vibration_alarm",
    }
}
