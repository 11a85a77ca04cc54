"""The text of a file as others look at it: without lines that say nothing, and with what stands before the body of each
function told beside the text around it.

Both are joined by exclusive or. So from what the offers of a class or a statement were and what they are it follows
whether nothing in it has changed but the heads of functions, of which `alike` knows whether anybody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import xor
from typing import Final, NamedTuple

import xxhash

from everdex.facts.python import model as m

# Lines that say nothing, blank or a comment alone, behind the end of a line: to look for that is quicker than to look
# where a line begins. Inside a string they are text, but no name is spelt over two lines.
_SILENT: Final = re.compile(rb"\n[ \t]*+(?:#[^\n]*+)?\r?(?=\n)")
_LAST_SILENT: Final = re.compile(rb"\n[ \t]*+(?:#[^\n]*+)?\r?\Z")


def said(text: bytes) -> bytes:
    """Without the lines that say nothing."""
    return _LAST_SILENT.sub(b"\n", _SILENT.sub(b"", b"\n" + text))[1:]


def heads_of(scopes: Iterable[m.Scope], source: bytes) -> dict[str, int]:
    """What stands before the bodies of functions, by key."""
    return {each.key: _head(source, each) for each in scopes if each.kind == m.FUNCTION_SCOPE}


def _head(source: bytes, scope: m.Scope) -> int:
    """With how far it is from the margin: which suite it is in follows from that."""
    line = source.rfind(b"\n", 0, scope.start) + 1
    digest = xxhash.xxh3_64(scope.key.encode("utf-8", "surrogatepass"))
    digest.update(source[line : scope.start])
    digest.update(said(source[scope.start : scope.body]))
    return digest.intdigest()


def digest_text(
    digest: xxhash.xxh3_64, source: bytes, start: int, end: int, inner: Sequence[m.Scope], heads: Mapping[str, int]
) -> int:
    """Add a stretch of text without the bodies of the definitions inside it; the heads of its functions, which are not
    added, are given back."""
    found = 0
    for each in inner:
        if each.start < start or each.kind == m.LAMBDA_SCOPE:
            continue
        if each.start >= end:
            break
        if each.kind == m.FUNCTION_SCOPE:
            digest.update(said(source[start : each.start]))
            digest.update(f"\0{each.key}\0".encode("utf-8", "surrogatepass"))
            found ^= heads[each.key]
        else:
            digest.update(said(source[start : each.body]))
        start = each.end
    digest.update(said(source[start:end]))
    return found


class Text(NamedTuple):
    """A statement as others look at it."""

    said: bytes
    heads: int  # of its functions


Said = list[tuple[int, bytes]]  # what statements say of a name; the place of each, -1 where that is without its heads


def hash_of(said: Said, texts: Sequence[Text], beside: bytes = b"") -> int:
    """Of statements, or of what they say of a name: with the heads of each, but once."""
    digest = xxhash.xxh3_64(beside)
    for _, each in said:
        digest.update(each)
    heads = (texts[place].heads for place in {place for place, _ in said} if place >= 0)
    return reduce(xor, heads, digest.intdigest())
