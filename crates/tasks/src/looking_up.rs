//! Lets a model look something up while it is asked: each search is a step, within what the user's settings allow.
//!
//! The policy is not the model's: which hosts and folders, how many searches, under which licences a text may be shown. What
//! was found is recorded with its source and licence, without the words of what may not be shown, and a resumed run reads
//! it from its journal.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agent::memory::Index;
use agent::tools::{self, Found, Search, Tool};
use base::Problem;
use flow::Run;
use model::{Message, Reply, Request, ToolResult};
use serde::{Deserialize, Serialize};

/// Where models may look, as the user's settings say; nowhere by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Searches {
    /// A search engine and the pages of its that count.
    pub web: Option<WebSearch>,
    /// Folders of text files.
    pub folders: Vec<PathBuf>,
    /// Licences under which a text may be shown to a model.
    pub licences: Vec<String>,
}

/// A search engine and whom its results may come from.
#[derive(Clone, Debug, PartialEq)]
pub struct WebSearch {
    /// Where it answers in JSON.
    pub url: String,
    /// Allowed hosts, and the licence of what each says where a result names none.
    pub hosts: BTreeMap<String, Option<String>>,
}

impl Searches {
    /// The tools that are switched on.
    pub fn tools(&self) -> Vec<Tool> {
        let is_on = |tool: &Tool| match tool {
            Tool::WebSearch => self.web.is_some(),
            Tool::FileSearch => !self.folders.is_empty(),
        };
        Tool::ALL.into_iter().filter(is_on).collect()
    }

    /// What is found, and only what may be shown with its words.
    async fn perform(&self, search: &Search) -> Outcome {
        let found = match (search.tool, &self.web) {
            (Tool::WebSearch, Some(web)) => web.perform(&search.query).await,
            (Tool::WebSearch, None) => Err("the web search is switched off".to_string()),
            (Tool::FileSearch, _) => Ok(in_folders(&self.folders, &search.query)),
        };
        match found {
            Ok(found) => {
                Outcome { found: found.into_iter().map(|one| one.under(&self.licences)).collect(), failed: None }
            }
            Err(why) => Outcome { found: Vec::new(), failed: Some(why) },
        }
    }
}

/// Passages of one search, and how long each may be.
const PASSAGES_MAX: usize = 5;
const PASSAGE_CHARACTERS_MAX: usize = 900;
/// Searches of one run.
const SEARCHES_MAX: u32 = 5;

impl WebSearch {
    async fn perform(&self, query: &str) -> Result<Vec<Found>, String> {
        let hits = model::search::search(&self.url, query).await?;
        let mut found = Vec::new();
        for hit in hits {
            let Some(licence) = hit.host().and_then(|host| self.hosts.get(&host)) else { continue };
            found.push(Found {
                source: hit.url.clone(),
                title: clipped(hit.title.as_deref().unwrap_or_default()),
                licence: hit.license.clone().or_else(|| licence.clone()),
                text: Some(clipped(hit.content.as_deref().unwrap_or_default())),
            });
            if found.len() == PASSAGES_MAX {
                break;
            }
        }
        Ok(found)
    }
}

fn clipped(text: &str) -> String {
    text.chars().take(PASSAGE_CHARACTERS_MAX).collect()
}

const FILES_MAX: usize = 5_000;
const FILE_BYTES_MAX: u64 = 1 << 20;
const DEPTH_MAX: usize = 12;
const TEXT_ENDINGS: &[&str] = &["md", "txt", "rst", "py", "toml", "json", "csv", "sql", "yaml", "yml", "html", "adoc"];

/// The passages of text files that share the most with a query. Links and hidden files are not followed.
fn in_folders(folders: &[PathBuf], query: &str) -> Vec<Found> {
    let mut files = Vec::new();
    for folder in folders {
        gather(folder, 0, &mut files);
    }
    files.sort();
    let mut passages = Vec::new();
    for file in &files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let licence = licence_of(&text);
        let lines: Vec<&str> = text.lines().collect();
        for part in lines.chunks(15) {
            let part = part.join("\n");
            if !part.trim().is_empty() {
                passages.push((file, licence.clone(), part));
            }
        }
    }
    let mut index = Index::new(None);
    passages.iter().for_each(|(.., text)| index.add(text));
    let best = index.search(query, PASSAGES_MAX).into_iter();
    best.map(|hit| {
        let (file, licence, text) = &passages[hit.place];
        let title = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Found { source: file.display().to_string(), title, licence: Some(licence.clone()), text: Some(clipped(text)) }
    })
    .collect()
}

fn gather(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if files.len() >= FILES_MAX || depth > DEPTH_MAX {
            return;
        }
        let (path, Ok(kind)) = (entry.path(), entry.file_type()) else { continue };
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        let is_text = || path.extension().is_some_and(|ending| TEXT_ENDINGS.iter().any(|one| ending == *one));
        if is_hidden {
            continue;
        }
        if kind.is_dir() {
            gather(&path, depth + 1, files);
        } else if kind.is_file() && is_text() && entry.metadata().is_ok_and(|about| about.len() <= FILE_BYTES_MAX) {
            files.push(path);
        }
    }
}

