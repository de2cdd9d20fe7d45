//! What a name can be in a frame: what is asked for, what it is told by, or a part of a condition.

use base::Type;
use data::plan::{Agg, Test};

use super::super::Parser;
use super::frame::{Frame, Last, Wanted};
use crate::draft::{Amount, Columns, Condition, Filter, Having, Head, Rank, RankKind, Target};
use crate::index::{ColId, Index, ThingId};
use crate::score::Feature;

/// Every frame that a name can make of another.
pub fn added(
    parser: &Parser,
    at: usize,
    end: usize,
    frame: &Frame,
    target: &Target,
    features: &[Feature],
) -> Vec<Frame> {
    let name = Named { parser, at, end, target, features };
    let draft = &frame.draft;
    match &frame.wanted {
        Some(Wanted::By | Wanted::Per) => name.grouped(frame),
        Some(Wanted::ByNumber) => {
            let free = Frame { wanted: None, ..frame.clone() };
            if name.is_thing() && !draft.heads.is_empty() { vec![name.by_count(&free)] } else { Vec::new() }
        }
        Some(Wanted::Compared(test, amounts)) => {
            let free = Frame { wanted: None, ..frame.clone() };
            name.compared(&free, *test, amounts.clone())
        }
        Some(Wanted::Lacking) => name.lacking(&Frame { wanted: None, ..frame.clone() }),
        Some(Wanted::Comparison(..) | Wanted::Cell(..)) => Vec::new(),
        Some(Wanted::Counted) if frame.aggs.is_empty() => name.counted(frame),
        Some(Wanted::Much) => name.amount(frame),
        Some(Wanted::Shared) => name.shared(frame),
        Some(Wanted::Counted) | None => {
            let mut found = Vec::new();
            if draft.joined && frame.last == Last::Group {
                found.extend(name.grouped(frame));
            }
            if frame.ranks() {
                found.extend(name.decisive(frame));
            }
            if !frame.aggs.is_empty() {
                found.extend(name.aggregated(frame));
            }
            // "What share of each officer's tickets": the whole comes after its group.
            if draft.share && draft.heads.is_empty() {
                found.extend(name.shared(frame));
            } else if draft.heads.is_empty() && frame.aggs.is_empty() {
                found.extend(name.head(frame));
            }
            if !draft.heads.is_empty() {
                found.extend(name.beside(frame));
            }
            found
        }
    }
}

struct Named<'a> {
    parser: &'a Parser<'a>,
    at: usize,
    end: usize,
    target: &'a Target,
    features: &'a [Feature],
}

