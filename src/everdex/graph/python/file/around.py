"""The scope around a place that binds a name, as Python looks for it."""

from __future__ import annotations

from everdex.facts.python import model as m
from everdex.graph.python.engine.noting import Noting
from everdex.graph.python.file.files import File
from everdex.graph.python.names.standard import BUILTIN_NAMES


def binding_scope(file: File, scope: int, wanted: str, *, later: bool = False) -> tuple[int, list[int]]:
    """The nearest scope around that binds a name, and the bindings that may be seen from inside.

    Never a class: functions in it do not see its names, and its own statements only what they have bound already, so
    that `name = name` means the one outside. Only a name looked up `later`, as an annotation in quotes is, may be its.
    A module's own statements see the builtin until the module has bound its name.
    """
    if later and wanted in file.names[scope]:
        return scope, file.names[scope][wanted]
    if scope == 0 and wanted in BUILTIN_NAMES:
        inner = file.from_inside.get((0, wanted), [])
        return (0, inner) if inner else (-1, [])
    born = -1
    while scope >= 0:
        current = file.scopes[scope]
        if wanted in current.outer_names:
            born = current.born
        else:
            found = file.names[scope].get(wanted) if current.kind != m.CLASS_SCOPE else None
            if found:
                return scope, found if born < 0 else file.visible(scope, wanted, born)
            if current.kind != m.COMPREHENSION_SCOPE:
                born = current.born
        scope = current.parent
    return -1, []


def look_around(engine: Noting, file: File, scope: int, home: int, wanted: str) -> None:
    """Note that it matters that nothing binds a name between a place and the scope that does (-1: none): not the class
    that it stands in, nor functions around."""
    around = file.owner(scope)
    if around != home and file.scopes[around].kind == m.CLASS_SCOPE:
        engine.seen.append(file.seen_member(around, wanted))
    passed = file.scopes[around].parent
    while passed > 0 and passed != home:
        if file.scopes[passed].kind != m.CLASS_SCOPE:
            engine.seen.append(file.seen_scope(passed))
        passed = file.scopes[passed].parent
