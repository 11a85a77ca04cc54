"""One file as the resolver looks at it: its definitions by the names under which other files find them.

A lookup name is the file's space (its package, namespace or module) and the path inside the file, joined with '.'. A
pure function of path and facts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.names.rules import METHODS, RULES, Rules
from everdex.graph.names.types import last_name


def stem(path: str) -> str:
    """Without extension, dotted: what names a file in languages that have nothing else."""
    front, slash, name = path.rpartition("/")
    return (front + slash + (name.rpartition(".")[0] or name)).replace("/", ".")


def rust_space(path: str) -> str:
    """The module a Rust file is: directories outside `src` name the crate, those inside the module."""
    parts = path.removesuffix(".rs").split("/")
    if "src" in parts[:-1]:
        at = len(parts) - 2 - parts[:-1][::-1].index("src")
        parts = parts[:at] + parts[at + 1 :]
        if parts[-1] in ("lib", "main") and len(parts) == at + 1:
            parts.pop()
    elif parts[-1] in ("lib", "main"):
        parts.pop()
    if parts and parts[-1] == "mod":
        parts.pop()
    return ".".join(part.replace("-", "_") for part in parts)


def rust_crate(path: str) -> str:
    """The space of the crate's root."""
    parts = path.removesuffix(".rs").split("/")
    if "src" in parts[:-1]:
        at = len(parts) - 2 - parts[:-1][::-1].index("src")
        inside = parts[at + 1 :]
        crate = parts[:at] + (["bin", inside[1]] if inside[0] == "bin" and len(inside) > 1 else [])
        return ".".join(part.replace("-", "_") for part in crate)
    return rust_space(path)


_BUILD: Final = ".sbt"


def space_of(path: str, outline: facts.Outline) -> str:
    """Where the file's outermost definitions are looked for."""
    language = outline.language
    if language == "go":
        directory = path.rpartition("/")[0] or "."
        return directory + ("_test" if outline.package.endswith("_test") else "")
    if language == "scala" and path.endswith(_BUILD):
        return f"{stem(path)}.sbt"  # which nothing else sees
    if language in ("java", "kotlin", "scala", "csharp", "php"):
        return outline.package
    if language == "rust":
        return rust_space(path)
    if language == "lua":
        return stem(path)
    return ""


def swift_module(path: str) -> str:
    """The module that a file of a package is part of."""
    module = re.search(r"(?:^|/)(?:Sources|Tests)/([^/]+)/", path)
    return module[1] if module else ""


def display_of(path: str, outline: facts.Outline) -> str:
    """What people put before the names of a file's outermost definitions."""
    language = outline.language
    if language == "go":
        return (path.rpartition("/")[0] or outline.package.removesuffix("_test")).replace("/", ".")
    if language == "swift":
        return swift_module(path) or stem(path)
    if language in ("java", "kotlin", "scala", "csharp", "php"):
        return outline.package
    return space_of(path, outline) if language == "rust" else stem(path)


