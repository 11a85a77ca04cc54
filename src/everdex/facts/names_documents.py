"""Types that comments state of what follows them, put to the names that a file binds where its code says less.

Which comments there are, the query says; what is in them, phpdoc does. Knows nothing of scopes.
"""

from __future__ import annotations

from bisect import bisect_left

from tree_sitter import Node

from everdex.facts import phpdoc
from everdex.facts.names_uses import Uses


class Documented(Uses):
    """What a file binds, and what its comments say of that."""

    def __init__(self, language: str, data: bytes) -> None:
        super().__init__(language, data)
        self.bind_starts: list[int] = []  # of `binds`, sorted, once all are known
        self.bind_ends: dict[int, int] = {}
        self.promoted: list[tuple[int, str, str]] = []
        self.documents: list[Node] = []
        self.stated_results: dict[int, str] = {}  # by the end of a function's name

    def read_documents(self) -> None:
        """What comments state of parameters, results, fields and variables, where the code says less."""
        texts = [(node, self._text(node)) for node in self.documents]
        made_up = {name for _, text in texts for name in phpdoc.only_here(text)}
        for node, text in texts:
            about = node.next_named_sibling
            if about is None:
                continue
            said = phpdoc.said(text, made_up)
            name, parameters = about.child_by_field_name("name"), about.child_by_field_name("parameters")
            if name is not None and said.returns:
                self.stated_results[name.end_byte] = said.returns
            if parameters is not None:
                self._state(parameters, said.parameters, phpdoc.WEAK)
                self.promoted = [
                    (start, known, said.parameters.get(known, stated) if stated in phpdoc.WEAK else stated)
                    if parameters.start_byte <= start < parameters.end_byte else (start, known, stated)
                    for start, known, stated in self.promoted
                ]  # fmt: skip
            elif about.type == "property_declaration":
                self._state_field(about, said.variables.get("", ""))
            elif said.variables:
                self._state(about, said.variables, None)

    def _state(self, node: Node, types: dict[str, str], weak: frozenset[str] | None) -> None:
        """Names that are bound inside a node have the types stated; all of them, or those whose own type is weak."""
        first, last = bisect_left(self.bind_starts, node.start_byte), bisect_left(self.bind_starts, node.end_byte)
        for start in self.bind_starts[first:last]:
            name, type_text, value, _ = self.binds[start]
            stated = types.get(name.removeprefix("$"))
            if stated and (weak is None or type_text in weak):
                self.binds[start] = (name, stated, value, False)

    def _state_field(self, node: Node, stated: str) -> None:
        for element in node.named_children if stated else ():
            name = element.child_by_field_name("name")
            if name is not None and self.binds.get(name.start_byte + 1, ("", "", "", False))[1] in phpdoc.WEAK:
                self.binds[name.start_byte + 1] = (self._text(name).removeprefix("$"), stated, "", False)
                self.bind_ends[name.end_byte] = name.start_byte + 1
