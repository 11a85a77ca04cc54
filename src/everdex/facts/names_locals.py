"""The locals of a file: what it binds, in the functions that do so, from where a name is seen to where it ends."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from tree_sitter import Node

from everdex.facts import names_model as model
from everdex.facts.expressions import chain_of
from everdex.facts.names_binds import Binds
from everdex.facts.scopes import Scopes, ends_around
from everdex.parse import definitions as parsed
from everdex.parse.text import Atoms

_LIFTED: Final = ("@", "this.", "self.", "$this.")
_MAX_BRANCHES: Final = 4_000  # bytes that are looked through for what a branch gives


class Locals(Binds):
    """Puts what one file binds into scopes."""

    def __init__(self, language: str, data: bytes) -> None:
        super().__init__(language, data)
        self.parameters: list[tuple[int, Node, str]] = []
        self.narrowed: list[tuple[int, str, str]] = []
        self.branches: list[tuple[int, int]] = []
        self.blocks: dict[int, int] = {}  # ends, by starts
        self.bind_names: dict[str, list[int]] = {}  # where each name is bound, in order

    def _locals(
        self, linked: list[parsed.Definition], scopes: Scopes, atoms: Atoms, used: set[int]
    ) -> tuple[list[model.Slot], list[model.Local]]:
        slots, local_names = list[model.Slot](), list[model.Local]()
        lambdas = {(item.start, item.end): position for position, item in enumerate(linked) if item.kind == "lambda"}
        for start, name, type_text in sorted(self.promoted):
            around = scopes.around(start)
            owner = around if around >= 0 and linked[around].kind == "variant" else scopes.owner(around)
            if owner >= 0:
                slots.append(model.Slot(owner, name, type_text, ""))
        for before, node, type_text in self.parameters:
            name, (row, column) = chain_of(self._text(node), self.language), node.start_point
            local_names.append(model.Local(row + 1, column, scopes.around(before), name, type_text, "", False))
        blocks = list(self.blocks.items())
        ends = ends_around(blocks or self.branches, sorted(self.binds))
        for start, (name, type_text, value, each) in sorted(self.binds.items()):
            if start in used or name == "?":
                continue
            scope = scopes.around(start)
            if name.startswith(_LIFTED):
                owner = scopes.owner(scope)
                if owner >= 0:
                    value = "?" if value.startswith(model.OPERATED) else value  # where it stands, others cannot look
                    slots.append(model.Slot(owner, name.partition(".")[2] or name, type_text, value))
            elif "." not in name:
                row = atoms.at(begin := self.seen_from.get(start, start) if blocks else start)
                function = lambdas.get(self.value_spans.get(start, (-1, -1)))
                if function is not None:
                    value = f"@{{lambda {function}}}"
                elif value.startswith(model.OPERATED):
                    value = self._placed(value, atoms)
                elif blocks and value == "?" and not type_text and self._gives_inner(start, name):
                    value = model.INSIDE
                until = behind = 0
                # A parameter of a function without a name is in no block of it, but in one around it.
                if start in ends and (not blocks or scope < 0 or ends[start] <= linked[scope].end):
                    last = atoms.at(ends[start] - 1)
                    until, behind = last + 1, ends[start] - atoms.starts[last] if blocks else 0
                place = row + 1, begin - atoms.starts[row], scope
                local_names.append(model.Local(*place, name, type_text, value, each, until, behind))
        for (start, _), position in lambdas.items() if self.passed_to else ():
            if start in self.passed_to:
                chain, listed = self.passed_to[start]
                row = atoms.at(start)
                place = row + 1, start - atoms.starts[row], position
                local_names.append(model.Local(*place, model.PASSED, "", chain, listed))
        for start, chain, type_text in sorted(self.narrowed):
            row = atoms.at(start)
            place = row + 1, start - atoms.starts[row], scopes.around(start)
            local_names.append(model.Local(*place, model.NARROWED + chain, type_text, "", False))
        return slots, sorted(local_names, key=lambda item: (item.line, item.column))

    def _gives_inner(self, start: int, name: str) -> bool:
        """Whether a branch of what a name is declared with binds the same name and ends with it: `let x = match y {
        Some(x) => x, None => return }`, perhaps among others in parentheses."""
        first, end = self.value_spans.get(start, (0, 0))
        places = self.bind_names[name]
        at = bisect_left(places, first)
        if end - first > _MAX_BRANCHES or at == len(places) or places[at] >= end:
            return False
        given = rb"(?:[=-]>|[{;(,])\s*[&*]*(?:(?:Some|Ok)\()?%s\b\)?\s*[,})]" % re.escape(name.encode())
        return re.search(given, self.data[places[at] : end]) is not None
