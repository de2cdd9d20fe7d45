//! `assay mcp`: tools for another assistant, which starts this program and speaks with it on standard input and output; and
//! how the assistant is told so.

use std::process::ExitCode;
use std::sync::Arc;

use app::Settings;
use app::documents::machine::McpSetup;
use base::{Code, Document, Problem};
use tokio::sync::oneshot;

use crate::args::{Mcp, McpAction, McpClient};
use crate::printer::Printer;
use crate::terminal::Terminal;

/// Serves tools until the other side hangs up. Nothing but the protocol reaches stdout.
pub async fn serve(printer: Arc<Printer>, settings: Settings, interrupted: oneshot::Receiver<()>) -> ExitCode {
    let shown = printer.clone();
    let progress = Arc::new(move |text: &str| shown.progress(text));
    let served = tokio::select! {
        served = server::on_stdio(settings, progress) => served,
        Ok(()) = interrupted => Err(Problem::new(Code::Cancelled, "interrupted")),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            printer.remark("error", &problem.message);
            ExitCode::from(problem.code.exit_code())
        }
    }
}

/// Prints how an assistant is told of these tools; writes nothing.
pub fn run(terminal: &Terminal, mcp: &Mcp) -> Result<u8, Problem> {
    let Some(McpAction::Install { client }) = &mcp.action else {
        return Err(Problem::new(Code::Internal, "serving tools has its own way"));
    };
    let program = std::env::current_exe().map_err(|error| {
        Problem::new(Code::Internal, format!("this program cannot be found: {error}")).hint("give its path by hand")
    })?;
    let mut words = vec![program.display().to_string()];
    let settings = &terminal.app.settings;
    if settings.all.iter().any(|setting| setting.name == "data_dir" && setting.origin != "default") {
        words.extend(["--data-dir".to_string(), settings.data_dir.display().to_string()]);
    }
    words.push("mcp".to_string());
    let (name, file, text) = setup(*client, &words);
    let document = McpSetup { client: name.to_string(), file: file.to_string(), text };
    terminal.show(&document.to_json(), |printer| {
        printer.lines(&document.text);
        printer.remark("where", file);
    });
    Ok(0)
}

/// The client's name, where the text goes, and the text.
fn setup(client: McpClient, words: &[String]) -> (&'static str, &'static str, String) {
    let quoted = |text: &String| serde_json::Value::from(text.as_str()).to_string();
    let arguments = words[1..].iter().map(quoted).collect::<Vec<_>>().join(", ");
    let program = quoted(&words[0]);
    let entry = format!("\"command\": {program}, \"args\": [{arguments}]");
    match client {
        McpClient::Claude => {
            let shell: Vec<String> = words.iter().map(|word| in_shell(word)).collect();
            ("claude", "run it in a shell", format!("claude mcp add assay -- {}\n", shell.join(" ")))
        }
        McpClient::Codex => {
            let text = format!("[mcp_servers.assay]\ncommand = {program}\nargs = [{arguments}]\n");
            ("codex", "add it to ~/.codex/config.toml", text)
        }
        McpClient::Cursor => {
            let text = format!("{{\n  \"mcpServers\": {{\n    \"assay\": {{ {entry} }}\n  }}\n}}\n");
            ("cursor", "~/.cursor/mcp.json, or .cursor/mcp.json of a project", text)
        }
        McpClient::Vscode => {
            let entry = format!("\"type\": \"stdio\", {entry}");
            let text = format!("{{\n  \"servers\": {{\n    \"assay\": {{ {entry} }}\n  }}\n}}\n");
            ("vscode", ".vscode/mcp.json of a project", text)
        }
    }
}

/// A word as a shell reads it whole.
fn in_shell(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '/' | '.' | '-' | '_');
    if word.chars().all(is_plain) { word.to_string() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_gets_what_it_reads() {
        let words: Vec<String> = ["/opt/my tools/assay", "mcp"].map(str::to_string).to_vec();
        let text = |client| setup(client, &words).2;
        assert_eq!(text(McpClient::Claude), "claude mcp add assay -- '/opt/my tools/assay' mcp\n");
        let toml = "[mcp_servers.assay]\ncommand = \"/opt/my tools/assay\"\nargs = [\"mcp\"]\n";
        assert_eq!(text(McpClient::Codex), toml);
        for (client, servers) in [(McpClient::Cursor, "mcpServers"), (McpClient::Vscode, "servers")] {
            let read: serde_json::Value = serde_json::from_str(&text(client)).expect("JSON");
            assert_eq!(read[servers]["assay"]["command"], "/opt/my tools/assay");
            assert_eq!(read[servers]["assay"]["args"][0], "mcp");
        }
    }
}
