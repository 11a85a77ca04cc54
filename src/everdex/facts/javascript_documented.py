"""What the comments of a JavaScript file say of types, put where TypeScript would have written it.

The names in them are no sites: nothing in a comment runs. A type of which any part says nothing says nothing as a
whole: unlike an annotation nobody may ever have checked it.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from everdex.facts import javascript_model as m
from everdex.facts.javascript_comments import Comments, Stated
from everdex.facts.javascript_types import Types

# what stands between a definition and the comment about it, when it is the value of that
_AROUND: Final = frozenset((
    "variable_declarator", "lexical_declaration", "variable_declaration", "export_statement", "assignment_expression",
    "expression_statement", "pair", "field_definition", "parenthesized_expression",
))  # fmt: skip
# the types of the language; any other name that nothing declares may be meant as anything
_KNOWN: Final = frozenset((
    "Array", "AsyncGenerator", "AsyncIterable", "AsyncIterableIterator", "AsyncIterator", "Awaited", "BigInt",
    "Boolean", "Date", "Error", "Exclude", "Extract", "Generator", "InstanceType", "Iterable", "IterableIterator",
    "Iterator", "Map", "NonNullable", "Number", "Omit", "Partial", "Pick", "Promise", "Readonly", "ReadonlyArray",
    "ReadonlyMap", "ReadonlySet", "Record", "RegExp", "Required", "ReturnType", "Set", "String", "Symbol", "WeakMap",
    "WeakSet",
))  # fmt: skip


class Documented(Types):
    """Adds `stated`, and rows for the types in comments."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.comments: Comments | None = None
        self._documented: list[int] = []  # rows of types
        self._reading = False

    def stated(self, node: Node) -> Stated | None:
        """What the comment before a definition says, or before the statement that it is the value of."""
        if self.comments is None:
            return None
        around: Node | None = node
        while around is not None:
            found = self.comments.before.get(around.start_byte)
            if found is not None:
                return found
            around = around.parent
            if around is None or around.type not in _AROUND:
                return None
        return None

    def stated_type(self, node: Node) -> int:
        """The row of the type that a comment says the code has which begins here."""
        found = self.stated(node)
        return self.documented(found.type) if found is not None else 0

    def before_type(self, node: Node) -> int:
        """The row of the type in a comment right before this."""
        found = self.comments.before.get(node.start_byte) if self.comments is not None else None
        return self.documented(found.type) if found is not None else 0

    def documented(self, at: int) -> int:
        """The row of a type in a comment; its names are mentioned nowhere."""
        node = self.comments.types.get(at) if self.comments is not None and at >= 0 else None
        if node is None:
            return 0
        mentions, imports = len(self.mentions), len(self.imports)
        self._reading = True
        row = self.type(node)
        self._reading = False
        del self.mentions[mentions:], self.imports[imports:]
        if row:
            self._documented.append(row)
        return row

    def stated_generics(self, found: Stated | None) -> None:
        for name, constraint in found.generics if found is not None else ():
            self.bind(name, m.GENERIC, more=[self.documented(constraint)])

    def stated_parameter(self, found: Stated, pattern: Node, number: int) -> int:
        """By its name; one that is a pattern by its place."""
        if pattern.type == "identifier":
            name = self.text(pattern)
            return self.documented(next((type_ for each, type_ in found.parameters if each == name), -1))
        return self.documented(found.parameters[number][1]) if number < len(found.parameters) else 0

    def declare_stated(self) -> None:
        """What comments declare or import belongs to the whole file, and others may name it."""
        if self.comments is None:
            return
        scope = self.scopes[0]
        for local, specifier, name in self.comments.imported:
            if local not in scope.types:
                scope.types[local] = self._import_binding(local, specifier, name)
        for stated in self.comments.declared:
            if stated.name in scope.types:
                continue
            outer = self.at
            index = self.bind(stated.name, m.TYPE)
            self.at = outer._replace(scope=self.open_scope())
            self.scopes[self.at.scope].home = stated.name
            self.stated_generics(stated)
            self.bindings[index].more.append(self._declared_type(stated))
            self.at = outer
            self.exports.append(m.Export(stated.name, self.type_name(stated.name), "", m.TYPE_ONLY))

    def _declared_type(self, stated: Stated) -> int:
        row = m.Interface(-1, stated.name)
        if stated.is_function:
            types = [self.documented(type_) for _, type_ in stated.parameters]
            row.alias = self.add_type(m.T_FUNCTION, types, self.documented(stated.result), len(types), False, [])
        elif stated.type >= 0:
            row.alias = self.documented(stated.type) or self.add_type(m.T_UNKNOWN)
        elif stated.properties:
            row.members = [(name, self.documented(type_), -1) for name, type_ in stated.properties]
        else:
            row.alias = self.add_type(m.T_UNKNOWN)
        self.interfaces.append(row)
        return len(self.interfaces) - 1

    def _import_binding(self, local: str, specifier: str, name: str) -> int:
        self.bindings.append(m.Binding(local, m.IMPORTED, local, more=[specifier, name]))
        return len(self.bindings) - 1

    # -- reading their trees --------------------------------------------------------------------

    def named_type(self, node: Node) -> int:
        module = self._module_of(node)
        return super().named_type(node) if module is None else self._of_module(node, *module)

    def named_space(self, node: Node) -> int:
        module = self._module_of(node)
        return super().named_space(node) if module is None else self._of_module(node, *module)

    def _module_of(self, node: Node) -> tuple[str, bool] | None:
        return self.comments.modules.get(node.start_byte) if self._reading and self.comments is not None else None

    def _of_module(self, node: Node, specifier: str, whole: bool) -> int:
        if whole:
            return self.add(m.REQUIRE, specifier)
        name = self.text(node)
        return self.add(m.NAME, self._import_binding(name, specifier, name))

    def _builtin(self, node: Node) -> int:
        return 0 if self._reading and self.text(node) == "object" else super()._builtin(node)

    def _parts(self, node: Node) -> int:
        row = super()._parts(node)
        if not self._reading or not row:
            return row
        parts = [node]
        for part in parts:
            if part.type in ("union_type", "intersection_type"):
                parts += part.named_children
        said = [part for part in parts if part.type not in ("union_type", "intersection_type")]
        silent = sum(self._is_least(part) for part in said)
        return row if len(self.types[row][1]) + silent >= len(said) else 0

    def _is_least(self, node: Node) -> bool:
        """Whether nothing can be asked of a value of this type."""
        return node.type == "literal_type" and not self._is_string(node)

    def unbound(self, name: str, is_type: bool) -> m.Row:
        unknown = is_type and self.comments is not None and name not in _KNOWN
        return (m.UNKNOWN,) if unknown else super().unbound(name, is_type)

    def link_documented(self) -> None:
        """A name that nothing declares is unknown, and with it the whole of a type."""
        if self.comments is None:
            return
        for row in self._documented:
            if not self._says(row):
                self.types[row] = (m.T_UNKNOWN,)

    def _says(self, index: int) -> bool:
        row = self.types[index]
        if row[0] == m.T_UNION:
            return all(self._says(part) for part in row[1])
        if row[0] != m.T_NAME:
            return True
        name = self.expressions[row[1]]
        while name[0] == m.MEMBER:
            name = self.expressions[name[1]]
        return bool(name[0] != m.UNKNOWN)
