//! Measures how lessons are kept and found: the store, the index and the table of vectors as every command uses them.
//!
//! `lessons FOLDER TABLE insert` keeps a lesson for each line of `FOLDER/texts.txt`; `lessons FOLDER TABLE search` looks
//! for each line of `FOLDER/queries.txt`, and leaves the vectors of both there for others. Each prints one JSON line. Times
//! are of the processor, for the whole process.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use agent::memory::{Direction, Index, Table, Vectors};
use flow::{Engine, Learned, Lesson, LessonKind, Memory, Options, Registry, Store};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use tasks::Recall;

/// Kept one by one; the rest in batches.
const SINGLE: usize = 500;
const BATCH: usize = 2_000;
const FOUND: usize = 10;

/// One folder with what is measured in it.
struct Place {
    folder: PathBuf,
    table: PathBuf,
}

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, table, mode] = arguments.as_slice() else {
        return Err("usage: lessons FOLDER TABLE insert|search".to_string());
    };
    let place = Place { folder: folder.into(), table: table.into() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(told)?;
    let line = match mode.as_str() {
        "insert" => runtime.block_on(place.insert()),
        "search" => runtime.block_on(place.search()),
        other => return Err(format!("`{other}` is neither insert nor search")),
    };
    println!("{}", line?);
    Ok(())
}

impl Place {
    async fn memory(&self) -> Result<Memory, String> {
        let store = Store::open(&self.folder.join("store")).await.map_err(told)?;
        let engine = Arc::new(Engine::new(store, Registry::<()>::new(), Options::default()));
        Ok(engine.runs().memory())
    }

    fn lines(&self, name: &str) -> Result<Vec<String>, String> {
        let text = fs::read_to_string(self.folder.join(name)).map_err(told)?;
        Ok(text.lines().map(str::to_string).collect())
    }

    fn table(&self) -> Result<Arc<Table>, String> {
        Ok(Arc::new(Table::read(fs::read(&self.table).map_err(told)?)?))
    }

    /// The first one by one, each with its place in an index, as a process does that learns and looks.
    async fn insert(&self) -> Result<Value, String> {
        let (memory, texts) = (self.memory().await?, self.lines("texts.txt")?);
        let mut index = Index::new(Some(self.table()?));
        let (single, rest) = texts.split_at(SINGLE.min(texts.len()));
        let learn = |texts: &[String]| {
            let at = SystemTime::now().into();
            let lesson = |text: &String| Lesson::new(LessonKind::Success, text, at).named();
            memory.learn(Learned { lessons: texts.iter().map(lesson).collect(), ..Learned::default() })
        };
        let (cpu, wall) = (cpu_seconds(), Instant::now());
        for text in single {
            learn(std::slice::from_ref(text)).await.map_err(told)?;
            index.add(text);
        }
        let (cpu_single, wall_single) = (cpu_seconds() - cpu, wall.elapsed().as_secs_f64());
        let cpu = cpu_seconds();
        for texts in rest.chunks(BATCH) {
            learn(texts).await.map_err(told)?;
            texts.iter().for_each(|text| index.add(text));
        }
        let cpu_rest = cpu_seconds() - cpu;
        Ok(json!({
            "lessons": index.len(),
            "single_per_cpu_s": single.len() as f64 / cpu_single,
            "single_per_wall_s": single.len() as f64 / wall_single,
            "batch_per_cpu_s": rest.len() as f64 / cpu_rest,
        }))
    }

