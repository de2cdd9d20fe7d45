//! Documents about plans that are not computed: whether one is valid, its SQL, and the language itself.

use base::{Code, Document, Hash, Problem};
use data::plan::{Plan, PlanProblem};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use tasks::unvalidated;
use warehouse::{DataNames, Prepared, Resolved, Warehouse};

/// Whether a plan is valid, and everything that is wrong with it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlanCheck {
    /// Whether nothing is.
    pub valid: bool,
    /// Each with its place.
    pub problems: Vec<PlanProblem>,
    /// In canonical form; the plan language has a schema of its own.
    #[schemars(with = "Option<Map<String, Value>>")]
    pub plan: Option<Value>,
    /// The hash of the canonical form.
    pub plan_hash: Option<Hash>,
}

impl Document for PlanCheck {
    const KIND: &'static str = "plan_check";
}

/// The SQL of a plan.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlanSql {
    /// Of which engine.
    #[schemars(extend("enum" = ["duckdb"]))]
    pub dialect: &'static str,
    /// The statement.
    pub sql: String,
    /// The hash of the plan's canonical form.
    pub plan_hash: Hash,
}

impl Document for PlanSql {
    const KIND: &'static str = "plan_sql";
}

/// The plan language as JSON Schema.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlanSchema {
    /// Of both forms.
    #[schemars(with = "Map<String, Value>")]
    pub schema: Value,
}

impl Document for PlanSchema {
    const KIND: &'static str = "plan_schema";
}

/// A plan as somebody wrote it, and the data it is about.
#[derive(Clone, Debug)]
pub struct WrittenPlan {
    /// In either form.
    pub plan: Value,
    /// What the dataset is made from; empty where the plan names a dataset.
    pub data: Vec<String>,
}

impl WrittenPlan {
    /// The data as it was named, beside the plan or in it.
    pub fn data(&self) -> Result<Vec<String>, PlanProblem> {
        if !self.data.is_empty() {
            return Ok(self.data.clone());
        }
        match data::plan::dataset_name(&self.plan) {
            Some(name) => Ok(vec![name.to_string()]),
            None => Err(PlanProblem::invalid("/dataset", "the plan does not name its dataset")),
        }
    }

    /// Whether it means something.
    pub async fn check(&self, warehouse: &Warehouse, names: &DataNames) -> Result<PlanCheck, Problem> {
        Ok(match self.read(warehouse, names).await? {
            Ok(plan) => PlanCheck {
                valid: true,
                problems: Vec::new(),
                plan: Some(plan.canonical()),
                plan_hash: Some(plan.hash()),
            },
            Err(problems) => PlanCheck { valid: false, problems, plan: None, plan_hash: None },
        })
    }

    /// Reads it over its data. A dataset that is not there is something wrong with the plan.
    async fn read(&self, warehouse: &Warehouse, names: &DataNames) -> Result<Result<Plan, Vec<PlanProblem>>, Problem> {
        let data = match self.data() {
            Ok(data) => data,
            Err(problem) => return Ok(Err(vec![problem])),
        };
        match prepare(warehouse, names, &data).await {
            Ok(prepared) => Ok(data::plan::read(&self.plan, &prepared.dataset)),
            Err(problem) if problem.code == Code::DatasetUnknown => Ok(Err(vec![PlanProblem {
                path: "/dataset".into(),
                code: problem.code,
                message: problem.message,
                suggestions: base::nearest(&data[0], warehouse.datasets().all_names().iter().map(String::as_str)),
            }])),
            Err(problem) => Err(problem),
        }
    }

    /// Its SQL.
    pub async fn compile(&self, warehouse: &Warehouse, names: &DataNames) -> Result<PlanSql, Problem> {
        let data = self.data().map_err(|problem| unvalidated(vec![problem]))?;
        let prepared = prepare(warehouse, names, &data).await?;
        let plan = data::plan::read(&self.plan, &prepared.dataset).map_err(unvalidated)?;
        let sql = data::compile::duckdb(&plan, &prepared.dataset).map_err(|problem| unvalidated(vec![problem]))?;
        Ok(PlanSql { dialect: "duckdb", sql, plan_hash: plan.hash() })
    }
}

impl PlanSchema {
    /// The language as it is.
    pub fn of_the_language() -> PlanSchema {
        PlanSchema { schema: data::plan::schema() }
    }
}

async fn prepare(warehouse: &Warehouse, names: &DataNames, data: &[String]) -> Result<Prepared, Problem> {
    Resolved::of(warehouse, names.source(data)?).await?.prepare(warehouse).await
}
