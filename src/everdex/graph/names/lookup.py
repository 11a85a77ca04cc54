"""What the parts of the name resolver need of each other, and the state they share while one file is resolved.

Names lead to types, types to members and members to names again. To break that circle the parts are written against
this interface and put together in `evaluate`. Depth and work are bounded here, so that no answer depends on who asked
first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.names.imports import Led
from everdex.graph.names.index import Index, Reader, Ref
from everdex.graph.names.module import Module
from everdex.graph.names.things import Place, Thing

MAX_DEPTH: Final = 10
SHALLOW: Final = 3
# Lookups for one use. Ordinary ones take a few dozen; only tangles of types that extend each other reach it.
MAX_WORK: Final = 1_000


class Lookup(ABC):
    """One file's resolution at work."""

    def __init__(self, index: Index, module: Module, body: facts.Body) -> None:
        self.module = module
        self.rules = module.rules
        self.reader = Reader(index, self.rules.group)
        self.budget = MAX_WORK
        self._depth = 0
        self._in_bases = 0
        self.results: Callable[[int, int], Thing] | None = None  # what operators give, by their places
        self.header = ""  # the type in whose header something stands: what that inherits is not in scope
        self.asks_below = True  # not where that is being worked out
        # What was worked out near the surface, where the bound on depth cannot have cut it short.
        self._names: dict[tuple[str, int, int, bool, bool, bool, str], Thing] = {}
        self._bases: dict[str, tuple[list[Thing], str]] = {}
        self._impls: dict[str, list[Ref]] = {}
        # Go's, with the names of their methods and what these take.
        self._interfaces: dict[str, list[tuple[str, tuple[int, int]]]] = {}
        self._reached: dict[tuple[str, bool], frozenset[str]] = {}  # files that a C file includes, perhaps or surely
        self._satisfied: dict[tuple[str, str], bool] = {}
        self._leads: dict[tuple[int, tuple[int, ...]], tuple[dict[str, list[Led]], list[Led]]] = {}
        self._parts: dict[int, dict[str, str]] = {}
        self._received: dict[int, Thing | None] = {}  # Kotlin: what `this` is in a block; None: nothing new
        self._locals: dict[tuple[int, str], list[facts.Local]] = {}
        for item in body.locals:
            self._locals.setdefault((item.scope, item.name), []).append(item)

    @abstractmethod
    def evaluate(self, chain: str, place: Place) -> Thing:
        """What a chain's value is."""

    @abstractmethod
    def step(self, thing: Thing, name: str, place: Place, will_call: bool = False, count: int = -1) -> Thing:
        """A member of a thing, which may be called with so many arguments."""

    @abstractmethod
    def type_named(self, text: str, place: Place) -> Thing:
        """An instance of the type that a text states."""

    @abstractmethod
    def handed_out(self, text: str, home: Place) -> Thing:
        """The same of what a function returns or a container holds: nobody knows what stands for a type parameter."""

    @abstractmethod
    def called(self, thing: Thing) -> Thing:
        """What calling it gives."""

    @abstractmethod
    def operated(self, stated: str, place: Place) -> Thing:
        """What the operator at a place of the file gives."""

    @abstractmethod
    def second_result(self, chain: str, place: Place) -> Thing:
        """What a call gives besides its first result."""

    @abstractmethod
    def second_of_items(self, chain: str, place: Place) -> Thing:
        """The second part of what is taken out of it: the value of a map, what has a number."""

    @abstractmethod
    def received(self, chain: str, place: Place) -> Thing:
        """What a loop with one variable takes out of it: what is received, of a channel, and else only a number."""

    @abstractmethod
    def handed(self, method: str, chain: str, place: Place) -> Thing:
        """What a method of a library hands to the function that it is given."""

    @abstractmethod
    def taken(self, name: str, chain: str, place: Place) -> Thing:
        """What a pattern takes out of what it states."""

    @abstractmethod
    def slot(self, thing: Thing, name: str) -> Thing | None:
        """An attribute that exists by assignment in the type or its bases."""

    @abstractmethod
    def item_of(self, thing: Thing) -> Thing:
        """What taking an item out of it gives."""

    @abstractmethod
    def name(self, name: str, place: Place, types_only: bool = False, called: bool = True) -> Thing:
        """What a bare name is at a place."""

    @abstractmethod
    def of_refs(self, refs: tuple[Ref, ...]) -> Thing:
        """What definitions of one name are."""

    @abstractmethod
    def bases(self, name: str) -> tuple[list[Thing], str]:
        """The bases of a type inside the root, and one outside it."""

    @abstractmethod
    def kin(self, name: str, refs: Sequence[Ref]) -> tuple[Ref, ...]:
        """C#: which of the types of one name are meant, where these take different numbers of types."""

    @abstractmethod
    def member(self, thing: Thing, name: str) -> tuple[list[Ref], str]:
        """The members of a name: of the type itself, else of the nearest bases; and an outside base if it has one."""

    @abstractmethod
    def field(self, thing: Thing, name: str) -> list[Ref]:
        """The members of a name where it is not called: rather values than methods of the same name."""

    @abstractmethod
    def accessed(self, thing: Thing, name: str, written: bool = False) -> list[Ref]:
        """Kotlin: the methods of Java that reading, or writing, what looks like a property of a thing calls."""

    @abstractmethod
    def local(self, name: str, place: Place) -> facts.Local | None:
        """The nearest binding of a name in the functions around a place."""

    @abstractmethod
    def nearest(self, thing: Thing, name: str, fit: Callable[[list[Ref]], list[Ref]]) -> tuple[list[Ref], str]:
        """Of the members of a name those that fit, in the nearest type that has such."""

    @abstractmethod
    def is_seen(self, ref: Ref) -> bool:
        """Whether Kotlin sees a member of a class of Java from this file."""

    @abstractmethod
    def lineage(self, name: str) -> tuple[set[str], bool]:
        """The last names of a type and of all that it extends, and whether some of that is not in the root."""

    @abstractmethod
    def extended(self, place: Place) -> Thing | None:
        """The type that the extension function around a place is written for."""

    @abstractmethod
    def is_space(self, name: str) -> bool:
        """Whether there is a package, namespace or module of this name."""
