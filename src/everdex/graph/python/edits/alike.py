"""Finds functions that were edited without any difference that other code could see, so that nobody is resolved again.

Other code can see a function's head, what it returns and yields, what it stores, fills, passes on and calls, and what
functions inside it take from it. The facts before and after the edit are compared: the function is alike when the
expressions behind all of that can be paired one to one, kind by kind and operand by operand. When in doubt it is not
alike. Nothing is evaluated: a value that differs behind equal expressions was read under another key, which has
changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from everdex.facts.python import model as m
from everdex.graph.python.edits.pairing import Pairing, is_text_of_name
from everdex.graph.python.file import slots
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import (
    BARE_KEY,
    DECORATE_KEY,
    adopted_key,
    computed_stores_key,
    default_key,
    dispatched_key,
    filled_key,
    fills_key,
    head_key,
    here_keys,
    indirect_key,
    member_key,
    name_key,
    operated_key,
    parameters_key,
    passed_key,
    passes_key,
    scope_key,
    stores_key,
    taken_key,
    taking_key,
)
from everdex.graph.python.file.slices import OPERANDS

_NONE: Final = frozenset(("",))  # instead of the slots of a call that passes nothing
_TAKING: Final = frozenset(("__init__", "__call__"))  # of the special methods those to which anything is passed
_MOVING: Final = (m.KEYWORD_ONLY, m.ALL_KEYWORDS)  # passed by name alone
MAX_EDITED: Final = 50  # functions; a file in which more changed was rewritten, and each costs a look through all of it


def unseen(old: File, new: File, change: Callable[[str], int]) -> list[str]:
    """The keys of functions that are not as they were, while all that others may see of them is; and those of what
    stands around them, where nothing else in it is another.

    `change` says of a key how its offers differ, 0 where they do not: who went by it to something that is new or gone
    in a function is asked again anyway.
    """
    common = [
        (scope_key(old.path, key), scope, new.scope_by_key[key])
        for key, scope in old.scope_by_key.items()
        if old.scopes[scope].kind == m.FUNCTION_SCOPE and key in new.scope_by_key
    ]
    edited = [each for each in common if change(each[0])]
    if not 0 < len(edited) <= MAX_EDITED or old.facts.partial or new.facts.partial:
        return []
    pair = _Pair(old, new, {old.scopes[scope].key for _, scope, _ in edited}, lambda key: change(key) != 0)
    found = [each for each in edited if pair.try_function(*each[1:])]
    taking = [old.scopes[scope].key for _, scope, _ in found]
    taken = [parameters_key(old.path, key) for key in taking if key not in pair.otherwise]
    return [
        *(key for key, _, _ in found), *(key for key in taken if change(key)),
        *_around(old, new, [each[1:] for each in found], change),
    ]  # fmt: skip


def _around(old: File, new: File, alike: list[tuple[int, int]], change: Callable[[str], int]) -> list[str]:
    """The keys of classes and statements that differ in nothing but the heads of such functions (`heads`)."""
    path, heads = new.path, dict[str, int]()
    for scope, other in alike:
        own = new.scopes[other]
        owner, owner_now = old.scopes[old.owner(old.scopes[scope].parent)], new.scopes[new.owner(own.parent)]
        head = change(head_key(path, own.key))
        if head <= 0 or owner.kind != owner_now.kind:
            continue
        name = member_key(path, owner.key, own.name) if owner.kind == m.CLASS_SCOPE else name_key(path, own.name)
        for key in (scope_key(path, owner.key), name):
            heads[key] = heads.get(key, 0) ^ head
    return [key for key, head in heads.items() if head and change(key) == head]


class _Way(NamedTuple):
    """How others come to expressions in a function without going through the function."""

    announced: str  # the key that they noted then; '' for none
    what: tuple[str, ...]


class _Pair(Pairing):
    """A file before and after, and which functions of both are the same for everybody else."""

    def __init__(self, old: File, new: File, functions: set[str], is_changed: Callable[[str], bool]) -> None:
        super().__init__(old, new)
        self.otherwise: set[str] = set()  # functions of which another parameter may be meant by what is seen
        self._is_changed = is_changed
        self._ways = _ways(old, functions), _ways(new, functions)

    def try_function(self, old: int, new: int) -> bool:
        """Whether a function can be added to what is the same; if not, nothing was assumed."""
        before, key = self.mark(), self.old.scopes[old].key
        for is_otherwise in (False, True):
            if is_otherwise:
                self.otherwise.add(key)
            if self._function(old, new) and self.walked():
                return True
            self.go_back(before)
            self.parameters.pop(key, None)
            if not self._is_changed(parameters_key(self.old.path, key)):
                break
        self.otherwise.discard(key)
        return False

    # -- what may be seen of a function

    def _function(self, old: int, new: int) -> bool:
        first, second = self.old.scopes[old], self.new.scopes[new]
        return (
            first.flags == second.flags
            and self.old.passes_on(old) == self.new.passes_on(new)
            and ((first.key not in self.otherwise and self._heads(first, second)) or self._takes_otherwise(old, new))
            and self.both(first.returns, second.returns)
            and self.both(first.guards, second.guards)
            and self.both(first.yields, second.yields)
            and self._inside(old, new)
            and self._by_ways(first.key)
        )

    def _heads(self, first: m.Scope, second: m.Scope) -> bool:
        """Two definitions up to their bodies."""
        named, named_now = [each[:2] for each in first.params], [each[:2] for each in second.params]
        if (first.kind, first.outer_names, named) != (second.kind, second.outer_names, named_now):
            return False
        written, written_now = [each[2:] for each in first.params], [each[2:] for each in second.params]
        return self.both(
            [written, first.decorators, first.bases, first.base_keywords, first.annotation],
            [written_now, second.decorators, second.bases, second.base_keywords, second.annotation],
        )

    def _takes_otherwise(self, old: int, new: int) -> bool:
        """A definition of which parameters came, went, or are called or stand otherwise.

        Who asks what one is has noted that, and who passes on something for which there is one, or none, the head. So
        has nobody to be asked of those to which nothing leads that is seen. Without any parameter calls are not told
        apart; a method's first is the receiver, and decorators may look at what is declared.
        """
        first, second = self.old.scopes[old], self.new.scopes[new]
        is_otherwise = first.key in self.otherwise
        kept = _renamed(first.params, second.params) if is_otherwise else _kept(first.params, second.params)
        before = [param for number, param in enumerate(first.params) if is_otherwise or number not in kept]
        after = [param for number, param in enumerate(second.params) if is_otherwise or number not in kept.values()]
        if (
            not (first.params and second.params)
            or (self.old.class_of(old) >= 0 and (kept.get(0) != 0 or first.params[0][:2] != second.params[0][:2]))
            or (first.decorators and any(param[2] >= 0 for param in (*before, *after)))
            or (first.name.startswith("__") and first.name not in _TAKING)
            or self.old.passes_on(old)
            or not self.old.is_by_name(self.old.owner(first.parent))
            or not all(_is_plain(self.old, first, *param[2:]) for param in before)
            or not all(_is_plain(self.new, second, *param[2:]) for param in after)
        ):
            return False
        same = {} if is_otherwise else kept
        those, these = [first.params[each] for each in same], [second.params[each] for each in same.values()]
        self.parameters[first.key] = kept
        return self._heads(replace(first, params=those), replace(second, params=these))

    def _inside(self, old: int, new: int) -> bool:
        """The definitions inside: their heads, which stand in this body, and the names that they take from it."""
        inner, others = _inner(self.old, old), _inner(self.new, new)
        if [self.old.scopes[each].key for each in inner] != [self.new.scopes[each].key for each in others]:
            return False
        for each, other in zip(inner, others, strict=True):
            first, second = self.old.scopes[each], self.new.scopes[other]
            if self.old.owner(first.parent) == old and not self._heads(first, second):
                return False
        for name in _taken(self.old, old):
            bound, bound_now = self.old.names[old].get(name, ()), self.new.names[new].get(name, ())
            if not self.bindings(bound, bound_now):
                return False
            for each, other in zip(inner, others, strict=True):
                born, born_now = self.old.scopes[each].born, self.new.scopes[other].born
                if sum(place <= born for place in bound) != sum(place <= born_now for place in bound_now):
                    return False
        return True

    def _by_ways(self, key: str) -> bool:
        before, after = (ways.get(key, {}) for ways in self._ways)
        # Nobody offers '': what is not announced has never changed.
        return all(self._is_changed(way.announced) or self.both(before[way], after.get(way, [])) for way in before)


def _kept(first: list[Any], second: list[Any]) -> dict[int, int]:
    """The parameters that are what they were to who passes them; those by name alone may stand elsewhere.

    `**rest` holds what is passed by no other name: who passes it something has noted the head.
    """
    by_name = {(*each[:2],): place for place, each in enumerate(second) if each[1] in _MOVING}
    found = {}
    for place, each in enumerate(first):
        other = place
        if each[1] in _MOVING and place > 1:
            other = by_name.get((*each[:2],), place)
            other = other if other > 1 else place
        if other < len(second) and each[:2] == second[other][:2]:
            found[place] = other
    return found


def _renamed(first: list[Any], second: list[Any]) -> dict[int, int]:
    """For which parameter each may stand now: one of its name, else the one at its place."""
    by_name = {each[0]: place for place, each in enumerate(second)}
    found = {place: by_name[each[0]] for place, each in enumerate(first) if each[0] in by_name}
    taken = set(found.values())
    rest = (place for place in range(min(len(first), len(second))) if place not in found and place not in taken)
    return {**found, **{place: place for place in rest}}


def _is_plain(file: File, own: m.Scope, annotation: int, default: int) -> bool:
    """Whether a parameter has no default but a literal, and what its function gives is not declared by it."""
    entries = file.entries
    if default >= 0 and entries[default][0] != m.LITERAL:
        return False
    return annotation < 0 or (entries[annotation][0] == m.NAME and entries[annotation][1] not in _types(file, own))


def _types(file: File, own: m.Scope) -> set[str]:
    """The names in what a function is declared to give."""
    found, waiting = set[str](), [own.annotation]
    while waiting:
        number = waiting.pop()
        if number >= 0:
            entry = file.entries[number]
            found.update([entry[1]] if entry[0] == m.NAME else ())
            operands: Any = [entry[place] for place in OPERANDS.get(entry[0], ())]
            waiting.extend(_numbers(operands))
    return found


def _numbers(operands: Any) -> Iterator[int]:
    """The expressions in operands, and in lists of them."""
    for each in operands:
        if isinstance(each, int):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from _numbers(each)


def _inner(file: File, scope: int) -> list[int]:
    """The definitions inside a function, however deep."""
    return [number for number in file.within(scope) if file.scopes[number].kind != m.COMPREHENSION_SCOPE]


def _taken(file: File, scope: int) -> set[str]:
    """The names that definitions inside a function may take from around them."""
    inner = set(_inner(file, scope))
    found: set[str] = set()
    if inner:
        for number, where in enumerate(file.where):
            entry = file.entries[number]
            is_free = not entry[2] if entry[0] == m.NAME else entry[0] == m.LITERAL and is_text_of_name(entry)
            if is_free and file.owner(where) in inner:
                found.add(entry[1] if entry[0] == m.NAME else entry[2])
    return found


def _ways(file: File, functions: set[str]) -> dict[str, dict[_Way, list[Any]]]:
    """By the key of each of these functions: the ways into it, and the expressions to which each leads, in order."""
    inside = {number for number, scope in enumerate(file.scopes) if scope.key in functions}
    found: dict[str, dict[_Way, list[Any]]] = {}
    for stands, way, expressions in _led(file, [scope in inside for scope in file.where]):
        found.setdefault(file.scopes[file.where[stands]].key, {}).setdefault(way, []).append(expressions)
    return found


def _led(file: File, wanted: Sequence[bool]) -> Iterator[tuple[int, _Way, Any]]:
    """An expression that tells where, the way, and what it leads to; only where it is `wanted`."""
    path = file.path
    for name, numbers in file.calls_by_name.items():
        if not any(wanted[each] for each in numbers):
            continue
        all_filled = [slots.filled(file.entries, file.entries[each]) or _NONE for each in numbers]
        counts = Counter(chain.from_iterable(all_filled))
        (here,) = here_keys(path, name, file.defined, file.calls_by_name)
        for each, filled in zip(numbers, all_filled, strict=True):
            for slot in filled if wanted[each] else ():
                key = passes_key(name, slot) if slot else BARE_KEY + name
                yield each, _Way(key if counts[slot] <= slots.FEW else here, ("passing", name, slot)), each
    for name, numbers in file.decorations.items():
        for each in numbers:
            if wanted[each]:
                yield each, _Way(DECORATE_KEY + name, ("decoration", name)), each
    for each in file.indirect_calls:
        if wanted[each]:
            yield each, _Way(indirect_key(path), ("indirect call",)), each
    for method, operated in file.operations.items():
        for each, given in operated:
            if wanted[each]:
                yield each, _Way(operated_key(method), ("operated", method)), [each, *given]
    for begins, dispatched in file.dispatched_by.items():
        for each, asked in dispatched:
            if wanted[each]:
                yield each, _Way(dispatched_key(begins), ("dispatched", begins)), [each, asked]
    for each in sorted(file.prepared):
        if wanted[each]:
            yield each, _Way(indirect_key(path), ("prepared",)), each
    for each, value in file.taking:
        if wanted[each]:
            for what in file.takes_for(value):
                yield each, _Way(taking_key(path, what), ("taking", what)), [each, value]
    for name, taking in file.given_classes.items():
        for each, _ in taking:
            if wanted[each]:
                yield each, _Way(passed_key(path, name), ("given class", name)), each
    for name, taking in (*file.given_imports.items(), *file.given_classes.items()):
        for taker, value in [taker for each, _ in taking for taker in file.taking_prepared.get(each, ())]:
            if wanted[taker]:
                yield taker, _Way(passed_key(path, name), ("prepared for", name)), [taker, value]
    functions = {scope.name for scope in file.scopes if scope.kind == m.FUNCTION_SCOPE}
    for named, numbers in file.given.items():
        for each in numbers:
            if wanted[each]:
                if isinstance(named, int):
                    yield each, _Way("", ("given in place", file.scopes[named].key)), each
                elif named in functions:
                    yield each, _Way(passed_key(path, named), ("given", named)), each
    for name, numbers in file.given_attributes.items():
        for each in numbers:
            if wanted[each] and name in functions:
                yield each, _Way(passed_key(path, name), ("given attribute", name)), each
    for name, taking in file.given_imports.items():
        for each, value in taking:
            if wanted[each]:
                yield each, _Way(passed_key(path, name), ("given import", name)), [each, value]
    for name, taking in file.given_results.items():
        for each, value in taking:
            if wanted[each]:
                yield each, _Way(passed_key(path, f"{name}()"), ("given result", name)), [each, value]
    for name, numbers in file.held_imports.items():
        for each in numbers:
            if wanted[each]:
                yield each, _Way(passed_key(path, name), ("held import", name)), each
    for owner, stored in file.self_stores.items():
        key = file.scopes[owner].key
        for name, numbers in stored.items():
            for each in numbers:
                if wanted[each]:
                    yield each, _Way(member_key(path, key, name), ("own store", key, name)), each
    for name, stores in file.other_stores.items():
        for base, value in stores:
            if wanted[base]:
                yield base, _Way(stores_key(path, name), ("store", name)), [base, value]
    for name, stores in file.adopting.items():
        for base, value in stores:
            if wanted[base] and name in functions:
                yield base, _Way(adopted_key(path, name), ("adopted", name)), [base, value]
    for computed in file.computed_stores:
        if wanted[computed[0]]:
            yield computed[0], _Way(computed_stores_key(path), ("computed store",)), computed
    for name, fills in file.item_stores_by_name.items():
        for fill in fills:
            if wanted[fill[0]]:
                yield fill[0], _Way(filled_key(path, name), ("fill", name)), fill
    for name, fills in file.foreign_fills.items():
        for fill in fills:
            if wanted[fill[0]]:
                yield fill[0], _Way(fills_key(name), ("fill elsewhere", name)), fill
    for name, defaults in file.defaults.items():
        for keyword, value in defaults:
            if wanted[value]:
                yield value, _Way(default_key(name), ("default", name, keyword)), value
    for name, numbers in file.foreign_takes.items():
        for each in numbers:
            if wanted[each]:
                yield each, _Way(taken_key(name), ("taken elsewhere", name)), each
    for (scope, name), numbers in file.from_inside.items():
        for each in numbers:
            value = file.bindings[each][2]
            if wanted[value]:
                yield value, _Way("", ("bound outside", file.scopes[scope].key, name)), value
