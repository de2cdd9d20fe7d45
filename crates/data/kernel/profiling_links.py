"""How tables hang together: many-to-one links that names suggest and values prove.

One idea: a name is what makes two columns a candidate, the rows decide. The one side must be unique and complete and
hold every filled value of the many side. Small whole numbers lie in almost any key by chance, so without a name that
speaks for it they are never a link; texts are, where many distinct ones agree and no other column could be meant.
"""

from sql import quoted

# A link that so many rows keep is worth a word about those that do not.
NEAR_SHARE = 0.95
ROWS_NAMED_MAX = 20
ONE_ROWS_MIN = 2
# However many columns share a name: so many pairs are looked at, and so many near misses told.
CHECKS_MAX = 1_000
REMARKS_MAX = 20
# How many different texts have to agree before values alone make a link, and how long most of them have to be.
VALUES_AGREE_MIN = 10
VALUE_CHARS_MIN = 3
ALIKE_SHARE = 0.8

_COMPARABLE = ("int", "text", "date")
_KEY_WORDS = ("id", "key", "code", "no", "nr", "number", "ref", "uuid", "guid")
_BEFORE_KEY = ("fk", "id")
# Names by which every table numbers its own rows: alike on both sides they say nothing.
_NUMBERING = {
    "id", "key", "no", "nr", "num", "number", "rank", "ranking", "position", "pos", "index", "idx", "row", "rowid",
    "line", "order", "seq", "sequence", "level", "count", "n",
}
# Words by which a row points at another row of its own table.
_ROLES = {
    "manager", "supervisor", "boss", "parent", "superior", "chief", "mentor", "referrer", "reportsto", "referredby",
    "previous", "prev", "next", "predecessor", "successor", "ancestor", "replaces", "replacedby", "duplicateof",
}
# What warehouses put before a table's own name.
_TABLE_PREFIXES = ("dim", "fact", "tbl", "stg", "raw", "lookup", "ref")
_IRREGULAR = {"people": "person", "children": "child"}


def relate(engine, tables):
    """The links, and a remark for each that nearly all rows keep."""
    links, remarks, linked, checks = [], [], set(), 0
    for many, source, targets in _named(tables):
        proven = []
        for one, target in targets[: max(0, CHECKS_MAX - checks)]:
            checks += 1
            missing = _missing(engine, (many, source), (one, target))
            if missing == 0:
                proven.append((one, target))
            elif missing is not None and not proven and len(remarks) < REMARKS_MAX:
                remarks.append(_near_miss(engine, (many, source), (one, target), missing))
        for one, target in _at_home(source, proven):
            links.append(_link(many, source, one, target))
            linked.add((many["name"], source["name"]))
    for many, source, one, target in _alike(tables):
        if (many["name"], source["name"]) not in linked:
            links.append(_link(many, source, one, target))
    told = {(link["from_table"], link["from_column"]) for link in links}
    return links, [remark for remark in remarks if (remark["table"], remark["column"]) not in told]


def _link(many, source, one, target):
    return {
        "from_table": many["name"], "from_column": source["name"], "to_table": one["name"], "to_column": target["name"],
    }


class _Meant:
    """What may be meant by names, for all tables at once: a wide table has more names than can be compared in pairs."""

    def __init__(self, tables):
        self.whole, self.endings, self.keys = {}, {}, {}
        self.alike = _alike_tables(tables)
        for one in tables:
            entities = _entities(one)
            key = self.keys[one["name"]] = _key(one, entities)
            if one["rows"] < ONE_ROWS_MIN:
                continue
            for target in one["columns"]:
                if target["unique"] and target["type"] in _COMPARABLE:
                    is_key = target is key
                    for name in _whole_names(fold(one["name"]), entities, target, is_key):
                        self.whole.setdefault(name, []).append((one, target))
                    for name in _endings(entities, target, is_key):
                        self.endings.setdefault(name, []).append((one, target))

    def by(self, many, source):
        """The columns that this one's name may mean."""
        words, found = split(source["name"]), {}
        for start in range(len(words)):
            name = "".join(words[start:])
            for one, target in self.endings.get(name, []) + (self.whole.get(name, []) if start == 0 else []):
                elsewhere = one is not many or (start > 0 and source is not target)
                other_rows = one is many or (one["name"], many["name"]) not in self.alike
                if elsewhere and other_rows and source["type"] == target["type"]:
                    found.setdefault((one["name"], target["name"]), (one, target))
        key = self.keys[many["name"]]
        if key is not None and key is not source and key["type"] == source["type"] and _points_within(words):
            found.setdefault((many["name"], key["name"]), (many, key))
        return list(found.values())


def _alike_tables(tables):
    """Pairs of tables with nearly the same columns: the same kind of rows twice, such as two months, and no link."""
    names = [(table["name"], {fold(column["name"]) for column in table["columns"]}) for table in tables]
    return {
        (one, other) for one, of_one in names for other, of_other in names
        if one != other and len(of_one & of_other) >= ALIKE_SHARE * max(len(of_one), len(of_other))
    }


def _named(tables):
    """Each column with the columns that its name may mean, in the order of the tables."""
    meant = _Meant(tables)
    for many in tables:
        for source in many["columns"]:
            if source["type"] in _COMPARABLE and source["nulls"] < many["rows"]:
                targets = meant.by(many, source)
                if targets:
                    yield many, source, targets


def _points_within(words):
    role = words[:-1] if words[-1:] and words[-1] in _KEY_WORDS else words
    return "".join(role) in _ROLES


