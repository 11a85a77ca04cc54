"""Who else uses what a file defines, fast enough for a notice at every edit (answers use `relations`).

Which files refer to a definition is read from the graph's tables without opening any of them. Single uses, their
callers and how certain they are, are told only when few files have to be opened for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from everdex.graph.answers.queries import called_as
from everdex.graph.definitions.atlas import Atlas, Definition
from everdex.graph.model import Role, Status, Target
from everdex.languages import role_of

# What can be opened while an agent waits: a file takes about a millisecond.
_MAX_OPENED: Final = 24
_MAX_DEFINITIONS: Final = 400


@dataclass(eq=False, slots=True)
class Used:
    """A definition and who uses it outside its own file."""

    definition: Definition
    files: frozenset[int]
    certain: int = 0
    uncertain: int = 0
    callers: dict[str, None] = field(default_factory=dict)  # qualified names, in order of place

    @property
    def name(self) -> str:
        return self.definition.node.key

    @property
    def uses(self) -> int:
        return self.certain + self.uncertain


@dataclass(frozen=True, slots=True)
class Dependents:
    used: tuple[Used, ...]  # by how many files use them
    unused: tuple[Definition, ...]
    files: tuple[str, ...]  # every other file that refers to any of them

    @property
    def tests(self) -> tuple[str, ...]:
        return tuple(path for path in self.files if role_of(path) == "test")


def dependents(atlas: Atlas, path: str) -> Dependents | None:
    """Who uses what a file defines; None for a file that the graph does not speak of, or one too large for a notice."""
    number = atlas.graph.number(path)
    if number is None:
        return None
    definitions = [item for item in atlas.definitions(number) if not item.is_file]
    if not definitions or len(definitions) > _MAX_DEFINITIONS:
        return None
    targets = {item: called_as(atlas, item) for item in definitions}
    found = [Used(item, frozenset(atlas.referring(targets[item])) - {number}) for item in definitions]
    files = sorted(frozenset().union(*(item.files for item in found)))
    counted = len(files) <= _MAX_OPENED
    if counted:
        _count(atlas, files, {target: item for item in found for target in targets[item.definition]})
    used = [item for item in found if (item.uses if counted else item.files)]
    used.sort(key=lambda item: (-len(item.files), -item.uses, item.definition.number))
    unused = tuple(item.definition for item in found if item not in used)
    return Dependents(tuple(used), unused, tuple(atlas.graph.paths[file] for file in files))


def _count(atlas: Atlas, files: list[int], wanted: dict[Target, Used]) -> None:
    """Look at every use in these files once, for all definitions."""
    for file in files:
        columns = atlas.columns(file)
        for number in columns.sites_to(set(wanted)):
            site = columns.site(number)
            certain = site.status is Status.RESOLVED
            for used in {id(item): item for item in map(wanted.get, site.targets) if item is not None}.values():
                used.certain += certain
                used.uncertain += not certain
                if site.role is Role.CALL:
                    source = atlas.definition(file, site.source)
                    used.callers[source.node.qualified_name] = None
