"""The tables of a JavaScript file's facts while they grow: definitions, scopes, bindings, expressions.

Names are only noted: `javascript_link` links them once everything has been seen. Knows nothing of grammars beyond
positions; what a syntax node means is said by the modules that build on this one.
"""

from __future__ import annotations

import re
import sys
from typing import Any, NamedTuple

from tree_sitter import Node

from everdex.facts import javascript_model as m

# fixed rows of the expression table
STRING, NUMBER, BOOLEAN, REGEXP, NOTHING, TEMPLATE = 1, 2, 3, 4, 5, 1
UNLINKED, UNLINKED_TYPE, UNLINKED_SPACE = -1, -2, -3  # a name whose binding is not looked up yet
_TYPES = (m.TYPE, m.GENERIC)
_ESCAPED = re.compile(r"\\u(?:\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{4}))")
_MAX_PREFIX, _OUTERMOST = 1_000, 80  # characters of the key of what is around a definition


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
    """Appends to the tables."""

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
        self.packages: dict[str, list[int]] = {}  # scopes of what a file says that others export
        self.hidden: set[int] = set()  # definitions marked private
        self.aliases: set[int] = set()  # bindings by `import name = …`
        self.beside: dict[int, int] = {}  # signature of an overloaded function -> its definition, or the first one
        self.satisfied: dict[int, int] = {}
        self.stored: dict[int, int] = {}
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
        return self._named(UNLINKED, name)

    def type_name(self, name: str) -> int:
        return self._named(UNLINKED_TYPE, name)

    def space_name(self, name: str) -> int:
        """What stands before a dot in a type: a namespace or a module, also where a type has the same name."""
        return self._named(UNLINKED_SPACE, name)

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
            self._tested += [(argument, value) for argument in row[2] if self.expressions[argument][0] == UNLINKED]

    def test_instance(self, value: int, of: int) -> None:
        if self.expressions[value][0] == UNLINKED:
            self._tested.append((value, self.add(m.NEW, of, [])))

    # -- looking names up -----------------------------------------------------------------------

    def lookup(self, scope: int, name: str, types: bool) -> int:
        while scope >= 0:
            here = self.scopes[scope]
            index = (here.types if types else here.names).get(name)
            if index is not None:
                return index
            scope = here.parent
        return -1

    def is_bound(self, name: str) -> bool:
        """Whether a scope seen so far binds the name."""
        return self.lookup(self.at.scope, name, False) >= 0

    def is_constant(self, name: str) -> bool:
        """Whether a name is the module's, as far as it was read: imported or given a value there."""
        found = self.lookup(self.at.scope, name, False)
        return found >= 0 and found == self.scopes[0].names.get(name)
