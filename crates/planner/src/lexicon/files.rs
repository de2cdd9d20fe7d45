//! Lines of the lexicon's files, each read into what it says. A line that says nothing is none; a test holds that there
//! is no such line.

use data::chart::Wish;
use data::plan::{Agg, ComputeOp, Dir, Grain, Part, Test};

use super::{Adjective, Ask, CellWords, Comparative, Concept, Entity, Glue, Role, Unit, Words};

/// The lines of a lexicon file that are not comments.
pub fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The fields of a line, where it has as many as it should.
pub fn fields<const N: usize>(line: &'static str) -> Option<[&'static str; N]> {
    line.split('\t').collect::<Vec<_>>().try_into().ok()
}

/// The phrases of a field; `-` stands for none.
pub fn alternatives(phrases: &'static str) -> impl Iterator<Item = &'static str> {
    phrases.split('|').map(str::trim).filter(|phrase| !phrase.is_empty() && *phrase != "-")
}

/// A line of two lists.
pub fn two_lists(line: &'static str) -> Option<(Words, Words)> {
    let [first, second] = fields(line)?;
    Some((alternatives(first).collect(), alternatives(second).collect()))
}

/// A line of a word and a list.
pub fn word_and_list(line: &'static str) -> Option<(&'static str, Words)> {
    let [word, list] = fields(line)?;
    Some((word, alternatives(list).collect()))
}

pub fn adjective(line: &'static str) -> Option<(&'static str, Adjective)> {
    let [phrase, number_dir, number_words, date_dir, date_words] = fields(line)?;
    let part = |dir, words| Some((direction(dir)?, alternatives(words).map(str::to_string).collect()));
    let numbers = part(number_dir, number_words).into_iter().collect();
    Some((phrase, Adjective { numbers, date: part(date_dir, date_words) }))
}

pub fn valence(line: &'static str) -> Option<(Dir, Words)> {
    let (dir, words) = word_and_list(line)?;
    Some((direction(dir)?, words))
}

pub fn concept(line: &'static str) -> Option<Concept> {
    let (words, columns) = two_lists(line)?;
    let name = |phrase: &'static str| phrase.split(' ').collect();
    Some(Concept { words, columns: columns.into_iter().map(name).collect() })
}

pub fn cell_words(line: &'static str) -> Option<CellWords> {
    let [columns, spellings, words] = fields(line)?.map(|field| alternatives(field).collect());
    Some(CellWords { columns, spellings, words })
}

pub fn entity(line: &'static str) -> Option<Entity> {
    let [class, lists @ ..] = fields::<4>(line)?;
    let [generic, kinds, evidence] = lists.map(|list| alternatives(list).collect());
    Some(Entity { class, generic, kinds, evidence })
}

pub fn comparative(line: &'static str) -> Option<(&'static str, Comparative)> {
    let [phrase, test, words] = fields(line)?;
    let test = Test::ALL.iter().copied().find(|known| known.as_str() == test)?;
    Some((phrase, (test, alternatives(words).collect())))
}

pub fn unit(line: &'static str) -> Vec<(&'static str, Unit)> {
    let Some([name, factor, family, spellings]) = fields(line) else { return Vec::new() };
    let unit = Unit { name, family, factor: factor.parse().unwrap_or(1.0) };
    alternatives(spellings).map(|spelling| (spelling, unit.clone())).collect()
}

pub fn direction(word: &str) -> Option<Dir> {
    Dir::ALL.iter().copied().find(|dir| dir.as_str() == word)
}

pub fn role(name: &str, argument: &str) -> Option<Role> {
    let grain = || Grain::ALL.iter().copied().find(|grain| grain.as_str() == argument);
    let test = || Test::ALL.iter().copied().find(|test| test.as_str() == argument);
    Some(match name {
        "ask" => Role::Ask(match argument {
            "what" => Ask::What,
            "which" => Ask::Which,
            "who" => Ask::Who,
            "when" => Ask::When,
            _ => Ask::List,
        }),
        "count" => Role::Count,
        "much" => Role::Much,
        "distinct" => Role::Distinct,
        "share" => Role::Share,
        "distribution" => Role::Distribution,
        "agg" => Role::Agg(Agg::ALL.iter().copied().find(|agg| agg.as_str() == argument)?),
        "percentile" => Role::Percentile,
        "extreme" => Role::Extreme(direction(argument)?),
        "amount" => Role::Amount(direction(argument)?),
        "recent" => Role::Recent(direction(argument)?),
        "top" => Role::Top(direction(argument)?),
        "extent" => Role::Extent(direction(argument)?),
        "frequent" => Role::Frequent(direction(argument)?),
        "terms" => Role::Terms,
        "with_number" => Role::WithNumber,
        "neutral" => Role::Neutral,
        "measured" => Role::Measured,
        "pronoun" => Role::Pronoun,
        "typically" => Role::Typically,
        "light" => Role::Light,
        "changed" => Role::Changed,
        "absent" => Role::Absent,
        "purpose" => Role::Purpose,
        "still" => Role::Still,
        "extent_verb" => Role::ExtentVerb,
        "among" => Role::Among,
        "sort" => Role::Sort,
        "direction" => Role::Direction(direction(argument)?),
        "limit" => Role::Limit,
        "compare" => Role::Compare(test()?),
        "between" => Role::Between,
        "after_compare" => Role::AfterCompare(test()?),
        "group" => {
            if argument == "by" {
                Role::GroupBy
            } else {
                Role::GroupPer
            }
        }
        "each" => Role::Each,
        "adjective" => Role::Adjective(grain()?),
        "grain" => Role::Grain(grain()?),
        "part" => Role::Part(Part::ALL.iter().copied().find(|part| part.as_str() == argument)?),
        "over_time" => Role::OverTime,
        "series" => Role::Series(ComputeOp::ALL.iter().copied().find(|op| op.as_str() == argument)?),
        "not" => Role::Not,
        "lack" => Role::Lack,
        "failed" => Role::Failed,
        "and" => Role::And,
        "or" => Role::Or,
        "versus" => Role::Versus,
        "chart" => Role::Chart(Wish::ALL.iter().copied().find(|wish| wish.as_str() == argument)?),
        "trend" => Role::Trend,
        "rows" => Role::Rows,
        "link" => Role::Link,
        "created" => Role::Created,
        "available" => Role::Available(argument == "some"),
        "rate" => Role::Rate,
        "numbered" => Role::Numbered,
        "write" => Role::Write,
        "unsupported" => Role::Unsupported,
        "vague" => Role::Vague,
        "glue" => Role::Glue(match argument {
            "det" => Glue::Determiner,
            "be" => Glue::Be,
            "have" => Glue::Have,
            "rel" => Glue::Relative,
            "aux" => Glue::Auxiliary,
            "prep" => Glue::Preposition,
            "noun" => Glue::Noun,
            _ => Glue::Other,
        }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_every_file_is_understood() {
        for line in lines(include_str!("../../lexicon/words.tsv")) {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!(fields.len(), 3, "{line}");
            assert!(role(fields[0], fields[1]).is_some(), "{line}");
        }
        assert!(lines(include_str!("../../lexicon/adjectives.tsv")).all(|line| adjective(line).is_some()));
        assert!(lines(include_str!("../../lexicon/comparatives.tsv")).all(|line| comparative(line).is_some()));
        assert!(lines(include_str!("../../lexicon/entities.tsv")).all(|line| entity(line).is_some()));
        assert!(lines(include_str!("../../lexicon/abbreviations.tsv")).all(|line| word_and_list(line).is_some()));
        assert!(lines(include_str!("../../lexicon/valence.tsv")).all(|line| valence(line).is_some()));
        assert!(lines(include_str!("../../lexicon/extents.tsv")).all(|line| word_and_list(line).is_some()));
        assert!(lines(include_str!("../../lexicon/unit_nouns.tsv")).all(|line| word_and_list(line).is_some()));
        assert!(lines(include_str!("../../lexicon/sole_nouns.tsv")).all(|line| word_and_list(line).is_some()));
        assert!(lines(include_str!("../../lexicon/concepts.tsv")).all(|line| concept(line).is_some()));
        assert!(lines(include_str!("../../lexicon/opposites.tsv")).all(|line| two_lists(line).is_some()));
        assert!(lines(include_str!("../../lexicon/cells.tsv")).all(|line| cell_words(line).is_some()));
        assert!(lines(include_str!("../../lexicon/units.tsv")).all(|line| !unit(line).is_empty()));
    }
}
