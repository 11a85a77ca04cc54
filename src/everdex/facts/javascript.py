"""The facts of a JavaScript, JSX or TypeScript file: one walk over its tree, then the encoded tables.

This last layer of the walk reads statements, scopes, imports and exports. Facts are a pure function of path and
bytes; syntax errors taint them (`partial`) and hide nothing outside the error.
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import Final

from tree_sitter import Node

from everdex.facts import javascript_comments
from everdex.facts import javascript_model as m
from everdex.facts.javascript_definitions import Definitions
from everdex.memory import collector_held
from everdex.parse import Read

# what a function is called that complains where what it is given is not so
_ASSERTS: Final = re.compile(rb"(?i)assert|invariant|ensure|expect")
_NAME_BYTES: Final = 64
_ALIAS: Final = re.compile(rb"[ \t\r\n]{1,100}as[ \t\r\n]{1,100}([A-Za-z]{2,20})(?=[ \t\r\n]{0,100}[,}])")


def extract(path_key: str, read: Read, data: bytes) -> bytes:
    """The encoded facts of one tree; see javascript_model for their shape."""
    del path_key  # the grammars of this family share their names
    with collector_held():
        statements = Statements(data)
        if read.language == "javascript":  # TypeScript says its types outside of comments
            statements.comments = javascript_comments.read(read.root, data)
        try:
            return m.encode(statements.read(read))
        finally:
            statements.end()


class Statements(Definitions):
    """The whole visitor."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._declaring = False
        self.handlers |= {
            "statement_block": self._block,
            "for_statement": self._block,
            "switch_body": self._block,
            "if_statement": self._asked,
            "while_statement": self._asked,
            "expression_statement": self._asserted,
            "for_in_statement": self._for_in,
            "catch_clause": self._catch,
            "return_statement": self._return,
            "import_statement": self._import,
            "import_alias": self._import_alias,
            "export_statement": self._export,
            "internal_module": self._namespace,
            "module": self._namespace,
            "ambient_declaration": self._ambient,
        }

    def read(self, tree: Read) -> m.Facts:
        self.nodes.append(
            m.Definition("", "", "module", -1, 0, len(self.data), 0, 0, True)
        )
        self.visit(tree.root)
        self.finish()
        self.declare_stated()
        self.mentions.sort(key=attrgetter("start", "end"))
        return self.facts(tree.partial)

    # -- scopes ---------------------------------------------------------------------------------

    def _block(self, node: Node) -> int:
        self.at, outer = self.at._replace(scope=self.open_scope()), self.at
        self.visit_children(node)
        self.at = outer
        return 0

    def _asked(self, node: Node) -> int:
        """A statement with a condition."""
        condition = node.child_by_field_name("condition")
        for child in node.named_children:
            value = self.visit(child)
            if child == condition:
                self.test(value)
        return 0

    def _asserted(self, node: Node) -> int:
        """A call by itself that says that something is so, or takes a call that is asked that."""
        value = self.last(node)
        row = self.expressions[value]
        function = node.named_children[0].child_by_field_name("function") if row[0] == m.CALL else None
        if function is not None:
            end = function.end_byte
            if _ASSERTS.search(self.data, max(function.start_byte, end - _NAME_BYTES), end):
                for call in (value, *row[2]):
                    self.test(call)
        return value

    def _for_in(self, node: Node) -> int:
        self.at, outer = self.at._replace(scope=self.open_scope()), self.at
        left, right, body = (node.child_by_field_name(field) for field in ("left", "right", "body"))
        operator, kind = node.child_by_field_name("operator"), node.child_by_field_name("kind")
        value = self.visit(right) if right is not None else 0
        value = self.add(m.ELEMENT, value) if operator is not None and operator.type == "of" else 1
        if left is not None:
            hoisted = kind is not None and kind.type == "var"
            self.target(left, value, self._declare(hoisted, False) if kind is not None else None)
        if body is not None:
            self.visit(body)
        self.at = outer
        return 0

    def _catch(self, node: Node) -> int:
        self.at, outer = self.at._replace(scope=self.open_scope()), self.at
        parameter, body = node.child_by_field_name("parameter"), node.child_by_field_name("body")
        if parameter is not None:
            self.target(parameter, 0, self._declare(False, False))
        if body is not None:
            self.visit_children(body)
        self.at = outer
        return 0

    def _return(self, node: Node) -> int:
        self.hint = ""
        value = self.last(node)
        if self.at.function >= 0 and value:
            self.functions[self.at.function].returns.append(value)
        return 0

    # -- modules --------------------------------------------------------------------------------

    def _import(self, node: Node) -> int:
        if self.scopes[self.at.scope].exported is None:
            self.is_module = True
        source = node.child_by_field_name("source")
        clause = next((child for child in node.named_children if child.type.startswith("import_")), None)
        if source is None and clause is not None:
            source = clause.child_by_field_name("source")
        if source is None:
            return 0
        specifier = self.string(source)
        row = m.Import(specifier, node.start_point[0] + 1, [])
        self.imports.append(row)
        self.mention("i", source, self.add(m.REQUIRE, specifier))
        if clause is None:
            return 0
        if clause.type == "import_require_clause":
            self._imported(clause.named_children[0], clause.named_children[0], specifier, "*", row)
            return 0
        for child in clause.named_children:
            if child.type == "identifier":
                self._imported(child, child, specifier, "default", row)
            elif child.type == "namespace_import":
                for local in child.named_children:
                    self._imported(local, local, specifier, "*", row)
            elif child.type == "named_imports":
                for part in child.named_children:
                    name, alias = part.child_by_field_name("name"), part.child_by_field_name("alias")
                    if name is not None:
                        text = self.string(name) if name.type == "string" else self.text(name)
                        self._imported(name, alias or name, specifier, text, row)
        return 0

    def _import_alias(self, node: Node) -> int:
        """`import Store = stores.Store`: another name for what a namespace or a module has, types among it."""
        parts = [child for child in node.named_children if child.type != "comment"]
        if len(parts) != 2:
            return 0
        text = self.text(parts[0])
        binding = self.bind(text, m.VARIABLE, self.qualified(parts[1]))
        self.scopes[self.at.scope].types.setdefault(text, binding)
        self.aliases.add(binding)
        return self.name(text)

    def _imported(self, node: Node, local: Node, specifier: str, name: str, row: m.Import) -> None:
        text = self.text(local)
        self.bind(text, m.IMPORTED, more=[specifier, name])
        if name != "*":
            row.names.append(name)
        self.mention("i", node, self.name(text))

    def _export(self, node: Node) -> int:
        inside = self.scopes[self.at.scope].exported
        if inside is None:
            self.is_module = True
        source = node.child_by_field_name("source")
        if source is not None:
            self._export_from(node, self.string(source), source)
            return 0
        for child in node.named_children:
            if child.type == "decorator":
                self._pending.append(child)
        declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
        default = any(child.type == "default" for child in node.children)
        if declaration is not None:
            self._export_declaration(declaration, default, inside)
        elif value is not None:
            given = self.named(value, "" if value.type == "object" else "default", None)
            self.exports.append(m.Export("default", given, "", ""))
        else:
            for child in node.named_children:
                if child.type == "export_clause":
                    self._export_clause(child, inside)
                elif child.type != "decorator" and child.type != "comment":
                    self.exports.append(m.Export("=", self.visit(child), "", ""))
        return 0

    def _export_from(self, node: Node, specifier: str, source: Node) -> None:
        row = m.Import(specifier, node.start_point[0] + 1, [])
        self.imports.append(row)
        module = self.add(m.REQUIRE, specifier)
        self.mention("i", source, module)
        star = True
        for child in node.named_children:
            if child.type == "namespace_export":
                star = False
                for label in child.named_children:
                    self.exports.append(m.Export(self.text(label), 0, specifier, "*"))
            elif child.type == "export_clause":
                star = False
                for part in child.named_children:
                    name, alias = part.child_by_field_name("name"), part.child_by_field_name("alias")
                    if name is not None:
                        text = self.text(name)
                        self.exports.append(m.Export(self._alias(part, alias) or text, 0, specifier, text))
                        row.names.append(text)
                        self.mention("i", name, self.add(m.MEMBER, module, text))
        if star:
            self.exports.append(m.Export("*", 0, specifier, "*"))

    def _export_declaration(self, node: Node, default: bool, inside: dict[str, int] | None) -> None:
        scope = self.scopes[self.at.scope]
        before, before_types = set(scope.names), set(scope.types)
        if default:
            self.hint = "default"
        value = self.visit(node)
        self.hint = ""
        if default:
            self.exports.append(m.Export("default", value, "", ""))
            return
        name = node.child_by_field_name("name")
        new = (*(scope.names.keys() - before), *(scope.types.keys() - before_types))
        names = dict.fromkeys(sorted(new))
        if name is not None and name.type != "string":
            names[self.text(name).partition(".")[0]] = None  # a redeclaration: overloads, merged interfaces
        for text in names:
            if inside is not None:
                index = scope.names.get(text, scope.types.get(text, -1))
                if index >= 0:
                    inside[text] = index
                    if (node_index := self.bindings[index].node) >= 0:
                        self.nodes[node_index].public = True
                continue
            if text in scope.names:
                self._export_name(text, self.name(text))
            if text in scope.types and scope.types[text] != scope.names.get(text):
                self._export_name(text, self.type_name(text))

    def _export_name(self, name: str, value: int) -> None:
        if not any(export.name == name and export.value == value for export in self.exports[-4:]):
            self.exports.append(m.Export(name, value, "", ""))

    def _export_clause(self, node: Node, inside: dict[str, int] | None) -> None:
        for part in node.named_children:
            name, alias = part.child_by_field_name("name"), part.child_by_field_name("alias")
            if name is None:
                continue
            text = self.text(name)
            value = self.name(text)
            self.mention("r", name, value)
            exported = self._alias(part, alias) or text
            self.exports.append(m.Export(exported, value, "", ""))
            self.exports.append(m.Export(exported, self.type_name(text), "", ""))

    def _alias(self, part: Node, alias: Node | None) -> str:
        """The name that something is exported under; JavaScript's grammar takes one like `var` for an error."""
        if alias is not None:
            return self.text(alias)
        found = _ALIAS.match(self.data, part.end_byte)
        return found[1].decode() if found is not None else ""

    # -- TypeScript's namespaces ----------------------------------------------------------------

    def _ambient(self, node: Node) -> int:
        around, self._declaring = self._declaring, True
        for child in node.named_children:
            if child.type == "statement_block":  # declare global
                self.at, outer = self.at._replace(scope=self.open_scope(True)), self.at
                self.ambient.append(self.at.scope)
                self.scopes[self.at.scope].home = None
                self.visit_children(child)
                self.at = outer
                for name, index in self.scopes[self.ambient[-1]].types.items():
                    self.scopes[0].types.setdefault(name, index)
                for name, index in self.scopes[self.ambient[-1]].names.items():
                    self.scopes[0].names.setdefault(name, index)
            else:
                self.visit(child)
        self._declaring = around
        return 0

    def _namespace(self, node: Node) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return 0
        outer = self.at
        if name.type == "string":  # declare module "x": what another package says of itself
            text = self.string(name)
            index = self.define(text.replace(".", "_"), "namespace", node, name, body)
            self._inside_namespace(index, body, {})
            if body is not None:
                self.packages.setdefault(text, []).append(self.at.scope)
            self.at = outer
            return 0
        parts = self.text(name).split(".")
        for number, text in enumerate(parts):
            index = self.define(text, "namespace", node, name, body)
            exported: dict[str, int] = {}
            self.namespaces.append(exported)
            value = self.add(m.NAMESPACE, len(self.namespaces) - 1)
            binding = self.bind(text.strip(), m.MODULE_NAME, value)
            if self.bindings[binding].node < 0:
                self.bindings[binding].node = index
            inside = self.scopes[self.at.scope].exported
            if number and inside is not None:
                inside[text] = binding
            last = number == len(parts) - 1
            self._inside_namespace(index, body if last else None, exported)
        self.at = outer
        return self.name(parts[0])

    def _inside_namespace(self, index: int, body: Node | None, exported: dict[str, int]) -> None:
        self.at = self.at._replace(node=index, parent=index, prefix=self.nodes[index].key)
        self.at = self.at._replace(scope=self.open_scope(True))
        scope = self.scopes[self.at.scope]
        scope.exported = exported
        if body is not None:
            self.visit_children(body)
        if self._declaring:  # all that is declared there is exported
            for name in (*scope.names, *scope.types):
                exported.setdefault(name, scope.names.get(name, scope.types.get(name, -1)))
