"""JSON for frames, by the interpreter's own accelerators.

The package `json` compiles regular expressions on import and so costs a cold kernel more than everything it says; the C
scanner and encoder behind it need none of that. Text is what our own side or the engine wrote: no leading space.
"""

from _json import encode_basestring_ascii, make_encoder, make_scanner


class _Settings:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    memo = {}

    @staticmethod
    def parse_constant(name):
        return float(name.replace("Infinity", "inf"))


def _refuse(value):
    raise TypeError(f"a {type(value).__name__} cannot be put into a frame")


_scan = make_scanner(_Settings)
_encode = make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, False)


def loads(text):
    """The value of one JSON text."""
    try:
        return _scan(text, 0)[0]
    except StopIteration:
        raise ValueError("the text is not JSON") from None


def dumps(value):
    """One JSON text, ASCII only, no spaces. NaN and infinities are refused: a reader would not take them."""
    return "".join(_encode(value, 0))
