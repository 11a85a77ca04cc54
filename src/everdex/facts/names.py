"""Facts of the languages that are resolved by imports and names: one query over the tree, no walk of nodes.

Definitions are the ones parsing finds (parse/queries), so that symbols and the graph agree; the rest is found by
queries/*.scm (names_queries.py says what their captures mean).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from tree_sitter import Node

from everdex.facts import lua, phpdoc, ruby
from everdex.facts import names_model as model
from everdex.facts.expressions import arity_of, parameters_of, type_of
from everdex.facts.imports import imports_of
from everdex.facts.names_locals import Locals
from everdex.facts.names_queries import query_of
from everdex.facts.names_tokens import errors_of
from everdex.facts.scopes import (
    Scopes,
    bases_at,
    bases_of,
    innermost,
    number_unnamed,
    swift_shape,
    trailing_result,
)
from everdex.languages import C_FAMILY
from everdex.parse import Read, conditionals, matching
from everdex.parse import definitions as parsed
from everdex.parse.symbols import MAX_SIGNATURE, header_of, symbol_of
from everdex.parse.text import Atoms, split_atoms

_CONDITIONAL: Final = (*C_FAMILY, "csharp")
_LIKE_C: Final = frozenset(("java", "kotlin", "csharp", "swift", "scala", "go", "rust"))  # in texts and comments
_VARIABLES: Final = frozenset(("field", "variable", "constant", "property"))
_IMPLICIT: Final = ("(implicit ", "(using ")  # lists of Scala's that are filled in
_OPENED: Final = re.compile(rb"(?<!inline )\bnamespace\s+([A-Za-z_]\w*)\s*\{")  # by a macro
_HOOKS: Final = frozenset(("included", "extended", "prepended", "inherited"))
_MAX_HEAD_BYTES: Final = 8_000  # of a function whose parameters are counted
_SPACED: Final = re.compile(rb"operator\s+(?:\(\s*\)|\[\s*\]|[^\w\s(]+)")  # blanks are no part of its name
_RETURN: Final = re.compile(rb"\breturn\b")


def extract(path_key: str, read: Read, data: bytes) -> bytes:
    """The facts of one file, encoded."""
    return _Extraction(read, data).facts()


class _Extraction(Locals):
    def __init__(self, read: Read, data: bytes) -> None:
        super().__init__(read.language, data)
        self.root = read.root
        self.partial = read.partial
        self.conditional = conditionals.conditional(data) if read.language in _CONDITIONAL else []
        self.package = ""
        # (start, what) lists, put into scopes by one sweep at the end
        self.imports: list[tuple[int, int]] = []
        self.mixins: list[tuple[int, str]] = []
        self.opened: list[tuple[Node, str, list[str]]] = []
        self.statics: list[int] = []
        self.lambdas: list[Node] = []
        self.setters: set[int] = set()
        self.classes: dict[int, tuple[Node, list[str]]] = {}
        self.shapes: dict[int, dict[str, list[Node]]] = {}
        self.shape_starts: dict[int, dict[str, list[Node]]] = {}
        self.inherited: dict[str, list[str]] = {}  # Lua: whose members a table has besides, by its name

    def facts(self) -> bytes:
        query, roles = query_of(self.language)
        matches = matching.matches(query, self.root)
        if self.language == "go":
            found = (captures["structure"][0] for pattern, captures in matches.found if roles[pattern] == "structure")
            self.structures = sorted((node.start_byte, node.end_byte) for node in found)
        if self.language == "scala":
            self.lists = {
                captures["callee"][0].end_byte: captures["arguments"][0]
                for pattern, captures in matches.found if roles[pattern] == "callee"
            }  # fmt: skip
        for pattern, captures in matches.found:
            role = roles[pattern]
            node = captures[role][0]
            if self._use(role, node, captures):
                continue
            if role == "bind":
                self._bind(captures)
            elif role == "replacement":
                self._replacement(node)
                opened = _OPENED.search(self.data, node.start_byte, node.end_byte)
                if opened:
                    self.package = opened[1].decode()
            elif role == "narrowed":
                kind = captures["stated"][0]
                self.narrowed.append((kind.start_byte, self._chain(node), self._type(kind)))
            elif role == "promoted":
                stated = captures.get("stated")
                type_text = self._type(stated[0]) if stated else ""
                self.promoted.append((node.start_byte, self._text(node).removeprefix("$"), type_text))
                if self.language == "php" and node.parent is not None:  # where no field is seen by its name alone
                    self.parameters.append((node.parent.start_byte - 1, node, type_text))
            elif role == "shape":
                name_node = captures["name"][0]
                known = self.shapes.setdefault(name_node.end_byte, {})
                # `impl Trait for Type<T>`: the written name ends after the one it is known by.
                self.shape_starts[name_node.start_byte] = known
                for name, nodes in captures.items():
                    known.setdefault(name, []).extend(nodes)
            elif role == "structure":
                continue
            elif role == "positional":
                self._positional(node)
            elif role == "parted":
                self._parted(node)
            elif role == "implicit":
                self._implicit(node, captures)
            elif role == "import":
                self.imports.append((node.start_byte, node.end_byte))
            elif role == "package":
                self.package = ".".join(filter(None, (self.package, self._package(node))))
            elif role == "mixin":
                self.mixins += [(each.start_byte, self._text(each)) for each in captures[role]]
            elif role == "opened":
                word = captures.get("word", captures[role])[0]
                given = [self._text(part) for part in captures["mixin"]]
                self.opened.append((node, self._text(word).lstrip(":"), given))
            elif role == "anonymous":
                self.classes[node.start_byte] = (node, [self._type(each) for each in captures["base"]])
            elif role == "inheriting":
                base = lua.index_of(captures["base"][0])
                if base is not None:
                    self.inherited.setdefault(self._text(node), []).append(self._text(base))
            elif role == "branch":
                self.branches.append((node.start_byte, node.end_byte))
            elif role == "block":
                end = captures.get("until", captures[role])[0].end_byte
                self.blocks[node.start_byte] = min(end, self.blocks.get(node.start_byte, end))
            elif role == "switch":
                self._switch(node, captures)
            elif role == "setter":
                self.setters.add(node.start_byte)
            elif role == "static":
                self.statics.append(node.start_byte)
            elif role == "documented":
                self.documents.append(node)
            else:
                self.lambdas.append(node)
        if self.partial and self.language in _CONDITIONAL:
            for start, end in conditionals.read(self.data, self.language).left_out:
                self._left_out(start, end)
        if self.partial and self.language in _LIKE_C:
            for start, end in errors_of(self.root):
                self._hidden(start, end)
        self._add_members()
        return self._assembled(self.partial or matches.left_out)

    def _package(self, node: Node) -> str:
        return re.sub(r"\s+", "", self._text(node)).replace("\\", ".")

    def _assembled(self, partial: bool) -> bytes:
        self.bind_starts = sorted(self.binds)
        if self.documents:
            self.read_documents()
        for start in sorted(self.binds):
            self.bind_names.setdefault(self.binds[start][0], []).append(start)
        found = parsed.find(self.language, self.data, self.root)
        # `Point = Struct.new(:x) do … end`: the block is the body of the class
        bodies = {item.end for item in found.definitions if item.kind == "class"} if self.language == "ruby" else ()
        unnamed = [(node, "lambda") for node in self.lambdas if node.end_byte not in bodies]
        unnamed += [(node, "class") for node, _ in self.classes.values()]
        for node, kind in unnamed:
            found.definitions.append(
                parsed.Definition(
                    node.start_byte, node.start_byte, node.end_byte, f"<{kind}>", node.start_byte, kind, (),
                    self.language, -1, node, True,
                )
            )  # fmt: skip
        linked = parsed.link(found.definitions, [])
        number_unnamed(linked)
        scopes = Scopes(linked)
        mixins: dict[int, list[str]] = {}
        for start, text in sorted(self.mixins):
            around = scopes.around(start)
            if self.language == "ruby" and around >= 0 and linked[around].name in _HOOKS:
                around = scopes.owner(around)  # whoever includes the module gets it as well
            mixins.setdefault(around, []).append(text)
        static = {scopes.around(start) for start in self.statics}
        atoms = split_atoms(self.data, len(self.data) + 1)
        if self.structures:
            self.unnamed = self._unnamed([item for item in linked if item.kind == "field"])
        made = []
        field_binds: set[int] = set()
        for position, item in enumerate(linked):
            made.append(self._defined(item, scopes, mixins.get(position, []), position in static, atoms, field_binds))
        for node, word, given in self.opened:
            around = scopes.around(node.start_byte)
            text = self._text(node)
            if node.type == "identifier":  # in a method it would be of whoever runs that
                text = "::" + "::".join(linked[around].path) if scopes.owner(around) == around >= 0 else ""
            if text:
                made.append(ruby.opened(text, node, around, word, given))
        slots, local_names = self._locals(linked, scopes, atoms, field_binds)
        imports = []
        for start, end in innermost(self.imports):
            text = self.data[start:end].decode("utf-8", "replace")
            first, last = atoms.at(start), atoms.at(end - 1)
            place = (first + 1, start - atoms.starts[first], last + 1, end - atoms.starts[last])
            imports += [
                model.Import(*place, scopes.around(start), path, alias, kind, self._is_conditional(start))
                for path, alias, kind in imports_of(text, self.language)
            ]
        names = {item.name_start for item in linked if item.emitted}
        uses = []
        bound: dict[tuple[int, str], list[model.Local]] = {}
        for local in local_names:
            bound.setdefault((local.scope, local.name), []).append(local)
        for key, name in self.conversions.items():
            if (scopes.around(key[0]), name) not in bound:
                del self.uses[key]
        starts, passed, setters, implied, binds = atoms.starts, self.given, self.setters, self.implied, self.binds
        row, following = -1, 0  # the line of a use, and where the next one begins: uses are in order
        for start, width, role, name, receiver, arguments, text in sorted(self.uses.values()):
            if start in setters:
                name, arguments = f"{name}=", 1
            handed = passed.get(start, ())
            if role == model.OPERATOR:
                handed = tuple(self._placed(each, atoms) for each in self.operands[start])
                receiver, text = self._placed(receiver, atoms), self.brackets.get(start, text)
            elif start in self.replaced:
                continue
            if not receiver and (role == model.TYPE or role == model.READ) and (start in names or start in binds):
                continue
            scope = scopes.around(start)
            while start >= following:
                row += 1
                following = starts[row + 1]
            column = start - starts[row]
            if receiver == "?" and start in implied:
                receiver, text = self._implied(start, atoms), f".{name}"
            if role == model.READ and not receiver:
                known = bound.get((scope, name))
                if known is not None and model.nearest(known, row + 1, column) is not None:
                    continue  # a local of the same function
            uses.append(
                model.Use(
                    row + 1, column, width, scope, role, name, receiver, arguments, text, handed,
                )
            )
        outline = model.Outline(
            self.language, self.package, tuple(made), tuple(imports), tuple(slots), partial,
            len(self.data), max(atoms.count, 1),
        )  # fmt: skip
        return model.encode(outline, model.Body(tuple(uses), tuple(local_names)))

    def _implied(self, start: int, atoms: Atoms) -> str:
        context = self.implied[start]
        if isinstance(context, str):
            return context
        row = atoms.at(context[0])
        return f"{model.ARGUMENT}{row + 1} {context[0] - atoms.starts[row]} {context[1]}}}"

    def _is_conditional(self, start: int) -> bool:
        """Whether a place of C, C++ or C# is compiled under some conditions only."""
        at = bisect_left(self.conditional, (start, start))
        return at > 0 and start < self.conditional[at - 1][1]

    def _is_valued(self, name_end: int, end: int) -> bool:
        """Whether a variable's definition gives it a value; a body that computes one does not."""
        equals = self.data.find(b"=", name_end, end)
        between = self.data[name_end:equals] if equals >= 0 else b"\n"
        computed = b"{" in between or b"\n" in between or (self.language == "kotlin" and b"(" in between)
        return not computed and self.data[equals : equals + 2] not in (b"=>", b"==")

    def _result(self, node: Node, item: parsed.Definition) -> str:
        """The chain of what a function returns, if nobody needs the function's own locals to read it."""
        value = self._chain(node)
        head = value.partition(".")[0].partition("(")[0].partition("[")[0]
        starts = self.bind_names.get(head, [])
        first = bisect_left(starts, item.start)
        if value.startswith(f"{item.name}("):
            return value  # another of the same name, also where a parameter has it
        if first < len(starts) and starts[first] < item.end:
            _, _, given, each = self.binds[starts[first]]
            return given if value == head and not each and "." not in head else ""
        return value if value != "?" else ""

    def _head(self, item: parsed.Definition, signature: str) -> str:
        """A definition up to its body, whatever a signature has room for."""
        return signature if len(signature) < MAX_SIGNATURE else header_of(item, self.data, _MAX_HEAD_BYTES)

    def _defined(
        self, item: parsed.Definition, scopes: Scopes, mixins: list[str], static: bool, atoms: Atoms,
        used: set[int],
    ) -> model.Defined:  # fmt: skip
        symbol = symbol_of(item, self.data, atoms, None)
        parent = scopes.index.get(id(item.parent), -1)
        name_end = item.name_start + len(item.name.encode())
        if self.data[name_end : name_end + 1] == b"`":
            name_end += 1
        spaced = _SPACED.match(self.data, item.name_start) if item.name.startswith("operator") else None
        if spaced:
            name_end = spaced.end()
        shape = self.shapes.get(name_end) or self.shape_starts.get(item.name_start, {})
        if model.is_unnamed(item.name):
            name_end, shape = -1, {}  # it has no name of its own to find anything by
            mixins = mixins + self.classes.get(item.start, (item.node, []))[1]
        least, most, receiver, takes = -1, -1, "", tuple[str, ...]()
        if "parameters" in shape:
            # Several lists are one list to a caller who counts (Scala); Go's grammar keeps the names of one type.
            nodes = shape["parameters"]
            if self.language == "scala":  # the query gives the first: a pattern pays the square of what it repeats
                nodes = [part for part in shape["shape"][0].named_children if part.type == nodes[0].type]
            lists = [self._front(node) for node in nodes]
            texts = [part for text in lists if not text.startswith(_IMPLICIT) for part in parameters_of(text)]
            if texts and texts[0].startswith("this "):
                receiver = type_of(texts.pop(0)[5:].rpartition(" ")[0])
            takes = self._takes(item, nodes[0])
            least, most = arity_of(texts, self.language)
            if most >= 0:  # what is implicit may be given all the same
                most += sum(len(parameters_of(text)) for text in lists if text.startswith(_IMPLICIT))
        if item.kind == "field":
            receiver = self.unnamed.get(item.name_start, "")
        if "extended" in shape:
            receiver = self._type(shape["extended"][0])
        if item.kind == "impl" and (of := item.node.child_by_field_name("type")) is not None:
            receiver = self._type(of) if of.type == "scoped_type_identifier" else ""
        bases = [part for node in shape.get("base", ()) for part in bases_at(node, self.data)]
        bound = self.bind_ends.get(name_end)
        type_text = value = ""
        if bound is not None and item.kind in ("field", "variable", "constant", "property", "type", "variant"):
            used.add(bound)
            _, type_text, value, _ = self.binds[bound]
            value = "?" if value.startswith(model.OPERATED) else value  # where it stands, others cannot look
            if bound in self.metatables:
                bases, value = [*bases, self.metatables[bound]], ""
            bases += self.inherited.get(item.name, [])
        elif bound is not None:
            used.add(bound)
        elif "result" in shape and "returns" not in shape:
            written = [node for node in shape["result"] if not node.is_extra]
            value = self._result(written[-1], item) if written else ""
            if self.language == "php" and written and written[-1].type != "variable_name":
                value = value if len(_RETURN.findall(self.data, item.start, item.end)) == 1 else ""
        flags = (
            (model.STATIC if static else 0)
            | (model.BODY if item.node.child_by_field_name("body") is not None else 0)
            | (0 if item.emitted else model.SCOPE_ONLY)
            | (model.VALUED if item.kind in _VARIABLES and self._is_valued(name_end, item.end) else 0)
            | (model.CONDITIONAL if self._is_conditional(item.name_start) else 0)
        )
        # Nobody reaches into a function or a class without a name.
        public = symbol.public and not any(map(model.is_unnamed, item.path))
        returns = self._type(shape["returns"][0]) if "returns" in shape else ""
        if self.stated_results and returns in phpdoc.WEAK:
            returns = self.stated_results.get(name_end, returns)
        if self.language == "swift" and item.kind in ("function", "method", "constructor"):
            least, most, returns, takes = swift_shape(self._head(item, symbol.signature))
        elif returns == "auto" and self.language in C_FAMILY:
            returns = trailing_result(self._head(item, symbol.signature)) or returns
        elif "returns" in shape and self.language in ("cpp", "cuda"):
            between = self.data[shape["returns"][0].end_byte : item.name_start]
            returns += "*" * between.count(b"*") or "&" * between.count(b"&")
        return model.Defined(
            item.name, ".".join(item.path), item.kind, parent, item.start, item.end, symbol.start_line,
            symbol.end_line, symbol.name_line, symbol.name_column, symbol.signature, public, flags, least, most,
            returns, type_text, value,
            tuple(dict.fromkeys((*bases, *(part for text in mixins for part in bases_of(text))))), receiver, takes,
        )  # fmt: skip
