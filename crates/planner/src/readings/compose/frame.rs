//! What a question asks for, while its phrases are read: the draft so far and the words that wait for others.

use crate::index::{ColId, ThingId};
use crate::lexicon::Ask;
use data::plan::{Agg, Test};

use super::super::Parser;
use crate::draft::{Amount, Columns, Condition, Draft, Filter, Having, Head, Rank, RankKind, Target};
use crate::score::Feature;

/// A draft in the making.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    pub draft: Draft,
    /// A word that waits for a name.
    pub wanted: Option<Wanted>,
    /// Aggregates that wait for their number.
    pub aggs: Vec<Agg>,
    /// Whether a negation waits for its condition.
    pub denied: bool,
    /// How many are wanted of what is named next.
    pub number: Option<u32>,
    /// The dates that a deed names, which a period may be about.
    pub event: Option<Columns>,
    pub last: Last,
    /// The rows that a verb is about: hires of what is hired.
    pub deed: Option<ThingId>,
    /// Whether two sides are compared by how high a number stands.
    pub graded: bool,
    /// The place that is asked for of a row, and its date.
    pub row_of: Option<Columns>,
    pub date_of: Option<Columns>,
    /// Whether the better end of a number decides.
    pub better: bool,
    /// Whether what holds now is asked about, which a condition has to say.
    pub still: bool,
    /// Whether `or` came just before.
    pub either: bool,
}

/// What waits for a name or for a number.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// `how many`.
    Counted,
    /// `how much`.
    Much,
    /// `share of`.
    Shared,
    /// `by`: a kind, or what things are ranked by.
    By,
    /// `by number of`: what things are ranked by.
    ByNumber,
    /// `per`, `each`: a kind.
    Per,
    /// `more than 5`: of what.
    Compared(Test, Vec<Amount>),
    /// The name of a number before its comparison.
    Comparison(Columns, Vec<Feature>),
    /// The name of a kind before its value.
    Cell(Columns, Vec<Feature>),
    /// `without`, `no`: what is not there.
    Lacking,
}

/// What was read last, for the word after `and`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Last {
    #[default]
    Other,
    Group,
    Head,
    Value,
    /// A value that says what was done.
    State,
}

impl Frame {
    /// The frame after one more phrase with a meaning of its own.
    pub fn with(&self, last: Last, change: impl FnOnce(&mut Frame)) -> Frame {
        let mut next = self.clone();
        next.draft.features.push(Feature::Mention);
        change(&mut next);
        next.draft.joined = false;
        next.either = false;
        next.last = last;
        next
    }

    /// The frame with one more condition; a negation that waits is said of it.
    pub fn conditioned(&self, condition: Condition, features: &[Feature]) -> Frame {
        self.with(Last::Other, |next| {
            let negated = std::mem::take(&mut next.denied);
            next.draft.features.extend_from_slice(features);
            let zone = next.draft.zone();
            next.draft.filters.push(Filter { condition, negated, zone });
        })
    }

    /// Whether nothing waits that a condition would come between.
    pub fn is_free(&self) -> bool {
        !matches!(
            self.wanted,
            Some(Wanted::Comparison(..) | Wanted::Cell(..) | Wanted::Lacking | Wanted::Compared(..) | Wanted::Per)
        )
    }

    /// Whether a ranking waits for what decides it.
    pub fn ranks(&self) -> bool {
        self.draft.rank.as_ref().is_some_and(|rank| rank.open)
    }