/// What a file says of its licence; without a word it is the user's own.
fn licence_of(text: &str) -> String {
    const MARK: &str = "SPDX-License-Identifier:";
    let said = text.lines().take(30).find_map(|line| Some(line.split_once(MARK)?.1));
    let said = said.map(|rest| rest.trim().trim_end_matches(['*', '/', '-', '>', ' ']).trim().to_string());
    said.filter(|said| !said.is_empty()).unwrap_or_else(|| "own".to_string())
}

/// What came of a search, as it is recorded.
#[derive(Serialize, Deserialize)]
struct Outcome {
    found: Vec<Found>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failed: Option<String>,
}

/// One run's searches.
pub struct LookingUp<'a> {
    searches: &'a Searches,
    offered: &'a [Tool],
    is_native: bool,
    left: u32,
    was_refused: bool,
}

impl<'a> LookingUp<'a> {
    /// Of a run that offers these tools, to a model that calls them or writes what it wants.
    pub fn new(searches: &'a Searches, offered: &'a [Tool], is_native: bool) -> LookingUp<'a> {
        LookingUp { searches, offered, is_native, left: SEARCHES_MAX, was_refused: false }
    }

    /// Tells the model of the tools. One that only goes on with what was begun for it is told of none.
    pub fn offer(&self, request: &mut Request) {
        if self.offered.is_empty() || !request.begun().is_empty() {
            return;
        }
        if self.is_native {
            request.tools = self.offered.iter().map(|tool| definition(*tool)).collect();
        } else if let Some(Message::User { text }) = request.messages.last_mut() {
            text.push_str(&format!("\n\n{}", tools::instruction(self.offered)));
        }
    }

    /// Performs what a reply asks for and puts it into the next request; whether there is one.
    pub async fn answer(&mut self, run: &mut Run, request: &mut Request, reply: &Reply) -> Result<bool, Problem> {
        if self.offered.is_empty() || self.was_refused {
            return Ok(false);
        }
        if !reply.tool_calls.is_empty() {
            let mut results = Vec::new();
            for call in &reply.tool_calls {
                let (text, is_error) = match Search::called(&call.name, &call.arguments, self.offered) {
                    Ok(search) => (self.perform(run, &search).await?, false),
                    Err(why) => (why, true),
                };
                results.push(ToolResult { id: call.id.clone(), text, is_error });
            }
            request.messages.push(said(reply));
            request.messages.push(Message::Results { results });
            return Ok(true);
        }
        let Some(search) = Search::written(&reply.text, self.offered).filter(|_| !self.is_native) else {
            return Ok(false);
        };
        let told = self.perform(run, &search).await?;
        request.messages.push(said(reply));
        request.messages.push(Message::User { text: format!("{told}\nNow answer as you were asked at first.") });
        Ok(true)
    }

    async fn perform(&mut self, run: &mut Run, search: &Search) -> Result<String, Problem> {
        if self.left == 0 {
            self.was_refused = true;
            return Ok("No more searches are possible; go on with what you have.".to_string());
        }
        self.left -= 1;
        let searches = self.searches;
        let outcome: Outcome = run.step("search", search, || async { Ok(searches.perform(search).await) }).await?;
        Ok(match outcome.failed {
            Some(why) => format!("Nothing was found: {why}"),
            None => tools::told(&outcome.found),
        })
    }
}

fn said(reply: &Reply) -> Message {
    Message::Assistant {
        text: reply.text.clone(),
        tool_calls: reply.tool_calls.clone(),
        reasoning: reply.reasoning.clone(),
    }
}

fn definition(tool: Tool) -> model::Tool {
    model::Tool {
        name: tool.name().to_string(),
        description: tool.description().to_string(),
        parameters: tool.parameters(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_in_their_folders_and_nowhere_else() {
        let held = tempfile::tempdir().expect("a folder");
        let path = |name: &str| held.path().join(name);
        std::fs::create_dir_all(path("in/deep")).expect("folders");
        std::fs::write(path("in/deep/a.md"), "A duration such as P1D is a day.").expect("a file");
        std::fs::write(path("in/b.py"), "# SPDX-License-Identifier: GPL-3.0-only\nduration = 'P1D'").expect("a file");
        std::fs::write(path("in/.hidden.md"), "duration").expect("a file");
        std::fs::write(path("secret.md"), "duration P1D secret").expect("a file");
        std::os::unix::fs::symlink(path("secret.md"), path("in/link.md")).expect("a link");
        let found = in_folders(&[path("in")], "duration P1D");
        let mut seen: Vec<(String, Option<String>)> = found.into_iter().map(|one| (one.title, one.licence)).collect();
        seen.sort();
        let expected = [("a.md", "own"), ("b.py", "GPL-3.0-only")];
        assert_eq!(seen, expected.map(|(name, licence)| (name.to_string(), Some(licence.to_string()))));
    }
}