@dataclass(frozen=True, eq=False)
class Module:
    """A decoded file."""

    path: str
    outline: facts.Outline

    @property
    def rules(self) -> Rules:
        return RULES[self.outline.language]

    @cached_property
    def space(self) -> str:
        return space_of(self.path, self.outline)

    @cached_property
    def names(self) -> list[str]:
        """The lookup name of each definition."""
        prefix = f"{self.space}." if self.space else ""
        return [
            # A file that is a namespace by one statement has the statement as a definition as well; the preprocessor
            # knows no namespaces.
            item.path if item.kind == "namespace" and item.path == self.outline.package
            else item.name if item.kind == "macro" and self.rules.group == "c" else prefix + item.path
            for item in self.outline.definitions
        ]

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for index, name in enumerate(self.names):
            found.setdefault(name, []).append(index)
        return found

    @cached_property
    def owners(self) -> frozenset[str]:
        """What stands before the last name of a definition."""
        return frozenset(name.rpartition(".")[0] for name in self.names)

    @cached_property
    def by_last_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for index, item in enumerate(self.outline.definitions):
            found.setdefault(item.name, []).append(index)
        return found

    @cached_property
    def keys(self) -> list[str]:
        """The node key of each definition: its path, and a number where a path occurs again."""
        counts: dict[str, int] = {}
        keys = []
        for item in self.outline.definitions:
            if item.flags & facts.SCOPE_ONLY:
                keys.append("")
                continue
            counts[item.path] = counts.get(item.path, 0) + 1
            keys.append(item.path if counts[item.path] == 1 else f"{item.path}~{counts[item.path]}")
        return keys

    @cached_property
    def slots(self) -> dict[str, list[facts.Slot]]:
        """Attributes that exist by assignment, by lookup name."""
        found: dict[str, list[facts.Slot]] = {}
        for slot in self.outline.slots:
            found.setdefault(f"{self.names[slot.owner]}.{slot.name}", []).append(slot)
        return found

    @cached_property
    def imports_by_scope(self) -> dict[int, list[facts.Import]]:
        found: dict[int, list[facts.Import]] = {}
        for item in self.outline.imports:
            found.setdefault(item.scope, []).append(item)
        return found

    @cached_property
    def _unnamed_homes(self) -> dict[str, int]:
        """Inside which definition each struct without a name is."""
        return {item.receiver: item.parent for item in self.outline.definitions if item.kind == "field"}

    def unnamed(self, marker: str, scope: int) -> str:
        """The lookup name of a struct without a name: where its fields are found, its number and its file."""
        around = self._unnamed_homes.get(marker, scope)
        front = self.names[around] if around >= 0 else self.space
        return f"{front}.{marker}@{self.path.replace('.', '/')}"

    def has_unnamed(self, at: int, name: str) -> bool:
        """Whether a definition is a field of the struct of this lookup name."""
        marker, _, path = name.rpartition(".")[2].partition("@")
        return self.outline.definitions[at].receiver == marker and self.path.replace(".", "/") == path

    def is_expected(self, index: int) -> bool:
        """Whether a definition, or one around it, is Kotlin's of each platform."""
        definitions = self.outline.definitions
        heads = (definitions[at].signature.partition("(")[0].split() for at in self.chain(index))
        return any("expect" in head or "actual" in head for head in heads)

    @cached_property
    def _renamed(self) -> dict[str, str]:
        """What is imported under another name than its own."""
        named = ((item.alias, last_name(item.path)) for item in self.outline.imports if item.alias)
        return {alias: name for alias, name in named if alias != name}

    def bases_of(self, item: facts.Defined) -> list[str]:
        """The last names of a definition's bases; of what was imported under another name that and its own."""
        said = [last_name(base) for base in item.bases]
        return list(dict.fromkeys([*said, *(self._renamed[name] for name in said if name in self._renamed)]))

    def chain(self, scope: int) -> list[int]:
        """The definitions around a place, innermost first."""
        found = []
        definitions = self.outline.definitions
        while scope >= 0:
            found.append(scope)
            scope = definitions[scope].parent
        return found

    def owner(self, scope: int) -> str:
        """The lookup name of the type that `self` is of at a place; '' outside types."""
        definitions, language = self.outline.definitions, self.outline.language
        for index in self.chain(scope):
            item = definitions[index]
            in_block = item.parent >= 0 and definitions[item.parent].kind == "lambda"
            if language == "ruby" and item.kind in METHODS and in_block:
                return ""  # of whatever class the block is run in
            if item.kind in ("method", "constructor", "function") and (item.parent < 0 or "." in item.path):
                front = self.names[index].rpartition(".")[0]
                around = self.names[item.parent] if item.parent >= 0 else self.space
                if front != around:
                    return front  # the definition's own name says what it belongs to: `func (t *T) m`, `T::m`
            if item.kind in _OWNERS or (item.kind == "module" and language == "ruby"):
                return self.names[index]
        return ""


_OWNERS: Final = frozenset(("class", "interface", "struct", "enum", "trait", "object", "impl", "extension", "type"))
