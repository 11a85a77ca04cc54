"""The contract between the languages' resolvers and the graph: what resolution reads, and what it answers.

A resolver turns one file's *facts* (`everdex.facts`) into a `FileGraph`. It may read other files only through a
`World`. Words that the whole room uses:

    site     a place in a file that names something: a call, a read, a write, an import …
    key      a string that names something one file can learn from another: a definition, a module, a called name
    offer    a key that a file has something to say about, with a hash of what a reader could see there
    read     a key that was looked up while a file was resolved, whether or not anybody offers it
    part     a stretch of a file (in Python a function) that can be resolved again without the rest

After an edit exactly those files are resolved again that read a key whose offers changed. For that to be right a
FileGraph must depend on the world alone, never on the order of the questions. Byte ranges are half-open; lines count
from 1, columns from 0 and in bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

import msgspec

LIMITS: Final = (0, 3, 8, 10, 16, 24, 40, 80)  # of how many files it may matter that there are more
PLACES: Final = (80,)  # of how many places in all files it may matter that there are more
MORE_MARK: Final = "more\0"  # no key begins with it; the place of the limit stands behind it


def more_key(key: str, limit: int) -> str:
    """The key to note instead of one that more files offer than a limit, by who needs to know only that."""
    return f"{MORE_MARK}{LIMITS.index(limit)}{key}"


def more_places_key(key: str, limit: int) -> str:
    """The same of a key whose offers are counts, by who needs to know that they are more than a limit in all."""
    return f"{MORE_MARK}{len(LIMITS) + PLACES.index(limit)}{key}"


class Role(StrEnum):
    """What a site does with what it names."""

    CALL = "call"
    REFERENCE = "reference"  # names it without calling: a value passed on, an annotation
    WRITE = "write"
    IMPORT = "import"
    INHERIT = "inherit"  # from the class to a base
    DECORATE = "decorate"  # from the decorated definition to the decorator
    OVERRIDE = "override"  # from a method to the one it replaces; its place is the method's name


class Status(StrEnum):
    RESOLVED = "resolved"  # the targets follow from code that was read; several when it may be each, some outside
    AMBIGUOUS = "ambiguous"  # the evidence ends at several candidates, or at a name that only they have
    EXTERNAL = "external"  # outside the root: a library, a builtin
    UNRESOLVED = "unresolved"  # `reason` says why; targets are empty


SYNTACTIC: Final = "syntactic"  # the layer of what is read from the text

# Why there may be more to a site of which an indexer says something else than its text.
DISAGREES: Final = "read from the text, it is something else"

# Why a site is ambiguous whose candidates are all one name: signatures of a function that nothing implements.
OVERLOADS: Final = "several overloads fit"
# Why something is not known that is read under a name which the program computes: it may be any.
COMPUTED: Final = "dynamic attribute"


class Node(msgspec.Struct, frozen=True, gc=False):
    """A definition, or the file itself (the first node of every FileGraph, with key '')."""

    key: str  # unique in its file, kept by shifts and body edits: 'Class.method', 'f.<lambda1>', 'f~2' for a second f
    qualified_name: str  # as people write it, from the root: 'pkg.mod.Class.method'
    name: str
    kind: str  # module, class, function, method, lambda, interface, struct, …
    parent: int  # index of the node around it; -1 for the file
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    name_line: int
    name_column: int
    signature: str  # normalised, one line; '' when it has none
    public: bool


class Target(msgspec.Struct, frozen=True, gc=False):
    """A node of a file in the root, or, with an empty path, the dotted name of something outside it."""

    path: str
    key: str


class Site(msgspec.Struct, frozen=True, gc=False):
    """One place where a file names something. No call site is ever left out."""

    role: Role
    source: int  # index of the innermost node around it
    line: int  # of `self.store.open` the place of `open`
    column: int
    end_line: int
    end_column: int
    text: str  # what is named, as written, at most its last 80 characters: 'self.store.open'
    status: Status
    targets: tuple[Target, ...]
    reason: str  # what is not known: 'untyped parameter', 'missing import', …; of a resolved site why there may be more
    semantic: bool = False  # an indexer that knows types says so

    @property
    def layer(self) -> str:
        """Who says so, as answers put it."""
        return "semantic" if self.semantic else SYNTACTIC


class Dependency(msgspec.Struct, frozen=True, gc=False):
    """A file that this one imports, includes or uses."""

    target: Target  # of another file's module node, or external
    line: int
    names: tuple[str, ...]  # what is taken from it; empty for the whole


RESOLVED: Final = -1  # of a part: now
LEFT: Final = -2  # it waits: nobody needs it yet


class Part(msgspec.Struct, frozen=True, gc=False):
    """A stretch of a file whose sites are resolved, and resolved again, by themselves."""

    node: int  # index; 0, the file, for all that is in no other part
    digest: int  # 64 bits, of its text and of what its sites' columns depend on
    looked: int  # bits: which of the keys of `Parts` its sites looked at that were resolved now; 0 when all were kept
    kept: int  # the number of the earlier part whose sites it has, or RESOLVED or LEFT


@dataclass(frozen=True, slots=True)
class Parts:
    """How a file was resolved in parts."""

    keys: tuple[int, ...]  # hashes of all that its parts looked at, the file's own content with it
    own: int  # bits: which keys stand for that
    all: tuple[Part, ...]
    of_sites: tuple[int, ...]  # of each site, its part
    names: frozenset[str] = frozenset()  # where some are left: no part is left that writes one of these


@dataclass(frozen=True, slots=True)
class FileGraph:
    """Everything resolution says of one file."""

    nodes: tuple[Node, ...]
    sites: tuple[Site, ...]  # by place
    dependencies: tuple[Dependency, ...]
    reads: frozenset[str]  # every key that was looked at, found or not; of Python's files only `parts` tell
    interface: str  # hash of sorted public kind, name, normalised signature: not of bodies, not of private names
    partial: bool  # the file has syntax errors: what is missing may be behind them
    parts: Parts | None = None  # None where the whole file is resolved at once
    symbols: tuple[str, ...] = ()  # of each node an indexer's name, '' where it has none; empty where none has
    waits: bool = False  # the sites of some of its parts, or all its sites, are left out


@dataclass(frozen=True, slots=True)
class Kept:
    """What an earlier resolution said of a file that was resolved in parts."""

    nodes: Sequence[Node]
    sites: Sequence[Site]
    dependencies: tuple[Dependency, ...]
    partial: bool
    parts: Sequence[tuple[str, int]]  # key of the node, and digest
    of_sites: Sequence[int]
    stale: frozenset[int]  # parts that looked at a key whose offers have changed since, or that nobody has resolved
    same: bool  # the file's bytes are what they were
    facts: Callable[[], bytes | None]  # of the file as it was; None when they are forgotten


class Outlined(NamedTuple):
    """What a file defines."""

    nodes: tuple[Node, ...]
    partial: bool  # it has syntax errors


class World(Protocol):
    """The live files of one snapshot, as far as a resolver may know them."""

    def facts(self, path: str) -> bytes:
        """A live file's facts; b"" when it has none."""

    def source(self, path: str) -> bytes:
        """A live file's bytes, for project files such as tsconfig.json and go.mod."""

    def offering(self, key: str) -> Sequence[str]:
        """The live files that offer this key, sorted."""

    def total(self, key: str) -> int:
        """Of a key whose offers are counts: the sum over all live files."""


