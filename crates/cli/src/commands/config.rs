//! `assay config show`: each setting with its value and where it comes from.

use base::Problem;
use serde_json::json;

use crate::app::App;
use crate::args::{Config, ConfigAction};

/// Prints the settings.
pub fn run(app: &App, config: &Config) -> Result<u8, Problem> {
    let ConfigAction::Show = config.action;
    let settings = &app.settings.all;
    let document = json!({ "v": 1, "kind": "config", "settings": settings });
    app.show(&document, |printer| {
        let width = settings.iter().map(|setting| setting.name.len()).max().unwrap_or(0);
        for setting in settings {
            let value = setting.value.as_deref().unwrap_or("(none)");
            printer.line(&format!("{:<width$}  {value:<40} {}", setting.name, printer.dim(&setting.origin)));
            printer.line(&printer.dim(&format!("{:<width$}  {}", "", setting.about)));
        }
        if let Some(file) = &app.settings.user_file {
            let file = file.display();
            printer.remark("change", &format!("a line such as `color = \"never\"` in {file}; or ASSAY_COLOR=never"));
        }
    });
    Ok(0)
}