    async fn search(&self) -> Result<Value, String> {
        let (memory, queries) = (self.memory().await?, self.lines("queries.txt")?);
        let (first, queries) = queries.split_first().ok_or("there are no queries")?;
        let table = self.table.clone();
        let recall = Recall::new(Box::new(move || Some(table.clone())));
        recall.search(&memory, first, FOUND).await.map_err(told)?;
        let start = cpu_seconds();
        let mut whole = Vec::new();
        for query in queries {
            let before = cpu_seconds();
            let found = recall.search(&memory, query, FOUND).await.map_err(told)?;
            whole.push(cpu_seconds() - before);
            if found.is_empty() {
                return Err(format!("nothing was found for `{query}`"));
            }
        }
        let resident = resident_megabytes();
        let (vector, recalled) = self.vectors(queries)?;
        Ok(json!({
            "start_cpu_s": start,
            "vector_cpu_ms": percentiles(vector),
            "vector_recall_at_10": recalled,
            "whole_cpu_ms": percentiles(whole),
            "disk_mb": megabytes(&self.folder.join("store")).map_err(told)?,
            "resident_mb": resident,
        }))
    }

    /// The search by vectors alone, against what an exact one finds.
    fn vectors(&self, queries: &[String]) -> Result<(Vec<f64>, f64), String> {
        let (table, texts) = (self.table()?, self.lines("texts.txt")?);
        let embed = |text: &String| table.embed(text).unwrap_or([0.0; 256]);
        let rows: Vec<[f32; 256]> = texts.iter().map(embed).collect();
        let mut vectors = Vectors::default();
        rows.iter().for_each(|row| vectors.add(Some(&Direction::of(row))));
        let wanted: Vec<[f32; 256]> = queries.iter().map(embed).collect();
        let (mut took, mut all) = (Vec::new(), Vec::new());
        for wanted in &wanted {
            let before = cpu_seconds();
            all.push(vectors.search(&Direction::of(wanted), FOUND));
            took.push(cpu_seconds() - before);
        }
        let (mut same, mut exact) = (0, String::new());
        for (wanted, found) in wanted.iter().zip(all) {
            let best = nearest(&rows, wanted);
            same += found.iter().filter(|(place, _)| best.contains(place)).count();
            exact += &(json!(best).to_string() + "\n");
        }
        let bytes =
            |rows: &[[f32; 256]]| rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
        fs::write(self.folder.join("texts.f32"), bytes(&rows)).map_err(told)?;
        fs::write(self.folder.join("queries.f32"), bytes(&wanted)).map_err(told)?;
        fs::write(self.folder.join("exact.jsonl"), exact).map_err(told)?;
        Ok((took, same as f64 / (FOUND * wanted.len()) as f64))
    }
}

/// The truly nearest.
fn nearest(rows: &[[f32; 256]], wanted: &[f32; 256]) -> Vec<usize> {
    const LANES: usize = 8;
    let cosine = |row: &[f32; 256]| {
        let mut sums = [0.0_f32; LANES];
        for (one, other) in row.chunks_exact(LANES).zip(wanted.chunks_exact(LANES)) {
            (0..LANES).for_each(|lane| sums[lane] += one[lane] * other[lane]);
        }
        sums.iter().sum::<f32>()
    };
    let mut all: Vec<(f32, usize)> = rows.iter().enumerate().map(|(place, row)| (cosine(row), place)).collect();
    let count = FOUND.min(all.len());
    all.select_nth_unstable_by(count - 1, |one, other| other.0.total_cmp(&one.0));
    all[..count].iter().map(|(_, place)| *place).collect()
}

/// In milliseconds.
fn percentiles(mut seconds: Vec<f64>) -> Value {
    seconds.sort_by(f64::total_cmp);
    let at = |share: f64| seconds[((seconds.len() as f64 * share) as usize).min(seconds.len() - 1)] * 1e3;
    let mean = seconds.iter().sum::<f64>() / seconds.len() as f64 * 1e3;
    json!({ "mean": mean, "p50": at(0.5), "p99": at(0.99) })
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn resident_megabytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? / 1e3)
}

fn megabytes(folder: &Path) -> std::io::Result<f64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let about = entry?.metadata()?;
        bytes += if about.is_file() { about.len() } else { 0 };
    }
    Ok(bytes as f64 / 1e6)
}

fn told(error: impl Display) -> String {
    error.to_string()
}
