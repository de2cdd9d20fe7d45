//! The task `solve/1`: a program that does what the task says, as far as checks can tell.
//!
//! The machine of `agent::solve` decides; this file performs: each reply, each execution and the writing of the file is a
//! step. What verifies is executed by our own runner in a cell without a network; what the model says of its code counts
//! for nothing. The user's file is written by this process and not by a cell, whole or not at all.

mod compare;
mod document;
mod execute;
mod file;
mod lessons;
mod packages;
mod prompt;

use std::path::PathBuf;

use agent::solve::{
    Action, Approach, End, Errors, Example, Looked, Machine, Outcome, Policy, Ran, State, find_examples,
};
use agent::tools::Tool;
use base::{Code, Document, Finding, Problem, Severity};
use flow::{Finish, Run};
use guard::{Checked, Python};
use model::Family;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use self::document::{Solution, SolutionLessons, SolutionModel, SolutionStatus, SolutionVerdict};
use self::execute::{Checks, Held};
use self::lessons::Lessons;
use self::packages::Packages;
use self::prompt::Prompts;
use crate::by_model::Budget;
use crate::context::Context;
use crate::looking_up::LookingUp;
use crate::replies::Replies;
use crate::task::{no_stranger_writes, parse_input};

/// A task and how it is to be solved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SolveInput {
    /// In the user's words.
    pub task: String,
    /// What the solution is held against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestsFile>,
    /// Files that lie beside the solution when it is run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<TestsFile>,
    /// Where the solution goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<SolutionFile>,
    /// Pieces of code that are tried at most.
    pub max_iterations: u32,
    /// Samples that are taken before anything else is tried; as many as pay for the model where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<u32>,
    /// Who may be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Solver>,
    /// What a person has said beforehand.
    #[serde(default)]
    pub consent: Consent,
    /// Where the model may look something up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// Whether nothing is remembered, neither from before nor for later.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_memory: bool,
}

/// A file of the user's, such as the tests, as it was when the run began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestsFile {
    /// The file's name, without its folder.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Where a solution goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolutionFile {
    /// From the root.
    pub path: PathBuf,
    /// As the user named it.
    pub named: String,
}

/// A model and what it may cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solver {
    /// As the user named it.
    pub name: String,
    /// What may be spent.
    #[serde(default)]
    pub budget: Budget,
}

/// What a person has said beforehand about what is dangerous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Consent {
    /// Nothing: code with an error is not run, and only a verified solution is written.
    #[default]
    None,
    /// That they want to be asked.
    Ask,
    /// Yes.
    Yes,
}

/// More is no task but a document.
const TASK_BYTES_MAX: usize = 64 * 1024;
/// Pieces of code that anyone may ask for.
pub const ITERATIONS_MAX: u32 = 50;
/// Further samples where the model's family says nothing else.
const SAMPLES: u32 = 2;
/// Tries in a row that get no further: small models repeat themselves, so there is less to hope for.
const STALE_SMALL: u32 = 4;
const STALE_LARGE: u32 = 6;
const DEFAULT_MODULE: &str = "solution";

impl SolveInput {
    /// The name under which the tests import the solution.
    pub fn module(&self) -> String {
        let stem = self.file.as_ref().and_then(|file| file.path.file_stem()).and_then(|stem| stem.to_str());
        stem.unwrap_or(DEFAULT_MODULE).to_string()
    }

    /// Whether it can be begun.
    pub fn check(&self) -> Result<(), Problem> {
        let usage = |message: String, hint: &str| Err(Problem::new(Code::Usage, message).hint(hint));
        if self.task.trim().is_empty() {
            return usage("the task is empty".into(), "say in a sentence what the program is to do");
        }
        if self.task.len() > TASK_BYTES_MAX {
            return usage(format!("the task has more than {TASK_BYTES_MAX} bytes"), "say it in fewer words");
        }
        if self.max_iterations == 0 || self.max_iterations > ITERATIONS_MAX {
            return usage(format!("there are 1 to {ITERATIONS_MAX} iterations"), "choose a number between them");
        }
        let module = self.module();
        let is_name = !module.starts_with(|first: char| first.is_ascii_digit())
            && module.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        if !is_name {
            return usage(
                format!("`{}` cannot be imported as a module", base::shown(&module)),
                "name the file with letters, digits and `_`, such as out.py",
            );
        }
        let own = [Some(format!("{module}.py")), self.tests.as_ref().map(|tests| tests.name.clone())];
        for (at, file) in self.beside.iter().enumerate() {
            let is_taken =
                own.contains(&Some(file.name.clone())) || self.beside[..at].iter().any(|one| one.name == file.name);
            if is_taken {
                let hint = "files lie in one folder when the program runs, so each has a name of its own";
                return usage(format!("two files are called `{}`", base::shown(&file.name)), hint);
            }
        }
        let Some(tests) = &self.tests else { return Ok(()) };
        if tests.name == format!("{module}.py") {
            let hint = "the tests import the solution by its name, so the two have different names";
            return usage(format!("the tests and the solution are both called `{module}`"), hint);
        }
        let findings = guard::python::findings(&tests.text, guard::python::Profile::Task);
        let is_unreadable = |finding: &&Finding| matches!(finding.rule.as_str(), "python/syntax" | "python/limit");
        match findings.iter().find(is_unreadable) {
            Some(finding) => Err(Problem::new(
                Code::FileFormat,
                format!("the tests in `{}` cannot be read: {}", tests.name, finding.message),
            )
            .hint("they are Python with asserts, unittest cases or functions whose names begin with `test`")),
            None => Ok(()),
        }
    }
}

