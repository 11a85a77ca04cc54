"""Which names a file uses as values that may be classes: whoever makes an instance has to name its class somewhere.

By name alone, nothing is followed; that two classes share a name only makes both seem used. Inheriting from a class,
declaring, catching, comparing, asking `isinstance()`, calling a base's method with `self`, and asking a class for
plain data are no uses.
"""

from __future__ import annotations

import re
from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.file.files import File

_SEPARATORS: Final = re.compile("[.:]")  # "package.module.Name", "package.module:Name"
_COMPARING: Final = frozenset(("is", "is not", "==", "!="))
_ASKING: Final = frozenset(("isinstance", "issubclass", "super"))
_DATA: Final = frozenset((m.LITERAL, m.SEQUENCE, m.DICT, m.COMPREHENSION, m.BINARY, m.UNARY))
# Of the expressions that types are written as, the items that name their parts.
_TYPE_PARTS: Final = {m.ATTRIBUTE: (1,), m.SUBSCRIPT: (1, 2), m.SEQUENCE: (2,), m.BINARY: (2, 3)}


def used(file: File) -> set[str]:
    """The names, each as it is called where it comes from."""
    known = _class_names(file)
    declared = _declared(file) | _holding_data(file)
    found: set[str] = set(file.facts.exported or ())
    entries, has_stars = file.entries, bool(file.facts.stars)
    for number in file.of_kind(m.NAME):
        entry = entries[number]
        if entry[1] in known:
            if number not in declared:
                found |= known[entry[1]]
        elif has_stars and not entry[2] and number not in declared:
            found.add(entry[1])
    for number in file.of_kind(m.ATTRIBUTE):
        entry = entries[number]
        if number not in declared and (entry[2] == "__subclasses__" or _is_of_module(file, entry[1])):
            found.add(entry[2])
    return found | _written(file, known)


def _class_names(file: File) -> dict[str, set[str]]:
    """The names that may mean classes here -> what those are called where they come from."""
    found: dict[str, set[str]] = {}
    for _, name, value, _ in file.bindings:
        entry = file.entries[value]
        while entry[0] == m.DECORATED:
            entry = file.entries[entry[2]]
        if entry[0] == m.FROM:
            found.setdefault(name, set()).add(entry[3])
        elif entry[0] == m.DEFINITION and file.scopes[entry[1]].kind == m.CLASS_SCOPE:
            found.setdefault(name, set()).add(name)
    return found


def _is_of_module(file: File, base: int) -> bool:
    """Whether this may be a module: a name that is imported, or an attribute of one."""
    entries = file.entries
    entry = entries[base]
    while entry[0] == m.ATTRIBUTE:
        entry = entries[entry[1]]
    if entry[0] != m.NAME:
        return False
    for each in entry[2] or file.names[0].get(entry[1], ()):
        if entries[file.bindings[each][2]][0] in (m.FROM, m.IMPORTED):
            return True
    return False


def _holding_data(file: File) -> set[int]:
    """The names of what is asked for data alone: `Base.registry[name]`, `Base.count += 1`, what its class statement in
    this file gives nothing but literals and displays."""
    entries = file.entries
    taken = {entries[number][1] for number in file.of_kind(m.SUBSCRIPT, m.STORE_ITEM)}
    found = {entries[number][1] for number in file.of_kind(m.STORE)}
    for number in file.of_kind(m.ATTRIBUTE):
        _, base, name = entries[number]
        if number in taken or _is_data(file, base, name):
            found.add(base)
    return found


def _is_data(file: File, base: int, name: str) -> bool:
    entry = file.entries[base]
    bindings = (entry[2] or file.names[0].get(entry[1], ())) if entry[0] == m.NAME else ()
    for each in bindings:
        what = file.entries[file.bindings[each][2]]
        while what[0] == m.DECORATED:
            what = file.entries[what[2]]
        if what[0] != m.DEFINITION or file.scopes[what[1]].kind != m.CLASS_SCOPE:
            return False
        given = file.names[what[1]].get(name, ())
        if not given or any(file.entries[file.bindings[value][2]][0] not in _DATA for value in given):
            return False
    return bool(bindings)


def _written(file: File, known: dict[str, set[str]]) -> set[str]:
    """The names that texts spell: with dots; what getattr() or globals() is asked for; own ones in lists and dicts."""
    entries = file.entries
    asked = {each for number in file.calls for each in entries[number][2][1:2]}
    for number in file.of_kind(m.SUBSCRIPT):
        _, base, key = entries[number]
        if entries[base][0] == m.CALL:
            asked.add(key)
    listed = {each for number in file.of_kind(m.SEQUENCE) for each in entries[number][2]}
    listed |= {each for number in file.of_kind(m.DICT) for pair in entries[number][1] for each in pair}
    found: set[str] = set()
    for number in file.of_kind(m.LITERAL):
        text = entries[number][2]
        if not isinstance(text, str):
            continue
        if "." in text or ":" in text or number in asked:
            last = _SEPARATORS.split(text)[-1]
            if last.isidentifier():
                found.add(last)
        elif text in known and number in listed:
            found |= known[text]
    return found


def _is_of_base(file: File, named: int, first: int) -> bool:
    """`Base.method(self)` in a class below it: what super() would do."""
    owner = file.receiver_class(first)
    name = file.last_name(named) if owner >= 0 else ""
    return bool(name) and any(file.last_name(each) == name for each in file.scopes[owner].bases)


def _declared(file: File) -> set[int]:
    """The expressions that name types: annotations, bases, what is caught, compared and asked for by isinstance()."""
    entries = file.entries
    waiting: list[int] = []
    for scope in file.scopes:
        waiting += scope.bases
        waiting.append(scope.annotation)
        waiting += (param[2] for param in scope.params)
    waiting += (entries[number][1] for number in file.of_kind(m.TYPED, m.INSTANCE))
    waiting += (entries[number][2] for number in file.of_kind(m.NARROWED, m.NARROWED_CLASS))
    for number in file.of_kind(m.COMPARE):
        _, operators, operands = entries[number]
        waiting += operands if _COMPARING.issuperset(operators) else ()
    for number in file.calls:
        _, callee, positional, _ = entries[number]
        if entries[callee][0] == m.NAME and entries[callee][1] in _ASKING:
            waiting += positional if entries[callee][1] == "super" else positional[1:]
        elif entries[callee][0] == m.ATTRIBUTE and positional and _is_of_base(file, entries[callee][1], positional[0]):
            waiting.append(entries[callee][1])
    found: set[int] = set()
    while waiting:
        number = waiting.pop()
        if number >= 0 and number not in found:
            found.add(number)
            for place in _TYPE_PARTS.get(entries[number][0], ()):
                part = entries[number][place]
                waiting += part if isinstance(part, list) else [part]
    return found