impl Named<'_> {
    fn is_number(&self) -> bool {
        let index = self.parser.index;
        let number = |id: &ColId| {
            let facts = index.facts(*id);
            index.column(*id).ty.is_number() && !facts.identifier && facts.yes.is_none()
        };
        match self.target {
            Target::Columns(columns) => columns.iter().all(number),
            Target::Measure(_) | Target::Elapsed(..) | Target::Formula(_) => true,
            _ => false,
        }
    }

    fn is_thing(&self) -> bool {
        self.target.is_rows()
    }

    fn is_date(&self) -> bool {
        matches!(self.target, Target::Columns(columns) if columns.iter().all(|id| self.parser.index.column(*id).ty.is_temporal()))
    }

    /// `clients who had an appointment`: rows of another table that belong to what is asked about.
    fn is_had(&self, frame: &Frame, thing: ThingId) -> bool {
        let before = self.parser.word_before_determiners(self.at);
        let had = matches!(before, "had" | "have" | "has" | "with" | "made" | "placed" | "having");
        had && !frame.denied && self.is_child(frame.draft.heads.first().map(|head| &head.target), thing)
    }

    /// Whether rows are named by the verb for what was done: "hired", "borrowed".
    fn is_done(&self) -> bool {
        let word = self.parser.word(self.end - 1);
        let past = word.ends_with("ed") || matches!(word, "sold" | "bought" | "lent" | "taken" | "given" | "driven");
        past && self.end == self.at + 1
    }

    /// Whether it is one word that no longer name begins with.
    fn is_longest(&self) -> bool {
        self.end == self.at + 1 && self.parser.mentions.at(self.at).iter().all(|mention| mention.end <= self.end)
    }

    fn plural(&self) -> bool {
        let token = &self.parser.tokens[self.end - 1];
        token.fold != token.singular
    }

    fn with(&self, frame: &Frame, last: Last, change: impl FnOnce(&mut Frame)) -> Frame {
        frame.with(last, |next| {
            next.draft.features.extend_from_slice(self.features);
            change(next);
        })
    }

    /// `by town`, `for each plan`, `by total spend`.
    fn grouped(&self, frame: &Frame) -> Vec<Frame> {
        if self.is_number() {
            let ranked = frame.ranks() && frame.wanted == Some(Wanted::By);
            let free = Frame { wanted: None, ..frame.clone() };
            return if ranked { self.decisive(&free) } else { Vec::new() };
        }
        // "On average per booking": each row is one.
        let per_row = |head: &Head| match (&head.target, self.target) {
            (Target::Columns(columns), Target::Thing(thing)) if head.agg == Some(Agg::Avg) => {
                columns.iter().all(|id| self.parser.index.things[*thing].table == Some(id.table))
            }
            _ => false,
        };
        if frame.draft.heads.iter().any(per_row) {
            return vec![self.with(frame, Last::Other, |next| next.wanted = None)];
        }
        if self.is_date() || frame.draft.groups.contains(self.target) {
            return Vec::new();
        }
        if let Target::Flag(_) = self.target {
            return Vec::new();
        }
        vec![self.with(frame, Last::Group, |next| {
            next.wanted = None;
            next.draft.groups.push(self.target.clone());
        })]
    }

    /// `highest price`, `most orders`: what decides a ranking; or what is ranked.
    fn decisive(&self, frame: &Frame) -> Vec<Frame> {
        let kind = frame.draft.rank.as_ref().map(|rank| rank.kind);
        if frame.better {
            return self.valued(frame).into_iter().collect();
        }
        let by = |agg: Option<Agg>, amount: bool| {
            self.with(frame, Last::Other, |next| {
                next.aggs.clear();
                if let Some(rank) = &mut next.draft.rank {
                    rank.by = Some(Head { agg, amount, ..Head::plain(self.target.clone()) });
                    rank.open = false;
                }
            })
        };
        if self.is_number() {
            let agg = frame.aggs.first().copied();
            // "By money spent": all that was.
            let money = self.features.contains(&Feature::Synonym)
                && kind == Some(RankKind::Top)
                && !frame.draft.heads.is_empty();
            return vec![by(agg, (kind == Some(RankKind::Amount) || money) && agg.is_none())];
        }
        let itself = frame.draft.heads.first().is_some_and(|head| head.target == *self.target);
        if self.is_thing()
            && !itself
            && matches!(kind, Some(RankKind::Amount | RankKind::Top))
            && !frame.draft.heads.is_empty()
        {
            return vec![by(Some(Agg::Count), false)];
        }
        Vec::new()
    }

    /// Ranked by how many there are.
    fn by_count(&self, frame: &Frame) -> Frame {
        self.with(frame, Last::Other, |next| {
            if let Some(rank) = &mut next.draft.rank {
                rank.by = Some(Head::count_of(self.target.clone()));
                rank.open = false;
            }
        })
    }

    /// `the best rating`: the end of a number that is known to be the better one.
    fn valued(&self, frame: &Frame) -> Option<Frame> {
        let Target::Columns(columns) = self.target else { return None };
        let words: Vec<String> = columns.iter().flat_map(|id| self.parser.index.facts(*id).words.clone()).collect();
        let dir = self.parser.index.lexicon.better(&words).filter(|_| self.is_number())?;
        // Of groups the average is better or worse, and not one of their rows.
        let kinds = matches!(frame.draft.heads.first(), Some(Head { target: Target::Columns(_), .. }));
        let agg = frame.aggs.first().copied().or(kinds.then_some(Agg::Avg));
        Some(self.with(frame, Last::Other, |next| {
            next.aggs.clear();
            next.better = false;
            if let Some(rank) = &mut next.draft.rank {
                rank.by = Some(Head { agg, ..Head::plain(self.target.clone()) });
                rank.dir = dir;
                rank.open = false;
            }
        }))
    }

    fn aggregated(&self, frame: &Frame) -> Vec<Frame> {
        if self.is_number() && !frame.ranks() {
            // "Heat pump homes, average usage": what the number is of.
            let scope =
                matches!(&frame.draft.heads[..], [Head { target: Target::Thing(_) | Target::Rows, agg: None, .. }]);
            return vec![self.with(frame, Last::Head, |next| {
                if scope && next.draft.ask.is_none() {
                    next.draft.heads.clear();
                }
                for agg in std::mem::take(&mut next.aggs) {
                    next.draft.heads.push(Head { agg: Some(agg), ..Head::plain(self.target.clone()) });
                }
                // "On average how many goals": the number itself says how many.
                next.wanted = None;
            })];
        }
        // "Average member age": whose.
        if self.is_thing() && frame.draft.heads.is_empty() { vec![self.scoped(frame)] } else { Vec::new() }
    }

    fn scoped(&self, frame: &Frame) -> Frame {
        self.with(frame, Last::Other, |next| next.draft.features.push(Feature::Mention))
    }

    fn counted(&self, frame: &Frame) -> Vec<Frame> {
        let number = self.is_number();
        // What identifies things is not counted; the things are.
        let identifies = |id: &ColId| self.parser.index.facts(*id).identifier;
        if matches!(self.target, Target::Columns(columns) if columns.iter().any(identifies)) {
            return Vec::new();
        }
        // Offers are not what was offered for them.
        let counts = |id: &ColId| {
            self.parser.index.column(*id).ty == Type::Int && !self.parser.index.facts(*id).is_money()
                || self.features.is_empty()
        };
        if number && matches!(self.target, Target::Columns(columns) if !columns.iter().all(counts)) {
            return Vec::new();
        }
        if matches!(self.target, Target::Grain(_) | Target::Part(_)) || self.is_date() || number && !self.plural() {
            return Vec::new();
        }
        vec![self.with(frame, Last::Head, |next| {
            next.wanted = None;
            next.draft.heads.push(Head::count_of(self.target.clone()));
        })]
    }

    fn amount(&self, frame: &Frame) -> Vec<Frame> {
        if !self.is_number() {
            return if self.is_thing() { vec![self.scoped(frame)] } else { Vec::new() };
        }
        vec![self.with(frame, Last::Head, |next| {
            next.wanted = None;
            next.draft.heads.push(Head { amount: true, ..Head::plain(self.target.clone()) });
        })]
    }

    fn shared(&self, frame: &Frame) -> Vec<Frame> {
        let agg = self.is_thing().then_some(Agg::Count);
        if !self.is_thing() && !self.is_number() {
            return Vec::new();
        }
        vec![self.with(frame, Last::Head, |next| {
            next.wanted = None;
            let sum = next.aggs.iter().position(|agg| *agg == Agg::Sum).map(|at| next.aggs.remove(at));
            next.draft.heads.push(Head { agg: agg.or(sum), ..Head::plain(self.target.clone()) });
        })]
    }

    /// The first name of all: what is listed, counted or told.
    fn head(&self, frame: &Frame) -> Vec<Frame> {
        let before = self.parser.word_before_determiners(self.at);
        if frame.draft.rank.is_some() && matches!(before, "has" | "have" | "had") {
            return self.waiting(frame);
        }
        let asked = matches!(before, "which" | "what");
        if matches!(self.target, Target::Grain(_) | Target::Part(_)) && !asked {
            return Vec::new();
        }
        // What is asked for is not when it happened.
        if self.is_date() {
            return Vec::new();
        }
        // What only says yes or no is not ranked or listed.
        if matches!(self.target, Target::Columns(columns) if columns.iter().all(|id| self.parser.index.facts(*id).yes.is_some()))
        {
            return Vec::new();
        }
        // "Apartments above 75 m2 that are not on the standard tariff" are no tariffs.
        let chosen = |filter: &Filter| !matches!(filter.condition, Condition::Time { .. });
        let kind = matches!(self.target, Target::Columns(_)) && !self.is_number();
        if kind && frame.draft.ask.is_none() && frame.draft.filters.iter().any(chosen) {
            return self.waiting(frame);
        }
        // What a ranking waits for is not what is ranked.
        if frame.ranks() && self.is_number() {
            return Vec::new();
        }
        let mut found = vec![self.with(frame, Last::Head, |next| {
            next.draft.heads.push(Head::plain(self.target.clone()));
            let number = next.number.take();
            match &mut next.draft.rank {
                Some(rank) if rank.number.is_none() => rank.number = number,
                _ => next.draft.limit = number.or(next.draft.limit),
            }
        })];
        found.extend(self.waiting(frame));
        found
    }

    /// Whether it names the column that the value just before it is of.
    fn is_kind_of_last_value(&self, frame: &Frame) -> bool {
        let Target::Columns(columns) = self.target else { return false };
        match frame.draft.filters.last().map(|filter| &filter.condition) {
            Some(Condition::Values { cells, .. }) if matches!(frame.last, Last::Value | Last::State) => {
                cells.iter().any(|(id, _)| columns.contains(id))
            }
            _ => false,
        }
    }

    /// Whether the value just before a thing is of rows that it has nothing to do with: "German clients" beside the language
    /// of translators.
    fn is_of_others(&self, frame: &Frame, thing: ThingId) -> bool {
        let index = self.parser.index;
        let adjacent = self.at > 0 && self.parser.mentions.is_data(self.at - 1);
        let Some(table) = index.things[thing].table else { return false };
        match frame.draft.filters.last().map(|filter| &filter.condition) {
            Some(Condition::Values { cells, .. }) if adjacent && frame.last == Last::Value => {
                cells.iter().all(|(id, _)| index.schema.hops(table, id.table).is_none())
            }
            _ => false,
        }
    }

    /// A name after what is asked for.
    fn beside(&self, frame: &Frame) -> Vec<Frame> {
        // "The North zone": the kind that the value before it is of.
        if self.is_kind_of_last_value(frame) {
            return vec![self.scoped(frame)];
        }
        let mut found = self.waiting(frame);
        let head = &frame.draft.heads[0];
        match self.target {
            Target::Thing(thing) if self.is_of_others(frame, *thing) => {}
            Target::Thing(thing) if self.belongs(frame, *thing) => found.push(self.scoped(frame)),
            Target::Thing(thing) if self.is_had(frame, *thing) => {
                found.push(frame.conditioned(Condition::Related(*thing), self.features));
            }
            Target::Thing(thing) if self.is_done() && frame.deed.is_none() => {
                found.push(self.with(frame, Last::Other, |next| {
                    next.deed = Some(*thing);
                    next.draft.predicate = true;
                }));
            }
            Target::Rows => found.push(self.scoped(frame)),
            Target::Columns(columns) => {
                let told = head.agg.is_some() || head.amount;
                let same = head.target == *self.target;
                // "… and how much they spent": the number is asked for, too.
                let decides = |rank: &Rank| rank.by.as_ref().is_some_and(|by| by.target == *self.target);
                if frame.draft.rank.as_ref().is_some_and(decides) {
                    found.push(self.with(frame, Last::Other, |next| next.draft.with_number = true));
                }
                // "Units of Toys sold": said once more.
                if same {
                    found.push(self.scoped(frame));
                } else if frame.draft.joined && frame.last == Last::Head && (self.is_number() || !told) {
                    found.push(self.with(frame, Last::Head, |next| {
                        let agg = if self.is_number() { head.agg.filter(|agg| *agg != Agg::Count) } else { None };
                        next.draft.heads.push(Head { agg, ..Head::plain(self.target.clone()) });
                    }));
                }
                // "Tickets to cars": what the rows are about.
                let noun = &self.parser.tokens[self.end - 1].singular;
                let loose = self.features.contains(&Feature::Synonym) || self.features.contains(&Feature::PartialName);
                let weighed = head.agg.is_some_and(|agg| agg != Agg::Count);
                let owner = self.parser.word_before_determiners(self.at) == "of" && weighed;
                if loose
                    && !owner
                    && !self.is_number()
                    && self.parser.index.lexicon.is_entity(noun)
                    && self.is_longest()
                {
                    found.push(self.with(frame, Last::Other, |next| next.draft.features.push(Feature::OpenChoice)));
                }
                if let Some(present) = self.present(frame, columns) {
                    found.push(present);
                }
            }
            Target::Measure(_) if head.target == *self.target => found.push(self.scoped(frame)),
            _ => {}
        }
        found
    }

    /// A number that a comparison follows, a kind that a value follows.
    fn waiting(&self, frame: &Frame) -> Vec<Frame> {
        let Target::Columns(columns) = self.target else { return Vec::new() };
        if frame.wanted.is_some() {
            return Vec::new();
        }
        let said = [self.features, &[Feature::Mention]].concat();
        let wanted = if self.is_number() {
            Wanted::Comparison(columns.clone(), said)
        } else if columns.iter().all(|id| self.parser.index.column(*id).ty == Type::Text) {
            Wanted::Cell(columns.clone(), said)
        } else {
            return Vec::new();
        };
        vec![Frame { wanted: Some(wanted), ..frame.clone() }]
    }

    /// `with a reservation`, `used a code`: rows that have it.
    fn present(&self, frame: &Frame, columns: &Columns) -> Option<Frame> {
        let index = self.parser.index;
        let before = self.parser.word_before_determiners(self.at);
        let has = matches!(
            before,
            "with" | "have" | "has" | "had" | "having" | "got" | "used" | "use" | "gave" | "give" | "given"
        );
        let some = columns.iter().all(|id| index.column(*id).nulls > 0 && index.facts(*id).yes.is_none());
        (has && some && !frame.denied).then(|| {
            let mut next = self.with(frame, Last::Other, |_| {});
            let zone = next.draft.zone();
            next.draft.filters.push(Filter { condition: Condition::Missing(columns.clone()), negated: true, zone });
            next
        })
    }

    /// `without a score`, `no insurance value`.
    fn lacking(&self, frame: &Frame) -> Vec<Frame> {
        let index = self.parser.index;
        // What is denied twice is not denied once more.
        if frame.denied {
            return Vec::new();
        }
        let condition = match self.target {
            // A number, or a number that is written as a text, may also be 0.
            Target::Columns(columns) if self.is_number() || columns.iter().any(|id| index.facts(*id).digits) => {
                let low = |id: &ColId| {
                    index.column(*id).min.as_ref().and_then(crate::build::number_of).is_none_or(|min| min <= 0.0)
                };
                if columns.iter().any(|id| low(id) || index.column(*id).nulls == 0) {
                    return Vec::new();
                }
                Condition::Missing(columns.clone())
            }
            Target::Columns(columns) if columns.iter().all(|id| index.column(*id).nulls > 0) => {
                Condition::Missing(columns.clone())
            }
            Target::Columns(columns) if columns.iter().all(|id| index.facts(*id).yes.is_some()) => {
                let denied = Frame { denied: true, ..frame.clone() };
                return vec![denied.conditioned(Condition::Flag(columns.clone()), self.features)];
            }
            _ => return Vec::new(),
        };
        vec![frame.conditioned(condition, self.features)]
    }

    /// `more than 5 orders`, `at least 7 km`: what the amount is of.
    fn compared(&self, frame: &Frame, test: Test, amounts: Vec<Amount>) -> Vec<Frame> {
        let having = |head: Head| {
            self.with(frame, Last::Other, |next| {
                next.draft.having.push(Having { head, kind: Vec::new(), test, amounts: amounts.clone() });
            })
        };
        // "Less than 2000 kg" is no price per kilo.
        let unit = self.parser.index.lexicon.unit(self.parser.word(self.at)).filter(|_| self.end == self.at + 1);
        let other = |id: &ColId| match (&self.parser.index.facts(*id).unit, unit) {
            (Some(own), Some(unit)) => own.family != unit.family,
            _ => false,
        };
        if matches!(self.target, Target::Columns(columns) if columns.iter().all(other)) {
            return Vec::new();
        }
        let headed = frame.draft.heads.first().map(|head| &head.target);
        let once = test == Test::Ge && matches!(&amounts[..], [amount] if amount.number == 1.0);
        match self.target {
            // "With at least one prescription".
            Target::Thing(thing) if once && self.is_child(headed, *thing) => {
                vec![frame.conditioned(Condition::Related(*thing), self.features)]
            }
            Target::Thing(_) if headed != Some(self.target) => {
                vec![having(Head::count_of(self.target.clone()))]
            }
            Target::Columns(columns) if self.is_number() => {
                if self.is_told_of_many(headed, columns) {
                    vec![having(Head { amount: true, ..Head::plain(self.target.clone()) })]
                } else {
                    let condition =
                        Condition::Compare { columns: columns.clone(), test, amounts: amounts.clone(), implied: false };
                    vec![frame.conditioned(condition, self.features)]
                }
            }
            _ => Vec::new(),
        }
    }

    /// Whether rows of a thing belong to what is asked for.
    fn is_child(&self, headed: Option<&Target>, thing: ThingId) -> bool {
        let index = self.parser.index;
        let Some(Target::Thing(asked)) = headed else { return false };
        let tables = index.things[*asked].table.zip(index.things[thing].table);
        tables.is_some_and(|(own, other)| own != other && index.schema.hops(other, own).is_some())
    }

    /// Whether what is asked for has several rows with the number.
    fn is_told_of_many(&self, headed: Option<&Target>, columns: &Columns) -> bool {
        let index = self.parser.index;
        match headed {
            Some(Target::Thing(thing)) => {
                let own = index.things[*thing].table;
                columns.iter().all(|id| Some(id.table) != own)
            }
            Some(Target::Columns(kinds)) => kinds.iter().all(|id| !index.column(*id).unique),
            Some(Target::Grain(_)) => true,
            _ => false,
        }
    }

    /// Whether rows that are asked about belong to a thing.
    fn belongs(&self, frame: &Frame, thing: ThingId) -> bool {
        let index = self.parser.index;
        let before = self.parser.word_before_determiners(self.at);
        if matches!(before, "with" | "have" | "has" | "had" | "having" | "got" | "get" | "contain" | "contains") {
            return false;
        }
        // "The average rating of authors" may be told once for each of them.
        let weighed = |head: &Head| matches!(head.agg, Some(Agg::Avg | Agg::Median | Agg::Stddev | Agg::Quantile));
        let own_rows = |head: &Head| match (&head.target, index.things[thing].table) {
            (Target::Columns(columns), Some(table)) => columns.iter().all(|id| id.table == table),
            _ => false,
        };
        if before == "of" && frame.draft.heads.iter().any(|head| weighed(head) && !own_rows(head)) {
            return false;
        }
        let by = frame.draft.rank.iter().filter_map(|rank| rank.by.as_ref());
        let tables: Vec<usize> =
            frame.draft.heads.iter().chain(by).flat_map(|head| tables_of(index, &head.target)).collect();
        let own = |table: usize| tables.iter().any(|from| index.schema.hops(*from, table).is_some());
        let keyed = || index.things[thing].keys.iter().any(|key| tables.contains(&key.table));
        index.things[thing].table.map_or_else(keyed, own)
    }
}

/// The tables that a target is of.
pub fn tables_of(index: &Index, target: &Target) -> Vec<usize> {
    match target {
        Target::Thing(thing) => {
            let keys = index.things[*thing].keys.iter().map(|key| key.table);
            index.things[*thing].table.map_or_else(|| keys.collect(), |table| vec![table])
        }
        Target::Columns(columns) | Target::Flag(columns) => columns.iter().map(|id| id.table).collect(),
        Target::Measure(measure) => {
            let named = |name: &String| index.dataset.tables.iter().position(|table| table.name == *name);
            index.measure(*measure).tables.iter().filter_map(named).collect()
        }
        Target::Elapsed(interval, _) => vec![interval.start.table],
        Target::Formula(formula) => formula.left.iter().chain(&formula.right).map(|id| id.table).collect(),
        _ => (0..index.dataset.tables.len()).collect(),
    }
}
