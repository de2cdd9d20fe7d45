"""Numbers as people write them: `1,234.50`, `$5`, `12 %`, `1.234,50 €`, `(300)`.

One idea: a form is one spelling for a whole column: which sign stands beside the number, what groups the thousands
and what begins the fraction. A column is read by a form only if every filled cell fits it; of two forms that fit, the
one that groups thousands is taken, and that is said.
"""

import re

from ingest_report import literal

SIGNS = {"$": "$", "€": "€", "£": "£", "¥": "¥", "%": "percent", "USD": "$", "EUR": "€", "GBP": "£"}
DECIMAL_DIGITS = 18
DIGITS_MAX = 38

# What groups thousands and what begins the fraction, the likelier first. The patterns are common to Python and RE2. A
# number that begins with a needless zero is a code and has no form.
_STYLES = {
    "comma": (",", ".", r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?|(0|[1-9][0-9]*)(\.[0-9]+)?|\.[0-9]+"),
    "point": (".", ",", r"[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?|(0|[1-9][0-9]*)(,[0-9]+)?|,[0-9]+"),
    "space": (" ", ".", r"[1-9][0-9]{0,2}([ \x{a0}\x{202f}'][0-9]{3})+(\.[0-9]+)?|(0|[1-9][0-9]*)(\.[0-9]+)?"),
    "space_comma": (" ", ",", r"[1-9][0-9]{0,2}([ \x{a0}\x{202f}'][0-9]{3})+(,[0-9]+)?|(0|[1-9][0-9]*)(,[0-9]+)?"),
}
_GROUPED = {
    "comma": r"(^|[^0-9])[0-9]{1,3}(,[0-9]{3})+($|[^0-9,])",
    "point": r"(^|[^0-9])[0-9]{1,3}(\.[0-9]{3})+($|[^0-9.])",
    "space": r"[0-9][ \x{a0}\x{202f}'][0-9]{3}",
    "space_comma": r"[0-9][ \x{a0}\x{202f}'][0-9]{3}",
}


class Form:
    """One spelling of numbers, as patterns and as SQL."""

    def __init__(self, sign, style):
        self.sign, self.style = sign, style
        self.groups, self.point, number = _STYLES[style]
        mark = re.escape(sign)
        beside = rf"({mark} *[-+]?({number})|[-+]? *{mark} *({number})|[-+]?({number}) *{mark})"
        # A plus before bare digits is a telephone number.
        plain = beside if sign else rf"-?({number})"
        self.pattern = rf"({plain}|\( *{plain.replace('[-+]?', '').replace('-?', '')} *\))"
        self.shape = re.compile(self.pattern.replace(r"\x{a0}", "\xa0").replace(r"\x{202f}", "\u202f"))

    def fits(self, cell):
        """The condition, in SQL, that a trimmed cell has this form."""
        return f"regexp_full_match({cell}, {literal(self.pattern)})"

    def matches(self, cell):
        """Whether a cell of a sample has this form."""
        return self.shape.fullmatch(cell) is not None

    def grouped(self, cell):
        """The condition that a cell shows how thousands are grouped."""
        return f"regexp_matches({cell}, {literal(_GROUPED[self.style])})"

    def text(self, cell):
        """The cell as a plain number in text, in SQL."""
        digits = f"regexp_replace({cell}, {literal('[^0-9' + re.escape(self.point) + ']')}, '', 'g')"
        if self.point != ".":
            digits = f"replace({digits}, ',', '.')"
        return f"(CASE WHEN regexp_matches({cell}, '^ *\\(|-') THEN '-' ELSE '' END || {digits})"

    def scale(self, cell):
        """How many digits the fraction has, in SQL."""
        return f"length(regexp_extract({self.text(cell)}, '\\.([0-9]+)$', 1))"

    def whole(self, cell):
        """How many digits stand before the fraction, in SQL."""
        return f"length(regexp_extract({self.text(cell)}, '([0-9]*)', 1))"

    @property
    def unit(self):
        """What the sign means, or None."""
        return SIGNS.get(self.sign)

    def changed(self, grouped, fraction, bracketed):
        """What is not in the number any more and what was read as something else, in words."""
        parts = [f"the sign `{self.sign}`"] if self.sign else []
        if grouped:
            spaces = self.style.startswith("space")
            parts.append("spaces or apostrophes between thousands" if spaces else f"`{self.groups}` between thousands")
        read = ["`,` read as the decimal point"] if fraction and self.point == "," else []
        read += ["brackets read as a minus"] if bracketed else []
        removed = [f"removed: {', '.join(parts or ['spaces'])}"] if parts or not read else []
        return "; ".join(removed + read)


def forms_of(cells):
    """The forms that more than half of a sample's cells have, signs and styles that occur only."""
    present = [sign for sign in SIGNS if any(sign in cell for cell in cells)]
    found = []
    for sign in ["", *present]:
        for style in _STYLES:
            form = Form(sign, style)
            if 2 * sum(form.matches(cell) for cell in cells) > len(cells):
                found.append(form)
    return found


_SIGN = "|".join(map(re.escape, SIGNS))
_LETTER = r"[^\W\d_]"
# One letter right behind a number is rather a code: `12a`.
_BEHIND = rf" *(?P<mark>{_SIGN}|°[A-Z]?|{_LETTER}{{2,6}}[²³]?(/{_LETTER}{{1,3}})?)| +(?P<letter>{_LETTER}[²³]?)"
_WITH_UNIT = re.compile(rf"(?P<sign>{_SIGN}) *[-+]?[0-9][0-9.,' ]*|[-+]?[0-9][0-9.,']*({_BEHIND})\.?")


def unit_beside(cell):
    """What stands beside the number in a cell that holds both; None in any other cell."""
    found = _WITH_UNIT.fullmatch(cell)
    return found and (found["sign"] or found["mark"] or found["letter"])


def decimal_type(whole, scale):
    """The engine's type for so many digits before and after the point; None where it has none."""
    if whole + scale <= DECIMAL_DIGITS:
        return f"DECIMAL({DECIMAL_DIGITS},{scale})"
    return f"DECIMAL({DIGITS_MAX},{scale})" if whole + scale <= DIGITS_MAX else None
