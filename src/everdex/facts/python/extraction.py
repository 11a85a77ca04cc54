"""What a Python file says of itself: scopes, bindings, expressions, imports, stores. No resolution happens here.

The facts are a pure function of the file's bytes. What stands outside a syntax error is there as if the error were
not; `partial` says that there was one.
"""

from __future__ import annotations

from operator import sub
from typing import TYPE_CHECKING

from everdex.facts.python import model as m
from everdex.facts.python.definitions import keys
from everdex.facts.python.exported import exported
from everdex.facts.python.index import aliases, calls_by_name, passed, stores
from everdex.facts.python.model import Facts, Places
from everdex.facts.python.statements import Walk
from everdex.memory import collector_held

if TYPE_CHECKING:
    from everdex.parse import Read


def extract(path_key: str, read: Read, data: bytes) -> bytes:
    with collector_held():
        return _extract(read, data)


def _extract(read: Read, data: bytes) -> bytes:
    walk = Walk(data)
    walk.file(read.root)
    keys(walk.scopes)
    lines = [len(line) + 1 for line in data.split(b"\n")]
    lengths = list(map(sub, walk.ends, walk.starts))
    assigned = stores(walk.scopes, walk.entries, walk.where, walk.bindings, walk.stores)
    facts = Facts(
        read.partial, len(data), walk.scopes, m.encode_where(walk.where), walk.bindings, assigned, walk.item_stores,
        walk.stars, exported(walk.entries, walk.bindings, walk.item_stores),
        m.encode_calls(calls_by_name(walk.entries, walk.bindings)),
        passed(walk.scopes, walk.entries), aliases(walk.scopes, walk.entries, walk.bindings, assigned), walk.statements,
        m.encode_places(Places(lines, walk.starts, lengths, walk.writes, walk.deleted)),
        m.encode_expressions(walk.entries),
    )  # fmt: skip
    return m.encode(facts)
