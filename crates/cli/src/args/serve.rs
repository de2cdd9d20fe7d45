//! Arguments of what serves others: `serve`.

use std::net::SocketAddr;

use clap::Args;

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
    /// Show the page in a browser
    #[arg(long)]
    pub open: bool,
}
