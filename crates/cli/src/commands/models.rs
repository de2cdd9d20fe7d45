//! `assay model list|show|test|pull|remove|use`: which models there are, whether they work, which one is asked.

use app::documents::models::{
    KeyState, LocalWeights, ModelChosen, ModelPulled, ModelRemoved, ModelShown, ModelTest, Models, WeightsState,
};
use base::{Code, Document, Problem};

use crate::args::{Model, ModelAction};
use crate::printer::Printer;
use crate::terminal::Terminal;

/// Lists, shows, tries or chooses; 1 where a model does not do what is expected of it.
pub async fn run(terminal: &Terminal, model: &Model) -> Result<u8, Problem> {
    match &model.action {
        ModelAction::List => list(terminal),
        ModelAction::Show { name } => show(terminal, name),
        ModelAction::Test { name } => test(terminal, name.as_deref()).await,
        ModelAction::Pull { name } => pull(terminal, name).await,
        ModelAction::Remove { name } => remove(terminal, name).await,
        ModelAction::Use { name } => choose(terminal, name),
    }
}

fn list(terminal: &Terminal) -> Result<u8, Problem> {
    let document = Models::of(&terminal.app)?;
    terminal.show(&document.to_json(), |printer| print_list(printer, &document));
    Ok(0)
}

fn print_list(printer: &Printer, document: &Models) {
    let names = document.models.iter().map(|model| model.name.chars().count());
    let local = document.local.iter().chain(&document.tables);
    let local = local.map(|weights| "local:".len() + weights.name.chars().count());
    let width = names.chain(local).max().unwrap_or(0).max(9);
    for one in &document.models {
        let then = one.fallbacks.iter().map(|name| format!(", then {name}")).collect::<String>();
        let about = format!("{}:{}{then}", one.provider, one.model);
        printer.line(&format!("{:<width$}  {:<11}  {about}", one.name, key(one.key)));
    }
    for provider in &document.providers {
        let about = match (provider.key_variable, &provider.origin) {
            (Some(variable), Some(origin)) => format!("{}:MODEL  {variable}, {origin}", provider.name),
            (_, Some(origin)) => format!("{}:MODEL  {origin}", provider.name),
            _ => format!("\"{}:PROGRAM ARGUMENTS\"", provider.name),
        };
        printer.line(&format!("{:<width$}  {:<11}  {}", provider.name, key(provider.key), printer.dim(&about)));
    }
    for one in &document.local {
        let (name, (state, about)) = (format!("local:{}", one.name), weights(one));
        printer.line(&format!("{name:<width$}  {state:<11}  {}", printer.dim(&about)));
    }
    for one in &document.tables {
        let (state, about) = weights(one);
        printer.line(&format!(
            "{:<width$}  {state:<11}  {}",
            one.name,
            printer.dim(&format!("{about}; lessons are found by it"))
        ));
    }
    match &document.default {
        Some(name) => printer.remark("asked", &format!("{name} ({})", document.default_origin)),
        None => printer.remark("asked", "none; `assay model use NAME` chooses one"),
    }
}

/// How it is with weights, and what can be done about that.
fn weights(one: &LocalWeights) -> (&'static str, String) {
    let size = one.bytes.div_ceil(1_000_000);
    match one.state {
        WeightsState::There => ("there", format!("{size} MB")),
        WeightsState::Absent if one.bytes_here > 0 => {
            let here = one.bytes_here * 100 / one.bytes.max(1);
            ("in part", format!("{here} % of {size} MB, `assay model pull {}` goes on", one.name))
        }
        WeightsState::Absent => ("not there", format!("{size} MB, `assay model pull {}`", one.name)),
    }
}

fn key(state: KeyState) -> &'static str {
    match state {
        KeyState::There => "key there",
        KeyState::Missing => "key missing",
        KeyState::NotNeeded => "no key",
    }
}

fn show(terminal: &Terminal, name: &str) -> Result<u8, Problem> {
    let document = ModelShown::of(&terminal.app, name)?;
    terminal.show(&document.to_json(), |printer| print_model(printer, &document));
    Ok(0)
}

