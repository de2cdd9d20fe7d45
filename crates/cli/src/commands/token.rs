//! `assay token create|list|revoke`: who may call a server.

use app::documents::tokens::TokenRevoked;
use app::tokens::{self, Scope, Wanted};
use base::{Document, Problem, Timestamp};

use crate::args::{Token, TokenAction};
use crate::terminal::Terminal;

/// Makes, lists or revokes tokens.
pub async fn run(terminal: &Terminal, token: &Token) -> Result<u8, Problem> {
    let store = terminal.app.store().await?;
    match &token.action {
        TokenAction::Create { name, owner, scope, expires } => {
            let wanted = Wanted { name: name.clone(), owner: owner.clone(), scopes: scope.clone(), lasts: *expires };
            let made = tokens::create(store, wanted).await?;
            terminal.show(&made.to_json(), |printer| {
                printer.line(&made.token);
                let (owner, scopes) = (&made.owner, words(&made.scopes));
                printer.remark("token", &format!("{} for {owner} ({scopes}), shown only now", made.id));
            });
        }
        TokenAction::List => {
            let document = tokens::list(store).await?;
            terminal.show(&document.to_json(), |printer| {
                for token in &document.tokens {
                    let state = match (token.revoked_at, token.expires_at) {
                        (Some(at), _) => format!("revoked {}", at.to_rfc3339()),
                        (None, Some(at)) if at <= Timestamp::from(std::time::SystemTime::now()) => {
                            format!("expired {}", at.to_rfc3339())
                        }
                        (None, Some(at)) => format!("until {}", at.to_rfc3339()),
                        (None, None) => "always".to_string(),
                    };
                    let (id, owner, scopes) = (&token.id, &token.owner, words(&token.scopes));
                    printer.line(&format!("{id}  {owner:<12}  {scopes:<16}  {state:<30}  {}", token.name));
                }
                if document.tokens.is_empty() {
                    printer.remark("none", "no token yet; `assay token create NAME` makes one");
                }
            });
        }
        TokenAction::Revoke { id } => {
            tokens::revoke(store, id).await?;
            let document = TokenRevoked { id: id.clone() };
            terminal.show(&document.to_json(), |printer| printer.line(&format!("{id} is worth nothing any more")));
        }
    }
    Ok(0)
}

fn words(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" ")
}