/// Solves one task.
pub async fn solve(run: &mut Run, context: &Context, input: Value) -> Result<Finish, Problem> {
    let input: SolveInput = parse_input(input)?;
    input.check()?;
    if input.file.is_some() {
        no_stranger_writes(run)?;
    }
    let examples = find_examples(&input.task);
    let (tests, beside) = (input.tests.as_ref(), input.beside.as_slice());
    let checks = Checks { module: input.module(), tests, examples: &examples, beside };
    let none = Budget::default();
    let (name, budget) = input.model.as_ref().map_or(("", &none), |model| (model.name.as_str(), &model.budget));
    let family = context.models.family(name);
    let mut solving = Solving {
        run,
        context,
        input: &input,
        prompts: Prompts::new(&input, &checks, &family),
        checks,
        replies: Replies::new(context, name, budget),
        looking_up: LookingUp::new(&context.searches, &input.tools, family.tools),
        lessons: Lessons::default(),
        allowed: Vec::new(),
        self_tests: None,
        packages: Packages::default(),
    };
    let mut machine = Machine::new(policy(&input, &family, &examples));
    solving.tell(&machine);
    let end = loop {
        let came = match machine.next().clone() {
            Action::Recall => solving.recall().await?,
            Action::Write(approach) => solving.write(&machine, approach).await?,
            Action::Approve(code) => solving.ask(&machine, code).await?,
            Action::Test(code) => solving.test(&code).await?,
            Action::Run(code) => solving.execute(&code).await?,
            Action::End(end) => break end,
        };
        machine.observe(came);
        solving.tell(&machine);
    };
    solving.conclude(&machine, &end).await
}

fn policy(input: &SolveInput, family: &Family, examples: &[Example]) -> Policy {
    let samples = input.candidates.map_or(SAMPLES, |candidates| candidates.saturating_sub(1));
    Policy {
        iterations_max: input.max_iterations,
        samples_max: samples,
        mends: family.critique_is_gate && input.candidates.is_none(),
        stale_max: samples + if family.critique_is_gate { STALE_LARGE } else { STALE_SMALL } - SAMPLES,
        has_checks: input.tests.is_some() || !examples.is_empty(),
        errors: match input.consent {
            Consent::None => Errors::Refuse,
            Consent::Ask => Errors::Ask,
            Consent::Yes => Errors::Allow,
        },
        // Those of small models are wrong more often than right.
        self_tests: family.critique_is_gate,
    }
}

/// One task on its way through the loop.
struct Solving<'a> {
    run: &'a mut Run,
    context: &'a Context,
    input: &'a SolveInput,
    prompts: Prompts<'a>,
    checks: Checks<'a>,
    replies: Replies<'a>,
    looking_up: LookingUp<'a>,
    lessons: Lessons,
    /// Programs with an error that a person allowed.
    allowed: Vec<String>,
    /// What the model wrote to hold code against that it has not seen.
    self_tests: Option<Checked<Python>>,
    packages: Packages,
}

