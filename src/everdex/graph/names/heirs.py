"""Types below a type: what writes out there what it only declares, and whether that is all.

What is not all is said not to be: where more inherit from a type than are looked at, or its heirs are a tangle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.names.index import Below, Ref
from everdex.graph.names.members import Members
from everdex.graph.names.rules import ABSTRACT, CALLABLES
from everdex.graph.names.things import INSTANCE, Thing

_MAX_HEIRS: Final = 48  # types below one that are looked at one by one
_MAX_METHODS_NAMED: Final = 100  # of a name, which are looked at where there are more types
_MAX_LINE: Final = 256  # types above one
_WORK: Final = 10_000  # lookups for one question about what is below
_MAX_METHODS: Final = 8  # of an interface, before a type that has so many of them is taken to have all
# Where a method that a type has from elsewhere is what its interface asks for.
_BY_INHERITANCE: Final = frozenset(("jvm", "csharp", "swift", "php", "ruby", "lua"))
_NOBODY: Final = facts.Body((), ())


_TOO_MANY: Final = Below(is_all=False)


def _with_body(refs: list[Ref]) -> list[Ref]:
    return [ref for ref in refs if ref.defined.flags & facts.BODY]


class Heirs(Members):
    """The part that knows what is below a type."""

    def implementations(self, refs: list[Ref], name: str) -> Below:
        """Where a member that is only declared, or may be replaced, is written out in the types below."""
        found: list[Ref] = []
        for owner, members in self._by_owner(refs).items():
            owners = self.reader.definitions(owner)
            if any(self._is_open(ref, owners) for ref in members):
                below = self._below(owner, name)
                if not below.is_all:
                    return below
                found += below.refs
        return Below(tuple(dict.fromkeys(found)))

    def _by_owner(self, refs: list[Ref]) -> dict[str, list[Ref]]:
        found: dict[str, list[Ref]] = {}
        for ref in refs:
            found.setdefault(ref.name.rpartition(".")[0], []).append(ref)
        return found

    def _is_open(self, ref: Ref, owners: Sequence[Ref]) -> bool:
        """Whether a call of a member may run what a type below has in its place."""
        if not owners or any(each.defined.kind in ABSTRACT for each in owners):
            return bool(owners)
        if self.rules.group == "c":
            return ref.defined.signature.startswith("virtual ")
        return not ref.defined.flags & facts.BODY

    def _below(self, owner: str, name: str) -> Below:
        """The members of a name in the types that extend this one, or of Go have all its methods."""
        if self.rules.group == "go":
            return self._asked((owner, name), lambda heirs: heirs._go_methods_of(owner, name))
        return self._asked((owner, name), lambda heirs: heirs._members_of(owner, name))

    def _heirs(self, owner: str) -> Below:
        """The types below one, nearest first."""
        return self._asked((owner,), lambda heirs: heirs._looked_through(owner))

    def _asked(self, question: tuple[str, ...], answer: Callable[[Heirs], Below]) -> Below:
        """What does not depend on who asks: worked out once for all files, each of which has looked at the same."""
        known = self.reader.shared(question)
        if known is not None:
            return known
        owners = self.reader.definitions(question[0])
        if not owners:
            return Below()
        heirs = type(self)(self.reader.index, owners[0].module, _NOBODY)
        heirs.reader.definitions(question[0])
        heirs.budget, heirs.asks_below = _WORK, False
        said = answer(heirs)
        return self.reader.share(question, said if heirs.budget > 0 else _TOO_MANY, heirs.reader.reads)

    def _looked_through(self, owner: str) -> Below:
        found: dict[str, None] = {}
        level = [owner]
        while level:
            following: list[str] = []
            for each in level:
                saying = self.reader.saying_base(each.rpartition(".")[2])
                if saying is None:
                    return _TOO_MANY
                for said in saying:
                    below = self._opened(said).name if said.defined.receiver else said.name
                    if below in found or below == owner or each not in self._base_names(below)[0]:
                        continue
                    found[below] = None
                    following.append(below)
                    if len(found) > _MAX_HEIRS:
                        return _TOO_MANY
            level = following
        return Below(names=tuple(found))

    def _members_of(self, owner: str, name: str) -> Below:
        heirs = self._heirs(owner)
        if not heirs.is_all:
            return self._named_below(owner, name)
        found: list[Ref] = []
        for below in heirs.names:
            own = self._own_members(below, name)
            if not own and self.rules.group in _BY_INHERITANCE:
                own = self.nearest(Thing(INSTANCE, below), name, _with_body)[0]
            found += own
        return Below(tuple(dict.fromkeys(found)))

    def _named_below(self, owner: str, name: str) -> Below:
        """The same where the types are too many: of the methods of the name those whose types extend this one."""
        every = self.reader.every(name)
        methods = [ref for ref in every or () if ref.defined.kind in CALLABLES and "." in ref.name]
        if every is None or len(methods) > _MAX_METHODS_NAMED:
            return _TOO_MANY
        found: list[Ref] = []
        for ref in methods:
            its = ref.name.rpartition(".")[0]
            if its != owner and owner in self._line(its):
                found.append(ref)
            elif its != owner and self.rules.group in _BY_INHERITANCE and ref.defined.flags & facts.BODY:
                heirs = self._heirs(its)
                if not heirs.is_all:
                    return _TOO_MANY
                if any(owner in self._line(each) for each in heirs.names):
                    found.append(ref)
        return Below(tuple(found))

    def _line(self, name: str) -> set[str]:
        """All that a type extends."""
        found: set[str] = set()
        waiting = [name]
        while waiting and len(found) < _MAX_LINE:
            above = [each for each in self._base_names(waiting.pop())[0] if each not in found]
            found.update(above)
            waiting += above
        return found

    def extending(self, outside: str, name: str) -> list[Ref]:
        """Members of a name in types of the root that extend one outside it."""
        if self.rules.stated:
            return []
        last = outside.rpartition(".")[2]
        return [ref for said in self.reader.saying_base(last) or () for ref in self._own_members(said.name, name)]

    def below(self, thing: Thing, name: str) -> tuple[Ref, ...]:
        """What an instance of an unstated type may have besides, because it may be of a type that extends this one."""
        if self.rules.stated or thing.kind != INSTANCE or thing.name.startswith("super:") or not self.asks_below:
            return ()
        return self._below(thing.name, name).refs

    def narrower(self, thing: Thing, name: str) -> list[Ref]:
        """What a value that is known by less than its type has, where a type below is what it must be: `R: Request`."""
        is_here = any(not ref.defined.flags & facts.SCOPE_ONLY for ref in thing.refs)
        if self.rules.group != "swift" or thing.kind != INSTANCE or thing.name.startswith("super:") or not is_here:
            return []
        return [ref for ref in self._below(thing.name, name).refs if ref.defined.kind in CALLABLES]

    # -- Go ------------------------------------------------------------------------------------

    def _go_methods_of(self, interface: str, name: str) -> Below:
        """All or none: some of those that have an interface would only be the first in the tree."""
        every = self.reader.every(name)
        if every is None:
            return _TOO_MANY
        methods = [ref for ref in every if ref.defined.kind == "method" and ref.defined.parent < 0]
        return Below(tuple(ref for ref in methods if self._go_implements(ref, interface)))

    def _go_implements(self, ref: Ref, interface: str) -> bool:
        """Whether the type of a method has an interface, or one has that embeds it and has the method by that."""
        owner = ref.name.rpartition(".")[0]
        return self._go_satisfies(owner, interface) or any(
            self._go_satisfies(each, interface) and ref in self.member(Thing(INSTANCE, each), ref.defined.name)[0]
            for each in self._heirs(owner).names
        )

    def go_replaced(self, owner: str, name: str) -> list[Ref]:
        """The methods of interfaces that a type's method stands for: nothing says so but that it has all of them."""
        found = []
        for ref in self.reader.declared(name):
            interface = ref.name.rpartition(".")[0]
            if interface != owner and self._go_satisfies(owner, interface):
                found.append(ref)
        return found

    def _go_satisfies(self, owner: str, interface: str) -> bool:
        wanted = self._interfaces.get(interface)
        if wanted is None:
            wanted = self._interfaces[interface] = self._go_methods(interface, 3)[:_MAX_METHODS]
        known = self._satisfied.get((owner, interface))
        if known is None:
            # Methods may be promoted from what is embedded.
            thing = Thing(INSTANCE, owner)
            known = all(
                any((ref.defined.least, ref.defined.most) == takes for ref in self.member(thing, each)[0])
                for each, takes in wanted
            )
            self._satisfied[owner, interface] = known
        return known

    def _go_methods(self, interface: str, depth: int) -> list[tuple[str, tuple[int, int]]]:
        """The names of an interface's methods, and how much each takes."""
        names = []
        for ref in self.reader.definitions(interface):
            names += [(item.name, (item.least, item.most)) for item in self.reader.methods(ref)]
        if depth > 0:
            for base in self.bases(interface)[0]:
                names += self._go_methods(base.name, depth - 1)
        return names
