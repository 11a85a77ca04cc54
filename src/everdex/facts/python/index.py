"""What is asked of a file before its expressions are: the calls by name, which functions it passes on, and whose
attributes it assigns.

Worked out once, when its facts are taken, so that who only looks whether a file calls something, passes it on or
assigns it need not read the file's expressions.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, Final

from everdex.facts.python import model as m

_TEXTS: Final = frozenset((m.LITERAL, m.FORMATTED))
Expressions = Sequence[Any] | Mapping[int, Any]  # by number


def calls_by_name(entries: Sequence[Any], bindings: Sequence[Any]) -> dict[str, list[int]]:
    """Called name -> call and decorator-application expressions, by what is called; 'f()' when it is a result. What is
    called on a text that stands there is no method of a class: `", ".join(parts)`."""
    found: dict[str, list[int]] = {}
    for number, entry in enumerate(entries):
        if entry[0] != m.CALL and entry[0] != m.DECORATED:
            continue
        callee = entries[entry[1]]
        if callee[0] == m.ATTRIBUTE:
            name = callee[2] if entries[callee[1]][0] not in _TEXTS else ""
        elif callee[0] == m.CALL:
            name = last_name(entries, bindings, callee[1])
            name = f"{name}()" if name else ""
        else:
            name = last_name(entries, bindings, entry[1])
        if name:
            found.setdefault(name, []).append(number)
    return found


def passed(scopes: Sequence[m.Scope], entries: Sequence[Any]) -> list[str]:
    """The names of its functions that are used as values, not only called."""
    functions = {scope.name for scope in scopes if scope.kind == m.FUNCTION_SCOPE}
    callees = {entry[1] for entry in entries if entry[0] == m.CALL}
    found = {
        entry[1] if entry[0] == m.NAME else entry[2]
        for number, entry in enumerate(entries)
        if ((entry[0] == m.NAME and entry[1] in functions) or (entry[0] == m.ATTRIBUTE and entry[2] in functions))
        and number not in callees
    }
    return sorted(found)


def aliases(
    scopes: Sequence[m.Scope], entries: Sequence[Any], bindings: Sequence[Any], assigned: Sequence[m.Store]
) -> dict[int | str, list[str]]:
    """Functions that are given another name, or stored as an attribute: by lambda's scope or by name -> those."""
    functions = {scope.name for scope in scopes if scope.kind == m.FUNCTION_SCOPE}
    found: dict[int | str, list[str]] = {}
    for name, value in [*((each[1], each[2]) for each in bindings), *((each.name, each.value) for each in assigned)]:
        what = entries[value]
        is_lambda = what[0] == m.DEFINITION and scopes[what[1]].kind == m.LAMBDA_SCOPE
        if is_lambda or (what[0] == m.NAME and what[1] != name and what[1] in functions):
            found.setdefault(what[1], []).append(name)
    return found


def last_name(entries: Expressions, bindings: Sequence[Any], expression: int) -> str:
    """The name that an expression ends with; of an import that of what is imported."""
    entry = entries[expression]
    if entry[0] == m.NAME:
        name: str = entry[1]
        if entry[2]:
            value = entries[bindings[entry[2][-1]][2]]
            if value[0] == m.FROM:
                name = value[3]
        return name
    if entry[0] == m.ATTRIBUTE:
        attribute: str = entry[2]
        return attribute
    return ""


def receiver_class(
    scopes: Sequence[m.Scope], entry: Any, scope: int, names: Sequence[Container[str]]
) -> int:
    """The class, when an expression that stands in a scope is the first parameter of one of its methods; -1.

    `names` are those that each scope binds.
    """
    if entry[0] != m.NAME:
        return -1
    name = entry[1]
    while (scope := owner(scopes, scope)) > 0:
        current = scopes[scope]
        if name in names[scope]:
            if not current.params or current.params[0][0] != name:
                return -1
            return current.parent if scopes[current.parent].kind == m.CLASS_SCOPE else -1
        scope = current.parent
    return -1


def owner(scopes: Sequence[m.Scope], scope: int) -> int:
    """The definition a scope belongs to: itself, unless it is a comprehension."""
    while scopes[scope].kind == m.COMPREHENSION_SCOPE:
        scope = scopes[scope].parent
    return scope


def stores(
    scopes: Sequence[m.Scope], entries: Sequence[Any], where: Sequence[int], bindings: Sequence[Any],
    assigned: Sequence[tuple[int, int]],
) -> list[m.Store]:  # fmt: skip
    """Attributes that are assigned, each with its owner where a method assigns it to its first parameter."""
    names: list[set[str]] = [set() for _ in scopes]
    if assigned:
        for binding in bindings:
            names[binding[0]].add(binding[1])
    found = []
    for number, value in assigned:
        _, base, name = entries[number]
        found.append(m.Store(number, value, base, name, receiver_class(scopes, entries[base], where[base], names)))
    return found
