//! Whether the tables hold what a question speaks of, asked before a program is begun for the model: who goes on with a
//! program cannot say that there is nothing to compute it from.
//!
//! Asked only where the planner finds words in the question that name no column, no value and nothing declared, which no note
//! has either and which are no words for computing; refused only where the model names no column then. Neither sign is enough
//! alone: a small model that is asked for a skewness says that no column holds one.

use base::Problem;
use planner::{Outcome, Reason};

use super::Asking;
use super::sample::Sample;

const TOKENS_MAX: u32 = 24;
/// How a model says that no column has it.
const NONE: &str = "none";
/// How words begin that say how something is computed or told, and not what: they need no column.
const COMPUTING: &str = "\
    accura anomal anova autocorrel bootstrap calculat chi-squ classif cluster coeffic column comput confiden \
    constraint correl covar cumul dataset decile decimal determin deviat distribut entrop equal estimat exponent \
    forecast formula freedom frequen gini group histogram hypoth imput intercept interquart iqr kendall kurt linear \
    mean median missing moving mse normal null outlier p-value pandas pearson percent pivot predict probab pvalue \
    python quantile quartile quintile random range regress resid rmse rolling round signific skew slope smooth \
    spearman spread sql squared standard statist strong t-test table threshold trend ttest value varia z-score \
    zscore";

impl Asking<'_> {
    /// Why the tables cannot answer, if it shows.
    pub async fn missing(&mut self) -> Result<Option<String>, Problem> {
        if self.unknown.is_empty() {
            return Ok(None);
        }
        let mut request = self.prompts.holds();
        request.output_tokens_max = TOKENS_MAX;
        let Some(reply) = self.ask(&request, "plan").await? else { return Ok(None) };
        let said = reply.text.to_lowercase();
        let names_one = self.prompts.names_a_column(&said.replace(NONE, " "));
        Ok((said.contains(NONE) && !names_one).then(|| format!("nothing in it is called {}", told(&self.unknown))))
    }
}

/// The words of a question that name nothing here and are not about computing, in its order.
pub fn unknown_words(index: &planner::Index, question: &str, sample: &Sample) -> Vec<String> {
    let Outcome::Refusal(refusal) = planner::plan_with(index, question) else { return Vec::new() };
    if !matches!(refusal.reason, Reason::UnknownWord | Reason::NoData | Reason::NotAboutData) {
        return Vec::new();
    }
    let noted = sample.notes.join(" ").to_lowercase();
    let names_nothing = |word: &String| {
        let word = word.to_lowercase();
        !noted.contains(&word) && !is_about_computing(&word)
    };
    refusal.words.into_iter().filter(names_nothing).collect()
}

fn is_about_computing(word: &str) -> bool {
    COMPUTING.split_whitespace().any(|begin| word.starts_with(begin))
}

fn told(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_computing_need_no_column() {
        for word in ["skewness", "correlation", "kurtosis", "standardized", "regression", "p-value"] {
            assert!(is_about_computing(word), "{word}");
        }
        for word in ["rainfall", "supplier", "salary", "refunds", "profit", "age"] {
            assert!(!is_about_computing(word), "{word}");
        }
    }
}