    /// The draft, if nothing waits any longer.
    pub fn finished(mut self, parser: &Parser) -> Option<Draft> {
        let only_rows = |frame: &Frame| frame.draft.heads.is_empty() && !frame.draft.filters.is_empty();
        match self.wanted.take() {
            None => {}
            // "How many went for more than that": the rows that can be meant.
            Some(Wanted::Counted) if only_rows(&self) => {
                self.draft.heads.push(Head::count_of(Target::Rows));
                self.draft.features.push(Feature::ImpliedList);
            }
            // "How much have we collected": the only amount of money there is.
            Some(Wanted::Much) if self.draft.heads.is_empty() => {
                let amounts = parser.index.columns_called("money");
                let [amount] = amounts[..] else { return None };
                self.draft.heads.push(Head { amount: true, ..Head::plain(Target::Columns(vec![amount])) });
                self.draft.features.push(Feature::Synonym);
            }
            Some(_) => return None,
        }
        if !self.aggs.is_empty() || self.better || self.denied || self.number.is_some() {
            return None;
        }
        let told = self.draft.heads.iter().any(|head| head.agg.is_some());
        if self.still && self.draft.filters.is_empty()
            || parser.word(0) == "list" && told && self.draft.groups.is_empty()
        {
            return None;
        }
        if self.counts_what_was_done() {
            return None;
        }
        if self.draft.ask == Some(Ask::Who) && !self.tells_persons(parser) || self.counts_visitors(parser) {
            return None;
        }
        if self.ranks() && !self.draft.ranks_by_share() && !self.ranks_rows(parser) {
            return None;
        }
        self.compare_groups();
        self.count_own_rows(parser);
        self.tell_place_and_time(parser)?;
        if self.graded {
            let counted = |head: &Head| head.target.is_rows();
            if self.draft.heads.is_empty() || self.draft.heads.iter().any(counted) {
                return None;
            }
            let open = self
                .draft
                .heads
                .iter_mut()
                .filter(|head| head.agg.is_none() && matches!(head.target, Target::Columns(_)));
            open.for_each(|head| (head.agg, head.amount) = (Some(Agg::Avg), false));
        }
        // "Loans due" are some of them.
        let due = |id: &ColId| {
            let words = &parser.index.facts(*id).words;
            words.iter().any(|word| parser.index.lexicon.is_elsewhen(word))
        };
        let timed = self.draft.filters.iter().any(|filter| matches!(filter.condition, Condition::Time { .. }));
        if !timed && self.event.as_ref().is_some_and(|event| event.iter().any(due)) {
            return None;
        }
        if self.event_is_elsewhere(parser) {
            return None;
        }
        self.place_in_time(parser);
        self.deny_of_all(parser);
        if self.denies_of_many(parser) {
            return None;
        }
        self.draft.lenient = true;
        self.draft.features.push(Feature::OpenChoice);
        self.draft.granted.push(crate::Assumption {
            code: "free_order".to_string(),
            text: "the parts of the question are put together by what they can be said of, not by their order"
                .to_string(),
        });
        let asked = !self.draft.heads.is_empty() || self.draft.rank.is_some() || !self.draft.filters.is_empty();
        asked.then_some(self.draft)
    }

    /// `how many grades have an average weight above 5`: what is compared is the number of each group, not of its rows.
    fn compare_groups(&mut self) {
        let [Head { agg: Some(Agg::Count), .. }, told] = &self.draft.heads[..] else { return };
        let (Some(_), Target::Columns(named)) = (told.agg, &told.target) else { return };
        let is_compared = |filter: &Filter| match &filter.condition {
            Condition::Compare { columns, .. } => columns == named && !filter.negated,
            _ => false,
        };
        let Some(at) = self.draft.filters.iter().position(is_compared) else { return };
        let head = self.draft.heads.remove(1);
        if let Condition::Compare { test, amounts, .. } = self.draft.filters.remove(at).condition {
            self.draft.having.push(Having { head, kind: Vec::new(), test, amounts });
        }
    }

    /// Whether all that is said of what is counted is a verb: how many products were sold, the share of lots that were.
    fn counts_what_was_done(&self) -> bool {
        let counted = matches!(self.draft.heads[..], [Head { agg: Some(Agg::Count), .. }]);
        let passed = self.draft.granted.iter().any(|granted| granted.code == "idle_word");
        let alone = self.draft.filters.is_empty() && self.draft.groups.is_empty() && self.draft.having.is_empty();
        let shared = self.draft.share && passed && self.draft.filters.is_empty();
        counted && passed && alone && self.draft.rank.is_none() || shared
    }

    /// Whether what is listed are persons.
    fn tells_persons(&self, parser: &Parser) -> bool {
        let persons = super::steps::persons(parser);
        self.draft.heads.first().is_none_or(|head| Some(&head.target) == persons.as_ref())
    }

    /// Whether persons are counted by rows of something else that they did, though the verb says another deed: who walked in is
    /// not who borrowed.
    fn counts_visitors(&self, parser: &Parser) -> bool {
        let index = parser.index;
        let Some(Head { target: Target::Thing(thing), agg: Some(Agg::Count), .. }) = self.draft.heads.first() else {
            return false;
        };
        let own = index.things[*thing].table;
        let person = index.lexicon.is_person(&index.things[*thing].noun);
        let passed = self.draft.granted.iter().any(|granted| granted.code == "idle_word");
        let elsewhere = |filter: &Filter| match &filter.condition {
            Condition::Values { cells, .. } => cells.iter().all(|(id, _)| Some(id.table) != own),
            Condition::Time { .. } => own.is_some(),
            _ => false,
        };
        person && passed && self.deed.is_none() && self.event.is_none() && self.draft.filters.iter().any(elsewhere)
    }

