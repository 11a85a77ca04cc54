"""The tables of a JavaScript file's facts while they grow: definitions, scopes, bindings, expressions.

Names are looked up once everything has been seen, so hoisting needs no second pass. Knows nothing of grammars beyond
positions; what a syntax node means is said by the modules that build on this one.
"""

from __future__ import annotations

import re
import sys
from typing import Any, NamedTuple

from tree_sitter import Node

from everdex.facts import javascript_model as m
from everdex.facts import javascript_tests as tests
from everdex.facts import javascript_this as own

# fixed rows of the expression table
STRING, NUMBER, BOOLEAN, REGEXP, NOTHING, TEMPLATE = 1, 2, 3, 4, 5, 1
_UNLINKED, _UNLINKED_TYPE, _UNLINKED_SPACE = -1, -2, -3
_TYPES = (m.TYPE, m.GENERIC)
_ESCAPED = re.compile(r"\\u(?:\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{4}))")
_MAX_PREFIX, _OUTERMOST = 1_000, 80  # characters of the key of what is around a definition
# types of the language that no file declares again, and nearly every file names
_EVERYWHERE = frozenset((
    "Array", "Awaited", "Date", "Error", "Exclude", "Extract", "Map", "NonNullable", "Omit", "Parameters", "Partial",
    "Pick", "Promise", "Readonly", "ReadonlyArray", "Record", "Required", "ReturnType", "Set", "const",
))  # fmt: skip


def is_name(text: str) -> bool:
    """Whether something has a name that can be written after a dot."""
    return text.replace("$", "_").isidentifier()


class At(NamedTuple):
    """Where the walk is: what encloses the syntax being read."""

    scope: int
    node: int  # definition whose code runs
    parent: int  # definition that contains what is defined here
    prefix: str  # of keys
    function: int  # that returns return from, or -1
    this: int  # function that binds `this`, or -1
    klass: int


class Scope:
    __slots__ = ("exported", "home", "is_function", "names", "parent", "types")

    def __init__(self, parent: int, is_function: bool, home: str | None) -> None:
        self.parent = parent
        self.is_function = is_function
        self.names: dict[str, int] = {}
        self.types: dict[str, int] = {}
        self.home = home  # None: the home of a binding is its own name
        self.exported: dict[str, int] | None = None


