"""Random tables: one file each, of ordinary things, with the gaps and the spellings of real files.

A column knows what people call it (`said`), how it is headed in the file, its
kind and its values; `None` is an empty cell. The words are unlike those of the
project's other datasets, so nothing here was met before.
"""

import csv
import datetime

ROWS = ("parcel parcels", "orchard orchards", "painting paintings", "kiln kilns", "lantern lanterns", "bridge bridges",
        "violin violins", "greenhouse greenhouses", "tunnel tunnels", "tapestry tapestries", "canoe canoes",
        "telescope telescopes")
CATEGORIES = {
    "carrier carriers": "Falcon Heron Kestrel Osprey Plover",
    "material materials": "Oak Slate Copper Linen Marble Felt",
    "valley valleys": "Ashford|Birchdale|Cold Brook|Dunmore|Elmsted",
    "workshop workshops": "Alder Works|Beacon|Cutler Row|Dovetail|Ember Yard|Foxglove",
    "colour colours": "Amber Crimson Indigo Olive Teal",
    "grade grades": "Fine Plain Rough Prime",
    "guild guilds": "Coopers Fletchers Glaziers Masons Weavers",
    "varnish varnishes": "Copal Dammar Mastic Shellac",
    "keeper keepers": "Abbot|Brandt|Castell|De Vries|Emery|Faulkner|Garrick|Hale",
    "blend blends": "B1 B2 C7 D4",
}
NUMBERS = ("weight", "depth", "thickness", "repair cost", "toll", "humidity", "wall height", "insured value", "span",
           "brightness", "deposit", "spare parts", "acidity", "storage fee")
TRUTHS = ("fragile", "glazed", "insulated", "restored", "waterproof", "heated")
DATES = ("inspected", "sealed", "auctioned", "catalogued")
BOOLEAN_SPELLINGS = (("true", "false"), ("yes", "no"), ("True", "False"), ("Y", "N"))
FIRST_DAY = datetime.date(2023, 1, 1)
DAYS = 730


class Column:
    """One column: `kind` is id, category, number, truth or date."""

    def __init__(self, kind, said, plural, values):
        self.kind, self.said, self.plural, self.values = kind, said, plural, values
        self.header = said

    def distinct(self):
        """The values that occur, in their order."""
        return sorted({value for value in self.values if value is not None})


class World:
    """One table: what its rows are called, its columns, and the file it is in."""

    def __init__(self, random, number):
        self.random = random
        self.row, self.rows = random.choice(ROWS).split()
        self.count = random.randint(40, 160)
        self.file = f"{self.rows}{number}.csv" if random.random() < 0.3 else f"{self.rows}.csv"
        self.folder = f"world-{number}"
        self.id = self.identity()
        self.categories = [self.category(text) for text in random.sample(sorted(CATEGORIES), random.randint(2, 4))]
        self.numbers = [self.number(said) for said in random.sample(NUMBERS, random.randint(2, 4))]
        self.truths = [self.truth(said) for said in random.sample(TRUTHS, random.randint(0, 2))]
        self.dates = [self.date(said) for said in random.sample(DATES, random.randint(0, 1))]
        self.columns = [self.id, *random.sample(self.others(), len(self.others()))]
        self.head()

    def others(self):
        return [*self.categories, *self.numbers, *self.truths, *self.dates]

    def gaps(self, values):
        """The same with empty cells, in one column of three."""
        part = self.random.choice((0, 0, self.random.uniform(0.02, 0.2)))
        return [None if self.random.random() < part else value for value in values]

    def identity(self):
        start = self.random.choice((1, 1000, 52000))
        letters = self.random.choice(("", "", self.row[0].upper() + "-"))
        numbers = [f"{letters}{start + at}" if letters else start + at for at in range(self.count)]
        return Column("id", f"{self.row} id", None, numbers)

    def category(self, text):
        said, plural = text.split()
        listed = CATEGORIES[text]
        pool = listed.split("|") if "|" in listed else listed.split()
        pool = self.random.sample(pool, self.random.randint(3, len(pool)))
        weights = [self.random.uniform(0.3, 2) for _ in pool]
        return Column("category", said, plural, self.gaps(self.random.choices(pool, weights, k=self.count)))

    def number(self, said):
        top = self.random.choice((12, 90, 700, 25000))
        places = self.random.choice((0, 0, 1, 2))
        draw = lambda: round(self.random.uniform(top / 50, top), places)
        values = [int(draw()) if places == 0 else draw() for _ in range(self.count)]
        return Column("number", said, None, self.gaps(values))

    def truth(self, said):
        part = self.random.uniform(0.2, 0.8)
        return Column("truth", said, None, self.gaps([self.random.random() < part for _ in range(self.count)]))

    def date(self, said):
        days = [FIRST_DAY + datetime.timedelta(self.random.randrange(DAYS)) for _ in range(self.count)]
        return Column("date", said, None, self.gaps(days))

    def head(self):
        """Gives every column its header, all of a file in one style."""
        style = self.random.choice(("snake", "camel", "title", "plain"))
        for column in self.columns:
            said = column.said
            if column.kind == "date":
                said += self.random.choice((" on", " date"))
            words = said.split()
            column.header = {
                "snake": "_".join(words),
                "camel": words[0] + "".join(word.capitalize() for word in words[1:]),
                "title": " ".join(word.capitalize() for word in words),
                "plain": said,
            }[style]

    def records(self):
        """The rows, each by what its columns are called."""
        return [{column.said: column.values[at] for column in self.columns} for at in range(self.count)]

    def write(self, folder):
        (folder / self.folder).mkdir(parents=True)
        yes, no = self.random.choice(BOOLEAN_SPELLINGS)
        spelled = lambda cell: "" if cell is None else yes if cell is True else no if cell is False else cell
        with open(folder / self.folder / self.file, "w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow([column.header for column in self.columns])
            writer.writerows([spelled(column.values[at]) for column in self.columns] for at in range(self.count))
