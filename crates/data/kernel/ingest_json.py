"""JSON and JSON lines into tables.

One idea: values are read one after the other from a window over the text, so that a long array needs no more memory
than its longest element. An object's names are the columns, in the order of their first appearance; those of an object
inside it are columns of their own (`plan_name` for `name` in `plan`), lists stay JSON. Text in JSON is text on purpose:
only dates and times are read out of it.
"""

import json

from ingest_report import NAMES_SHOWN, plural, progress
from ingest_stage import Rows

WINDOW_CHARACTERS = 1 << 20
VALUE_CHARACTERS_MAX = 64 << 20
PROGRESS_ROWS = 200_000
DEPTH_MAX = 4
ASIDE_SHARE_MAX = 0.05
ASIDE_MAX = 3
SPACE = " \t\r\n\ufeff"


class _Window:
    """A reader of JSON values from a stream of text."""

    def __init__(self, file, report):
        self.file, self.report, self.text, self.at, self.ended = file, report, "", 0, False
        self.constants, self.repeated, self.repeated_names = 0, 0, {}
        self.decoder = json.JSONDecoder(parse_constant=self._constant, object_pairs_hook=self._object)

    def _constant(self, _):
        self.constants += 1

    def _object(self, pairs):
        value = dict(pairs)
        if len(value) < len(pairs):
            self.repeated += 1
            seen = set()
            for name, _ in pairs:
                if name in seen and len(self.repeated_names) <= NAMES_SHOWN:
                    self.repeated_names[name] = None
                seen.add(name)
        return value

    def more(self, count=WINDOW_CHARACTERS):
        """Reads on; what was consumed is let go."""
        part = self.file.read(count)
        self.text, self.at, self.ended = self.text[self.at :] + part, 0, not part
        return bool(part)

    def peek(self):
        """The next character that is no space, or nothing at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in SPACE:
                self.at += 1
            if self.at < len(self.text) or not self.more():
                return self.text[self.at : self.at + 1]

    def take(self, expected):
        """Consumes one character if it is the expected one."""
        if self.peek() != expected:
            return False
        self.at += 1
        return True

    def value(self):
        """The next value, whole."""
        self.peek()
        noticed = self.constants, self.repeated
        while True:
            # What was noticed in a value that the window cut is noticed again.
            self.constants, self.repeated = noticed
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
                length = end - self.at
                # A number at the edge of the window may go on behind it.
                if end < len(self.text) or self.ended or not self.more():
                    self.at += length
                    return value
            except RecursionError as error:
                raise self.report.refuse("is nested too deeply", "give a flatter JSON") from error
            except ValueError as error:
                if self.ended:
                    raise NotJson(str(error)) from error
                if len(self.text) - self.at > VALUE_CHARACTERS_MAX:
                    what = f"has a value of more than {VALUE_CHARACTERS_MAX >> 20} million characters, or is not JSON"
                    raise self.report.refuse(what, "give an array of objects, or one object a line") from error
                self.more(max(WINDOW_CHARACTERS, len(self.text) - self.at))


class NotJson(ValueError):
    """Text that is not JSON where JSON was expected."""


def looks_like_json(head):
    """Whether a text that begins so is JSON rather than a table that begins with a bracket."""
    head = head.lstrip(SPACE)
    if head[:1] not in ("{", "["):
        return False
    inside = head[1:].lstrip(SPACE)
    return inside[:1] in ('"', "}") if head[0] == "{" else inside[:1] in ("{", "[", "]", '"') or inside[:1].isdigit()


def parts(stage, text, report):
    """The tables of the file: one of an array or of lines, or one for each array in an object."""
    def lines(table, declared):
        return _lines(stage, text, report, table, declared)

    def array(key):
        return lambda table, declared: _array(stage, text, report, key, table, declared)

    with text.open() as file:
        if _Window(file, report).peek() == "[":
            return [(None, array(None))]
    if _is_lines(text):
        return [(None, lines)]
    try:
        keys, others = _array_keys(text, report)
    except NotJson as error:
        raise report.refuse(f"is not JSON: {error}", "give an array of objects, or one object a line") from error
    if keys and others:
        report.say("members_skipped", f"values beside the rows left out: {_shown(others)}", count=len(others))
    return [(key, array(key)) for key in keys] or [(None, lines)]


def _is_lines(text):
    """Whether the first line is an object of its own and others follow."""
    with text.open() as file:
        first = next((line for line in iter(lambda: file.readline(VALUE_CHARACTERS_MAX), "") if line.strip(SPACE)), "")
        try:
            whole = isinstance(json.loads(first.strip(SPACE)), dict)
        except (ValueError, RecursionError):
            return False
        return whole and any(line.strip(SPACE) for line in file)


def _array_keys(text, report):
    """The names in the outer object whose values are arrays of objects, and the others; none if more objects follow."""
    keys, others = [], []
    with text.open() as file:
        window = _Window(file, report)
        for key in _members(window):
            if window.peek() != "[":
                window.value()
                others.append(key)
            elif all([isinstance(value, dict) for value in _elements(window)] or [False]):
                keys.append(key)
            else:
                others.append(key)
        if not window.take("}"):
            raise NotJson("the object does not end")
        return ([], []) if window.peek() else (keys, others)


def _elements(window):
    """The values of an array, one after the other."""
    window.take("[")
    position = 0
    while window.peek() not in ("]", ""):
        position += 1
        yield window.value()
        if not window.take(",") and window.peek() != "]":
            raise NotJson(f"element {position} is not followed by a comma or the end")
    if not window.take("]"):
        raise NotJson("the array does not end")


def _members(window):
    """The names of the outer object, one after the other; the caller reads each value."""
    window.take("{")
    while window.peek() not in ("}", ""):
        key = window.value()
        if not isinstance(key, str) or not window.take(":"):
            raise NotJson("a name without a value")
        yield key
        if not window.take(","):
            return


def _array(stage, text, report, key, table, declared):
    rows, aside = Rows(stage, report), _Aside(report)
    with text.open() as file:
        window = _Window(file, report)
        try:
            if key is not None:
                for name in _members(window):
                    if name == key:
                        break
                    window.value()
            for position, value in enumerate(_elements(window), 1):
                _add(rows, aside, value, position, report)
        except NotJson as error:
            raise report.refuse(f"is not JSON after {plural(rows.count, 'row')}: {error}", "mend the file") from error
    return _finish(rows, aside, window, "element", table, declared, report)


def _lines(stage, text, report, table, declared):
    rows, aside, window = Rows(stage, report), _Aside(report), _Window(None, report)
    with text.open() as file:
        for number, line in enumerate(file, 1):
            line = line.strip(SPACE)
            if not line:
                continue
            try:
                value = window.decoder.decode(line)
            except RecursionError as error:
                raise report.refuse("is nested too deeply", "give a flatter JSON") from error
            except ValueError:
                value = None
            if not isinstance(value, dict) and rows.count == 0:
                return _values(stage, text, report, table, declared)
            _add(rows, aside, value, number, report)
    return _finish(rows, aside, window, "line", table, declared, report)


def _values(stage, text, report, table, declared):
    """Objects one after the other that do not keep to lines."""
    rows, aside = Rows(stage, report), _Aside(report)
    with text.open() as file:
        window = _Window(file, report)
        try:
            while window.peek():
                _add(rows, aside, window.value(), rows.count + aside.count + 1, report)
        except NotJson as error:
            raise report.refuse(f"is not JSON after {plural(rows.count, 'row')}: {error}", "mend the file") from error
    return _finish(rows, aside, window, "value", table, declared, report)


class _Aside:
    """Elements that are no objects, and the names of objects that were spread out."""

    def __init__(self, report):
        self.report, self.count, self.places, self.spread = report, 0, [], {}

    def note(self, place):
        self.count += 1
        self.places += [place] if self.count <= 20 else []


def _spread(value, seen, depth):
    """The object with those inside it spread out; one whose name is taken stays whole."""
    if not any(type(item) is dict and item for item in value.values()):
        return value
    flat = {}
    for name, item in value.items():
        inner = _spread(item, {}, depth - 1) if type(item) is dict and item and depth else None
        names = {f"{name}_{part}": part for part in inner or ()}
        if inner is None or any(taken in value or taken in flat for taken in names):
            flat[name] = item
            continue
        seen[name] = None
        flat.update((long, inner[part]) for long, part in names.items())
    return flat


def _add(rows, aside, value, place, report):
    if not isinstance(value, dict):
        aside.note(place)
        return
    cells = [None] * len(rows.names)
    for name, item in _spread(value, aside.spread, DEPTH_MAX).items():
        at = rows.column(name)
        if at >= len(cells):
            cells += [None] * (at + 1 - len(cells))
        cells[at] = item
    rows.add(cells)
    if rows.count % PROGRESS_ROWS == 0:
        progress(f"reading {report.label}", rows.count)


def say_spread(report, names):
    """Says which objects were spread out."""
    report.say("nested", f"objects inside objects became columns of their own: {_shown(names)}", count=len(names))


def _shown(names):
    return ", ".join(f"`{name[:60]}`" for name in names[:NAMES_SHOWN]) + (", …" if len(names) > NAMES_SHOWN else "")


def _finish(rows, aside, window, noun, table, declared, report):
    total = rows.count + aside.count
    if aside.count and (rows.count == 0 or (aside.count > ASIDE_MAX and aside.count > ASIDE_SHARE_MAX * total)):
        what = f"has {aside.count} of {total} {noun}s that are no objects: {noun} {aside.places[0]}"
        raise report.refuse(what, "give an array of objects, or one object a line")
    if aside.count:
        count = plural(aside.count, f"{noun} that is no whole object", f"{noun}s that are no whole objects")
        text = f"{count}, set aside: {noun} {', '.join(map(str, aside.places[:5]))}"
        report.say("rows_set_aside", text, count=aside.count, rows=aside.places)
    if aside.spread:
        say_spread(report, list(aside.spread))
    if window.constants:
        text = f"NaN or Infinity, which are no JSON, read as empty: {window.constants}"
        report.say("empty_words", text, count=window.constants)
    if window.repeated:
        objects = plural(window.repeated, "object")
        text = f"{objects} with the same name twice, of which the last counts: {_shown(list(window.repeated_names))}"
        report.say("repeated_names", text, count=window.repeated)
    return rows.settle(table, declared, strings="dates")[1]