class Builder:
    """Appends to the tables and, in `facts`, links names to bindings."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.nodes: list[m.Definition] = []
        self._members: list[int] = [-1]  # what `members_around` says of `nodes`
        self.declared: list[set[str]] = []  # names of the members of each class
        self.expressions: list[m.Row] = [(m.UNKNOWN,)]
        self.expressions += [(m.LITERAL, name) for name in ("String", "Number", "Boolean", "RegExp", "")]
        self.types: list[m.Row] = [(m.T_UNKNOWN,)]
        self.bindings: list[m.Binding] = []
        self.functions: list[m.Function] = []
        self.classes: list[m.Class] = []
        self.interfaces: list[m.Interface] = []
        self.namespaces: list[dict[str, int]] = []
        self.exports: list[m.Export] = []
        self.imports: list[m.Import] = []
        self.mentions: list[m.Mention] = []
        self.scopes: list[Scope] = [Scope(-1, True, None)]
        self.is_module = False
        self.ambient: list[int] = [0]  # scopes of which the names are global
        self.hidden: set[int] = set()  # definitions marked private
        self.beside: dict[int, int] = {}  # signature of an overloaded function -> its definition, or the first one
        self.satisfied: dict[int, int] = {}
        self.stored: dict[int, int] = {}
        self.attributes: dict[int, int] = {}
        self.typed: dict[int, list[int]] = {}
        self.at = At(0, 0, 0, "", -1, -1, -1)
        self._keys: dict[str, int] = {}
        self._lambdas: dict[str, int] = {}
        self._names: dict[tuple[int, str, int], int] = {}
        self._assigned: list[tuple[int, str, int]] = []  # scope, name, value
        self._stored: list[tuple[int, str, str, int, bool]] = []  # scope, name, property, value, on the prototype
        self._global_types: set[int] = set()  # expressions
        self._called: list[tuple[int, int]] = []  # callee expression, call expression
        self._tested: list[tuple[int, int]] = []  # expression that may be a name, what it is tested by

    # -- text and places ------------------------------------------------------------------------

    def text(self, node: Node) -> str:
        """As written; a name as the language knows it, whatever in it is escaped (`\\u0061` is `a`)."""
        text = self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if "\\" in text and node.type.endswith("identifier"):
            return _ESCAPED.sub(lambda found: chr(min(int(found[1] or found[2], 16), sys.maxunicode)), text)
        return text

    def string(self, node: Node) -> str:
        """The content of a string literal, escapes left as they are."""
        return self.data[node.start_byte + 1 : max(node.start_byte + 1, node.end_byte - 1)].decode("utf-8", "replace")

    def mention(self, role: str, node: Node, value: int, whole: Node | None = None, source: int = -1) -> None:
        """A site at a token; `whole` is the expression that it is the end of."""
        start = node.start_byte
        text = start if whole is None else whole.start_byte
        self.mentions.append(m.Mention(role, self.at.node if source < 0 else source, start, node.end_byte, text, value))

    # -- definitions ----------------------------------------------------------------------------

    def define(self, name: str, kind: str, node: Node, named_by: Node | None, body: Node | None = None) -> int:
        """A new definition inside the current one; '' as name makes it a numbered lambda."""
        at = self.at
        if not name:
            number = self._lambdas[at.prefix] = self._lambdas.get(at.prefix, 0) + 1
            name = f"<lambda{number}>"
        # Inside each other without end, functions would have keys that together grow with the square of the file.
        prefix = at.prefix if len(at.prefix) <= _MAX_PREFIX else at.prefix[:_OUTERMOST]
        key = f"{prefix}.{name}" if prefix else name
        count = self._keys[key] = self._keys.get(key, 0) + 1
        if count > 1:
            key = f"{key}~{count}"
        start, end = node.start_byte, node.end_byte
        named_at = named_by.start_byte if named_by is not None else start
        name = name.rpartition(".")[2]
        if name.startswith("#"):  # the mark is no part of the name, but of every place that writes it
            self.hidden.add(len(self.nodes))
            name, named_at = name[1:], named_at + 1
        m.add_member(self._members, self.nodes, at.parent)
        self.nodes.append(
            m.Definition(
                key, name, kind, at.parent, min(start, named_at), end, named_at,
                body.start_byte if body is not None else end, False,
            )
        )  # fmt: skip
        return len(self.nodes) - 1

    # -- scopes and bindings --------------------------------------------------------------------

    def home(self) -> str:
        """The definition whose content is being read."""
        around, prefix = self._members[self.at.node], self.at.prefix
        if around >= 0:
            return self.nodes[around].key
        return m.content(prefix) if prefix else self.scopes[self.at.scope].home or ""

    def open_scope(self, is_function: bool = False) -> int:
        self.scopes.append(Scope(self.at.scope, is_function, self.home()))
        return len(self.scopes) - 1

    def bind(self, name: str, kind: str, value: int = 0, type_: int = 0, more: list[Any] | None = None) -> int:
        """A binding in the current scope; a second declaration of the same kind of name adds its value."""
        scope = self.scopes[self.at.scope]
        table = scope.types if kind in _TYPES else scope.names
        index = table.get(name)
        if index is not None and (kind in _TYPES) != (self.bindings[index].kind in _TYPES):
            index = None  # a type and a value of one name are two things
        if index is None:
            index = table[name] = len(self.bindings)
            home = name if scope.home is None else scope.home
            # msgspec copies empty mutable defaults for each instance
            self.bindings.append(m.Binding(name, kind, home, more=more or []))
        binding = self.bindings[index]
        if value:
            binding.values.append(value)
        if type_ and not binding.type:
            binding.type = type_
        if kind in (m.DECLARED_CLASS, m.IMPORTED, m.ENUMERATION, m.MODULE_NAME):
            scope.types.setdefault(name, index)
        return index

    def bind_variable(self, name: str, value: int, type_: int, hoisted: bool) -> int:
        if not hoisted:
            return self.bind(name, m.VARIABLE, value, type_)
        at, scope = self.at, self.at.scope
        while not self.scopes[scope].is_function:
            scope = self.scopes[scope].parent
        self.at = at._replace(scope=scope)
        index = self.bind(name, m.VARIABLE, value, type_)
        self.at = at
        return index

    # -- expressions ----------------------------------------------------------------------------

    def add(self, *row: Any) -> int:
        self.expressions.append(row)
        return len(self.expressions) - 1

    def add_type(self, *row: Any) -> int:
        self.types.append(row)
        return len(self.types) - 1

    def name(self, name: str) -> int:
        """A use of a name here; uses of one name in one scope share a row."""
        return self._named(_UNLINKED, name)

    def type_name(self, name: str) -> int:
        return self._named(_UNLINKED_TYPE, name)

    def space_name(self, name: str) -> int:
        """What stands before a dot in a type: a namespace or a module, also where a type has the same name."""
        return self._named(_UNLINKED_SPACE, name)

    def _named(self, code: int, name: str) -> int:
        key = (code, name, self.at.scope)
        index = self._names.get(key)
        if index is None:
            index = self._names[key] = self.add(code, name, self.at.scope)
        return index

    def assign(self, name: str, value: int) -> None:
        self._assigned.append((self.at.scope, name, value))

    def store(self, name: str, property_: str, value: int, prototype: bool) -> None:
        self._stored.append((self.at.scope, name, property_, value, prototype))

    def store_this(self, property_: str, value: int) -> None:
        if self.at.this < 0:
            return
        function = self.functions[self.at.this]
        kind, index = function.this
        if kind in (m.THIS_INSTANCE, m.THIS_STATIC):
            self.classes[index].stores.append((property_, value, kind == m.THIS_STATIC))
        else:
            function.stores.append((property_, value))

    def call(self, callee: int, arguments: list[int], code: int = m.CALL) -> int:
        index = self.add(code, callee, arguments)
        for number, argument in enumerate(arguments):
            row = self.expressions[argument]
            if row[0] == m.FUNCTION:
                self.functions[row[1]].passed = (index, number)
        self._called.append((callee, index))
        return index

    def test(self, value: int) -> None:
        """Somebody wants to know whether this is so: where it is a call, what it says of the names that it is given."""
        row = self.expressions[value]
        if row[0] == m.CALL:
            self._tested += [(argument, value) for argument in row[2] if self.expressions[argument][0] == _UNLINKED]

    def test_instance(self, value: int, of: int) -> None:
        if self.expressions[value][0] == _UNLINKED:
            self._tested.append((value, self.add(m.NEW, of, [])))

    # -- linking --------------------------------------------------------------------------------

    def _lookup(self, scope: int, name: str, types: bool) -> int:
        while scope >= 0:
            here = self.scopes[scope]
            index = (here.types if types else here.names).get(name)
            if index is not None:
                return index
            scope = here.parent
        return -1

    def is_bound(self, name: str) -> bool:
        """Whether a scope seen so far binds the name."""
        return self._lookup(self.at.scope, name, False) >= 0

    def is_constant(self, name: str) -> bool:
        """Whether a name is the module's, as far as it was read: imported or given a value there."""
        found = self._lookup(self.at.scope, name, False)
        return found >= 0 and found == self.scopes[0].names.get(name)

    def _declare_implicitly(self) -> None:
        """A name that is only ever assigned belongs to the function that does it; `using` is read like that too."""
        outer = self.at
        for scope, name, _ in self._assigned:
            if self._lookup(scope, name, False) < 0:
                self.at = outer._replace(scope=scope)
                self.bind_variable(name, 0, 0, True)
        self.at = outer

    def link_documented(self) -> None:
        """Names have been linked: what waited for that."""

    def unbound(self, name: str, is_type: bool) -> m.Row:
        """The row of a name that no scope of the file binds."""
        return (m.GLOBAL, name)

    def facts(self, partial: bool) -> m.Facts:
        self._declare_implicitly()
        for (code, name, scope), index in self._names.items():
            is_type = code != _UNLINKED
            found = self._lookup(scope, name, code == _UNLINKED_TYPE)
            if found < 0 and is_type:
                found = self._lookup(scope, name, code != _UNLINKED_TYPE)
            self.expressions[index] = (m.NAME, found) if found >= 0 else self.unbound(name, is_type)
            if found < 0 and is_type and name not in _EVERYWHERE:
                self._global_types.add(index)
        self.link_documented()
        for scope, name, value in self._assigned:
            found = self._lookup(scope, name, False)
            if found >= 0:
                self.bindings[found].values.append(value)
        for scope, name, property_, value, prototype in self._stored:
            found = self._lookup(scope, name, False)
            if found >= 0:
                binding = self.bindings[found]
                whole = prototype and property_ == "prototype"
                (binding.prototype if prototype else binding.properties).append(("" if whole else property_, value))
                kind = m.THIS_PROTOTYPE if prototype else m.THIS_BINDING
                own.give(self.expressions, self.functions, value, (kind, found), property_.startswith(m.ACCESSORS))
        own.lend(self.expressions, self.bindings, self.functions, self._called)
        for callee, call in self._called:
            row = self.expressions[callee]
            if row[0] == m.NAME and self.bindings[row[1]].kind == m.PARAMETER_NAME:
                self.bindings[row[1]].calls.append(call)
            self._hand_over(call)
        for index, binding in enumerate(self.bindings):
            for value in binding.values:
                row = self.expressions[value]
                if row[0] == m.FUNCTION:  # the last: the name that it has inside itself comes before
                    self.functions[row[1]].binding = index
        for each in self.scopes:
            tests.merge(self.bindings, each.names, each.types)
        tests.link(self.expressions, self.types, self.bindings, self.functions, self._tested)
        self._publish()
        for node in reversed(self.nodes[1:]):  # children follow their parents, whose keys must still be there
            above = self.nodes[node.parent].key
            if node.key == (f"{above}.{node.name}" if above else node.name):
                node.key = ""
        return m.Facts(
            self.is_module, partial, self.nodes, self.expressions, self.types, self.bindings, self.functions,
            self.classes, self.interfaces, self.namespaces, self.exports, self.imports,
            m.pack([mention for mention in self.mentions if self._worth(mention)]),
            self._globals(), self.satisfied, self.stored, self.attributes, self.typed,
        )  # fmt: skip

    def _globals(self) -> dict[str, list[int]]:
        """Values and types that every file can name: those of a script, or what a module says to be so."""
        found: dict[str, list[int]] = {}
        for scope in (self.scopes[index] for index in self.ambient if index or not self.is_module):
            for name, binding in (*scope.names.items(), *scope.types.items()):
                bindings = found.setdefault(name, [])
                if binding not in bindings:
                    bindings.append(binding)
        return found

    def _hand_over(self, call: int) -> None:
        """Functions that a call is given by name: the first such call is where their parameters come from."""
        for number, argument in enumerate(self.expressions[call][2]):
            row = self.expressions[argument]
            if row[0] == m.NAME and self.bindings[row[1]].values:
                value = self.expressions[self.bindings[row[1]].values[0]]
                if value[0] == m.FUNCTION and self.functions[value[1]].passed[0] < 0:
                    self.functions[value[1]].passed = (call, number)

    def _publish(self) -> None:
        """Exported definitions are public, and what they contain with them; so is everything a script has on top."""
        public: set[int] = set()
        for export in self.exports:
            row = self.expressions[export.value] if export.value else (m.UNKNOWN,)
            if row[0] == m.NAME:
                public.add(self.bindings[row[1]].node)
                export.binding = row[1]
            elif row[0] == m.FUNCTION:
                public.add(self.functions[row[1]].node)
            elif row[0] == m.CLASS:
                public.add(self.classes[row[1]].node)
            elif row[0] == m.OBJECT:
                self._publish_object(row, public)
        for index, node in enumerate(self.nodes[1:], 1):
            parent = self.nodes[node.parent]
            named = self.beside.get(index, index)
            node.public = (
                self.nodes[named].public
                or named in public
                or (node.parent == 0 and not self.is_module and not node.name.startswith("<"))
                or (parent.public and node.parent != 0 and parent.kind not in ("function", "method", "lambda"))
            ) and index not in self.hidden

    def _publish_object(self, row: m.Row, public: set[int]) -> None:
        for _, value, _, _ in row[1]:
            inner = self.expressions[value]
            if inner[0] == m.FUNCTION:
                public.add(self.functions[inner[1]].node)
            elif inner[0] == m.NAME:
                public.add(self.bindings[inner[1]].node)

    def _worth(self, mention: m.Mention) -> bool:
        """Reading a local variable or a builtin tells nobody anything; calling one does."""
        if mention.role not in "rwRW":
            return True
        row = self.expressions[mention.value]
        if row[0] == m.NAME:
            binding = self.bindings[row[1]]
            return bool(binding.node >= 0 or binding.kind == m.IMPORTED or self._is_required(binding))
        if row[0] == m.GLOBAL:
            return mention.value in self._global_types  # which an ambient declaration may declare
        return bool(row[0] == m.MEMBER)

    def _is_required(self, binding: m.Binding) -> bool:
        """Whether a name is what a module gives that is required, or something of it."""
        if len(binding.values) != 1:
            return False
        row = self.expressions[binding.values[0]]
        while row[0] in (m.MEMBER, m.AWAIT):
            row = self.expressions[row[1]]
        return row[0] in (m.REQUIRE, m.IMPORT)
