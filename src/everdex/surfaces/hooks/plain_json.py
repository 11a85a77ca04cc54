"""JSON as `json` reads and writes it, by the two functions that do its work.

The package itself brings regular expressions along, and these enums: more than a third of what a hook takes. Whatever
the two do not take at once, broken documents too, goes the long way and comes out the same.
"""

from __future__ import annotations

import _json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SPACE = " \t\n\r"


class _AsUsual:
    """What `json.loads` tells the scanner."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = float  # NaN, Infinity and -Infinity
    memo: dict[str, str] = {}  # noqa: RUF012 - one document a process


def loads(data: bytes) -> Any:
    """A document, of bytes in any of the encodings it may have."""
    try:
        text = data.decode()
        start = len(text) - len(text.lstrip(_SPACE))
        value, end = _json.make_scanner(_AsUsual)(text, start)  # type: ignore[arg-type]
        if not text[end:].strip(_SPACE):
            return value
    except (ValueError, StopIteration, TypeError, AttributeError):
        pass
    import json

    return json.loads(data)


def dumps(value: Any) -> str:
    """A document in one line of ASCII."""
    try:
        spell = _json.encode_basestring_ascii
        write = _json.make_encoder(None, None, spell, None, ": ", ", ", False, False, True)  # type: ignore[arg-type]
        return "".join(write(value, 0))
    except (TypeError, AttributeError):
        import json

        return json.dumps(value)