    /// `who came in the most`: ranked by how often.
    fn ranks_rows(&mut self, parser: &Parser) -> bool {
        let Some(rank) = &mut self.draft.rank else { return false };
        let subject = match &self.draft.heads[..] {
            [Head { target, agg: None, .. }] => target.clone(),
            _ => return false,
        };
        // "Top 3 diagnoses" are those that most rows have.
        let kinds = matches!(&subject, Target::Columns(columns) if columns.iter().all(|id| !parser.index.column(*id).ty.is_number()));
        let top = rank.kind == RankKind::Top && (0..parser.tokens.len()).any(|at| parser.word(at) == "top");
        if rank.kind != RankKind::Amount && !(top && kinds) {
            return false;
        }
        let tables: Vec<usize> = match &subject {
            Target::Columns(columns) => columns.iter().map(|id| id.table).collect(),
            Target::Thing(thing) => parser.index.things[*thing].keys.iter().map(|key| key.table).collect(),
            _ => return false,
        };
        let own = match &subject {
            Target::Thing(thing) => parser.index.things[*thing].table,
            _ => None,
        };
        let mut rows: Vec<usize> = tables.into_iter().filter(|table| Some(*table) != own).collect();
        rows.sort_unstable();
        rows.dedup();
        let told = match rows[..] {
            [table] => parser.index.rows_of(table),
            _ => None,
        };
        // "Which model brought in the most" asks for money.
        let money = |at: usize| {
            let word = parser.word(at);
            matches!(
                word,
                "brought"
                    | "bring"
                    | "brings"
                    | "earned"
                    | "earn"
                    | "earns"
                    | "made"
                    | "makes"
                    | "cost"
                    | "costs"
                    | "spent"
                    | "spend"
                    | "spends"
                    | "paid"
            )
        };
        if (0..parser.tokens.len()).any(money) {
            return false;
        }
        let Some(thing) = self.deed.or(told) else { return false };
        *rank = Rank { by: Some(Head::counted(thing)), open: false, ..rank.clone() };
        self.draft.features.push(Feature::OpenChoice);
        true
    }

    /// `sensors that had no anomaly`: of none of its rows, where each of its rows is one of many.
    fn deny_of_all(&mut self, parser: &Parser) {
        let index = parser.index;
        let [Head { target: Target::Thing(thing), .. }] = self.draft.heads[..] else { return };
        let own = index.things[thing].table;
        let many = |id: &ColId| match own {
            Some(own) => id.table != own && index.schema.hops(id.table, own).is_some(),
            None => index.things[thing].keys.iter().any(|key| key.table == id.table),
        };
        let denied = |filter: &Filter| match &filter.condition {
            Condition::Values { cells, .. } => {
                filter.negated && cells.len() == 1 && cells.iter().all(|(id, _)| many(id))
            }
            Condition::Flag(columns) => filter.negated && columns.len() == 1 && columns.iter().all(many),
            _ => false,
        };
        let Some(at) = self.draft.filters.iter().position(denied) else { return };
        let table = match &self.draft.filters[at].condition {
            Condition::Values { cells, .. } => cells[0].0.table,
            Condition::Flag(columns) => columns[0].table,
            _ => return,
        };
        let Some(rows) = index.rows_of(table) else { return };
        let alone = self
            .draft
            .filters
            .iter()
            .enumerate()
            .all(|(i, filter)| i == at || matches!(filter.condition, Condition::Time { .. }));
        if !alone || !self.draft.having.is_empty() || !self.draft.groups.is_empty() || self.draft.rank.is_some() {
            return;
        }
        let positive = Filter { negated: false, ..self.draft.filters.remove(at) };
        if own.is_some() {
            let zone = positive.zone;
            let times = std::mem::take(&mut self.draft.filters);
            self.draft.filters.push(Filter { condition: Condition::Related(rows), negated: true, zone });
            self.draft.filters.push(positive);
            self.draft.filters.extend(times);
        } else {
            let kind = vec![positive];
            let amounts = vec![Amount::bare(0.0)];
            self.draft.having.push(Having { head: Head::counted(rows), kind, test: Test::Eq, amounts });
        }
        self.draft.granted.push(crate::Assumption {
            code: "none_of_its_rows".to_string(),
            text: "what is denied is denied of all its rows".to_string(),
        });
    }

