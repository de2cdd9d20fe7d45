//! `assay config show`: each setting with its value and where it comes from.

use app::documents::machine::Config as ConfigDocument;
use base::{Document, Problem};

use crate::args::{Config, ConfigAction};
use crate::terminal::Terminal;

/// Prints the settings.
pub fn run(terminal: &Terminal, config: &Config) -> Result<u8, Problem> {
    let ConfigAction::Show = config.action;
    let settings = &terminal.app.settings.all;
    terminal.show(&ConfigDocument::from(&terminal.app.settings).to_json(), |printer| {
        let width = settings.iter().map(|setting| setting.name.len()).max().unwrap_or(0);
        for setting in settings {
            let value = setting.value.as_deref().unwrap_or("(none)");
            printer.line(&format!("{:<width$}  {value:<40} {}", setting.name, printer.dim(&setting.origin)));
            printer.line(&printer.dim(&format!("{:<width$}  {}", "", setting.about)));
        }
        if let Some(file) = &terminal.app.settings.user_file {
            let file = file.display();
            printer.remark("change", &format!("a line such as `color = \"never\"` in {file}; or ASSAY_COLOR=never"));
        }
    });
    Ok(0)
}