def _whole_names(table, entities, target, is_key):
    """Names that mean this column when they are the whole name: its own, and the table's where it is what one has."""
    own = fold(target["name"])
    names = set() if own in _NUMBERING and own not in entities else {own}
    single = {entity for entity in entities if entity not in _NUMBERING}
    if target["type"] == "text":
        names |= single
    elif is_key:
        # The plural is more often how many there are of them.
        names |= single - {table} if len(single) > 1 else single
    return names


def _endings(entities, target, is_key):
    """Names that mean this column with any word before them: `customer_id`, also at the end of `billing_customer_id`."""
    own = fold(target["name"])
    names = {entity + own for entity in entities} if own not in entities else set()
    if is_key:
        names |= {entity + word for entity in entities for word in _KEY_WORDS}
        names |= {word + entity for entity in entities for word in _BEFORE_KEY}
        names |= {entity + "fk" for entity in entities}
    return names


def _key(table, entities):
    """The column that is the table's key by its name, if there is one."""
    keys = [column for column in table["columns"] if column["unique"] and column["type"] in ("int", "text")]
    named = [column for column in keys if (split(column["name"]) or [""])[-1] in _KEY_WORDS]
    own_names = _own_names(entities)
    own = [column for column in named if fold(column["name"]) in own_names]
    return next(iter(own + named + [column for column in keys if fold(column["name"]) in entities]), None)


def _own_names(entities):
    return set(_KEY_WORDS) | {entity + word for entity in entities for word in _KEY_WORDS}


def _entities(table):
    """What a row of the table may be called, folded: its name, and its singular."""
    words = split(table["name"])
    if len(words) > 1 and words[0] in _TABLE_PREFIXES:
        words = words[1:]
    if not words:
        return set()
    before, last = "".join(words[:-1]), words[-1]
    return {before + form for form in _forms(last)}


def _forms(word):
    forms = {word, _IRREGULAR.get(word, word)}
    if word.endswith("ies") and len(word) > 4:
        forms.add(word[:-3] + "y")
    if word.endswith("es") and len(word) > 3:
        forms.add(word[:-2])
    if word.endswith("s") and not word.endswith("ss") and len(word) > 2:
        forms.add(word[:-1])
    return forms


def _at_home(source, proven):
    """Of several tables that hold the values, those that are named after the column: the others follow from there."""
    name = split(source["name"])
    home = [
        (one, target) for one, target in proven
        if any("".join(name[start:-1] or name[start:]) in _entities(one) for start in range(len(name)))
    ]
    chosen = home or proven
    # Several columns of one table would be several ways to the same rows.
    return [pair for at, pair in enumerate(chosen) if all(pair[0] is not other[0] for other in chosen[:at])]


def _missing(engine, many, one):
    """How many filled rows have no partner; none where they are too many to speak of."""
    (table, source), (other, target) = many, one
    filled = table["rows"] - source["nulls"]
    most = (1 - NEAR_SHARE) * filled
    certain = source["distinct_is_exact"] and target["distinct_is_exact"]
    if certain and source["distinct"] - target["distinct"] > most:
        return None
    count = engine.execute(f"SELECT count(*) FROM {_without_partner(many, one)}").fetchall()[0][0]
    return count if count <= most else None


def _without_partner(many, one):
    (table, source), (other, target) = many, one
    return (
        f"{quoted(table['name'])} AS many ANTI JOIN {quoted(other['name'])} AS one "
        f"ON many.{quoted(source['name'])} = one.{quoted(target['name'])} WHERE many.{quoted(source['name'])} IS NOT NULL"
    )


def _near_miss(engine, many, one, missing):
    (table, source), (other, target) = many, one
    rows = engine.execute(
        f"SELECT many.rowid + 1 FROM {_without_partner(many, one)} ORDER BY 1 LIMIT {ROWS_NAMED_MAX}"
    ).fetchall()
    said = "1 row has" if missing == 1 else f"{missing} rows have"
    return {
        "file": None, "table": table["name"], "column": source["name"], "code": "other",
        "message": f"`{table['name']}.{source['name']}` is not linked with `{other['name']}.{target['name']}`: "
        f"{said} a value that is not there",
        "count": missing, "rows": [row for (row,) in rows],
    }


def _alike(tables):
    """Text columns of which every value is in one other table's unique column, and in no second one."""
    complete = [
        (table, column, set(column["values"])) for table in tables for column in table["columns"]
        if column["type"] == "text" and column["values_complete"] and len(column["values"]) >= VALUES_AGREE_MIN
    ]
    alike = _alike_tables(tables)
    for many, source, values in complete:
        if 2 * sum(len(value) >= VALUE_CHARS_MIN for value in values) < len(values):
            continue
        found = [(one, target) for one, target, others in complete
                 if one is not many and (one["name"], many["name"]) not in alike and target["unique"]
                 and values <= others]
        if len(found) == 1:
            yield many, source, *found[0]


def fold(name):
    """A name as it is compared: case and punctuation tell nothing apart."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def split(name):
    """The words of a name, folded: `orderID`, `Order id` and `order_id` have the same."""
    words, before = [], " "
    for at, letter in enumerate(name):
        if letter.isalnum():
            small_after = at + 1 < len(name) and name[at + 1].islower()
            begins = letter.isupper() and (before.islower() or before.isdigit() or (before.isupper() and small_after))
            if begins or not before.isalnum():
                words.append("")
            words[-1] += letter.casefold()
        before = letter
    return words