    /// Whether something is denied of rows of which what is asked for has several: of one of them, or of all?
    fn denies_of_many(&self, parser: &Parser) -> bool {
        let index = parser.index;
        let [Head { target, .. }] = &self.draft.heads[..] else { return false };
        let own = match target {
            Target::Thing(thing) => index.things[*thing].table,
            Target::Columns(columns) if columns.iter().all(|id| !index.column(*id).ty.is_number()) => None,
            _ => return false,
        };
        let elsewhere = |tables: Vec<usize>| {
            tables
                .into_iter()
                .all(|table| own.is_none_or(|own| own != table && index.schema.hops(own, table).is_none()))
        };
        let denied = |filter: &Filter| match &filter.condition {
            Condition::Values { cells, .. } if filter.negated => {
                elsewhere(cells.iter().map(|(id, _)| id.table).collect())
            }
            Condition::Flag(columns) if filter.negated => elsewhere(columns.iter().map(|id| id.table).collect()),
            Condition::Missing(columns) if !filter.negated => elsewhere(columns.iter().map(|id| id.table).collect()),
            _ => false,
        };
        self.draft.filters.iter().any(denied)
    }

    /// `where was it highest`: the place and the date of the row are what is listed.
    fn tell_place_and_time(&mut self, parser: &Parser) -> Option<()> {
        if self.row_of.is_none() && self.date_of.is_none() {
            return Some(());
        }
        let by = match &self.draft.rank {
            Some(Rank { by: Some(Head { target: Target::Columns(columns), agg: None, .. }), .. }) => columns.clone(),
            _ => return None,
        };
        let table = by.first()?.table;
        let rows = parser.index.rows_of(table)?;
        let own = |columns: &Columns| columns.iter().all(|id| id.table == table);
        let told: Vec<Columns> = self.row_of.take().into_iter().chain(self.date_of.take()).collect();
        if !told.iter().all(own) || !self.draft.heads.iter().all(|head| head.target == Target::Thing(rows)) {
            return None;
        }
        self.draft.heads = told.into_iter().map(|columns| Head::plain(Target::Columns(columns))).collect();
        Some(())
    }

    /// Rows that nothing names, where several tables have some, are those of what is ranked by their number.
    fn count_own_rows(&mut self, parser: &Parser) {
        let Some(rank) = &mut self.draft.rank else { return };
        let Some(Head { target: by @ Target::Rows, .. }) = &mut rank.by else { return };
        let Some(Head { target: Target::Columns(columns), .. }) = self.draft.heads.first() else { return };
        let [column] = columns[..] else { return };
        if let Some(rows) = self.deed.or_else(|| parser.index.rows_of(column.table)) {
            *by = Target::Thing(rows);
        }
    }

    /// Whether a deed is named that rows of another table than that of what is asked for record: a gift is no `comps`.
    fn event_is_elsewhere(&self, parser: &Parser) -> bool {
        let Some(event) = &self.event else { return false };
        let timed = self.draft.filters.iter().any(|filter| matches!(filter.condition, Condition::Time { .. }));
        let compared = |filter: &Filter| match &filter.condition {
            Condition::Compare { columns, .. } => Some(Target::Columns(columns.clone())),
            _ => None,
        };
        let rows = self.draft.heads.iter().any(|head| head.target == Target::Rows);
        let heads = self.draft.heads.iter().map(|head| head.target.clone()).filter(|_| !rows);
        let targets = heads.chain(self.draft.filters.iter().filter_map(compared).filter(|_| rows));
        let tables: Vec<usize> = targets.flat_map(|target| super::named::tables_of(parser.index, &target)).collect();
        !timed && !tables.is_empty() && event.iter().all(|id| !tables.contains(&id.table))
    }

    /// A period is about the deed that was named, and a deed without a period about the rows that have its date.
    fn place_in_time(&mut self, parser: &Parser) {
        let Some(event) = self.event.take() else { return };
        let timed = self.draft.filters.iter_mut().find_map(|filter| match &mut filter.condition {
            Condition::Time { columns: columns @ None, .. } => Some(columns),
            _ => None,
        });
        let grouped = self.draft.groups.iter().any(|group| matches!(group, Target::Grain(_) | Target::Part(_)));
        match timed {
            Some(columns) => *columns = Some(event),
            None if grouped => self.draft.dated = Some(event),
            None if event.iter().all(|id| parser.index.column(*id).nulls == 0) => {}
            None => {
                let zone = self.draft.zone();
                self.draft.filters.push(Filter { condition: Condition::Missing(event), negated: true, zone });
            }
        }
    }
}