@dataclass(frozen=True, slots=True)
class Since:
    """What is another in a world than in the one before it."""

    before: str  # digests of the two snapshots
    now: str
    files: frozenset[str]  # that came, went or have other content
    # Low halves of hashes: all that those offered and offer, and limits on the other side of which some key is now.
    keys: frozenset[int]


class Resolution(Protocol):
    """A resolver at work on one world. It may remember what it worked out, as long as answers do not depend on it."""

    def resolve(
        self, path: str, kept: Kept | None = None, writing: Callable[[bytes], bool] | None = None
    ) -> FileGraph:
        """The graph of one of its language's files; parts that are in `kept` and not stale may be taken from there.

        Of the others those may be left out of which the text is not `writing` what somebody asks for.
        """

    def outline(self, path: str) -> Outlined:
        """The nodes of that graph alone: little work beside the sites."""


class Resolver(Protocol):
    """The knowledge of one family of languages."""

    @property
    def languages(self) -> frozenset[str]:
        """Which files are its own."""

    def begin(self) -> Resolver:
        """Itself for one graph and one thread: what it made of a file for one question may serve the next."""

    def offers(self, path: str, facts: bytes, source: bytes) -> Mapping[str, int]:
        """What a file offers to be looked at by others: each key with a hash of what a reader of it could see.

        Positions are not part of a hash: a shifted line changes no other file's answer.
        """

    def unseen(self, path: str, before: bytes, after: bytes, change: Callable[[str], int]) -> Sequence[str]:
        """Keys of an edited file whose hashes changed although no reader could tell, from its facts before and after.

        `change` says of a key how its hash changed: 0 where it did not, -1 where the key came or went, else the lower
        halves of both joined by `^`. Saying none is always right.
        """

    def open(self, world: World, since: Since | None = None) -> Resolution:
        """Begin resolving in a world. Cheap: nothing is read before it is asked for.

        What it knows of the world before it may use where that still holds.
        """

    def rest(self) -> None:
        """A graph is made; it may keep what it knows of its world for the next one, or nothing."""
