"""The definitions of a world by name, for every file that is resolved in it.

Remembers what it decoded; answers depend on the world alone. It must be asked through a `Reader`, which notes the keys
that each answer was read from.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from sys import intern
from typing import Final, NamedTuple

from everdex.facts import names_model as facts
from everdex.facts.imports import GLOBAL
from everdex.graph.model import World
from everdex.graph.names import offers
from everdex.graph.names.module import Module
from everdex.graph.names.rules import ABSTRACT, CALLABLES

# What more files than this define tells nobody apart; the rest is not looked at.
MAX_FILES: Final = 48
MAX_DEFINITIONS: Final = 32
MAX_OVERLOADS: Final = 128  # of one name in one type, all of which are asked what they take
# Whose method stands for whose, and what is below a type, is looked at in more: `Close` and `run` are everywhere.
MAX_CROWD: Final = 256
MAX_SHARED: Final = 4_096  # answers that are kept for other files


class Ref(NamedTuple):
    """A definition of a file."""

    module: Module
    at: int

    @property
    def defined(self) -> facts.Defined:
        return self.module.outline.definitions[self.at]

    @property
    def name(self) -> str:
        return self.module.names[self.at]

    @property
    def key(self) -> str:
        return self.module.keys[self.at]

    def takes(self, count: int) -> bool:
        """Whether it may take so many arguments."""
        least, most = self.defined.least, self.defined.most
        return least <= count and (most < 0 or count <= most)

    @property
    def is_explicit(self) -> bool:
        """Whether it is what a type of C# has for an interface alone: `void IList.Add(object item)`."""
        return any(f".{self.defined.name}{end}" in self.defined.signature for end in "(<")

    @property
    def is_expected(self) -> bool:
        """Whether Kotlin's `expect` or `actual` stands before it, or before the type that it is in."""
        return self.module.is_expected(self.at)

    @property
    def has_members(self) -> bool:
        return self.name in self.module.owners


Used = tuple[Module, facts.Import]


class Reach(NamedTuple):
    """Rust: a module and those it has everything from. What each imports by name, which stars lead on from it, and
    which of them are seen from inside; and the keys that this was read from."""

    named: dict[str, dict[str, list[Used]]]
    starred: dict[str, tuple[str, ...]]
    inner: frozenset[str]
    keys: frozenset[str]


class Below(NamedTuple):
    """What stands below a type, members of a name or the types themselves: all of it, or nothing as it is too much."""

    refs: tuple[Ref, ...] = ()
    names: tuple[str, ...] = ()
    is_all: bool = True


