//! What a reading costs: a closed set of features, each with a hand-set weight.
//!
//! A weight is the log of how much less likely a reading becomes by the feature, so that costs add up and
//! `exp(-cost)` is a confidence.

/// What can speak against a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// A name, value, period or comparison of the question: fewer and longer ones explain it better.
    Mention,
    /// A name was matched by a part of it.
    PartialName,
    /// The part of a name that was matched only says what kind of number it is.
    VaguePart,
    /// A name was matched by another word of the same class.
    Synonym,
    /// A cell was matched by a part or another form of its text.
    LooseValue,
    /// A name was matched through its stem.
    StemmedName,
    /// A word was read as a cell although the dataset also uses it as a name.
    ValueOverName,
    /// A verb that also names a date was read as a cell although a period follows it.
    ValueBesidePeriod,
    /// A two-valued column was read as a noun.
    FlagAsNoun,
    /// A word was read as the rows of a table although a number column has the same name.
    ThingOverColumn,
    /// "Total" was read as a count.
    SumOfRows,
    /// The aggregate was not said.
    ImpliedAggregate,
    /// "How long" was read as an average over rows.
    ImpliedAverage,
    /// The column was not said, only its unit.
    ImpliedColumn,
    /// The name of a measure was read as its column.
    MeasureAsColumn,
    /// Which of several dates is meant was not said.
    ImpliedDate,
    /// A link between tables was followed.
    Hop,
    /// Rows are asked about through rows on the many side of a link.
    Exists,
    /// Things are counted by their key in another table than their own.
    CountedElsewhere,
    /// A declared measure is computed at another grain than its natural one.
    OtherGrain,
    /// What to list was not said.
    ImpliedList,
    /// Rows are named without a word that asks: to list them, or how many there are.
    UnaskedList,
    /// How many was not said.
    ImpliedNumber,
    /// A word that the dataset does not use was taken for the rows of its only table.
    AssumedNoun,
    /// A thing with several rows was taken to match if any of them does.
    AnyRow,
    /// The words leave a choice that is reported as an assumption.
    OpenChoice,
    /// Things without a row are not among the groups that are counted.
    LeftOut,
    /// A word that restricts nothing was passed.
    IdleWord,
    /// Another column fits the same words, only less closely.
    Rival,
}

impl Feature {
    /// The weight, in the order of the definition above.
    pub fn weight(self) -> f64 {
        match self {
            Feature::Mention => 0.01,
            Feature::PartialName => 0.15,
            Feature::VaguePart => 0.0,
            Feature::Synonym => 0.18,
            Feature::LooseValue => 0.15,
            Feature::StemmedName => 0.03,
            Feature::ValueOverName => 0.10,
            Feature::ValueBesidePeriod => 0.50,
            Feature::FlagAsNoun => 0.02,
            Feature::ThingOverColumn => 0.60,
            Feature::SumOfRows => 0.25,
            Feature::ImpliedAggregate => 0.15,
            Feature::ImpliedAverage => 0.15,
            Feature::ImpliedColumn => 0.10,
            Feature::MeasureAsColumn => 0.30,
            Feature::ImpliedDate => 0.05,
            Feature::Hop => 0.03,
            Feature::Exists => 0.12,
            Feature::CountedElsewhere => 0.15,
            Feature::OtherGrain => 0.05,
            Feature::ImpliedList => 0.05,
            Feature::UnaskedList => 0.0,
            Feature::ImpliedNumber => 0.10,
            Feature::AssumedNoun => 0.05,
            Feature::AnyRow => 0.02,
            Feature::OpenChoice => 0.10,
            Feature::LeftOut => 0.0,
            Feature::IdleWord => 0.05,
            Feature::Rival => 0.0,
        }
    }

    /// Whether a reading with it must not be called verified.
    pub fn leaves_open(self) -> bool {
        matches!(
            self,
            Feature::OpenChoice
                | Feature::LeftOut
                | Feature::IdleWord
                | Feature::Rival
                | Feature::Synonym
                | Feature::VaguePart
                | Feature::LooseValue
                | Feature::ImpliedAggregate
                | Feature::ImpliedAverage
                | Feature::UnaskedList
                | Feature::ImpliedNumber
                | Feature::AssumedNoun
                | Feature::AnyRow
        )
    }
}

/// A reading with less is refused.
pub const CONFIDENCE_MIN: f64 = 0.5;

/// Two different readings that are closer than this are ambiguous.
pub const MARGIN_MIN: f64 = 0.10;

/// The cost of a list of features.
pub fn cost(features: &[Feature]) -> f64 {
    features.iter().map(|feature| feature.weight()).sum()
}

/// How closely names were matched, as a set of features: what is built of a draft depends on that, and on no other feature.
pub fn fit_of_names(features: &[Feature]) -> u32 {
    use Feature::{AssumedNoun, PartialName, Synonym, VaguePart};
    let fits = features.iter().filter(|feature| matches!(feature, AssumedNoun | PartialName | Synonym | VaguePart));
    fits.fold(0, |set, feature| set | 1 << *feature as u32)
}

/// The confidence in a reading of that cost.
pub fn confidence(cost: f64) -> f64 {
    (-cost).exp()
}
