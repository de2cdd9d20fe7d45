//! Packages that a program needs and that are not there: said, asked about or installed, as the user wants it.
//!
//! That something is missing is read from what is recorded of the execution, not from what is there now, so that a resumed
//! run decides as the first attempt did.

use agent::solve::Ran;
use base::Problem;
use sandbox::{Sandbox, Set};
use serde_json::json;

use super::{Consent, Solving};

/// What the set for learning from data brings, by the names that programs import.
const LEARNING: &[&str] = &["sklearn", "scipy", "joblib", "threadpoolctl"];

/// What was made of it in one run.
#[derive(Default)]
pub struct Packages {
    was_asked: bool,
    /// Where the set was installed by this process, which had begun without it.
    pub sandbox: Option<Sandbox>,
}

/// The package of the set that a program missed.
fn missing(ran: &Ran) -> Option<&'static str> {
    let error = ran.error.as_deref()?;
    LEARNING.iter().copied().find(|name| error.contains(&format!("No module named '{name}'")))
}

impl Solving<'_> {
    /// Whether what was missing is there now, so that the same code is worth another execution. What was not installed is
    /// told to the model.
    pub(super) async fn provide(&mut self, ran: &mut Ran) -> Result<bool, Problem> {
        let Some(package) = missing(ran) else { return Ok(false) };
        if std::mem::replace(&mut self.packages.was_asked, true) {
            return Ok(false);
        }
        let why = match self.input.consent {
            Consent::None => Some("it is not installed; write the program without it".to_string()),
            Consent::Ask => {
                let detail = format!(
                    "install the package set `ml` (scikit-learn, SciPy, joblib; about 80 MB from the package index), \
                     because the program imports `{package}`"
                );
                match self.run.wait("install_packages", &detail).await? {
                    true => self.install().await?,
                    false => {
                        Some("a person did not allow it to be installed; write the program without it".to_string())
                    }
                }
            }
            Consent::Yes => self.install().await?,
        };
        let Some(why) = why else { return Ok(true) };
        let error = ran.error.take().unwrap_or_default();
        ran.error = Some(format!("{error}\n`{package}` is in the package set `ml`: {why}"));
        Ok(false)
    }

    /// Installs the set as a step; else why it cannot be had.
    async fn install(&mut self) -> Result<Option<String>, Problem> {
        let warehouse = &self.context.warehouse;
        let effect = || async { Ok(warehouse.install(Set::Ml).await.err().map(|problem| problem.message)) };
        let failed: Option<String> = self.run.step("install", &json!({ "set": Set::Ml.name() }), effect).await?;
        if failed.is_none() && self.run.will_perform() {
            self.packages.sandbox = Some(warehouse.sandbox_with(Set::Ml).await?);
        }
        Ok(failed.map(|why| format!("it cannot be installed: {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_set_brings_is_missing() {
        let ran =
            |error: &str| Ran { output: String::new(), error: Some(error.into()), signature: None, evidence: vec![] };
        let found = |error: &str| missing(&ran(error));
        assert_eq!(found("ModuleNotFoundError: No module named 'sklearn' (line 1: import sklearn)"), Some("sklearn"));
        assert_eq!(found("ModuleNotFoundError: No module named 'sklearn.nothing'"), None);
        assert_eq!(found("ModuleNotFoundError: No module named 'torch'"), None);
    }
}
