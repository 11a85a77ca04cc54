"""What a Python file offers to be looked at by others, by key, each with a hash of what a reader of it could see.

Modules by every dotted name they could be imported as; each scope by its own text without the bodies of the functions
inside it; the names it calls, the methods and fixtures it defines, the bases it names. Text, not positions: a line that
only moved changes nothing.
"""

from __future__ import annotations

import re
from typing import Final

import xxhash

from everdex.facts.python import model as m
from everdex.graph.python.classes import BASE_KEY
from everdex.graph.python.files import File
from everdex.graph.python.fixtures import FIXTURE_KEY
from everdex.graph.python.keys import scope_key
from everdex.graph.python.modules import MODULE_KEY, WITHIN_KEY
from everdex.graph.python.parameters import CALL_KEY
from everdex.graph.python.targets import METHOD_KEY

# Lines that say nothing: blank, or a comment alone. Inside a string they are text, but no name is spelt over two lines.
_SILENT: Final = re.compile(rb"^[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)", re.MULTILINE)


def offers(path: str, facts: bytes, source: bytes) -> dict[str, int]:
    with m.collector_held():
        return _offers(path, facts, source)


def _offers(path: str, facts: bytes, source: bytes) -> dict[str, int]:
    file = File(path, facts)
    offered: dict[str, int] = {}
    _modules(path, offered)
    _scopes(file, source, offered)
    sites: dict[str, list[str]] = {}
    for name, calls in file.calls_by_name.items():
        sites[CALL_KEY + name] = [file.scopes[file.where[each]].key for each in calls]
    for name, functions in file.methods.items():
        sites[METHOD_KEY + name] = [file.scopes[each].key for each in functions]
    for name, below in file.classes_by_base.items():
        sites[BASE_KEY + name] = [file.scopes[each].key for each in below]
    for scope in file.scopes:
        if scope.kind == m.FUNCTION_SCOPE and scope.decorators and _may_be_fixture(file, scope):
            sites.setdefault(FIXTURE_KEY + scope.name, []).append(scope.key)
    for key, places in sites.items():
        offered[key] = xxhash.xxh3_64_intdigest("\n".join(places).encode())
    return offered


def _modules(path: str, offered: dict[str, int]) -> None:
    parts = path.rpartition(".")[0].split("/")
    is_package = parts[-1] == "__init__"
    if is_package:
        parts = parts[:-1]
        if not parts:
            offered[MODULE_KEY] = 1
    for start in range(len(parts)):
        offered[MODULE_KEY + ".".join(parts[start:])] = 1
    directories = parts if is_package else parts[:-1]
    for start in range(len(directories)):
        for end in range(start + 1, len(directories) + 1):
            offered[WITHIN_KEY + ".".join(directories[start:end])] = 1


def _scopes(file: File, source: bytes, offered: dict[str, int]) -> None:
    """Each scope's text, where an inner definition counts with what stands before its body only."""
    inner: dict[int, list[m.Scope]] = {}
    for scope in file.scopes[1:]:
        if scope.kind in (m.CLASS_SCOPE, m.FUNCTION_SCOPE):
            inner.setdefault(file.owner(scope.parent), []).append(scope)
    for number, scope in enumerate(file.scopes):
        if scope.kind == m.COMPREHENSION_SCOPE:
            continue
        digest = xxhash.xxh3_64()
        at = scope.start
        for each in sorted(inner.get(number, ()), key=lambda each: each.start):
            if each.start < at:
                continue
            digest.update(_SILENT.sub(b"", source[at : each.body]))
            at = each.end
        digest.update(_SILENT.sub(b"", source[at : scope.end]))
        offered[scope_key(file.path, scope.key)] = digest.intdigest()


def _may_be_fixture(file: File, scope: m.Scope) -> bool:
    for each in scope.decorators:
        decorator = file.entries[file.entries[each][1]]
        named = decorator[1] if decorator[0] == m.CALL else file.entries[each][1]
        if file.last_name(named) in ("fixture", "yield_fixture"):
            return True
    return False
