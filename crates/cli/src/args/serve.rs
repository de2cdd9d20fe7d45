//! Arguments of what serves others: `serve`.

use std::net::SocketAddr;
use std::time::Duration;

use app::tokens::Scope;
use clap::{Args, Subcommand, ValueEnum};

use crate::when;

const SERVE_EXAMPLES: &str = "\
Examples:
  assay serve                          http://127.0.0.1:8787, for this machine
  assay serve --listen 127.0.0.1:0     on any free port
  assay serve --open                   and shows the page in a browser";

/// `assay serve`
#[derive(Debug, Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub struct Serve {
    /// The address to listen on; port 0 picks one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8787")]
    pub listen: SocketAddr,
    /// Ask every caller for a token, also on this machine
    #[arg(long)]
    pub require_token: bool,
    /// A name by which others reach it through a proxy, such as assay.example.org
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// Show the page in a browser
    #[arg(long)]
    pub open: bool,
}

const MCP_EXAMPLES: &str = "\
Examples:
  assay mcp                     tools on standard input and output, for an assistant that starts it
  assay mcp install claude      what to tell the assistant, to paste or run

Over HTTP the same tools are at /mcp of `assay serve`.";

/// `assay mcp [install CLIENT]`
#[derive(Debug, Args)]
#[command(after_help = MCP_EXAMPLES)]
pub struct Mcp {
    #[command(subcommand)]
    pub action: Option<McpAction>,
}

/// What to do besides serving tools.
#[derive(Debug, Subcommand)]
pub enum McpAction {
    /// Print how an assistant is told of these tools
    Install {
        /// The assistant
        client: McpClient,
    },
}

/// The assistants whose settings are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum McpClient {
    Claude,
    Codex,
    Cursor,
    Vscode,
}

const TOKEN_EXAMPLES: &str = "\
Examples:
  assay token create laptop                                  for what is made on the command line here
  assay token create ada --owner ada --scope ask --expires 30d
  assay token revoke 4f2a90c1b7d35e68

A token allows what its scopes name and what stands before them: read, ask, write, admin. What one owner made does not
exist for another.";

/// `assay token create|list|revoke`
#[derive(Debug, Args)]
#[command(after_help = TOKEN_EXAMPLES)]
pub struct Token {
    #[command(subcommand)]
    pub action: TokenAction,
}

/// What to do with tokens.
#[derive(Debug, Subcommand)]
pub enum TokenAction {
    /// Make one and print it, once
    Create {
        /// What to call it
        name: String,
        /// Whom it stands for
        #[arg(long, value_name = "OWNER")]
        owner: Option<String>,
        /// What it allows; read, ask and write if not given
        #[arg(long, value_name = "SCOPE", value_parser = scope)]
        scope: Vec<Scope>,
        /// How long it is worth something, such as 12h or 30d; always if not given
        #[arg(long, value_name = "TIME", value_parser = when::duration)]
        expires: Option<Duration>,
    },
    /// Those there are, without what callers send
    List,
    /// Make one worth nothing, at once
    Revoke {
        /// Its id, as the list shows it
        id: String,
    },
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::parse(word).ok_or_else(|| "give read, ask, write or admin".to_string())
}