fn print_model(printer: &Printer, document: &ModelShown) {
    let line = |label: &str, text: &str| printer.line(&format!("{:<9} {text}", label));
    let default = if document.is_default { " (asked where nothing else is said)" } else { "" };
    line("model", &format!("{}{default}", document.name));
    let place = document.origin.as_ref().map(|origin| format!(" at {origin}")).unwrap_or_default();
    line("is", &format!("{} of {}{place}", document.model, document.provider));
    let key = match document.key {
        KeyState::There => "there",
        KeyState::Missing => "missing",
        KeyState::NotNeeded => "none needed",
    };
    line("key", key);
    let family = &document.family;
    if let Some(one) = &document.weights {
        let (state, about) = weights(one);
        line("weights", &format!("{state}, {about}"));
    }
    let can = [(family.tools, "tools"), (family.schema, "schema"), (family.critique_is_gate, "critique is a gate")];
    let can: String = can.into_iter().filter(|(has, _)| *has).map(|(_, what)| format!(", {what}")).collect();
    line("family", &format!("{}: {} tokens, {} first{can}", family.name, family.context_tokens, family.action));
    match &document.prices {
        Some(prices) => line(
            "prices",
            &format!(
                "${} read, ${} from cache, ${} into cache, ${} written, per million tokens",
                prices.input, prices.cache_read, prices.cache_write, prices.output
            ),
        ),
        None => line("prices", "not known"),
    }
    if !document.fallbacks.is_empty() {
        line("fallback", &document.fallbacks.join(", then "));
    }
}

async fn test(terminal: &Terminal, name: Option<&str>) -> Result<u8, Problem> {
    let settings = &terminal.app.settings;
    let name = name.or(settings.model.as_deref()).ok_or_else(|| {
        Problem::new(Code::ModelUnknown, "no model is chosen")
            .hint("name one, such as `assay model test ollama:qwen2.5-coder`")
    })?;
    terminal.printer.progress(&format!("asking {name}"));
    let document = ModelTest::run(&terminal.app, name).await?;
    terminal.show(&document.to_json(), |printer| {
        for check in &document.checks {
            let word = if check.ok { "ok" } else { "no" };
            printer.line(&format!("{:<10}  {word}  {:>6} ms  {}", check.id.as_str(), check.ms, check.note));
        }
        let verdict = if document.ok { "works" } else { "does not do what is expected of it" };
        printer.line(&format!("{name} {verdict}; {} tokens", document.usage.total()));
    });
    Ok(u8::from(!document.ok))
}

async fn pull(terminal: &Terminal, name: &str) -> Result<u8, Problem> {
    let document = ModelPulled::pull(&terminal.app.local, plain(name)).await?;
    terminal.show(&document.to_json(), |printer| {
        let from = document.from.as_ref().map_or("it was there".to_string(), |from| format!("from {from}"));
        let what = match document.model.starts_with("local:") {
            true => "can be asked",
            false => "is there: lessons are found by it",
        };
        printer.line(&format!("{} {what} ({from}); the file is {}", document.model, document.file));
    });
    Ok(0)
}

async fn remove(terminal: &Terminal, name: &str) -> Result<u8, Problem> {
    let document = ModelRemoved::remove(&terminal.app.local, plain(name)).await?;
    terminal.show(&document.to_json(), |printer| {
        let megabytes = document.bytes.div_ceil(1_000_000);
        printer.line(&format!("the weights of {} are not on this machine; {megabytes} MB were freed", document.model));
    });
    Ok(0)
}

/// The name of weights, also of who writes it as it is asked by.
fn plain(name: &str) -> &str {
    name.strip_prefix("local:").unwrap_or(name)
}

fn choose(terminal: &Terminal, name: &str) -> Result<u8, Problem> {
    let document = ModelChosen::write(&terminal.app.settings, name)?;
    terminal.show(&document.to_json(), |printer| {
        printer.line(&format!("{name} is asked from now on, says {}", document.file));
        let absent = ModelShown::of(&terminal.app, name).ok().and_then(|shown| shown.weights);
        if let Some(one) = absent.filter(|one| one.state == WeightsState::Absent) {
            printer.remark("note", &format!("its weights are not here yet: `assay model pull {}`", one.name));
        }
        let setting = terminal.app.settings.all.iter().find(|setting| setting.name == "model");
        if let Some(setting) = setting.filter(|setting| setting.origin.starts_with("environment")) {
            printer.remark("note", &format!("not while the {} says otherwise", setting.origin));
        }
    });
    Ok(0)
}