impl Solving<'_> {
    /// Whoever watches is told how far it is.
    fn tell(&mut self, machine: &Machine) {
        let state = self.state(machine);
        self.run.note(state.to_json());
        let State { status, iteration, max_iterations, history, .. } = state;
        let last = history.last();
        let told = json!({
            "status": status, "iteration": iteration, "max_iterations": max_iterations,
            "error": last.and_then(|last| last.error.clone()), "evidence": last.map(|last| last.evidence.clone()),
            "findings": last.map(|last| last.findings.clone()), "output": last.map(|last| last.output.clone()),
            "reflection": last.and_then(|last| last.reflection.clone()),
            "left": self.replies.left(max_iterations.saturating_sub(iteration)),
        });
        self.run.emitter().pass("solve.state", told);
    }

    fn state(&self, machine: &Machine) -> State {
        let file = self.input.file.as_ref().map(|file| file.named.as_str());
        machine.state(&self.input.task, file)
    }

    /// The solution that passed the same checks before, if there is one; it passes them again or it is none.
    async fn recall(&mut self) -> Result<Outcome, Problem> {
        if self.checks.is_none() || self.input.no_memory {
            return Ok(Outcome::Remembered(None));
        }
        let found = self.lessons.of_task(self.run, &self.input.task, &self.checks.hash()).await?;
        Ok(Outcome::Remembered(found.map(|code| (code.clone(), self.look(&code)))))
    }

    /// Asks a person about code in which the guard sees an error.
    async fn ask(&mut self, machine: &Machine, code: String) -> Result<Outcome, Problem> {
        const CODE_CHARACTERS_MAX: usize = 4_000;
        let findings = machine.tried().last().map(|tried| tried.findings.as_slice()).unwrap_or_default();
        let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        let said: Vec<&str> = errors.map(|finding| finding.message.as_str()).collect();
        let shown: String = code.chars().take(CODE_CHARACTERS_MAX).collect();
        let is_allowed = self.run.wait("run_code", &format!("{}\n\n{shown}", said.join("\n"))).await?;
        if is_allowed {
            self.allowed.push(code);
        }
        Ok(Outcome::Decided(is_allowed))
    }

    async fn write(&mut self, machine: &Machine, approach: Approach) -> Result<Outcome, Problem> {
        if self.input.model.is_none() {
            return Err(Problem::new(Code::Usage, "a task is solved by a model, and none is named").hint(
                "name one, such as anthropic:claude-sonnet-4-5 or ollama:qwen2.5-coder, or make one the default",
            ));
        }
        let error = machine.tried().last().and_then(|last| last.error.as_deref());
        let advice = match (approach, error) {
            (Approach::Mend | Approach::Anew, Some(error)) if !self.input.no_memory => {
                self.lessons.of_error(self.run, error, machine.tried().len()).await?
            }
            _ => None,
        };
        let mut request = self.prompts.code(machine, approach, advice.as_deref());
        self.looking_up.offer(&mut request);
        let reply = loop {
            let hear = prompt::split(self.run.emitter(), approach);
            let Some(reply) = self.replies.ask(self.run, &request, hear).await? else {
                return Ok(Outcome::Spent(self.replies.exhausted()));
            };
            if !self.looking_up.answer(self.run, &mut request, &reply).await? {
                break reply;
            }
        };
        let (words, code) = agent::read_program(&(request.begun().to_string() + &reply.text));
        let words = if self.prompts.asks_for_words() { words } else { Vec::new() };
        Ok(match code {
            Some(code) => {
                let code = self.prompts.completed(&code);
                let mut looked = self.look(&code);
                if advice.is_some() {
                    lessons::hold_to_more(&mut looked, machine.tried());
                }
                Outcome::Wrote { words, code, looked }
            }
            None => Outcome::WroteNoCode(words),
        })
    }

    fn look(&self, code: &str) -> Looked {
        let mut findings = guard::python::findings(code, guard::python::Profile::Task);
        findings.extend(guard::python::lint(code));
        let stub = guard::python::stub(code);
        // That a function gives a constant may be what is wanted; tests can tell.
        let (stub, remark) = match stub {
            Some(stub) if !stub.is_empty && !self.checks.is_none() => (None, Some(stub.message)),
            stub => (stub.map(|stub| stub.message), None),
        };
        findings.extend(remark.map(|message| Finding {
            rule: "python/stub".into(),
            severity: Severity::Warning,
            message,
            span: None,
        }));
        Looked { findings, stub, shape: guard::python::shape(code).map(|hash| hash.to_string()) }
    }

    /// Has tests written by a model that sees the task and what the code offers. What cannot be executed is left out.
    async fn test(&mut self, code: &str) -> Result<Outcome, Problem> {
        let offered = guard::python::interface(code);
        if offered.is_empty() {
            return Ok(Outcome::Tested);
        }
        let request = self.prompts.tests(&offered, &self.checks.module);
        let Some(reply) = self.replies.ask(self.run, &request, |_| {}).await? else {
            return Ok(Outcome::Spent(self.replies.exhausted()));
        };
        let (_, tests) = agent::read_program(&reply.text);
        let tests = tests.filter(|tests| guard::python::tests_at_least(tests) > 0 && !tests.contains("pytest"));
        self.self_tests = tests.and_then(|tests| guard::python::check(&tests, guard::python::Profile::Task).ok());
        Ok(Outcome::Tested)
    }

    async fn execute(&mut self, code: &str) -> Result<Outcome, Problem> {
        let allowed = self.input.consent == Consent::Yes || self.allowed.iter().any(|one| one == code);
        let mut ran = self.execute_once(code, allowed).await?;
        if self.provide(&mut ran).await? {
            ran = self.execute_once(code, allowed).await?;
        }
        Ok(Outcome::Ran(ran))
    }

    async fn execute_once(&mut self, code: &str, allowed: bool) -> Result<Ran, Problem> {
        let held = Held { checks: &self.checks, self_tests: self.self_tests.as_ref() };
        let own = self.packages.sandbox.as_ref();
        execute::execute(self.run, self.context, own, &held, (code, allowed)).await
    }

    /// What the end of the loop means.
    async fn conclude(mut self, machine: &Machine, end: &End) -> Result<Finish, Problem> {
        let problem = match end {
            End::Spent(why) if machine.tried().is_empty() => {
                return Err(Problem::new(Code::BudgetExhausted, why.clone()));
            }
            End::Spent(why) => Some(Problem::new(Code::BudgetExhausted, why.clone()).in_run(self.run.id())),
            _ => None,
        };
        let verdict = match end {
            End::Verified => SolutionVerdict::Verified,
            End::NoEvidence => SolutionVerdict::NoEvidence,
            End::Failed | End::Spent(_) => SolutionVerdict::Failed,
        };
        let code = match verdict {
            SolutionVerdict::Verified => machine.tried().last().map(|last| last.code.clone()),
            _ => machine.best().map(|best| best.code.clone()),
        };
        let written = self.keep(verdict, code.as_deref()).await?;
        let lessons = match self.input.no_memory {
            true => SolutionLessons::default(),
            false => {
                let lessons = std::mem::take(&mut self.lessons);
                lessons.learn(self.run, &self.input.task, &self.checks.hash(), (machine, end)).await?
            }
        };
        let state = self.state(machine);
        let last = machine.tried().last();
        let evidence = match verdict {
            SolutionVerdict::Verified => last,
            _ => machine.best().or(last),
        };
        let solution = Solution {
            run: self.run.id().clone(),
            status: if verdict == SolutionVerdict::Failed { SolutionStatus::Failed } else { SolutionStatus::Finished },
            verdict,
            task: state.task,
            plan: if state.plan.is_empty() { vec![self.checks.plan()] } else { state.plan },
            code,
            file_path: state.file_path,
            written,
            iteration: state.iteration,
            max_iterations: state.max_iterations,
            evidence: evidence.map(|tried| tried.evidence.clone()).unwrap_or_default(),
            history: state.history,
            lessons,
            model: SolutionModel {
                name: self.input.model.as_ref().map(|model| model.name.clone()),
                cost: self.replies.spent().clone(),
            },
            problem,
        };
        let document = solution.to_json();
        Ok(if verdict == SolutionVerdict::Verified {
            Finish::succeeded(document)
        } else {
            not_verified(verdict, document)
        })
    }

    /// Keeps the code with the run, and writes the user's file where that is right; gives whether it did.
    async fn keep(&mut self, verdict: SolutionVerdict, code: Option<&str>) -> Result<bool, Problem> {
        let Some(code) = code else { return Ok(false) };
        let text = if code.ends_with('\n') { code.to_string() } else { format!("{code}\n") };
        self.run.add_artifact("solution.py", "text/x-python", text.clone().into_bytes()).await?;
        let may = match verdict {
            SolutionVerdict::Verified => true,
            SolutionVerdict::NoEvidence => self.input.consent == Consent::Yes,
            SolutionVerdict::Failed => false,
        };
        let may = may || (verdict == SolutionVerdict::NoEvidence && self.input.consent == Consent::Ask);
        let Some(file) = self.input.file.as_ref().filter(|_| may) else { return Ok(false) };
        if self.input.consent == Consent::Ask {
            let unproven = if verdict == SolutionVerdict::Verified { "" } else { ", which nothing says is right" };
            let detail = format!("write the program{unproven}, to `{}`, over what is there", file.path.display());
            if !self.run.wait("write_file", &detail).await? {
                return Ok(false);
            }
        }
        file::write(self.run, file, &text).await?;
        Ok(true)
    }
}

/// A solution without evidence is finished, one that failed is not.
fn not_verified(verdict: SolutionVerdict, document: Value) -> Finish {
    match verdict {
        SolutionVerdict::NoEvidence => Finish::rejected(document),
        _ => Finish::failed(document),
    }
}