class Index:
    """Decoded files and looked-up names of one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._modules: dict[str, Module | None] = {}
        self._found: dict[str, tuple[Ref, ...]] = {}
        self._every: dict[str, tuple[Ref, ...] | None] = {}
        self._go_modules: tuple[tuple[str, str], ...] | None = None
        self._renamed_crates: dict[str, dict[str, str]] = {}
        # Of a C file: what it includes, directly and in the end, each with the keys that were looked at.
        self.includes: dict[str, tuple[tuple[tuple[str, bool], ...], frozenset[str]]] = {}
        self.reached: dict[tuple[str, bool], tuple[frozenset[str], frozenset[str]]] = {}
        # What stands below a type, with the keys that were looked at.
        self.below: dict[tuple[str, ...], tuple[Below, tuple[str, ...]]] = {}
        # Of a Rust module: what its stars lead to, and which of these have a name.
        self.reaches: dict[tuple[str, bool, int], Reach] = {}
        self.reached_places: dict[tuple[str, bool, str], tuple[str, ...]] = {}

    def module(self, path: str) -> Module | None:
        if path not in self._modules:
            encoded = self.world.facts(path)
            known = encoded.startswith(facts.FAMILY)
            self._modules[path] = Module(path, facts.outline_of(encoded)) if known else None
        return self._modules[path]

    def named(self, key: str, name: str, whole: bool) -> tuple[Ref, ...]:
        """Definitions behind a `d:` key (whole lookup name) or an `n:`/`x:` key (last name)."""
        found = self._found.get(key)
        if found is None:
            refs: list[Ref] = []
            for path in self.world.offering(key)[:MAX_FILES]:
                module = self.module(path)
                if module is None:
                    continue
                known = module.by_name if whole else module.by_last_name
                refs += [Ref(module, at) for at in known.get(name, ())]
            found = self._found[key] = tuple(refs[: MAX_OVERLOADS if whole else MAX_DEFINITIONS])
        return found

    def every(self, key: str, name: str) -> tuple[Ref, ...] | None:
        """All definitions behind a key with this last name; None where too many files have some."""
        if key not in self._every:
            paths = self.world.offering(key)
            modules = [module for path in paths if (module := self.module(path))] if len(paths) <= MAX_CROWD else []
            found = tuple(Ref(module, at) for module in modules for at in module.by_last_name.get(name, ()))
            self._every[key] = found if len(paths) <= MAX_CROWD else None
        return self._every[key]

    def scanned(self, key: str, fits: Callable[[Module, facts.Defined], bool]) -> tuple[Ref, ...] | None:
        """All definitions of the files behind a key that fit; None where these are too many, or the files."""
        if key not in self._every:
            paths = self.world.offering(key)
            modules = [module for path in paths if (module := self.module(path))] if len(paths) <= MAX_CROWD else []
            found = tuple(
                Ref(module, at)
                for module in modules for at, item in enumerate(module.outline.definitions) if fits(module, item)
            )  # fmt: skip
            self._every[key] = found if max(len(paths), len(found)) <= MAX_CROWD else None
        return self._every[key]

    def go_modules(self) -> tuple[tuple[str, str], ...]:
        """Module path and directory of every go.mod, longest path first."""
        if self._go_modules is None:
            found = []
            for path in self.world.offering(f"{offers.PREFIX}go.mod"):
                name = offers.go_module_of(self.world.source(path))
                if name:
                    found.append((name, posixpath.dirname(path)))
            self._go_modules = tuple(sorted(found, key=lambda item: (-len(item[0]), item)))
        return self._go_modules

    def renamed_crate(self, key: str, name: str, user: str) -> str:
        """What the package is called to which the nearest manifest around a file gives another name."""
        around = [
            path for path in self.world.offering(key)
            if not (directory := posixpath.dirname(path)) or user.startswith(f"{directory}/")
        ]  # fmt: skip
        return self._renamed(max(around, key=len)).get(name, "") if around else ""

    def _renamed(self, manifest: str) -> dict[str, str]:
        known = self._renamed_crates.get(manifest)
        if known is None:
            known = self._renamed_crates[manifest] = offers.renamed_crates(self.world.source(manifest))
        return known


class Reader:
    """The index as one file's resolution sees it: it writes down every key that was looked at."""

    def __init__(self, index: Index, group: str) -> None:
        self.index, self.group = index, group
        self.reads: set[str] = set()

    def definitions(self, name: str) -> tuple[Ref, ...]:
        key = offers.key(self.group, "d", name)
        self.reads.add(key)
        return self.index.named(key, name, True)

    def named(self, name: str) -> tuple[Ref, ...]:
        key = offers.key(self.group, "n", name)
        self.reads.add(key)
        return self.index.named(key, name, False)

    def every(self, name: str) -> tuple[Ref, ...] | None:
        """What `named` gives, but all of it; None where it is too much."""
        key = offers.key(self.group, "n", name)
        self.reads.add(key)
        return self.index.every(key, name)

    def declared(self, name: str) -> list[Ref]:
        """The methods of a name in interfaces and traits."""
        key = offers.key(self.group, "m", name)
        self.reads.add(key)
        found = self.index.every(key, name) or self.index.named(key, name, False)
        return [
            ref for ref in found
            if ref.defined.parent >= 0 and ref.module.outline.definitions[ref.defined.parent].kind in ABSTRACT
        ]  # fmt: skip

    def methods(self, ref: Ref) -> list[facts.Defined]:
        """The methods of an interface of Go: whether a type has all of them depends on each."""
        self.reads.add(offers.key(self.group, "w", ref.name))
        return [
            item for item in ref.module.outline.definitions if item.parent == ref.at and item.kind in CALLABLES
        ]

    def is_name(self, name: str) -> bool:
        """Whether anything in the root is called so: a definition, a Rust module, or what is imported by this name."""
        keys = [offers.key(self.group, kind, name) for kind in ("n", "a")]
        self.reads.update(keys)
        return any(self.index.world.offering(each) for each in keys)

    def extensions(self, name: str) -> list[Ref]:
        key = offers.key(self.group, "x", name)
        self.reads.add(key)
        return [ref for ref in self.index.named(key, name, False) if ref.defined.receiver]

    def slots(self, name: str) -> list[tuple[Module, facts.Slot]]:
        key = offers.key(self.group, "d", name)
        self.reads.add(key)
        found = []
        for path in self.index.world.offering(key)[:MAX_FILES]:
            module = self.index.module(path)
            if module is not None:
                found += [(module, slot) for slot in module.slots.get(name, ())]
        return found

    def saying_base(self, name: str) -> tuple[Ref, ...] | None:
        """All definitions that name this as a base; None where it is too much."""
        return self._scanned("s", name, lambda module, item: name in module.bases_of(item))

    def implementing(self, name: str) -> tuple[Ref, ...]:
        """Rust's impl blocks for a type of this name, wherever they are."""
        return self._scanned("i", name, lambda _, item: item.kind == "impl" and item.name == name) or ()

    def shared(self, question: tuple[str, ...]) -> Below | None:
        """What was said to a question about what is below a type; None where nobody has asked it lately."""
        known = self.index.below.get((self.group, *question))
        if known is not None:
            self.reads.update(known[1])
        return known[0] if known is not None else None

    def share(self, question: tuple[str, ...], answer: Below, reads: set[str]) -> Below:
        """Keeps it for others, with all that was looked at."""
        if len(self.index.below) >= MAX_SHARED:
            self.index.below.clear()
        self.index.below[self.group, *question] = answer, tuple(map(intern, reads))
        self.reads |= reads
        return answer

    def _scanned(
        self, kind: str, name: str, fits: Callable[[Module, facts.Defined], bool]
    ) -> tuple[Ref, ...] | None:
        key = offers.key(self.group, kind, name)
        self.reads.add(key)
        return self.index.scanned(key, fits)

    def space(self, name: str) -> tuple[str, ...]:
        """The files of a package or namespace."""
        key = offers.key(self.group, "p", name)
        self.reads.add(key)
        return tuple(self.index.world.offering(key))

    def files(self, name: str) -> tuple[str, ...]:
        """The files of a base name."""
        key = offers.key(self.group, "b", name)
        self.reads.add(key)
        return tuple(self.index.world.offering(key))

    def everywhere(self, module: Module) -> list[facts.Import]:
        """What C# files at or above the directory of a file import for their whole project."""
        if self.group != "csharp":
            return []
        key = offers.key(self.group, "g", "")
        self.reads.add(key)
        found: list[facts.Import] = []
        for path in self.index.world.offering(key):
            home = posixpath.dirname(path).removesuffix("/Properties")
            other = self.index.module(path)
            if other is not None and (not home or module.path.startswith(f"{home}/")):
                found += [item for item in other.outline.imports if item.kind == GLOBAL]
        return found

    def context(self, module: Module) -> None:
        """A text of this file is read with its imports."""
        self.reads.add(offers.key(self.group, "f", module.path))

    def go_modules(self) -> tuple[tuple[str, str], ...]:
        self.reads.add(f"{offers.PREFIX}go.mod")
        return self.index.go_modules()

    def crate(self, name: str, user: str) -> tuple[str, ...]:
        """The directories of what a Rust file calls a crate: by the name that a manifest around the file gives it, or
        its own."""
        renamed = f"{offers.PREFIX}renamed:{name}"
        self.reads.add(renamed)
        key = f"{offers.PREFIX}crate:{self.index.renamed_crate(renamed, name, user) or name}"
        self.reads.add(key)
        return tuple(posixpath.dirname(path) for path in self.index.world.offering(key))
