"""Whose name a place writes, as far as its syntax and the sites around it tell: a rename asks before it edits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from everdex.graph.definitions.atlas import Atlas, Definition
from everdex.graph.model import Site, Status, Target
from everdex.graph.stored.packed import last_name
from everdex.graph.text.syntax import Syntax
from everdex.languages import JAVASCRIPT
from everdex.state.rename_model import RenameEdit
from everdex.state.unknown import SCOPED, is_member

_PLAIN: Final = frozenset(("member", "key", "name"))  # as `Syntax` tells them


class Written:
    """Whose name is written at a place: not always that of what runs there."""

    def __init__(self, atlas: Atlas) -> None:
        self._atlas = atlas
        self._syntax: dict[str, Syntax] = {}
        self._ends: dict[str, dict[tuple[int, int], list[int]]] = {}  # path -> where sites end -> those

    def names_another(self, path: str, site: Site, old: str, targets: set[Target]) -> bool:
        """Whether a variable or attribute is named that holds the definition, and has the same name as it."""
        end = site.end_line, site.end_column
        return any(
            target.path and target not in targets and last_name(target.key) == old and target not in site.targets
            for other in self._ending(path, end)
            if other.status is Status.RESOLVED and (other.line, other.column) == (site.line, site.column)
            for target in other.targets
        )

    def is_shorthand(self, edit: RenameEdit, *, of_module: bool = False) -> bool:
        """Whether the name stands for a property of the same name as well, which would be renamed with it."""
        return self._syntax_of(edit.path).is_shorthand(edit.byte_start, edit.byte_end, of_module=of_module)

    def is_key(self, edit: RenameEdit) -> bool:
        """Whether the name is that of a property where an object is written or taken apart."""
        return self._syntax_of(edit.path).how(edit.byte_start, edit.byte_end) == "key"

    def is_plain(self, edit: RenameEdit) -> bool:
        """Whether the name stands in code that is resolved, and for nothing beside itself."""
        if self._atlas.graph.number(edit.path) is None:
            return False
        return self._syntax_of(edit.path).how(edit.byte_start, edit.byte_end) in _PLAIN

    def has_scopes(self, path: str) -> bool:
        """Whether resolution knows what every bare name of a file is bound to (by its language)."""
        file = self._atlas.graph.number(path)
        return file is not None and self._atlas.entry(file).language in SCOPED

    def _syntax_of(self, path: str) -> Syntax:
        if path not in self._syntax:
            file = self._atlas.graph.number(path)
            assert file is not None
            self._syntax[path] = Syntax(self._atlas.entry(file).language, self._atlas.view.source(path))
        return self._syntax[path]

    def asks_an_object(self, path: str, site: Site, definition: Definition) -> bool:
        """Whether a place of JavaScript or TypeScript asks an object for what is no member.

        A property has its name from where the object was made. Only a module is known to pass names on as they are.
        """
        file = self._atlas.graph.number(path)
        assert file is not None
        has_objects = self._atlas.entry(file).language in JAVASCRIPT
        if "." not in site.text or not has_objects or is_member(self._atlas, definition):
            return False
        receiver = self._ending(path, (site.line, site.column - 1))
        return not any(target.path and not target.key for other in receiver for target in other.targets)

    def _ending(self, path: str, place: tuple[int, int]) -> Iterator[Site]:
        """The sites that end at a place."""
        file = self._atlas.graph.number(path)
        assert file is not None
        columns = self._atlas.columns(file)
        if path not in self._ends:
            ends = self._ends[path] = {}
            for number in range(len(columns.sources)):
                ends.setdefault(columns.span(number)[2:], []).append(number)
        return (columns.site(number) for number in self._ends[path].get(place, ()))
